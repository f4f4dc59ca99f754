"""Rows that users pass to learners whose core takes `Mixed` rows: arrays, sparse matrices, frames, or parts."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, validate_data

from askance.auto.rows import are_ready, as_before, plain, ready_rows
from askance.data.mixed import MixedRows
from askance.jit.kernels.mixed import Mixed
from askance.learners.validation import in_one_line


class RowInput:
    """Adds checks of rows to an estimator. Its `_core` knows the `widths` of rows, or None before the first."""

    _core: Any
    n_features_in_: int

    def _one_row(self, x: Any) -> Mixed:
        if not hasattr(x, "tocsr") and not isinstance(x, MixedRows):
            x = np.asarray(x, np.float64).reshape(1, -1)
        return self._validated(x)

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
        return plain(X if known is None else as_before(X, known))

    def _checked_parts(self, X: MixedRows) -> MixedRows:
        known = self._core.widths
        X.check()
        dense, sparse = X
        if not are_ready(dense):
            dense = check_array(dense, dtype=np.float64, ensure_min_features=0)
        if not are_ready(sparse):
            sparse = check_array(sparse, accept_sparse="csr", dtype=np.float64, ensure_min_features=0)
        found = dense.shape[1], sparse.shape[1]
        if known is not None and found != known:
            raise ValueError(
                f"X has {found[0]} dense and {found[1]} sparse features, but {type(self).__name__} is expecting "
                f"{known[0]} and {known[1]} features as input"
            )
        self.n_features_in_ = sum(found)
        return MixedRows(dense, sparse)
