"""A transaction: entries that are taken into the fold and not yet on disk."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from msgspec import UNSET, Struct, UnsetType

from askance.service import messages
from askance.service.settings import TaskSettings
from askance.service.state import journal
from askance.service.state.automation import certified
from askance.service.state.fold import Fold
from askance.service.state.guesses import guesses_of, with_guesses
from askance.service.state.questions import Question
from askance.service.state.rows import AnyRow
from askance.service.state.vectors import packed
from askance.service.state.waiting_rows import WaitingRows
from askance.service.store.entries import Entry, image_name
from askance.service.store.reader import Reader


class Written(NamedTuple):
    """An entry, and the question that it is about, as it is after the entry."""

    entry: Entry
    question: Question | None


class Transaction:
    """The entries that a group of commands writes, and the journal including them."""

    def __init__(
        self, fold: Fold, store: Reader, task: int, now: float, waiting: WaitingRows | None = None
    ) -> None:
        self.fold = fold
        self.waiting = waiting or WaitingRows()
        self.now = now  # it may be earlier than the last entry: a clock may be set back
        self.entries: list[Entry] = []
        self.images: dict[str, bytes] = {}  # by name; they are written with the entries
        self._store = store
        self._task = task
        self._first = fold.seq + 1
        self._by_key: dict[tuple[str, str], Entry] = {}
        self._about: dict[int, list[Entry]] = {}

    @property
    def settings(self) -> TaskSettings:
        """The current settings."""
        return self.fold.settings

    def decide(self, item: messages.Item, row: AnyRow, who: str | None) -> Entry:
        """Let the fold decide about a new item, and write the decision."""
        guesses = guesses_of(self.settings, item)
        content = journal.Content(
            item.text, item.record, item.note, packed(item.vector), self.keep_image(item), guesses
        )
        kind, body = self.fold.decide(row, self.now, content)
        if self.settings.asks_on_lease:
            self.waiting.note(self.fold, self.fold.seq, row)
        entry = self._add(journal.entry(kind, self.fold.seq, self.now, body, key=item.id, who=who))
        self._announce()
        return entry

    def keep_image(self, item: messages.Item) -> str | UnsetType:
        """What an entry says of the image of an item: its address, or its name in the store, which gets it."""
        if item.image_data is UNSET:
            return item.image
        name = image_name(item.image_data)
        self.images[name] = item.image_data
        return name

    def write(
        self,
        kind: str,
        body: Struct,
        *,
        item: int | None = None,
        key: Any = None,
        who: str | None = None,
        row: AnyRow | None = None,
    ) -> Written:
        """Write an entry that is not a decision, and let the fold take it in."""
        entry = journal.entry(kind, self.fold.seq + 1, self.now, body, item=item, key=key, who=who)
        written = Written(entry, self.fold.take(entry, body, row))
        self._add(entry)
        self._announce()
        return written

    def _announce(self) -> None:
        """Write whether predictions are certified, and have become worse, if that is not what the journal says."""
        drifting = self.fold.drifting
        if drifting.is_new and drifting.alarm is not None:
            self.write(journal.DRIFT, journal.Drift(drifting.alarm.since))
        automation = self.fold.automation
        known = automation.announced is not None and automation.announced.certified
        if automation.certified and not known:
            found = automation.certificate()
            assert found is not None
            self.write(journal.CERTIFIED, certified(self.settings, found))
        elif known and not automation.certified:
            self.write(journal.REVOKED, journal.Revoked(automation.why_not))

    def at(self, seqs: Iterable[int]) -> dict[int, Entry]:
        """The entries with these numbers that exist."""
        wanted = set(seqs)
        own = {seq: self.entries[seq - self._first] for seq in wanted if self._first <= seq <= self.fold.seq}
        return own | self._store.at(self._task, wanted - own.keys()) if len(own) < len(wanted) else own

    def by_key(self, kinds: Collection[str], keys: Collection[str]) -> dict[str, Entry]:
        """The entries of these kinds that have these keys."""
        if not keys:
            return {}
        found: dict[str, Entry] = {}
        for kind in kinds:
            found |= self._store.by_key(self._task, kind, keys)
            found |= {key: self._by_key[kind, key] for key in keys if (kind, key) in self._by_key}
        return found

    def contents(self, items: Iterable[int]) -> dict[int, Any]:
        """The contents of items by number, with the guesses that came later."""
        entries = {seq: entry for seq, entry in self.at(items).items() if entry.kind in journal.WITH_CONTENT}
        bodies = {seq: journal.read(entry) for seq, entry in entries.items()}
        if not self.fold.late_guesses:
            return bodies
        later = self._store.about(self._task, bodies.keys(), journal.GUESS)
        for entry in self.entries:
            if entry.kind == journal.GUESS and entry.item in later:
                later[entry.item].append(entry)
        return {seq: with_guesses(body, later[seq]) for seq, body in bodies.items()}

    def of_item(self, item: int) -> list[Entry]:
        """An item and all entries about it, in order."""
        known = self._about.get(item)
        earlier = self._store.of_item(self._task, item) if known is None else known
        return [*earlier, *(entry for entry in self.entries if entry.item == item)]

    def look_up(self, items: Sequence[Entry]) -> None:
        """Load all entries about these items with one query instead of many."""
        on_lease = self.settings.asks_on_lease  # then items become questions after their arrival
        alone = not on_lease and not self.fold.late_guesses
        unasked = {entry.seq: [entry] for entry in items if entry.kind == journal.ITEM and alone}
        others = [entry.seq for entry in items if entry.seq not in unasked]
        self._about |= unasked | self._store.about(self._task, others)

    def _add(self, entry: Entry) -> Entry:
        self.entries.append(entry)
        if entry.key is not None:
            self._by_key[entry.kind, entry.key] = entry
        return entry
