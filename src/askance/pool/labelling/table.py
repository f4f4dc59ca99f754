"""The rows of a table to label: as a model sees them, as a person does, and the labels that some have already."""

import hashlib
import math
import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from askance._util.sealed_file import PLAN
from askance.auto.codec import encode
from askance.auto.core import AutoCore
from askance.data.cells import RawColumn, level_of
from askance.data.files import is_pipe, listed, shown
from askance.data.labels import UNLABELLED
from askance.data.memory_tables import WholeTable, memory_table
from askance.data.raw_tables import RawBatch, first_rows
from askance.data.recipe import LABEL_NAMES
from askance.data.saved_plans import saved_plan
from askance.data.tables import HEAD_ROWS, kind_of_labels, label_of
from askance.data.typed import LabelPlan, TypedTable, is_table, raw_table, read_table
from askance.errors import DataError
from askance.pool.labelling.model import joined

AT_ONCE = 2048


class Reading(NamedTuple):
    """How to read a file. `label` and `answers` are columns that are no features."""

    label: str | None = None
    answers: str | None = None
    text: str | None = None
    drop: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    format: str | None = None
    delimiter: str | None = None


@dataclass(frozen=True, eq=False)
class LabelTable:
    """Rows that are to be labelled.

    Attributes
    ----------
    stream : TypedTable
        How they were read.
    X : ndarray, csr_array or MixedRows
        All rows.
    columns : dict of str to list
        What is shown of each row.
    known : dict of int to str
        The labels that there are already.
    answers : dict of int to str
        The labels in the column of answers, if there is one.
    """

    stream: TypedTable
    X: Any
    columns: dict[str, RawColumn]
    known: dict[int, str]
    answers: dict[int, str]

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.X.shape[0])

    def shown(self, row: int) -> dict[str, Any]:
        """The values of a row, by column, without empty ones."""
        found = {name: values[row] for name, values in self.columns.items()}
        return {name: value for name, value in found.items() if not _is_empty(value)}

    def model_file(self, core: AutoCore) -> bytes:
        """The content of a model file that also says how the rows were read."""
        return encode(core, {PLAN: saved_plan(self.stream)})


@dataclass(frozen=True, eq=False)
class LabelFile(LabelTable):
    """A file whose rows are to be labelled."""

    path: Path

    def digest(self) -> str:
        """The checksum of the file."""
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True, eq=False)
class LabelFrame(LabelTable):
    """A data frame whose rows are to be labelled, with the checksum of its cells."""

    sha256: str


def read_to_label(path: str | os.PathLike[str], reading: Reading) -> LabelFile:
    """Read a file whose rows have no labels, or only some; raises DataError if that is not possible."""
    if is_pipe(path):
        raise DataError("a file to label is read more than once, but a pipe only once: save it to a file")
    if not is_table(path, reading.format):
        raise DataError(
            f"{path}: rows of numbers say nothing to a person: give CSV, TSV, JSON lines, XLSX, Parquet, RIS "
            "or nbib"
        )
    stream, raw = _read(path, reading)
    return LabelFile(**_parts(stream, raw, reading, str(path)), path=Path(path))


def frame_to_label(frame: Any, reading: Reading) -> LabelFrame:
    """Take a data frame whose rows have no labels, or only some; raises DataError if that is not possible."""
    if not isinstance(memory_table(frame), WholeTable):
        raise DataError("give one data frame, whose rows can be shown again: join the parts first")
    stream, raw = _read(frame, reading)
    sha256 = hashlib.sha256(repr(list(raw.items())).encode("utf-8", "surrogatepass")).hexdigest()
    return LabelFrame(**_parts(stream, raw, reading, "data frame"), sha256=sha256)


def _read(source: Any, reading: Reading) -> tuple[TypedTable, dict[str, RawColumn]]:
    """The rows as a model sees them, and as a person does."""
    _check_roles(source, reading)
    columns = [name for name in (reading.label, reading.answers) if name is not None]
    stream = read_table(
        source,
        format=reading.format,
        label=False,
        text=() if reading.text is None else [reading.text],
        categories=reading.categories,
        numbers=reading.numbers,
        dates=reading.dates,
        drop=dict.fromkeys([*columns, *reading.drop]),
        delimiter=reading.delimiter,
        chunk_rows=AT_ONCE,
    )
    return stream, _columns(stream.table.batches(AT_ONCE))


def _check_roles(source: Any, reading: Reading) -> None:
    """Raise DataError if there is no column of labels or answers, which are only left out for the model."""
    roles = {role: name for role in ("label", "answers") if (name := getattr(reading, role)) is not None}
    if not roles:
        return
    table = raw_table(source, reading.format, reading.delimiter, wanted=roles.values())
    names = list(first_rows(table, HEAD_ROWS + 1).columns)
    for role, name in roles.items():
        if name not in names:
            raise DataError(
                f"{table.place}: no column {shown(name)}; there are {listed(names)}: check {role}=", parameter=role
            )


def _parts(stream: TypedTable, raw: dict[str, RawColumn], reading: Reading, place: str) -> dict[str, Any]:
    """The fields of a `LabelTable`."""
    X = joined([chunk.X for chunk in stream])
    named = [name for name in (reading.label, reading.answers, *reading.drop) if name is not None]
    label = reading.label or _usual_label(raw, named)
    answers = {} if reading.answers is None else _labels(raw.pop(reading.answers))
    known = {} if label is None or label == reading.answers else _labels(raw.pop(label))
    if len(known) == X.shape[0]:
        raise DataError(
            f"{place}: all rows have a label in {shown(label)}: learn from them with askance run, or try out "
            f"labelling with answers={label}",
            parameter="answers",
        )
    stream.labels = LabelPlan(label or reading.answers)  # where `askance evaluate` looks for labels
    return {"stream": stream, "X": X, "columns": raw, "known": known, "answers": answers}


def _usual_label(raw: dict[str, RawColumn], others: Collection[str]) -> str | None:
    """The column that is left out of the features because it has the name of a label."""
    spelled = {name.lower(): name for name in reversed(list(raw)) if name not in others}
    return next((spelled[usual] for usual in LABEL_NAMES if usual in spelled), None)


def _columns(batches: Iterable[RawBatch]) -> dict[str, RawColumn]:
    every = list(batches)
    names = dict.fromkeys(chain.from_iterable(batch.columns for batch in every))
    found: dict[str, RawColumn] = {}
    for name in names:
        parts = (batch.columns.get(name, [None] * batch.rows) for batch in every)
        found[name] = list(chain.from_iterable(parts))
    return found


def _labels(values: RawColumn) -> dict[int, str]:
    """The labels that are there, by row. A number is the same label as 1 and 1.0, as it is in `askance run`."""
    known = {row: value for row, value in enumerate(values) if not _is_empty(value, UNLABELLED)}
    texts = [value for value in known.values() if isinstance(value, str)]
    if kind_of_labels(texts) == "number":
        known = {
            row: label_of(value, "number") if isinstance(value, str) else value for row, value in known.items()
        }
    return {row: level_of(value) for row, value in known.items()}


def _is_empty(value: Any, words: tuple[str, ...] = ("",)) -> bool:
    if isinstance(value, str):
        return value.strip() in words
    return value is None or (isinstance(value, float) and math.isnan(value))
