"""An arena of hash tables: the features of all models of a fleet in one pair of arrays.

Each model has an open-addressing hash table of 2^log2_size slots, from feature to slot. The state keeps its
numbers in arrays over the slots of all tables, so an update rule sees the fleet as one state with very many
features. Slot 0 is shared: it holds the initial value of a feature and stands for every feature that a model has
not learned.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance._util.splitmix import GOLDEN
from askance.jit.interop import inlined

EMPTY = np.uint32(0xFFFFFFFF)
SMALLEST = 3  # a table has at least 2^3 slots
LARGEST = 32
RESERVED = 8  # slots before the first table; only slot 0 is used
EIGHTHS = np.uint64(7)  # a table is at most 7/8 full


class Arena(NamedTuple):
    """The slots of all tables: the feature in each, its state as bytes, and the lists of free tables."""

    features: NDArray[np.uint32]
    content: NDArray[np.uint8]  # one row per slot
    free_lists: NDArray[np.uint64]  # by log2_size: a free table, or 0; its first two slots link to the next one
    top: NDArray[np.uint64]  # no slot from here on was ever used


class Models(NamedTuple):
    """One entry per model: table, log2_size (0 without a table), number of features, random state and counters.

    The counters hold what a learner knows apart from its features: its past and the memory of its query rule.
    """

    tables: NDArray[np.uint64]
    log2_sizes: NDArray[np.uint64]
    filled: NDArray[np.uint64]
    random_states: NDArray[np.uint64]
    counters: NDArray[np.uint64]  # one row per model


@inlined
def log2_size_for(count: Any) -> Any:
    """Return the log2_size of the smallest table that holds `count` features."""
    log2_size = np.uint64(SMALLEST)
    while count * np.uint64(8) > EIGHTHS << log2_size:
        log2_size += np.uint64(1)
    return log2_size


@inlined
def copy_slot(content: Any, place: Any, into: Any, other: Any) -> None:
    """Copy the content of one slot to another. The loop compiles faster than an array assignment."""
    for byte in range(content.shape[1]):
        into[other, byte] = content[place, byte]


@inlined
def has_room(arena: Any, log2_size: Any) -> bool:
    """Return whether a table of this size can be allocated."""
    fresh = arena.top[0] + (np.uint64(1) << log2_size) <= np.uint64(arena.features.shape[0])
    return arena.free_lists[log2_size] != np.uint64(0) or fresh


@inlined
def allocate(arena: Any, log2_size: Any) -> Any:
    """Allocate an empty table; `has_room` must be true for its size."""
    size = np.uint64(1) << log2_size
    table = arena.free_lists[log2_size]
    if table != np.uint64(0):
        low, high = np.uint64(arena.features[table]), np.uint64(arena.features[table + np.uint64(1)])
        arena.free_lists[log2_size] = low | high << np.uint64(32)
    else:
        table = arena.top[0]
        arena.top[0] += size
    for place in range(size):
        arena.features[table + np.uint64(place)] = EMPTY
    return table


@inlined
def free(arena: Any, table: Any, log2_size: Any) -> None:
    """Put a table on the free list of its size."""
    following = arena.free_lists[log2_size]
    arena.features[table] = np.uint32(following & np.uint64(0xFFFFFFFF))
    arena.features[table + np.uint64(1)] = np.uint32(following >> np.uint64(32))
    arena.free_lists[log2_size] = table


@inlined
def slot_of(arena: Any, table: Any, log2_size: Any, feature: Any) -> Any:
    """Return the slot of a feature in a table, or the empty slot where it would be inserted."""
    last = (np.uint64(1) << log2_size) - np.uint64(1)
    place = np.uint64(feature) * GOLDEN >> (np.uint64(64) - log2_size)
    while (arena.features[table + place] != feature) & (arena.features[table + place] != EMPTY):
        place = (place + np.uint64(1)) & last
    return table + place


@inlined
def lookup_slots(arena: Any, table: Any, log2_size: Any, rows: Any, t: Any, slots: Any) -> Any:
    """Write the slots of the features of row `t`, 0 for features not learned; return the number of these."""
    start, stop = rows.starts[t], rows.starts[t + 1]
    missing = np.uint64(0)
    if log2_size == np.uint64(0):
        for k in range(start, stop):
            slots[np.uint64(k) - start] = np.uint64(0)
        return stop - start
    for k in range(start, stop):
        feature = rows.indices[k]
        slot = slot_of(arena, table, log2_size, feature)
        known = arena.features[slot] == feature
        slots[np.uint64(k) - start] = slot if known else np.uint64(0)
        missing += np.uint64(not known)
    return missing


@inlined
def rehash(models: Any, arena: Any, m: Any, log2_size: Any) -> None:
    """Move model `m` to a new table of this size."""
    table = allocate(arena, log2_size)
    if models.log2_sizes[m] != np.uint64(0):
        before = models.tables[m]
        for place in range(np.uint64(1) << models.log2_sizes[m]):
            old = before + np.uint64(place)
            feature = arena.features[old]
            if feature != EMPTY:
                new = slot_of(arena, table, log2_size, feature)
                arena.features[new] = feature
                copy_slot(arena.content, old, arena.content, new)
        free(arena, before, models.log2_sizes[m])
    models.tables[m], models.log2_sizes[m] = table, log2_size


@inlined
def insert_missing(models: Any, arena: Any, m: Any, rows: Any, t: Any, slots: Any, missing: Any) -> None:
    """Insert the `missing` features of row `t`; the caller has checked that there is room."""
    log2_size = log2_size_for(models.filled[m] + missing)
    if log2_size > models.log2_sizes[m]:
        rehash(models, arena, m, log2_size)
    start, table, log2_size = rows.starts[t], models.tables[m], models.log2_sizes[m]
    for k in range(start, rows.starts[t + 1]):
        feature = rows.indices[k]
        slot = slot_of(arena, table, log2_size, feature)
        if arena.features[slot] == EMPTY:
            arena.features[slot] = feature
            copy_slot(arena.content, np.uint64(0), arena.content, slot)
        slots[np.uint64(k) - start] = slot
    models.filled[m] += missing
