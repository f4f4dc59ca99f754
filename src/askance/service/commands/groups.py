"""Commands about many items at once: give one label to all, correct them, and undo this.

The entries of a group have keys with the key of the group, so a request that is sent again does nothing, and the
labels of a group can be undone by its key.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import UNSET

from askance.service import messages
from askance.service.commands import labels
from askance.service.commands.amendments import PendingAmendment, correct, label_now, undo
from askance.service.commands.keys import check_key
from askance.service.errors import RequestError, conflict, invalid
from askance.service.label_sets import check_class, check_single
from askance.service.state import journal
from askance.service.state.fold import Fold
from askance.service.store.entries import Entry
from askance.service.transaction import Transaction

SET_ASIDE = "is set aside for the random sample that tells how good the model is: label it when it is asked about"


class Sorted(NamedTuple):
    """The items of a group, by what is to be done with them, with the keys of their entries."""

    label: dict[int, str]
    correct: dict[int, str]
    unchanged: list[int]
    refused: list[messages.Refusal]
    again: dict[int, str]  # items for which the group did this before, with the kinds of their entries


def group_keys(key: str, count: int = messages.MOST_AT_ONCE) -> Iterator[str]:
    """The keys of the entries of a group: keys are unique, so they are numbered."""
    return (f"{key}/{place}" for place in range(count))


def is_set_aside(fold: Fold, item: int) -> bool:
    """Whether the label of an item belongs to a random sample and is not known yet.

    People who label many items at once look at each less closely. The sample would agree with the model too often.
    """
    audit = fold.audits.kept.get(item)
    return audit is not None and audit.state in ("waiting", "asked")


def label_group(transaction: Transaction, request: messages.GroupLabel, who: str | None) -> Sorted:
    """Label the items of a group that can be labelled; return what is left to correct, and what cannot be done."""
    check_single(transaction.settings, "labels of many items at once")
    check_class(transaction.settings, request.label)
    if len(set(request.items)) < len(request.items):
        raise invalid("an item is named twice in this group: name each item once")
    found = _sorted(transaction, request, who)
    given = [messages.Label(request.label, item=item, key=key) for item, key in found.label.items()]
    if given:
        labels.label(transaction, given, who)
    return found


def done_before(found: Sorted, kind: str) -> list[int]:
    """The items for which an earlier request with the same key wrote an entry of this kind."""
    return [item for item, earlier in found.again.items() if earlier == kind]


def correct_group(
    transaction: Transaction, label: str, items: dict[int, str], who: str | None
) -> tuple[PendingAmendment | None, list[messages.Refusal]]:
    """Correct the labels of these items, with these keys, now or as one amendment; and what could not be done."""
    _look_up(transaction, list(items))
    changes: list[PendingAmendment] = []
    refused: list[messages.Refusal] = []
    for item, key in items.items():
        try:
            change = correct(transaction, messages.Correction(label, item=item, key=key), who)
        except RequestError as error:  # somebody has undone its label since
            refused.append(messages.Refusal(item, error.message))
        else:
            changes += [change] if isinstance(change, PendingAmendment) else []
    return together(changes), refused


def undo_group(
    transaction: Transaction, request: messages.GroupUndo, who: str | None
) -> tuple[PendingAmendment | None, messages.GroupUndone]:
    """Undo the labels of a group, or of some items, as one amendment. The same key again does nothing."""
    items = _labelled(transaction, request, who)
    _look_up(transaction, items)
    keys = dict(zip(items, group_keys(request.key, len(items)), strict=True))
    earlier = transaction.by_key([journal.UNDO], list(group_keys(request.key)))
    if earlier:
        for entry in earlier.values():
            check_key(request.key, entry, "undoing", who, same=True)
        done = [entry.item for entry in earlier.values() if entry.item is not None]
        return None, messages.GroupUndone(sorted(done), [], transaction.fold.version)
    changes: list[PendingAmendment] = []
    refused: list[messages.Refusal] = []
    for item in items:
        try:
            change = undo(transaction, messages.Undo(item, keys[item]), who)
        except RequestError as error:
            refused.append(messages.Refusal(item, error.message))
        else:
            assert isinstance(change, PendingAmendment)
            changes.append(change)
    undone = [change.item for change in changes if change.item is not None]
    return together(changes), messages.GroupUndone(undone, refused, transaction.fold.version)


def together(changes: Sequence[PendingAmendment]) -> PendingAmendment | None:
    """Changes that are written, and replayed, as one; None if there are none."""
    return changes[0]._replace(others=tuple(changes[1:])) if changes else None


def _labelled(transaction: Transaction, request: messages.GroupUndo, who: str | None) -> list[int]:
    """The items whose labels are to be undone."""
    if (request.group is UNSET) == (request.items is UNSET):
        raise invalid("say which labels: give the key of a group (group) or the items (items), and not both")
    if request.items is not UNSET:
        return list(dict.fromkeys(request.items))
    assert request.group is not UNSET
    entries = transaction.by_key([journal.LABEL], list(group_keys(request.group))).values()
    return sorted(entry.item for entry in entries if entry.who == who and entry.item is not None)


def _sorted(transaction: Transaction, request: messages.GroupLabel, who: str | None) -> Sorted:
    found = Sorted({}, {}, [], [], {})
    entries = _look_up(transaction, request.items)
    keys = list(group_keys(request.key, len(request.items)))
    earlier = transaction.by_key([journal.LABEL, journal.CORRECTION], keys)
    label = transaction.settings.id_of(request.label)
    for item, key in zip(request.items, keys, strict=True):
        if key in earlier:
            same = (earlier[key].item, journal.read(earlier[key]).label) == (item, label)
            check_key(request.key, earlier[key], "group", who, same=same)
            found.again[item] = earlier[key].kind
            continue
        try:
            _sort(transaction, request, entries.get(item), item, key, who, found)
        except RequestError as error:
            found.refused.append(messages.Refusal(item, error.message))
    return found


def _sort(
    transaction: Transaction,
    request: messages.GroupLabel,
    entry: Entry | None,
    item: int,
    key: str,
    who: str | None,
    found: Sorted,
) -> None:
    """Find out what is to be done with an item; RequestError if nothing can be done."""
    is_item = entry is not None and entry.kind in journal.ITEMS
    now = label_now(transaction, entry) if entry is not None and is_item else None
    name = transaction.settings.name_of(transaction.settings.id_of(request.label))
    if now == name:
        found.unchanged.append(item)
    elif now is not None and request.correct:
        found.correct[item] = key
    elif is_set_aside(transaction.fold, item):
        raise conflict("set_aside", f"item {item} {SET_ASIDE}")
    elif labels.is_repeated(transaction, messages.Label(request.label, item=item), item, {}, who):
        found.unchanged.append(item)
    else:
        labels.check(transaction, messages.Label(request.label, item=item), item, who)
        found.label[item] = key


def _look_up(transaction: Transaction, items: Sequence[int]) -> dict[int, Entry]:
    """The entries of items, and all that is about them, with few queries."""
    entries = transaction.at(items)
    transaction.look_up([entry for entry in entries.values() if entry.kind in journal.ITEMS])
    return entries
