"""Rows that are in memory as an array or a sparse matrix, as a stream."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from askance.data.files import reason, shown
from askance.data.labels import as_labels
from askance.data.stream import Chunk, Features
from askance.data.values import first_unfit, unfit
from askance.errors import DataError

Rows = slice | NDArray[np.int64]
"""Which rows to take, in which order."""


@dataclass(frozen=True, eq=False)
class ArrayStream:
    """Rows in memory; `order` is the order to give them in, None for their own."""

    name: str
    X: Features
    y: NDArray[Any] | None
    chunk_rows: int
    order: NDArray[np.int64] | None = None

    def __iter__(self) -> Iterator[Chunk]:
        rows = self.X.shape[0]
        for part, read in parts(rows, self.chunk_rows, self.order):
            X = self.X[part]
            y = None if self.y is None else self.y[part]
            yield Chunk(_with_short_indices(X) if sp.issparse(X) else X, y, read / rows)


def read_arrays(
    X: Any, y: Any, *, name: str, dtype: str, chunk_rows: int, shuffle: int | None = None
) -> ArrayStream:
    """An array, a sparse matrix or anything that NumPy takes for one; `y` None is a stream without labels."""
    features = _sparse(X, dtype, name) if sp.issparse(X) else _dense(X, dtype, name)
    rows = features.shape[0]
    labels = None if y is None else as_labels(y, rows, name)
    return ArrayStream(name, features, labels, chunk_rows, random_order(rows, shuffle))


def parts(rows: int, size: int, order: NDArray[np.int64] | None) -> Iterator[tuple[Rows, int]]:
    """What to take for each chunk, and how many rows have been given after it."""
    for start in range(0, rows, size):
        stop = min(start + size, rows)
        yield slice(start, stop) if order is None else order[start:stop], stop


def random_order(rows: int, random_state: int | None) -> NDArray[np.int64] | None:
    """A random order of rows, the same for the same random_state."""
    if random_state is None:
        return None
    if not isinstance(random_state, int | np.integer) or random_state < 0:
        raise DataError(
            f"shuffle={shown(random_state)}: give a random_state, a whole number from 0 on", parameter="shuffle"
        )
    return np.random.default_rng(random_state).permutation(rows)


def _dense(X: Any, dtype: str, name: str) -> NDArray[Any]:
    values = np.asarray(X)
    if values.dtype.kind not in "biuf":
        raise DataError(f"{name}: values of type {values.dtype}: give numbers")
    _check_shape(values.shape, name)
    if (bad := first_unfit(values, dtype)) is not None:
        row, column = divmod(bad, values.shape[1])
        raise _unfit_at(row, column, float(values[row, column]), dtype, name)
    return np.ascontiguousarray(values, dtype=dtype)


def _sparse(X: Any, dtype: str, name: str) -> sp.csr_array:
    _check_shape(X.shape, name)
    if X.dtype.kind not in "biuf":
        raise DataError(f"{name}: values of type {X.dtype}: give numbers")
    try:
        rows = sp.csr_array(X)
        rows.check_format(full_check=True)
    except ValueError as error:
        raise DataError(f"{name}: the sparse matrix is inconsistent ({reason(error)}): make it again") from error
    if (bad := first_unfit(rows.data, dtype)) is not None:
        row = int(np.searchsorted(rows.indptr, bad, side="right")) - 1
        raise _unfit_at(row, int(rows.indices[bad]), float(rows.data[bad]), dtype, name)
    if not rows.has_canonical_format:
        rows = rows.copy()  # the caller's matrix stays as it is
        rows.sum_duplicates()
    return _with_short_indices(rows.astype(dtype, copy=False))


def _with_short_indices(X: sp.csr_array) -> sp.csr_array:
    """The same rows with 32-bit indices, unless there are too many values, as there may be in the whole matrix."""
    if X.indices.dtype == X.indptr.dtype == np.int32 or X.nnz > np.iinfo(np.int32).max:
        return X
    return sp.csr_array((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)


def _check_shape(shape: tuple[int, ...], name: str) -> None:
    if len(shape) != 2:
        raise DataError(f"{name}: has {len(shape)} dimension(s): give two, rows and features")
    if 0 in shape:
        raise DataError(f"{name}: has {shape[0]} rows and {shape[1]} features: give at least one of each")
    if shape[1] > np.iinfo(np.int32).max:
        raise DataError(f"{name}: has {shape[1]} features: at most 2**31 - 1 can be addressed")


def _unfit_at(row: int, column: int, value: float, dtype: str, name: str) -> DataError:
    return DataError(f"{name}, row {row}, column {column} (from 0): {unfit(value, dtype)}")
