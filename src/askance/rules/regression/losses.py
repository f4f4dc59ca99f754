"""Losses of gradient rules for regression: how steep the loss is at the residual e = y - p."""

from typing import Any, NamedTuple, Protocol

from askance._util.parameters import NOT_NEGATIVE_AND_FINITE, Constraints, Interval
from askance.jit.select import where


class ResidualLoss(Protocol):
    """A loss ℓ(e) of the residual e = y - p. Its gradient with respect to the weights is -ℓ'(e) x."""

    def pull(self, residual: Any) -> Any:
        """Return ℓ'(e): which way the prediction has to move, and how urgently."""


class SquaredError(NamedTuple):
    """The squared error e²/2, whose best prediction is the mean."""

    def pull(self, residual: Any) -> Any:
        """e."""
        return residual

    def constraints(self) -> Constraints:
        """It has no hyper-parameters."""
        return {}


class EpsilonInsensitive(NamedTuple):
    """The ε-insensitive loss max(0, abs(e) - ε), of support vector regression.

    Parameters
    ----------
    epsilon : float, default=0.1
        Residuals up to this size cost nothing.
    """

    epsilon: float = 0.1

    def pull(self, residual: Any) -> Any:
        """The sign of e if abs(e) > ε, else 0."""
        return where(residual > self.epsilon, 1.0, where(residual < -self.epsilon, -1.0, 0.0))

    def constraints(self) -> Constraints:
        """ε ≥ 0."""
        return {"epsilon": NOT_NEGATIVE_AND_FINITE}


class Pinball(NamedTuple):
    """The pinball loss max(q e, (q - 1) e), whose best prediction is the quantile q.

    Parameters
    ----------
    quantile : float, default=0.5
        q, between 0 and 1. 0.5 is the median.

    References
    ----------
    Koenker and Bassett 1978, "Regression quantiles".
    """

    quantile: float = 0.5

    def pull(self, residual: Any) -> Any:
        """Return q for e > 0, q - 1 for e < 0."""
        return where(residual > 0.0, self.quantile, where(residual < 0.0, self.quantile - 1.0, 0.0))

    def constraints(self) -> Constraints:
        """0 < q < 1."""
        return {"quantile": Interval(0, 1, high_closed=False)}


# By their names.
LOSSES: dict[str, type] = {
    "squared_error": SquaredError,
    "epsilon_insensitive": EpsilonInsensitive,
    "pinball": Pinball,
}
