"""What the current model says of items that wait, and how they become questions."""

import math
from collections.abc import Collection, Mapping, Sequence

from askance.service.state import journal
from askance.service.state.questions import Question
from askance.service.state.rows import AnyRow, has_content, stored_rows
from askance.service.state.waiting_rows import Choice
from askance.service.transaction import Transaction


def current(transaction: Transaction, items: Sequence[int]) -> dict[int, Choice]:
    """What the current model says of items, without those whose score is not finite."""
    found = transaction.waiting.predictions(transaction.fold, items, lambda some: _rows(transaction, some))
    return {item: choice for item, choice in found.items() if math.isfinite(choice.score)}


def most_doubtful(transaction: Transaction, count: int) -> list[Choice]:
    """The items that the model doubts most now."""
    fold = transaction.fold
    found = transaction.waiting.most_doubtful(
        fold, count, lambda some: _rows(transaction, some), list(fold.questions.on_loan)
    )
    return [choice for choice in found if math.isfinite(choice.score)]


def ask(
    transaction: Transaction, choice: Choice, reason: journal.Reason, *, check: float | None = None
) -> Question:
    """Make a question of an item."""
    fold = transaction.fold
    probability = (fold.audits.asked + 1) / max(1, fold.ledger.rows) if reason == "audit" else None
    body = journal.Asked(reason, fold.version, choice.prediction, choice.score, probability, check)
    question = transaction.write(journal.ASK, body, item=choice.item).question
    assert question is not None
    return question


def withdraw_deserted(transaction: Transaction, but: Collection[int] = ()) -> None:
    """Let deserted items wait again, which gives their labels back: others may be worth more by now."""
    for question in transaction.fold.deserted(transaction.now):
        if question.item not in but:
            transaction.write(journal.WITHDRAW, journal.Nothing(), item=question.item)


def _rows(transaction: Transaction, items: Sequence[int]) -> Mapping[int, AnyRow]:
    """The rows of items, without those whose content was dropped by a compaction."""
    contents = transaction.contents(items)
    settings = transaction.settings
    return stored_rows(settings, {seq: one for seq, one in contents.items() if has_content(settings, one)})
