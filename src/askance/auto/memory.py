"""Rows with room for more: what the models remember of labelled rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.auto.rows import Sparse
from askance.jit.kernels.descent import Rows


class Growing:
    """An array whose first dimension grows. `view` is the part in use."""

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self._room = np.zeros((max(16, shape[0]), *shape[1:]), dtype)
        self.count = shape[0]

    @property
    def view(self) -> NDArray[Any]:
        """The values so far."""
        return self._room[: self.count]

    def extend(self, values: NDArray[Any]) -> None:
        """Add values at the end."""
        count = self.count + len(values)
        if count > len(self._room):
            room = np.zeros((2 * count, *self._room.shape[1:]), self._room.dtype)
            room[: self.count] = self.view
            self._room = room
        self._room[self.count : count] = values
        self.count = count

    def drop(self, number: int) -> None:
        """Remove the first values."""
        rest = self.view[number:].copy()
        self._room[: len(rest)] = rest
        self.count = len(rest)


class RowMemory:
    """Rows as lists of entries."""

    def __init__(self) -> None:
        self._starts = Growing((1,), np.int64)
        self._indices = Growing((0,), np.int32)
        self._values = Growing((0,), np.float64)

    @property
    def rows(self) -> Rows:
        """The rows so far."""
        return Rows(self._starts.view, self._indices.view, self._values.view)

    def extend(self, rows: Rows) -> None:
        """Add rows at the end."""
        self._starts.extend(rows.starts[1:] + self._starts.view[-1])
        self._indices.extend(rows.indices)
        self._values.extend(rows.values)

    def drop(self, number: int) -> None:
        """Remove the first rows."""
        entries = int(self._starts.view[number])
        self._starts.drop(number)
        self._starts.view[:] -= entries
        self._indices.drop(entries)
        self._values.drop(entries)


class LabelledRows:
    """The labelled rows as they came, and the codes of their classes."""

    def __init__(self, width: int, *, sparse: bool) -> None:
        self._width = width
        self._dense = None if sparse else Growing((0, width), np.float64)
        self._sparse = RowMemory()
        self._codes = Growing((0,), np.int64)

    def __len__(self) -> int:
        return self._codes.count

    @property
    def codes(self) -> NDArray[np.int64]:
        """The codes of the classes."""
        return self._codes.view

    @property
    def rows(self) -> Any:
        """The rows, as an array or `Sparse`."""
        if self._dense is not None:
            return self._dense.view
        return Sparse(*self._sparse.rows, (len(self), self._width))

    def extend(self, X: Any, codes: NDArray[np.int64]) -> None:
        """Add rows."""
        if self._dense is not None:
            self._dense.extend(X)
        else:
            self._sparse.extend(Rows(X.indptr, X.indices, X.data))
        self._codes.extend(codes)

    def drop(self, number: int) -> None:
        """Remove the oldest rows."""
        (self._sparse if self._dense is None else self._dense).drop(number)
        self._codes.drop(number)
