"""The states of NAROW: A⁻¹θ and A⁻¹. A score is divided by max(1, bχ), which stands for the current row in A."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.jit.pairs import first, pair, second
from askance.jit.select import maximum
from askance.rules.state.matrix import Matrix, form_for_matrix
from askance.rules.state.triangle import diagonal


class NarrowDiagonal(NamedTuple):
    """A⁻¹θ and the diagonal of A⁻¹, side by side. A step is (·, y, c): θ ← θ + y x, A ← A + c x xᵀ."""

    pairs: NDArray[Any]
    b: Any

    @property
    def weights(self) -> NDArray[Any]:
        """A⁻¹θ."""
        return self.pairs[:, 0]

    def terms(self, j: int, x: float) -> tuple[float, float]:
        """θ_j x_j / A_j and x_j² / A_j."""
        loaded = pair(self.pairs, j)
        return first(loaded) * x, second(loaded) * x * x

    def margin(self, total: float, spread: float) -> float:
        """(Σ_j θ_j x_j / A_j) / max(1, bχ)."""
        return total / maximum(self.pairs.dtype.type(1), self.b * spread)

    def move(self, j: int, x: float, step: tuple[float, float, float]) -> None:
        """θ_j ← θ_j + y x_j, A_j ← A_j + c x_j²."""
        _, label, precision = step
        reach = self.pairs[j, 1] * x
        share = self.pairs.dtype.type(1) + precision * reach * x
        self.pairs[j, 0] = (self.pairs[j, 0] + label * reach) / share
        self.pairs[j, 1] /= share


class FullNarrow(NamedTuple):
    """A⁻¹θ and A⁻¹. A step is (α, ·, s): A⁻¹θ moves by α A⁻¹x, and A⁻¹ shrinks by s."""

    weights: NDArray[Any]
    triangle: NDArray[np.float64]
    pending: NDArray[np.float64]
    learned: NDArray[np.int64]
    b: Any

    def form(self) -> Matrix:
        """Return the form with a matrix."""
        return form_for_matrix(len(self.weights))

    def terms(self, j: int, x: float) -> tuple[float, float]:
        """(A⁻¹θ)_j x_j, and (A⁻¹)_jj x_j²."""
        return self.weights[j] * x, self.triangle[diagonal(j)] * x * x

    def margin(self, total: float, spread: float) -> float:
        """θᵀA⁻¹x / max(1, bχ)."""
        return total / maximum(1.0, self.b * spread)

    def move(self, j: int, x: float, step: tuple[float, float, float]) -> None:
        """Do nothing: no number moves along the row itself."""

    def drift(self, i: int, reach: float, step: tuple[float, float, float]) -> None:
        """(A⁻¹θ)_i ← (A⁻¹θ)_i + α (A⁻¹x)_i."""
        self.weights[i] += step[0] * reach
