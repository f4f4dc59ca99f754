"""Commands about items: decide about new items, and import labelled ones."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from askance.service import messages
from askance.service.errors import conflict, invalid
from askance.service.settings import TaskSettings
from askance.service.state import journal
from askance.service.state.rows import has_content, rows_of
from askance.service.store.entries import Entry
from askance.service.transaction import Transaction


def decide(transaction: Transaction, items: Sequence[messages.Item], who: str | None) -> messages.Decisions:
    """Decide about items. An id that came before gets the decision that was made then."""
    check_open(transaction)
    check_forms(transaction.settings, items)
    known = _known(transaction, items)
    fresh = _fresh(items, known)
    rows = dict(zip(fresh, rows_of(transaction.settings, [items[place] for place in fresh]), strict=True))
    answers = []
    for place, item in enumerate(items):
        earlier = known.get(item.id) if item.id is not UNSET else None
        entry = transaction.decide(item, rows[place], who) if earlier is None else earlier
        if item.id is not UNSET:
            known[item.id] = entry
        answers.append(decision(entry, again=earlier is not None))
    return messages.Decisions(answers)


def import_items(
    transaction: Transaction, items: Sequence[messages.LabelledItem], who: str | None
) -> messages.Imported:
    """Learn from labelled items. Items whose id was imported before are skipped."""
    check_open(transaction)
    check_forms(transaction.settings, items)
    for item in items:
        check_class(transaction.settings, item.label)
    known = _known(transaction, items)
    fresh = _fresh(items, known)
    rows = rows_of(transaction.settings, [items[place] for place in fresh])
    for place, row in zip(fresh, rows, strict=True):
        item = items[place]
        body = journal.ImportedItem(label=item.label, text=item.text, record=item.record, note=item.note)
        transaction.write(journal.IMPORTED, body, key=item.id, who=who, row=row)
    return messages.Imported(len(fresh), len(items) - len(fresh), transaction.fold.version)


def decision(entry: Entry, *, again: bool = False) -> messages.ItemDecision:
    """The decision in an entry, as the API returns it."""
    body = journal.read(entry)
    return messages.ItemDecision(
        entry.seq,
        body.prediction,
        body.score,
        body.ask_probability,
        entry.kind == journal.QUESTION,
        body.version,
        entry.key,
        again,
    )


def check_open(transaction: Transaction) -> None:
    """Refuse items for an archived task."""
    if transaction.fold.state == "archived":
        name = transaction.settings.name
        raise conflict("archived", f"the task {name!r} is archived: set its state to 'running' first")


def check_forms(settings: TaskSettings, items: Sequence[messages.Item]) -> None:
    """Refuse items that do not have the form that the task expects."""
    for place, item in enumerate(items):
        if not has_content(settings, item):
            other = "record" if settings.item == "text" else "text"
            raise invalid(
                f"item {place} (from 0) must have the field {settings.item!r} and not {other!r}: this task has "
                f"{settings.item} items"
            )


def check_class(settings: TaskSettings, label: str) -> None:
    """Refuse a label that is not one of the classes."""
    if label not in settings.classes:
        shown = ", ".join(map(repr, settings.classes[:20]))
        raise invalid(
            f"unknown class {label!r}: this task has {shown}{' …' if len(settings.classes) > 20 else ''}"
        )


def _known(transaction: Transaction, items: Sequence[messages.Item]) -> dict[str, Entry]:
    """The earlier entries with the ids of these items. Refuse an id that belongs to another content."""
    known = transaction.by_key(journal.ITEMS, [item.id for item in items if item.id is not UNSET])
    first: dict[str, messages.Item] = {}
    for place, item in enumerate(items):
        if item.id is UNSET:
            continue
        earlier = known.get(item.id)
        same = _content(journal.read(earlier)) if earlier else _content(first.setdefault(item.id, item))
        if same is not None and same != _content(item):
            raise conflict(
                "id_reused",
                f"item {place} (from 0): the id {item.id!r} belongs to other content: choose another",
            )
    return known


def _content(item: Any) -> bytes | None:
    """What must be equal under the same id; None if compaction has dropped it."""
    if item.text is UNSET and item.record is UNSET:
        return None
    label = item.label if isinstance(item, journal.ImportedItem | messages.LabelledItem) else None
    return msgspec.json.encode([None if item.text is UNSET else item.text, _record(item), label])


def _record(item: Any) -> Any:
    return None if item.record is UNSET else item.record


def _fresh(items: Sequence[messages.Item], known: dict[str, Entry]) -> list[int]:
    """The positions of new items; of equal ids, the first."""
    seen = set(known)
    fresh = []
    for place, item in enumerate(items):
        if item.id is UNSET or item.id not in seen:
            fresh.append(place)
            seen.add(item.id if item.id is not UNSET else "")
    return fresh
