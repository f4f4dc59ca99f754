"""Audits: a random sample of all items, whose labels say how good the predictions are.

Each item has a coin, tossed on its arrival. Items with a small coin are set aside: nobody is asked about them
because of doubt, and questions at random take the smallest coin first. So at any time those below some coin are a
random sample of all items so far, however many come at once, and whatever else is asked about.
"""

import heapq
import itertools
import math
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable
from typing import Literal, NamedTuple

from msgspec import Struct, field

SET_ASIDE = 0.2  # of all items
MOST = 5000  # items that are kept, those with the smallest coins
SURPLUS = 500
FEWEST = 30  # labels of audits before there is an estimate

AuditState = Literal["waiting", "asked", "labelled", "given up", "deleted"]


class Audit(Struct, array_like=True):
    """An item that is set aside, and its number among all items.

    When it was asked about, `said` is what the model predicted then, `turn` counts the questions at random, and
    `labels` all labels that were known. It was asked about `early` if a certificate needed it before its turn.
    """

    coin: float
    row: int
    at: float
    prediction: str
    score: float
    test: bool
    state: AuditState = "waiting"
    label: str | None = None
    said: str | None = None
    turn: int = 0
    labels: int = 0
    early: bool = False

    @property
    def is_new(self) -> bool:
        """Whether its turn has not come yet. That certificates ask about confident items early must not matter."""
        return self.early or (self.state == "waiting" and self.said is None)

    @property
    def counts(self) -> bool:
        """Whether it has a label, in its turn."""
        return self.label is not None and not self.early


class Sample(NamedTuple):
    """A random sample of the items from row `first` to before row `end`: the audits, with and without a label."""

    first: int
    end: int
    audits: list[tuple[int, Audit]]

    @property
    def rows(self) -> int:
        """The number of items of which it is a sample; deleted ones only as far as they are in it."""
        deleted = sum(audit.state == "deleted" for _, audit in self.audits)
        return max(self.end - self.first + deleted, len(self.audits))

    @property
    def labels(self) -> int:
        """The number of labels."""
        return sum(audit.label is not None for _, audit in self.audits)

    @property
    def missing(self) -> int:
        """The number of audits without a label."""
        return len(self.audits) - self.labels

    @property
    def said_of_deleted(self) -> dict[int, str]:
        """What was predicted for the audits that were deleted, when somebody was asked about them."""
        return {item: audit.said for item, audit in self.audits if audit.state == "deleted" and audit.said}

    @property
    def doubt(self) -> float:
        """About how wide an interval is, without the labels of audits whose turn has not come."""
        labels = sum(audit.counts for _, audit in self.audits)
        return _doubt(labels, len(self.audits) - labels)

    def best_part(self) -> "Sample":
        """The part that probably tells most: with many labels, of which few are missing.

        Below any coin there is a random sample, too, so it may end at the first item that nobody was asked about
        yet, or at a later one. Or items may be left out that came since the first one. What the labels are plays
        no part in the choice.
        """
        best = min((self, self.before_new()), key=lambda one: one.doubt)
        least, cut = best.doubt, None
        labels = missing = 0
        for _, audit in sorted(self.audits, key=lambda one: one[1].coin):
            if audit.is_new and _doubt(labels, missing) < least:
                least, cut = _doubt(labels, missing), audit.coin
            labels, missing = labels + audit.counts, missing + (not audit.counts)
        return best if cut is None else self._replace(audits=[one for one in self.audits if one[1].coin < cut])

    def before_new(self) -> "Sample":
        """The sample of the items before the first one that nobody was asked about yet.

        What is asked about next does not depend on the items, so these are no easier than others. Items that
        somebody did not answer may be harder than others, and stay.
        """
        end = min((audit.row for _, audit in self.audits if audit.is_new), default=self.end)
        return Sample(self.first, end, [(item, audit) for item, audit in self.audits if audit.row < end])


def _doubt(labels: int, missing: int) -> float:
    """About how wide an interval is, by chance and by the answers that are missing; more if there are too few."""
    if not labels:
        return math.inf
    return 1 / math.sqrt(labels) + missing / (labels + missing) + (labels < FEWEST)


