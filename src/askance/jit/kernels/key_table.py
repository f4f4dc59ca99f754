"""A hash table from 64-bit integers to integers, for millions of keys per call."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance._util.splitmix import GOLDEN
from askance.jit.interop import inlined, persistent

FREE, GONE = -1, -2  # marks slots that were never used, and slots whose key was removed

Numbers = NDArray[np.int64]


@inlined
def _place_of(keys: Any, values: Any, key: Any) -> Any:
    """The slot of a key, or the first free slot of its probe sequence."""
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
    """An open-addressing hash table with 64-bit keys and values of 0 or more."""

    def __init__(self, size: int = 1 << 10) -> None:
        self._keys, self._values = np.zeros(size, np.int64), np.full(size, FREE, np.int64)
        self._used = 0  # slots that are not free

    def find(self, keys: Numbers) -> Numbers:
        """Return the values of keys, and -1 for keys that are not in the table."""
        found = np.empty(len(keys), np.int64)
        with np.errstate(over="ignore"):
            _finder(self._keys, self._values, keys, found)
        return found

    def put(self, keys: Numbers, values: Numbers) -> None:
        """Set the values of keys."""
        if 2 * (self._used + len(keys)) > len(self._keys):
            self._rehash(len(keys))
        with np.errstate(over="ignore"):
            self._used += int(_putter(self._keys, self._values, keys, values))

    def remove(self, keys: Numbers) -> None:
        """Remove keys, all of which must be in the table."""
        with np.errstate(over="ignore"):
            _remover(self._keys, self._values, keys)

    def keys(self) -> Numbers:
        """Return all keys, in no particular order."""
        return self._keys[self._values >= 0]

    def _rehash(self, more: int) -> None:
        """Rebuild the table with room for `more` keys and without the slots of removed keys."""
        keys, values = self.keys(), self._values[self._values >= 0]
        size = len(self._keys)
        while size < 3 * (len(keys) + more):
            size *= 2
        self._keys, self._values = np.zeros(size, np.int64), np.full(size, FREE, np.int64)
        with np.errstate(over="ignore"):
            self._used = int(_putter(self._keys, self._values, keys, values))
