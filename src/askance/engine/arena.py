"""Where the models of a fleet keep what they know of features: small tables side by side in one ground.

Each model has a plot of 2^power slots, a hash table from feature to slot. What a state keeps of a feature lies in
arrays over the slots of all plots, so that to an update rule the fleet is one state with very many features.
Slot 0 belongs to nobody: it holds what the rule starts a feature with, and stands for those a model never learned.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance._util.splitmix import GOLDEN
from askance.jit.interop import inlined

EMPTY = np.uint32(0xFFFFFFFF)
SMALLEST = 3  # a plot has at least 2^3 slots
LARGEST = 32
RESERVED = 8  # slots in front of the first plot, of which the first is used
EIGHTHS = np.uint64(7)  # of a plot that may be filled


class Ground(NamedTuple):
    """Slots: the feature of each, what the state keeps of it, as bytes, and which plots are free."""

    features: NDArray[np.uint32]
    content: NDArray[np.uint8]  # a row a slot
    free: NDArray[np.uint64]  # by power: a free plot, or 0; its first two slots say where the next one is
    top: NDArray[np.uint64]  # beyond it, no slot was ever used


class Models(NamedTuple):
    """The models, each in its place: plot, power (0 while it has no plot), slots filled, random_state, and books.

    The books hold what a learner knows beside its features: the past and the memory of its query rule.
    """

    plots: NDArray[np.uint64]
    powers: NDArray[np.uint64]
    filled: NDArray[np.uint64]
    seeds: NDArray[np.uint64]
    books: NDArray[np.uint64]  # a row a model


@inlined
def power_for(count: Any) -> Any:
    """The power of the smallest plot that so many features fit in."""
    power = np.uint64(SMALLEST)
    while count * np.uint64(8) > EIGHTHS << power:
        power += np.uint64(1)
    return power


@inlined
def copied(content: Any, place: Any, into: Any, other: Any) -> None:
    """Copy what is kept of one slot to another; in a loop, because arrays take long to compile."""
    for byte in range(content.shape[1]):
        into[other, byte] = content[place, byte]


@inlined
def has_room(ground: Any, power: Any) -> bool:
    """Whether there is a plot of this power to be had."""
    fresh = ground.top[0] + (np.uint64(1) << power) <= np.uint64(ground.features.shape[0])
    return ground.free[power] != np.uint64(0) or fresh


@inlined
def allocated(ground: Any, power: Any) -> Any:
    """A plot of this power, for which there is room, with empty slots."""
    size = np.uint64(1) << power
    plot = ground.free[power]
    if plot != np.uint64(0):
        low, high = np.uint64(ground.features[plot]), np.uint64(ground.features[plot + np.uint64(1)])
        ground.free[power] = low | high << np.uint64(32)
    else:
        plot = ground.top[0]
        ground.top[0] += size
    for place in range(size):
        ground.features[plot + np.uint64(place)] = EMPTY
    return plot


@inlined
def released(ground: Any, plot: Any, power: Any) -> None:
    """Have a plot free for others."""
    following = ground.free[power]
    ground.features[plot] = np.uint32(following & np.uint64(0xFFFFFFFF))
    ground.features[plot + np.uint64(1)] = np.uint32(following >> np.uint64(32))
    ground.free[power] = plot


@inlined
def slot_of(ground: Any, plot: Any, power: Any, feature: Any) -> Any:
    """The slot of a feature in a plot, or the empty one where it would be."""
    last = (np.uint64(1) << power) - np.uint64(1)
    place = np.uint64(feature) * GOLDEN >> (np.uint64(64) - power)
    while (ground.features[plot + place] != feature) & (ground.features[plot + place] != EMPTY):
        place = (place + np.uint64(1)) & last
    return plot + place


@inlined
def translated(ground: Any, plot: Any, power: Any, rows: Any, t: Any, slots: Any) -> Any:
    """Fill in the slots of the features of row `t`, 0 for those not learned; how many these are."""
    start, stop = rows.starts[t], rows.starts[t + 1]
    missing = np.uint64(0)
    if power == np.uint64(0):
        for k in range(start, stop):
            slots[np.uint64(k) - start] = np.uint64(0)
        return stop - start
    for k in range(start, stop):
        feature = rows.indices[k]
        slot = slot_of(ground, plot, power, feature)
        known = ground.features[slot] == feature
        slots[np.uint64(k) - start] = slot if known else np.uint64(0)
        missing += np.uint64(not known)
    return missing


@inlined
def moved(models: Any, ground: Any, m: Any, power: Any) -> None:
    """Give model `m` a plot of this power, with all it has in its present one."""
    plot = allocated(ground, power)
    if models.powers[m] != np.uint64(0):
        before = models.plots[m]
        for place in range(np.uint64(1) << models.powers[m]):
            old = before + np.uint64(place)
            feature = ground.features[old]
            if feature != EMPTY:
                new = slot_of(ground, plot, power, feature)
                ground.features[new] = feature
                copied(ground.content, old, ground.content, new)
        released(ground, before, models.powers[m])
    models.plots[m], models.powers[m] = plot, power


@inlined
def settled(models: Any, ground: Any, m: Any, rows: Any, t: Any, slots: Any, missing: Any) -> None:
    """Have a slot for every feature of row `t`, of which so many are `missing`; there is room for them."""
    power = power_for(models.filled[m] + missing)
    if power > models.powers[m]:
        moved(models, ground, m, power)
    start, plot, power = rows.starts[t], models.plots[m], models.powers[m]
    for k in range(start, rows.starts[t + 1]):
        feature = rows.indices[k]
        slot = slot_of(ground, plot, power, feature)
        if ground.features[slot] == EMPTY:
            ground.features[slot] = feature
            copied(ground.content, np.uint64(0), ground.content, slot)
        slots[np.uint64(k) - start] = slot
    models.filled[m] += missing
