"""The states of second-order rules that keep all of Σ: O(d²) numbers, and O(d²) time per step.

Σ is always in double precision. It shrinks by subtraction, and in single precision the rounding errors would soon
outweigh the rest. Most of the time is spent on reading Σ from memory once per row, which double precision only
doubles.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from askance._util.memory import free_bytes
from askance.rules.state.matrix import PENDING, Matrix, form_for_matrix
from askance.rules.state.triangle import diagonal, identity, whole


class FullGaussian(NamedTuple):
    """μ and Σ. A step is (α, ·, s), whose second number is not used: μ ← μ + α Σx, Σ ← Σ - s Σx xᵀΣ."""

    weights: NDArray[Any]
    triangle: NDArray[np.float64]
    pending: NDArray[np.float64]
    learned: NDArray[np.int64]

    def form(self) -> Matrix:
        """Return the form with a matrix."""
        return form_for_matrix(len(self.weights))

    def terms(self, j: int, x: float) -> tuple[float, float]:
        """μ_j x_j, and Σ_jj x_j²."""
        return self.weights[j] * x, self.triangle[diagonal(j)] * x * x

    def margin(self, total: float, spread: float) -> float:  # noqa: ARG002
        """μ·x."""
        return total

    def move(self, j: int, x: float, step: tuple[float, float, float]) -> None:
        """Do nothing: no number moves along the row itself."""

    def drift(self, i: int, reach: float, step: tuple[float, float, float]) -> None:
        """μ_i ← μ_i + α (Σx)_i."""
        self.weights[i] += step[0] * reach


class FullPerceptron(NamedTuple):
    """v, A⁻¹ and their product, the mean. A step is (α, y, s): v ← v + y x; mean and Σ = A⁻¹ follow."""

    weights: NDArray[Any]
    mean: NDArray[np.float64]
    triangle: NDArray[np.float64]
    pending: NDArray[np.float64]
    learned: NDArray[np.int64]

    def form(self) -> Matrix:
        """Return the form with a matrix."""
        return form_for_matrix(len(self.weights))

    def terms(self, j: int, x: float) -> tuple[float, float]:
        """(A⁻¹v)_j x_j, and (A⁻¹)_jj x_j²."""
        return self.mean[j] * x, self.triangle[diagonal(j)] * x * x

    def margin(self, total: float, spread: float) -> float:
        """vᵀ(A + x xᵀ)⁻¹x = vᵀA⁻¹x / (1 + xᵀA⁻¹x)."""
        return total / (1.0 + spread)

    def move(self, j: int, x: float, step: tuple[float, float, float]) -> None:
        """v_j ← v_j + y x_j."""
        self.weights[j] += step[1] * x

    def drift(self, i: int, reach: float, step: tuple[float, float, float]) -> None:
        """(A⁻¹v)_i ← (A⁻¹v)_i + α (A⁻¹x)_i."""
        self.mean[i] += step[0] * reach


def full_gaussian(width: int, dtype: DTypeLike, rule: Any) -> FullGaussian:
    """Return the state μ = 0, Σ = I."""
    return FullGaussian(np.zeros(width, dtype), *identity_covariance(width, rule))


def full_perceptron(width: int, dtype: DTypeLike, rule: Any) -> FullPerceptron:
    """Return the state v = 0, A = I."""
    return FullPerceptron(np.zeros(width, dtype), np.zeros(width), *identity_covariance(width, rule))


def covariance(state: FullGaussian | FullPerceptron) -> NDArray[np.float64]:
    """Return Σ, including pending changes."""
    waiting = state.pending[: state.learned[0] % PENDING]
    return whole(state.triangle, len(state.weights)) - np.einsum("ri,rj->ij", waiting, waiting)


def identity_covariance(
    width: int, rule: Any
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Return Σ = I without pending changes; ValueError if there is not enough memory."""
    wanted, free = 4.0 * width * (width + 1), free_bytes()
    if wanted > free:
        raise ValueError(
            f"a full matrix over {width:,} features takes {wanted / 1e9:,.1f} GB, but only {free / 1e9:,.1f} GB "
            f"of memory are free: use {type(rule).__name__} with full=False, which keeps only the diagonal"
        )
    return identity(width), np.zeros((PENDING, width)), np.zeros(1, np.int64)
