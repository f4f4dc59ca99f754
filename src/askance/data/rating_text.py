"""Ratings in text files: CSV, TSV and the formats of MovieLens, with or without a header, plain or gzip.

Many lines are split at once. After the first quote, they are read as CSV, row by row, which is slower.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from re import ASCII, IGNORECASE
from re import compile as pattern
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.data.csv_rows import csv_rows
from askance.data.files import TextLines, Where, batches, shown
from askance.data.rating_columns import RatingColumns, usual_columns
from askance.data.rating_ids import IdColumn
from askance.errors import DataError
from askance.typing import FloatArray

DELIMITERS = ("::", "\t", ";", ",")
HEAD_LINES = 20
BATCH_LINES = 1 << 16

_is_number = pattern(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", ASCII | IGNORECASE).fullmatch
_quoted = pattern(r'"[^"]*"')


class RatingLayout(NamedTuple):
    """The layout of a file."""

    path: Path
    delimiter: str
    width: int  # cells per line
    places: list[int]  # indices of users, items and any ratings
    has_header: bool


class RatingBatch(NamedTuple):
    """The cells of some rows, one list per column, and the first line of each row."""

    columns: list[list[str]]
    lines: Sequence[int]


def read_text(
    path: Path, wanted: RatingColumns, delimiter: str | None, *, rated: bool
) -> tuple[NDArray[Any], NDArray[Any], FloatArray | None]:
    """The users, items and any ratings of a file."""
    users, items = IdColumn("user"), IdColumn("item")
    ratings: list[FloatArray] = []
    with TextLines(path) as lines:
        source = iter(lines)
        head = list(islice(source, HEAD_LINES))
        layout = layout_of(path, head, wanted, delimiter, rated=rated)
        for batch in _batches(layout, chain(head, source)):
            where = _namer(path, batch.lines)
            users.add(batch.columns[0], where)
            items.add(batch.columns[1], where)
            if len(layout.places) > 2:
                ratings.append(_numbers(batch.columns[2], where))
    return users.ids(), items.ids(), np.concatenate([np.zeros(0), *ratings]) if len(layout.places) > 2 else None


def layout_of(
    path: Path, head: list[str], wanted: RatingColumns, delimiter: str | None, *, rated: bool
) -> RatingLayout:
    """Determine the layout of a file from its first lines."""
    filled = [line for line in head if line.strip()]
    if not filled:
        raise DataError(f"{path}: has only blank lines at the beginning: check how it was created")
    line = head.index(filled[0]) + 1
    place = f"{path}, line {line}"
    delimiter = _delimiter(filled, delimiter, place)
    first, second, *_ = [*islice(_cells(path, filled, line, delimiter), 2), []]
    names = [name.strip() for name in first]
    needed = 3 if rated else 2
    if len(names) < needed:
        roles = " and ".join(["users", "items", "ratings"][:needed])
        raise DataError(
            f"{place}: has {len(names)} cells where {needed} are needed, for {roles}: "
            "check the file, or pass delimiter=",
            parameter="delimiter",
        )
    has_header = _is_header(names, second, wanted)
    places = wanted.found(names) if has_header else wanted.placed(len(names))
    return RatingLayout(path, delimiter, len(names), wanted.checked(places, names, place, rated=rated), has_header)


def _delimiter(lines: list[str], given: str | None, place: str) -> str:
    """The delimiter that occurs in most lines as often as in the first."""
    if given is not None:
        if not given or set(given) & set('"\r\n\0'):
            raise DataError(
                f"delimiter={shown(given)}: give a character such as ';', or '::'", parameter="delimiter"
            )
        return given
    bare = [_quoted.sub("", line) for line in lines]
    present = [delimiter for delimiter in DELIMITERS if delimiter in bare[0]]
    if not present:
        raise DataError(
            f"{place}: {shown(lines[0].strip())} has no comma, tab, semicolon or '::' between its cells: "
            "check that it is a file of ratings, or pass delimiter=",
            parameter="delimiter",
        )
    return max(present, key=lambda one: sum(line.count(one) == bare[0].count(one) for line in bare))


def _cells(path: Path, lines: list[str], first: int, delimiter: str) -> Iterator[list[str]]:
    """The cells of the first rows, of which the last may be cut off."""
    if len(delimiter) > 1:
        return (line.rstrip("\r\n").split(delimiter) for line in lines)
    return (cells for _, cells in csv_rows(lines, path, delimiter, first=first, strict=False))


def _is_header(first: list[str], second: list[str], wanted: RatingColumns) -> bool:
    """Whether the first line is a header: it has a given or usual name, or only the second line has a number."""
    given = [column for column in wanted if isinstance(column, str) and not _is_number(column)]
    if any(column in first for column in given) or usual_columns(first)[:2] != [None, None]:
        return True
    return not _has_number(first) and _has_number(second)


def _has_number(cells: list[str]) -> bool:
    return any(_is_number(cell.strip()) for cell in cells)


def _batches(layout: RatingLayout, source: Iterator[str]) -> Iterator[RatingBatch]:
    """The rows without the header and without blank lines."""
    skip = layout.has_header
    for batch in _all_batches(layout, source):
        if batch.lines:
            yield RatingBatch([cells[skip:] for cells in batch.columns], batch.lines[int(skip) :])
            skip = False


def _all_batches(layout: RatingLayout, source: Iterator[str]) -> Iterator[RatingBatch]:
    has_quotes = len(layout.delimiter) == 1
    first = 1
    for lines in batches(source, BATCH_LINES):
        if has_quotes and any('"' in line for line in lines):
            yield from _quoted_batches(layout, chain(lines, source), first)
            return
        yield _split(layout, lines, first)
        first += len(lines)


def _split(layout: RatingLayout, lines: list[str], first: int) -> RatingBatch:
    """Split lines without quotes."""
    delimiter, width = layout.delimiter, layout.width
    bare = [line.rstrip("\r\n") for line in lines]
    numbers: Sequence[int] = range(first, first + len(lines))
    if any(line.count(delimiter) != width - 1 for line in bare):
        numbers = [number for number, line in zip(numbers, bare, strict=True) if line.strip()]
        bare = [line for line in bare if line.strip()]
        for number, line in zip(numbers, bare, strict=True):
            _check_width(layout, line.count(delimiter) + 1, number)
    cells = "\n".join(bare).replace(delimiter, "\n").split("\n")
    return RatingBatch([cells[place::width] if bare else [] for place in layout.places], numbers)


def _quoted_batches(layout: RatingLayout, lines: Iterator[str], first: int) -> Iterator[RatingBatch]:
    """The remaining rows by the rules of CSV. A cell may span several lines."""
    for rows in batches(_quoted_rows(layout, lines, first), BATCH_LINES):
        columns = [[cells[place] for _, cells in rows] for place in layout.places]
        yield RatingBatch(columns, [line for line, _ in rows])


def _quoted_rows(layout: RatingLayout, lines: Iterator[str], first: int) -> Iterator[tuple[int, list[str]]]:
    for line, cells in csv_rows(lines, layout.path, layout.delimiter, first=first):
        if "".join(cells).strip():
            _check_width(layout, len(cells), line)
            yield line, cells


def _check_width(layout: RatingLayout, width: int, line: int) -> None:
    if width != layout.width:
        raise DataError(
            f"{layout.path}, line {line}: has {width} cells but the first line has {layout.width}: fix the line"
        )


def _numbers(cells: list[str], where: Where) -> FloatArray:
    """Ratings. Python's float() also accepts 1_000 and digits of other scripts, which are errors here."""
    joined = "".join(cells)
    if joined.isascii() and "_" not in joined:
        try:
            numbers = np.array(list(map(float, cells)), np.float64)
            if np.isfinite(numbers).all():
                return numbers
        except ValueError:
            pass  # the next loop finds the cell
    for row, cell in enumerate(cells):
        if not _is_number(cell.strip()) or not np.isfinite(float(cell)):
            raise DataError(
                f"{where(row)}: the rating {shown(cell.strip())} is not a finite number: leave the row out"
            )
    return np.array(list(map(float, cells)), np.float64)


def _namer(path: Path, lines: Sequence[int]) -> Where:
    return lambda row: f"{path}, line {lines[row]}"
