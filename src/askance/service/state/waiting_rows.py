"""The rows of items that wait, and which of them to ask about next.

This is a cache and no part of the fold: what was chosen is in the journal, so a replay does not need it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from askance.service.state.candidates import Candidate
from askance.service.state.fold import Fold
from askance.service.state.ranking import Opinions, likeness, opinions
from askance.service.state.rows import AnyRow, own_copy
from askance.typing import IntArray

FIRST = 10  # labels before there is anything to doubt
RANKED = 1000  # items that were least certain before, and as many others in turn, are predicted for a lease
CONSIDERED = 4  # items for each question, of which some are left out because they are like others
TOO_LIKE = 0.9  # the cosine from which two items are not asked about at the same time

RowsOf = Callable[[Sequence[int]], Mapping[int, AnyRow]]


class Choice(NamedTuple):
    """An item to ask about, and what the model says of it now."""

    item: int
    prediction: str
    score: float


class WaitingRows:
    """Rows by item, and how certain the model was of each when it was last asked."""

    def __init__(self) -> None:
        self._rows: dict[int, AnyRow] = {}
        self._leads: dict[int, float] = {}
        self._turn: list[int] = []  # items to predict in turn
        self._gone: set[int] = set()  # items whose content was dropped by a compaction

    def note(self, fold: Fold, item: int, row: AnyRow) -> None:
        """Keep the row of a new item, if it may be asked about."""
        if item in fold.candidates.waiting:
            self._rows[item] = own_copy(row)
            if len(self._rows) > 1.2 * len(fold.candidates.waiting) + 100:
                self._forget(fold)

    def forget(self, item: int) -> None:
        """Read the row of an item again when it is needed: it has other features now."""
        self._rows.pop(item, None)

    def most_doubtful(self, fold: Fold, count: int, rows_of: RowsOf, on_lease: Iterable[int] = ()) -> list[Choice]:
        """The items to ask about now, none of which is nearly the same as another or as one that is on lease."""
        waiting = _doubted(fold)
        if not waiting or not count:
            return []
        knows_little = fold.counts.labelled + fold.counts.imported < FIRST
        if knows_little:
            items = sorted(waiting, key=lambda item: waiting[item].coin)[: CONSIDERED * count]
        else:
            items = self._to_rank(waiting, count)
        rows = self._with_rows(fold, items, rows_of)
        items = [item for item in items if item in rows]
        if not items:
            return []
        with fold.model.lock:
            found = opinions(fold.model.learner, fold.settings, [rows[item] for item in items])
        if knows_little:
            order = np.arange(len(items))
        else:
            self._leads |= zip(items, found.leads.tolist(), strict=True)
            order = np.argsort(found.leads, kind="stable")
        others = self._with_rows(fold, list(on_lease), rows_of)
        return self._unlike(fold, items, found, rows, order[: CONSIDERED * count], count, list(others.values()))

    def predictions(self, fold: Fold, items: Sequence[int], rows_of: RowsOf) -> dict[int, Choice]:
        """What the model says now of some items."""
        rows = self._with_rows(fold, items, rows_of)
        if not rows:
            return {}
        with fold.model.lock:
            found = opinions(fold.model.learner, fold.settings, list(rows.values()))
        return {
            item: Choice(item, prediction, float(score))
            for item, prediction, score in zip(rows, found.predictions, found.scores, strict=True)
        }

    def _unlike(
        self,
        fold: Fold,
        items: Sequence[int],
        found: Opinions,
        rows: Mapping[int, AnyRow],
        order: IntArray,
        count: int,
        others: Sequence[AnyRow],
    ) -> list[Choice]:
        """The first of these that are unlike each other and unlike `others`; then the rest, if it needs more."""
        with fold.model.lock:
            alike = likeness(fold.model.learner, [*others, *(rows[items[place]] for place in order)])
        chosen = list(range(len(others)))
        left: list[int] = []
        for place in range(len(others), len(alike)):
            (left if (alike[place, chosen] > TOO_LIKE).any() else chosen).append(place)
        picked = [*chosen[len(others) :], *left][:count]
        return [
            Choice(items[place], found.predictions[place], float(found.scores[place]))
            for place in (int(order[one - len(others)]) for one in picked)
        ]

    def _to_rank(self, waiting: Mapping[int, Candidate], count: int) -> list[int]:
        """The items that were least certain before, and some others in turn."""
        if len(waiting) <= 2 * RANKED:
            return list(waiting)
        known = [item for item in waiting if item in self._leads]
        fewest = max(RANKED, CONSIDERED * count)
        doubtful = sorted(known, key=self._leads.__getitem__)[:fewest]
        chosen = set(doubtful)
        others: list[int] = []
        while len(others) < RANKED:
            if not self._turn:
                self._turn = sorted(waiting, key=lambda item: waiting[item].coin)  # in a random order
            item = self._turn.pop()
            if item in waiting and item not in chosen:
                others.append(item)
                chosen.add(item)
        return [*doubtful, *others]

    def _with_rows(self, fold: Fold, items: Sequence[int], rows_of: RowsOf) -> dict[int, AnyRow]:
        """The rows of items. Those that are not kept are read from the store, and kept if the item waits."""
        missing = [item for item in items if item not in self._rows and item not in self._gone]
        read = rows_of(missing) if missing else {}
        self._gone.update(item for item in missing if item not in read)
        self._rows |= {item: own_copy(row) for item, row in read.items() if item in fold.candidates.waiting}
        return {item: row for item in items if (row := self._rows.get(item, read.get(item))) is not None}

    def _forget(self, fold: Fold) -> None:
        kept = fold.candidates.waiting
        self._rows = {item: row for item, row in self._rows.items() if item in kept}
        self._leads = {item: lead for item, lead in self._leads.items() if item in kept}


def _doubted(fold: Fold) -> Mapping[int, Candidate]:
    """The items that wait and were not decided without people."""
    waiting = fold.candidates.waiting
    if fold.settings.certify.error is None:
        return waiting
    return {item: candidate for item, candidate in waiting.items() if not candidate.automatic}