class Audits(Struct):
    """The items with the smallest coins, by number."""

    kept: dict[int, Audit] = field(default_factory=dict)
    reach: float = 0.0  # the largest coin of those asked about so far
    asked: int = 0
    early: int = 0  # questions of certificates whose turn has not come

    def add(self, item: int, audit: Audit, needed: Callable[[], Iterable[int]] = tuple) -> None:
        """Add an item. If there are too many, those with the largest coins are dropped, unless they are needed."""
        self.kept[item] = audit
        if len(self.kept) >= MOST + SURPLUS:
            order = heapq.nsmallest(MOST, self.kept, key=lambda one: self.kept[one].coin)
            stay = {*order, *needed()}
            self.kept = {one: audit for one, audit in self.kept.items() if one in stay}
            self.reach = min(self.reach, self.kept[order[-1]].coin)
            self.early = sum(audit.early for audit in self.kept.values())

    def next(self, count: int) -> list[int]:
        """The items that are to be asked about next."""
        free = [item for item, audit in self.kept.items() if audit.state == "waiting"]
        return heapq.nsmallest(count, free, key=lambda item: self.kept[item].coin)

    def due(self, turns: int) -> list[int]:
        """The items whose turn is next and that nobody was asked about early."""
        return [item for item in self._order(turns) if not self.kept[item].early]

    def pass_turns(self, turns: int) -> None:
        """Let those have their turn that were asked about early, up to the first one that must be asked about."""
        if turns > 0 and self.early:
            for item in itertools.takewhile(lambda one: self.kept[one].early, self._order(turns)):
                self._pass(self.kept[item])

    def _order(self, count: int) -> list[int]:
        """The items whose turn is next, by their coins alone, whether they were asked about early or not."""
        free = [item for item, audit in self.kept.items() if audit.early or audit.state == "waiting"]
        return heapq.nsmallest(count, free, key=lambda item: self.kept[item].coin)

    def ask(self, item: int, said: str, labels: int, reason: str) -> Audit:
        """An item becomes a question: in its turn, as a check of confident predictions, or somebody named it."""
        audit = self.kept[item]
        early = reason == "check" and audit.is_new
        if reason == "audit":
            self.reach = max(self.reach, audit.coin)
            for other in self.kept.values() if self.early else ():
                if other.early and other.coin < audit.coin:
                    self._pass(other)
        if early:
            self.early += 1
        else:
            self.asked += 1
        audit.state, audit.said, audit.turn, audit.labels, audit.early = "asked", said, self.asked, labels, early
        return audit

    def _pass(self, audit: Audit) -> None:
        """An item that was asked about early has its turn."""
        self.early, self.asked = self.early - 1, self.asked + 1
        audit.early, audit.turn, self.reach = False, self.asked, max(self.reach, audit.coin)

    def give_back(self, item: int) -> None:
        """A question that nobody answered waits again. It stays part of the sample, as a missing label."""
        if item in self.kept:
            self.kept[item].state = "waiting"
        if item in self.kept and self.kept[item].early:
            self.early, self.kept[item].early, self.kept[item].said = self.early - 1, False, None
        else:
            self.asked -= 1

    def settle(self, item: int, label: str | None) -> None:
        """A question has its label, or was given up."""
        if item in self.kept:
            audit = self.kept[item]
            audit.state, audit.label = ("given up", None) if label is None else ("labelled", label)

    def delete(self, items: Collection[int]) -> None:
        """Forget deleted items. Those that somebody was asked about stay in the sample, as missing labels.

        Somebody may have deleted them because of their labels. Without them, the sample would look better than the
        items of which it is a sample.
        """
        for item in items:
            audit = self.kept.get(item)
            if audit is not None and audit.said is None:
                del self.kept[item]
            elif audit is not None:
                audit.state, audit.label = "deleted", None
        gone = sorted(items)
        for item, audit in self.kept.items():
            audit.row = max(0, audit.row - bisect_right(gone, item))

    def sample(self, rows: int, *, since: float = 0.0, test: bool | None = None) -> Sample:
        """The audits of all items so far, or of those since a time; only those for testing, or all."""
        window = [(item, audit) for item, audit in self.kept.items() if audit.at >= since]
        found = [
            (item, audit) for item, audit in window if audit.coin <= self.reach and test in (None, audit.test)
        ]
        first = min((audit.row for _, audit in window), default=0) if since else 0
        return Sample(first, rows, found)

    def latest(self, count: int) -> list[tuple[int, Audit]]:
        """The last questions at random that have a label or may still get one."""
        asked = [(item, audit) for item, audit in self.kept.items() if audit.said is not None and not audit.early]
        return sorted(asked, key=lambda one: one[1].turn)[-count:]
