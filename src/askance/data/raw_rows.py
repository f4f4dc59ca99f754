"""The rows of JSON lines, CSV and TSV as records, to be sent on instead of learned from."""

import math
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import Any, Protocol

from askance.data.files import TextLines, existing_file, shown
from askance.data.jsonl import JsonRecord, json_entries
from askance.data.reading import format_of
from askance.data.tables import HEAD_ROWS, numbers_of, numeric_columns, table_records
from askance.errors import DataError

DELIMITERS = {"csv": ",", "tsv": "\t"}


class RawRows(Protocol):
    """The rows of a file with their line numbers."""

    lines: TextLines

    def __iter__(self) -> Iterator[JsonRecord]: ...

    def values(self, entry: JsonRecord, left_out: Collection[str]) -> dict[str, Any]:
        """A row as a record: numbers are converted, and empty cells are left out."""


class JsonRows:
    """JSON lines: one object per line."""

    def __init__(self, lines: TextLines) -> None:
        self.lines = lines

    def __iter__(self) -> Iterator[JsonRecord]:
        return json_entries(self.lines)

    def values(self, entry: JsonRecord, left_out: Collection[str]) -> dict[str, Any]:
        """The object without some of its keys."""
        return {key: value for key, value in entry.record.items() if key not in left_out}


class TableRows:
    """A table with a header. The first rows decide which columns are numeric, as in all readers."""

    def __init__(self, lines: TextLines, delimiter: str) -> None:
        self.lines = lines
        self._records = table_records(lines, delimiter)
        self._head = list(islice(self._records, HEAD_ROWS + 1))
        if len(self._head) < 2:
            raise DataError(f"{lines.path}: has no rows below the header: check how it was created")
        header = self._head.pop(0)
        self.names = [name.strip() for name in header.cells]
        for position, name in enumerate(self.names):
            if name in self.names[:position]:
                raise DataError(
                    f"{lines.path}, line {header.line}: two columns have the name {shown(name)}: rename one"
                )
        self._numeric = numeric_columns(self.names, self._head)

    def __iter__(self) -> Iterator[JsonRecord]:
        for record in chain(self._head, self._records):
            yield JsonRecord(record.line, dict(zip(self.names, record.cells, strict=True)))

    def values(self, entry: JsonRecord, left_out: Collection[str]) -> dict[str, Any]:
        """The cells that are not empty, without some of the columns."""
        place = f"{self.lines.path}, line {entry.line}"
        found: dict[str, Any] = {}
        for name, cell in entry.record.items():
            if name in left_out or not cell.strip():
                continue
            found[name] = _number(cell, name, place) if name in self._numeric else cell
        return found


@contextmanager
def rows_of(source: str | Path) -> Iterator[RawRows]:
    """Open the rows of a file, whose format is known from its extension."""
    path = existing_file(source)
    kind = format_of(path, None)
    if kind != "jsonl" and kind not in DELIMITERS:
        raise DataError(f"{path}: is {kind}: give JSON lines, CSV or TSV")
    with TextLines(path) as lines:
        yield JsonRows(lines) if kind == "jsonl" else TableRows(lines, DELIMITERS[kind])


def _number(cell: str, name: str, place: str) -> float:
    number = float(numbers_of((cell,), name, lambda _row: place)[0])
    if not math.isfinite(number):
        raise DataError(
            f"{place}, column {shown(name)}: {cell.strip()} cannot be sent: give a finite number or an empty cell"
        )
    return number
