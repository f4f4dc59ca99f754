"""Bringing models of a fleet out of the ground and into it, many at a time, and putting rows in order by model."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.engine.arena import (
    EMPTY,
    RESERVED,
    Ground,
    Models,
    copied,
    has_room,
    moved,
    power_for,
    released,
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
    """Shell's way: models are small, and what is kept of a feature has to move with it."""
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


def _gather(models: Any, ground: Any, ids: Any, features: Any, content: Any) -> None:
    n = 0
    for m in ids:
        if models.powers[m] == np.uint64(0):
            continue
        first = n
        for place in range(np.uint64(1) << models.powers[m]):
            slot = models.plots[m] + np.uint64(place)
            if ground.features[slot] != EMPTY:
                features[n] = ground.features[slot]
                copied(ground.content, slot, content, n)
                n += 1
        _sort(features, content, first, n)


def _seat(models: Any, ground: Any, ids: Any, first: Any, starts: Any, features: Any, content: Any) -> Any:
    for i in range(first, ids.shape[0]):
        m, count = ids[i], np.uint64(starts[i + 1] - starts[i])
        if count == np.uint64(0):
            continue
        power = power_for(count)
        if not has_room(ground, power):
            return i
        moved(models, ground, m, power)
        for k in range(starts[i], starts[i + 1]):
            slot = slot_of(ground, models.plots[m], power, features[k])
            ground.features[slot] = features[k]
            copied(content, k, ground.content, slot)
        models.filled[m] = count
    return ids.shape[0]


def _clear(models: Any, ground: Any, ids: Any) -> None:
    for m in ids:
        if models.powers[m] != np.uint64(0):
            released(ground, models.plots[m], models.powers[m])
        models.plots[m] = models.powers[m] = models.filled[m] = np.uint64(0)
        for place in range(models.books.shape[1]):
            models.books[m, place] = models.books[0, place]


def _slide(models: Any, ground: Any, rising: Any) -> None:
    top = np.uint64(RESERVED)
    for m in rising:
        plot, size = models.plots[m], np.uint64(1) << models.powers[m]
        if plot != top:
            for place in range(size):
                ground.features[top + np.uint64(place)] = ground.features[plot + np.uint64(place)]
                copied(ground.content, plot + np.uint64(place), ground.content, top + np.uint64(place))
        models.plots[m] = top
        top += size
    ground.top[0] = top
    for power in range(ground.free.shape[0]):
        ground.free[power] = np.uint64(0)


_slid = persistent(_slide, exact=True)
_ordered, _gathered = persistent(_order, exact=True), persistent(_gather, exact=True)
_seated, _cleared = persistent(_seat, exact=True), persistent(_clear, exact=True)


def in_order(ids: Numbers, count: int) -> Numbers:
    """The places of rows, those of a model together and in their sequence; there are `count` models."""
    order = np.empty(len(ids), np.int64)
    _ordered(ids, np.zeros(count + 1, np.int64), order)
    return order


def gather(models: Models, ground: Ground, ids: Numbers) -> tuple[Numbers, NDArray[np.uint32], NDArray[np.uint8]]:
    """Where the features of each of these models begin and end, the features, rising, and what is kept of them."""
    starts = np.zeros(len(ids) + 1, np.int64)
    np.cumsum(models.filled[ids], out=starts[1:])
    features = np.empty(starts[-1], np.uint32)
    content = np.empty((starts[-1], ground.content.shape[1]), np.uint8)
    with np.errstate(over="ignore"):
        _gathered(models, ground, ids, features, content)
    return starts, features, content


def seat(
    models: Models,
    ground: Ground,
    ids: Numbers,
    first: int,
    starts: Numbers,
    features: NDArray[np.uint32],
    content: NDArray[np.uint8],
) -> int:
    """Give blank models, from the one at place `first` on, what was gathered; how far the ground had room."""
    with np.errstate(over="ignore"):
        return int(_seated(models, ground, ids, first, starts, features, content))


def close_ranks(models: Models, ground: Ground) -> None:
    """Move all plots together, so that what lay free between them is at the top."""
    having = np.flatnonzero(models.powers)
    _slid(models, ground, having[np.argsort(models.plots[having])])


def clear(models: Models, ground: Ground, ids: Numbers) -> None:
    """Make models blank, and have their plots free."""
    _cleared(models, ground, ids)
