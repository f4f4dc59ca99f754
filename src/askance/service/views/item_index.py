"""What filters and orders need to know of the items of a task, in columns.

The first search of a task reads its journal, and later ones read what came since. So a search of hundreds of
thousands of items takes a moment, no table has to be kept in step with the journal, and the writer does nothing.
"""

import threading
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
from msgspec import UNSET
from numpy.typing import NDArray

from askance.service import messages
from askance.service.set_text import parted
from askance.service.state import journal
from askance.service.state.fold import Fold
from askance.service.store import Store
from askance.service.store.entries import Entry
from askance.typing import BoolArray, IntArray

STEP = 50_000  # entries of the journal that one request reads at most
MOST = 2_000_000  # items; of older ones nothing is known here
READ = (
    *journal.ITEMS,
    *(journal.ASK, journal.WITHDRAW, journal.LABEL, journal.UNDO, journal.CORRECTION),
    journal.DELETION,
)

NONE = -1  # no class, or nobody
NOT_ASKED, GIVEN_UP, IMPORTED = 0, 1, 2  # what the entries say of an item, unless it has a label or is open


class Vote(NamedTuple):
    """A label that somebody gave, with its entry. A vote may be the decision of a lead."""

    seq: int
    who: str | None
    given: journal.Label


COLUMNS: dict[str, type[Any]] = {
    "item": np.int64,
    "at": np.float64,
    "score": np.float64,
    "predicted": np.int32,
    "label": np.int32,
    "labeller": np.int32,  # of an import
    "kind": np.int8,
    "differs": np.bool_,  # whether there are different labels of it
}


