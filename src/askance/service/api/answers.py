"""Routes of labellers: leases, labels, skips, flags, undo and corrections."""

import time
from contextlib import suppress

import msgspec

from askance.service import messages
from askance.service.api.route import Call
from askance.service.commands import amendments, deletions, flags, groups, labels
from askance.service.errors import RequestError
from askance.service.state import journal
from askance.service.task import Task
from askance.service.transaction import Transaction
from askance.service.views import explain

EXPLAINING = 2.0  # seconds for the explanations of all questions of a lease


async def lease_questions(call: Call) -> messages.Questions:
    """Lease questions to this labeller. Nobody else gets them until the lease ends."""
    request = msgspec.structs.replace(call.body, why=False)
    leased: messages.Questions = await call.run(lambda transaction: labels.lease(transaction, request, call.who))
    if not (call.body.why and leased.questions):
        return leased
    with suppress(RequestError):  # busy: questions matter more than explanations
        return await call.read(explained, call.writer.task, leased)
    return leased


def explained(task: Task, leased: messages.Questions) -> messages.Questions:
    """Questions with explanations, except those that would take too long. No command waits for them meanwhile."""
    end, fold = time.monotonic() + EXPLAINING, task.fold
    transaction = Transaction(fold, task.store, task.number, 0.0)
    contents = transaction.contents([question.item for question in leased.questions])
    shown = []
    for question in leased.questions:
        content = contents.get(question.item)  # it may have been deleted meanwhile
        if content is not None and time.monotonic() < end:
            question = _with_reasons(question, explain.why_asked(fold, content, question))
        shown.append(question)
    return messages.Questions(shown, leased.waiting)


def _with_reasons(question: messages.Question, why: messages.Explanation | None) -> messages.Question:
    """A question with its explanation. If the model predicts another class by now, so does the question."""
    if why is None or why.prediction == question.prediction:
        return msgspec.structs.replace(question, why=why)
    return msgspec.structs.replace(question, why=why, prediction=why.prediction, score=why.score)


async def return_question(call: Call) -> messages.Questions:
    """Return a question before its lease ends."""
    item = call.item
    return await call.run(lambda transaction: labels.return_question(transaction, item, call.who))


async def give_labels(call: Call) -> messages.Receipts:
    """Label items. The response comes when the labels are on disk."""
    return await call.run(lambda transaction: labels.label(transaction, call.body.labels, call.who))


async def skip_question(call: Call) -> messages.Skipped:
    """Skip a question: other labellers may still answer it."""
    return await call.run(lambda transaction: labels.skip(transaction, call.body, call.who))


async def flag_item(call: Call) -> messages.Flagged:
    """Flag an item for review, with a note or without. It stays where it is: it can still be labelled."""
    return await call.run(lambda transaction: flags.flag(transaction, call.body, call.who))


async def undo_flag(call: Call) -> messages.Flagged:
    """Undo your last open flag of an item."""
    return await call.run(lambda transaction: flags.undo_flag(transaction, call.body, call.who))


async def undo_label(call: Call) -> messages.Amendment:
    """Undo a label: the model forgets it, and the question is leased to this labeller again."""
    return await call.run(lambda transaction: amendments.undo(transaction, call.body, call.who), alone=True)


async def correct_label(call: Call) -> messages.Amendment:
    """Correct a label. The model no longer knows the wrong one, and learns the right one."""
    return await call.run(lambda transaction: amendments.correct(transaction, call.body, call.who), alone=True)


async def label_group(call: Call) -> messages.GroupLabelled:
    """Give one label to many items. Labels that some of them have already are corrected."""
    request, late = call.body, list[messages.Refusal]()
    found = await call.run(
        lambda transaction: groups.label_group(transaction, request, call.who), size=len(request.items)
    )

    def work(transaction: Transaction) -> amendments.PendingAmendment | None:
        change, refused = groups.correct_group(transaction, request.label, found.correct, call.who)
        late.extend(refused)
        return change

    if found.correct:
        await call.run(work, alone=True)
    left = {one.item for one in late}
    return messages.GroupLabelled(
        [*found.label, *groups.done_before(found, journal.LABEL)],
        [*(item for item in found.correct if item not in left), *groups.done_before(found, journal.CORRECTION)],
        found.unchanged,
        [*found.refused, *late],
        call.writer.task.fold.version,
    )


async def delete_items(call: Call) -> messages.ItemsDeleted:
    """Delete items for good: their content is erased, and the model is as if they had never come."""
    answers: list[messages.ItemsDeleted] = []

    def work(transaction: Transaction) -> amendments.PendingAmendment | None:
        change, answer = deletions.delete(transaction, call.body, call.who)
        answers.append(answer)
        return change

    await call.run(work, alone=True)
    return msgspec.structs.replace(answers[0], version=call.writer.task.fold.version)


async def undo_group(call: Call) -> messages.GroupUndone:
    """Undo many labels at once: the model forgets them, and their questions wait again."""
    answers: list[messages.GroupUndone] = []

    def work(transaction: Transaction) -> amendments.PendingAmendment | messages.GroupUndone:
        change, answer = groups.undo_group(transaction, call.body, call.who)
        answers.append(answer)
        return change or answer

    await call.run(work, alone=True)
    return msgspec.structs.replace(answers[0], version=call.writer.task.fold.version)
