"""Squared distances between rows, computed in blocks so that memory stays bounded."""

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from sklearn.utils.extmath import row_norms, safe_sparse_dot

from askance.pool.selection import Indices
from askance.pool.views import AnyMatrix
from askance.typing import BoolArray, FloatArray

BLOCK_NUMBERS = 1 << 22  # 32 MB of float64


class SquaredDistances:
    """‖x − z‖² between the rows of a matrix, computed on demand and never stored."""

    def __init__(self, X: AnyMatrix) -> None:
        # Centring avoids the loss of digits far from 0. Sparse rows would become dense.
        self.X = X if sp.issparse(X) else X - X.mean(axis=0)
        self.size = int(X.shape[0])
        self._norms: FloatArray = row_norms(self.X, squared=True)

    def to(self, row: int) -> FloatArray:
        """From every row to this one."""
        products = safe_sparse_dot(self.X, self.X[[row]].T, dense_output=True)[:, 0]
        found: FloatArray = self._norms + self._norms[row] - 2 * products
        return np.maximum(found, 0, out=found)

    def between(self, rows: Indices, others: Indices) -> FloatArray:
        """From each of these rows to each of the others."""
        products = safe_sparse_dot(self.X[rows], self.X[others].T, dense_output=True)
        found: FloatArray = self._norms[rows][:, None] + self._norms[others] - 2 * products
        return np.maximum(found, 0, out=found)

    def blocks(self, rows: Indices, others: Indices) -> Iterator[tuple[Indices, FloatArray]]:
        """The distances between these rows and others, some rows at a time."""
        step = max(1, BLOCK_NUMBERS // max(len(others), 1))
        for first in range(0, len(rows), step):
            part = rows[first : first + step]
            yield part, self.between(part, others)

    def nearest(self, rows: Indices, others: Indices) -> FloatArray:
        """From each of these rows to the nearest of the others; infinite if there are none."""
        found = np.full(len(rows), np.inf)
        if len(others):
            found[:] = np.concatenate([block.min(axis=1) for _, block in self.blocks(rows, others)])
        return found

    def close(self, rows: Indices, others: Indices, limit: float) -> BoolArray:
        """Whether each of these rows has one of the others within a squared distance."""
        return self.nearest(rows, others) <= limit

    def count_close(self, rows: Indices, others: Indices, limit: float) -> FloatArray:
        """For each of these rows, the number of others within a squared distance."""
        counts = np.zeros(len(rows))
        for _, block in self.blocks(others, rows):
            counts += (block <= limit).sum(axis=0)
        return counts
