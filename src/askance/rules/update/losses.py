"""Losses of gradient rules: how steep the loss is at the margin m = y p."""

from typing import Any, NamedTuple, Protocol

from askance.jit.select import maximum, minimum, where
from askance.jit.simd.exponential import sigmoid


class Loss(Protocol):
    """A loss ℓ(m) of the margin m = y p that does not rise. Its gradient is ℓ'(m) y x."""

    def slope(self, margin: Any) -> Any:
        """Return -ℓ'(m), which is 0 or more. The rule learns from labels where it is more than 0."""


class Hinge(NamedTuple):
    """The hinge loss max(0, 1 - m), of the support vector machine."""

    def slope(self, margin: Any) -> Any:
        """1 for m < 1."""
        return where(margin < 1.0, 1.0, 0.0)


class SquaredHinge(NamedTuple):
    """The squared hinge loss max(0, 1 - m)²."""

    def slope(self, margin: Any) -> Any:
        """2 max(0, 1 - m)."""
        return 2.0 * maximum(0.0, 1.0 - margin)


class Logistic(NamedTuple):
    """The logistic loss log(1 + e^-m), whose scores are log odds."""

    def slope(self, margin: Any) -> Any:
        """1 / (1 + e^m)."""
        return sigmoid(0.0 - margin)


class ModifiedHuber(NamedTuple):
    """The modified Huber loss: max(0, 1 - m)² for m ≥ -1, and -4 m below.

    Wrong labels count less than in the squared hinge loss.

    References
    ----------
    Zhang 2004, "Solving large scale linear prediction problems using stochastic gradient descent algorithms".
    """

    def slope(self, margin: Any) -> Any:
        """2 max(0, 1 - m), and 4 at most."""
        return 2.0 * minimum(2.0, maximum(0.0, 1.0 - margin))


class PerceptronLoss(NamedTuple):
    """The loss of the Perceptron, max(0, -m)."""

    def slope(self, margin: Any) -> Any:
        """1 for m ≤ 0, so that learning can start at w = 0."""
        return where(margin <= 0.0, 1.0, 0.0)


# By their names in the catalog.
LOSSES: dict[str, type] = {
    "hinge": Hinge,
    "squared_hinge": SquaredHinge,
    "logistic": Logistic,
    "modified_huber": ModifiedHuber,
    "perceptron": PerceptronLoss,
}


def check_loss(rule: Any) -> None:
    """Raise TypeError unless the loss of a rule is one."""
    if not hasattr(type(rule.loss), "slope"):
        known = ", ".join(f"{loss.__name__}()" for loss in LOSSES.values())
        raise TypeError(f"{type(rule).__name__}: loss must be one of {known}, not {rule.loss!r}")
