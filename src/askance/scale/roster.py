"""Who is where: the keys of a fleet's models in memory, their numbers, and when each was last called upon."""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.engine.packing import Numbers
from askance.scale.depot import Key


class Roster:
    """Keys and numbers of models; a number may pass from one key to another."""

    def __init__(self) -> None:
        self.numbers: dict[Key, int] = {}
        self._keys: dict[int, Key] = {}
        self._used = np.zeros(0, np.int64)
        self._now = 0

    def find(self, keys: Iterable[Key]) -> Numbers:
        """Their numbers, -1 for keys that have none."""
        number = self.numbers.get
        return np.array([number(key, -1) for key in keys], np.int64)

    def enter(self, keys: Sequence[Key], numbers: Numbers) -> None:
        """Have these keys under these numbers."""
        pairs = list(zip(keys, numbers.tolist(), strict=True))
        self.numbers.update(pairs)
        self._keys.update((number, key) for key, number in pairs)
        most = int(numbers.max(initial=-1)) + 1
        if most > len(self._used):
            self._used = np.concatenate([self._used, np.zeros(most, np.int64)])
        self._used[numbers] = self._now

    def call(self, numbers: Numbers) -> None:
        """Note that these are called upon now, later than all before."""
        self._now += 1
        self._used[numbers[numbers >= 0]] = self._now

    def longest_unused(self, count: int) -> tuple[list[Key], Numbers]:
        """So many keys and numbers, those first that were called upon longest ago."""
        numbers = np.fromiter(self._keys, np.int64, len(self._keys))
        if count < len(numbers):
            numbers = numbers[np.argpartition(self._used[numbers], count)[:count]]
        return [self._keys[number] for number in numbers.tolist()], numbers

    def leave(self, keys: Sequence[Key]) -> None:
        """Have these no longer."""
        for key in keys:
            del self._keys[self.numbers.pop(key)]

    def __len__(self) -> int:
        return len(self.numbers)


def as_keys(keys: Any, rows: int) -> list[Key]:
    """Keys as plain str and int; ValueError if there is another thing, or not one a row."""
    if isinstance(keys, str | int):
        raise ValueError(f"keys must be one a row, not {keys!r} alone")
    plain: list[Key] = keys.tolist() if hasattr(keys, "tolist") else list(keys)
    for kind in set(map(type, plain)) - {str, int}:
        wrong = next(key for key in plain if type(key) is kind)
        raise ValueError(f"keys are text or whole numbers, not such as {wrong!r}")
    if len(plain) != rows:
        raise ValueError(f"there are {rows} rows but {len(plain)} keys: they must be as many")
    return plain


def seeds_of(seed: int, keys: Iterable[Key]) -> NDArray[np.uint64]:
    """The seed of each key's learner: a pure function of the fleet's seed and the key."""
    salt = int(seed).to_bytes(8, "little")
    digests = (hashlib.blake2b(_as_bytes(key), digest_size=8, salt=salt).digest() for key in keys)
    return np.frombuffer(b"".join(digests), np.uint64)


def _as_bytes(key: Key) -> bytes:
    """A key as bytes of its own; ValueError if it cannot be kept."""
    try:
        return b"s" + key.encode() if isinstance(key, str) else b"i" + key.to_bytes(8, "little", signed=True)
    except UnicodeEncodeError:
        raise ValueError(f"the key {key!r} is no proper text: it has half of a character") from None
    except OverflowError:
        raise ValueError(f"the key {key} is too large: keys that are numbers have at most 64 bits") from None
