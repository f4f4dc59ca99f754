"""The rows of a file as items of a task: which columns are text, vector, record, id and label."""

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import msgspec

from askance._util.class_names import shown_class
from askance.data.cells import column_number, is_missing, number_of
from askance.data.encoding import TablePlan
from askance.data.files import listed, shown
from askance.data.jsonl import JsonRecord, value_of
from askance.data.kinds import LEFT_OUT, NUMBER
from askance.data.multilabel import USUAL, labels_in
from askance.data.raw_rows import VECTOR, ArchiveRows, JsonRows, RawRows, TableRows
from askance.data.recipe import Fields, Recipe
from askance.errors import DataError
from askance.service.files.choices import ColumnChoices
from askance.service.files.guesses import GUESSES, guess_columns, guesses_of
from askance.service.messages import Item, LabelledItem
from askance.service.messages.base import GivenLabel
from askance.service.settings import TaskSettings
from askance.service.validation import sentence_of

USUAL_TEXT, USUAL_ID = "text", "id"
USUAL_VECTORS, USUAL_PREFIX = (VECTOR, "embedding"), "v"


@dataclass(frozen=True)
class Roles:
    """Which columns of a file are what. A vector is one column of lists, or several columns of numbers."""

    fields: Fields
    own_id: str | None
    vector: tuple[str, ...] = ()
    guesses: tuple[str, ...] = ()

    @property
    def left_out(self) -> frozenset[str]:
        """The columns that are not part of a record."""
        others = {self.fields.text, self.own_id, GUESSES if self.guesses else None, *self.guesses} - {None}
        return self.fields.left_out | {name for name in others if name} | set(self.vector)


@dataclass(frozen=True)
class ItemMaker:
    """Makes an item of this task from a row of this file.

    A row without an id gets `prefix` and its number as id. Rows from a pipe get none, because the next pipe has
    other lines.
    """

    rows: RawRows
    prefix: str | None
    roles: Roles
    settings: TaskSettings
    plan: TablePlan | None
    labelled: bool

    def item(self, entry: JsonRecord) -> Item:
        """The item, labelled if all of them are; DataError with the place if the service would refuse it."""
        return self.with_label(entry, self._label(entry) if self.labelled else None)

    def with_label(self, entry: JsonRecord, label: GivenLabel | None, source: str | None = None) -> Item:
        """The item with this label and its source, if there is one."""
        place, fields = self.rows.where(entry.line), self.roles.fields
        content: dict[str, Any] = {}
        if fields.text is not None:
            content["text"] = self.rows.text(entry, fields.text)
        if self.roles.vector:
            content["vector"] = self._vector(entry, place)
        if "record" in self.settings.parts:
            record = self._record(entry, place)
            if record or not content:
                content["record"] = record
        if (name := self._id(entry, place)) is not None:
            content["id"] = name
        if found := guesses_of(entry.record, self.roles.guesses):
            content["guesses"] = found
        if label is not None:
            content |= {"label": label} | ({"source": source} if source else {})
        try:
            item = msgspec.convert(content, Item if label is None else LabelledItem)
        except msgspec.ValidationError as error:
            raise DataError(f"{place}: cannot be sent, because {sentence_of(error)}: fix or remove it") from None
        for name, guess in found.items():
            self._check_class(place, f"the guess of {shown(name)}", guess["label"])
        return item

    def _record(self, entry: JsonRecord, place: str) -> dict[str, Any]:
        if self.plan is None:
            return self.rows.values(entry, self.roles.left_out)
        if not isinstance(self.rows, TableRows):
            return self.rows.values(entry, {*self.roles.left_out, ""})
        numbers = {column.name: column for column in self.plan.columns if column.kind == NUMBER}
        found: dict[str, Any] = {}
        for name, cell in entry.record.items():
            if not name or name in self.roles.left_out or (is_missing(cell) and name not in numbers):
                continue
            column = numbers.get(name)
            number = column_number(cell, column.notation, lenient=column.lenient) if column else None
            if column and number is None and not column.lenient:
                raise DataError(
                    f"{place}, column {shown(name)}: {shown(cell)} is not a number, as in this task: fix it"
                )
            found[name] = cell if column is None else None if is_missing(cell) else number
        return found

    def _vector(self, entry: JsonRecord, place: str) -> list[float]:
        names = self.roles.vector
        values = [value_of(entry.record, name, place) for name in names]
        if len(names) == 1 and isinstance(values[0], str) and values[0].lstrip().startswith("["):
            values = [_listed(values[0])]
        if len(names) == 1 and isinstance(values[0], list):
            values = values[0]
        numbers = [number_of(value) for value in values]
        for name, value, number in zip(
            names if len(names) > 1 else names * len(numbers), values, numbers, strict=True
        ):
            if number is None or is_missing(value) or number in (float("inf"), float("-inf")):
                raise DataError(
                    f"{place}, column {shown(name)}: {shown(value)} is not a number of a vector: fix it"
                )
        length = self.settings.vector_length
        if len(numbers) != length:
            raise DataError(f"{place}: the vector has {len(numbers)} numbers, but must have {length} in this task")
        return [float(number) for number in numbers if number is not None]

    def _id(self, entry: JsonRecord, place: str) -> str | None:
        if self.roles.own_id is None:
            return None if self.prefix is None else f"{self.prefix}:{entry.line}"
        name = value_of(entry.record, self.roles.own_id, place)
        if isinstance(name, bool) or not isinstance(name, str | int) or name == "":
            raise DataError(f"{place}: the id is {shown(name)}: give a string or a whole number")
        return str(name)

    def _label(self, entry: JsonRecord) -> GivenLabel:
        assert self.roles.fields.label is not None
        place = self.rows.where(entry.line)
        value = value_of(entry.record, self.roles.fields.label, place)
        if self.settings.multilabel:
            names = labels_in(value, None, lambda: place)
            for name in names:
                self._check_class(place, "a label", name)
            return names
        label = label_name(value)
        self._check_class(place, "the label", label, value)
        return label

    def _check_class(self, place: str, what: str, label: str, written: Any = None) -> None:
        if not self.settings.knows(label):
            raise DataError(
                f"{place}: {what} is {shown(label if written is None else written)}, but the classes of "
                f"{self.settings.name} are {', '.join(map(shown, self.settings.classes))}: fix or remove the line"
            )


