"""The states of second-order rules that keep only the diagonal of Σ: two numbers per feature, side by side.

`pairs` has the weight and the variance of each feature. The variance σ_j says how little is known about a weight,
and the spread v = Σ_j σ_j x_j² how little is known about a row.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from askance.jit.pairs import first, pair, second
from askance.jit.select import maximum


class DropDiagonal(NamedTuple):
    """μ and the diagonal of Σ. Off-diagonal changes of Σ ← Σ - s Σx xᵀΣ are dropped.

    A step is (α, β, s): μ ← μ + α Σx + β Σ'x, where Σ' is the new Σ.
    """

    pairs: NDArray[Any]

    @property
    def weights(self) -> NDArray[Any]:
        """μ."""
        return self.pairs[:, 0]

    def terms(self, j: int, x: float) -> tuple[float, float]:
        """μ_j x_j and σ_j x_j²."""
        loaded = pair(self.pairs, j)
        return first(loaded) * x, second(loaded) * x * x

    def margin(self, total: float, spread: float) -> float:  # noqa: ARG002
        """μ·x."""
        return total

    def move(self, j: int, x: float, step: tuple[float, float, float]) -> None:
        """σ_j ← σ_j - s (σ_j x_j)², kept positive despite rounding."""
        before, after, shrink = step
        variance = self.pairs[j, 1]
        reach = variance * x
        left = maximum(variance - shrink * reach * reach, np.finfo(self.pairs.dtype).eps * variance)
        self.pairs[j, 0] += before * reach + after * left * x
        self.pairs[j, 1] = left


class InverseDiagonal(NamedTuple):
    """μ and a diagonal Σ. Off-diagonal changes of Σ⁻¹ ← Σ⁻¹ + c x xᵀ are dropped.

    A step is (α, β, c): μ ← μ + α Σx + β Σ'x, where Σ' is the new Σ.
    """

    pairs: NDArray[Any]

    @property
    def weights(self) -> NDArray[Any]:
        """μ."""
        return self.pairs[:, 0]

    def terms(self, j: int, x: float) -> tuple[float, float]:
        """μ_j x_j and σ_j x_j²."""
        loaded = pair(self.pairs, j)
        return first(loaded) * x, second(loaded) * x * x

    def margin(self, total: float, spread: float) -> float:  # noqa: ARG002
        """μ·x."""
        return total

    def move(self, j: int, x: float, step: tuple[float, float, float]) -> None:
        """σ_j ← σ_j / (1 + c σ_j x_j²)."""
        before, after, precision = step
        reach = self.pairs[j, 1] * x
        left = self.pairs[j, 1] / (self.pairs.dtype.type(1) + precision * reach * x)
        self.pairs[j, 0] += before * reach + after * left * x
        self.pairs[j, 1] = left


class HerdedDiagonal(NamedTuple):
    """μ and a diagonal Σ, each of whose entries shrinks as if it were alone.

    A step is (α, ·, C), whose second number is not used: μ ← μ + α Σx.
    """

    pairs: NDArray[Any]

    @property
    def weights(self) -> NDArray[Any]:
        """μ."""
        return self.pairs[:, 0]

    def terms(self, j: int, x: float) -> tuple[float, float]:
        """μ_j x_j and σ_j x_j²."""
        loaded = pair(self.pairs, j)
        return first(loaded) * x, second(loaded) * x * x

    def margin(self, total: float, spread: float) -> float:  # noqa: ARG002
        """μ·x."""
        return total

    def move(self, j: int, x: float, step: tuple[float, float, float]) -> None:
        """σ_j ← σ_j / (1 + C σ_j x_j²)², kept positive despite underflow."""
        reach = self.pairs[j, 1] * x
        share = self.pairs.dtype.type(1) + step[2] * reach * x
        self.pairs[j, 0] += step[0] * reach
        self.pairs[j, 1] = maximum(self.pairs[j, 1] / share / share, np.finfo(self.pairs.dtype).tiny)


class EntryPerceptron(NamedTuple):
    """v and the diagonal of A⁻¹. The score of each feature is computed as if it alone were added to A.

    The second number of a step is y: v ← v + y x, A ← A + x xᵀ.
    """

    pairs: NDArray[Any]

    @property
    def weights(self) -> NDArray[Any]:
        """v."""
        return self.pairs[:, 0]

    def terms(self, j: int, x: float) -> tuple[float, float]:
        """v_j x_j / (A_j + x_j²) and x_j² / A_j."""
        loaded = pair(self.pairs, j)
        variance = second(loaded)
        spread = variance * x * x
        return first(loaded) * x * variance / (self.pairs.dtype.type(1) + spread), spread

    def margin(self, total: float, spread: float) -> float:  # noqa: ARG002
        """The sum over features."""
        return total

    def move(self, j: int, x: float, step: tuple[float, float, float]) -> None:
        """v_j ← v_j + y x_j, A_j ← A_j + x_j²."""
        self.pairs[j, 0] += step[1] * x
        self.pairs[j, 1] /= self.pairs.dtype.type(1) + self.pairs[j, 1] * x * x


class RankOnePerceptron(NamedTuple):
    """v and the diagonal of A⁻¹. The score is computed as if the whole row were added to A.

    The second number of a step is y: v ← v + y x, A ← A + x xᵀ.
    """

    pairs: NDArray[Any]

    @property
    def weights(self) -> NDArray[Any]:
        """v."""
        return self.pairs[:, 0]

    def terms(self, j: int, x: float) -> tuple[float, float]:
        """v_j x_j / A_j and x_j² / A_j."""
        loaded = pair(self.pairs, j)
        known = x * second(loaded)
        return first(loaded) * known, known * x

    def margin(self, total: float, spread: float) -> float:
        """(Σ_j v_j x_j / A_j) / (1 + Σ_j x_j² / A_j)."""
        return total / (self.pairs.dtype.type(1) + spread)

    def move(self, j: int, x: float, step: tuple[float, float, float]) -> None:
        """v_j ← v_j + y x_j, A_j ← A_j + x_j²."""
        self.pairs[j, 0] += step[1] * x
        self.pairs[j, 1] /= self.pairs.dtype.type(1) + self.pairs[j, 1] * x * x


def unit_variances(kind: Any, width: int, dtype: DTypeLike) -> Any:
    """Return the initial state of this kind: weights of 0, variances of 1."""
    return kind(np.tile(np.array([0, 1], dtype), (width, 1)))
