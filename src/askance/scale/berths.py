"""Berths: where the models of a fleet are. Some lie in memory, the others wait in a depot."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from askance.engine.packing import Numbers
from askance.scale.depot import Depot, Key
from askance.scale.packed import from_blobs, to_blobs
from askance.scale.roster import Roster, seeds_of
from askance.scale.yard import BLANK, Yard

AT_A_TIME = 50_000  # models that are made into bytes, or made of them
SHARE = 8  # at least 1/8 of the models in memory leave it when room is needed: leaving one by one is slow


class Berths:
    """The models of a fleet, by key and by number. Of several yards, number n is in yard n mod their count."""

    def __init__(
        self, make_yard: Callable[[], Yard], yards: int, seed: int, tag: int, width: int, resident: int | None
    ) -> None:
        self.yards = [make_yard() for _ in range(yards)]
        self.depot: Depot | None = None
        self.left = 0  # how many models have left memory so far
        self._resident, self._seed, self._tag, self._width = resident, seed, tag, width
        self._roster = Roster()

    def parts(self, count: int) -> Iterator[slice]:
        """So many keys in parts that may be called upon together."""
        most = max(1, count) if self._resident is None else self._resident // 2
        return (slice(first, min(first + most, count)) for first in range(0, count, most))

    def numbers_of(self, keys: list[Key], *, create: bool) -> Numbers:
        """The numbers of keys, whose models are then in memory; BLANK for new keys unless they are to be created.

        There must not be more of them than `parts` allows.
        """
        numbers = self._roster.find(keys)
        absent = np.flatnonzero(numbers < 0)
        if len(absent):
            new = list(dict.fromkeys(keys[place] for place in absent.tolist()))
            self._roster.call(numbers)  # before others leave to make room
            self._fetch(new, create=create)
            numbers = self._roster.find(keys)
        self._roster.call(numbers)
        return np.where(numbers < 0, BLANK, numbers)

    def blobs_of(self, keys: Sequence[Key]) -> dict[Key, bytes]:
        """The models of keys as bytes; KeyError for a key that has none."""
        numbers = self._roster.find(keys)
        here, absent = np.flatnonzero(numbers >= 0).tolist(), np.flatnonzero(numbers < 0).tolist()
        found = self._packed([keys[place] for place in here], numbers[here])
        if absent and self.depot is not None:
            found |= self.depot.get([keys[place] for place in absent])
        for key in keys:
            if key not in found:
                raise KeyError(key)
        return found

    def unpacked(self, blobs: Sequence[bytes]) -> tuple[Any, ...]:
        """Books, where the features of each begin, features and content; ValueError if one model is unsound."""
        yard = self.yards[0]
        return from_blobs(self._tag, blobs, len(yard.desk), yard.ground.content.shape[1], self._width)

    def put(self, models: Mapping[Key, bytes]) -> None:
        """Have these models, or none of them if one is unsound."""
        keys = list(models)
        seeds = seeds_of(self._seed, keys)
        parts = list(self.parts(len(keys)))
        contents = [self.unpacked([models[key] for key in keys[part]]) for part in parts]
        for part, content in zip(parts, contents, strict=True):
            self.drop(keys[part])
            self._seat(keys[part], seeds[part], content)

    def drop(self, keys: Sequence[Key]) -> None:
        """Forget the models of keys."""
        numbers = self._roster.find(keys)
        here = np.flatnonzero(numbers >= 0)
        self._vacate([keys[place] for place in here.tolist()], numbers[here])
        if self.depot is not None:
            self.depot.remove(keys)

    def all(self) -> Iterator[tuple[Key, bytes]]:
        """Every key and its model as bytes."""
        keys = list(self._roster.numbers)
        for at in range(0, len(keys), AT_A_TIME):
            part = keys[at : at + AT_A_TIME]
            yield from self._packed(part, self._roster.find(part)).items()
        if self.depot is not None:
            yield from self.depot.all()

    def keys(self) -> Iterator[Key]:
        """All keys, in no order."""
        yield from list(self._roster.numbers)
        if self.depot is not None:
            yield from self.depot.keys()

    def has(self, key: Key) -> bool:
        """Whether there is a model of this key."""
        return key in self._roster.numbers or (self.depot is not None and bool(self.depot.get([key])))

    def __len__(self) -> int:
        return len(self._roster) + (0 if self.depot is None else len(self.depot))

    # ------------------------------------------------------------------ inside

    def _fetch(self, keys: list[Key], *, create: bool) -> None:
        """Bring into memory the models of keys that are not there, and new ones if they are to be created."""
        waiting = {} if self.depot is None else self.depot.get(keys)
        fresh = [key for key in keys if key not in waiting] if create else []
        seeds = seeds_of(self._seed, [*waiting, *fresh])
        content = self.unpacked(list(waiting.values())) if waiting else None
        if waiting and self.depot is not None:
            self._seat(list(waiting), seeds[: len(waiting)], content)
            self.depot.remove(waiting)
        self._seat(fresh, seeds[len(waiting) :], None)

    def _seat(self, keys: list[Key], seeds: Any, content: tuple[Any, ...] | None) -> None:
        """Give keys berths, and what their models hold, if that is said."""
        if not keys:
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
        if self._resident is None or len(self._roster) + count <= self._resident:
            return
        leaving = max(len(self._roster) + count - self._resident, self._resident // SHARE)
        keys, numbers = self._roster.longest_unused(leaving)
        assert self.depot is not None
        self.depot.put(self._packed(keys, numbers).items())
        self._vacate(keys, numbers)
        self.left += len(keys)

    def _packed(self, keys: Sequence[Key], numbers: Numbers) -> dict[Key, bytes]:
        found: dict[Key, bytes] = {}
        count = len(self.yards)
        for place, yard in enumerate(self.yards):
            own = np.flatnonzero(numbers % count == place)
            blobs = to_blobs(self._tag, *yard.gather(numbers[own] // count))
            found.update(zip((keys[at] for at in own.tolist()), blobs, strict=True))
        return found

    def _vacate(self, keys: Sequence[Key], numbers: Numbers) -> None:
        count = len(self.yards)
        for place, yard in enumerate(self.yards):
            yard.drop(numbers[numbers % count == place] // count)
        self._roster.leave(keys)


def _of_these(chosen: Numbers, starts: Numbers, features: Any, content: Any) -> tuple[Numbers, Any, Any]:
    """The features of some models out of many: where each begins, the features and their content."""
    sizes = np.diff(starts)[chosen]
    own = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    taken = np.repeat(starts[chosen] - own[:-1], sizes) + np.arange(own[-1])
    return own, features[taken], content[taken]
