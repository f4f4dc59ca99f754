"""The state and the form of rules that visit labelled rows again: weights, rows and their dual variables.

A passive-aggressive step is a step of dual coordinate descent for a support vector machine, along the dual
variable of the row. With the dual variables remembered, a row can be visited again: the step may then also shrink
what the row has contributed. The weights stay Σ α y x over all rows ever learned.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from askance.jit.interop import inlined
from askance.jit.select import sign
from askance.rules.state.form import with_defaults
from askance.rules.state.weights import Weights

# Positions in `LabelMemory.places`: the oldest row, the number of rows, the next free entry, the next to visit.
OLDEST, COUNT, FREE, CURSOR = range(4)
# Room for rows with up to this many entries on average.
ENTRIES_PER_ROW = 256


class LabelMemory(NamedTuple):
    """The last labelled rows, in the order in which they came. The oldest give way to new ones.

    The row in a slot has its entries at `starts[slot]` to `starts[slot] + sizes[slot] - 1`.
    """

    indices: NDArray[np.int64]
    values: NDArray[Any]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    labels: NDArray[np.int64]
    squared_norms: NDArray[np.float64]
    places: NDArray[np.int64]


class ReplayState(NamedTuple):
    """The weights w, the remembered rows with a dual variable α ≥ 0 each, and the rule that moves α."""

    weights: NDArray[Any]
    duals: NDArray[np.float64]
    memory: LabelMemory
    rule: Any
    visits: int

    def form(self) -> "Replayed":
        """Return the form."""
        return Replayed()

    def moved_to(self, wider: "ReplayState") -> "ReplayState":
        """Copy everything that was learned into a state with more room, and return that."""
        wider.weights[: len(self.weights)] = self.weights
        for old, new in zip((self.duals, *self.memory), (wider.duals, *wider.memory), strict=True):
            new[: len(old)] = old
        return wider

    def check(self) -> None:
        """Raise ValueError if the numbers cannot be a memory: machine code trusts them."""
        check_memory(self.memory, len(self.weights), 2)


@with_defaults
class Replayed(NamedTuple):
    """The form of a `ReplayState`. A label is learned when it is recorded, because its row must be remembered."""

    def look(self, state: Any, rows: Any, t: int, width: int, at_zero: float) -> tuple[Any, ...]:
        """Return w·x."""
        score, spread, squared_norm, sound = rows.sweep(t, Weights(state.weights), width)
        return score, spread, squared_norm, sign(score, at_zero), sound

    def learn(self, state: Any, rows: Any, t: int, step: Any) -> None:
        """Do nothing: `record_label` learns."""

    def record_label(self, state: Any, rows: Any, t: int, label: float) -> None:
        """Remember the row, visit it, and visit some of the others again. A row of zeros teaches nothing."""
        size = occupied(rows, t)
        if size == 0:
            return
        slot = remember(state.memory, rows, t, size, np.int64(label > 0))
        state.duals[slot] = 0.0
        visit(state, slot)
        places = state.memory.places
        for _ in range(min(state.visits, places[COUNT] - 1)):
            visit(state, next_slot(state.memory))


def check_memory(memory: LabelMemory, width: int, labels: int) -> None:
    """Raise ValueError if the numbers cannot be a memory of rows with `width` features and `labels` labels."""
    places, entries, capacity = memory.places, len(memory.indices), len(memory.starts)
    beyond = (memory.starts > entries - memory.sizes) | (memory.sizes > entries) | (memory.labels >= labels)
    numbers = [places[OLDEST], places[CURSOR]]
    wrong = beyond.any() or (memory.indices >= max(1, width)).any() or max(numbers) >= capacity
    if wrong or places[COUNT] > capacity or places[FREE] > entries:
        raise ValueError("the remembered rows are not where they should be")


@inlined
def remember(memory: Any, rows: Any, t: int, size: int, label: Any) -> int:
    """Copy row `t`, of which `size` entries are not 0, and its label into the memory. Return its slot."""
    places = memory.places
    capacity, room = memory.starts.shape[0], memory.indices.shape[0]
    start = places[FREE]
    if start + size > room:  # a row is never torn: the entries up to the end stay unused
        while places[COUNT] > 0 and memory.starts[places[OLDEST]] >= start:
            forget_oldest(memory)
        start = 0
    while places[COUNT] == capacity or (places[COUNT] > 0 and overlaps(memory, start, size)):
        forget_oldest(memory)
    slot = (places[OLDEST] + places[COUNT]) % capacity
    free, squared_norm = start, 0.0
    for k in range(rows.size(t)):
        j, x = rows.entry(t, k)
        if x != 0:
            memory.indices[free], memory.values[free] = j, x
            squared_norm += np.float64(x) * np.float64(x)
            free += 1
    memory.starts[slot], memory.sizes[slot] = start, size
    memory.labels[slot], memory.squared_norms[slot] = label, squared_norm
    places[COUNT] += 1
    places[FREE] = free
    return slot


@inlined
def occupied(rows: Any, t: int) -> int:
    """Return how many entries of row `t` are not 0. Only these are kept, so dense and sparse rows are the same."""
    count = 0
    for k in range(rows.size(t)):
        count += rows.entry(t, k)[1] != 0
    return count


@inlined
def forget_oldest(memory: Any) -> None:
    """Let go of the oldest row. What the weights have learned from it stays."""
    memory.places[OLDEST] = (memory.places[OLDEST] + 1) % memory.starts.shape[0]
    memory.places[COUNT] -= 1


@inlined
def overlaps(memory: Any, start: int, size: int) -> bool:
    """Return whether `size` entries from `start` on would overwrite the oldest row, which they reach first."""
    oldest = memory.places[OLDEST]
    first = memory.starts[oldest]
    return (start < first + memory.sizes[oldest]) & (first < start + size)


@inlined
def next_slot(memory: Any) -> int:
    """Return the slot to visit next: all rows but the newest, in turn."""
    places, capacity = memory.places, memory.starts.shape[0]
    offset = (places[CURSOR] - places[OLDEST]) % capacity
    if offset >= places[COUNT] - 1:
        offset = 0
    slot = (places[OLDEST] + offset) % capacity
    places[CURSOR] = (slot + 1) % capacity
    return slot


@inlined
def visit(state: Any, slot: int) -> None:
    """Move the dual variable of a row to where the rule wants it, and the weights with it."""
    memory, weights = state.memory, state.weights
    start, stop = memory.starts[slot], memory.starts[slot] + memory.sizes[slot]
    side = 2.0 * memory.labels[slot] - 1.0
    score = 0.0
    for k in range(start, stop):
        score += np.float64(weights[memory.indices[k]]) * np.float64(memory.values[k])
    before = state.duals[slot]
    after = state.rule.dual_after(side * score, before, memory.squared_norms[slot])
    if after != before:
        state.duals[slot] = after
        step = weights.dtype.type(side * (after - before))
        for k in range(start, stop):
            weights[memory.indices[k]] += step * memory.values[k]


def empty_memory(capacity: int, width: int, dtype: DTypeLike) -> LabelMemory:
    """Return a memory for `capacity` rows of `width` features. Long sparse rows may take the room of several."""
    # Room for one row more than there will be: the entries up to the end may stay unused.
    entries = max(width, (capacity + 1) * min(width, ENTRIES_PER_ROW))
    return LabelMemory(
        np.zeros(entries, np.int64),
        np.zeros(entries, dtype),
        np.zeros(capacity, np.int64),
        np.zeros(capacity, np.int64),
        np.zeros(capacity, np.int64),
        np.zeros(capacity),
        np.zeros(4, np.int64),
    )
