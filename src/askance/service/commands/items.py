"""Commands about items: decide about new items, and import labelled ones."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from askance.service import images, messages
from askance.service.commands.asking import withdraw_deserted
from askance.service.errors import RequestError, conflict, invalid, not_found
from askance.service.label_sets import check_label, check_single, id_of, label_of, unknown_class
from askance.service.settings import PARTS, TaskSettings
from askance.service.state import journal
from askance.service.state.finite import NotFiniteError, sentence
from askance.service.state.fold import Fold
from askance.service.state.gold import MOST as MOST_GOLD
from askance.service.state.guesses import guesses_of
from askance.service.state.rows import AnyRow, has_content, parts_of, rows_of
from askance.service.state.vectors import packed
from askance.service.store.entries import Entry
from askance.service.transaction import Transaction


def decide(transaction: Transaction, items: Sequence[messages.Item], who: str | None) -> messages.Decisions:
    """Decide about items. An id that came before gets the decision that was made then.

    Items are taken without guesses that cost more than is left: their senders do not wait for money.
    """
    check_open(transaction)
    check_forms(transaction.settings, items)
    known = known_items(transaction, items)
    fresh = _fresh(items, known)
    rows = dict(zip(fresh, rows_of(transaction.settings, [items[place] for place in fresh]), strict=True))
    answers = []
    for place, item in enumerate(items):
        earlier = known.get(item.id) if item.id is not UNSET else None
        try:
            entry = _decided(transaction, item, rows[place], who) if earlier is None else earlier
        except NotFiniteError as error:
            error.place = place
            raise
        if item.id is not UNSET:
            known[item.id] = entry
        answers.append(decision(transaction.settings, entry, again=earlier is not None, sent=item.guesses))
    return messages.Decisions(answers)


def _decided(transaction: Transaction, item: messages.Item, row: AnyRow, who: str | None) -> Entry:
    """Decide about a new item, with those of its guesses that can be paid."""
    paid = _paid_guesses(transaction, item)
    if paid != item.guesses:
        withdraw_deserted(transaction)
        paid = _paid_guesses(transaction, item)
    if paid != item.guesses:
        item = msgspec.structs.replace(item, guesses=paid)
        (row,) = rows_of(transaction.settings, [item])
    return transaction.decide(item, row, who)


def _paid_guesses(transaction: Transaction, item: messages.Item) -> dict[str, messages.Guess] | UnsetType:
    """The guesses of an item that can be paid.

    Where questions are chosen on arrival, the same entry may ask for labels, which must not cost what is left
    of the money.
    """
    if item.guesses is UNSET or transaction.fold.money.left is None:
        return item.guesses
    fold, cost = transaction.fold, transaction.settings.label_cost
    may_ask = not transaction.settings.asks_on_lease and fold.money.labels_left >= cost
    kept: dict[str, messages.Guess] = {}
    for name, guess in item.guesses.items():
        if not fold.money.oracles.price_of(name) or fold.money.affords(
            Counter([name, *kept]), labels=cost if may_ask else 0
        ):
            kept[name] = guess
    return kept or UNSET


def import_items(
    transaction: Transaction, items: Sequence[messages.LabelledItem], who: str | None
) -> messages.Imported:
    """Learn from labelled items, but not from gold ones.

    Items whose id was imported before are skipped: their first provenance stays.
    """
    check_open(transaction)
    check_forms(transaction.settings, items)
    ids = [check_label(transaction.settings, item.label) for item in items]
    known = known_items(transaction, items)
    fresh = _fresh(items, known)
    gold = [place for place in fresh if items[place].gold]
    if gold:
        check_single(transaction.settings, "gold items")
    if len(gold) + len(transaction.fold.gold.labels) > MOST_GOLD:
        raise conflict("much_gold", f"a task has at most {MOST_GOLD} gold items: delete some")
    rows = rows_of(transaction.settings, [items[place] for place in fresh])
    for place, row in zip(fresh, rows, strict=True):
        item = items[place]
        body = journal.ImportedItem(
            label=ids[place],
            text=item.text,
            record=item.record,
            vector=packed(item.vector),
            note=item.note,
            image=transaction.keep_image(item),
            guesses=guesses_of(transaction.settings, item),
            source=item.source,
            labeller=item.labeller,
            labelled_at=item.labelled_at,
        )
        kind = journal.GOLD if item.gold else journal.IMPORTED
        transaction.write(kind, body, key=item.id, who=who, row=row)
    return messages.Imported(
        len(fresh) - len(gold), len(items) - len(fresh), transaction.fold.version, gold=len(gold)
    )


def decision(
    settings: TaskSettings, entry: Entry, *, again: bool = False, sent: Collection[str] | UnsetType = UNSET
) -> messages.ItemDecision:
    """The decision in an entry, as the API returns it, where guesses of these programs were sent."""
    body, prices = journal.read(entry), settings.oracles.price_of
    return messages.ItemDecision(
        entry.seq,
        label_of(settings, body.prediction),
        body.score,
        body.ask_probability,
        entry.kind == journal.QUESTION,
        body.version,
        entry.key,
        again,
        body.automatic,
        [] if sent is UNSET else [name for name in sent if prices(name) and name not in body.all_guessers],
    )


def provenance(entry: Entry) -> messages.Provenance | None:
    """Where the label of an imported item comes from; None for other items."""
    if entry.kind != journal.IMPORTED:
        return None
    body = journal.read(entry)
    source, labeller, labelled_at = (
        None if part is UNSET else part for part in (body.source, body.labeller, body.labelled_at)
    )
    return messages.Provenance(source, labeller, labelled_at, entry.who)


def check_open(transaction: Transaction) -> None:
    """Refuse items for an archived task, and for a model that has diverged."""
    if transaction.fold.state == "archived":
        name = transaction.settings.name
        raise conflict("archived", f"the task {name!r} is archived: set its state to 'running' first")
    check_finite(transaction.fold)


def check_finite(fold: Fold) -> None:
    """Refuse what needs the numbers of a model that has diverged."""
    problem = sentence(fold.model.diverged)
    if problem is not None:
        raise conflict("diverged", problem)


def check_forms(settings: TaskSettings, items: Sequence[messages.Item]) -> None:
    """Refuse items that do not have the form that the task expects, and images that it does not allow."""
    for place, item in enumerate(items):
        if not has_content(settings, item):
            raise invalid(f"item {place} (from 0) must have {_expected(settings)}")
        if item.image is not UNSET or item.image_data is not UNSET:
            wrong = images.refusal(settings, item.image, item.image_data)
            if wrong is not None:
                raise invalid(f"item {place} (from 0): {wrong}")
        if item.guesses is not UNSET:
            check_single(settings, "guesses")
        for name, guess in {} if item.guesses is UNSET else item.guesses.items():
            check_guess(settings, f"item {place} (from 0), guess of {name!r}", guess.label)


def check_guess(settings: TaskSettings, place: str, label: str) -> None:
    """Refuse a guess that is not one of the classes, nor an earlier name of one."""
    if not settings.knows(label):
        raise invalid(f"{place}: {unknown_class(settings, label)}")


def image_of(settings: TaskSettings, item: int, body: Any) -> str | None:
    """Where the image of an item is; None if it has none."""
    return None if body.image is UNSET else images.address_of(settings, item, body.image)


def _expected(settings: TaskSettings) -> str:
    parts = [repr(part) for part in PARTS if part in settings.parts]
    others = " or ".join(repr(part) for part in PARTS if part not in settings.parts)
    if len(parts) == 1:
        return f"the field {parts[0]} and not {others}: this task has {settings.parts[0]} items"
    return f"at least one of the fields {', '.join(parts)}" + (f", and not {others}" if others else "")


def known_items(transaction: Transaction, items: Sequence[messages.Item]) -> dict[str, Entry]:
    """The earlier entries with the ids of these items. Refuse an id that belongs to another content."""
    known = transaction.by_key(journal.WITH_CONTENT, [item.id for item in items if item.id is not UNSET])
    first: dict[str, messages.Item] = {}
    for place, item in enumerate(items):
        if item.id is UNSET:
            continue
        earlier = known.get(item.id)
        settings = transaction.settings
        before = journal.read(earlier) if earlier else first.setdefault(item.id, item)
        same = _content(settings, before)
        if same is not None and same != _content(settings, item):
            raise conflict(
                "id_reused",
                f"item {place} (from 0): the id {item.id!r} belongs to other content: choose another",
            )
    return known


def _content(settings: TaskSettings, item: Any) -> bytes | None:
    """What must be equal under the same id; None if compaction has dropped it."""
    if not parts_of(item):
        return None
    is_labelled = isinstance(item, journal.ImportedItem | messages.LabelledItem)
    label = id_of(settings, item.label) if is_labelled else None
    vector = item.vector if isinstance(item.vector, bytes) else packed(item.vector)
    parts = (item.text, item.record, vector)
    return msgspec.json.encode([*(None if part is UNSET else part for part in parts), label])


def _fresh(items: Sequence[messages.Item], known: dict[str, Entry]) -> list[int]:
    """The positions of new items; of equal ids, the first."""
    seen = set(known)
    fresh = []
    for place, item in enumerate(items):
        if item.id is UNSET or item.id not in seen:
            fresh.append(place)
            seen.add(item.id if item.id is not UNSET else "")
    return fresh


def entry_of(transaction: Transaction, item: int) -> Entry:
    """The entry with which an item came; RequestError if there is no such item."""
    found = transaction.at([item]).get(item)
    if found is None or found.kind not in journal.WITH_CONTENT:
        raise no_item(item, found)
    return found


def no_item(item: int, found: Entry | None) -> RequestError:
    """The error for a number that is not that of an item, given the entry with that number."""
    if found is not None and found.kind == journal.DELETED:
        return not_found("deleted_item", f"item {item} was deleted, with its content and its labels")
    return not_found("unknown_item", f"there is no item {item}")
