"""Turning items and labels into messages, with ids and keys, so that they can safely be sent twice."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Integral
from typing import Any, NamedTuple, Protocol, TypeGuard, TypeVar
from uuid import uuid4

import msgspec

from askance.service.client.encoding import encode
from askance.service.messages import (
    MOST_AT_ONCE,
    Amendment,
    Correction,
    Item,
    ItemDecision,
    ItemDetail,
    Label,
    LabelledItem,
    LateGuess,
    Question,
    Receipt,
)
from askance.service.validation import sentence_of

# Batches of long texts are smaller, well below the limit of the service.
MOST_BYTES = 1 << 20


class Vector(Protocol):
    """A vector: an array with one dimension. A client needs no numpy."""

    @property
    def ndim(self) -> int:
        """The number of dimensions."""

    def tolist(self) -> Any:
        """The numbers."""


ItemLike = str | Mapping[str, Any] | Vector | Item
"""An item: a text, a record of named values, an array with a vector, or an `Item` with several parts or an id."""

ItemRef = int | ItemDecision | Question | ItemDetail | Receipt | Amendment
"""An item of the service: its number, or any answer about it."""

ItemT = TypeVar("ItemT", bound=Item)


def as_item(given: ItemLike) -> Item:
    """Make an item: a string is a text, a mapping a record, an array a vector."""
    if isinstance(given, Item):
        return given
    if isinstance(given, str):
        return Item(text=given)
    if isinstance(given, Mapping):
        return Item(record=_finite(dict(given)))
    if _is_array(given) and given.ndim == 1:
        return Item(vector=_finite_vector(given))
    raise ValueError(f"a {type(given).__name__} is not an item: give a string, a dict, an array or an Item")


def as_item_or_number(given: "ItemLike | ItemRef") -> Item | int:
    """An item, or the number of one that the service knows."""
    if isinstance(given, str | Mapping | Item) or _is_array(given):
        return as_item(given)
    return number_of(given)  # type: ignore[arg-type]


def as_items(given: ItemLike | Iterable[ItemLike]) -> tuple[list[Item], bool]:
    """The items, and whether a single one was given."""
    if isinstance(given, str | Mapping | Item) or (_is_array(given) and given.ndim == 1):
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
    number: Any = item if isinstance(item, Integral) else getattr(item, "item", None)
    if isinstance(number, bool) or not isinstance(number, Integral):
        raise ValueError(f"{item!r} is not an item: give its number, or an answer of the service about it")
    return int(number)


def label_of(item: ItemRef | str, label: str | list[str], lease: int | None, key: str | None) -> Label:
    """A label for an item that is named by its number or by your id."""
    return Label(
        label,
        **_name(item),
        key=key or fresh_name(),
        lease=msgspec.UNSET if lease is None else lease,
    )


def correction_of(item: ItemRef | str, label: str | list[str], key: str | None) -> Correction:
    """A correction for an item that is named by its number or by your id."""
    return Correction(label, **_name(item), key=key or fresh_name())


def as_labels(given: Iterable[Label | tuple[ItemRef | str, str | list[str]]]) -> list[Label]:
    """Labels, or pairs of an item and its label."""
    return [one if isinstance(one, Label) else label_of(one[0], one[1], None, None) for one in given]


def as_guess(given: LateGuess | Mapping[str, Any]) -> LateGuess:
    """A guess, or the fields of one."""
    if isinstance(given, LateGuess):
        return given
    try:
        return msgspec.convert(dict(given), LateGuess)
    except msgspec.ValidationError as error:
        raise ValueError(f"the guess is not valid: {sentence_of(error)}") from None


class Origin(NamedTuple):
    """Where labels come from, and whether their items are gold; None if it is not known."""

    source: str | None = None
    labeller: str | None = None
    labelled_at: float | None = None
    gold: bool | None = None


NOT_KNOWN = Origin()


def labelled_items(items: Sequence[Item], labels: Sequence[str], origin: Origin = NOT_KNOWN) -> list[LabelledItem]:
    """The items with their labels, and where these come from, unless the item says it itself."""
    if isinstance(labels, str) or len(items) != len(labels):
        count = 1 if isinstance(labels, str) else len(labels)
        raise ValueError(f"there are {len(items)} items but {count} labels: lengths must match")
    known = {name: value for name, value in origin._asdict().items() if value is not None}
    gold = {"gold": True} if origin.gold else {}  # an item that does not say so has False
    return [
        LabelledItem(**(known | _fields(item) | gold | {"label": label}))
        for item, label in zip(items, labels, strict=True)
    ]


def batches_of(structs: Sequence[msgspec.Struct], field: str = "items") -> Iterator[bytes]:
    """Request bodies of at most MOST_AT_ONCE messages and about MOST_BYTES bytes (a single one may be longer)."""
    batch: list[msgspec.Raw] = []
    size = 0
    for struct in structs:
        content = encode(struct)
        if batch and (len(batch) == MOST_AT_ONCE or size + len(content) > MOST_BYTES):
            yield encode({field: batch})
            batch, size = [], 0
        batch.append(msgspec.Raw(content))
        size += len(content)
    if batch:
        yield encode({field: batch})


def _finite(record: dict[str, Any]) -> dict[str, Any]:
    """Check that a record has no NaN or infinity, which JSON would turn into null."""
    for name, value in record.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(
                f"the field {name!r} of a record is {value}: give a finite number, or leave the field out"
            )
    return record


def _is_array(given: Any) -> TypeGuard[Vector]:
    return hasattr(given, "ndim") and hasattr(given, "tolist")


def _finite_vector(given: Vector) -> list[float]:
    vector = [float(number) for number in given.tolist()]
    if not all(map(math.isfinite, vector)):
        raise ValueError("a vector has a number that is not finite: fix it, or leave the item out")
    return vector


def _name(item: ItemRef | str) -> dict[str, Any]:
    return {"id": item} if isinstance(item, str) else {"item": number_of(item)}


def _fields(item: Item) -> dict[str, Any]:
    """What an item says about itself."""
    named_fields = ((name, getattr(item, name)) for name in item.__struct_fields__)
    return {name: value for name, value in named_fields if value is not msgspec.UNSET}
