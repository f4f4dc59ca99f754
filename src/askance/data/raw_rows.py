"""The rows of files as records, to be sent on instead of learned from."""

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from datetime import date, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from askance.data.cells import is_missing, number_of, numbers_of
from askance.data.files import TextLines, check_names, existing_file, reason
from askance.data.jsonl import JsonRecord, json_entries, text_of, value_of
from askance.data.parquet import pyarrow_parquet
from askance.data.reading import format_of
from askance.data.references import REFERENCES, reference_records
from askance.data.sheets import as_written, sheet_rows
from askance.data.tables import HEAD_ROWS, Record, header_delimiter, table_records
from askance.errors import DataError

REMEDY = ", as in the first rows: fix it, or leave the column out with --drop"
# Formats by the names that messages have for them.
CALLED = {
    "jsonl": "JSON lines",
    "csv": "CSV",
    "tsv": "TSV",
    "parquet": "Parquet",
    "xlsx": "XLSX",
    "ris": "RIS",
    "nbib": "nbib",
    "npz": "npz",
}
FORMATS = tuple(CALLED)
FROM_PIPES = ("jsonl", "csv", "tsv", "ris", "nbib")
AT_ONCE = 1000  # rows of a Parquet file in memory
VECTOR, LABEL = "vector", "y"  # what the arrays of an archive are called as columns


class RawRows(Protocol):
    """The rows of a file with their numbers. `has_objects` says that rows may leave out what they do not have."""

    path: Path
    has_objects: bool

    def __iter__(self) -> Iterator[JsonRecord]: ...

    @property
    def progress(self) -> float:
        """The fraction that has been read."""

    def first(self, count: int) -> list[JsonRecord]:
        """The first rows, which stay to be read."""

    def where(self, number: int, last: int | None = None) -> str:
        """Where a row is, or all rows up to a last one, for messages."""

    def values(self, entry: JsonRecord, left_out: Collection[str]) -> dict[str, Any]:
        """A row as a record: numbers are converted, and missing ones are None."""

    def text(self, entry: JsonRecord, name: str) -> str:
        """The text in a column of a row; DataError if there is none."""


class _Rows:
    """What all rows have in common: the first ones can be looked at before they are read."""

    has_objects = False
    unit = "line"

    def __init__(self, path: Path, entries: Iterator[JsonRecord]) -> None:
        self.path = path
        self._entries = entries
        self._waiting: deque[JsonRecord] = deque()

    def __iter__(self) -> Iterator[JsonRecord]:
        while self._waiting or self.first(1):
            yield self._waiting.popleft()

    def first(self, count: int) -> list[JsonRecord]:
        """The first rows, which stay to be read."""
        while len(self._waiting) < count and (entry := next(self._entries, None)) is not None:
            self._waiting.append(entry)
        return list(self._waiting)[:count]

    def where(self, number: int, last: int | None = None) -> str:
        """Where a row is, or all rows up to a last one, for messages."""
        from_zero = "" if self.unit == "line" else " (from 0)"
        if last is None:
            return f"{self.path}, {self.unit} {number}{from_zero}"
        return f"{self.path}, {self.unit}s {number} to {last}{from_zero}"

    def text(self, entry: JsonRecord, name: str) -> str:
        """The text in a column of a row; DataError if there is none."""
        place = self.where(entry.line)
        return text_of(value_of(entry.record, name, place), place)


class JsonRows(_Rows):
    """JSON lines: one object per line."""

    has_objects = True

    def __init__(self, lines: TextLines) -> None:
        super().__init__(lines.path, json_entries(lines))
        self._lines = lines

    @property
    def progress(self) -> float:
        """The fraction of the file that has been read."""
        return self._lines.progress

    def values(self, entry: JsonRecord, left_out: Collection[str]) -> dict[str, Any]:
        """The object without some of its keys."""
        return {key: value for key, value in entry.record.items() if key not in left_out}


class TableRows(_Rows):
    """Records below a header. The first rows decide which columns are numeric, as in all readers."""

    def __init__(self, lines: TextLines, records: Iterator[Record]) -> None:
        self._lines = lines
        self._records = records
        header = next(self._records, None)
        if header is None:
            raise DataError(f"{lines.path}: has only blank lines: check how it was created")
        self.names = [name.strip() for name in header.cells]
        check_names(self.names, f"{lines.path}, line {header.line}")
        super().__init__(lines.path, self._named())
        self._numeric: set[str] | None = None

    @property
    def progress(self) -> float:
        """The fraction of the file that has been read."""
        return self._lines.progress

    def _named(self) -> Iterator[JsonRecord]:
        for record in self._records:
            yield JsonRecord(record.line, dict(zip(self.names, record.cells, strict=True)))

    def find_numbers(self) -> None:
        """Decide which columns are numeric. This waits for the first rows of a pipe."""
        head = [entry.record for entry in self.first(HEAD_ROWS)]
        self._numeric = {name for name in self.names if _are_numbers([cells[name] for cells in head])}

    def values(self, entry: JsonRecord, left_out: Collection[str]) -> dict[str, Any]:
        """The cells without some columns. A missing number is None, and other missing cells are left out."""
        assert self._numeric is not None
        found: dict[str, Any] = {}
        for name, cell in entry.record.items():
            if name in left_out:
                continue
            if name in self._numeric:
                found[name] = None if is_missing(cell) else _number(cell, name, self.where(entry.line))
            elif not is_missing(cell):
                found[name] = cell
        return found


