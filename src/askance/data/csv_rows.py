"""The rows of CSV and TSV text, for every reader of tables."""

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

from askance.data.files import reason
from askance.errors import DataError

# Characters of a cell. Python's own limit, 131,072, is less than a long text has. Without any, a quote that is
# never closed would take the rest of the file into memory.
LONGEST_CELL = 1 << 24


def csv_rows(
    lines: Iterable[str], path: Path, delimiter: str, *, first: int = 1, strict: bool = True
) -> Iterator[tuple[int, list[str]]]:
    """The rows, also blank ones, each with the number of its first line; `first` is that of the first of all.

    A blank after the delimiter is not part of the cell. With `strict`, a quote that is never closed is an error.
    """
    _allow_long_cells()
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=delimiter != " ", strict=strict)
    while True:
        line = first + reader.line_num
        try:
            cells = next(reader, None)
        except csv.Error as error:
            kind = "TSV" if delimiter == "\t" else "CSV"
            raise DataError(
                f"{path}, line {line}: is not well-formed {kind} ({reason(error)}): check quotes and line ends"
            ) from error
        if cells is None:
            return
        yield line, cells


def _allow_long_cells() -> None:
    """Raise the limit of Python, which is one for the whole process: no reader has a limit of its own.

    It is raised when a file is read, so that an import changes nothing. It is not put back, because other threads
    may be reading, and a higher one that the program has set stays.
    """
    if csv.field_size_limit() < LONGEST_CELL:
        csv.field_size_limit(LONGEST_CELL)
