"""Commands of labellers about flags: ask a lead to look at an item, with a note or without."""

from msgspec import UNSET

from askance.service import messages
from askance.service.commands.items import entry_of
from askance.service.commands.keys import check_key
from askance.service.commands.labels import own_flags, why_closed
from askance.service.errors import not_found
from askance.service.state import journal
from askance.service.transaction import Transaction


def flag(transaction: Transaction, request: messages.Flag, who: str | None) -> messages.Flagged:
    """Flag an item that somebody was or may be asked about. The same key or the same note again does nothing."""
    if entry_of(transaction, request.item).kind == journal.ITEM and not transaction.settings.asks_on_lease:
        raise why_closed(transaction, request.item)  # nobody will label it
    notes = [journal.read(one).note for one in own_flags(transaction, request.item, who)]
    again = _repeated(transaction, journal.FLAG, request, who) or request.note in notes
    if not again:
        transaction.write(journal.FLAG, journal.Flag(request.note), item=request.item, key=request.key, who=who)
    return _flagged(transaction, request.item, again=again)


def undo_flag(transaction: Transaction, request: messages.FlagUndo, who: str | None) -> messages.Flagged:
    """Undo the last open flag of this labeller on an item. The same key again does nothing."""
    if _repeated(transaction, journal.UNFLAG, request, who):
        return _flagged(transaction, request.item, again=True)
    own = own_flags(transaction, request.item, who)
    if not own:
        raise not_found("no_flag", f"item {request.item} has no open flag from you")
    transaction.write(journal.UNFLAG, journal.Undo(own[-1].seq), item=request.item, key=request.key, who=who)
    return _flagged(transaction, request.item)


def _repeated(
    transaction: Transaction, kind: str, request: messages.Flag | messages.FlagUndo, who: str | None
) -> bool:
    """Whether this request came before."""
    if request.key is UNSET:
        return False
    earlier = transaction.by_key([kind], [request.key]).get(request.key)
    if earlier is not None:
        check_key(request.key, earlier, "flag", who, same=earlier.item == request.item)
    return earlier is not None


def _flagged(transaction: Transaction, item: int, *, again: bool = False) -> messages.Flagged:
    return messages.Flagged(item, len(transaction.fold.flags.get(item, {})), again)