class ParquetRows(_Rows):
    """A Parquet file, of which some rows are in memory at a time."""

    unit = "row"

    def __init__(self, path: Path) -> None:
        self.progress = 0.0
        super().__init__(path, self._read(path))

    def _read(self, path: Path) -> Iterator[JsonRecord]:
        pyarrow = pyarrow_parquet()
        try:
            with pyarrow.parquet.ParquetFile(path) as file:
                given, whole = 0, file.metadata.num_rows
                for batch in file.iter_batches(batch_size=AT_ONCE):
                    for record in batch.to_pylist():
                        yield JsonRecord(given, {name: _as_json(value) for name, value in record.items()})
                        given += 1
                        self.progress = given / whole
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            raise DataError(
                f"{path}: is not a Parquet file, or is damaged ({reason(error)[:200]}): "
                "create or download it again"
            ) from error

    def values(self, entry: JsonRecord, left_out: Collection[str]) -> dict[str, Any]:
        """The values without some columns; what is missing is None."""
        return {name: value for name, value in entry.record.items() if name not in left_out}


class SheetRows(_Rows):
    """The first sheet of an XLSX workbook, of which some rows are in memory at a time."""

    progress = 0.0  # a sheet does not say how long it is

    def __init__(self, path: Path) -> None:
        entries = sheet_rows(path)
        super().__init__(path, (entry._replace(record=_as_json(entry.record)) for entry in entries))
        self._opened = entries

    def close(self) -> None:
        """Close the file."""
        self._opened.close()

    def where(self, number: int, last: int | None = None) -> str:
        """Where a row is, or all rows up to a last one, as the spreadsheet counts them."""
        return f"{self.path}, row {number}" if last is None else f"{self.path}, rows {number} to {last}"

    def text(self, entry: JsonRecord, name: str) -> str:
        """The text in a column of a row, which may look like a number."""
        place = self.where(entry.line)
        return text_of(as_written(value_of(entry.record, name, place)), place)

    def values(self, entry: JsonRecord, left_out: Collection[str]) -> dict[str, Any]:
        """The values without some columns; what is missing is None."""
        return {name: value for name, value in entry.record.items() if name not in left_out}


class ArchiveRows(_Rows):
    """The arrays X and y of a NumPy archive, as vectors with labels."""

    unit = "row"

    def __init__(self, path: Path, label: str | None, *, labelled: bool) -> None:
        self.progress = 0.0
        super().__init__(path, self._read(path, label, labelled=labelled))

    def _read(self, path: Path, label: str | None, *, labelled: bool) -> Iterator[JsonRecord]:
        from askance.data.npz import read_npz

        given = 0
        for chunk in read_npz(path, label=label if labelled else False, dtype="float64"):
            X = np.asarray(chunk.X if isinstance(chunk.X, np.ndarray) else chunk.X.toarray())
            labels = [None] * len(X) if chunk.y is None else chunk.y.tolist()
            for vector, value in zip(X.tolist(), labels, strict=True):
                yield JsonRecord(given, {VECTOR: vector} | ({label or LABEL: value} if labelled else {}))
                given += 1
            self.progress = chunk.progress

    def values(self, entry: JsonRecord, left_out: Collection[str]) -> dict[str, Any]:
        """Nothing: all is in the vector."""
        return {name: value for name, value in entry.record.items() if name not in left_out}


@contextmanager
def rows_of(
    source: str | Path,
    file: Any = None,
    named: str | None = None,
    *,
    label: str | None = None,
    labelled: bool = False,
    formats: Sequence[str] = FORMATS,
) -> Iterator[RawRows]:
    """Open the rows of a file, or of an open pipe, whose format is named or known from the extension.

    Raises DataError for a format that is not one of `formats`, or cannot come through a pipe.
    """
    path = existing_file(source) if file is None else Path(source)
    taken = formats if file is None else FROM_PIPES
    kind = named if file is not None else format_of(path, named, taken)
    if kind not in taken:
        *others, last = (CALLED[each] for each in taken)
        raise DataError(f"{path}: is {kind}: give {', '.join(others)} or {last}")
    if kind == "parquet":
        yield ParquetRows(path)
        return
    if kind == "xlsx":
        with closing(SheetRows(path)) as rows:
            yield rows
        return
    if kind == "npz":
        yield ArchiveRows(path, label, labelled=labelled)
        return
    delimiter = "\t" if kind == "tsv" else header_delimiter(path, file) if kind == "csv" else ""
    # A pipe is never closed, because a thread may be waiting in it when the program ends.
    lines = TextLines(path, file)
    with lines if file is None else nullcontext():
        if kind == "jsonl":
            yield JsonRows(lines)
        elif kind in REFERENCES:
            yield TableRows(lines, reference_records(lines, kind))
        else:
            yield TableRows(lines, table_records(lines, delimiter))


def _as_json(value: Any) -> Any:
    """A value of a Parquet file as JSON has it."""
    match value:
        case float() if not np.isfinite(value):
            return None
        case date() | time():
            return value.isoformat()
        case Decimal():
            return float(value)
        case timedelta():
            return value.total_seconds()
        case list():
            return [_as_json(each) for each in value]
        case dict():
            return {name: _as_json(each) for name, each in value.items()}
        case bytes():
            return value.decode("utf-8", "replace")
    return value


def _are_numbers(cells: Sequence[str]) -> bool:
    """Whether all cells are numbers or missing, and some are numbers."""
    numbers = [number_of(cell) for cell in cells]
    return None not in numbers and not all(map(is_missing, cells))


def _number(cell: str, name: str, place: str) -> float:
    return float(numbers_of([cell], name, lambda _row: place, remedy=REMEDY)[0])
