"""CSV and TSV files with a header as streams.

The first rows decide the types of columns. Their number is fixed, so that the chunk size does not matter: a
column is numeric if all its cells in these rows are numbers or missing: empty, NA, ? and the like. That of the
label must have numbers, or be empty.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from io import BufferedReader
from itertools import chain, islice
from pathlib import Path
from re import ASCII, IGNORECASE
from re import compile as pattern
from typing import Any, NamedTuple

import numpy as np

from askance.data.cells import is_missing
from askance.data.columns import Column, column_rows, feature_names
from askance.data.csv_rows import csv_rows
from askance.data.files import TextLines, Where, batches, shown, stem
from askance.data.guessing import ENOUGH, guessed_delimiter, named_delimiter, unpacked
from askance.data.labels import label_array
from askance.data.recipe import Fields, Recipe
from askance.data.stream import Chunk
from askance.errors import DataError
from askance.typing import FloatArray

HEAD_ROWS = 1000

# Python's float() also accepts 1_000 and digits of other scripts, which are names in a table, not numbers.
_is_number = pattern(r"[-+]?((\d+\.?\d*|\.\d+)(e[-+]?\d+)?|nan|inf|infinity)", ASCII | IGNORECASE).fullmatch
_is_integer = pattern(r"[-+]?\d{1,1000}", ASCII).fullmatch
_is_code = pattern(r"\s*[-+]?0\d", ASCII).match


class Record(NamedTuple):
    """The cells of a row and its first line."""

    line: int
    cells: list[str]


class TableLayout(NamedTuple):
    """The roles and types of the columns of a table."""

    names: list[str]
    fields: Fields
    features: list[str]
    numeric: frozenset[str]


@dataclass
class TableStream:
    """A CSV or TSV file; `askance.data.read` documents the recipe. `layout` is known from the first chunk."""

    path: Path
    recipe: Recipe
    chunk_rows: int
    delimiter: str = ","
    file: BufferedReader | None = None
    layout: TableLayout | None = field(default=None, init=False, compare=False)

    def __post_init__(self) -> None:
        check_delimiter(self.delimiter)

    @property
    def name(self) -> str:
        """The name of the file without its extensions."""
        return stem(self.path)

    def __iter__(self) -> Iterator[Chunk]:
        with TextLines(self.path, self.file) as lines:
            records = table_records(lines, self.delimiter)
            head = list(islice(records, HEAD_ROWS + 1))
            if len(head) < 2:
                raise DataError(f"{self.path}: has no rows below the header: check how it was created")
            self.layout = layout = self._layout(head[0], head[1:])
            for batch in batches(chain(head[1:], records), self.chunk_rows):
                yield self._chunk(batch, layout, lines.progress)

    def _layout(self, header: Record, head: list[Record]) -> TableLayout:
        names = [name.strip() for name in header.cells]
        numeric = numeric_columns(names, head) - set(self.recipe.categories)
        place = f"{self.path}, line {header.line}"
        fields = self.recipe.fields(names, lambda name: name not in numeric, place)
        if (
            fields.label in numeric
            and kind_of_labels(list(_cells_of(names.index(fields.label), head))) == "string"
        ):
            numeric.discard(fields.label)
        features = feature_names(names, fields, self.recipe, place)
        return TableLayout(names, fields, features, frozenset(numeric))

    def _chunk(self, batch: list[Record], layout: TableLayout, progress: float) -> Chunk:
        def where(row: int) -> str:
            return f"{self.path}, line {batch[row].line}"

        cells = dict(zip(layout.names, zip(*(record.cells for record in batch), strict=True), strict=True))
        columns: dict[str, Column] = {}
        for name in layout.features:
            if name in layout.numeric and name != layout.fields.text:
                columns[name] = numbers_of(cells[name], name, where)
            else:
                columns[name] = [cell or None for cell in cells[name]]
        X = column_rows(columns, layout.fields, self.recipe, where)
        if layout.fields.label is None:
            return Chunk(X, None, progress)
        kind = "number" if layout.fields.label in layout.numeric else "string"
        labels = [label_of(cell, kind) for cell in cells[layout.fields.label]]
        return Chunk(X, label_array(labels, kind, where), progress)


def check_delimiter(delimiter: str) -> None:
    """Raise DataError if cells cannot be separated by this."""
    if len(delimiter) != 1 or delimiter in '"\r\n\0':
        raise DataError(f"delimiter={shown(delimiter)}: give one character, such as ';'", parameter="delimiter")


def header_delimiter(path: Path, file: BufferedReader | None) -> str:
    """The delimiter that the header of a file or pipe shows."""
    if file is not None:
        start = unpacked(file.peek(ENOUGH)).lstrip()
        return guessed_delimiter(start.partition(b"\n")[0].decode("utf-8", "replace"))
    with TextLines(path) as lines:
        return guessed_delimiter(next((line for line in lines if line.strip()), ""))


def table_records(lines: TextLines, delimiter: str) -> Iterator[Record]:
    """The rows that are not blank, beginning with the header; all must have its width."""
    width = 0
    for line, cells in csv_rows(lines, lines.path, delimiter):
        if not cells or (not width and named_delimiter(delimiter.join(cells))):
            continue
        width = width or len(cells)
        if len(cells) != width:
            advice = (
                f"quote cells that hold {delimiter!r}"
                if len(cells) > width
                else "add the missing ones, which may be empty"
            )
            found = "1 cell" if len(cells) == 1 else f"{len(cells)} cells"
            raise DataError(f"{lines.path}, line {line}: has {found} but the header has {width}: {advice}")
        yield Record(line, cells)


def numeric_columns(names: Sequence[str], head: Sequence[Record]) -> set[str]:
    """The columns whose cells in the first rows are all numbers or missing."""
    columns = ((name, _cells_of(place, head)) for place, name in enumerate(names))
    return {name for name, cells in columns if all(map(_is_number_or_missing, cells))}


def _cells_of(place: int, head: Sequence[Record]) -> list[str]:
    return [record.cells[place] for record in head]


def are_numbers(cells: Iterable[str]) -> bool:
    """Whether all cells are numbers or empty."""
    return all(map(_is_number_or_empty, cells))


def kind_of_labels(cells: Sequence[str]) -> str:
    """Numbers if all cells are, or are empty; codes such as 00567 are strings, like all else."""
    return "number" if are_numbers(cells) and not any(map(_is_code, cells)) else "string"


def _is_number_or_empty(cell: str) -> bool:
    bare = cell.strip()
    return not bare or _is_number(bare) is not None


def _is_number_or_missing(cell: str) -> bool:
    return _is_number_or_empty(cell) or is_missing(cell)


def numbers_of(cells: Sequence[str], name: str, where: Where) -> FloatArray:
    """The numbers in the cells of a numeric column; 0 for missing ones."""
    joined = "".join(cells)
    if joined.isascii() and "_" not in joined:
        try:
            found = np.array([float(cell) if cell else 0.0 for cell in cells])
            return np.where(np.isnan(found), 0.0, found)
        except ValueError:
            pass  # the next loop finds the cell
    numbers = np.zeros(len(cells))
    for row, cell in enumerate(cells):
        if not _is_number_or_missing(cell):
            raise DataError(
                f"{where(row)}, column {shown(name)}: {shown(cell)} is not a number, as all cells of the first "
                f"{HEAD_ROWS} rows are: fix it, or make the column categorical with categories=",
                parameter="categories",
            )
        numbers[row] = 0.0 if is_missing(cell) else float(cell)
    return numbers


def label_of(cell: str, kind: str) -> Any:
    """A cell as a label: a number if labels are numbers and the cell is one, None if it is empty."""
    bare = cell.strip()
    if not bare:
        return None
    if kind == "number" and _is_integer(bare):
        return int(bare)
    if kind == "number" and _is_number(bare):
        return float(bare)
    return cell
