"""Commands of leads: decide about an item, or leave it as it is."""

from collections.abc import Sequence

from msgspec import UNSET

from askance.service import messages
from askance.service.commands import choosing
from askance.service.commands.amendments import label_now
from askance.service.commands.items import entry_of
from askance.service.commands.keys import check_key
from askance.service.commands.labels import why_closed
from askance.service.errors import conflict
from askance.service.label_sets import check_class, check_single
from askance.service.state import journal
from askance.service.state.amendments import decides
from askance.service.state.rows import stored_rows
from askance.service.store.entries import Entry
from askance.service.transaction import Transaction

# Entries after which an item may have to be reviewed, or somebody has decided about it.
TURNS = (journal.LABEL, journal.SKIP, journal.UNDO, journal.REVIEWED, journal.CORRECTION)


def review(transaction: Transaction, request: messages.ReviewRequest, who: str | None) -> messages.Reviewed:
    """Give an open question its label, whatever the votes are, or confirm an item. Again, it does nothing."""
    check_single(transaction.settings, "reviews")
    item = request.item
    entry = entry_of(transaction, item)
    label = None if request.label is UNSET else check_class(transaction.settings, request.label)
    now = label_now(transaction, entry)
    if _is_repeated(transaction, request, label, who):
        return messages.Reviewed(item, now, transaction.fold.version, again=True)
    if label is None or now == transaction.settings.name_of(label):
        again = is_decided(transaction.of_item(item)) and item not in transaction.fold.flags
        if not again:
            transaction.write(journal.REVIEWED, journal.Nothing(), item=item, key=request.key, who=who)
        return messages.Reviewed(item, now, transaction.fold.version, again)
    if now is not None:
        raise conflict("answered", f"item {item} already has the label {now!r}: send a correction to change it")
    _settle(transaction, entry, label, request, who)
    return messages.Reviewed(item, transaction.settings.name_of(label), transaction.fold.version)


def _is_repeated(
    transaction: Transaction, request: messages.ReviewRequest, label: str | None, who: str | None
) -> bool:
    """Whether this decision was written before, by its key. Refuse the key of another one."""
    if request.key is UNSET:
        return False
    earlier = transaction.by_key([journal.REVIEWED, journal.LABEL], [request.key]).get(request.key)
    if earlier is not None:
        differs = earlier.kind == journal.LABEL and journal.read(earlier).label != label
        check_key(request.key, earlier, "decision", who, same=earlier.item == request.item and not differs)
    return earlier is not None


def is_decided(about: Sequence[Entry]) -> bool:
    """Whether a decision is the last of what happened to an item: nothing came after it that was not seen."""
    turns = [entry for entry in about if entry.kind in TURNS]
    if not turns:
        return False
    return decides(turns[-1], journal.read(turns[-1]))


def _settle(
    transaction: Transaction, entry: Entry, label: str, request: messages.ReviewRequest, who: str | None
) -> None:
    """Write the final label of an open question, of one that was given up, or of an item that waits for one."""
    choosing.ask_named(transaction, [entry.seq])
    questions = transaction.fold.questions
    question = questions.open.get(entry.seq) or questions.given_up.get(entry.seq)
    if question is None:
        raise why_closed(transaction, entry.seq)
    if transaction.settings.questions is not None and not question.labels:
        choosing.check_left(transaction, 1, [entry.seq])
    row = stored_rows(transaction.settings, transaction.contents([entry.seq]))[entry.seq]
    body = journal.Label(label, final=True)
    transaction.write(journal.LABEL, body, item=entry.seq, key=request.key, who=who, row=row)
