"""Turning items and labels into messages, with ids and keys, so that they can safely be sent twice."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar
from uuid import uuid4

import msgspec

from askance.service.messages import (
    MOST_AT_ONCE,
    Amendment,
    Correction,
    Item,
    ItemDecision,
    ItemDetail,
    Label,
    LabelledItem,
    Question,
    Receipt,
)

# Batches of long texts are smaller, well below the limit of the service.
MOST_BYTES = 1 << 20

ItemLike = str | Mapping[str, Any] | Item
"""An item: a text, a record of named values, or an `Item` with an id or a note."""

ItemRef = int | ItemDecision | Question | ItemDetail | Receipt | Amendment
"""An item of the service: its number, or any answer about it."""

ItemT = TypeVar("ItemT", bound=Item)


def as_item(given: ItemLike) -> Item:
    """Make an item: a string is a text, a mapping a record."""
    if isinstance(given, Item):
        return given
    if isinstance(given, str):
        return Item(text=given)
    if isinstance(given, Mapping):
        return Item(record=_finite(dict(given)))
    raise ValueError(f"a {type(given).__name__} is not an item: give a string, a dict or an Item")


def as_items(given: ItemLike | Iterable[ItemLike]) -> tuple[list[Item], bool]:
    """The items, and whether a single one was given."""
    if isinstance(given, str | Mapping | Item):
        return [as_item(given)], True
    if not isinstance(given, Iterable):
        raise ValueError(
            f"a {type(given).__name__} is not an item: give a string, a dict, an Item or a list of them"
        )
    return [as_item(one) for one in given], False


def named(item: ItemT) -> ItemT:
    """The same item with an id, if it has none."""
    return item if item.id is not msgspec.UNSET else msgspec.structs.replace(item, id=fresh_name())


def named_label(label: Label) -> Label:
    """The same label with a key, if it has none."""
    return label if label.key is not msgspec.UNSET else msgspec.structs.replace(label, key=fresh_name())


def fresh_name() -> str:
    """A new unique id."""
    return uuid4().hex


def number_of(item: ItemRef) -> int:
    """The number of an item."""
    number = item if isinstance(item, int) else getattr(item, "item", None)
    if not isinstance(number, int) or isinstance(number, bool):
        raise ValueError(f"{item!r} is not an item: give its number, or an answer of the service about it")
    return number


def label_of(item: ItemRef | str, label: str, lease: int | None, key: str | None) -> Label:
    """A label for an item that is named by its number or by your id."""
    return Label(
        label,
        **_name(item),
        key=key or fresh_name(),
        lease=msgspec.UNSET if lease is None else lease,
    )


def correction_of(item: ItemRef | str, label: str, key: str | None) -> Correction:
    """A correction for an item that is named by its number or by your id."""
    return Correction(label, **_name(item), key=key or fresh_name())


def as_labels(given: Iterable[Label | tuple[ItemRef | str, str]]) -> list[Label]:
    """Labels, or pairs of an item and its label."""
    return [one if isinstance(one, Label) else label_of(one[0], one[1], None, None) for one in given]


def labelled_items(items: Sequence[Item], labels: Sequence[str]) -> list[LabelledItem]:
    """The items with their labels."""
    if isinstance(labels, str) or len(items) != len(labels):
        count = 1 if isinstance(labels, str) else len(labels)
        raise ValueError(f"there are {len(items)} items but {count} labels: lengths must match")
    return [
        LabelledItem(text=item.text, record=item.record, id=item.id, note=item.note, label=label)
        for item, label in zip(items, labels, strict=True)
    ]


def batches_of(structs: Sequence[msgspec.Struct], field: str = "items") -> Iterator[bytes]:
    """Request bodies of at most MOST_AT_ONCE messages and about MOST_BYTES bytes (a single one may be longer)."""
    batch: list[msgspec.Raw] = []
    size = 0
    for struct in structs:
        content = msgspec.json.encode(struct)
        if batch and (len(batch) == MOST_AT_ONCE or size + len(content) > MOST_BYTES):
            yield msgspec.json.encode({field: batch})
            batch, size = [], 0
        batch.append(msgspec.Raw(content))
        size += len(content)
    if batch:
        yield msgspec.json.encode({field: batch})


def _finite(record: dict[str, Any]) -> dict[str, Any]:
    """Check that a record has no NaN or infinity, which JSON would turn into null."""
    for name, value in record.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(
                f"the field {name!r} of a record is {value}: give a finite number, or leave the field out"
            )
    return record


def _name(item: ItemRef | str) -> dict[str, Any]:
    return {"id": item} if isinstance(item, str) else {"item": number_of(item)}
