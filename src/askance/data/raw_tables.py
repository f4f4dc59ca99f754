"""Tables of every format as columns of raw values, in batches of rows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from io import BufferedReader
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from askance.data.cells import RawColumn, is_missing
from askance.data.files import TextLines, Where, check_names, shown, stem
from askance.data.frames import Frame, as_frame, row_namer
from askance.data.jsonl import json_entries
from askance.data.parquet import naming_damage, pyarrow_parquet
from askance.data.references import reference_records
from askance.data.sheets import sheet_rows
from askance.data.tables import Record, check_delimiter, header_delimiter, table_records
from askance.errors import DataError

DEEPEST = 32


class RawBatch(NamedTuple):
    """The values of some consecutive rows, by column. A column that is not there has no value in any of them.

    `has_objects` says that rows may leave out columns that they do not have, as in JSON lines. `place` is for
    messages, if it is not that of the table.
    """

    rows: int
    columns: dict[str, RawColumn]
    where: Where
    progress: float
    has_objects: bool = False
    place: str | None = None


class RawTable(Protocol):
    """A table that can be read more than once."""

    @property
    def name(self) -> str:
        """The name of the table."""

    @property
    def place(self) -> str:
        """Where it is, for messages."""

    @property
    def has_cells(self) -> bool:
        """Whether all values are text, as in a CSV file."""

    def batches(self, rows: int) -> Iterator[RawBatch]:
        """The rows in their order, at most this many at a time."""


@dataclass(eq=False)
class OnceTable:
    """A table that can be read only once, such as a pipe. What is looked at first is read again later."""

    table: RawTable
    waiting: list[RawBatch] = field(default_factory=list)
    rest: Iterator[RawBatch] | None = None
    is_read: bool = False

    @property
    def name(self) -> str:
        """The name of the table."""
        return self.table.name

    @property
    def place(self) -> str:
        """Where it is, for messages."""
        return self.table.place

    @property
    def has_cells(self) -> bool:
        """Whether all values are text."""
        return self.table.has_cells

    def look(self, rows: int) -> Iterator[RawBatch]:
        """The first rows, which stay to be read."""
        if self.rest is None:
            self.rest = self.table.batches(rows)
        for batch in self.rest:
            self.waiting.append(batch)
            yield batch

    def batches(self, rows: int) -> Iterator[RawBatch]:
        """The rows in their order, once."""
        if self.is_read:
            raise DataError(f"{self.place}: can be read only once: save it to a file first")
        self.is_read = True
        rest = self.rest or self.table.batches(rows)
        waiting, self.waiting = self.waiting, []
        yield from waiting
        yield from rest


def first_rows(table: RawTable, rows: int) -> RawBatch:
    """The first rows of a table, or all if there are fewer; raises DataError if there are none."""
    found: list[RawBatch] = []
    # What was looked at in a pipe is still to be read; a file is closed and opened again.
    looked: Any = table.look(rows) if isinstance(table, OnceTable) else closing(table.batches(rows))
    with nullcontext(looked) if isinstance(table, OnceTable) else looked as given:
        for batch in given:
            found.append(batch)
            if sum(batch.rows for batch in found) >= rows:
                break
    if not found:
        raise DataError(f"{table.place}: has no rows: check how it was created")
    if len(found) == 1:
        return found[0]
    count = sum(batch.rows for batch in found)
    names = dict.fromkeys(chain.from_iterable(batch.columns for batch in found))
    columns: dict[str, RawColumn] = {
        name: list(chain.from_iterable(batch.columns.get(name, [None] * batch.rows) for batch in found))
        for name in names
    }
    return RawBatch(count, columns, found[0].where, found[-1].progress, any(batch.has_objects for batch in found))


@dataclass(frozen=True)
class _File:
    """What tables in files have in common. `file` is an open one, which can be read only once."""

    path: Path
    file: BufferedReader | None = field(default=None, kw_only=True)
    prompt: bool = field(default=False, kw_only=True)

    @property
    def name(self) -> str:
        """The name of the file without its extensions."""
        return stem(self.path)

    @property
    def place(self) -> str:
        """The path."""
        return str(self.path)


@dataclass(frozen=True)
class CsvTable(_File):
    """A CSV or TSV file with a header; without a delimiter, the header decides."""

    delimiter: str | None = None

    has_cells = True

    def __post_init__(self) -> None:
        if self.delimiter is not None:
            check_delimiter(self.delimiter)

    def batches(self, rows: int) -> Iterator[RawBatch]:
        """The rows in their order."""
        delimiter = self.delimiter or header_delimiter(self.path, self.file)
        with TextLines(self.path, self.file, prompt=self.prompt) as lines:
            yield from _cell_batches(lines, table_records(lines, delimiter), rows)


@dataclass(frozen=True)
class ReferenceTable(_File):
    """References in RIS or nbib: one row per reference."""

    kind: str
    wanted: tuple[Any, ...] = ()  # names of columns, which may be those of tags

    has_cells = True

    def batches(self, rows: int) -> Iterator[RawBatch]:
        """The rows in their order."""
        with TextLines(self.path, self.file, prompt=self.prompt) as lines:
            yield from _cell_batches(lines, reference_records(lines, self.kind, self.wanted), rows)


@dataclass(frozen=True)
class JsonTable(_File):
    """JSON lines: one object per line. Fields of objects inside it are columns with a dot in their name."""

    has_cells = False

    def batches(self, rows: int) -> Iterator[RawBatch]:
        """The rows in their order."""
        with TextLines(self.path, self.file, prompt=self.prompt) as lines:
            for batch in lines.batches(json_entries(lines), rows):
                where = _line_namer(self.path, [entry.line for entry in batch])
                yield record_batch([entry.record for entry in batch], where, lines.progress)


@dataclass(frozen=True)
class ParquetTable(_File):
    """A Parquet file."""

    has_cells = False

    def __post_init__(self) -> None:
        pyarrow_parquet()  # fail now, not at the first batch

    def batches(self, rows: int) -> Iterator[RawBatch]:
        """The rows in their order."""
        pyarrow = pyarrow_parquet()
        with naming_damage(self.path), pyarrow.parquet.ParquetFile(self.path) as file:
            whole, given = file.metadata.num_rows, 0
            for batch in file.iter_batches(batch_size=rows):
                first, given = given, given + batch.num_rows
                if batch.num_rows:
                    where = row_namer(self.place, range(first, given))
                    yield frame_batch(as_frame(batch), where, given / whole)


@dataclass(frozen=True)
class SheetTable(_File):
    """The first sheet of an XLSX workbook, which does not say how long it is: `progress` is 0 until the end."""

    has_cells = False

    def batches(self, rows: int) -> Iterator[RawBatch]:
        """The rows in their order."""
        with closing(sheet_rows(self.path)) as entries:
            upcoming = next(entries, None)
            while upcoming is not None:
                batch = [upcoming, *islice(entries, rows - 1)]
                upcoming = next(entries, None)
                where = _line_namer(self.path, [entry.line for entry in batch], "row")
                progress = 1.0 if upcoming is None else 0.0
                yield record_batch([entry.record for entry in batch], where, progress)._replace(has_objects=False)


def _cell_batches(lines: TextLines, records: Iterator[Record], rows: int) -> Iterator[RawBatch]:
    """Rows of cells in batches; the first record has the names of the columns."""
    header = next(records, None)
    if header is None:
        raise DataError(f"{lines.path}: has only blank lines: check how it was created")
    names = [name.strip() for name in header.cells]
    check_names(names, f"{lines.path}, line {header.line}")
    for batch in lines.batches(records, rows):
        numbers = [record.line for record in batch]
        columns = zip(*(record.cells for record in batch), strict=True)
        yield RawBatch(
            len(batch), dict(zip(names, columns, strict=True)), _line_namer(lines.path, numbers), lines.progress
        )


def record_batch(records: Sequence[Mapping[str, Any]], where: Where, progress: float) -> RawBatch:
    """Some records as columns. A record may leave out what it does not have."""
    names = dict.fromkeys(chain.from_iterable(records))
    columns: dict[str, RawColumn] = {name: [record.get(name) for record in records] for name in names}
    return RawBatch(len(records), flat(columns, where), where, progress, has_objects=True)


def frame_batch(frame: Frame, where: Where, progress: float) -> RawBatch:
    """Some rows of a data frame as columns."""
    check_names(frame.names, where(0))
    columns = {name: _frame_column(frame, place) for place, name in enumerate(frame.names)}
    return RawBatch(len(frame), flat(columns, where), where, progress)


def _frame_column(frame: Frame, place: int) -> RawColumn:
    if frame.is_numeric(place):
        array = frame.array(place)
        if array.dtype.kind in "iuf":
            return array
    return frame.values(place)


def flat(columns: Mapping[str, RawColumn], where: Where) -> dict[str, RawColumn]:
    """The same columns, with one for each field of an object and for each place of a list of numbers.

    Lists of strings stay as they are: they are several levels of one category.
    """
    found: dict[str, RawColumn] = {}
    for name, values in columns.items():
        _flatten(name, values, found, where, 0)
    return found


def _flatten(name: str, values: RawColumn, found: dict[str, RawColumn], where: Where, depth: int) -> None:
    if isinstance(values, np.ndarray) or not any(map(_is_nested, values)):
        _put(name, values, found, where)
        return
    if depth == DEEPEST:
        row = next(row for row, value in enumerate(values) if _is_nested(value))
        raise DataError(f"{where(row)}, {shown(name)}: is nested deeper than {DEEPEST} levels: flatten it")
    rest: list[Any] = []
    fields: dict[str, list[Any]] = {}
    for row, value in enumerate(values):
        rest.append(None if _is_nested(value) else value)
        for key, inner in _inside(value):
            fields.setdefault(key, [None] * len(values))[row] = inner
    if any(value is not None for value in rest):
        _put(name, rest, found, where)
    for key, inner_values in fields.items():
        _flatten(f"{name}.{key}", inner_values, found, where, depth + 1)


def _put(name: str, values: RawColumn, found: dict[str, RawColumn], where: Where) -> None:
    """Add a column. Some rows may have it inside an object, and others under its dotted name."""
    if name in found:
        pairs = list(zip(found[name], values, strict=True))
        for row, (one, other) in enumerate(pairs):
            if not (is_missing(one) or is_missing(other)):
                raise DataError(
                    f"{where(row)}: {shown(name)} is there twice, inside an object and under this name: rename one"
                )
        values = [other if is_missing(one) else one for one, other in pairs]
    found[name] = values


def _is_nested(value: Any) -> bool:
    if isinstance(value, list | tuple | np.ndarray):
        return not all(isinstance(each, str) or each is None for each in value)
    return isinstance(value, Mapping)


def _inside(value: Any) -> Iterable[tuple[str, Any]]:
    if not _is_nested(value):
        return ()
    if isinstance(value, Mapping):
        return ((str(field), inner) for field, inner in value.items())
    return ((str(place), inner) for place, inner in enumerate(value))


def _line_namer(path: Path, lines: list[int], unit: str = "line") -> Where:
    return lambda row: f"{path}, {unit} {lines[row]}"
