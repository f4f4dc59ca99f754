"""The figures and the history of a task, and the details of an item."""

import math
from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from askance.metrics.estimates import LEVEL, Estimate
from askance.service import messages
from askance.service.commands.amendments import label_now
from askance.service.commands.items import decision
from askance.service.errors import not_found
from askance.service.state import journal
from askance.service.state.fold import Fold
from askance.service.state.history import MINUTE, Labeller
from askance.service.store.entries import Entry
from askance.service.transaction import Transaction


def detail(transaction: Transaction, item: int) -> messages.ItemDetail:
    """Everything that is known about an item."""
    entry = transaction.at([item]).get(item)
    if entry is None or entry.kind not in journal.ITEMS:
        raise not_found("unknown_item", f"there is no item {item}")
    return detail_of(transaction, entry)


def detail_of(transaction: Transaction, entry: Entry) -> messages.ItemDetail:
    """Everything that is known about the item of an entry."""
    item, body = entry.seq, journal.read(entry)
    votes, corrections = (_said(transaction, item, kind) for kind in (journal.LABEL, journal.CORRECTION))
    text, record, note = (None if part is UNSET else part for part in (body.text, body.record, body.note))
    return messages.ItemDetail(
        item,
        entry.at,
        _state(transaction, entry),
        None if entry.kind == journal.IMPORTED else decision(entry),
        label_now(transaction, entry),
        votes,
        corrections,
        agreement([vote.label for vote in votes if not vote.undone]),
        entry.key,
        text,
        record,
        note,
    )


def agreement(labels: list[str]) -> float | None:
    """The share of equal pairs of labels; None if there are fewer than two labels."""
    pairs = len(labels) * (len(labels) - 1) // 2
    return sum(labels.count(label) - 1 for label in labels) / 2 / pairs if pairs else None


def figures(
    fold: Fold, now: float, items_per_second: float, labels_per_second: float, estimates: Mapping[str, Estimate]
) -> messages.Figures:
    """The current counts, rates and estimates of a task."""
    counts = fold.counts
    waiting, leased = len(fold.questions.open), fold.questions.lent(now)
    return messages.Figures(
        state=fold.state,
        items=fold.ledger.rows,
        asked=fold.ledger.asked,
        labelled=counts.labelled,
        imported=counts.imported,
        corrected=len(fold.amendments.corrected),
        waiting=waiting - leased,
        leased=leased,
        given_up=counts.given_up,
        agreement=counts.equal_pairs / counts.pairs if counts.pairs else None,
        items_per_second=items_per_second,
        labels_per_second=labels_per_second,
        version=fold.version,
        entries=fold.seq,
        level=LEVEL,
        estimates={metric: _figure(estimate) for metric, estimate in estimates.items()},
        spend=spend(fold, now),
    )


def spend(fold: Fold, now: float) -> messages.Spend:
    """The labels asked for, and what the budget allows."""
    ledger, budget = fold.ledger, fold.settings.budget
    left, left_today = ledger.left(budget), ledger.left_today(budget, now)
    return messages.Spend(
        asked=ledger.asked,
        refused=ledger.refused,
        left=None if math.isinf(left) else left,
        today=ledger.today_of(now),
        left_today=None if math.isinf(left_today) else int(left_today),
        total=budget.total,
        per_day=budget.per_day,
        rate=budget.rate,
    )


def history(fold: Fold) -> messages.History:
    """The history of a task."""
    return messages.History(
        [
            messages.HistoryPoint(point.rows, point.asked, point.labelled, point.at, point.estimates)
            for point in fold.history.points
        ],
        [
            messages.MinuteCounts(minute * float(MINUTE), counts.items, counts.asked, counts.labels)
            for minute, counts in sorted(fold.last_day.minutes.items())
        ],
        {name: fold.classes.get(name, 0) for name in fold.settings.classes},
        [_labeller(name, labeller) for name, labeller in sorted(fold.people.items())],
    )


def _labeller(name: str, labeller: Labeller) -> messages.LabellerDetail:
    return messages.LabellerDetail(
        name,
        labeller.labels,
        labeller.skips,
        labeller.agreed / labeller.compared if labeller.compared else None,
        labeller.seconds / labeller.timed if labeller.timed else None,
    )


def _figure(estimate: Estimate) -> messages.Figure:
    return messages.Figure(estimate.value, estimate.low, estimate.high, estimate.labels, estimate.note)


def _said(transaction: Transaction, item: int, kind: str) -> list[messages.Vote]:
    """The labels or the corrections of an item, with their authors."""
    undone = transaction.fold.amendments.undone
    return [
        messages.Vote(journal.read(entry).label, entry.who, entry.at, entry.seq in undone)
        for entry in transaction.of_item(item)
        if entry.kind == kind
    ]


def _state(transaction: Transaction, entry: Entry) -> Any:
    if entry.kind == journal.ITEM:
        return "not asked"
    if entry.kind == journal.IMPORTED:
        return "imported"
    if entry.seq in transaction.fold.questions.open:
        return "open"
    return "learned" if label_now(transaction, entry) is not None else "given up"
