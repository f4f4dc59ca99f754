"""Routes of labellers: leases, labels, skips, undo and corrections."""

from askance.service import messages
from askance.service.api.route import Call
from askance.service.commands import amendments, labels


async def lease_questions(call: Call) -> messages.Questions:
    """Lease questions to this labeller. Nobody else gets them until the lease ends."""
    return await call.run(lambda transaction: labels.lease(transaction, call.body, call.who))


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


async def undo_label(call: Call) -> messages.Amendment:
    """Undo a label: the model forgets it, and the question is leased to this labeller again."""
    return await call.run(lambda transaction: amendments.undo(transaction, call.body, call.who), alone=True)


async def correct_label(call: Call) -> messages.Amendment:
    """Correct a label. The model becomes what it would be if the label had been correct from the start."""
    return await call.run(lambda transaction: amendments.correct(transaction, call.body, call.who), alone=True)
