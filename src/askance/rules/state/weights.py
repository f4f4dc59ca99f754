"""The plainest state: a weight a feature, or a feature and lane."""

from typing import Any, NamedTuple

from numpy.typing import NDArray


class Weights(NamedTuple):
    """w. The score is w·x; there is no spread; a step τ gives w ← w + τ x."""

    weights: NDArray[Any]

    def terms(self, j: int, x: float) -> tuple[float, float]:
        """w_j x_j, and no spread."""
        # A zero of the weights' own precision: the sum of such zeros costs nothing.
        return self.weights[j] * x, self.weights.dtype.type(0)

    def margin(self, total: float, spread: float) -> float:  # noqa: ARG002
        """w·x."""
        return total

    def move(self, j: int, x: float, step: float) -> None:
        """w_j ← w_j + τ x_j."""
        self.weights[j] += step * x
