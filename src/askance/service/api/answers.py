"""Routes of labellers: leases, labels, skips, undo and corrections."""

from askance.service import messages
from askance.service.api.route import Call
from askance.service.commands import amendments, labels


async def lease_questions(call: Call) -> messages.Questions:
    """Lend questions to this labeller: nobody else is shown them while the lease holds."""
    return await call.run(lambda transaction: labels.lease(transaction, call.body, call.who))


async def return_question(call: Call) -> messages.Questions:
    """Give a question back before its lease ends."""
    item = call.item
    return await call.run(lambda transaction: labels.return_question(transaction, item, call.who))


async def give_labels(call: Call) -> messages.Receipts:
    """Label items; the answer comes when the labels are on disk."""
    return await call.run(lambda transaction: labels.label(transaction, call.body.labels, call.who))


async def skip_question(call: Call) -> messages.Skipped:
    """Leave a question to others."""
    return await call.run(lambda transaction: labels.skip(transaction, call.body, call.who))


async def undo_label(call: Call) -> messages.Amendment:
    """Take back a label: the model forgets it, and the question is with this labeller again."""
    return await call.run(lambda transaction: amendments.undo(transaction, call.body, call.who), alone=True)


async def correct_label(call: Call) -> messages.Amendment:
    """Correct a label: the model becomes the one that it would be had the label been right from the start."""
    return await call.run(lambda transaction: amendments.correct(transaction, call.body, call.who), alone=True)
