"""A transaction: entries that are taken into the fold and not yet on disk."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from msgspec import Struct

from askance.rules.rows import Row
from askance.service.settings import TaskSettings
from askance.service.state import journal
from askance.service.state.fold import Fold
from askance.service.store.entries import Entry
from askance.service.store.reader import Reader


class Transaction:
    """What the commands of a group write, and the journal as it will be with it."""

    def __init__(self, fold: Fold, store: Reader, task: int, now: float) -> None:
        self.fold = fold
        self.now = max(now, fold.at)  # a clock that is set back must not set the budget's days back
        self.entries: list[Entry] = []
        self._store = store
        self._task = task
        self._first = fold.seq + 1
        self._by_key: dict[tuple[str, str], Entry] = {}
        self._about: dict[int, list[Entry]] = {}

    @property
    def settings(self) -> TaskSettings:
        """The settings of now."""
        return self.fold.settings

    def write(
        self,
        kind: str,
        body: Struct,
        *,
        item: int | None = None,
        key: Any = None,
        who: str | None = None,
        row: Row | None = None,
    ) -> Entry:
        """Add an entry, which the fold takes in."""
        entry = journal.entry(kind, self.fold.seq + 1, self.now, body, item=item, key=key, who=who)
        self.fold.take(entry, body, row)
        self.entries.append(entry)
        if entry.key is not None:
            self._by_key[kind, entry.key] = entry
        return entry

    def at(self, seqs: Iterable[int]) -> dict[int, Entry]:
        """The entries of these numbers, as far as there are any."""
        wanted = set(seqs)
        own = {seq: self.entries[seq - self._first] for seq in wanted if self._first <= seq <= self.fold.seq}
        return own | self._store.at(self._task, wanted - own.keys()) if len(own) < len(wanted) else own

    def by_key(self, kinds: Collection[str], keys: Collection[str]) -> dict[str, Entry]:
        """The entries of these kinds that their senders called so, as far as there are any."""
        if not keys:
            return {}
        found: dict[str, Entry] = {}
        for kind in kinds:
            found |= self._store.by_key(self._task, kind, keys)
            found |= {key: self._by_key[kind, key] for key in keys if (kind, key) in self._by_key}
        return found

    def of_item(self, item: int) -> list[Entry]:
        """An item and all that happened to it, in order."""
        known = self._about.get(item)
        earlier = self._store.of_item(self._task, item) if known is None else known
        return [*earlier, *(entry for entry in self.entries if entry.item == item)]

    def look_up(self, items: Sequence[Entry]) -> None:
        """Have all that happened to these items at hand: one look into the store instead of many."""
        unasked = {entry.seq: [entry] for entry in items if entry.kind == journal.ITEM}
        others = [entry.seq for entry in items if entry.seq not in unasked]
        self._about |= unasked | self._store.about(self._task, others)
