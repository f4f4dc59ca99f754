"""Berths: where the models of a fleet are. Some lie in memory, the others wait in a depot."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from askance.fleet.codec import from_blobs, to_blobs
from askance.fleet.key_index import NumberRoster, Roster, TextRoster
from askance.fleet.keys import Key, Keys, as_keys, distinct, listed, seeds_of, taken
from askance.fleet.shard import BLANK, Yard
from askance.fleet.spill_file import Depot
from askance.jit.kernels.key_table import Numbers

AT_A_TIME = 50_000  # models that are made into bytes, or made of them
SHARE = 8  # at least 1/8 of the models in memory leave it when room is needed: leaving one by one is slow


class Berths:
    """The models of a fleet, by key and by number. Of several yards, number n is in yard n mod their count."""

    def __init__(
        self,
        make_yard: Callable[[], Yard],
        yards: int,
        random_state: int,
        tag: int,
        width: int,
        resident: int | None,
    ) -> None:
        self.yards = [make_yard() for _ in range(yards)]
        self.depot: Depot | None = None
        self.left = 0  # how many models have left memory so far
        self._resident, self._seed, self._tag, self._width = resident, random_state, tag, width
        self._roster: Roster = TextRoster()

    def parts(self, count: int) -> Iterator[slice]:
        """So many keys in parts that may be called upon together."""
        most = max(1, count) if self._resident is None else self._resident // 2
        return (slice(first, min(first + most, count)) for first in range(0, count, most))

    def numbers_of(self, keys: Keys, *, create: bool) -> Numbers:
        """The numbers of keys, whose models are then in memory; BLANK for new keys unless they are to be created.

        There must not be more of them than `parts` allows.
        """
        roster = self._roster_for(keys)
        numbers = roster.find(keys)
        absent = np.flatnonzero(numbers < 0)
        if len(absent):
            roster.call(numbers)  # before others leave to make room
            self._fetch(distinct(taken(keys, absent)), create=create)
            numbers = roster.find(keys)
        roster.call(numbers)
        return np.where(numbers < 0, BLANK, numbers)

    def blobs_of(self, keys: Keys) -> dict[Key, bytes]:
        """The models of keys as bytes; KeyError for a key that has none."""
        numbers = self._roster_for(keys).find(keys)
        here, absent = np.flatnonzero(numbers >= 0), np.flatnonzero(numbers < 0)
        found = self._packed(taken(keys, here), numbers[here])
        if len(absent) and self.depot is not None:
            found |= self.depot.get(listed(taken(keys, absent)))
        for key in listed(keys):
            if key not in found:
                raise KeyError(key)
        return found

    def unpacked(self, blobs: Sequence[bytes]) -> tuple[Any, ...]:
        """Books, where the features of each begin, features and content; ValueError if one model is unsound."""
        yard = self.yards[0]
        return from_blobs(self._tag, blobs, len(yard.desk), yard.ground.content.shape[1], self._width)

    def put(self, keys: Keys, blobs: Sequence[bytes]) -> None:
        """Have the models of keys, or none of them if one is unsound."""
        seeds, parts = seeds_of(self._seed, keys), list(self.parts(len(keys)))
        self._roster_for(keys)
        contents = [self.unpacked(blobs[part]) for part in parts]
        for part, content in zip(parts, contents, strict=True):
            self.drop(keys[part])
            self._seat(keys[part], seeds[part], content)

    def drop(self, keys: Keys) -> None:
        """Forget the models of keys."""
        numbers = self._roster_for(keys).find(keys)
        self._vacate(numbers[numbers >= 0])
        if self.depot is not None:
            self.depot.remove(listed(keys))

    def all(self) -> Iterator[tuple[Key, bytes]]:
        """Every key and its model as bytes."""
        numbers = self._roster.numbers()
        for first in range(0, len(numbers), AT_A_TIME):
            part = numbers[first : first + AT_A_TIME]
            yield from self._packed(self._roster.keys_of(part), part).items()
        for waiting in self._waiting():
            yield from waiting.items()

    def keys(self) -> Iterator[Key]:
        """All keys, in no order."""
        yield from listed(self._roster.keys_of(self._roster.numbers()))
        for waiting in self._waiting():
            yield from waiting

    def __len__(self) -> int:
        return self._roster.count + sum(map(len, self._waiting()))

    # ------------------------------------------------------------------ inside

    def _waiting(self) -> Iterator[dict[Key, bytes]]:
        """The models that are in the depot alone, some at a time; of others it may hold what they were before."""
        for models in () if self.depot is None else self.depot.in_parts():
            keys = as_keys(list(models), len(models))
            absent = taken(keys, np.flatnonzero(self._roster_for(keys).find(keys) < 0))
            yield {key: models[key] for key in listed(absent)}

    def _roster_for(self, keys: Keys) -> Roster:
        """The roster, which is of the kind of the first keys; ValueError if these are of the other."""
        kind = NumberRoster if isinstance(keys, np.ndarray) else TextRoster
        if not isinstance(self._roster, kind) and len(keys):
            if self._roster.count:
                raise ValueError("the keys of this fleet are of another kind: all are text, or all whole numbers")
            self._roster = kind()
        return self._roster

    def _fetch(self, keys: Keys, *, create: bool) -> None:
        """Bring into memory the models of keys that are not there, and new ones if they are to be created."""
        waiting = {} if self.depot is None else self.depot.get(listed(keys))
        seeds = seeds_of(self._seed, keys)
        stored = np.array([key in waiting for key in listed(keys)]) if waiting else np.zeros(len(keys), np.bool_)
        old, new = np.flatnonzero(stored), np.flatnonzero(~stored)
        if len(old) and self.depot is not None:
            found = taken(keys, old)
            self._seat(found, seeds[old], self.unpacked([waiting[key] for key in listed(found)]))
        if create:
            self._seat(taken(keys, new), seeds[new], None)

    def _seat(self, keys: Keys, seeds: Any, content: tuple[Any, ...] | None) -> None:
        """Give keys berths, and what their models hold, if that is said."""
        if not len(keys):
            return
        self._make_room(len(keys))
        count = len(self.yards)
        numbers = np.empty(len(keys), np.int64)
        for place, yard in enumerate(self.yards):
            own = slice(place, None, count)
            numbers[own] = yard.add(seeds[own]) * count + place
            if content is not None:
                books, starts, features, kept = content
                chosen = np.arange(len(keys))[own]
                yard.seat(numbers[own] // count, books[chosen], *_of_these(chosen, starts, features, kept))
        self._roster.enter(keys, numbers)

    def _make_room(self, count: int) -> None:
        """Have those leave that were called upon longest ago, if so many more are too many."""
        if self._resident is None or self._roster.count + count <= self._resident:
            return
        leaving = max(self._roster.count + count - self._resident, self._resident // SHARE)
        numbers = self._roster.longest_unused(leaving)
        assert self.depot is not None
        self.depot.put(self._packed(self._roster.keys_of(numbers), numbers).items())
        self._vacate(numbers)
        self.left += len(numbers)

    def _packed(self, keys: Keys, numbers: Numbers) -> dict[Key, bytes]:
        found: dict[Key, bytes] = {}
        count = len(self.yards)
        for place, yard in enumerate(self.yards):
            own = np.flatnonzero(numbers % count == place)
            blobs = to_blobs(self._tag, *yard.gather(numbers[own] // count))
            found.update(zip(listed(taken(keys, own)), blobs, strict=True))
        return found

    def _vacate(self, numbers: Numbers) -> None:
        count = len(self.yards)
        self._roster.leave(numbers)
        for place, yard in enumerate(self.yards):
            yard.drop(numbers[numbers % count == place] // count)


def _of_these(chosen: Numbers, starts: Numbers, features: Any, content: Any) -> tuple[Numbers, Any, Any]:
    """The features of some models out of many: where each begins, the features and their content."""
    sizes = np.diff(starts)[chosen]
    own = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    places = np.repeat(starts[chosen] - own[:-1], sizes) + np.arange(own[-1])
    return own, features[places], content[places]
