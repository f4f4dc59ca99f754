"""The texts and the other cells of rows, for the people who label them."""

import json
from collections.abc import Collection, Iterator
from typing import Any

from askance.cli.commands.pool.labels import cells_of
from askance.data.files import TextLines
from askance.data.jsonl import JsonLinesStream
from askance.data.recipe import LABEL_NAMES
from askance.data.tables import TableStream
from askance.data.typed import TypedTable

USUAL = "text"
AT_ONCE = 2048


def table_cells(table: TypedTable, label: str | None, rows: Collection[int]) -> dict[int, dict[str, Any]]:
    """The cells of these rows, by column, without the labels."""
    found: dict[int, dict[str, Any]] = {}
    first = 0
    for batch in table.table.batches(AT_ONCE):
        columns = {name: values for name, values in batch.columns.items() if not _is_label(name, label)}
        for row in rows:
            if first <= row < first + batch.rows:
                found[row] = {name: values[row - first] for name, values in columns.items()}
        first += batch.rows
    return found


def _is_label(name: str, label: str | None) -> bool:
    return name.lower() in LABEL_NAMES if label is None else name == label


def texts_of(stream: Any, column: str | None, rows: Collection[int]) -> dict[int, str]:
    """The texts of these rows, if the file is a table or JSON lines with such a column."""
    wanted = set(rows)
    return {row: text for row, text in enumerate(_texts(stream, column or USUAL)) if row in wanted and text}


def _texts(stream: Any, column: str) -> Iterator[str]:
    if isinstance(stream, TableStream):
        cells = cells_of(stream.path, stream.delimiter)
        names = [name.strip() for name in next(cells)[1]]
        if column in names:
            yield from (row[names.index(column)] for _, row in cells)
    elif isinstance(stream, JsonLinesStream):
        with TextLines(stream.path) as lines:
            values = (json.loads(line).get(column) for line in lines if not line.isspace())
            yield from (value if isinstance(value, str) else "" for value in values)
