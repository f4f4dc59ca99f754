"""Commands of leads that delete items: their content is erased, and the model is replayed without them."""

from collections.abc import Collection, Iterable

import msgspec
from msgspec import UNSET

from askance.service import messages
from askance.service.commands.amendments import PendingAmendment, label_now
from askance.service.commands.items import no_item
from askance.service.errors import conflict, invalid
from askance.service.images import is_kept
from askance.service.label_sets import id_of
from askance.service.state import journal
from askance.service.store.entries import Entry
from askance.service.transaction import Transaction


def delete(
    transaction: Transaction, request: messages.ItemDeletion, who: str | None
) -> tuple[PendingAmendment | None, messages.ItemsDeleted]:
    """Delete the items that there are, as one amendment. The same key again does nothing."""
    if len(set(request.items)) < len(request.items):
        raise invalid("an item is named twice in this request: name each item once")
    earlier = transaction.by_key([journal.DELETION], [request.key]).get(request.key)
    if earlier is not None:
        return None, _repeated(transaction, request, earlier)
    entries = transaction.at(request.items)
    items = {item: entry for item, entry in entries.items() if entry.kind in journal.WITH_CONTENT}
    transaction.look_up(list(items.values()))
    refused = [
        messages.Refusal(item, no_item(item, entries.get(item)).message)
        for item in request.items
        if item not in items
    ]
    answer = messages.ItemsDeleted(sorted(items), refused, transaction.fold.version)
    return (_pending(transaction, items, request.key, who) if items else None), answer


def _repeated(transaction: Transaction, request: messages.ItemDeletion, earlier: Entry) -> messages.ItemsDeleted:
    body = journal.read(earlier)
    deleted = {*body.all, *body.gold}
    if not deleted <= set(request.items):
        raise conflict("key_reused", f"the key {request.key!r} belongs to another deletion: choose another key")
    return messages.ItemsDeleted(sorted(deleted), [], transaction.fold.version)


def _pending(transaction: Transaction, items: dict[int, Entry], key: str, who: str | None) -> PendingAmendment:
    gold = [item for item, entry in items.items() if entry.kind == journal.GOLD]
    names = {item: label_now(transaction, entry) for item, entry in items.items() if item not in gold}
    labels = {item: None if name is None else id_of(transaction.settings, name) for item, name in names.items()}
    imported = {item for item, entry in items.items() if entry.kind == journal.IMPORTED}
    body = journal.Deletion(
        {item: label for item, label in labels.items() if item not in imported},
        {item: label for item, label in labels.items() if item in imported and label is not None},
        gold,
    )
    about = [entry for item in items for entry in transaction.of_item(item)]
    priced = transaction.settings.oracles.guesses
    erased = [journal.without_content(entry, priced) for entry in items.values()]
    replaced = (*erased, *_without_words(about, priced))
    images = {journal.read(entry).image for entry in items.values()} - {UNSET}
    kept = frozenset(image for image in images if is_kept(image))
    return PendingAmendment(journal.DELETION, body, None, key, who, min(items), replaced=replaced, images=kept)


def _without_words(entries: Iterable[Entry], priced: Collection[str]) -> list[Entry]:
    """Flags, skips and guesses of these entries without what they say: a note may quote the item.

    It stays known which `priced` programs have guessed.
    """
    found = []
    for entry in entries:
        empty: msgspec.Struct
        if entry.kind == journal.GUESS:
            name = journal.read(entry).name
            empty = journal.LateGuess(name if name in priced else "")
        elif entry.kind in (journal.FLAG, journal.SKIP):
            empty = journal.Flag() if entry.kind == journal.FLAG else journal.Skip()
        else:
            continue
        found.append(entry._replace(body=msgspec.json.encode(empty)))
    return found
