"""The events of webhooks, made from the journal alone: they are the same whenever they are sent.

An entry of the journal gives no event, one or two. A label is settled by the vote that decides it, by a
correction, and by an import. Entries about items that were deleted since give none: their content is gone.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple, get_args

import msgspec
from msgspec import UNSET

from askance.service.images import address_of
from askance.service.label_sets import label_of
from askance.service.messages.webhooks import EventType
from askance.service.settings import TaskSettings
from askance.service.state import journal
from askance.service.state.questions import Question, Vote
from askance.service.store.entries import Entry
from askance.service.store.reader import Reader

EVENT_TYPES: tuple[EventType, ...] = get_args(EventType)
SETTLED, OPEN, STATE, VERSION, DELETED, CERTIFIED, REVOKED, DRIFT = EVENT_TYPES
OF_TASKS = {journal.CERTIFIED: CERTIFIED, journal.REVOKED: REVOKED, journal.DRIFT: DRIFT}

KINDS = (
    *(journal.QUESTION, journal.ASK, journal.IMPORTED, journal.LABEL, journal.CORRECTION, journal.UNDO),
    *(journal.ROLLBACK, journal.STATE, journal.DELETION, *OF_TASKS),
)
ABOUT_ITEMS = (journal.ASK, journal.LABEL, journal.CORRECTION, journal.UNDO)

_encode = msgspec.json.Encoder().encode


class Event(NamedTuple):
    """Something that happened to a task, at an entry of its journal."""

    type: str
    seq: int
    at: float
    data: dict[str, Any]

    def identity(self, task: str) -> str:
        """The id: the same whenever the event is sent."""
        return f"{task}.{self.seq}.{self.type}"

    def body(self, task: str) -> bytes:
        """The body of the request."""
        moment = datetime.fromtimestamp(self.at, UTC).isoformat().replace("+00:00", "Z")
        return _encode(
            {"type": self.type, "timestamp": moment, "data": {"task": task, "seq": self.seq} | self.data}
        )


class EventMaker:
    """Makes the events of a task from its journal."""

    def __init__(self, store: Reader, task: int, settings: TaskSettings) -> None:
        self._store = store
        self._task = task
        self._settings = [(0, settings)]  # from which entry on
        self._known = 0  # the entry up to which changes of the settings are known

    def events(self, entries: Sequence[Entry], wanted: Collection[str]) -> Iterator[tuple[int, list[Event]]]:
        """The wanted events of each entry; of several new versions of the model, the last alone."""
        if not entries:
            return
        self._catch_up(entries[-1].seq)
        items = [entry.item for entry in entries if entry.kind in ABOUT_ITEMS and entry.item is not None]
        about = self._store.about(self._task, items)
        for number, item in self._store.at(self._task, items).items():
            if item.kind == journal.ITEM:  # which is not among the entries about it
                about[number].insert(0, item)
        versions = []
        made = []
        for entry in entries:
            event, changes_model = self._event(entry, about)
            made.append((entry, event and self._with_names(event)))
            versions += [entry.seq] if changes_model else []
        for entry, event in made:
            found = [event] if event is not None and event.type in wanted else []
            if VERSION in wanted and versions and entry.seq == versions[-1]:
                found.append(Event(VERSION, entry.seq, entry.at, {"version": entry.seq}))
            yield entry.seq, found

    def _with_names(self, event: Event) -> Event:
        """The event with the names that classes had at that time, which the journal knows by their first names.

        An image in the store gets its address.
        """
        settings, data = self._settings_at(event.seq), dict(event.data)
        for field in ("label", "prediction"):
            if field in data:
                data[field] = label_of(settings, data[field])
        if data.get("image"):
            data["image"] = address_of(settings, data["item"], data["image"])
        return event._replace(data=data)

    def _event(self, entry: Entry, about: Mapping[int, list[Entry]]) -> tuple[Event | None, bool]:
        """The event of an entry, and whether the model changes."""
        body = journal.read(entry)
        if entry.kind == journal.QUESTION:
            return _opened(entry, [entry]), False
        if entry.kind == journal.IMPORTED:
            return _settled(entry, [entry], body.label), True
        if entry.kind == journal.STATE:
            return Event(STATE, entry.seq, entry.at, {"state": body.state}), False
        if entry.kind == journal.DELETION:
            return Event(DELETED, entry.seq, entry.at, {"items": sorted(body.all)}), True
        if entry.kind in OF_TASKS:
            return Event(OF_TASKS[entry.kind], entry.seq, entry.at, msgspec.structs.asdict(body)), False
        if entry.kind == journal.ROLLBACK or (entry.kind == journal.UNDO and entry.item is None):
            return None, True
        return self._of_label(entry, [one for one in about[entry.item or 0] if one.seq <= entry.seq])

    def _of_label(self, entry: Entry, known: Sequence[Entry]) -> tuple[Event | None, bool]:
        """The event of a vote, of a correction, of an undone vote, or of a question that was chosen on lease.

        There is none of a gold item, nor of an item that was deleted since.
        """
        if known[0].kind in (journal.DELETED, journal.GOLD):
            return None, False
        if entry.kind == journal.ASK:
            by_program = journal.read(entry).reason == "guesses"  # which is no question
            return None if by_program else _opened(entry, known), False
        if entry.kind == journal.CORRECTION:
            return _settled(entry, known, journal.read(entry).label, corrected=True), True
        decided, label = self._decided(known)
        if label is None:
            return (_opened(entry, known) if entry.kind == journal.UNDO else None), entry.kind == journal.UNDO
        if entry.kind == journal.UNDO or decided.seq == entry.seq:
            probability = None if decided.verdict is None else decided.verdict.probability
            return _settled(entry, known, label, probability=probability), True
        return None, False

    def _decided(self, known: Sequence[Entry]) -> tuple[Vote, str | None]:
        """The vote that settled the label, and the label, which is None if it is not settled."""
        undone = {journal.read(one).of for one in known if one.kind == journal.UNDO}
        question = Question(known[0].seq, "", 0.0, 0.0, 0.0)
        for one in known:
            if one.kind == journal.LABEL and one.seq not in undone:
                given = journal.read(one)
                final = given.final or given.by_program
                question.votes.append(Vote(one.seq, one.who, given.label, final, given.verdict))
                label = question.settled(self._settings_at(one.seq).labels)
                if label is not None:
                    return question.votes[-1], label
        return Vote(0, None, ""), None

    def _settings_at(self, seq: int) -> TaskSettings:
        return next(settings for start, settings in reversed(self._settings) if start <= seq)

    def _catch_up(self, upto: int) -> None:
        """Read which settings the task had, and since when: votes that an item needed, and names of classes."""
        for batch in self._store.entries(self._task, self._known, upto, [journal.SETTINGS]):
            for entry in batch:
                self._settings.append((entry.seq, journal.read(entry).applied_to(self._settings[-1][1])))
        self._known = max(upto, self._known)


def _opened(entry: Entry, known: Sequence[Entry]) -> Event:
    item, asked = known[0], _last_asked(known)
    said = journal.read(asked)  # what the model predicted when it was asked about
    facts = {
        "prediction": said.prediction,
        "score": said.score,
        **_why(known),
        "again": asked.seq != entry.seq,
    }
    return Event(OPEN, entry.seq, entry.at, _content(item, journal.read(item)) | facts)


def _settled(
    entry: Entry, known: Sequence[Entry], label: str, *, corrected: bool = False, probability: float | None = None
) -> Event:
    item, body = known[0], journal.read(known[0])
    imported = item.kind == journal.IMPORTED
    why = {"reason": None, "ask_probability": None} if imported else _why(known)
    asked_with = why["ask_probability"]
    facts = {
        "label": label,
        "label_probability": probability,
        "corrected": corrected,
        "imported": imported,
        "source": body.source if imported and body.source is not UNSET else None,
        **why,
        "weight": 1 / asked_with if asked_with else None,
    }
    return Event(SETTLED, entry.seq, entry.at, _content(item, body) | facts)


def _last_asked(known: Sequence[Entry]) -> Entry:
    """The entry with which an item became a question, or the item."""
    return next((one for one in reversed(known) if one.kind in journal.ASKED_ITEMS), known[0])


def _why(known: Sequence[Entry]) -> dict[str, Any]:
    """Why an item was asked about, and with which probability, as far as it was known then."""
    asked = _last_asked(known)
    body = journal.read(asked)
    if asked.kind == journal.ASK:
        return {"reason": body.reason, "ask_probability": body.probability}
    return {"reason": None, "ask_probability": body.ask_probability or None}


def _content(item: Entry, body: Any) -> dict[str, Any]:
    parts = ((name, getattr(body, name)) for name in ("text", "record", "note", "image"))
    content = {name: None if part is UNSET else part for name, part in parts}
    return {"item": item.seq, "id": item.key, **content}
