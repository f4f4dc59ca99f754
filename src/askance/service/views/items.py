"""Lists of items by state and text, the newest first."""

from collections.abc import Iterator, Sequence

from msgspec import UNSET

from askance.service import messages
from askance.service.state import journal
from askance.service.store import Store
from askance.service.store.entries import Entry
from askance.service.task import Task
from askance.service.transaction import Transaction
from askance.service.views.task import detail_of

BATCH = 500
MOST_SEARCHED = 20_000  # items per request, so that none takes long

KINDS: dict[messages.ItemState, tuple[str, ...]] = {
    "all": journal.ITEMS,
    "asked": journal.ASKED_ITEMS,
    "waiting": journal.ASKED_ITEMS,
    "skipped": journal.ASKED_ITEMS,
    "labelled": (*journal.ASKED_ITEMS, journal.IMPORTED),
    "corrected": journal.ITEMS,
    "disagreement": journal.ASKED_ITEMS,
}


def found(store: Store, task: Task, request: messages.ItemSearch) -> messages.ItemsFound:
    """The next page of matching items; one request searches a limited number of items."""
    items: list[messages.ItemDetail] = []
    searched = 0
    for batch, details in _matching(store, task, request, None if request.before is UNSET else request.before):
        searched += len(batch)
        for seq, detail in details:
            items.append(detail)
            if len(items) == request.count:
                return messages.ItemsFound(items, seq, searched)
        if searched >= MOST_SEARCHED:
            return messages.ItemsFound(items, batch[-1].seq, searched)
    return messages.ItemsFound(items, None, searched)


def everything_found(
    store: Store, task: Task, request: messages.ItemSearch
) -> Iterator[list[messages.ItemDetail]]:
    """All matching items, in batches."""
    return ([detail for _, detail in details] for _, details in _matching(store, task, request, None))


def _matching(
    store: Store, task: Task, request: messages.ItemSearch, before: int | None
) -> Iterator[tuple[list[Entry], list[tuple[int, messages.ItemDetail]]]]:
    """Batches of entries, with the matching items of each and the entries at which they were found."""
    for batch in store.newest(task.number, before, KINDS[request.state], BATCH):
        transaction = Transaction(task.fold, store, task.number, 0.0)
        items = items_of(transaction, batch)
        likely = {seq: entry for seq, entry in items.items() if _may_match(transaction, request, entry)}
        transaction.look_up(list(likely.values()))
        details = [(seq, detail_of(transaction, entry)) for seq, entry in likely.items()]
        yield batch, [(seq, detail) for seq, detail in details if _is_in(request.state, detail)]


def items_of(transaction: Transaction, entries: Sequence[Entry]) -> dict[int, Entry]:
    """The items by the entries with which they came or, if they were asked about later, by the last of these."""
    asked = {entry.seq: entry.item or 0 for entry in entries if entry.kind == journal.ASK}
    if not asked:
        return {entry.seq: entry for entry in entries}
    items = transaction.at(asked.values())
    transaction.look_up(list(items.values()))
    last = {item: _last_asked(transaction, item) for item in items}
    return {
        entry.seq: items[asked[entry.seq]] if entry.seq in asked else entry
        for entry in entries
        if entry.seq not in asked or last[asked[entry.seq]] == entry.seq
    }


def _last_asked(transaction: Transaction, item: int) -> int:
    return max(entry.seq for entry in transaction.of_item(item) if entry.kind == journal.ASK)


def _may_match(transaction: Transaction, request: messages.ItemSearch, entry: Entry) -> bool:
    """Whether an item may match, before the entries about it are loaded."""
    if request.state == "waiting" and entry.seq not in transaction.fold.questions.open:
        return False
    if request.state == "skipped" and not _is_skipped(transaction, entry.seq):
        return False
    if request.state == "corrected" and entry.seq not in transaction.fold.amendments.corrected:
        return False
    return not request.search or _has(entry, request.search.casefold())


def _is_skipped(transaction: Transaction, item: int) -> bool:
    """Whether somebody skipped an item that still waits for a label."""
    question = transaction.fold.questions.open.get(item)
    return question is not None and bool(question.skipped)


def _has(entry: Entry, wanted: str) -> bool:
    """Whether the content, the sender's id or the number of an item contains this text."""
    body = journal.read(entry)
    parts = [entry.key or "", str(entry.seq), *(part for part in (body.text, body.note) if part is not UNSET)]
    if body.record is not UNSET:
        parts += [str(part) for pair in body.record.items() for part in pair]
    return any(wanted in part.casefold() for part in parts)


def _is_in(state: messages.ItemState, detail: messages.ItemDetail) -> bool:
    if state == "labelled":
        return detail.label is not None
    if state == "disagreement":
        return detail.agreement is not None and detail.agreement < 1
    return True
