"""The rows of XLSX workbooks, a batch at a time, and what is refused before anything is unpacked."""

import warnings
import zipfile
from collections.abc import Generator, Iterator
from contextlib import closing
from itertools import chain, islice
from pathlib import Path
from typing import Any

from askance._util.optional import require
from askance.data.cells import number_of
from askance.data.files import check_names, shown
from askance.data.jsonl import JsonRecord
from askance.data.notation import OF_NUMBERS, PLAIN
from askance.data.tables import HEAD_ROWS
from askance.errors import DataError

AT_ONCE = 1000  # rows
MOST_COLUMNS = 2000  # a cell far to the right makes a row of 16,384 cells
MOST_MEMBERS = 5000
UNPACKED = 1_000_000_000  # bytes of all members
IN_MEMORY = 100_000_000  # bytes of each member that is not a sheet: these are loaded as a whole
HEAD = 65_536  # bytes in which a document type would be declared
SAVE_AGAIN = "save it again, or save it as CSV"


def sheet_rows(path: Path) -> Generator[JsonRecord, None, None]:
    """The rows of the first sheet below its header, with their numbers as the spreadsheet shows them.

    Blank rows are left out. Of formulas, the values that were saved are read. In a column that has words in its
    first rows, numbers and booleans are texts. DataError with a sentence for anything that is not such a sheet.
    """
    check_workbook(path)
    openpyxl = _openpyxl(path)
    with path.open("rb") as file:  # by a path, openpyxl only opens files with the usual extensions
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about styles and extensions, which have no part in the values
                book = openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)
        except Exception as error:  # a damaged workbook raises nearly anything
            raise _damaged(path) from error
        with closing(book):
            if not book.worksheets:
                raise DataError(f"{path}: has no sheet with cells: {SAVE_AGAIN}")
            yield from _as_columns(_named(path, _cells(path, book.worksheets[0])))


def check_workbook(path: Path) -> None:
    """Refuse what is not a workbook, and one that would need too much memory or time to unpack."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            if "xl/workbook.xml" not in {member.filename for member in members}:
                raise _damaged(path)
            unpacked = sum(member.file_size for member in members)
            if unpacked > UNPACKED or len(members) > MOST_MEMBERS:
                raise DataError(
                    f"{path}: has {unpacked / 1e6:,.0f} MB in {len(members):,} parts when it is unpacked, "
                    "which is too much: save it as CSV"
                )
            for member in members:
                _check_member(path, archive, member)
    except DataError:
        raise
    except Exception as error:  # a damaged archive raises nearly anything
        raise _damaged(path) from error


def _check_member(path: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
    is_sheet = member.filename.startswith("xl/worksheets/")
    if member.file_size > IN_MEMORY and not is_sheet:
        raise DataError(
            f"{path}: {shown(member.filename)} has {member.file_size / 1e6:,.0f} MB when it is unpacked, "
            "which is too much: save it as CSV"
        )
    if member.filename.endswith((".xml", ".rels")):
        with archive.open(member) as file:
            if b"<!DOCTYPE" in file.read(HEAD).replace(b"\0", b""):
                raise DataError(f"{path}: declares a document type, as no spreadsheet does: {SAVE_AGAIN}")


def _cells(path: Path, sheet: Any) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """The rows with their numbers. A sheet may declare any size, so only cells that are there count."""
    sheet.reset_dimensions()
    rows = enumerate(sheet.iter_rows(values_only=True), 1)
    while True:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                batch = list(islice(_narrow(path, rows), AT_ONCE))
        except DataError:
            raise
        except Exception as error:
            raise _damaged(path) from error
        if not batch:
            return
        yield from batch


def _narrow(path: Path, rows: Iterator[tuple[int, tuple[Any, ...]]]) -> Iterator[tuple[int, tuple[Any, ...]]]:
    for number, cells in rows:
        if len(cells) > MOST_COLUMNS:
            raise DataError(
                f"{path}, row {number}: has {len(cells):,} columns, and at most {MOST_COLUMNS:,} can be read: "
                "leave some out"
            )
        yield number, cells


def _named(path: Path, rows: Iterator[tuple[int, tuple[Any, ...]]]) -> Iterator[JsonRecord]:
    filled = ((number, cells) for number, cells in rows if any(cell not in (None, "") for cell in cells))
    number, header = next(filled, (0, ()))
    if not header:
        raise DataError(f"{path}: its first sheet is empty: move the table there")
    names = ["" if cell is None else str(cell).strip() for cell in header]
    check_names([name for name in names if name], f"{path}, row {number}")
    for place, cells in filled:
        record = {name: cell for name, cell in zip(names, cells, strict=False) if name}
        unnamed = [cell for name, cell in zip(names, cells, strict=False) if not name] + list(cells[len(names) :])
        if any(cell not in (None, "") for cell in unnamed):
            raise DataError(
                f"{path}, row {place}: has a value in a column without a name: name it in row {number}"
            )
        yield JsonRecord(place, dict.fromkeys(filter(None, names)) | record)


def _as_columns(entries: Iterator[JsonRecord]) -> Iterator[JsonRecord]:
    """The rows, with columns of texts as in CSV: a spreadsheet decides for each cell whether it is a text."""
    head = list(islice(entries, HEAD_ROWS))
    names = head[0].record if head else ()
    texts = [name for name in names if any(_has_words(entry.record[name]) for entry in head)]
    for entry in chain(head, entries):
        yield entry._replace(record=entry.record | {name: as_written(entry.record[name]) for name in texts})


def _has_words(cell: Any) -> bool:
    """Whether a cell is a text that does not stand for a number or for a missing value."""
    return isinstance(cell, str) and all(number_of(cell, notation) is None for notation in (PLAIN, *OF_NUMBERS))


def as_written(cell: Any) -> Any:
    """A number or boolean as a spreadsheet saves it in a CSV file, such as 2024 or TRUE; all else as it is."""
    match cell:
        case bool():
            return str(cell).upper()
        case int():
            return str(cell)
        case float():
            return f"{cell:.15g}"  # spreadsheets calculate with 15 digits
    return cell


def _damaged(path: Path) -> DataError:
    return DataError(f"{path}: is not an XLSX workbook, or is damaged: {SAVE_AGAIN}")


def _openpyxl(path: Path) -> Any:
    try:
        return require("openpyxl", "excel", "XLSX")
    except ImportError as error:
        raise DataError(f"{path}: {error}, or save it as CSV") from error
