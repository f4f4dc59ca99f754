"""A window of recent rows, and how a question depends on whether the current row is near to them.

The local density of a row is the number of rows in the window to which it is nearer than every row that these have
met: those that were in the window when they came, and those that came later. Where it is low, the question is
withheld.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance._util.parameters import COUNT, Boolean, Constraints, Interval
from askance.jit.interop import inlined
from askance.jit.kernels.neighbours import FAR, count_nearest
from askance.jit.select import maximum, where
from askance.rules.query.rule import with_eligible

# The memory has this much room per row, or less if rows have fewer features.
MOST_ENTRIES = 4096
TINY = 1e-300

CONSTRAINTS: Constraints = {
    "window": COUNT,
    "least": COUNT,
    "audit": Interval(0, 1, low_closed=True),
    "count_all": Boolean(),
}


class RecentRows(NamedTuple):
    """The rows in the window, one per slot, and a free slot for the next row.

    `arrivals` is the round in which the row came, and 0 if the slot is free. `nearest` is the squared distance to
    the nearest row that it has met. `recalls` counts the later rows that were nearer than all before them, and
    `recalled` is the round of the last.
    """

    indices: NDArray[np.int64]  # slots × entries
    values: NDArray[np.float64]
    sizes: NDArray[np.int64]
    nearest: NDArray[np.float64]
    arrivals: NDArray[np.int64]
    recalled: NDArray[np.int64]
    recalls: NDArray[np.int64]
    rounds: NDArray[np.int64]
    density: NDArray[np.int64]  # of the current row
    inner: Any

    def check(self) -> None:
        """Raise ValueError if the numbers cannot be a window: machine code trusts them."""
        if (self.sizes > self.indices.shape[1]).any():
            raise ValueError("the recent rows are not where they should be")


def no_rows(window: int, inner: Any) -> RecentRows:
    """Return a window without rows, with room for no features; `inner` is the memory of the inner rule."""
    slots = window + 1  # one is for the row that is being compared with the window
    sizes, arrivals, recalled, recalls = (np.zeros(slots, np.int64) for _ in range(4))
    rounds, density = np.zeros(1, np.int64), np.zeros(1, np.int64)
    values, nearest = np.zeros((slots, 0)), np.full(slots, FAR)
    rows = values.astype(np.int64), values, sizes, nearest
    return RecentRows(*rows, arrivals, recalled, recalls, rounds, density, inner)


def with_entries(memory: RecentRows, width: int) -> RecentRows:
    """Return the memory with room for rows of `width` features. It depends on the width alone."""
    slots, room = memory.indices.shape
    entries = min(width, MOST_ENTRIES)
    if entries <= room:
        return memory
    indices, values = np.zeros((slots, entries), np.int64), np.zeros((slots, entries))
    indices[:, :room], values[:, :room] = memory.indices, memory.values
    return memory._replace(indices=indices, values=values)


@inlined
def compare(memory: Any, rows: Any, t: int) -> Any:
    """Put row `t` into a free slot, set its density, and return the slot."""
    slot = np.argmin(memory.arrivals)
    memory.rounds[0] += 1
    size, room = 0, memory.indices.shape[1]
    for k in range(rows.size(t)):
        j, x = rows.entry(t, k)
        if x != 0 and size < room:  # dense and sparse rows are the same
            memory.indices[slot, size], memory.values[slot, size] = j, x
            size += 1
    memory.sizes[slot] = size
    memory.recalled[slot], memory.recalls[slot] = memory.rounds[0], 0
    indices, values, sizes, nearest, arrivals, recalled, recalls, rounds, density, _inner = memory
    density[0] = count_nearest(indices, values, sizes, nearest, arrivals, recalled, recalls, slot, rounds[0])
    return slot


@inlined
def is_full(memory: Any) -> bool:
    """Return whether only one slot is free."""
    return np.count_nonzero(memory.arrivals) == memory.arrivals.shape[0] - 1


@inlined
def oldest(memory: Any) -> int:
    """Return the slot of the row that came first."""
    found, first = 0, memory.rounds[0] + 1
    for slot in range(memory.arrivals.shape[0]):
        if 0 < memory.arrivals[slot] < first:
            found, first = slot, memory.arrivals[slot]
    return found


@inlined
def weakest(memory: Any) -> int:
    """Return the slot of the row with the weakest memory; of several, the one that came first.

    exp(-Δ/(1 + n)) is compared as a fraction, in whole numbers, because ties are common.
    """
    found, longest, parts, first = 0, -1, 1, 0
    for slot in range(memory.arrivals.shape[0]):
        came = memory.arrivals[slot]
        rounds, recalls = memory.rounds[0] - memory.recalled[slot], memory.recalls[slot] + 1
        here, there = rounds * parts, longest * recalls
        if came > 0 and (here > there or (here == there and came < first)):
            found, longest, parts, first = slot, rounds, recalls, came
    return found


@inlined
def let_through(memory: Any, seen: Any, coin: float, least: int, audit: float, count_all: bool) -> tuple[Any, ...]:
    """Return which share of such rows may be asked about, and what the inner rule sees: row and rest of the coin.

    The inner rule gets a coin of 1, with which it asks for nothing, if the row is not among them.
    """
    share = where(memory.density[0] >= least, 1.0, audit)
    passes = coin < share
    rest = where(passes, coin / maximum(share, TINY), 1.0)
    return share, with_eligible(seen, where(passes | count_all, 1.0, 0.0)), rest
