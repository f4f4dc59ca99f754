"""How alike the rows of a pool are, by the RBF kernel, in bounded memory however large the pool is."""

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.sparsefuncs import mean_variance_axis

from askance.pool.ratio.solve import Matrix, Similarities
from askance.pool.selection import Array, Indices
from askance.pool.views import AnyMatrix

BLOCK_NUMBERS = 1 << 22  # 32 MB of float64
LARGEST_MATRIX = 2000


class RBF:
    """exp(−γ‖x − z‖²) between the rows of a pool, made anew each time that it is asked for: no matrix is kept."""

    def __init__(self, X: AnyMatrix, gamma: float) -> None:
        self.X = X
        self.gamma = gamma
        self.size = int(X.shape[0])
        # Differences of numbers far from 0 lose digits. Sparse rows would be sparse no more.
        self._middle: Array | float = 0.0 if sp.issparse(X) else X.mean(axis=0)

    def block(self, rows: Indices) -> Array:
        """The kernel among these rows."""
        kernel: Array = rbf_kernel(self._rows(rows), gamma=self.gamma)
        return kernel

    def weighted(self, rows: Indices, weights: Array) -> Array:
        """The sums of the kernel with these rows, each times its weight, for all rows of the pool."""
        sums = np.empty(self.size)
        others = self._rows(rows)
        for part in parts(self.size, max(len(rows), self.X.shape[1] if not sp.issparse(self.X) else 1)):
            sums[part] = rbf_kernel(self._rows(part), others, gamma=self.gamma) @ weights
        return sums

    def _rows(self, rows: Indices | slice) -> AnyMatrix:
        return self.X[rows] if sp.issparse(self.X) else self.X[rows] - self._middle


def similarities(X: AnyMatrix, gamma: float) -> Similarities:
    """The kernel of some rows: as a matrix if that is small, else made when it is needed."""
    kernel = RBF(X, gamma)
    return Matrix(kernel.block(np.arange(kernel.size))) if kernel.size <= LARGEST_MATRIX else kernel


def gamma_of(X: AnyMatrix) -> float:
    """1 / the sum of the features' variances, so that the kernel of two usual rows is about e⁻².

    That is scikit-learn's "scale" for features with mean 0, and unlike it does not change when one is shifted.
    1 if all rows are equal.
    """
    if sp.issparse(X):
        variance = float(mean_variance_axis(X, axis=0)[1].sum())
    else:
        middle = X.mean(axis=0)
        squares = (np.square(X[part] - middle).sum() for part in parts(X.shape[0], X.shape[1]))
        variance = float(sum(squares)) / X.shape[0]
    return 1 / variance if variance > 0 and np.isfinite(1 / variance) else 1.0


def parts(rows: int, width: int) -> Iterator[slice]:
    """Consecutive rows, so many at a time that a block of them with this width has a bounded size."""
    step = max(1, BLOCK_NUMBERS // max(width, 1))
    return (slice(first, min(first + step, rows)) for first in range(0, rows, step))
