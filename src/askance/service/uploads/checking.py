"""The check of an uploaded file as a whole, before any of its rows is added: nothing of a refused file is."""

import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from askance.data.cells import is_missing
from askance.data.files import batches, shown
from askance.data.guessing import GZIP
from askance.data.jsonl import JsonRecord
from askance.data.kinds import LEFT_OUT
from askance.data.multilabel import labels_in
from askance.data.raw_rows import FORMATS, RawRows, rows_of
from askance.errors import AskanceError, DataError
from askance.service.columns import Columns
from askance.service.files.columns import inferred
from askance.service.files.items import ItemMaker, label_name, maker_of
from askance.service.label_sets import names_in
from askance.service.messages import ColumnsRequest, Item, LabelledItem, UploadColumn
from askance.service.messages.base import GivenLabel
from askance.service.settings import TaskSettings
from askance.service.state.columns import columns_of
from askance.service.uploads.kinds import Kinds, head_of
from askance.service.validation import sentence_of

AT_ONCE = 1000
MOST_ROWS = 2_000_000
MOST_UNKNOWN = 1000  # labels that are not classes, of which the most frequent are shown
SHOWN_UNKNOWN = 10
ARCHIVE = "npz"
UPLOADED = tuple(kind for kind in FORMATS if kind != ARCHIVE)
# What the messages of the command line advise, and what to do on a page.
ADVICE = (
    (", or leave the column out with --drop", ", or choose “ignored” for the column"),
    (": leave it out with --drop", ""),
    (": pass format= one of", ": give a file in one of the formats"),
    (": name it with --vector", ""),
    (", for example with iconv -f UTF-16 -t UTF-8", ""),
    (", for example with iconv", ""),
)

Known = Callable[[Sequence[Item]], int]
"""Returns how many of some items the task has; RequestError if one of their ids belongs to another content."""


class Question(NamedTuple):
    """What to check: a file, the task that it is for, and what people say of its columns."""

    path: Path
    name: str
    digest: str
    settings: TaskSettings
    opens: bool  # whether the kinds of columns become those of the task
    before: Mapping[str, str]
    wanted: Mapping[str, str]


class Checked(NamedTuple):
    """What is known of a file that can be added. `new_columns` are those that the task of records gets."""

    rows: int
    labelled: int
    known: int
    unknown: dict[str, int]
    new_columns: Columns


class Reading(NamedTuple):
    """An open file, and what makes items of its rows."""

    rows: RawRows
    maker: ItemMaker
    name: str

    def label(self, entry: JsonRecord) -> GivenLabel | None:
        """The label of a row; None if it has none. It need not be a class, or a list of classes."""
        column = self.maker.roles.fields.label
        value = None if column is None else entry.record.get(column)
        if self.maker.settings.multilabel:
            is_empty = not isinstance(value, list) and is_missing(value)
            return None if is_empty else labels_in(value, None, lambda: self.rows.where(entry.line))
        name = "" if value is None else label_name(value)
        return name if self.maker.settings.knows(name) or not is_missing(value) else None

    def unknown(self, label: GivenLabel) -> list[str]:
        """The names in a label that are not classes of the task."""
        return [name for name in names_in(label) if not self.maker.settings.knows(name)]

    def item(self, entry: JsonRecord) -> Item:
        """A row as an item, labelled if its label has classes of the task alone."""
        label = self.label(entry)
        is_known = label is not None and not self.unknown(label)
        return self.maker.with_label(entry, label if is_known else None, self.name)


class Check:
    """The check of a file. `columns`, `kinds` and `progress` are known before it ends."""

    def __init__(self, question: Question, known: Known, is_stopped: Callable[[], bool]) -> None:
        self.columns: list[UploadColumn] = []
        self.kinds: dict[str, str] = {}
        self.progress = 0.0
        self._question = question
        self._known = known
        self._is_stopped = is_stopped

    def run(self) -> Checked:
        """Read the whole file; AskanceError with a message for people if it cannot be added."""
        question = self._question
        try:
            with _opened(question.path) as rows:
                kinds = Kinds(head_of(rows, question.settings), question.settings, question.opens)
                before = dict(question.before) or kinds.guessed()
                self._show(kinds, before)
                self._show(kinds, kinds.chosen(before, question.wanted))
                kinds = kinds.aimed(self.kinds)
                settings = _with_columns(question, rows, kinds, self.kinds)
                reading = _reading(rows, settings, kinds, self.kinds, question)
                return self._counted(reading)
        except DataError as error:
            raise DataError(in_words(str(error), question.path, question.name)) from error

    def _show(self, kinds: Kinds, chosen: dict[str, str]) -> None:
        self.kinds, self.columns = chosen, kinds.shown(chosen)

    def _counted(self, reading: Reading) -> Checked:
        rows = labelled = known = 0
        unknown: Counter[str] = Counter()
        ids = array("q")
        has_own_ids = reading.maker.roles.own_id is not None
        for entries in batches(reading.rows, AT_ONCE):
            if self._is_stopped():
                raise DataError("the upload was cancelled")
            items = [reading.item(entry) for entry in entries]
            if has_own_ids:
                ids.extend(hash(item.id) for item in items)
                _check_distinct(ids[-len(items) :], reading)
            with placed(reading.rows, [entry.line for entry in entries]):
                known += self._known(items)
            rows += len(items)
            if rows > MOST_ROWS:
                raise DataError(
                    f"{reading.rows.path}: has more than {MOST_ROWS:,} rows: "
                    "split it, or send it with askance push"
                )
            labelled += sum(isinstance(item, LabelledItem) for item in items)
            _count_unknown(unknown, reading, entries)
            self.progress = reading.rows.progress
        _check_distinct(ids, reading)
        settings, before = reading.maker.settings, self._question.settings
        new_columns = {} if settings.columns == before.columns else settings.columns
        return Checked(rows, labelled, known, dict(unknown.most_common(SHOWN_UNKNOWN)), new_columns)

    def column_of(self, problem: str) -> str | None:
        """The column that a problem is about, if it is about one."""
        return next((one.name for one in self.columns if f"column {shown(one.name)}" in problem), None)


