"""Rows as they come: arrays, sparse matrices, or both side by side."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from askance.data.mixed import MixedRows
from askance.jit.kernels.mixed import Mixed
from askance.learners.inputs import sorted_csr


def are_ready(X: Any) -> bool:
    """Whether rows are finite numbers in a form that compiled code takes, so that nothing need be converted.

    The checks of scikit-learn take longer than a decision about one row, and load pandas if it is installed.
    """
    if X.__class__ is not np.ndarray and not (sp.issparse(X) and X.format == "csr"):
        return False
    values = X.data if sp.issparse(X) else X
    fits = X.ndim == 2 and X.shape[0] > 0 and X.dtype == np.float64 and bool(np.isfinite(values).all())
    return fits and (values is X or _is_canonical(X))


def canonical(X: Any) -> Any:
    """Return an array, or a CSR matrix with the columns of each row in order; ValueError if one is out of range.

    SciPy trusts the parts of a matrix, and so does compiled code, which would write beyond its own arrays.
    """
    return sorted_csr(X) if sp.issparse(X) and not _is_canonical(X) else X


def _is_canonical(X: Any) -> bool:
    """Whether the columns of each row of a CSR matrix increase, and are columns of it."""
    indices, starts = X.indices, X.indptr
    count = len(indices)
    if starts[0] != 0 or starts[-1] != count or len(starts) != X.shape[0] + 1 or len(X.data) != count:
        return False
    if not count:
        return True
    if indices.min() < 0 or indices.max() >= X.shape[1]:
        return False
    rises = indices[1:] > indices[:-1]
    if X.shape[0] > 1:
        if (starts[1:] < starts[:-1]).any():
            return False
        first = starts[1:-1]
        rises[first[(first > 0) & (first < count)] - 1] = True  # from one row to the next
    return bool(rises.all())


def ready_rows(X: Any, widths: tuple[int, int] | None) -> Mixed | None:
    """Return rows as compiled code takes them; None if they need a conversion or do not have these widths.

    `widths` are the numbers of dense and sparse columns of the rows before, or None if there were none.
    """
    if isinstance(X, MixedRows):
        X.check()
        fits = are_ready(X.dense) and are_ready(X.sparse)
        return plain(X) if fits and widths in (None, (X.dense.shape[1], X.sparse.shape[1])) else None
    if not are_ready(X) or not X.shape[1]:
        return None
    if widths is None:
        return plain(X)
    return plain(as_before(X, widths)) if X.shape[1] == sum(widths) else None


def plain(X: Any) -> Mixed:
    """Return rows of checked numbers as compiled code takes them."""
    if isinstance(X, MixedRows):
        return mixed(X.dense, X.sparse)
    if sp.issparse(X):
        return mixed(np.empty((X.shape[0], 0)), X)
    # As of an empty sparse matrix. Making one takes as long as deciding about a row.
    return Mixed(np.ascontiguousarray(X), np.zeros(len(X) + 1, np.int64), np.empty(0, np.int32), np.empty(0), 0, 0)


def mixed(dense: Any, sparse: Any) -> Mixed:
    """Return rows with a dense and a sparse part as compiled code takes them."""
    starts, indices = sparse.indptr.astype(np.int64), sparse.indices.astype(np.int32, copy=False)
    longest = int(np.diff(starts).max(initial=0))
    return Mixed(np.ascontiguousarray(dense), starts, indices, sparse.data, sparse.shape[1], longest)


def as_before(X: Any, widths: tuple[int, int]) -> Any:
    """Return checked rows as those before them: with this many dense and sparse columns.

    If rows had both, the first columns of a matrix are the dense ones, as in `as_matrix`.
    """
    if all(widths):
        dense, sparse = X[:, : widths[0]], sp.csr_array(X[:, widths[0] :])
        return MixedRows(dense.toarray() if sp.issparse(dense) else dense, sparse)
    if sp.issparse(X) and not widths[1]:
        return X.toarray()
    return X if sp.issparse(X) or not widths[1] else sp.csr_array(X)


def part(X: Mixed, start: int, stop: int) -> Mixed:
    """Return the rows from `start` to `stop` - 1."""
    starts = X.starts[start : stop + 1]
    first, last = starts[0], starts[-1]
    return X._replace(
        dense=X.dense[start:stop],
        starts=starts - first,
        indices=X.indices[first:last],
        values=X.values[first:last],
    )
