"""The index of the models in memory: from key to slot number, with the time of last use."""

import numpy as np
from numpy.typing import NDArray

from askance.fleet.keys import Keys
from askance.jit.kernels.key_table import KeyTable, Numbers


class KeyIndex:
    """Keys and numbers of models. A number can be given to another key after its first key was removed."""

    def __init__(self) -> None:
        self.count = 0
        self._used = np.zeros(0, np.int64)  # by number: the time of last use; 0 for free numbers
        self._now = 1

    def find(self, keys: Keys) -> Numbers:
        """Return the numbers of keys, -1 for unknown keys."""
        raise NotImplementedError

    def keys_of(self, numbers: Numbers) -> Keys:
        """Return the keys of these numbers."""
        raise NotImplementedError

    def add(self, keys: Keys, numbers: Numbers) -> None:
        """Add keys with these numbers."""
        most = int(numbers.max(initial=-1)) + 1
        if most > len(self._used):
            self._used = np.concatenate([self._used, np.zeros(most, np.int64)])
        self._used[numbers] = self._now
        self.count += len(keys)

    def remove(self, numbers: Numbers) -> None:
        """Remove the keys of these numbers."""
        self._used[numbers] = 0
        self.count -= len(numbers)

    def numbers(self) -> Numbers:
        """Return all numbers in use."""
        return np.flatnonzero(self._used)

    def touch(self, numbers: Numbers) -> None:
        """Mark these numbers as the most recently used; -1 is ignored."""
        self._now += 1
        self._used[numbers[numbers >= 0]] = self._now

    def least_recently_used(self, count: int) -> Numbers:
        """Return `count` numbers, those that were used longest ago."""
        numbers = self.numbers()
        if count >= len(numbers):
            return numbers
        return numbers[np.argpartition(self._used[numbers], count)[:count]]


class TextKeyIndex(KeyIndex):
    """An index of text keys."""

    def __init__(self) -> None:
        super().__init__()
        self._numbers: dict[str, int] = {}
        self._keys: dict[int, str] = {}

    def find(self, keys: Keys) -> Numbers:
        """Return the numbers of keys, -1 for unknown keys."""
        number = self._numbers.get
        return np.array([number(key, -1) for key in keys], np.int64)

    def keys_of(self, numbers: Numbers) -> Keys:
        """Return the keys of these numbers."""
        return [self._keys[number] for number in numbers.tolist()]

    def add(self, keys: Keys, numbers: Numbers) -> None:
        """Add keys with these numbers."""
        super().add(keys, numbers)
        self._numbers.update(zip(keys, numbers.tolist(), strict=True))
        self._keys.update(zip(numbers.tolist(), keys, strict=True))

    def remove(self, numbers: Numbers) -> None:
        """Remove the keys of these numbers."""
        super().remove(numbers)
        for number in numbers.tolist():
            del self._numbers[self._keys.pop(number)]


class IntegerKeyIndex(KeyIndex):
    """An index of integer keys, many times faster than one of text."""

    def __init__(self) -> None:
        super().__init__()
        self._table = KeyTable()
        self._keys: NDArray[np.int64] = np.zeros(0, np.int64)

    def find(self, keys: Keys) -> Numbers:
        """Return the numbers of keys, -1 for unknown keys."""
        return self._table.find(np.asarray(keys, np.int64))

    def keys_of(self, numbers: Numbers) -> Keys:
        """Return the keys of these numbers."""
        return self._keys[numbers]

    def add(self, keys: Keys, numbers: Numbers) -> None:
        """Add keys with these numbers."""
        super().add(keys, numbers)
        if len(self._used) > len(self._keys):
            self._keys = np.concatenate([self._keys, np.zeros(len(self._used) - len(self._keys), np.int64)])
        self._keys[numbers] = keys
        self._table.put(np.asarray(keys, np.int64), numbers)

    def remove(self, numbers: Numbers) -> None:
        """Remove the keys of these numbers."""
        super().remove(numbers)
        self._table.remove(self._keys[numbers])
