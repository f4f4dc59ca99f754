"""The two views of a pool: features, and privileged features that are not available at prediction time."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array

from askance.typing import BoolArray

AnyMatrix = Any  # a NumPy array or a SciPy CSR array of float64; SciPy has no types for it


def as_matrix(X: Any, name: str = "X") -> AnyMatrix:
    """A NumPy array or CSR array of finite floats; raises ValueError for anything else."""
    checked = check_array(X, accept_sparse="csr", dtype=np.float64, input_name=name)
    return sp.csr_array(checked) if sp.issparse(checked) else checked


def one_below_other(first: AnyMatrix, second: AnyMatrix) -> AnyMatrix:
    """The rows of two matrices; sparse if one of them is."""
    if not first.shape[0]:
        return second
    if sp.issparse(first) or sp.issparse(second):
        return sp.csr_array(sp.vstack([sp.csr_array(first), sp.csr_array(second)]))
    return np.concatenate([first, second])


def as_privileged(given: Any, rows: int) -> tuple[AnyMatrix, BoolArray]:
    """Privileged features, with zeros for rows that have none, and a mask of the rows that have them.

    A row has none if all its values are NaN. A row with some NaN is an error. None means that no row has any.
    """
    if given is None:
        return np.zeros((rows, 0)), np.zeros(rows, bool)
    matrix = check_array(
        given, accept_sparse="csr", dtype=np.float64, ensure_all_finite="allow-nan", input_name="privileged"
    )
    if matrix.shape[0] != rows:
        raise ValueError(f"X has {rows} rows but privileged has {matrix.shape[0]}: lengths must match")
    if sp.issparse(matrix):
        return as_matrix(matrix, "privileged"), np.ones(rows, bool)
    unknown = np.isnan(matrix)
    missing = unknown.all(axis=1)
    partial = unknown.any(axis=1) & ~missing
    if partial.any():
        raise ValueError(
            f"row {np.argmax(partial)} of privileged has NaN and numbers: fill the NaN in, or set the whole row "
            "to NaN if it has no privileged features"
        )
    return np.where(missing[:, None], 0.0, matrix), ~missing
