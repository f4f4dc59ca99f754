"""Commands about items: decide about new ones, and learn from those that come with a label."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from askance.rules.rows import Row
from askance.service import messages
from askance.service.errors import conflict, invalid
from askance.service.settings import TaskSettings
from askance.service.state import journal
from askance.service.state.fold import has_content
from askance.service.state.rows import hashed, single
from askance.service.store.entries import Entry
from askance.service.transaction import Transaction


def decide(transaction: Transaction, items: Sequence[messages.Item], who: str | None) -> messages.Decisions:
    """A decision about each item; of an id that came before, the one that was made then."""
    check_open(transaction)
    check_forms(transaction.settings, items)
    known = _known(transaction, items)
    fresh = _fresh(items, known)
    rows = dict(zip(fresh, _rows(transaction.settings, [items[place] for place in fresh]), strict=True))
    answers = []
    for place, item in enumerate(items):
        earlier = known.get(item.id) if item.id is not UNSET else None
        if earlier is not None:
            answers.append(decision(earlier, journal.read(earlier), again=True))
            continue
        entry, body = _decided(transaction, item, rows[place], who)
        if item.id is not UNSET:
            known[item.id] = entry
        answers.append(decision(entry, body))
    return messages.Decisions(answers)


def import_items(
    transaction: Transaction, items: Sequence[messages.LabelledItem], who: str | None
) -> messages.Imported:
    """Learn labelled items; those whose id was imported before are left out."""
    check_open(transaction)
    check_forms(transaction.settings, items)
    for item in items:
        check_class(transaction.settings, item.label)
    known = _known(transaction, items)
    fresh = _fresh(items, known)
    rows = _rows(transaction.settings, [items[place] for place in fresh])
    for place, row in zip(fresh, rows, strict=True):
        item = items[place]
        body = journal.ImportedItem(label=item.label, text=item.text, record=item.record, note=item.note)
        transaction.write(journal.IMPORTED, body, key=item.id, who=who, row=row)
    return messages.Imported(len(fresh), len(items) - len(fresh), transaction.fold.version)


def decision(entry: Entry, body: journal.DecidedItem, *, again: bool = False) -> messages.ItemDecision:
    """A decision as it is answered."""
    asked = entry.kind == journal.QUESTION
    return messages.ItemDecision(
        entry.seq, body.label, body.score, body.probability, asked, body.version, entry.key, again
    )


def check_open(transaction: Transaction) -> None:
    """Refuse items for a task that was put away."""
    if transaction.fold.state == "archived":
        raise conflict("archived", f"the task {transaction.settings.name!r} is archived: start it again first")


def check_forms(settings: TaskSettings, items: Sequence[messages.Item]) -> None:
    """Refuse items that are not of the form that the task wants."""
    for place, item in enumerate(items):
        if not has_content(settings, item):
            other = "record" if settings.item == "text" else "text"
            raise invalid(
                f"item {place} (from 0) must have a {settings.item} and no {other}: so are this task's items"
            )


def check_class(settings: TaskSettings, label: str) -> None:
    """Refuse a label that is none of the classes."""
    if label not in settings.classes:
        shown = ", ".join(map(repr, settings.classes[:20]))
        raise invalid(
            f"unknown class {label!r}: this task has {shown}{' …' if len(settings.classes) > 20 else ''}"
        )


def rows_of(settings: TaskSettings, items: Sequence[Any]) -> Any:
    """The rows of some items; those that cannot become one are refused."""
    try:
        return hashed(settings, items)
    except ValueError as error:
        raise invalid(str(error)) from None


def _rows(settings: TaskSettings, items: Sequence[messages.Item]) -> list[Row]:
    return single(rows_of(settings, items)) if items else []


def _known(transaction: Transaction, items: Sequence[messages.Item]) -> dict[str, Entry]:
    """What came before under the ids of these items; another content under the same id is refused."""
    known = transaction.by_key(journal.ITEMS, [item.id for item in items if item.id is not UNSET])
    first: dict[str, messages.Item] = {}
    for place, item in enumerate(items):
        if item.id is UNSET:
            continue
        earlier = known.get(item.id)
        same = _content(journal.read(earlier)) if earlier else _content(first.setdefault(item.id, item))
        if same is not None and same != _content(item):
            raise conflict("id_reused", f"item {place} (from 0): the id {item.id!r} belongs to another item")
    return known


def _content(item: Any) -> bytes | None:
    """What has to be equal under the same id; None where compaction has left nothing to compare."""
    if item.text is UNSET and item.record is UNSET:
        return None
    label = item.label if isinstance(item, journal.ImportedItem | messages.LabelledItem) else None
    return msgspec.json.encode([None if item.text is UNSET else item.text, _record(item), label])


def _record(item: Any) -> Any:
    return None if item.record is UNSET else item.record


def _fresh(items: Sequence[messages.Item], known: dict[str, Entry]) -> list[int]:
    """The places of items that are new; of equal ids, the first."""
    seen = set(known)
    fresh = []
    for place, item in enumerate(items):
        if item.id is UNSET or item.id not in seen:
            fresh.append(place)
            seen.add(item.id if item.id is not UNSET else "")
    return fresh


def _decided(
    transaction: Transaction, item: messages.Item, row: Row, who: str | None
) -> tuple[Entry, journal.DecidedItem]:
    fold = transaction.fold
    verdict = fold.ask(row, transaction.now)
    body = journal.DecidedItem(
        text=item.text,
        record=item.record,
        note=item.note,
        label=verdict.label,
        score=verdict.score,
        probability=verdict.probability if verdict.granted else 0.0,
        wanted=verdict.probability,
        coin=verdict.coin,
        version=fold.version,
    )
    kind = journal.QUESTION if verdict.granted and verdict.wants else journal.ITEM
    return transaction.write(kind, body, key=item.id, who=who), body