class ItemIndex:
    """The items of a task up to an entry, in the order of their arrival. Any thread may use it, one at a time."""

    def __init__(self, store: Store, task: int) -> None:
        self.lock = threading.Lock()
        self._store = store
        self._task = task
        self._upto = 0
        self._size = 0
        self._forgot = False  # whether the oldest items were left out
        self._columns = {name: np.empty(1024, dtype) for name, dtype in COLUMNS.items()}
        self._codes: dict[str, int] = {}  # of classes and people
        self._votes: dict[int, list[Vote]] = {}  # of each item
        self._corrected: dict[int, Vote] = {}

    # ------------------------------------------------------------------ reading the journal

    def catch_up(self) -> bool:
        """Read what came since the last time, but not too much at once; whether it knows everything now."""
        last = self._store.last(self._task)
        upto = min(last, self._upto + STEP)
        for entries in self._store.entries(self._task, self._upto, upto, READ):
            self._take(entries)
        self._upto = upto
        return upto == last

    @property
    def is_complete(self) -> bool:
        """Whether it has all items up to its entry."""
        return not self._forgot

    def _take(self, entries: list[Entry]) -> None:
        self._add([entry for entry in entries if entry.kind in journal.ITEMS])
        kinds: dict[int, int] = {}
        labelled: set[int] = set()
        deleted: set[int] = set()
        for entry in entries:
            item = entry.item or 0  # which the undoing of a rollback does not have
            if entry.kind in (journal.ASK, journal.WITHDRAW):
                kinds[item] = GIVEN_UP if entry.kind == journal.ASK else NOT_ASKED
            elif entry.kind == journal.DELETION:
                deleted |= journal.read(entry).all.keys()
            elif entry.kind not in journal.ITEMS:
                labelled.add(item)
                self._note(entry, item)
        self._set("kind", kinds)
        votes = {item: self._votes.get(item, []) for item in labelled}
        self._set("differs", {item: _differ(some) for item, some in votes.items()})
        labels = {item: self._label(item, some) for item, some in votes.items()}
        self._set("label", {item: self._code(label) for item, label in labels.items() if label is not None})
        self._set("label", {item: NONE for item, label in labels.items() if label is None})
        if deleted:
            self._delete(deleted)

    def _note(self, entry: Entry, item: int) -> None:
        """Keep a label or a correction, or forget a label that was undone."""
        body = journal.read(entry)
        if entry.kind == journal.LABEL:
            self._votes.setdefault(item, []).append(Vote(entry.seq, entry.who, body))
        elif entry.kind == journal.CORRECTION:
            self._corrected[item] = Vote(entry.seq, entry.who, journal.Label(body.label))
        elif item in self._votes:
            self._votes[item] = [vote for vote in self._votes[item] if vote.seq != body.of]

    def _label(self, item: int, votes: list[Vote]) -> str | None:
        """The label of an item that people labelled or corrected; of equally many votes, the first."""
        if item in self._corrected and (votes or item not in self._votes):
            return self._corrected[item].given.label
        return journal.outcome([vote.given.label for vote in votes], votes[-1].given) if votes else None

    def _add(self, items: list[Entry]) -> None:
        start, self._size = self._size, self._size + len(items)
        room = len(self._columns["item"])
        if self._size > room:
            more = max(self._size, 2 * room)
            self._columns = {name: np.resize(column, more) for name, column in self._columns.items()}
        rows = [self._row(entry) for entry in items]
        for name, values in zip(COLUMNS, zip(*rows, strict=True), strict=bool(rows)):
            self._columns[name][start : self._size] = values
        if self._size > 1.2 * MOST:
            self._forget()

    def _row(self, entry: Entry) -> tuple[Any, ...]:
        body = journal.read(entry)
        if entry.kind == journal.IMPORTED:
            by = NONE if body.labeller is UNSET else self._code(body.labeller)
            return entry.seq, entry.at, np.nan, NONE, self._code(body.label), by, IMPORTED, False
        kind = GIVEN_UP if entry.kind == journal.QUESTION else NOT_ASKED
        return entry.seq, entry.at, body.score, self._code(body.prediction), NONE, NONE, kind, False

    def _forget(self) -> None:
        """Leave out the oldest items."""
        self._columns = {name: self._column(name)[-MOST:].copy() for name in COLUMNS}
        self._size, self._forgot = MOST, True
        first = int(self._columns["item"][0])
        self._votes = {item: votes for item, votes in self._votes.items() if item >= first}
        self._corrected = {item: vote for item, vote in self._corrected.items() if item >= first}

    def _delete(self, items: Collection[int]) -> None:
        """Leave out deleted items."""
        kept = ~self._where(items)
        self._columns = {name: self._column(name)[kept] for name in COLUMNS}
        self._size = int(np.count_nonzero(kept))
        for item in items:
            self._votes.pop(item, None)
            self._corrected.pop(item, None)

    def _code(self, name: str) -> int:
        return self._codes.setdefault(name, len(self._codes))

    # ------------------------------------------------------------------ looking at it

    def _column(self, name: str) -> NDArray[Any]:
        return self._columns[name][: self._size]

    def _places(self, items: Collection[int]) -> tuple[IntArray, BoolArray]:
        """Where items are, and which of them are there at all."""
        known, wanted = self._column("item"), np.fromiter(items, np.int64, len(items))
        places = np.searchsorted(known, wanted)
        there = places < len(known)
        there[there] = known[places[there]] == wanted[there]
        return places[there], there

    def _set(self, name: str, values: dict[int, Any]) -> None:
        """Set the values of some items in a column."""
        column = self._column(name)
        places, there = self._places(values)
        column[places] = np.array(list(values.values()), column.dtype)[there]

    def _where(self, items: Collection[int]) -> BoolArray:
        found = np.zeros(self._size, bool)
        found[self._places(items)[0]] = True
        return found

    def ordered(self, fold: Fold, request: messages.ItemPlace) -> IntArray:
        """The numbers of the matching items in their order. The content is not looked at."""
        places = np.flatnonzero(self._matching(fold, request))
        items = self._column("item")[places]
        if request.order in ("newest", "oldest"):
            return items[::-1] if request.order == "newest" else items
        return items[np.lexsort((-items, self._doubt(request.order)[places]))]

    def _doubt(self, order: messages.ItemOrder) -> NDArray[np.float64]:
        """What comes first has the smallest number; imported items were not predicted and come last."""
        distance = np.abs(self._column("score"))
        found: NDArray[np.float64] = np.where(
            np.isnan(distance), np.inf, distance if order == "doubtful" else -distance
        )
        return found

    def passed(self, items: IntArray, order: messages.ItemOrder, item: int) -> int:
        """How many of these items, which are in this order, come before or are this item."""
        if order in ("newest", "oldest"):
            return int(np.count_nonzero(items >= item if order == "newest" else items <= item))
        place, _ = self._places([item])
        if not len(place):
            return 0
        doubt = self._doubt(order)
        there, own = doubt[np.searchsorted(self._column("item"), items)], doubt[place[0]]
        return int(np.count_nonzero((there < own) | ((there == own) & (items >= item))))

    # ------------------------------------------------------------------ filters

    def _matching(self, fold: Fold, request: messages.ItemFilter) -> BoolArray:
        found = self._in_state(fold, request.state)
        if request.label is not UNSET:
            found &= np.isin(self._labels(fold), self._known(fold, request.label))
        if request.predicted is not UNSET:
            found &= np.isin(self._column("predicted"), self._known(fold, request.predicted))
        if request.labeller is not UNSET:
            found &= self._by(request.labeller)
        score, at = self._column("score"), self._column("at")
        if request.min_score is not UNSET:
            found &= score >= request.min_score
        if request.max_score is not UNSET:
            found &= score <= request.max_score
        if request.since is not UNSET:
            found &= at >= request.since
        if request.until is not UNSET:
            found &= at < request.until
        return found

    def _known(self, fold: Fold, name: str) -> list[int]:
        """The codes of a class, or of all sets that have it."""
        own = fold.settings.id_of(name)
        if fold.settings.multilabel:
            sets = ((text, code) for text, code in self._codes.items() if text.startswith("["))
            return [code for text, code in sets if own in parted(text)]
        return [self._codes.get(own, NONE - 1)]

    def _open(self, fold: Fold) -> BoolArray:
        return self._where(list(fold.questions.open))

    def _labels(self, fold: Fold) -> IntArray:
        """The labels; an item that is open again, not settled, or given up has none."""
        without = self._open(fold) | self._where(list(fold.questions.given_up))
        return np.where(without, NONE, self._column("label"))

    def _in_state(self, fold: Fold, state: messages.ItemState) -> BoolArray:
        """The items in a state. The writer may change the fold meanwhile, so what is gone through is copied."""
        kind = self._column("kind")
        if state == "asked":
            return self._open(fold) | (kind == GIVEN_UP)
        if state == "waiting":
            return self._open(fold)
        if state == "open":
            return self._open(fold) | self._where(_may_be_asked(fold))
        if state == "skipped":
            return self._where([item for item, one in list(fold.questions.open.items()) if one.skipped])
        if state == "flagged":
            return self._where(list(fold.flags))
        if state == "labelled":
            return self._labels(fold) != NONE
        if state == "imported":
            return kind == IMPORTED
        if state == "corrected":
            return self._where(list(self._corrected))
        return self._column("differs").copy() if state == "disagreement" else np.ones(self._size, bool)

    def _by(self, who: str) -> BoolArray:
        """The items that somebody labelled or corrected last, or labelled before they were imported."""
        items = [item for item, votes in self._votes.items() if any(vote.who == who for vote in votes)]
        items += [item for item, vote in self._corrected.items() if vote.who == who]
        return self._where(items) | (self._column("labeller") == self._codes.get(who, NONE - 1))


def _differ(votes: list[Vote]) -> bool:
    """Whether people gave different labels. A final label does not count: its author has seen the others."""
    return len({vote.given.label for vote in votes if not vote.given.final}) > 1


def _may_be_asked(fold: Fold) -> list[int]:
    """The items that wait to be asked about."""
    audits = [item for item, audit in list(fold.audits.kept.items()) if audit.state == "waiting"]
    return [*fold.candidates.waiting.copy(), *audits]
