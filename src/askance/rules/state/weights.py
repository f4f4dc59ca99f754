"""The simplest state: one weight per feature, or per feature and lane."""

from typing import Any, NamedTuple

from numpy.typing import NDArray


class Weights(NamedTuple):
    """The weights w. The score is w·x, there is no spread, and a step τ gives w ← w + τ x.

    Parameters
    ----------
    weights : ndarray of float
        w.
    """

    weights: NDArray[Any]

    def terms(self, j: int, x: float) -> tuple[float, float]:
        """w_j x_j, and no spread."""
        # A zero in the precision of the weights: the compiler removes the sum of such zeros.
        return self.weights[j] * x, self.weights.dtype.type(0)

    def margin(self, total: float, spread: float) -> float:  # noqa: ARG002
        """w·x."""
        return total

    def move(self, j: int, x: float, step: float) -> None:
        """w_j ← w_j + τ x_j."""
        self.weights[j] += step * x
