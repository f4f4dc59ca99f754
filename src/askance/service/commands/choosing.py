"""Which questions a labeller gets: those that are open, and new ones, chosen now by the current model."""

import random
from collections.abc import Sequence
from itertools import islice

from askance.service.commands import deciding
from askance.service.commands.asking import ask, current, most_doubtful, withdraw_deserted
from askance.service.errors import conflict
from askance.service.state import journal
from askance.service.state.fold import Fold
from askance.service.state.questions import Question
from askance.service.transaction import Transaction


def next_questions(transaction: Transaction, count: int, who: str | None) -> list[Question]:
    """The questions to lease now: open ones first, then new ones within the budget."""
    fold, now = transaction.fold, transaction.now
    withdraw_deserted(transaction)
    cost, room = transaction.settings.label_cost, fold.labels_left(now)
    chosen: list[Question] = []
    for question in fold.questions.free_for(who, now, transaction.settings.labels):
        if len(chosen) == count:
            break
        missing = question.missing(cost, now)
        if not missing or missing <= room:
            room -= missing
            chosen.append(question)
    if not transaction.settings.asks_on_lease:
        return chosen
    return [*chosen, *_new(transaction, int(min(count - len(chosen), max(0.0, room) // cost)))]


def with_gold(transaction: Transaction, count: int, who: str | None) -> list[Question]:
    """The questions to lease now, some of which are gold items, at random places among the others."""
    fold, share = transaction.fold, transaction.settings.labels.gold
    free = fold.gold.free_for(who, transaction.now) if share and fold.gold.labels else []
    if not free:
        return next_questions(transaction, count, who)
    chance = random.Random(f"{transaction.settings.random_state} {fold.seq} {who}")
    places = [place for place in range(count) if chance.random() < share][: len(free)]
    if waiting(fold, transaction.now) <= 0:  # nobody is to work for gold items alone
        return []
    chosen = next_questions(transaction, count - len(places), who) if count > len(places) else []
    cost, now = transaction.settings.label_cost, transaction.now
    left = fold.labels_left(now) - sum(question.missing(cost, now) for question in chosen)
    places = places[: int(max(0.0, min(left, len(places))))]
    for place, question in zip(places, chance.sample(free, len(places)), strict=True):
        chosen.insert(place, question)
    return chosen


def ask_named(transaction: Transaction, items: Sequence[int]) -> None:
    """Ask about named items that wait: somebody wants to label them, or did so when the lease had ended."""
    fold = transaction.fold
    if not transaction.settings.asks_on_lease:
        return
    named = [item for item in items if may_be_asked(fold, item)]
    check_left(transaction, len(named) * transaction.settings.label_cost, named)
    for choice in current(transaction, named).values():
        ask(transaction, choice, "given")


def check_room(transaction: Transaction, items: Sequence[int], who: str | None) -> None:
    """Refuse votes on items if the budget has set no labels aside for them, and does not have enough left."""
    fold, now, cost = transaction.fold, transaction.now, transaction.settings.label_cost
    named = [question for item in items if (question := fold.question_of(item)) is not None]
    unlent = [question for question in named if question.loan(who, now) is None]
    missing = sum(question.missing(cost, now) for question in unlent)
    missing += cost * sum(may_be_asked(fold, item) for item in items)
    check_left(transaction, missing, items)


def check_left(transaction: Transaction, labels: int, items: Sequence[int]) -> None:
    """Refuse items for which the budget has too few labels, even if deserted questions give theirs back."""
    if labels > max(0.0, transaction.fold.labels_left(transaction.now)):
        withdraw_deserted(transaction, but=items)
    if labels > max(0.0, transaction.fold.labels_left(transaction.now)):
        raise conflict("budget_spent", "the budget has no label left for these items: name fewer, or raise it")


def may_be_asked(fold: Fold, item: int) -> bool:
    """Whether an item waits to be asked about."""
    audit = fold.audits.kept.get(item)
    return item in fold.candidates.waiting or (audit is not None and audit.state == "waiting")


def waiting(fold: Fold, now: float) -> int:
    """The number of questions that could be leased now."""
    open_now = len(fold.questions.open) - fold.questions.lent(now)
    if not fold.settings.asks_on_lease or fold.state != "running":
        return open_now
    audits = sum(audit.state == "waiting" for audit in list(fold.audits.kept.values()))
    return open_now + min(affordable(fold, now), len(fold.candidates.waiting) + audits)


def affordable(fold: Fold, now: float) -> int:
    """The number of questions for which the budget has labels left."""
    left = fold.labels_left(now)
    most = len(fold.candidates.waiting) + len(fold.audits.kept) + len(fold.questions.open)
    return int(max(0.0, min(left / fold.settings.label_cost, most)))


def _new(transaction: Transaction, count: int) -> list[Question]:
    """Ask about new items: some at random, then for a certificate, the others because the model is in doubt."""
    fold = transaction.fold
    if count <= 0 or fold.model.diverged:
        return []
    found = _ask_all(transaction, fold.audits.due(min(fold.audits_wanted(count), count)), "audit")
    checks = (item for item in fold.automation.checks() if may_be_asked(fold, item))
    found += _ask_all(transaction, list(islice(checks, count - len(found))), "check")
    choose = _doubtful if fold.settings.oracles.enough is None else deciding.doubtful
    found += choose(transaction, count - len(found))
    if len(found) < count:  # nothing is left to doubt
        found += _ask_all(transaction, fold.audits.next(count - len(found)), "audit")
    return found


def _doubtful(transaction: Transaction, count: int) -> list[Question]:
    return [ask(transaction, choice, "doubt") for choice in most_doubtful(transaction, count)]


def _ask_all(transaction: Transaction, items: Sequence[int], reason: journal.Reason) -> list[Question]:
    said = current(transaction, items)
    return [ask(transaction, said[item], reason) for item in items if item in said]
