"""How fast labellers are, and how they agree, from the newest labels of the journal."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, pairwise
from statistics import median

import numpy as np

from askance.metrics.agreement import cohen_kappa
from askance.service import messages
from askance.service.state import journal
from askance.service.state.audits import Sample
from askance.service.state.fold import Fold
from askance.service.state.history import PAUSE
from askance.service.store import Store
from askance.service.task import Task
from askance.service.views.guessers import guessers
from askance.service.views.reliability import Given, Reliabilities

LOOKED_AT, BATCH = 20_000, 2000  # newest labels
MOST_PAIRS = 50
FEWEST = 30  # items in common before there is a kappa
FEWEST_GAPS = 10  # times between two labels before there is a speed


Tables = dict[tuple[str, str], Counter[tuple[str, str]]]


def labellers(store: Store, task: Task, sample: Sample | None = None) -> messages.Labellers:
    """The labellers, with what their labels tell, and programs that guess, by a sample of questions at random."""
    fold = task.fold
    given = _given(store, task.number, fold)
    tables = _tables(given)
    people = list(fold.people.items())  # a copy: the writer may change it meanwhile
    times = {who: _gaps(given, who) for who, _ in people}
    decided = fold.amendments.corrected | fold.gold.labels
    classes = fold.settings.ids
    if fold.settings.multilabel:  # sets are compared as a whole
        classes = sorted({*classes, *(one.label for one in given), *decided.values()})
    reliabilities = Reliabilities(classes, given, decided)
    gold = _gold(given, fold.gold.labels.copy())
    work = [
        messages.LabellerWork(
            who,
            counts.labels,
            counts.skips,
            *_agreement(who, tables),
            *_speed(times[who]),
            *reliabilities.of(who),
            len(gold[who]),
            sum(gold[who]),
        )
        for who, counts in sorted(people)
    ]
    largest = sorted(tables, key=lambda pair: (-tables[pair].total(), pair))[:MOST_PAIRS]
    pairs = [_pair(pair, tables[pair]) for pair in largest]
    return messages.Labellers(work, pairs, len(given), guessers(store, task, sample), reliabilities.agreement())


def _given(store: Store, number: int, fold: Fold) -> list[Given]:
    """The newest labels that were not undone, the oldest of them first."""
    found: list[Given] = []
    for batch in store.newest(number, None, (journal.LABEL,), BATCH):
        for entry in batch:
            body = journal.read(entry)
            if entry.seq not in fold.amendments.undone and not body.by_program:
                found.append(Given(entry.item or 0, entry.who or "", body.label, entry.at, body.final))
        if len(found) >= LOOKED_AT:
            break
    return found[::-1]


def _gold(given: Iterable[Given], labels: Mapping[int, str]) -> Mapping[str, list[bool]]:
    """For each labeller, which labels of gold items were right."""
    found: dict[str, list[bool]] = defaultdict(list)
    for one in given:
        if one.item in labels:
            found[one.who].append(one.label == labels[one.item])
    return found


def _gaps(given: Iterable[Given], who: str) -> list[float]:
    """The seconds between two labels of somebody, without pauses."""
    gaps = [later - earlier for earlier, later in pairwise(one.at for one in given if one.who == who)]
    return [gap for gap in gaps if 0 < gap < PAUSE]


def _speed(gaps: Sequence[float]) -> tuple[float | None, float | None]:
    """Labels per hour at work, and the median of seconds between two."""
    return (3600 * len(gaps) / sum(gaps), median(gaps)) if len(gaps) >= FEWEST_GAPS else (None, None)


def _tables(given: Iterable[Given]) -> Tables:
    """For each pair of labellers, what both gave to the same items. Final labels are left out."""
    of_item: dict[int, dict[str, str]] = defaultdict(dict)
    for one in given:
        if not one.final:
            of_item[one.item][one.who] = one.label
    tables: Tables = defaultdict(Counter)
    for labels in of_item.values():
        for first, second in combinations(sorted(labels), 2):
            tables[first, second][labels[first], labels[second]] += 1
    return dict(tables)


def _agreement(who: str, tables: Mapping[tuple[str, str], Counter[tuple[str, str]]]) -> tuple[int, float | None]:
    mine = [table for pair, table in tables.items() if who in pair]
    compared = sum(table.total() for table in mine)
    return compared, sum(map(_equal, mine)) / compared if compared else None


def _equal(table: Counter[tuple[str, str]]) -> int:
    return sum(count for (one, other), count in table.items() if one == other)


def _pair(pair: tuple[str, str], table: Counter[tuple[str, str]]) -> messages.PairAgreement:
    items = table.total()
    return messages.PairAgreement(*pair, items, _equal(table) / items, _kappa(table))


def _kappa(table: Counter[tuple[str, str]]) -> messages.Figure:
    items = table.total()
    if items < FEWEST:
        note = f"Cannot tell yet: {items} of {FEWEST} items in common."
        return messages.Figure(None, None, None, items, note)
    classes = sorted({label for both in table for label in both})
    found = cohen_kappa(np.array([[table[one, other] for other in classes] for one in classes]))
    if found is None:
        return messages.Figure(None, None, None, items, "Cannot tell: both gave all items the same label.")
    return messages.Figure(found.value, found.low, found.high, items, "")
