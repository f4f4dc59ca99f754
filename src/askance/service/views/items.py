"""Lists of items by filter, in an order, and exports of them."""

from collections.abc import Iterator, Sequence

from msgspec import UNSET

from askance.service import messages
from askance.service.commands.choosing import may_be_asked
from askance.service.commands.items import entry_of
from askance.service.errors import RequestError, not_found
from askance.service.label_sets import check_class
from askance.service.messages.base import ShownLabel
from askance.service.settings import TaskSettings
from askance.service.state import journal
from askance.service.store import Store
from askance.service.store.entries import Entry
from askance.service.task import Task
from askance.service.transaction import Transaction
from askance.service.views.blind import seen_by, without_hints
from askance.service.views.task import detail_of
from askance.typing import IntArray

BATCH = 500
MOST_SEARCHED = 20_000  # contents per request, so that none takes long

# The entries in which an export looks for the items of a state.
KINDS: dict[messages.ItemState, tuple[str, ...]] = {
    "asked": journal.ASKED_ITEMS,
    "waiting": journal.ASKED_ITEMS,
    "skipped": journal.ASKED_ITEMS,
    "labelled": (*journal.ASKED_ITEMS, journal.IMPORTED),
    "imported": (journal.IMPORTED,),
    "disagreement": journal.ASKED_ITEMS,
}
ASKED = ("open", "learned", "given up")  # states of items that were asked about


def image(store: Store, task: Task, item: int) -> bytes:
    """The image of an item, if it is in the store."""
    body = journal.read(entry_of(Transaction(task.fold, store, task.number, 0.0), item))
    content = None if body.image is UNSET else store.image(task.number, body.image)
    if content is None:
        raise not_found("no_image", f"item {item} has no image in this service")
    return content


# ---------------------------------------------------------------------- lists


def found(
    store: Store, task: Task, request: messages.ItemSearch, labeller: str | None = None
) -> messages.ItemsFound:
    """The next page of matching items, and how many there are in all, as this labeller may see them."""
    check_filter(task.settings, request)
    before = messages.START if request.before is UNSET else request.before
    with task.index.lock:
        if not task.index.catch_up():
            return messages.ItemsFound([], before, 0, 0, exact=False)
        items = without_hints(task.fold, task.index.ordered(task.fold, request), request, labeller)
        passed = 0 if before == messages.START else task.index.passed(items, request.order, before)
        is_complete = task.index.is_complete
    rest = items[passed:]
    if request.search:
        return _searched(store, task, request, rest, labeller, exact=is_complete and not passed)
    page = rest[: request.count].tolist()
    details = details_of(store, task, page, labeller)
    last = page[-1] if len(rest) > len(page) else None
    return messages.ItemsFound(details, last, len(page), len(items), is_complete)


def _searched(
    store: Store, task: Task, request: messages.ItemSearch, rest: IntArray, labeller: str | None, *, exact: bool
) -> messages.ItemsFound:
    """The next page of the items whose content matches, too. The others are counted, up to a limit."""
    matching: list[int] = []
    items = rest[:MOST_SEARCHED].tolist()
    for start in range(0, len(items), BATCH):
        entries = store.at(task.number, items[start : start + BATCH])
        matching += [seq for seq in items[start : start + BATCH] if has_text(entries[seq], request.search)]
    page = matching[: request.count]
    is_all = len(items) == len(rest)
    last = page[-1] if len(matching) > len(page) else None if is_all else items[-1]
    details = details_of(store, task, page, labeller)
    return messages.ItemsFound(details, last, len(items), len(matching), exact and is_all)


def neighbours(
    store: Store, task: Task, item: int, request: messages.ItemPlace, labeller: str | None = None
) -> messages.Neighbours:
    """The items before and after an item in a search, as this labeller may see them."""
    check_filter(task.settings, request)
    with task.index.lock:
        if not task.index.catch_up():
            raise RequestError(
                503, "busy", "the items are being read for the first time: try again", retry_after=1
            )
        items = without_hints(task.fold, task.index.ordered(task.fold, request), request, labeller)
        passed = task.index.passed(items, request.order, item)
    later, earlier = items[passed:], items[:passed][::-1]
    is_among = len(earlier) > 0 and earlier[0] == item
    return messages.Neighbours(
        _first_with(store, task, earlier[int(is_among) :], request.search),
        _first_with(store, task, later, request.search),
    )


