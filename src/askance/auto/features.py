"""Raw rows as the features of linear models, with scales that are learned from the rows seen so far.

Scales are frozen between refreshes, so that remembered rows and new ones are compared on the same scale.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.auto.rows import Sparse
from askance.jit.kernels.columns import observe
from askance.jit.kernels.descent import Rows

# A value further from the mean counts as this many standard deviations: one column must not decide alone.
FURTHEST = 4.0
# The intercept is a feature with this value, beside rows whose length is about 1.
DENSE_INTERCEPT, SPARSE_INTERCEPT = 0.5, 0.3


class Columns:
    """Numeric columns: standardized with running means and variances."""

    def __init__(self, width: int) -> None:
        self.rows = np.zeros(1, np.int64)
        self.means, self.squares = np.zeros(width), np.zeros(width)
        self.centres, self.scales = np.zeros(width), np.zeros(width)
        self._indices = np.empty(0, np.int32)

    @property
    def width(self) -> int:
        """The number of features, with the intercept."""
        return len(self.means) + 1

    def observe(self, X: NDArray[np.float64]) -> None:
        """Learn from rows without labels."""
        observe(X, self.rows, self.means, self.squares)

    def refresh(self) -> None:
        """Use what was observed so far."""
        deviations = np.sqrt(self.squares / max(1, self.rows[0]))
        varies = deviations > 1e-12 * np.maximum(1e-300, np.abs(self.means))
        self.centres = self.means.copy()
        self.scales = np.where(varies, 1.0, 0.0) / np.where(varies, deviations, 1.0)

    def rows_of(self, X: NDArray[np.float64]) -> Rows:
        """Return the features of rows."""
        count, columns = X.shape
        values = np.empty((count, columns + 1))
        scaled = np.clip((X - self.centres) * self.scales, -FURTHEST, FURTHEST)
        values[:, :columns] = scaled / math.sqrt(max(1, columns))
        values[:, columns] = DENSE_INTERCEPT
        if len(self._indices) < values.size:
            self._indices = np.tile(np.arange(columns + 1, dtype=np.int32), count)
        starts = np.arange(count + 1, dtype=np.int64) * (columns + 1)
        return Rows(starts, self._indices[: values.size], values.ravel())


class Terms:
    """Sparse rows such as texts: counts become 1 + log count, times log of how rare a term is, at length 1."""

    def __init__(self, width: int) -> None:
        self.rows = np.zeros(1, np.int64)
        self.frequencies = np.zeros(width, np.int64)
        self.are_counts = self.takes_logs = True
        self.weights = np.ones(width)

    @property
    def width(self) -> int:
        """The number of features, with the intercept."""
        return len(self.frequencies) + 1

    def observe(self, X: Sparse) -> None:
        """Learn from rows without labels."""
        self.rows += X.shape[0]
        np.add.at(self.frequencies, X.indices[X.data != 0], 1)
        self.are_counts = self.are_counts and bool(np.all((X.data >= 0) & (X.data == np.rint(X.data))))

    def refresh(self) -> None:
        """Use what was observed so far."""
        self.takes_logs = self.are_counts
        self.weights = np.log((1.0 + self.rows[0]) / (1.0 + self.frequencies)) + 1.0

    def rows_of(self, X: Sparse) -> Rows:
        """Return the features of rows."""
        count, columns = X.shape
        data = X.data
        if self.takes_logs:
            data = np.where(data > 0, 1.0 + np.log(np.maximum(data, 1e-300)), data)
        data = data * self.weights[X.indices]
        lengths = np.diff(X.indptr)
        owners = np.repeat(np.arange(count), lengths)
        norms = np.sqrt(np.bincount(owners, data * data, count))
        starts = np.concatenate([[0], np.cumsum(lengths + 1)]).astype(np.int64)
        indices, values = np.empty(starts[-1], np.int32), np.empty(starts[-1])
        last = starts[1:] - 1
        indices[last], values[last] = columns, SPARSE_INTERCEPT
        others = np.ones(starts[-1], bool)
        others[last] = False
        indices[others] = X.indices
        values[others] = data / np.where(norms > 0, norms, 1.0)[owners]
        return Rows(starts, indices, values)


def features_for(X: Any) -> Columns | Terms:
    """Return the features for rows like these."""
    return Terms(X.shape[1]) if isinstance(X, Sparse) else Columns(X.shape[1])
