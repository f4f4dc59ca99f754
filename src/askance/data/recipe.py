"""How records become rows and labels: the roles of fields, and how they are hashed."""

import math
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from askance.data.cells import number_of
from askance.data.files import listed, shown
from askance.data.hashing import check_bits
from askance.data.values import check_dtype
from askance.errors import DataError

LABEL_NAMES = ("label", "y", "class", "target")
TEXT_NAME = "text"


class Fields(NamedTuple):
    """The roles of the fields of a source. `label` is None without labels, `text` is None for records."""

    label: str | None
    text: str | None
    left_out: frozenset[str]


@dataclass(frozen=True)
class Recipe:
    """The options of a reader; `askance.data.read` documents them."""

    label: str | Literal[False] | None = None
    text: str | Literal[False] | None = None
    categories: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    bits: int = 20
    pairs: bool = False
    dtype: str = "float32"

    def __post_init__(self) -> None:
        check_bits(self.bits)
        check_dtype(self.dtype)

    def fields(self, names: Collection[str], is_string: Callable[[str], bool], place: str) -> Fields:
        """Find the fields that hold the label and the text."""
        left_out = set(self.drop)
        label = self._label(names, place)
        if label is not None:
            left_out.add(label)
        text = self.text or None
        if self.text is None and TEXT_NAME in names and TEXT_NAME not in left_out and is_string(TEXT_NAME):
            text = TEXT_NAME
        if text is not None and text not in names:
            raise DataError(
                f"{place}: no text field {shown(text)}; there are {listed(names)}: pass text=", parameter="text"
            )
        return Fields(None if self.label is False else label, text, frozenset(left_out))

    def _label(self, names: Collection[str], place: str) -> str | None:
        """The field of the label, also if labels are not wanted: it must not become a feature."""
        if self.label:
            if self.label in names:
                return self.label
            raise DataError(
                f"{place}: no label field {shown(self.label)}; there are {listed(names)}: pass label=",
                parameter="label",
            )
        spelled = {name.lower(): name for name in reversed(list(names))}
        found = next((spelled[usual] for usual in LABEL_NAMES if usual in spelled), None)
        if found is None and self.label is None:
            value = next((name for number, name in enumerate(names) if _may_be_value(name, number)), None)
            advice = f"; if {shown(value)} is a value, write the names of the columns above it" if value else ""
            raise DataError(
                f"{place}: no label field: looked for {listed(LABEL_NAMES)} among {listed(names)}: "
                f"name it with label=, or if there are no labels yet, give them with askance label{advice}",
                parameter="label",
            )
        return found


def _may_be_value(name: str, number: int) -> bool:
    """Whether the name of a column may be a value of the first row: a number, but not that of the column."""
    value = number_of(name)
    return value is not None and math.isfinite(value) and name != str(number)


def several_names(option: str, names: Iterable[str]) -> tuple[str, ...]:
    """The names given for an option. A single string would be split into letters."""
    if isinstance(names, str):
        raise DataError(f"{option}={shown(names)}: give a list of names, such as {option}=[{shown(names)}]")
    return tuple(names)
