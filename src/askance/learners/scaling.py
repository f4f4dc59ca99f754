"""Running scales: what is known about columns or terms from the rows so far, and rows on these scales.

A row is scaled by what was observed up to and including itself, so that chunks change nothing.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance._util.longer import longer
from askance.errors import DataError
from askance.jit.kernels.columns import standardize
from askance.jit.kernels.terms import discount, weigh
from askance.rules.rows import AnyRows, DenseRows, SparseRows

Arrays = dict[str, NDArray[Any]]


class Scaling:
    """Statistics of rows without labels. Subclasses list their arrays, one of which has a number per column."""

    arrays: Arrays

    @property
    def rows(self) -> int:
        """The number of rows observed."""
        return int(self.arrays["rows"][0])

    def scaled(self, rows: AnyRows, width: int, *, observe: bool) -> AnyRows:
        """Return sound rows on the current scale. With `observe`, learn from each of them before."""
        raise NotImplementedError

    def undo(self, rows: AnyRows, before: Arrays) -> None:
        """Undo the observation of `rows`, the last one, which began with the arrays `before`."""
        raise NotImplementedError

    def make_room(self, width: int) -> None:
        """Make room for `width` columns."""
        self.arrays = self._with_room(width)

    def _with_room(self, width: int) -> Arrays:
        """Return arrays with room for `width` columns. Earlier rows had 0 in new ones."""
        return {
            name: array if name == "rows" or len(array) >= width else longer(array, width)
            for name, array in self.arrays.items()
        }

    def check(self) -> None:
        """Raise ValueError if no rows can lead to these statistics."""
        raise NotImplementedError

    def __setstate__(self, kept: dict[str, Any]) -> None:
        # joblib sends large arrays as read-only memory, into which machine code must not write.
        arrays = {name: np.require(array, requirements=["W"]) for name, array in kept["arrays"].items()}
        self.__dict__.update(kept, arrays=arrays)


class Standard(Scaling):
    """Columns with mean 0 and variance 1, over the root of their number, so that rows have a length of about 1."""

    def __init__(self) -> None:
        self.arrays = {"rows": np.zeros(1, np.int64), "means": np.zeros(0), "squares": np.zeros(0)}

    def scaled(self, rows: AnyRows, width: int, *, observe: bool) -> AnyRows:
        """Return standardized rows."""
        if not isinstance(rows, DenseRows):
            raise DataError(
                "scaling='standard' is for dense rows, but these are sparse: choose scaling='tfidf' for counts, "
                "or make the rows dense",
                parameter="scaling",
            )
        arrays, values = self._with_room(width), np.empty_like(rows.values)
        if observe:
            arrays = {name: array.copy() for name, array in arrays.items()}
        with np.errstate(over="ignore"):
            standardize(rows.values, arrays["rows"], arrays["means"], arrays["squares"], observe, values)
        too_large = ~np.isfinite(arrays["squares"])
        if too_large.any():
            raise ValueError(f"column {np.argmax(too_large)} of X varies too much for float64: scale it down")
        if observe:
            self.arrays = arrays
        return DenseRows(values)

    def undo(self, rows: AnyRows, before: Arrays) -> None:  # noqa: ARG002
        """Return to the arrays before."""
        self.arrays = before

    def check(self) -> None:
        """Raise ValueError if sums of squares are negative."""
        if (self.arrays["squares"] < 0).any():
            raise ValueError("negative sums of squares")


class TfIdf(Scaling):
    """Counts as 1 + log count, times how rare the term is, at length 1."""

    def __init__(self) -> None:
        self.arrays = {"rows": np.zeros(1, np.int64), "frequencies": np.zeros(0, np.int64)}

    def scaled(self, rows: AnyRows, width: int, *, observe: bool) -> AnyRows:
        """Return weighted counts."""
        entries = sparse(rows)
        arrays, values = self._with_room(width), np.empty_like(entries.values)
        # In place, because a copy of all frequencies would cost more than a row. Counts can be undone exactly.
        weigh(entries, arrays["rows"], arrays["frequencies"], observe, values)
        if observe:
            self.arrays = arrays
        return SparseRows(entries.starts, entries.indices, values)

    def undo(self, rows: AnyRows, before: Arrays) -> None:
        """Take the rows out of the counts, and return to the arrays before, which may have been shorter."""
        discount(sparse(rows), self.arrays["rows"], self.arrays["frequencies"])
        self.arrays = before

    def check(self) -> None:
        """Raise ValueError if a term is in more rows than there were."""
        if (self.arrays["frequencies"] > self.rows).any():
            raise ValueError("terms in more rows than there were")


SCALINGS: dict[str, type[Scaling]] = {"standard": Standard, "tfidf": TfIdf}


def sparse(rows: AnyRows) -> SparseRows:
    """Return sparse rows as they are, and dense ones without their zeros."""
    if isinstance(rows, SparseRows):
        return rows
    filled = rows.values != 0
    starts = np.concatenate([[0], np.cumsum(np.count_nonzero(filled, axis=1))]).astype(np.uint64)
    return SparseRows(starts, np.nonzero(filled)[1].astype(np.uint32), rows.values[filled])
