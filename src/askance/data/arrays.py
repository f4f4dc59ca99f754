"""Arrays and sparse matrices in memory as streams."""

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
from askance.typing import IntArray

RowSelection = slice | IntArray
"""The rows to take, in order."""


@dataclass(frozen=True, eq=False)
class ArrayStream:
    """Rows in memory. `order` is their order in the stream; None means the order in memory."""

    name: str
    X: Features
    y: NDArray[Any] | None
    chunk_rows: int
    order: IntArray | None = None

    def __iter__(self) -> Iterator[Chunk]:
        rows = self.X.shape[0]
        for part, read in parts(rows, self.chunk_rows, self.order):
            X = self.X[part]
            y = None if self.y is None else self.y[part]
            ids = None if isinstance(part, slice) else part
            yield Chunk(_with_short_indices(X) if sp.issparse(X) else X, y, read / rows, ids)


def read_arrays(
    X: Any,
    y: Any,
    *,
    name: str,
    dtype: str,
    chunk_rows: int,
    shuffle: bool = False,
    random_state: int | None = None,
) -> ArrayStream:
    """A stream of an array or a sparse matrix. If `y` is None, it has no labels."""
    features = _sparse(X, dtype, name) if sp.issparse(X) else _dense(X, dtype, name)
    rows = features.shape[0]
    labels = None if y is None else as_labels(y, rows, name)
    return ArrayStream(name, features, labels, chunk_rows, row_order(rows, shuffle, random_state))


def parts(rows: int, size: int, order: IntArray | None) -> Iterator[tuple[RowSelection, int]]:
    """The rows of each chunk, and the number of rows up to its end."""
    for start in range(0, rows, size):
        stop = min(start + size, rows)
        yield slice(start, stop) if order is None else order[start:stop], stop


def row_order(rows: int, shuffle: bool, random_state: int | None) -> IntArray | None:
    """The order of rows in a stream: None for their own order, which is that without `shuffle`."""
    if not isinstance(shuffle, bool):
        raise DataError(f"shuffle={shown(shuffle)}: give True or False, and the seed as random_state")
    order = random_order(rows, random_state)
    if not shuffle:
        return None
    return np.random.default_rng().permutation(rows) if order is None else order


def random_order(rows: int, random_state: int | None) -> IntArray | None:
    """A random order of rows, the same for the same random_state; None without one."""
    if random_state is None:
        return None
    if not isinstance(random_state, int | np.integer) or random_state < 0:
        raise DataError(
            f"random_state={shown(random_state)}: give a whole number, 0 or more", parameter="random_state"
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
        raise DataError(f"{name}: the sparse matrix is inconsistent ({reason(error)}): build it again") from error
    if (bad := first_unfit(rows.data, dtype)) is not None:
        row = int(np.searchsorted(rows.indptr, bad, side="right")) - 1
        raise _unfit_at(row, int(rows.indices[bad]), float(rows.data[bad]), dtype, name)
    if not rows.has_canonical_format:
        rows = rows.copy()  # leave the matrix of the caller unchanged
        rows.sum_duplicates()
    return _with_short_indices(rows.astype(dtype, copy=False))


def _with_short_indices(X: sp.csr_array) -> sp.csr_array:
    """The same rows with 32-bit indices, unless there are too many values."""
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
