"""Rows of two parts: a dense one for numbers and small categories, and a sparse one for words."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from askance.errors import DataError
from askance.typing import IntArray


class MixedRows(NamedTuple):
    """Rows with a dense and a sparse part, as `askance.data.read_table` makes them of a table with texts.

    Beware that this is a tuple: `len` is the number of parts. The number of rows is `shape[0]`.

    Attributes
    ----------
    dense : ndarray of shape (n_rows, n_dense)
        Numbers, and categories with few levels.
    sparse : csr_array of shape (n_rows, n_sparse)
        Counts of words, and categories with many levels.

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> from askance.data import MixedRows
    >>> rows = MixedRows(np.ones((3, 2)), sp.csr_array((3, 1024)))
    >>> rows.shape
    (3, 1026)
    """

    dense: NDArray[np.float64]
    sparse: sp.csr_array

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows, and of columns of both parts together."""
        return self.dense.shape[0], self.dense.shape[1] + self.sparse.shape[1]

    def check(self) -> None:
        """Raise DataError unless both parts are matrices with the same number of rows."""
        for name, part in zip(self._fields, self, strict=True):
            if len(part.shape) != 2:
                raise DataError(f"the {name} part has {len(part.shape)} dimension(s): give two, rows and columns")
        if not sp.issparse(self.sparse) or sp.issparse(self.dense):
            raise DataError("MixedRows needs a dense and a sparse part, in this order")
        if self.dense.shape[0] != self.sparse.shape[0]:
            raise DataError(
                f"the dense part has {self.dense.shape[0]} rows, but the sparse part has {self.sparse.shape[0]}: "
                "give both parts of the same rows"
            )


def take_rows(X: Any, rows: slice | IntArray) -> Any:
    """Some rows of an array, a sparse matrix or `MixedRows`, in this order."""
    return MixedRows(X.dense[rows], X.sparse[rows]) if isinstance(X, MixedRows) else X[rows]


MIXED, MATRIX = "mixed", "matrix"  # what rows with both parts can be returned as


def as_matrix(X: Any) -> Any:
    """The same rows as one matrix; those of `MixedRows` become sparse, with the dense columns first."""
    return sp.csr_array(sp.hstack([sp.csr_array(X.dense), X.sparse])) if isinstance(X, MixedRows) else X


def joined_rows(parts: list[MixedRows]) -> MixedRows:
    """The rows of several parts, one after the other."""
    return MixedRows(
        np.concatenate([part.dense for part in parts]), sp.vstack([part.sparse for part in parts], format="csr")
    )
