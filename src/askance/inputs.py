"""From what users have — arrays, sparse matrices, data frames, one row — to rows that a pass may trust."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from askance.engine import checks
from askance.rows import DenseRows, Row, Rows, SparseRows

LARGEST_COLUMN = np.iinfo(np.int32).max


def is_plain(X: Any) -> bool:
    """Whether `X` is an array or a CSR matrix of floats, which need no conversion library."""
    if isinstance(X, np.ndarray):
        return X.ndim == 2 and X.dtype.kind == "f" and 0 not in X.shape
    return sp.issparse(X) and X.format == "csr" and X.ndim == 2 and X.dtype.kind == "f" and 0 not in X.shape


def as_rows(X: Any, dtype: np.dtype[Any]) -> SparseRows | DenseRows:
    """The rows of a validated array or CSR matrix; ValueError if a value is not finite."""
    if sp.issparse(X):
        return _sparse_rows(X, dtype)
    values = np.ascontiguousarray(X, dtype)
    squared_norms = np.empty(len(values), dtype)
    fault = checks.check_dense(values, squared_norms)
    if fault.kind != checks.SOUND:
        raise ValueError(_sentence(fault, values[fault.row], dtype))
    return DenseRows(values, squared_norms)


def _sparse_rows(X: Any, dtype: np.dtype[Any]) -> SparseRows:
    rows, fault = _looked_over(X, dtype)
    if fault.kind == checks.UNSORTED:
        X = X.copy()
        X.sum_duplicates()
        rows, fault = _looked_over(X, dtype)
    if fault.kind != checks.SOUND:
        start, stop = X.indptr[fault.row], X.indptr[fault.row + 1]
        raise ValueError(_sentence(fault, X.data[start:stop], dtype))
    return rows


def _looked_over(X: Any, dtype: np.dtype[Any]) -> tuple[SparseRows, checks.Fault]:
    count, width = X.shape
    if width > LARGEST_COLUMN:
        raise ValueError(f"X has {width} columns; {LARGEST_COLUMN} are the most, so hash the features")
    indices = X.indices if X.indices.dtype == np.int32 else X.indices.astype(np.int32)
    rows = SparseRows(
        X.indptr.astype(np.uint64),
        np.ascontiguousarray(indices).view(np.uint32),
        np.ascontiguousarray(X.data, dtype),
        np.empty(count, dtype),
    )
    return rows, checks.check_sparse(rows.starts, rows.indices, rows.values, width, rows.squared_norms)


def one_row(x: Any, dtype: np.dtype[Any], width: int | None) -> tuple[Rows, int]:
    """A single row for `ask` or `tell`, and its width; ValueError if it does not fit."""
    if isinstance(x, Row):
        return _one_sparse(x, dtype, width)
    if sp.issparse(x):
        x = sp.csr_array(x.reshape(1, -1))
        rows: Rows = as_rows(x, dtype)
        found = x.shape[1]
    else:
        values = np.asarray(x, dtype).reshape(1, -1)
        rows, found = as_rows(values, dtype), values.shape[1]
    if width is not None and found != width:
        raise ValueError(f"x has {found} features, but this learner has {width}")
    return rows, found


def _one_sparse(x: Row, dtype: np.dtype[Any], width: int | None) -> tuple[SparseRows, int]:
    indices = np.ascontiguousarray(x.indices, np.int32)
    values = np.ascontiguousarray(x.values, dtype)
    if indices.ndim != 1 or indices.shape != values.shape:
        raise ValueError(f"a row has as many indices as values, not {indices.shape} and {values.shape}")
    if width is None:
        width = int(indices[-1]) + 1 if len(indices) else 0
    rows = SparseRows(np.array([0, len(indices)], np.uint64), indices.view(np.uint32), values, np.empty(1, dtype))
    fault = checks.check_sparse(rows.starts, rows.indices, values, width, rows.squared_norms)
    if fault.kind != checks.SOUND:
        raise ValueError(_sentence(fault, values, dtype))
    return rows, width


def _sentence(fault: checks.Fault, values: NDArray[Any], dtype: np.dtype[Any]) -> str:
    if fault.kind == checks.TORN:
        return f"X is not a valid CSR matrix: its index pointer is wrong at row {fault.row}"
    if fault.kind == checks.TOO_WIDE:
        return f"row {fault.row} of X has a feature beyond the last column"
    if fault.kind == checks.UNSORTED:
        return f"row {fault.row} of X must have strictly increasing feature numbers"
    if np.isfinite(values).all():
        return f"row {fault.row} of X is too long for {dtype}: scale it down or use dtype='float64'"
    return f"Input X contains NaN or infinity, first in row {fault.row}: remove or replace such values"
