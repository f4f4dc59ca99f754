"""The states of second-order rules that keep only the diagonal of Σ: two numbers a feature.

A variance says how little is known of a weight. The spread v = Σ_j σ_j x_j² is that of the whole row.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from askance.engine.choose import larger


class DropDiagonal(NamedTuple):
    """μ and the diagonal of Σ; of Σ ← Σ - s Σx xᵀΣ, what happens beside the diagonal is dropped.

    A step is (α, β, s): μ ← μ + α Σx + β Σ'x, where Σ' is the new Σ.
    """

    weights: NDArray[Any]
    variances: NDArray[Any]

    def terms(self, j: int, x: float) -> tuple[float, float]:
        """μ_j x_j and σ_j x_j²."""
        return self.weights[j] * x, self.variances[j] * x * x

    def margin(self, total: float, spread: float) -> float:  # noqa: ARG002
        """μ·x."""
        return total

    def move(self, j: int, x: float, step: tuple[float, float, float]) -> None:
        """σ_j ← σ_j - s (σ_j x_j)², which rounding must not make 0 or less."""
        before, after, shrink = step
        variance = self.variances[j]
        reach = variance * x
        left = larger(variance - shrink * reach * reach, np.finfo(self.variances.dtype).eps * variance)
        self.weights[j] += before * reach + after * left * x
        self.variances[j] = left


class InverseDiagonal(NamedTuple):
    """μ and a diagonal Σ; of Σ⁻¹ ← Σ⁻¹ + c x xᵀ, what happens beside the diagonal is dropped.

    A step is (α, β, c): μ ← μ + α Σx + β Σ'x, where Σ' is the new Σ.
    """

    weights: NDArray[Any]
    variances: NDArray[Any]

    def terms(self, j: int, x: float) -> tuple[float, float]:
        """μ_j x_j and σ_j x_j²."""
        return self.weights[j] * x, self.variances[j] * x * x

    def margin(self, total: float, spread: float) -> float:  # noqa: ARG002
        """μ·x."""
        return total

    def move(self, j: int, x: float, step: tuple[float, float, float]) -> None:
        """σ_j ← σ_j / (1 + c σ_j x_j²)."""
        before, after, precision = step
        reach = self.variances[j] * x
        left = self.variances[j] / (self.variances.dtype.type(1) + precision * reach * x)
        self.weights[j] += before * reach + after * left * x
        self.variances[j] = left


class EntryPerceptron(NamedTuple):
    """v and the diagonal of A⁻¹; a score counts each feature as if it alone were added to A.

    The second number of a step is y: v ← v + y x, A ← A + x xᵀ.
    """

    weights: NDArray[Any]
    variances: NDArray[Any]

    def terms(self, j: int, x: float) -> tuple[float, float]:
        """v_j x_j / (A_j + x_j²) and x_j² / A_j."""
        variance = self.variances[j]
        spread = variance * x * x
        return self.weights[j] * x * variance / (self.weights.dtype.type(1) + spread), spread

    def margin(self, total: float, spread: float) -> float:  # noqa: ARG002
        """The sum over features."""
        return total

    def move(self, j: int, x: float, step: tuple[float, float, float]) -> None:
        """v_j ← v_j + y x_j, A_j ← A_j + x_j²."""
        self.weights[j] += step[1] * x
        self.variances[j] /= self.variances.dtype.type(1) + self.variances[j] * x * x


class RankOnePerceptron(NamedTuple):
    """v and the diagonal of A⁻¹; a score counts the whole row as added to A.

    The second number of a step is y: v ← v + y x, A ← A + x xᵀ.
    """

    weights: NDArray[Any]
    variances: NDArray[Any]

    def terms(self, j: int, x: float) -> tuple[float, float]:
        """v_j x_j / A_j and x_j² / A_j."""
        known = x * self.variances[j]
        return self.weights[j] * known, known * x

    def margin(self, total: float, spread: float) -> float:
        """(Σ_j v_j x_j / A_j) / (1 + Σ_j x_j² / A_j)."""
        return total / (self.weights.dtype.type(1) + spread)

    def move(self, j: int, x: float, step: tuple[float, float, float]) -> None:
        """v_j ← v_j + y x_j, A_j ← A_j + x_j²."""
        self.weights[j] += step[1] * x
        self.variances[j] /= self.variances.dtype.type(1) + self.variances[j] * x * x


def at_one(kind: Any, width: int, dtype: DTypeLike) -> Any:
    """A state of this kind that knows nothing: weights of 0, variances of 1."""
    return kind(np.zeros(width, dtype), np.ones(width, dtype))
