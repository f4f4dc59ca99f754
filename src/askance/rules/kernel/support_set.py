"""The support set: the rows that were learned from, compact, each with its coefficient.

A support set is a value. Adding a vector makes a new set, which shares the arrays of the old one and writes into
the room behind them; taking one out copies what stays. So whoever holds the old set can go back to it, and no
vector that is gone is kept.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray

from askance.jit.kernels.dual_sums import inner_product
from askance.rules.rows import AnyRows, DenseRows, SparseRows

LEAST_ROOM = 16


class Point(NamedTuple):
    """A row as kernels see it: where it is not zero and what it is there, x·x, and whether it came dense."""

    indices: NDArray[np.uint32]
    values: NDArray[Any]
    square: np.float64
    dense: bool


def point_of(rows: AnyRows, t: int) -> Point:
    """Row `t`, which is sound; dense or sparse, equal rows make equal points."""
    if isinstance(rows, SparseRows):
        part = slice(rows.starts[t], rows.starts[t + 1])
        values, indices = rows.values[part], rows.indices[part]
        places = values.nonzero()[0]
        indices = indices[places]
    else:
        values = rows.values[t]
        places = values.nonzero()[0]
        indices = places.astype(np.uint32)
    values = values[places]
    square = inner_product(values, values.astype(np.float64))
    return Point(indices, values, square, isinstance(rows, DenseRows))


class Support(NamedTuple):
    """Sparse rows x_s with their coefficients c_s, x_s·x_s and k(x_s, x_s), the oldest first."""

    starts: NDArray[np.uint64]
    indices: NDArray[np.uint32]
    values: NDArray[Any]
    coefficients: NDArray[Any]
    squares: NDArray[np.float64]
    norms: NDArray[np.float64]

    @property
    def size(self) -> int:
        """How many vectors there are."""
        return len(self.coefficients)

    def matrix(self, width: int) -> Any:
        """The vectors as a sparse matrix of their own."""
        parts = (self.values, self.indices.view(np.int32), self.starts.astype(np.int64))
        return sp.csr_array(parts, shape=(self.size, width), copy=True)

    def added(self, point: Point, coefficient: Any, norm: np.float64) -> "Support":
        """With one more vector, the last."""
        end = self.starts[-1:] + np.uint64(len(point.indices))
        return Support(
            appended(self.starts, end),
            appended(self.indices, point.indices),
            appended(self.values, point.values),
            appended(self.coefficients, coefficient),
            appended(self.squares, point.square),
            appended(self.norms, norm),
        )

    def without(self, number: int) -> "Support":
        """Without one vector."""
        lengths = np.diff(self.starts)
        gone = slice(int(self.starts[number]), int(self.starts[number + 1]))
        starts = np.zeros(self.size, np.uint64)
        np.cumsum(deleted(lengths, slice(number, number + 1)), out=starts[1:])
        one = slice(number, number + 1)
        return Support(
            starts,
            deleted(self.indices, gone),
            deleted(self.values, gone),
            deleted(self.coefficients, one),
            deleted(self.squares, one),
            deleted(self.norms, one),
        )

    def least(self) -> int:
        """The vector that matters least: of the smallest |c_s| √k(x_s, x_s), and the oldest of these.

        That is how far w = Σ c_s φ(x_s) moves when it goes, and a score p by at most that times √k(x, x).
        """
        return int(np.argmin(np.abs(self.coefficients) * np.sqrt(self.norms)))


def no_support(dtype: DTypeLike) -> Support:
    """The support set before the first label."""
    return Support(
        np.zeros(1, np.uint64),
        np.empty(0, np.uint32),
        np.empty(0, dtype),
        np.empty(0, dtype),
        np.empty(0),
        np.empty(0),
    )


def appended(array: NDArray[Any], tail: Any) -> NDArray[Any]:
    """`array` with `tail`, an array or a number, behind it; `array` itself, shorter, stays as it is.

    Arrays made here stand at the front of one with room to spare, so a set of n vectors is copied log n times.
    """
    count = len(array)
    wanted = count + (len(tail) if isinstance(tail, np.ndarray) else 1)
    if count == wanted:
        return array
    room = array.base if isinstance(array.base, np.ndarray) else array
    if len(room) < wanted:
        room = np.empty(max(wanted, 2 * count, LEAST_ROOM), array.dtype)
        room[:count] = array
    room[count:wanted] = tail
    return room[:wanted]


def deleted(array: NDArray[Any], gone: slice) -> NDArray[Any]:
    """A copy of `array` without some entries that follow each other."""
    return np.concatenate([array[: gone.start], array[gone.stop :]])