def label_name(value: Any) -> str:
    """A label of a file as the name of a class."""
    return value.strip() if isinstance(value, str) else shown_class(value)


def maker_of(
    rows: RawRows, settings: TaskSettings, roles: Roles, prefix: str | None, *, labelled: bool
) -> ItemMaker:
    """The maker of items; DataError if the file does not have the columns of the task."""
    plan = settings.plan()
    if plan is not None:
        _check_columns(rows, plan, roles)
    elif isinstance(rows, TableRows):
        rows.find_numbers()
    return ItemMaker(rows, prefix, roles, settings, plan, labelled)


def roles_of(choices: ColumnChoices, rows: RawRows, settings: TaskSettings, first: JsonRecord) -> Roles:
    """What the columns of a file are, by its first row."""
    names, place = first.record, rows.where(first.line)
    if isinstance(rows, ArchiveRows) and not settings.takes_vectors:
        raise DataError(f"{rows.path}: its rows are vectors, but the items of {settings.name} have none")
    unknown = [name for name in choices.drop if name not in names]
    if unknown and not isinstance(rows, JsonRows):  # an object may lack what others have
        raise DataError(f"{place}: there is no column {shown(unknown[0])} to drop; there are {listed(names)}")
    label = choices.label
    if label is None and choices.labelled and settings.multilabel:
        label = next((name for name in names if name.lower() in USUAL), None)
    recipe = Recipe(
        label=label or (None if choices.labelled else False),
        text=_text(choices, settings, names),
        drop=choices.drop,
    )
    fields = recipe.fields(names, lambda _name: True, place)
    own_id = choices.id or (USUAL_ID if USUAL_ID in names else None)
    if own_id is not None:
        value_of(first.record, own_id, place)
    vector = vector_columns(choices, settings, names, place)
    return Roles(fields, own_id, vector, guess_columns(settings, first.record))


def _text(choices: ColumnChoices, settings: TaskSettings, names: Collection[str]) -> Any:
    """The column with the text; False if there is none. Where items are more than texts, it may be missing."""
    if "text" not in settings.parts:
        return False
    if settings.only_texts or choices.text or USUAL_TEXT in names:
        return choices.text or USUAL_TEXT
    return False


def vector_columns(
    choices: ColumnChoices, settings: TaskSettings, names: Collection[str], place: str
) -> tuple[str, ...]:
    """The column of lists with the vectors, or the columns with their numbers: v0, v1 and so on."""
    length = settings.vector_length
    if not settings.takes_vectors or length is None:
        return ()
    for name in (choices.vector,) if choices.vector else USUAL_VECTORS:
        if name in names:
            return (name,)
    prefix = choices.vector or USUAL_PREFIX
    numbered = tuple(f"{prefix}{number}" for number in range(length))
    if all(name in names for name in numbered):
        return numbered
    if settings.parts == ("vector",) or choices.vector:
        last = f"{prefix}{length - 1}"
        wanted = shown(choices.vector) if choices.vector else " or ".join(map(shown, USUAL_VECTORS))
        raise DataError(
            f"{place}: no column {wanted}, nor columns {prefix}0 to {last} with the numbers of vectors; "
            f"there are {listed(names)}: name it with --vector"
        )
    return ()


def _check_columns(rows: RawRows, plan: TablePlan, roles: Roles) -> None:
    """Raise DataError unless a table has the columns of the task. Objects may leave out what they do not have."""
    first = rows.first(1)
    if rows.has_objects or not first:
        return
    names = [name for name in first[0].record if name and name not in roles.left_out]
    known = [column.name for column in plan.columns]
    for column in plan.columns:
        if column.kind != LEFT_OUT and column.name not in names:
            raise DataError(
                f"{rows.path}: no column {shown(column.name)}, which the task has; there are {listed(names)}"
            )
    for name in names:
        if name not in known:
            raise DataError(
                f"{rows.path}: the task has no column {shown(name)}; there are {listed(known)}: "
                "leave it out with --drop"
            )


def _listed(cell: str) -> Any:
    try:
        return json.loads(cell)
    except ValueError:
        return cell
