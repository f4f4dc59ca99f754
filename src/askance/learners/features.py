"""What rows become before the rules see them: columns or terms on running scales, and an intercept beside them."""

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from askance.learners.scaling import SCALINGS, Scaling
from askance.rules.rows import AnyRows, DenseRows, SparseRows

Found = TypeVar("Found")

CONSTANT = np.zeros(1, np.uint32)  # the number of the constant feature


class Features:
    """The features of rows.

    The intercept is the weight of a constant feature, which has number 0, so that rows can become wider.
    """

    def __init__(self, intercept: float, scaling: str | None, dtype: np.dtype[np.floating]) -> None:
        self.intercept = float(intercept)
        self.scaling: Scaling | None = None if scaling is None else SCALINGS[scaling]()
        self.dtype = dtype
        # The scales of large numbers that differ little, such as dates, need double precision.
        self.raw_dtype = dtype if scaling is None else np.dtype(np.float64)
        self.extra = 1 if self.intercept else 0

    def apply(self, rows: AnyRows, width: int, work: Callable[[AnyRows, int], Found], *, observe: bool) -> Found:
        """Return the result of `work` for the features of sound rows. If it fails, nothing was observed."""
        if self.scaling is None:
            return work(self._with_intercept(rows), width + self.extra)
        before = self.scaling.arrays
        scaled = self.scaling.scaled(rows, width, observe=observe)
        try:
            return work(self._with_intercept(scaled), width + self.extra)
        except BaseException:
            if observe:
                self.scaling.undo(rows, before)
            raise

    def is_new(self, n_labels: int) -> bool:
        """Whether the row of a label has not been observed yet, as far as the counts tell.

        Rows that `ask` saw were observed then, so a label adds its row only if all rows so far had labels.
        """
        return self.scaling is not None and self.scaling.rows <= n_labels

    def make_room(self, width: int) -> None:
        """Make room for `width` columns."""
        if self.scaling is not None:
            self.scaling.make_room(width)

    def check(self) -> None:
        """Raise ValueError if no rows can lead to what was observed."""
        if self.scaling is not None:
            self.scaling.check()

    def learned(self) -> dict[str, NDArray[np.generic]]:
        """Return the arrays that a model file stores, by path."""
        arrays = {} if self.scaling is None else self.scaling.arrays
        return {f"scaling/{name}": array for name, array in arrays.items()}

    def _with_intercept(self, rows: AnyRows) -> AnyRows:
        if isinstance(rows, DenseRows):
            if not self.extra:
                return DenseRows(rows.values.astype(self.dtype, copy=False))
            values = np.empty((rows.values.shape[0], rows.values.shape[1] + 1), self.dtype)
            values[:, 0], values[:, 1:] = self.intercept, rows.values
            return DenseRows(values)
        values = rows.values.astype(self.dtype, copy=False)
        if not self.extra:
            return SparseRows(rows.starts, rows.indices, values)
        starts: NDArray[np.uint64] = np.add(rows.starts, np.arange(len(rows.starts), dtype=np.uint64))
        if len(starts) == 2:  # `insert` would take longer than asking
            indices = np.concatenate([CONSTANT, rows.indices + np.uint32(1)])
            return SparseRows(starts, indices, np.concatenate([np.full(1, self.intercept, self.dtype), values]))
        heads = rows.starts[:-1].astype(np.int64)
        return SparseRows(
            starts,
            np.insert(rows.indices + np.uint32(1), heads, np.uint32(0)),
            np.insert(values, heads, self.intercept),
        )
