"""The labels of a pool so far: from files of row and label, and from its own label column if that has gaps."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from askance.data.files import TextLines, existing_file, listed, shown
from askance.data.labels import UNLABELLED
from askance.data.recipe import LABEL_NAMES
from askance.data.tables import TableStream, header_delimiter, table_records
from askance.errors import DataError

ROW, LABEL = "row", "label"


class GivenLabel(NamedTuple):
    """A label, and where it is given."""

    label: str
    place: str


def labels_of(
    features: Path, rows: int, table: TableStream | None, column: str | None, files: Sequence[Path]
) -> dict[int, str]:
    """The known labels by row; ValueError if two places contradict each other."""
    found: dict[int, GivenLabel] = {}
    own = [] if table is None else list(own_labels(table, column))
    if any(label in UNLABELLED for _, label in own):
        found = {
            row: GivenLabel(label, place) for row, (place, label) in enumerate(own) if label not in UNLABELLED
        }
    elif own and not files:
        raise ValueError(
            f"{features}: all rows are labelled: give --labels to say which labels are known, or leave some empty"
        )
    for file in files:
        for row, given in answers(file):
            if not 0 <= row < rows:
                raise ValueError(f"{given.place}: there is no row {row}: {features} has the rows 0 to {rows - 1}")
            before = found.setdefault(row, given)
            if before.label != given.label:
                raise ValueError(
                    f"{given.place}: row {row} is {shown(given.label)}, but {shown(before.label)} in "
                    f"{before.place}: keep one of them"
                )
    return {row: found[row].label for row in sorted(found)}


def own_labels(table: TableStream, column: str | None) -> Iterator[tuple[str, str]]:
    """Place and label of every row of a table, as written; nothing if it has no label column."""
    cells = cells_of(table.path, table.delimiter)
    _, header = next(cells)
    names = [name.strip() for name in header]
    if column is None:
        names = [name.lower() for name in names]
    number = next((names.index(name) for name in _wanted(column) if name in names), None)
    if number is None:
        return
    for place, row in cells:
        yield place, row[number].strip()


def _wanted(column: str | None) -> tuple[str, ...]:
    return LABEL_NAMES if column is None else (column,)


def answers(path: Path) -> Iterator[tuple[int, GivenLabel]]:
    """The rows of a file of answers whose label is filled in."""
    path = existing_file(path)
    cells = cells_of(path, "\t" if path.suffix.lower() == ".tsv" else header_delimiter(path, None))
    place, header = next(cells, (f"{path}", []))
    names = [name.strip().lower() for name in header]
    if ROW not in names or LABEL not in names:
        raise DataError(f"{place}: needs the columns row and label, but has {listed(header)}")
    row_at, label_at = names.index(ROW), names.index(LABEL)
    for place, row in cells:
        label = row[label_at].strip()
        if label in UNLABELLED:
            continue
        number = row[row_at].strip()
        if not (number.isascii() and number.isdigit() and len(number) < 19):
            raise DataError(f"{place}: {shown(number)} is not a row number: give a whole number, 0 or more")
        yield int(number), GivenLabel(label, place)


def is_answered(path: Path) -> bool:
    """Whether a file that would be replaced contains answers; other kinds of files do not."""
    try:
        return any(True for _ in answers(path))
    except DataError:
        return False


def cells_of(path: Path, delimiter: str) -> Iterator[tuple[str, list[str]]]:
    """The lines of a table that are not blank, each with its place for messages."""
    with TextLines(path) as lines:
        for record in table_records(lines, delimiter):
            yield f"{path}, line {record.line}", record.cells
