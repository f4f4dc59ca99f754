"""The two views of a pool: features that are there when predicting, and privileged ones that are not."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_array

AnyMatrix = Any  # an array or a CSR array of float64; SciPy has no types to say it with


def as_matrix(X: Any, name: str = "X") -> AnyMatrix:
    """An array or CSR array of finite floats; ValueError, in one sentence, for anything else."""
    checked = check_array(X, accept_sparse="csr", dtype=np.float64, input_name=name)
    return sp.csr_array(checked) if sp.issparse(checked) else checked


def as_privileged(given: Any, rows: int) -> tuple[AnyMatrix, NDArray[np.bool_]]:
    """Privileged features, with zeros where a row has none, and which rows have them.

    A row has none if all its numbers are NaN; some NaN and some not is a mistake. None means that no row has any.
    """
    if given is None:
        return np.zeros((rows, 0)), np.zeros(rows, bool)
    matrix = check_array(
        given, accept_sparse="csr", dtype=np.float64, ensure_all_finite="allow-nan", input_name="privileged"
    )
    if matrix.shape[0] != rows:
        raise ValueError(f"X has {rows} rows, but privileged has {matrix.shape[0]}: they must be as many")
    if sp.issparse(matrix):
        return as_matrix(matrix, "privileged"), np.ones(rows, bool)
    unknown = np.isnan(matrix)
    missing = unknown.all(axis=1)
    torn = unknown.any(axis=1) & ~missing
    if torn.any():
        raise ValueError(
            f"row {np.argmax(torn)} of privileged has NaN beside numbers: fill it in, or make the whole row NaN "
            "to say that it has no privileged features"
        )
    return np.where(missing[:, None], 0.0, matrix), ~missing
