"""Predictions as CSV, JSON lines or Parquet, some rows at a time.

Text has six digits of our own numbers, such as probabilities. What is kept of a table is not ours to round.
"""

import csv
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from math import inf, isfinite, isnan
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from askance.data.cells import RawColumn

Columns = Mapping[str, RawColumn]
Kept = Mapping[str, Any]
"""The columns to keep, with their types in a Parquet file; None for those of other files."""
Write = Callable[[Columns], None]


def csv_writer(file: TextIO, kept: Kept) -> Write:
    """A function that appends rows to a CSV file, with a header before the first."""
    writer = csv.writer(file, lineterminator="\n")
    begun = False

    def write(columns: Columns) -> None:
        nonlocal begun
        if not begun:
            writer.writerow(columns)
        begun = True
        cells = (_as_text(column, name, kept) for name, column in columns.items())
        writer.writerows(zip(*cells, strict=True))
        file.flush()

    return write


def json_writer(file: TextIO, kept: Kept) -> Write:
    """A function that appends rows to JSON lines."""

    def write(columns: Columns) -> None:
        values = (_as_values(column, name, kept) for name, column in columns.items())
        for row in zip(*values, strict=True):
            file.write(json.dumps(dict(zip(columns, row, strict=True)), default=str) + "\n")
        file.flush()

    return write


@contextmanager
def file_writer(path: Path, ending: str, kept: Kept) -> Iterator[Write]:
    """A function that appends rows to a file of the format of this ending.

    In Parquet, columns to keep that have no type are text.
    """
    if ending == ".parquet":
        with _parquet_writer(path, kept) as write:
            yield write
        return
    with path.open("w", newline="", encoding="utf-8") as file:
        yield json_writer(file, kept) if ending == ".jsonl" else csv_writer(file, kept)


@contextmanager
def _parquet_writer(path: Path, kept: Kept) -> Iterator[Write]:
    import pyarrow
    from pyarrow import parquet

    writer: Any = None

    def write(columns: Columns) -> None:
        nonlocal writer
        arrays = {name: _arrow(pyarrow, name, column, kept) for name, column in columns.items()}
        table = pyarrow.table(arrays)
        if writer is None:
            writer = parquet.ParquetWriter(path, table.schema)
        writer.write_table(table)

    try:
        yield write
    finally:
        if writer is not None:
            writer.close()


def _arrow(pyarrow: Any, name: str, column: RawColumn, kept: Kept) -> Any:
    if name not in kept:
        return pyarrow.array(column)
    if kept[name] is not None:
        return pyarrow.array(column, kept[name], from_pandas=True)
    return pyarrow.array([None if value is None else str(value) for value in column], pyarrow.string())


def _as_text(column: RawColumn, name: str, kept: Kept) -> list[str]:
    if not _is_of_fractions(column):
        return [_cell(value) for value in _plain(column)]
    if name in kept:
        return [_cell(value) for value in _exact(column, kept[name])]
    return [f"{value:.6g}" for value in _plain(column)]


def _cell(value: Any) -> str:
    """A value as a cell; a list of labels as JSON, as `read_multilabel` reads it."""
    if isinstance(value, list):
        return json.dumps(value, ensure_ascii=False)
    return "" if value is None else str(value)


def _as_values(column: RawColumn, name: str, kept: Kept) -> list[Any]:
    if not _is_of_fractions(column):
        return _plain(column)
    if name in kept:
        return [None if value in (inf, -inf) else value for value in _exact(column, kept[name])]
    return [float(f"{value:.6g}") if isfinite(value) else None for value in _plain(column)]


def _is_of_fractions(column: RawColumn) -> bool:
    return isinstance(column, np.ndarray) and column.dtype.kind == "f"


def _exact(column: RawColumn, kind: Any) -> list[Any]:
    """Numbers as they are in their table; None for missing ones.

    An array with missing values has fractions even if those of the table are integers, as its type says.
    """
    read = int if str(kind).startswith(("int", "uint")) else _shortest
    return [None if isnan(value) else read(value) for value in column]


def _shortest(value: Any) -> float:
    """The number that a value shows: 0.1 is written so, also if it has 32 bits."""
    return float(str(value))


def _plain(column: RawColumn) -> list[Any]:
    return column.tolist() if isinstance(column, np.ndarray) else list(column)
