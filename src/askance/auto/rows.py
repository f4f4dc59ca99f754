"""Rows as they come: arrays, or sparse rows without the checks that SciPy makes at every slice."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray


class Sparse(NamedTuple):
    """A CSR matrix."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    data: NDArray[np.float64]
    shape: tuple[int, int]


def plain(X: Any) -> Any:
    """Return rows as an array or as `Sparse`."""
    if not sp.issparse(X):
        return X
    return Sparse(X.indptr.astype(np.int64), X.indices.astype(np.int32, copy=False), X.data, X.shape)


def part(X: Any, start: int, stop: int) -> Any:
    """Return the rows from `start` to `stop` - 1."""
    if not isinstance(X, Sparse):
        return X[start:stop]
    indptr = X.indptr[start : stop + 1]
    first, last = indptr[0], indptr[-1]
    return Sparse(indptr - first, X.indices[first:last], X.data[first:last], (len(indptr) - 1, X.shape[1]))
