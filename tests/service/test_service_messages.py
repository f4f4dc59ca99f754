"""The types of messages are such that msgspec can handle them."""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import inspect

import askance.service.api.app  # the messages of the API  # noqa: F401

CONTAINERS = (inspect.CollectionType, inspect.TupleType, inspect.DictType)


def structs(kind: type) -> Iterator[Any]:
    for each in kind.__subclasses__():
        if each.__module__.startswith("askance."):
            yield each
        yield from structs(each)


def plain(kind: Any) -> Any:
    """A type without what is noted on it."""
    return kind.type if isinstance(kind, inspect.Metadata) else kind


def unions(kind: Any) -> Iterator[list[Any]]:
    """The types of each union inside a type."""
    kind = plain(kind)
    inner = list(getattr(kind, "types", ()))
    if isinstance(kind, inspect.UnionType):
        yield [plain(each) for each in inner]
    inner += getattr(kind, "item_types", ())
    inner += [getattr(kind, name) for name in ("item_type", "key_type", "value_type") if hasattr(kind, name)]
    for each in inner:
        yield from unions(each)


def is_risky(union: list[Any]) -> bool:
    return any(getattr(each, "pattern", None) for each in union) and any(
        isinstance(each, CONTAINERS) for each in union
    )


def test_nothing_is_a_string_with_a_pattern_or_else_a_list() -> None:
    """msgspec 0.22 takes the pattern for a type there, and often crashes at the end of the process."""
    fields = [(body, field) for body in structs(msgspec.Struct) for field in inspect.type_info(body).fields]
    assert len(fields) > 500
    found = [(body, field.name) for body, field in fields if any(map(is_risky, unions(field.type)))]
    assert found == []


def test_such_a_field_is_found() -> None:
    """Only described here: making a decoder for it might end this process."""
    name, names = inspect.StrType(pattern="^a"), inspect.ListType(inspect.StrType())
    harmless, risky = inspect.UnionType((name, inspect.NoneType())), inspect.UnionType((name, names))
    assert not any(map(is_risky, unions(inspect.DictType(name, harmless))))
    assert any(map(is_risky, unions(inspect.ListType(inspect.DictType(name, risky)))))
