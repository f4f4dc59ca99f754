"""Rows as they come: arrays, sparse matrices, or both side by side."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from askance.data.mixed import MixedRows
from askance.jit.kernels.mixed import Mixed


def are_ready(X: Any) -> bool:
    """Whether rows are finite numbers in a form that compiled code takes, so that nothing need be converted.

    The checks of scikit-learn take longer than a decision about one row, and load pandas if it is installed.
    """
    if X.__class__ is not np.ndarray and not (sp.issparse(X) and X.format == "csr"):
        return False
    values = X.data if sp.issparse(X) else X
    return X.ndim == 2 and X.shape[0] > 0 and X.dtype == np.float64 and bool(np.isfinite(values).all())


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
    return mixed(X, sp.csr_array((len(X), 0)))


def mixed(dense: Any, sparse: Any) -> Mixed:
    """Return rows with a dense and a sparse part as compiled code takes them."""
    starts, indices = sparse.indptr.astype(np.int64), sparse.indices.astype(np.int32, copy=False)
    longest = int(np.diff(starts).max(initial=0))
    return Mixed(np.ascontiguousarray(dense), starts, indices, sparse.data, sparse.shape[1], longest)


def as_before(X: Any, widths: tuple[int, int]) -> Any:
    """Return checked rows as those before them: with this many dense and sparse columns."""
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