def _first_with(store: Store, task: Task, rest: IntArray, search: str) -> int | None:
    """The first of these items whose content has a text, if it is among the first ones that are looked at."""
    items = rest[: MOST_SEARCHED // 2 if search else 1].tolist()
    for start in range(0, len(items), BATCH):
        some = items[start : start + BATCH]
        entries = store.at(task.number, some)
        if (first := next((seq for seq in some if has_text(entries[seq], search)), None)) is not None:
            return first
    return None


def details_of(
    store: Store, task: Task, items: Sequence[int], labeller: str | None = None
) -> list[messages.ItemDetail]:
    """Everything that is known about some items, in their order, or what a labeller may see of it."""
    transaction = Transaction(task.fold, store, task.number, 0.0)
    entries = transaction.at(items)
    transaction.look_up(list(entries.values()))
    there = [entries[item] for item in items if item in entries]
    details = [
        detail_of(transaction, entry) for entry in there if entry.kind in journal.ITEMS
    ]  # others are deleted
    return details if labeller is None else [seen_by(task.fold, detail, labeller) for detail in details]


def check_filter(settings: TaskSettings, request: messages.ItemFilter) -> None:
    """Refuse a class that the task does not have."""
    for name in (request.label, request.predicted):
        if name is not UNSET:
            check_class(settings, name)


def has_text(entry: Entry, search: str) -> bool:
    """Whether the content, the sender's id, the note or the number of an item contains this text."""
    if not search:
        return True
    body, wanted = journal.read(entry), search.casefold()
    parts = [entry.key or "", str(entry.seq), *(part for part in (body.text, body.note) if part is not UNSET)]
    if body.record is not UNSET:
        parts += [str(part) for pair in body.record.items() for part in pair]
    return any(wanted in part.casefold() for part in parts)


# ---------------------------------------------------------------------- exports


def everything_found(
    store: Store, task: Task, request: messages.ItemExport
) -> Iterator[list[messages.ItemDetail]]:
    """All matching items, in batches; in constant memory, however many there are."""
    check_filter(task.settings, request)
    return _everything(store, task, request)


def _everything(store: Store, task: Task, request: messages.ItemExport) -> Iterator[list[messages.ItemDetail]]:
    for batch in _entries(store, task, request):
        transaction = Transaction(task.fold, store, task.number, 0.0)
        items = [entry for entry in items_of(transaction, batch).values() if has_text(entry, request.search)]
        transaction.look_up(items)
        details = [detail_of(transaction, entry) for entry in items]
        yield [detail for detail in details if matches(transaction, request, detail)]


def _entries(store: Store, task: Task, request: messages.ItemExport) -> Iterator[list[Entry]]:
    """The entries with the items, the newest first."""
    if request.items is UNSET:
        yield from store.newest(task.number, None, KINDS.get(request.state, journal.ITEMS), BATCH)
        return
    named = sorted({int(item) for item in request.items.split(",")}, reverse=True)
    for start in range(0, len(named), BATCH):
        entries = store.at(task.number, named[start : start + BATCH])
        yield [entry for _, entry in sorted(entries.items(), reverse=True) if entry.kind in journal.ITEMS]


def items_of(transaction: Transaction, entries: Sequence[Entry]) -> dict[int, Entry]:
    """The items by the entries with which they came or, if they were asked about later, by the last of these.

    Deleted ones are left out.
    """
    asked = {entry.seq: entry.item or 0 for entry in entries if entry.kind == journal.ASK}
    if not asked:
        return {entry.seq: entry for entry in entries}
    entries_of = transaction.at(asked.values())
    items = {item: entry for item, entry in entries_of.items() if entry.kind in journal.ITEMS}
    transaction.look_up(list(items.values()))
    last = {item: _last_asked(transaction, item) for item in items}
    return {
        entry.seq: items[asked[entry.seq]] if entry.seq in asked else entry
        for entry in entries
        if entry.seq not in asked or last.get(asked[entry.seq]) == entry.seq
    }


def _last_asked(transaction: Transaction, item: int) -> int:
    return max(entry.seq for entry in transaction.of_item(item) if entry.kind == journal.ASK)


def matches(transaction: Transaction, request: messages.ItemFilter, detail: messages.ItemDetail) -> bool:
    """Whether an item matches a filter, apart from its content. The index of a task finds the same items."""
    score = detail.decision.score if detail.decision is not None else None
    settings = transaction.settings
    return (
        _is_in(transaction, request.state, detail)
        and (request.label is UNSET or _has(settings, request.label, detail.label))
        and (request.predicted is UNSET or _predicted(settings, request.predicted, detail))
        and (request.labeller is UNSET or request.labeller in labellers(detail))
        and (request.min_score is UNSET or (score is not None and score >= request.min_score))
        and (request.max_score is UNSET or (score is not None and score <= request.max_score))
        and (request.since is UNSET or detail.at >= request.since)
        and (request.until is UNSET or detail.at < request.until)
    )


def _predicted(settings: TaskSettings, name: str, detail: messages.ItemDetail) -> bool:
    return detail.decision is not None and _has(settings, name, detail.decision.prediction)


def _has(settings: TaskSettings, name: str, label: ShownLabel | None) -> bool:
    """Whether a label is a class, or has it among others."""
    current = settings.name_of(settings.id_of(name))
    return current in label if isinstance(label, list) else label == current


def labellers(detail: messages.ItemDetail) -> set[str | None]:
    """Who gave a label of an item, made the last correction, or is named by its import."""
    names = {vote.by for vote in detail.votes if not vote.undone}
    names |= {correction.by for correction in detail.corrections[-1:]}
    return names | {detail.provenance.labeller if detail.provenance else None}


def _is_in(transaction: Transaction, state: messages.ItemState, detail: messages.ItemDetail) -> bool:
    question = transaction.fold.questions.open.get(detail.item)
    if state == "asked":
        return detail.state in ASKED
    if state == "waiting":
        return detail.state == "open"
    if state == "open":
        return detail.state == "open" or may_be_asked(transaction.fold, detail.item)
    if state == "skipped":
        return question is not None and bool(question.skipped)
    if state == "flagged":
        return detail.item in transaction.fold.flags
    if state == "labelled":
        return detail.label is not None
    if state == "imported":
        return detail.state == "imported"
    if state == "corrected":
        return bool(detail.corrections)
    return state == "all" or (detail.agreement is not None and detail.agreement < 1)
