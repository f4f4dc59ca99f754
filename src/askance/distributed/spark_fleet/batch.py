"""Process a micro-batch for one page: decide about its rows, then learn its labels.

The result depends on the page and the content of the micro-batch, not on the order in which it arrived.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from askance.distributed.spark_fleet.events import LABEL, ROW, Event
from askance.distributed.spark_fleet.features import rows_of, stacked
from askance.distributed.spark_fleet.page import (
    EARLY,
    LEARNED,
    SPENT,
    UNASKED,
    WAITING,
    KeyState,
    Page,
    Remembered,
)
from askance.distributed.spark_fleet.settings import StreamSettings
from askance.fleet.fleet import Fleet
from askance.rules.rows import Row

DECIDED, LABEL_LEARNED, IGNORED = "decided", "learned", "ignored"
NO_KEY, NO_ID, CAME_BEFORE = "has no key", "has no id", "came before"
NOT_ASKED, LEARNED_BEFORE, NO_ROW, NO_CLASS = (
    "was not asked",
    "was learned before",
    "no row came",
    "is not a class",
)


class OutputLine(NamedTuple):
    """A line of the output, for a row or a label; `round` is that of the row."""

    kind: str
    key: str | None
    id: str | None
    outcome: str
    prediction: str | None = None
    score: float | None = None
    ask_probability: float | None = None
    asked: bool | None = None
    round: int | None = None
    label: str | None = None
    reason: str | None = None


class Due(NamedTuple):
    """A label that a waiting row gets in this micro-batch. Sorted by key and then by round."""

    key: str
    round: int
    id: str
    label: str


def process(page: Page, events: Sequence[Event], settings: StreamSettings) -> list[OutputLine]:
    """Update the page with the events of its keys, and return the lines of the output."""
    with settings.new_fleet() as fleet:
        return _PageUpdate(page, fleet, settings).process(events)


class _PageUpdate:
    """A micro-batch at work on one page."""

    def __init__(self, page: Page, fleet: Fleet, settings: StreamSettings) -> None:
        self.page = defaultdict(KeyState, page)
        self.given = page
        self.fleet = fleet
        self.settings = settings
        self.lines: list[OutputLine] = []
        self.due: list[Due] = []
        self.loaded: set[str] = set()  # keys whose models are in the fleet

    def process(self, events: Sequence[Event]) -> list[OutputLine]:
        named = [event for event in events if self.is_named(event)]
        self.decide([event for event in named if event.kind == ROW])
        self.tell([event for event in named if event.kind == LABEL])
        self.learn()
        self.forget(sorted({event.key for event in named if event.key is not None}))
        self.store()
        return self.lines

    def is_named(self, event: Event) -> bool:
        if event.key is None or event.id is None:
            self.ignore(event, NO_KEY if event.key is None else NO_ID)
        return event.key is not None and event.id is not None

    def ignore(self, event: Event, reason: str, round_: int | None = None) -> None:
        line = OutputLine(event.kind, event.key, event.id, IGNORED, round=round_, label=event.label, reason=reason)
        self.lines.append(line)

    # ------------------------------------------------------------------ rows

    def decide(self, events: Iterable[Event]) -> None:
        fresh, rows = self._fresh(
            sorted(events, key=lambda event: (event.key, event.order, event.id, event.content))
        )
        if not rows:
            return
        keys = [key for key, _ in fresh]
        self.load_models(keys)
        trace = self.fleet.decide(keys, stacked(rows, self.settings))
        decisions = zip(
            trace.predictions.tolist(),
            trace.scores.tolist(),
            trace.ask_probabilities.tolist(),
            trace.asked.tolist(),
            strict=True,
        )
        for (key, id_), row, (prediction, score, probability, asked) in zip(fresh, rows, decisions, strict=True):
            round_ = self._remember(key, id_, row, probability, asked)
            self.lines.append(OutputLine(ROW, key, id_, DECIDED, prediction, score, probability, asked, round_))

    def _fresh(self, events: Sequence[Event]) -> tuple[list[tuple[str, str]], list[Row]]:
        """Return the rows to decide about: those that have features and did not come before."""
        found: dict[tuple[str, str], Row] = {}
        for event, row in zip(events, rows_of(events, self.settings), strict=True):
            name = (str(event.key), str(event.id))
            known = self.page[name[0]].ids.get(name[1])
            if isinstance(row, str):
                self.ignore(event, row)
            elif name in found or (known is not None and known.fate != EARLY):
                self.ignore(event, CAME_BEFORE)
            else:
                found[name] = row
        return list(found), list(found.values())

    def _remember(self, key: str, id_: str, row: Row, probability: float, asked: bool) -> int:
        """Remember the decision as the most recent of the key; a label that came early is now due."""
        state = self.page[key]
        round_ = state.rounds
        state.rounds += 1
        early = state.ids.pop(id_, None)
        state.ids[id_] = Remembered(WAITING, round_, probability, row) if asked else SPENT[UNASKED]
        if early is not None and early.label is not None:
            self._tell(Event(LABEL, key, id_, 0, None, None, None, None, early.label))
        return round_

    # ------------------------------------------------------------------ labels

    def tell(self, events: Iterable[Event]) -> None:
        for event in sorted(events, key=lambda event: (event.key, event.id, event.label or "")):
            if event.label not in self.settings.fleet.classes:
                self.ignore(event, NO_CLASS)
            else:
                self._tell(event)

    def _tell(self, event: Event) -> None:
        ids = self.page[str(event.key)].ids
        known = ids.get(str(event.id))
        if known is None:
            ids[str(event.id)] = Remembered(EARLY, label=event.label)
        elif known.fate != WAITING:
            self.ignore(event, NOT_ASKED if known.fate == UNASKED else LEARNED_BEFORE)
        else:
            ids[str(event.id)] = known._replace(fate=LEARNED)
            self.due.append(Due(str(event.key), known.round, str(event.id), str(event.label)))

    def learn(self) -> None:
        """Learn the labels that are due, those of a key in the order of its rounds."""
        if not self.due:
            return
        self.due.sort()
        known = [self.page[due.key].ids[due.id] for due in self.due]
        keys = [due.key for due in self.due]
        self.load_models(keys)
        rows = stacked((each.row for each in known if each.row is not None), self.settings)
        self.fleet.partial_fit(keys, rows, [due.label for due in self.due])
        for due, each in zip(self.due, known, strict=True):
            self.page[due.key].ids[due.id] = SPENT[LEARNED]
            self.lines.append(
                OutputLine(
                    *(LABEL, due.key, due.id, LABEL_LEARNED),
                    ask_probability=each.ask_probability,
                    round=due.round,
                    label=due.label,
                )
            )

    # ------------------------------------------------------------------ keeping

    def load_models(self, keys: Iterable[str]) -> None:
        new = sorted(set(keys) - self.loaded)
        self.fleet.unpack_all({key: self.page[key].model for key in new if self.page[key].model})
        self.loaded.update(new)

    def forget(self, keys: Iterable[str]) -> None:
        """Forget the oldest ids of each key that exceed its memory."""
        for key in keys:
            ids = self.page[key].ids
            for id_ in list(ids)[: max(len(ids) - self.settings.memory, 0)]:
                oldest = ids.pop(id_)
                if oldest.fate == EARLY:
                    self.lines.append(OutputLine(LABEL, key, id_, IGNORED, label=oldest.label, reason=NO_ROW))

    def store(self) -> None:
        for key, model in self.fleet.packed():
            self.page[str(key)].model = model
        self.given.update({key: state for key, state in self.page.items() if state.ids or state.model})
