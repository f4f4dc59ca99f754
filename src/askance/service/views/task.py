"""The figures and the history of a task, and the details of an item."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import UNSET

from askance.metrics.estimates import LEVEL, Estimate
from askance.service import messages
from askance.service.commands.amendments import label_now, label_probability
from askance.service.commands.asking import current
from askance.service.commands.choosing import waiting
from askance.service.commands.items import decision, entry_of, image_of, provenance
from askance.service.errors import conflict
from askance.service.label_sets import class_counts, label_of
from askance.service.messages.base import ShownLabel
from askance.service.prices import PEOPLE, Oracles
from askance.service.state import journal
from askance.service.state.auto_model import AutoModel
from askance.service.state.automation import score
from askance.service.state.figures import sample_estimates
from askance.service.state.finite import sentence
from askance.service.state.fold import Fold
from askance.service.state.guesses import with_guesses
from askance.service.state.history import MINUTE, Labeller
from askance.service.state.rows import parts_of
from askance.service.state.vectors import length_of
from askance.service.store.entries import Entry
from askance.service.transaction import Transaction

WEEK = 7 * 86_400.0  # seconds


def detail(transaction: Transaction, item: int) -> messages.ItemDetail:
    """Everything that is known about an item."""
    return detail_of(transaction, entry_of(transaction, item))


def content(transaction: Transaction, item: int) -> Any:
    """The content of an item, unless it was dropped by a compaction."""
    body = transaction.contents([entry_of(transaction, item).seq])[item]
    if not parts_of(body):
        raise conflict("compacted", f"the content of item {item} was dropped by a compaction")
    return body


def detail_of(transaction: Transaction, entry: Entry) -> messages.ItemDetail:
    """Everything that is known about the item of an entry."""
    item, body = entry.seq, journal.read(entry)
    votes, corrections = (_said(transaction, item, kind) for kind in (journal.LABEL, journal.CORRECTION))
    text, record, note = (None if part is UNSET else part for part in (body.text, body.record, body.note))
    return messages.ItemDetail(
        item,
        entry.at,
        _state(transaction, entry),
        None if entry.kind in (journal.IMPORTED, journal.GOLD) else decision(transaction.settings, entry),
        label_now(transaction, entry),
        votes,
        corrections,
        agreement([vote.label for vote in votes if not vote.undone and not vote.final]),
        entry.key,
        text,
        record,
        note,
        *_why_asked(transaction, entry),
        length_of(body),
        provenance(entry),
        _skips(transaction, entry.seq),
        _flags(transaction, entry.seq),
        image_of(transaction.settings, item, body),
        _guesses(transaction, entry, body),
        label_probability(transaction, item),
    )


def _guesses(transaction: Transaction, entry: Entry, body: Any) -> dict[str, messages.GuessDetail] | None:
    """What programs say about an item; None if none does."""
    late = [one for one in transaction.of_item(entry.seq) if one.kind == journal.GUESS]
    found = with_guesses(body, late).guesses
    if found is UNSET:
        return None
    name_of = transaction.settings.name_of
    return {name: messages.GuessDetail(name_of(one.label), one.confidence) for name, one in found.items()}


def agreement(labels: Sequence[ShownLabel]) -> float | None:
    """The share of equal pairs of labels; None if there are fewer than two labels."""
    pairs = len(labels) * (len(labels) - 1) // 2
    return sum(labels.count(label) - 1 for label in labels) / 2 / pairs if pairs else None


class Estimates(NamedTuple):
    """The estimates of all predictions so far, of those of the last week, and of the current model."""

    all: Mapping[str, Estimate]
    recent: Mapping[str, Estimate]
    current: Mapping[str, Estimate]


def estimates(transaction: Transaction) -> Estimates:
    """All estimates of a task."""
    fold, settings = transaction.fold, transaction.settings
    if not settings.asks_on_lease:
        return Estimates(fold.figures.estimates(fold.questions.open.values()), {}, {})
    rows = fold.ledger.rows
    test = fold.audits.sample(rows, test=True)
    now = current(transaction, [item for item, _ in test.audits])
    said = {item: choice.prediction for item, choice in now.items()} | test.said_of_deleted
    kept = test._replace(audits=[(item, audit) for item, audit in test.audits if item in said])
    return Estimates(
        sample_estimates(fold.audits.sample(rows), settings),
        sample_estimates(fold.audits.sample(rows, since=transaction.now - WEEK), settings),
        sample_estimates(kept, settings, said),
    )


def figures(
    fold: Fold, now: float, items_per_second: float, labels_per_second: float, estimates: Estimates
) -> messages.Figures:
    """The current counts, rates and estimates of a task."""
    counts = fold.counts
    return messages.Figures(
        state=fold.state,
        items=fold.ledger.rows,
        asked=counts.questions,
        labelled=counts.labelled,
        labels=counts.votes,
        imported=counts.imported,
        corrected=len(fold.amendments.corrected),
        waiting=waiting(fold, now),
        leased=fold.questions.lent(now),
        given_up=counts.given_up,
        agreement=counts.equal_pairs / counts.pairs if counts.pairs else None,
        items_per_second=items_per_second,
        labels_per_second=labels_per_second,
        version=fold.version,
        entries=fold.seq,
        level=LEVEL,
        positive=fold.settings.positive_class,
        estimates=_figures(estimates.all),
        recent=_figures(estimates.recent),
        current=_figures(estimates.current),
        spend=spend(fold, now),
        problem=sentence(fold.model.diverged),
        oldest_question=_oldest(fold),
        deleted=counts.deleted,
        certificate=_certificate(fold),
        drift=_drift(fold, now),
        gold=len(fold.gold.labels),
    )


def _certificate(fold: Fold) -> messages.Certificate | None:
    automation, settings, model = fold.automation, fold.settings, fold.model.learner
    found, phase = automation.certificate(), automation.phase
    if found is None or phase is None:
        return None
    chosen, probability = math.isfinite(found.threshold), None
    if chosen and isinstance(model, AutoModel) and not settings.many:
        probability = model.core.probability(found.threshold)
    return messages.Certificate(
        state=phase,
        error=found.error,
        confidence=found.level,
        threshold=score(settings, found.threshold) if chosen else None,
        probability=probability,
        share=found.share,
        members=found.members,
        labels=found.labels,
        mistakes=found.mistakes,
        unanswered=automation.unanswered,
        missing=automation.missing,
        since=automation.announced.at if automation.announced is not None else None,
    )


def _drift(fold: Fold, now: float) -> messages.Drift | None:
    """The last alarm, for a week."""
    alarm = fold.drifting.announced
    return None if alarm is None or alarm.at < now - WEEK else messages.Drift(alarm.at, alarm.since)


def _oldest(fold: Fold) -> float | None:
    """When the oldest open question was asked; the first one is the oldest."""
    first = next(iter(fold.questions.open.values()), None)
    return None if first is None else first.asked_at


def spend(fold: Fold, now: float) -> messages.Spend:
    """The labels asked for, and what the budget allows."""
    ledger, budget = fold.ledger_at(now), fold.settings.budget
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
        money=_money(fold, now),
    )


def _money(fold: Fold, now: float) -> messages.Money | None:
    money = fold.money_at(now)
    if money.oracles == Oracles():
        return None
    trust = {one.name: one[1:] for one in fold.programs.trust(money.oracles.guesses)}
    trust[PEOPLE] = (fold.counts.labelled, 0, 0)
    paid = [
        messages.PaidAnswers(one.name, one.answers, f"{one.price:f}", f"{one.amount:f}", *trust[one.name])
        for one in money.paid()
    ]
    limit, left = (None if amount is None else f"{amount:f}" for amount in (money.oracles.limit, money.left))
    return messages.Money(f"{money.spent:f}", limit, left, paid)


def history(fold: Fold, only: str | None = None) -> messages.History:
    """The history of a task; of labellers, all of them or `only` one."""
    return messages.History(
        [
            messages.HistoryPoint(point.rows, point.asked, point.labelled, point.at, point.estimates)
            for point in fold.history.points
        ],
        [
            messages.MinuteCounts(minute * float(MINUTE), counts.items, counts.asked, counts.labels)
            for minute, counts in sorted(fold.last_day.minutes.items())
        ],
        class_counts(fold.settings, fold.classes),
        [_labeller(name, labeller) for name, labeller in sorted(fold.people.items()) if only in (None, name)],
    )


def _labeller(name: str, labeller: Labeller) -> messages.LabellerDetail:
    return messages.LabellerDetail(
        name,
        labeller.labels,
        labeller.skips,
        labeller.agreed / labeller.compared if labeller.compared else None,
        labeller.seconds / labeller.timed if labeller.timed else None,
    )


def _figures(estimates: Mapping[str, Estimate]) -> dict[str, messages.Figure]:
    return {metric: figure_of(estimate) for metric, estimate in estimates.items()}


def figure_of(estimate: Estimate) -> messages.Figure:
    """An estimate as a message."""
    return messages.Figure(estimate.value, estimate.low, estimate.high, estimate.labels, estimate.note)


def _said(transaction: Transaction, item: int, kind: str) -> list[messages.Vote]:
    """The labels or the corrections of an item, with their authors."""
    undone, settings = transaction.fold.amendments.undone, transaction.settings
    given = [(entry, journal.read(entry)) for entry in transaction.of_item(item) if entry.kind == kind]
    return [
        messages.Vote(
            label_of(settings, body.label),
            entry.who,
            entry.at,
            entry.seq in undone,
            final=kind == journal.LABEL and body.final,
        )
        for entry, body in given
    ]


def _skips(transaction: Transaction, item: int) -> list[messages.SkipDetail]:
    """Who skipped an item, when and why."""
    entries = [entry for entry in transaction.of_item(item) if entry.kind == journal.SKIP]
    return [messages.SkipDetail(entry.who, entry.at, journal.read(entry).reason or None) for entry in entries]


def _flags(transaction: Transaction, item: int) -> list[messages.FlagDetail]:
    """Who flagged an item, when and why, and whether that is settled."""
    about, still_open = transaction.of_item(item), transaction.fold.flags.get(item, {})
    undone = {journal.read(entry).of for entry in about if entry.kind == journal.UNFLAG}
    return [
        messages.FlagDetail(
            entry.who,
            entry.at,
            journal.read(entry).note or None,
            entry.seq in undone,
            entry.seq not in undone and entry.seq not in still_open,
        )
        for entry in about
        if entry.kind == journal.FLAG
    ]


def _state(transaction: Transaction, entry: Entry) -> Any:
    if entry.kind == journal.IMPORTED:
        return "imported"
    if entry.seq in transaction.fold.questions.open or entry.kind == journal.GOLD:
        return "open"
    if label_now(transaction, entry) is not None:
        return "learned"
    return "given up" if entry.kind == journal.QUESTION or _given_up(transaction, entry.seq) else "not asked"


def _why_asked(transaction: Transaction, entry: Entry) -> tuple[Any, float | None]:
    """Why an item was asked about on lease, and with which probability an item was to be asked about."""
    if entry.kind == journal.QUESTION:
        return None, journal.read(entry).ask_probability
    if entry.kind != journal.ITEM or not transaction.settings.asks_on_lease:
        return None, None
    asked = [one for one in transaction.of_item(entry.seq) if one.kind in (journal.ASK, journal.WITHDRAW)]
    if not asked or asked[-1].kind == journal.WITHDRAW:
        return None, None
    reason = journal.read(asked[-1]).reason
    audit = transaction.fold.audits.kept.get(entry.seq)
    reached = audit is not None and audit.coin <= transaction.fold.audits.reach
    return reason, transaction.fold.audits.reach if reached else None


def _given_up(transaction: Transaction, item: int) -> bool:
    """Whether an item was asked about and then neither answered nor withdrawn."""
    if not transaction.settings.asks_on_lease:
        return False
    changes = [one.kind for one in transaction.of_item(item) if one.kind in (journal.ASK, journal.WITHDRAW)]
    return bool(changes) and changes[-1] == journal.ASK
