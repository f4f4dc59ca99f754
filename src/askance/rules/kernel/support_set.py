"""The support set: the rows that were learned from, in sparse form, each with its coefficient.

A support set is immutable. Adding a vector returns a new set, which shares the arrays of the old one and writes to
spare capacity after their ends. Removing a vector copies the rest. The old set therefore stays valid, and removed
vectors do not stay in memory.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray

from askance.jit.kernels.dual_sums import inner_product
from askance.rules.rows import AnyRows, DenseRows, SparseRows

LEAST_ROOM = 16


class Point(NamedTuple):
    """A row for kernels: the indices and values of its non-zeros, x·x, and whether the row was given dense."""

    indices: NDArray[np.uint32]
    values: NDArray[Any]
    square: np.float64
    dense: bool


def point_of(rows: AnyRows, t: int) -> Point:
    """Return row `t`, which must be valid. Equal rows give equal points, whether dense or sparse."""
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
    """The sparse rows x_s with their coefficients c_s, x_s·x_s and k(x_s, x_s), oldest first."""

    starts: NDArray[np.uint64]
    indices: NDArray[np.uint32]
    values: NDArray[Any]
    coefficients: NDArray[Any]
    squares: NDArray[np.float64]
    norms: NDArray[np.float64]

    @property
    def size(self) -> int:
        """The number of vectors."""
        return len(self.coefficients)

    def matrix(self, width: int) -> Any:
        """Return a copy of the vectors as a sparse matrix."""
        parts = (self.values, self.indices.view(np.int32), self.starts.astype(np.int64))
        return sp.csr_array(parts, shape=(self.size, width), copy=True)

    def added(self, point: Point, coefficient: Any, norm: np.float64) -> "Support":
        """Return the set with one more vector at the end."""
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
        """Return the set without one vector."""
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
        """Return the number of the vector with the smallest |c_s| √k(x_s, x_s), the oldest of several.

        This is how far w = Σ c_s φ(x_s) moves if the vector is removed. A score changes by at most that times
        √k(x, x).
        """
        return int(np.argmin(np.abs(self.coefficients) * np.sqrt(self.norms)))


def no_support(dtype: DTypeLike) -> Support:
    """Return an empty support set."""
    return Support(
        np.zeros(1, np.uint64),
        np.empty(0, np.uint32),
        np.empty(0, dtype),
        np.empty(0, dtype),
        np.empty(0),
        np.empty(0),
    )


def appended(array: NDArray[Any], tail: Any) -> NDArray[Any]:
    """Return `array` followed by `tail`, an array or a number. `array` itself does not change.

    Arrays made here are views of larger buffers with spare capacity, so a set of n vectors is copied log n times.
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
    """Return a copy of `array` without a slice."""
    return np.concatenate([array[: gone.start], array[gone.stop :]])
