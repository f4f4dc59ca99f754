"""Who is where: the keys of a fleet's models in memory, their numbers, and when each was last called upon."""

import numpy as np
from numpy.typing import NDArray

from askance.fleet.keys import Keys
from askance.jit.kernels.key_table import KeyTable, Numbers


class Roster:
    """Keys and numbers of models; a number may pass from one key to another."""

    def __init__(self) -> None:
        self.count = 0
        self._used = np.zeros(0, np.int64)  # by number: when; 0 for numbers that nobody has
        self._now = 1

    def find(self, keys: Keys) -> Numbers:
        """Their numbers, -1 for keys that have none."""
        raise NotImplementedError

    def keys_of(self, numbers: Numbers) -> Keys:
        """The keys that have these numbers."""
        raise NotImplementedError

    def enter(self, keys: Keys, numbers: Numbers) -> None:
        """Have these keys under these numbers."""
        most = int(numbers.max(initial=-1)) + 1
        if most > len(self._used):
            self._used = np.concatenate([self._used, np.zeros(most, np.int64)])
        self._used[numbers] = self._now
        self.count += len(keys)

    def leave(self, numbers: Numbers) -> None:
        """Have the keys of these numbers no longer."""
        self._used[numbers] = 0
        self.count -= len(numbers)

    def numbers(self) -> Numbers:
        """All numbers that somebody has."""
        return np.flatnonzero(self._used)

    def call(self, numbers: Numbers) -> None:
        """Note that these are called upon now, later than all before."""
        self._now += 1
        self._used[numbers[numbers >= 0]] = self._now

    def longest_unused(self, count: int) -> Numbers:
        """So many numbers, of those that were called upon longest ago."""
        numbers = self.numbers()
        if count >= len(numbers):
            return numbers
        return numbers[np.argpartition(self._used[numbers], count)[:count]]


class TextRoster(Roster):
    """For keys that are text."""

    def __init__(self) -> None:
        super().__init__()
        self._numbers: dict[str, int] = {}
        self._keys: dict[int, str] = {}

    def find(self, keys: Keys) -> Numbers:
        """Their numbers, -1 for keys that have none."""
        number = self._numbers.get
        return np.array([number(key, -1) for key in keys], np.int64)

    def keys_of(self, numbers: Numbers) -> Keys:
        """The keys that have these numbers."""
        return [self._keys[number] for number in numbers.tolist()]

    def enter(self, keys: Keys, numbers: Numbers) -> None:
        """Have these keys under these numbers."""
        super().enter(keys, numbers)
        self._numbers.update(zip(keys, numbers.tolist(), strict=True))
        self._keys.update(zip(numbers.tolist(), keys, strict=True))

    def leave(self, numbers: Numbers) -> None:
        """Have the keys of these numbers no longer."""
        super().leave(numbers)
        for number in numbers.tolist():
            del self._numbers[self._keys.pop(number)]


class NumberRoster(Roster):
    """For keys that are whole numbers, which are found many times faster."""

    def __init__(self) -> None:
        super().__init__()
        self._table = KeyTable()
        self._keys: NDArray[np.int64] = np.zeros(0, np.int64)

    def find(self, keys: Keys) -> Numbers:
        """Their numbers, -1 for keys that have none."""
        return self._table.find(np.asarray(keys, np.int64))

    def keys_of(self, numbers: Numbers) -> Keys:
        """The keys that have these numbers."""
        return self._keys[numbers]

    def enter(self, keys: Keys, numbers: Numbers) -> None:
        """Have these keys under these numbers."""
        super().enter(keys, numbers)
        if len(self._used) > len(self._keys):
            self._keys = np.concatenate([self._keys, np.zeros(len(self._used) - len(self._keys), np.int64)])
        self._keys[numbers] = keys
        self._table.put(np.asarray(keys, np.int64), numbers)

    def leave(self, numbers: Numbers) -> None:
        """Have the keys of these numbers no longer."""
        super().leave(numbers)
        self._table.remove(self._keys[numbers])
