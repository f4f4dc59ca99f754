"""The fold: what a task has become after some entries of its journal.

Everything here is a pure function of settings, entries and amendments (corrections and labels taken back), so a
task that is built again from its journal is the same to the last bit. An amended label is learned, or left out,
where it stands in the journal: the model is the one that would have been had it been right from the start.
"""

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from msgspec import UNSET

from askance.errors import StoreError
from askance.jit.coins import coins
from askance.rules.rows import Row
from askance.service.settings import State, TaskSettings
from askance.service.state import journal
from askance.service.state.budget_ledger import Ledger
from askance.service.state.figures import Figures
from askance.service.state.history import History, Labeller, LastDay
from askance.service.state.questions import Loan, Question, Questions, Vote
from askance.service.state.rows import hashed, single
from askance.service.store.entries import Entry

MOST_OPEN = 2000  # questions that a point of the history takes into account
REMEMBERED = 50  # labels of each labeller that can be taken back without naming the item

LookUp = Callable[[Iterable[int]], Mapping[int, Entry]]


class Amendments(NamedTuple):
    """Entries taken back, the right labels of items, and roll-backs: which entry goes back to which version."""

    undone: set[int]
    corrected: dict[int, str]
    rolled_back: dict[int, int]

    def add(self, entry: Entry) -> None:
        """Take in an entry that amends; of two corrections of an item, the later holds."""
        body = journal.read(entry)
        if entry.kind == journal.UNDO:
            self.undone.add(body.of)
        elif entry.kind == journal.ROLLBACK:
            self.rolled_back[entry.seq] = body.to
        else:
            assert entry.item is not None
            self.corrected[entry.item] = body.label

    def forgets(self, seq: int) -> bool:
        """Whether a roll-back that stands has what was learned by this entry forgotten."""
        return any(to < seq < at and at not in self.undone for at, to in self.rolled_back.items())


class Counts(NamedTuple):
    """How many labels were settled, imported, and given up; how many pairs of labels of an item, and of equal."""

    labelled: int = 0
    imported: int = 0
    given_up: int = 0
    pairs: int = 0
    equal_pairs: int = 0


class Verdict(NamedTuple):
    """What the learner says of a row: its label and score, the rule's probability, the coin, and their verdict;
    and whether the budget has a label for it.
    """

    label: str
    score: float
    probability: float
    coin: float
    wants: bool
    granted: bool


