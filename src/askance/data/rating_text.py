"""Ratings in text files: CSV, TSV and MovieLens' own, with or without a header, plain or gzip.

Lines are split many at a time; only from the first quote on are they read as CSV, row by row.
"""

import csv
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from re import ASCII, IGNORECASE
from re import compile as pattern
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.data.files import TextLines, Where, batches, reason, shown
from askance.data.rating_columns import Wanted, usual_columns
from askance.data.rating_ids import IdColumn
from askance.errors import DataError

DELIMITERS = ("::", "\t", ";", ",")
HEAD_LINES = 20
BATCH_LINES = 1 << 16

_is_number = pattern(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", ASCII | IGNORECASE).fullmatch
_quoted = pattern(r'"[^"]*"')

Numbers = NDArray[np.float64]


class Layout(NamedTuple):
    """How a file is laid out."""

    path: Path
    delimiter: str
    width: int  # cells a line
    places: list[int]  # of users, items and perhaps ratings
    has_header: bool


class Batch(NamedTuple):
    """The cells of some rows, a list for each column wanted, and the line that each row begins on."""

    columns: list[list[str]]
    lines: Sequence[int]


def read_text(
    path: Path, wanted: Wanted, delimiter: str | None, *, rated: bool
) -> tuple[NDArray[Any], NDArray[Any], Numbers | None]:
    """The users, items and, if there are any, ratings of a file."""
    users, items = IdColumn("user"), IdColumn("item")
    ratings: list[Numbers] = []
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


def layout_of(path: Path, head: list[str], wanted: Wanted, delimiter: str | None, *, rated: bool) -> Layout:
    """How a file is laid out, from its first lines."""
    filled = [line for line in head if line.strip()]
    if not filled:
        raise DataError(f"{path}: begins with nothing but blank lines: check how it was made")
    place = f"{path}, line {head.index(filled[0]) + 1}"
    delimiter = _delimiter(filled, delimiter, place)
    first, second = _first_rows(filled, delimiter, place)
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
    return Layout(path, delimiter, len(names), wanted.checked(places, names, place, rated=rated), has_header)


def _delimiter(lines: list[str], given: str | None, place: str) -> str:
    """The delimiter of which most lines have as many as the first."""
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


def _first_rows(lines: list[str], delimiter: str, place: str) -> tuple[list[str], list[str]]:
    """The cells of the first two rows; the second may be absent."""
    try:
        first, second, *_ = [*islice(_cells(lines, delimiter), 2), []]
    except csv.Error as error:
        raise _ill_formed(place, error) from error
    return first, second


def _cells(lines: list[str], delimiter: str) -> Iterator[list[str]]:
    if len(delimiter) > 1:
        return (line.rstrip("\r\n").split(delimiter) for line in lines)
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=delimiter != " ")


def _ill_formed(place: str, error: csv.Error) -> DataError:
    return DataError(f"{place}: is not well-formed CSV ({reason(error)}): check quotes and line ends")


def _is_header(first: list[str], second: list[str], wanted: Wanted) -> bool:
    """Whether the first line names columns: it has a given or a usual name, or it alone has no number."""
    given = [column for column in wanted if isinstance(column, str) and not _is_number(column)]
    if any(column in first for column in given) or usual_columns(first)[:2] != [None, None]:
        return True
    return not _has_number(first) and _has_number(second)


def _has_number(cells: list[str]) -> bool:
    return any(_is_number(cell.strip()) for cell in cells)


def _batches(layout: Layout, source: Iterator[str]) -> Iterator[Batch]:
    """The rows, without header and blank lines."""
    skip = layout.has_header
    for batch in _all_batches(layout, source):
        if batch.lines:
            yield Batch([cells[skip:] for cells in batch.columns], batch.lines[int(skip) :])
            skip = False


def _all_batches(layout: Layout, source: Iterator[str]) -> Iterator[Batch]:
    has_quotes = len(layout.delimiter) == 1
    first = 1
    for lines in batches(source, BATCH_LINES):
        if has_quotes and any('"' in line for line in lines):
            yield from _quoted_batches(layout, chain(lines, source), first)
            return
        yield _split(layout, lines, first)
        first += len(lines)


def _split(layout: Layout, lines: list[str], first: int) -> Batch:
    """Lines without quotes."""
    delimiter, width = layout.delimiter, layout.width
    bare = [line.rstrip("\r\n") for line in lines]
    numbers: Sequence[int] = range(first, first + len(lines))
    if any(line.count(delimiter) != width - 1 for line in bare):
        numbers = [number for number, line in zip(numbers, bare, strict=True) if line.strip()]
        bare = [line for line in bare if line.strip()]
        for number, line in zip(numbers, bare, strict=True):
            _check_width(layout, line.count(delimiter) + 1, number)
    cells = "\n".join(bare).replace(delimiter, "\n").split("\n")
    return Batch([cells[place::width] if bare else [] for place in layout.places], numbers)


def _quoted_batches(layout: Layout, lines: Iterator[str], first: int) -> Iterator[Batch]:
    """Rows from here on, by the rules of CSV; a cell may go over several lines."""
    for rows in batches(_quoted_rows(layout, lines, first), BATCH_LINES):
        columns = [[cells[place] for _, cells in rows] for place in layout.places]
        yield Batch(columns, [line for line, _ in rows])


def _quoted_rows(layout: Layout, lines: Iterator[str], first: int) -> Iterator[tuple[int, list[str]]]:
    skip_blanks = layout.delimiter != " "
    reader = csv.reader(lines, delimiter=layout.delimiter, skipinitialspace=skip_blanks, strict=True)
    while True:
        line = first + reader.line_num
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise _ill_formed(f"{layout.path}, line {line}", error) from error
        if cells is None:
            return
        if "".join(cells).strip():
            _check_width(layout, len(cells), line)
            yield line, cells


def _check_width(layout: Layout, width: int, line: int) -> None:
    if width != layout.width:
        raise DataError(
            f"{layout.path}, line {line}: has {width} cells where the first line has {layout.width}: mend it"
        )


def _numbers(cells: list[str], where: Where) -> Numbers:
    """Ratings; Python's float() also takes 1_000 and digits of other scripts, which are mistakes here."""
    joined = "".join(cells)
    if joined.isascii() and "_" not in joined:
        try:
            numbers = np.array(list(map(float, cells)), np.float64)
            if np.isfinite(numbers).all():
                return numbers
        except ValueError:
            pass  # the next loop can name it
    for row, cell in enumerate(cells):
        if not _is_number(cell.strip()) or not np.isfinite(float(cell)):
            raise DataError(f"{where(row)}: the rating {shown(cell.strip())} is not a finite number: leave it out")
    return np.array(list(map(float, cells)), np.float64)


def _namer(path: Path, lines: Sequence[int]) -> Where:
    return lambda row: f"{path}, line {lines[row]}"
