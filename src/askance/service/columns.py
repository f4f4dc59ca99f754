"""What the columns of a task's records hold, as its settings say it."""

from typing import Annotated, Literal

from msgspec import Meta, Struct


class Section(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A section of a task's settings."""


Kind = Literal["number", "category", "text", "date", "id", "ignored"]
Notation = Literal["", "decimal point", "decimal comma", "day first", "month first"]
NOTATIONS_OF: dict[str, tuple[Notation, ...]] = {
    "number": ("decimal point", "decimal comma"),
    "date": ("month first", "day first"),
}
FieldName = Annotated[str, Meta(min_length=1, max_length=200)]


class Column(Section, frozen=True):
    """What a column of records holds, and what is known of it from the first rows of a table.

    `levels` are those of a category with few of them; others are hashed. `starts` are the means of a number, or of
    the parts of a date. With `indicator`, a feature says that the value is missing. With `lenient`, anything that
    is not a number or a date counts as missing. `reason` says why a column is left out. `notation` says how
    numbers or dates are written, if not as 1234.5 or 2025-12-31.
    """

    kind: Kind
    levels: list[str] = []
    starts: list[float] = []
    indicator: bool = False
    lenient: bool = False
    reason: str = ""
    notation: Notation = ""

    def __post_init__(self) -> None:
        if self.notation and self.notation not in NOTATIONS_OF.get(self.kind, ()):
            raise ValueError(f"a {self.kind} has no notation {self.notation!r}: leave it out")


Columns = dict[FieldName, Kind | Column]


def vector_name(length: int) -> str:
    """What a vector is called, where a text would be shown as it is."""
    return f"a vector of {length} number{'' if length == 1 else 's'}"
