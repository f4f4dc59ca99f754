"""Copy models of a fleet out of the arena and into it, many at a time, and order rows by model."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.engine.arena import (
    EMPTY,
    RESERVED,
    Arena,
    Models,
    copy_slot,
    free,
    has_room,
    log2_size_for,
    rehash,
    slot_of,
)
from askance.jit.interop import inlined, persistent
from askance.jit.kernels.key_table import Numbers


def _order(ids: Any, starts: Any, order: Any) -> None:
    for t in range(ids.shape[0]):
        starts[ids[t] + 1] += 1
    for m in range(1, starts.shape[0]):
        starts[m] += starts[m - 1]
    for t in range(ids.shape[0]):
        order[starts[ids[t]]] = t
        starts[ids[t]] += 1


@inlined
def _swap(features: Any, content: Any, one: Any, other: Any) -> None:
    features[one], features[other] = features[other], features[one]
    for byte in range(content.shape[1]):
        content[one, byte], content[other, byte] = content[other, byte], content[one, byte]


@inlined
def _sort(features: Any, content: Any, first: Any, last: Any) -> None:
    """Shell sort: models are small, and the content of a slot moves with its feature."""
    gap = 1
    while gap < last - first:
        gap = 3 * gap + 1
    while gap > 0:
        for end in range(first + gap, last):
            place = end
            while place - gap >= first and features[place - gap] > features[place]:
                _swap(features, content, place - gap, place)
                place -= gap
        gap //= 3


def _gather(models: Any, arena: Any, ids: Any, features: Any, content: Any) -> None:
    n = 0
    for m in ids:
        if models.log2_sizes[m] == np.uint64(0):
            continue
        first = n
        for place in range(np.uint64(1) << models.log2_sizes[m]):
            slot = models.tables[m] + np.uint64(place)
            if arena.features[slot] != EMPTY:
                features[n] = arena.features[slot]
                copy_slot(arena.content, slot, content, n)
                n += 1
        _sort(features, content, first, n)


def _load(models: Any, arena: Any, ids: Any, first: Any, starts: Any, features: Any, content: Any) -> Any:
    for i in range(first, ids.shape[0]):
        m, count = ids[i], np.uint64(starts[i + 1] - starts[i])
        if count == np.uint64(0):
            continue
        log2_size = log2_size_for(count)
        if not has_room(arena, log2_size):
            return i
        rehash(models, arena, m, log2_size)
        for k in range(starts[i], starts[i + 1]):
            slot = slot_of(arena, models.tables[m], log2_size, features[k])
            arena.features[slot] = features[k]
            copy_slot(content, k, arena.content, slot)
        models.filled[m] = count
    return ids.shape[0]


def _clear(models: Any, arena: Any, ids: Any) -> None:
    for m in ids:
        if models.log2_sizes[m] != np.uint64(0):
            free(arena, models.tables[m], models.log2_sizes[m])
        models.tables[m] = models.log2_sizes[m] = models.filled[m] = np.uint64(0)
        for place in range(models.counters.shape[1]):
            models.counters[m, place] = models.counters[0, place]


def _compact(models: Any, arena: Any, rising: Any) -> None:
    top = np.uint64(RESERVED)
    for m in rising:
        table, size = models.tables[m], np.uint64(1) << models.log2_sizes[m]
        if table != top:
            for place in range(size):
                arena.features[top + np.uint64(place)] = arena.features[table + np.uint64(place)]
                copy_slot(arena.content, table + np.uint64(place), arena.content, top + np.uint64(place))
        models.tables[m] = top
        top += size
    arena.top[0] = top
    for log2_size in range(arena.free_lists.shape[0]):
        arena.free_lists[log2_size] = np.uint64(0)


_compiled_compact = persistent(_compact, exact=True)
_compiled_order, _compiled_gather = persistent(_order, exact=True), persistent(_gather, exact=True)
_compiled_load, _compiled_clear = persistent(_load, exact=True), persistent(_clear, exact=True)


def order_by_model(ids: Numbers, count: int) -> Numbers:
    """Return row numbers ordered by model, and by sequence within a model; ids are below `count`."""
    order = np.empty(len(ids), np.int64)
    _compiled_order(ids, np.zeros(count + 1, np.int64), order)
    return order


def gather(models: Models, arena: Arena, ids: Numbers) -> tuple[Numbers, NDArray[np.uint32], NDArray[np.uint8]]:
    """Return where the features of each model start, the features in ascending order, and their content."""
    starts = np.zeros(len(ids) + 1, np.int64)
    np.cumsum(models.filled[ids], out=starts[1:])
    features = np.empty(starts[-1], np.uint32)
    content = np.empty((starts[-1], arena.content.shape[1]), np.uint8)
    with np.errstate(over="ignore"):
        _compiled_gather(models, arena, ids, features, content)
    return starts, features, content


def load(
    models: Models,
    arena: Arena,
    ids: Numbers,
    first: int,
    starts: Numbers,
    features: NDArray[np.uint32],
    content: NDArray[np.uint8],
) -> int:
    """Fill blank models, from position `first` on, with gathered content; return where the arena was full."""
    with np.errstate(over="ignore"):
        return int(_compiled_load(models, arena, ids, first, starts, features, content))


def compact(models: Models, arena: Arena) -> None:
    """Move all tables together, so that all free space is at the top."""
    present = np.flatnonzero(models.log2_sizes)
    _compiled_compact(models, arena, present[np.argsort(models.tables[present])])


def clear(models: Models, arena: Arena, ids: Numbers) -> None:
    """Reset models to blank and free their tables."""
    _compiled_clear(models, arena, ids)