class Fold:
    """The model and the books of a task."""

    def __init__(self, settings: TaskSettings, amendments: Amendments | None = None) -> None:
        self.settings = settings
        self.amendments = amendments or Amendments(set(), {}, {})
        self.amended = 0  # the last entry of those that amend
        self.state: State = "running"
        self.learner = settings.learner()
        self.lock = threading.Lock()  # compiled passes run beside each other, and predictions come at any time
        self.figures = Figures(settings)
        self.ledger = Ledger()
        self.questions = Questions()
        self.counts = Counts()
        self.recent: dict[str, list[tuple[int, int]]] = {}  # labeller: the last labels, by entry and item
        self.classes: dict[str, int] = {}  # labels learned of each
        self.people: dict[str, Labeller] = {}
        self.history = History()
        self.last_day = LastDay()
        self.seq = 0
        self.at = 0.0
        self.version = 0

    # ------------------------------------------------------------------ entries

    def amend(self, entry: Entry) -> None:
        """Know of an entry that amends, before those that it is about are taken in."""
        self.amendments.add(entry)
        self.amended = entry.seq

    def ask(self, row: Row, at: float) -> Verdict:
        """Decide about the next item, which comes at that time; the learner has then seen it."""
        granted = self.state == "running" and self.ledger.grants(self.settings.budget, at)
        coin = float(coins(self.settings.random_state, self.ledger.rows, 1)[0])
        with self.lock:
            label, score, probability, wants, coin = self.learner.ask(row, granted=granted)
        return Verdict(label, float(score), float(probability), coin, bool(wants), granted)

    def take(self, entry: Entry, body: Any, row: Row | None = None) -> None:
        """Take in an entry; an item must have been asked about before, and labels need the item's row."""
        self.seq, self.at = entry.seq, entry.at
        if entry.kind in (journal.ITEM, journal.QUESTION):
            self._item(entry, body)
        elif entry.kind == journal.TAUGHT:
            self._teach(entry, body, row)
        elif entry.kind in journal.AMENDMENTS:
            self.version = entry.seq  # what they say is known from the start of the fold
        elif entry.kind == journal.LABEL:
            self._label(entry, body, row)
        elif entry.kind == journal.SETTINGS:
            self._change(body)
        elif entry.kind == journal.STATE:
            self.state = body.state
        elif (question := self.questions.open.get(entry.item or 0)) is not None:
            self._about(question, entry, body)
        if self.history.is_due(self.ledger.rows, self.counts.labelled):
            self._note_point()

    def replay(self, entries: list[Entry], look_up: LookUp) -> None:
        """Take in entries of the journal as they stand there."""
        bodies = [journal.read(entry) for entry in entries]
        rows = self._rows(entries, bodies, look_up)
        for entry, body in zip(entries, bodies, strict=True):
            row = rows.get(entry.item or 0)
            if entry.kind in (journal.ITEM, journal.QUESTION):
                assert row is not None
                self.ask(row, entry.at)
            self.take(entry, body, row)

    def _item(self, entry: Entry, body: journal.Decided) -> None:
        asked = entry.kind == journal.QUESTION
        self.ledger.note(entry.at, asked=asked, refused=body.coin < body.wanted and not asked)
        minute = self.last_day.at(entry.at)
        minute.items += 1
        minute.asked += asked
        if asked:
            self.questions.open[entry.seq] = Question(
                entry.seq, body.label, body.score, body.probability, entry.at
            )
        else:
            self.figures.settle(body.label, None, body.score, body.probability, asked=False)

    def _teach(self, entry: Entry, body: journal.Taught, row: Row | None) -> None:
        assert row is not None
        label = self.amendments.corrected.get(entry.seq, body.label)
        self._tell(entry.seq, row, label)
        self.counts = self.counts._replace(imported=self.counts.imported + 1)
        self.version = entry.seq

    def _label(self, entry: Entry, body: journal.Label, row: Row | None) -> None:
        question = self.questions.open.get(entry.item or 0)
        # Without an undone vote, others may have settled a question before its last vote came.
        if entry.seq in self.amendments.undone or question is None:
            return
        self._labeller(entry.who).gave_label(entry.at)
        self.last_day.at(entry.at).labels += 1
        question.votes.append(Vote(entry.seq, entry.who, body.label))
        self.questions.end(question, entry.who or "")
        remembered = self.recent.setdefault(entry.who or "", [])
        remembered.append((entry.seq, question.item))
        del remembered[:-REMEMBERED]
        settled = question.settled(self.settings.labels.per_item)
        if settled is not None:
            assert row is not None
            label = self.amendments.corrected.get(question.item, settled)
            self._tell(entry.seq, row, label, question.probability)
            self._settle(question, label)
            self.version = entry.seq

    def _tell(self, seq: int, row: Row, label: str, probability: float = 1.0) -> None:
        self.classes[label] = self.classes.get(label, 0) + 1
        if not self.amendments.forgets(seq):
            with self.lock:
                self.learner.tell(row, label, probability)

    def _settle(self, question: Question, label: str) -> None:
        self._close(question, label)
        votes = [vote.label for vote in question.votes]
        for vote in question.votes if len(votes) > 1 else ():
            labeller = self._labeller(vote.who)
            labeller.compared += 1
            labeller.agreed += vote.label == label
        labelled, imported, given_up, pairs, equal_pairs = self.counts
        pairs += len(votes) * (len(votes) - 1) // 2
        equal_pairs += sum(votes.count(vote) - 1 for vote in votes) // 2
        self.counts = Counts(labelled + 1, imported, given_up, pairs, equal_pairs)

    def _close(self, question: Question, label: str | None) -> None:
        self.questions.close(question)
        self.figures.settle(question.guess, label, question.score, question.probability, asked=True)

    def _about(self, question: Question, entry: Entry, body: Any) -> None:
        who = entry.who or ""
        if entry.kind == journal.LEASE:
            self.questions.lend(question, who, Loan(entry.seq, body.until))
            return
        self.questions.end(question, who)
        if entry.kind == journal.SKIP and who not in question.skipped:
            question.skipped.append(who)
            self._labeller(who).skips += 1
            if len(question.skipped) >= self.settings.labels.skips:
                self._close(question, None)
                self.counts = self.counts._replace(given_up=self.counts.given_up + 1)

    def _labeller(self, who: str | None) -> Labeller:
        """What somebody has done; a snapshot of before this was counted knows nobody."""
        return self.people.setdefault(who or "", Labeller())

    def _change(self, change: journal.Changed) -> None:
        before, self.settings = self.settings, change.applied_to(self.settings)
        self.figures.set_costs(self.settings.costs)
        if self.settings.budget.rate != before.budget.rate:
            with self.lock:
                self.learner.ask_by(self.settings.query())

    def _note_point(self) -> None:
        # Open questions count as asked in vain so far, as in the figures of now; very many of them take too long.
        waiting = self.questions.open.values() if len(self.questions.open) <= MOST_OPEN else ()
        estimates = self.figures.estimates(waiting)
        ledger = self.ledger
        self.history.add(ledger.rows, ledger.asked, self.counts.labelled, self.version, self.at, estimates)

    # ------------------------------------------------------------------ rows

    def _rows(self, entries: list[Entry], bodies: list[Any], look_up: LookUp) -> dict[int, Row]:
        """The rows of the items that come in or are labelled in these entries, by number."""
        contents = {
            entry.seq: body for entry, body in zip(entries, bodies, strict=True) if entry.kind in journal.ITEMS
        }
        labelled = {entry.item for entry in entries if entry.kind == journal.LABEL and entry.item is not None}
        earlier = look_up(labelled - contents.keys())
        contents |= {seq: journal.read(entry) for seq, entry in earlier.items()}
        return self.rows(contents)

    def rows(self, contents: Mapping[int, Any]) -> dict[int, Row]:
        """The rows of some contents by number."""
        if not contents:
            return {}
        gone = next((seq for seq, content in contents.items() if not has_content(self.settings, content)), None)
        if gone is not None:
            raise StoreError(
                f"item {gone} was compacted, and the snapshot after it is missing or damaged: restore a backup"
            )
        return dict(zip(contents, single(hashed(self.settings, list(contents.values()))), strict=True))


def has_content(settings: TaskSettings, content: Any) -> bool:
    """Whether a content is of the form that the task wants."""
    wanted, other = (content.text, content.record) if settings.item == "text" else (content.record, content.text)
    return wanted is not UNSET and other is UNSET
