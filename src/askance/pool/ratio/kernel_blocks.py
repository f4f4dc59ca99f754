"""RBF kernel between the rows of a pool, computed in blocks so that memory stays bounded."""

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.sparsefuncs import mean_variance_axis

from askance.pool.ratio.problem import KernelMatrix, Similarities
from askance.pool.selection import Indices
from askance.pool.views import AnyMatrix
from askance.typing import FloatArray

BLOCK_NUMBERS = 1 << 22  # 32 MB of float64
LARGEST_MATRIX = 2000


class RBFBlocks:
    """exp(−γ‖x − z‖²) between the rows of a pool, computed on demand and never stored."""

    def __init__(self, X: AnyMatrix, gamma: float) -> None:
        self.X = X
        self.gamma = gamma
        self.size = int(X.shape[0])
        # Centring avoids the loss of digits far from 0. Sparse rows would become dense.
        self._middle: FloatArray | float = 0.0 if sp.issparse(X) else X.mean(axis=0)

    def block(self, rows: Indices) -> FloatArray:
        """The kernel between these rows."""
        kernel: FloatArray = rbf_kernel(self._rows(rows), gamma=self.gamma)
        return kernel

    def weighted(self, rows: Indices, weights: FloatArray) -> FloatArray:
        """For every row of the pool, the weighted sum of its kernel values with these rows."""
        sums = np.empty(self.size)
        others = self._rows(rows)
        for part in parts(self.size, max(len(rows), self.X.shape[1] if not sp.issparse(self.X) else 1)):
            sums[part] = rbf_kernel(self._rows(part), others, gamma=self.gamma) @ weights
        return sums

    def _rows(self, rows: Indices | slice) -> AnyMatrix:
        return self.X[rows] if sp.issparse(self.X) else self.X[rows] - self._middle


def similarities(X: AnyMatrix, gamma: float) -> Similarities:
    """The kernel between rows: a matrix if it is small, otherwise computed on demand."""
    kernel = RBFBlocks(X, gamma)
    return KernelMatrix(kernel.block(np.arange(kernel.size))) if kernel.size <= LARGEST_MATRIX else kernel


def gamma_of(X: AnyMatrix) -> float:
    """1 / the sum of the variances of the features, so that the kernel of two typical rows is about e⁻².

    This is scikit-learn's "scale" for features with mean 0; unlike "scale", it does not change when a feature is
    shifted. It is 1 if all rows are equal.
    """
    if sp.issparse(X):
        variance = float(mean_variance_axis(X, axis=0)[1].sum())
    else:
        middle = X.mean(axis=0)
        squares = (np.square(X[part] - middle).sum() for part in parts(X.shape[0], X.shape[1]))
        variance = float(sum(squares)) / X.shape[0]
    return 1 / variance if variance > 0 and np.isfinite(1 / variance) else 1.0


def parts(rows: int, width: int) -> Iterator[slice]:
    """Slices of consecutive rows, so that a block of this width has a bounded size."""
    step = max(1, BLOCK_NUMBERS // max(width, 1))
    return (slice(first, min(first + step, rows)) for first in range(0, rows, step))
