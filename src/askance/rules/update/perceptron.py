"""The Perceptron (Rosenblatt 1958), as in Cesa-Bianchi, Gentile and Zaniboni 2006, figure 1."""

from typing import NamedTuple

from numpy.typing import DTypeLike

from askance._util.parameters import Constraints
from askance.rules.rows import Seen
from askance.rules.state.weights import Weights
from askance.rules.update.rule import About
from askance.rules.update.scaled_gradient import ScaledGradient
from askance.rules.update.weights import zero_weights


class Perceptron(NamedTuple):
    """The Perceptron: on a mistake, sgn(p) ≠ y, add the row to the weights: w ← w + y x.

    It costs one pass over the non-zeros of the row. It has no parameters.

    References
    ----------
    Rosenblatt 1958; Cesa-Bianchi, Gentile and Zaniboni 2006, figure 1.

    Examples
    --------
    >>> from askance import Learner, queries, updates
    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [0.0, 2.0]], [1, -1, 1]
    >>> learner = Learner(updates.Perceptron(), queries.Always()).fit(X, y)
    >>> learner.predict([[0.0, 3.0], [3.0, 0.0]])
    array([ 1, -1])
    """

    def start(self, width: int, dtype: DTypeLike) -> Weights:
        """w = 0."""
        return zero_weights(width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """Return y on a mistake."""
        return seen.prediction != label, label

    def weighted(self, weight: float) -> ScaledGradient:
        """Return the rule for a label of this weight, which multiplies the step: w ← w + weight · y x."""
        return ScaledGradient(self, weight)

    def constraints(self) -> Constraints:
        """It has no hyper-parameters."""
        return {}

    def about(self) -> About:
        """For two classes and for many."""
        return About(many_classes=True)
