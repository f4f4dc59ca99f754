"""From what users have — arrays, sparse matrices, one row — to rows that a pass may trust."""

import functools
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from askance.engine.machine import AnyRows
from askance.rows import NOT_FINITE, TOO_WIDE, TORN, UNSORTED, DenseRows, Row, SparseRows

INT32, UINT32 = np.dtype(np.int32), np.dtype(np.uint32)
LARGEST_COLUMN = np.iinfo(np.int32).max


def is_plain(X: Any) -> bool:
    """Whether `X` is an array or a CSR matrix of floats, which need no conversion library."""
    if isinstance(X, np.ndarray):
        return X.ndim == 2 and X.dtype.kind == "f" and 0 not in X.shape
    return sp.issparse(X) and X.format == "csr" and X.ndim == 2 and X.dtype.kind == "f" and 0 not in X.shape


def as_rows(X: Any, dtype: np.dtype[Any]) -> AnyRows:
    """The rows of an array or CSR matrix, not yet checked."""
    if not sp.issparse(X):
        return DenseRows(_contiguous(X, dtype), np.empty(X.shape[0], dtype))
    if X.shape[1] > LARGEST_COLUMN:
        raise ValueError(f"X has {X.shape[1]} columns; {LARGEST_COLUMN} are the most, so hash the features")
    indices = _contiguous(X.indices, INT32).view(UINT32)
    return SparseRows(X.indptr.astype(np.uint64), indices, _contiguous(X.data, dtype), np.empty(X.shape[0], dtype))


def sorted_rows(X: Any, dtype: np.dtype[Any]) -> AnyRows:
    """The same for a CSR matrix whose entries are out of order or doubled."""
    X = X.copy()
    X.sum_duplicates()
    return as_rows(X, dtype)


def one_row(x: Any, dtype: np.dtype[Any], width: int | None) -> tuple[AnyRows, int]:
    """A single row for `ask` or `tell`, not yet checked, and its width; ValueError if it does not fit."""
    if isinstance(x, Row):
        indices, values = _contiguous(x.indices, INT32), _contiguous(x.values, dtype)
        if indices.ndim != 1 or indices.shape != values.shape:
            raise ValueError(f"a row has as many indices as values, not {indices.shape} and {values.shape}")
        rows = SparseRows(_from_0_to(len(indices)), indices.view(UINT32), values, np.empty(1, dtype))
        return rows, width if width is not None else int(indices[-1]) + 1 if len(indices) else 0
    X = sp.csr_array(x.reshape(1, -1)) if sp.issparse(x) else np.asarray(x, dtype).reshape(1, -1)
    if width is not None and X.shape[1] != width:
        raise ValueError(f"x has {X.shape[1]} features, but this learner has {width}")
    return as_rows(X, dtype), X.shape[1]


@functools.cache
def _from_0_to(stop: int) -> NDArray[np.uint64]:
    return np.array([0, stop], np.uint64)


def _contiguous(array: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    if type(array) is np.ndarray and array.dtype is dtype and array.flags.carray:
        return array  # np.require would say the same, but `ask` would notice the time it takes
    with np.errstate(over="ignore"):  # `check` finds what has become infinite
        return np.require(array, dtype, ["C", "A"])


def sentence(kind: int, t: int, rows: AnyRows) -> str:
    """What is wrong with row `t`, and what to do."""
    if kind == TORN:
        return f"X is not a valid CSR matrix: its index pointer is wrong at row {t}"
    if kind == TOO_WIDE:
        return f"row {t} of X has a feature beyond the last column"
    if kind == UNSORTED:
        return f"row {t} of X must have strictly increasing feature numbers"
    assert kind == NOT_FINITE
    dtype = rows.values.dtype
    values = rows.values[rows.starts[t] : rows.starts[t + 1]] if isinstance(rows, SparseRows) else rows.values[t]
    if np.isfinite(values).all():
        return f"row {t} of X is too long for {dtype}: scale it down or use dtype='float64'"
    return f"Input X contains NaN, infinity or a value too large for {dtype}, first in row {t}: replace it"
