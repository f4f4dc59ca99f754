"""Which models of a fleet are in memory: the most recently used in shards, the others in a spill file."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from askance.fleet.codec import from_blobs, to_blobs
from askance.fleet.key_index import IntegerKeyIndex, KeyIndex, TextKeyIndex
from askance.fleet.keys import Key, Keys, as_keys, as_list, distinct, random_states_of, take
from askance.fleet.shard import BLANK, Shard
from askance.fleet.spill_file import SpillFile
from askance.jit.kernels.key_table import Numbers

AT_A_TIME = 50_000  # models encoded or decoded at once
SHARE = 8  # at least 1/8 of the models in memory are evicted at once: evicting one at a time is slow


class ResidentModels:
    """The models of a fleet, by key and by number. Number n is in shard n modulo the number of shards."""

    def __init__(
        self,
        make_shard: Callable[[], Shard],
        n_shards: int,
        random_state: int,
        tag: int,
        width: int,
        resident: int | None,
    ) -> None:
        self.shards = [make_shard() for _ in range(n_shards)]
        self.spill_file: SpillFile | None = None
        self.evictions = 0
        self.resident, self._random_state, self._tag, self._width = resident, random_state, tag, width
        self._index: KeyIndex = TextKeyIndex()

    def parts(self, count: int) -> Iterator[slice]:
        """Cut `count` keys into parts whose models fit into memory together."""
        most = max(1, count) if self.resident is None else self.resident // 2
        return (slice(first, min(first + most, count)) for first in range(0, count, most))

    def numbers_of(self, keys: Keys, *, create: bool) -> Numbers:
        """Bring the models of keys into memory and return their numbers.

        New keys get a model if `create`, and otherwise the number BLANK. There must not be more keys than `parts`
        allows.
        """
        index = self._index_for(keys)
        numbers = index.find(keys)
        absent = np.flatnonzero(numbers < 0)
        if len(absent):
            index.touch(numbers)  # so that these are not evicted to make room
            self._fetch(distinct(take(keys, absent)), create=create)
            numbers = index.find(keys)
        index.touch(numbers)
        return np.where(numbers < 0, BLANK, numbers)

    def encode(self, keys: Keys) -> dict[Key, bytes]:
        """Return the models of keys as bytes; KeyError for a key without a model."""
        numbers = self._index_for(keys).find(keys)
        here, absent = np.flatnonzero(numbers >= 0), np.flatnonzero(numbers < 0)
        found = self._encode(take(keys, here), numbers[here])
        if len(absent) and self.spill_file is not None:
            found |= self.spill_file.get(as_list(take(keys, absent)))
        for key in as_list(keys):
            if key not in found:
                raise KeyError(key)
        return found

    def decode(self, blobs: Sequence[bytes]) -> tuple[Any, ...]:
        """Return counters, starts, features and content of models; ModelFileError if one is damaged."""
        shard = self.shards[0]
        return from_blobs(self._tag, blobs, len(shard.scratch), shard.arena.content.shape[1], self._width)

    def put(self, keys: Keys, blobs: Sequence[bytes]) -> None:
        """Store the models of keys, or none of them if one is damaged."""
        random_states, parts = random_states_of(self._random_state, keys), list(self.parts(len(keys)))
        self._index_for(keys)
        contents = [self.decode(blobs[part]) for part in parts]
        for part, content in zip(parts, contents, strict=True):
            self.drop(keys[part])
            self._admit(keys[part], random_states[part], content)

    def drop(self, keys: Keys) -> None:
        """Delete the models of keys."""
        numbers = self._index_for(keys).find(keys)
        self._evict(numbers[numbers >= 0])
        if self.spill_file is not None:
            self.spill_file.remove(as_list(keys))

    def items(self) -> Iterator[tuple[Key, bytes]]:
        """Yield every key and its model as bytes."""
        numbers = self._index.numbers()
        for first in range(0, len(numbers), AT_A_TIME):
            part = numbers[first : first + AT_A_TIME]
            yield from self._encode(self._index.keys_of(part), part).items()
        for spilled in self._spilled():
            yield from spilled.items()

    def keys(self) -> Iterator[Key]:
        """Yield all keys, in no particular order."""
        yield from as_list(self._index.keys_of(self._index.numbers()))
        for spilled in self._spilled():
            yield from spilled

    def __len__(self) -> int:
        return self._index.count + sum(map(len, self._spilled()))

    # ------------------------------------------------------------------ inside

    def _spilled(self) -> Iterator[dict[Key, bytes]]:
        """Yield the models that are only in the spill file. It can also hold old versions of models in memory."""
        for models in () if self.spill_file is None else self.spill_file.batches():
            keys = as_keys(list(models), len(models))
            absent = take(keys, np.flatnonzero(self._index_for(keys).find(keys) < 0))
            yield {key: models[key] for key in as_list(absent)}

    def _index_for(self, keys: Keys) -> KeyIndex:
        """Return the index. The first keys decide its kind; ValueError if later keys are of the other kind."""
        kind = IntegerKeyIndex if isinstance(keys, np.ndarray) else TextKeyIndex
        if not isinstance(self._index, kind) and len(keys):
            if self._index.count:
                raise ValueError("fleet keys must be all str or all int")
            self._index = kind()
        return self._index

    def _fetch(self, keys: Keys, *, create: bool) -> None:
        """Read models that are not in memory from the spill file; create the missing ones if `create`."""
        spilled = {} if self.spill_file is None else self.spill_file.get(as_list(keys))
        random_states = random_states_of(self._random_state, keys)
        stored = np.array([key in spilled for key in as_list(keys)]) if spilled else np.zeros(len(keys), np.bool_)
        old, new = np.flatnonzero(stored), np.flatnonzero(~stored)
        if len(old) and self.spill_file is not None:
            found = take(keys, old)
            self._admit(found, random_states[old], self.decode([spilled[key] for key in as_list(found)]))
        if create:
            self._admit(take(keys, new), random_states[new], None)

    def _admit(self, keys: Keys, random_states: Any, content: tuple[Any, ...] | None) -> None:
        """Add models to memory, blank or with this content."""
        if not len(keys):
            return
        self._make_room(len(keys))
        count = len(self.shards)
        numbers = np.empty(len(keys), np.int64)
        for place, shard in enumerate(self.shards):
            own = slice(place, None, count)
            numbers[own] = shard.add(random_states[own]) * count + place
            if content is not None:
                counters, starts, features, slots = content
                chosen = np.arange(len(keys))[own]
                shard.load(numbers[own] // count, counters[chosen], *_select(chosen, starts, features, slots))
        self._index.add(keys, numbers)

    def _make_room(self, count: int) -> None:
        """Move the least recently used models to the spill file if there is no room for `count` more."""
        if self.resident is None or self._index.count + count <= self.resident:
            return
        leaving = max(self._index.count + count - self.resident, self.resident // SHARE)
        numbers = self._index.least_recently_used(leaving)
        assert self.spill_file is not None
        self.spill_file.put(self._encode(self._index.keys_of(numbers), numbers).items())
        self._evict(numbers)
        self.evictions += len(numbers)

    def _encode(self, keys: Keys, numbers: Numbers) -> dict[Key, bytes]:
        found: dict[Key, bytes] = {}
        count = len(self.shards)
        for place, shard in enumerate(self.shards):
            own = np.flatnonzero(numbers % count == place)
            blobs = to_blobs(self._tag, *shard.gather(numbers[own] // count))
            found.update(zip(as_list(take(keys, own)), blobs, strict=True))
        return found

    def _evict(self, numbers: Numbers) -> None:
        count = len(self.shards)
        self._index.remove(numbers)
        for place, shard in enumerate(self.shards):
            shard.drop(numbers[numbers % count == place] // count)


def _select(chosen: Numbers, starts: Numbers, features: Any, content: Any) -> tuple[Numbers, Any, Any]:
    """Return starts, features and content of some models out of many."""
    sizes = np.diff(starts)[chosen]
    own = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    places = np.repeat(starts[chosen] - own[:-1], sizes) + np.arange(own[-1])
    return own, features[places], content[places]
