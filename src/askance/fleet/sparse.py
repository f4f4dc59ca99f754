"""Rows of a fleet: converted to sparse rows and checked."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from askance.data.mixed import MixedRows
from askance.engine import passes
from askance.learners.inputs import sound_rows
from askance.rules.rows import Row, SparseRows


def sparse_rows(X: Any, dtype: np.dtype[Any], width: int) -> SparseRows:
    """Convert an array, sparse matrix or data frame of at most `width` columns; ValueError if a row is invalid."""
    if isinstance(X, MixedRows):
        raise TypeError(
            "rows with a dense and a sparse part are for AutoLearner: use TableEncoder(output='matrix')"
        )
    matrix = X if sp.issparse(X) else sp.csr_array(_as_floats(X))
    matrix = matrix if matrix.format == "csr" else sp.csr_array(matrix)
    if matrix.dtype.kind not in "fiub":
        raise ValueError(f"X must hold real numbers, not {matrix.dtype}")
    if matrix.shape[1] > width:
        raise ValueError(
            f"X has {matrix.shape[1]} columns, but this fleet has room for {width}: create it with more bits"
        )
    rows = sound_rows(matrix, dtype, lambda found: (*_check(found, matrix.shape), found))
    assert isinstance(rows, SparseRows)
    return rows


def one_row(x: Any, width: int) -> Any:
    """Convert one row of features to a matrix, and a dictionary to a table."""
    if isinstance(x, Mapping):
        return [x]
    if isinstance(x, Row):
        return sp.csr_array((x.values, x.indices, [0, len(x.indices)]), shape=(1, width))
    return x if sp.issparse(x) else np.asarray(x).reshape(1, -1)


def _check(rows: Any, shape: tuple[int, int]) -> tuple[int, int]:
    arguments = (rows, *shape)
    with np.errstate(over="ignore", invalid="ignore"):
        kind, bad = passes.bind("check", arguments, exact=True)(*arguments)
    return int(kind), int(bad)


def _as_floats(X: Any) -> Any:
    array = np.asarray(X)
    if array.ndim != 2 or array.dtype.kind not in "fiub":
        hint = ": encode it with TableEncoder(output='matrix')" if array.dtype == object else ""
        raise ValueError(
            f"X must be a matrix of numbers, not {type(X).__name__} of shape {array.shape} and dtype {array.dtype}"
            f"{hint}"
        )
    return array