@contextmanager
def reading_again(question: Question, kinds: Mapping[str, str]) -> Iterator[Reading]:
    """A file that was checked, for its rows to be added. The settings are those of the task by now."""
    with _opened(question.path) as rows:
        of_columns = Kinds(head_of(rows, question.settings), question.settings, opens=False)
        yield _reading(rows, question.settings, of_columns, kinds, question)


@contextmanager
def placed(rows: RawRows, lines: Sequence[int]) -> Iterator[None]:
    """Say at which row of the file an item was refused."""
    try:
        yield
    except AskanceError as error:
        if getattr(error, "status", 0) not in (409, 422):
            raise
        place = re.search(r"item (\d+) \(from 0\)", str(error))
        where = rows.where(lines[int(place[1])]) if place else str(rows.path)
        if getattr(error, "code", "") == "id_reused":
            raise DataError(
                f"{where}: the task already has this id with other content or another label: leave the row out"
            ) from error
        raise DataError(str(error).replace(place[0], where) if place else f"{where}: {error}") from error


def in_words(message: str, path: Path, name: str) -> str:
    """A message about a file as a page shows it: with the name that the file had, and without options."""
    for said, instead in ADVICE:
        message = message.replace(said, instead)
    return message.replace(str(path), name)


@contextmanager
def _opened(path: Path) -> Iterator[RawRows]:
    with path.open("rb") as file:
        if file.read(2) == GZIP:
            raise DataError(f"{path}: is compressed: unpack it first, or send it with askance push")
    if path.suffix == f".{ARCHIVE}":
        raise DataError(f"{path}: is an archive of NumPy: send it with askance push")
    with rows_of(path, formats=UPLOADED) as rows:
        yield rows


def _with_columns(question: Question, rows: RawRows, kinds: Kinds, chosen: Mapping[str, str]) -> TaskSettings:
    """The settings of the task, with the columns of this file if it has none yet."""
    if not question.opens or "record" not in kinds.settings.parts:
        return question.settings
    plan = inferred(rows, kinds.roles(chosen), kinds.given(chosen))
    if all(column.kind == LEFT_OUT for column in plan):
        return question.settings
    try:
        request = msgspec.convert({"columns": msgspec.to_builtins(columns_of(plan))}, ColumnsRequest)
        settings = msgspec.structs.replace(kinds.settings, columns=request.columns)
        settings.learner()
    except msgspec.ValidationError as error:
        raise DataError(f"{rows.path}: {sentence_of(error)}") from None
    except (ValueError, MemoryError) as error:
        raise DataError(f"{rows.path}: {error}") from None
    return settings


def _reading(
    rows: RawRows, settings: TaskSettings, kinds: Kinds, chosen: Mapping[str, str], question: Question
) -> Reading:
    maker = maker_of(rows, settings, kinds.roles(chosen), question.digest[:16], labelled=False)
    return Reading(rows, maker, question.name)


def _check_distinct(ids: "array[int]", reading: Reading) -> None:
    if len(np.unique(np.array(ids, np.int64))) < len(ids):
        column = shown(reading.maker.roles.own_id)
        raise DataError(f"column {column}: rows have the same id: choose “ignored” for the column")


def _count_unknown(unknown: Counter[str], reading: Reading, entries: Sequence[JsonRecord]) -> None:
    """Count the labels that are not classes, up to a number of different ones."""
    for entry in entries:
        label = reading.label(entry)
        for name in [] if label is None else reading.unknown(label):
            if name in unknown or len(unknown) < MOST_UNKNOWN:
                unknown[name] += 1
