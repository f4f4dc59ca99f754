"""The Perceptron (Rosenblatt 1958), as in Cesa-Bianchi, Gentile and Zaniboni 2006, figure 1."""

from typing import NamedTuple

from numpy.typing import DTypeLike

from askance.forms.weights import Weights
from askance.limits import Limits
from askance.rows import Seen
from askance.updates.rule import About
from askance.updates.weights import zero_weights


class Perceptron(NamedTuple):
    """On a mistake, sgn(p) ≠ y: w ← w + y x. Costs one pass over the row's non-zeros."""

    def start(self, width: int, dtype: DTypeLike) -> Weights:
        """w = 0."""
        return zero_weights(width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """τ = y on a mistake."""
        return seen.guess != label, label

    def limits(self) -> Limits:
        """It has no hyper-parameters."""
        return {}

    def about(self) -> About:
        """For two classes and for many."""
        return About(many_classes=True)
