"""The Perceptron (Rosenblatt 1958), as in Cesa-Bianchi, Gentile and Zaniboni 2006, figure 1."""

from typing import NamedTuple

from numpy.typing import DTypeLike

from askance._util.parameters import Constraints
from askance.rules.rows import Seen
from askance.rules.state.weights import Weights
from askance.rules.update.rule import About
from askance.rules.update.weights import zero_weights


class Perceptron(NamedTuple):
    """On a mistake, sgn(p) ≠ y: w ← w + y x. Costs one pass over the row's non-zeros."""

    def start(self, width: int, dtype: DTypeLike) -> Weights:
        """w = 0."""
        return zero_weights(width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """τ = y on a mistake."""
        return seen.prediction != label, label

    def constraints(self) -> Constraints:
        """It has no hyper-parameters."""
        return {}

    def about(self) -> About:
        """For two classes and for many."""
        return About(many_classes=True)
