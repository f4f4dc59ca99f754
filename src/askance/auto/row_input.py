"""Rows that users pass to learners whose core takes `Mixed` rows: arrays, sparse matrices, frames, or parts."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array, validate_data

from askance.auto.rows import are_ready, as_before, canonical, plain, ready_rows
from askance.data.mixed import MixedRows
from askance.errors import shown
from askance.jit.kernels.mixed import Mixed
from askance.learners.validation import in_one_line


def as_one_row(x: Any) -> Any:
    """A row as a matrix, not yet checked; ValueError if it is not one row."""
    if isinstance(x, MixedRows) or sp.issparse(x) or hasattr(x, "iloc"):  # a frame of pandas has names of columns
        if len(x.shape) == 2:
            if x.shape[0] != 1:
                raise ValueError(f"x must be one row of features, not {x.shape[0]:,} rows")
            return x
        x = x.to_numpy() if hasattr(x, "iloc") else x.toarray()
    X = np.asarray(x)
    if X.dtype.kind == "c":
        raise ValueError("Complex data not supported: x must hold real numbers")
    if X.ndim not in (1, 2) or (X.ndim == 2 and len(X) != 1):
        what = f"an array of shape {X.shape}" if X.ndim else shown(x)
        raise ValueError(f"x must be one row of features, not {what}")
    return X.astype(np.float64).reshape(1, -1)


def checked_rows(X: Any) -> Mixed:
    """Rows as compiled code takes them; ValueError unless they are finite numbers."""
    found = ready_rows(X, None)
    if found is not None:
        return found
    if isinstance(X, MixedRows):
        X.check()
        return plain(checked_parts(X))
    return plain(canonical(check_array(X, accept_sparse="csr", dtype=np.float64)))


def checked_parts(X: MixedRows) -> MixedRows:
    """Both parts as matrices of finite numbers."""
    dense, sparse = X
    if not are_ready(dense):
        dense = check_array(dense, dtype=np.float64, ensure_min_features=0)
    if not are_ready(sparse):
        sparse = canonical(check_array(sparse, accept_sparse="csr", dtype=np.float64, ensure_min_features=0))
    return MixedRows(dense, sparse)


class RowInput:
    """Adds checks of rows to an estimator. Its `_core` knows the `widths` of rows, or None before the first."""

    _core: Any
    n_features_in_: int

    def _one_row(self, x: Any) -> Mixed:
        return self._validated(as_one_row(x))

    def _validated(self, X: Any) -> Mixed:
        """`X` as rows of float64, with the right number of columns."""
        known = self._core.widths
        try:
            found = None if hasattr(self, "feature_names_in_") else ready_rows(X, known)
            if found is not None:
                self.n_features_in_ = X.shape[1]
                return found
            if isinstance(X, MixedRows):
                return plain(self._checked_parts(X))
            X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=known is None)
        except (ValueError, TypeError) as error:
            raise type(error)(in_one_line(str(error))) from None
        X = canonical(X)
        return plain(X if known is None else as_before(X, known))

    def _checked_parts(self, X: MixedRows) -> MixedRows:
        known = self._core.widths
        X.check()
        dense, sparse = checked_parts(X)
        found = dense.shape[1], sparse.shape[1]
        if known is not None and found != known:
            raise ValueError(
                f"X has {found[0]} dense and {found[1]} sparse features, but {type(self).__name__} is expecting "
                f"{known[0]} and {known[1]} features as input"
            )
        self.n_features_in_ = sum(found)
        return MixedRows(dense, sparse)
