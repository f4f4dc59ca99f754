"""Looking over rows before a pass: their squared norms, and whether a pass may trust them.

Nothing is learned from a call before all of its rows have passed. The squared norm does double duty: it is
finite if and only if every value of the row is.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.engine.seam import compiled, inlined


class Fault(NamedTuple):
    """The first row that cannot be used, and why."""

    kind: int
    row: int


# NaN and infinity are found by `not … < inf`: relaxed arithmetic may take x - x for 0, as isfinite is compiled.
SOUND, TORN, UNSORTED, TOO_WIDE, NOT_FINITE = range(5)


@inlined
def _sum_of_squares(values: Any, start: Any, stop: Any) -> Any:
    total = values.dtype.type(0)
    for k in range(start, stop):
        total += values[k] * values[k]
    return total


@inlined
def _strictly_increasing(indices: Any, start: Any, stop: Any) -> bool:
    falls = 0
    for k in range(start + np.uint64(1), stop):
        falls += indices[k] <= indices[k - np.uint64(1)]
    return falls == 0


def _check_sparse(starts: Any, indices: Any, values: Any, width: int, squared_norms: Any) -> tuple[int, int]:
    for t in range(squared_norms.shape[0]):
        start, stop = starts[t], starts[t + 1]
        if start > stop or stop > indices.shape[0]:
            return TORN, t
        if not _strictly_increasing(indices, start, stop):
            return UNSORTED, t
        if start < stop and indices[stop - np.uint64(1)] >= width:
            return TOO_WIDE, t
        squared_norms[t] = _sum_of_squares(values, start, stop)
        if not squared_norms[t] < np.inf:
            return NOT_FINITE, t
    return SOUND, 0


def _check_dense(values: Any, squared_norms: Any) -> tuple[int, int]:
    for t in range(squared_norms.shape[0]):
        squared_norms[t] = _sum_of_squares(values[t], 0, values.shape[1])
        if not squared_norms[t] < np.inf:
            return NOT_FINITE, t
    return SOUND, 0


_sparse = {exact: compiled(_check_sparse, exact=exact) for exact in (True, False)}
_dense = {exact: compiled(_check_dense, exact=exact) for exact in (True, False)}


def check_sparse(
    starts: NDArray[np.uint64],
    indices: NDArray[np.uint32],
    values: NDArray[Any],
    width: int,
    squared_norms: NDArray[Any],
) -> Fault:
    """Fill in the squared norms of sparse rows and say what is wrong with the first bad one."""
    with np.errstate(over="ignore", invalid="ignore"):
        return Fault(*_sparse[values.dtype == np.float64](starts, indices, values, width, squared_norms))


def check_dense(values: NDArray[Any], squared_norms: NDArray[Any]) -> Fault:
    """The same for dense rows."""
    with np.errstate(over="ignore", invalid="ignore"):
        return Fault(*_dense[values.dtype == np.float64](values, squared_norms))
