"""The state of first-order rules: a weight a feature."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from askance.engine.choose import larger
from askance.engine.seam import inlined
from askance.rows import Seen


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


def zero_weights(width: int, dtype: DTypeLike) -> Weights:
    """w = 0."""
    return Weights(np.zeros(width, dtype))


@inlined
def hinge(seen: Seen, label: float) -> float:
    """ℓ = max(0, 1 - y p)."""
    loss: float = larger(0.0, 1.0 - label * seen.score)
    return loss
