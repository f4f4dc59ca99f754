"""Predictions as CSV, JSON lines or Parquet, some rows at a time."""

import csv
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from askance.data.cells import RawColumn

Columns = Mapping[str, RawColumn]
Write = Callable[[Columns], None]


def csv_writer(file: TextIO) -> Write:
    """A function that appends rows to a CSV file, with a header before the first."""
    writer = csv.writer(file, lineterminator="\n")
    begun = False

    def write(columns: Columns) -> None:
        nonlocal begun
        if not begun:
            writer.writerow(columns)
        begun = True
        writer.writerows(zip(*map(_as_text, columns.values()), strict=True))
        file.flush()

    return write


def json_writer(file: TextIO) -> Write:
    """A function that appends rows to JSON lines."""

    def write(columns: Columns) -> None:
        for row in zip(*map(_as_values, columns.values()), strict=True):
            file.write(json.dumps(dict(zip(columns, row, strict=True)), default=str) + "\n")
        file.flush()

    return write


@contextmanager
def file_writer(path: Path, ending: str, kept: Mapping[str, Any]) -> Iterator[Write]:
    """A function that appends rows to a file of the format of this ending.

    `kept` are the types of the columns to keep, for Parquet; those that have none are text.
    """
    if ending == ".parquet":
        with _parquet_writer(path, kept) as write:
            yield write
        return
    with path.open("w", newline="", encoding="utf-8") as file:
        yield json_writer(file) if ending == ".jsonl" else csv_writer(file)


@contextmanager
def _parquet_writer(path: Path, kept: Mapping[str, Any]) -> Iterator[Write]:
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


def _arrow(pyarrow: Any, name: str, column: RawColumn, kept: Mapping[str, Any]) -> Any:
    if name not in kept:
        return pyarrow.array(column)
    if kept[name] is not None:
        return pyarrow.array(column, kept[name], from_pandas=True)
    return pyarrow.array([None if value is None else str(value) for value in column], pyarrow.string())


def _as_text(column: RawColumn) -> list[str]:
    if isinstance(column, np.ndarray) and column.dtype.kind == "f":
        return [f"{value:.6g}" for value in column.tolist()]
    return [_cell(value) for value in _plain(column)]


def _cell(value: Any) -> str:
    """A value as a cell; a list of labels as JSON, as `read_multilabel` reads it."""
    if isinstance(value, list):
        return json.dumps(value, ensure_ascii=False)
    return "" if value is None else str(value)


def _as_values(column: RawColumn) -> list[Any]:
    if isinstance(column, np.ndarray) and column.dtype.kind == "f":
        return [float(f"{value:.6g}") if np.isfinite(value) else None for value in column.tolist()]
    return _plain(column)


def _plain(column: RawColumn) -> list[Any]:
    return column.tolist() if isinstance(column, np.ndarray) else list(column)
