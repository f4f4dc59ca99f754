"""A table from whole numbers to whole numbers, for millions of keys at a time."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance._util.splitmix import GOLDEN
from askance.jit.interop import inlined, persistent

FREE, GONE = -1, -2  # values of places that were never used, and of those that were

Numbers = NDArray[np.int64]


@inlined
def _place_of(keys: Any, values: Any, key: Any) -> Any:
    """Where a key is, or the first place that was never used."""
    last = np.uint64(keys.shape[0] - 1)
    place = (np.uint64(key) * GOLDEN >> np.uint64(32)) & last
    while values[place] != FREE and (keys[place] != key or values[place] == GONE):
        place = (place + np.uint64(1)) & last
    return place


def _find(keys: Any, values: Any, wanted: Any, found: Any) -> None:
    for t in range(wanted.shape[0]):
        found[t] = values[_place_of(keys, values, wanted[t])]


def _put(keys: Any, values: Any, new: Any, numbers: Any) -> Any:
    fresh = 0
    for t in range(new.shape[0]):
        place = _place_of(keys, values, new[t])
        fresh += values[place] == FREE
        keys[place], values[place] = new[t], numbers[t]
    return fresh


def _remove(keys: Any, values: Any, old: Any) -> None:
    for t in range(old.shape[0]):
        values[_place_of(keys, values, old[t])] = GONE


_finder, _putter = persistent(_find, exact=True), persistent(_put, exact=True)
_remover = persistent(_remove, exact=True)


class KeyTable:
    """Values of 0 or more under keys of 64 bits."""

    def __init__(self, size: int = 1 << 10) -> None:
        self._keys, self._values = np.zeros(size, np.int64), np.full(size, FREE, np.int64)
        self._used = 0  # places that are not free

    def find(self, keys: Numbers) -> Numbers:
        """The values of keys, -1 where there is none."""
        found = np.empty(len(keys), np.int64)
        with np.errstate(over="ignore"):
            _finder(self._keys, self._values, keys, found)
        return found

    def put(self, keys: Numbers, values: Numbers) -> None:
        """Have these values under these keys."""
        if 2 * (self._used + len(keys)) > len(self._keys):
            self._begin_anew(len(keys))
        with np.errstate(over="ignore"):
            self._used += int(_putter(self._keys, self._values, keys, values))

    def remove(self, keys: Numbers) -> None:
        """Have these keys, which are there, no longer."""
        with np.errstate(over="ignore"):
            _remover(self._keys, self._values, keys)

    def keys(self) -> Numbers:
        """All keys."""
        return self._keys[self._values >= 0]

    def _begin_anew(self, more: int) -> None:
        """Have room for so many more, and no places of keys that are gone."""
        keys, values = self.keys(), self._values[self._values >= 0]
        size = len(self._keys)
        while size < 3 * (len(keys) + more):
            size *= 2
        self._keys, self._values = np.zeros(size, np.int64), np.full(size, FREE, np.int64)
        with np.errstate(over="ignore"):
            self._used = int(_putter(self._keys, self._values, keys, values))
