"""Scales of a whole table, for models that need them: standardised numbers, and words by how rare they are."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import StandardScaler, normalize

from askance.data.mixed import MixedRows


class TableScales:
    """What has been seen of the rows of a table."""

    def __init__(self) -> None:
        self.rows = 0
        self.frequencies: Any = 0  # rows in which each hashed feature occurs
        self.scaler = StandardScaler()

    def add(self, rows: Any) -> None:
        """Learn from more rows."""
        dense, sparse = parts_of(rows)
        self.rows += rows.shape[0]
        if dense is not None:
            self.scaler.partial_fit(dense)
        if sparse is not None:
            self.frequencies = self.frequencies + np.bincount(sparse.indices, minlength=sparse.shape[1])

    def scaled(self, rows: Any) -> Any:
        """The same rows with scaled columns and weighted words; the words of a row have length 1."""
        dense, sparse = parts_of(rows)
        dense = None if dense is None else self.scaler.transform(dense)
        sparse = None if sparse is None else self._weighted(sparse)
        if dense is None or sparse is None:
            return sparse if dense is None else dense
        return MixedRows(dense, sparse)

    def _weighted(self, sparse: Any) -> Any:
        weights = 1 + np.log((1 + self.rows) / (1 + self.frequencies))
        values = (1 + np.log(sparse.data)) * weights[sparse.indices]
        return normalize(sp.csr_array((values, sparse.indices, sparse.indptr), shape=sparse.shape))


def parts_of(rows: Any) -> tuple[Any, Any]:
    """The dense and the sparse part of rows; None if there is no such part."""
    if isinstance(rows, MixedRows):
        return rows.dense, rows.sparse
    return (None, rows) if sp.issparse(rows) else (rows, None)
