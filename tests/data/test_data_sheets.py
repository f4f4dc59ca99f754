"""XLSX workbooks as rows: what is read, and what is refused in one sentence."""

import datetime
import io
import sys
import zipfile

import pytest

from askance.data import read_table, sheets
from askance.data.raw_rows import rows_of
from askance.errors import DataError
from workbooks import book_of


def changed(book, **members):
    """A workbook in which some members are replaced."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            new.writestr(info.filename, members.pop(info.filename, None) or old.read(info))
        for name, content in members.items():
            new.writestr(name, content)
    return out.getvalue()


def zip_of(**members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


@pytest.fixture
def read(tmp_path):
    def read(content):
        path = tmp_path / "book.xlsx"
        path.write_bytes(content)
        with rows_of(path) as rows:
            return [(rows.where(entry.line).rpartition(", ")[2], rows.values(entry, ())) for entry in rows]

    return read


def test_rows_have_types_and_the_numbers_of_the_spreadsheet(read):
    day = datetime.datetime(2026, 3, 4, 5, 6)
    book = book_of(
        ["text", " age ", "when", "paid", None],
        [],
        ["a", 3, day, True],
        ["b", None, None, False],
        [None, None, None, None],
        ["c", 2.5],
        more_sheets=["notes"],
    )
    assert read(book) == [
        ("row 3", {"text": "a", "age": 3, "when": "2026-03-04T05:06:00", "paid": True}),
        ("row 4", {"text": "b", "age": None, "when": None, "paid": False}),
        ("row 6", {"text": "c", "age": 2.5, "when": None, "paid": None}),
    ]


def test_cells_among_words_are_texts_as_in_csv(read):
    """Spreadsheets decide for each cell by itself whether it is a text."""
    book = book_of(
        ["text", "age", "due", "paid"],
        [2024, 31, "1.234,50", True],
        ["see you", 32.5, 7, None],
        [True, "n/a", 0.75, False],
        [None, 34, None, True],
        [2.5, 35, "12 %", False],
    )
    assert [row for _, row in read(book)] == [
        {"text": "2024", "age": 31, "due": "1.234,50", "paid": True},
        {"text": "see you", "age": 32.5, "due": 7, "paid": None},
        {"text": "TRUE", "age": "n/a", "due": 0.75, "paid": False},
        {"text": None, "age": 34, "due": None, "paid": True},
        {"text": "2.5", "age": 35, "due": "12 %", "paid": False},
    ]


def test_the_first_rows_decide_which_columns_are_texts(read):
    words, numbers = [[f"mail {row}", row] for row in range(1000)], [[2024, "late"], [False, 3]]
    rows = [list(row.values()) for _, row in read(book_of(["text", "size"], *words, *numbers))]
    assert rows[-2:] == [["2024", "late"], ["FALSE", 3]]


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (2024, "2024"),
        (2024.0, "2024"),
        (0.1 + 0.2, "0.3"),
        (-1.25, "-1.25"),
        (12345678901234567, "12345678901234567"),
        (True, "TRUE"),
        (False, "FALSE"),
        ("1.0", "1.0"),
        (None, None),
    ],
)
def test_cells_are_written_as_in_csv(cell, text):
    assert sheets.as_written(cell) == text


def test_labels_of_a_workbook_may_be_words_and_numbers(tmp_path):
    path = tmp_path / "book.xlsx"
    path.write_bytes(book_of(["size", "label"], *[[row, label] for row, label in enumerate(["a", 7, True, "a"])]))
    (chunk,) = read_table(path)
    assert chunk.y.tolist() == ["a", "7", "TRUE", "a"]


def test_a_formula_is_the_value_that_was_saved(read):
    sheet = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        '<row r="1"><c r="A1" t="inlineStr"><is><t>sum</t></is></c></row>'
        '<row r="2"><c r="A2"><f>1+2</f><v>3</v></c></row></sheetData></worksheet>'
    )
    assert read(changed(book_of(["sum"]), **{"xl/worksheets/sheet1.xml": sheet})) == [("row 2", {"sum": 3})]


BOMB = b"<a>" + b" " * 3_000_000
WORKBOOK = {"xl/workbook.xml": b"<workbook/>"}
NOT_A_BOOK = {
    "no archive": (b"PK\x03\x04 and more", "is not an XLSX workbook, or is damaged: save it again"),
    "another archive": (zip_of(**{"a.txt": b"a"}), "is not an XLSX workbook"),
    "many parts": (zip_of(**WORKBOOK, **{f"{n}.bin": b"" for n in range(5001)}), "in 5,002 parts"),
    "a bomb": (
        zip_of(**WORKBOOK, **{"xl/worksheets/sheet1.xml": BOMB}),
        "has 3 MB in 2 parts when it is unpacked",
    ),
    "long strings": (
        zip_of(**WORKBOOK, **{"xl/sharedStrings.xml": BOMB[:2_000_000]}),
        "has 2 MB when it is unpacked",
    ),
    "entities": (
        zip_of(**WORKBOOK, **{"xl/styles.xml": b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'}),
        "declares a document type",
    ),
    "entities in UTF-16": (
        zip_of(**WORKBOOK, **{"xl/styles.xml": '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'.encode("utf-16")}),
        "declares a document type",
    ),
}


@pytest.mark.parametrize("name", NOT_A_BOOK)
def test_what_is_refused_before_it_is_unpacked(read, monkeypatch, name):
    monkeypatch.setattr(sheets, "UNPACKED", 2_500_000)
    monkeypatch.setattr(sheets, "IN_MEMORY", 1_500_000)
    content, words = NOT_A_BOOK[name]
    with pytest.raises(DataError, match=words) as refused:
        read(content)
    assert "\n" not in str(refused.value)


def damaged(place):
    book = bytearray(book_of(["text"], *[[f"row {n}"] for n in range(50)]))
    book[place] ^= 0xFF
    return bytes(book)


@pytest.mark.parametrize("place", [700, 3000])
def test_a_damaged_workbook_is_refused_in_one_sentence(read, place):
    with pytest.raises(DataError, match="is not an XLSX workbook, or is damaged"):
        read(damaged(place))


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([], "its first sheet is empty: move the table there"),
        ([["a", "a"], [1, 2]], "row 1: two columns have the name 'a': rename one"),
        ([["a", None, "b"], [1, 2, 3]], "row 2: has a value in a column without a name: name it in row 1"),
        ([["a"], [1, 2]], "row 2: has a value in a column without a name"),
        ([["a"], [1], [None] * 2500 + [1]], "row 3: has 2,501 columns, and at most 2,000 can be read"),
    ],
)
def test_sheets_that_are_no_table(read, rows, words):
    with pytest.raises(DataError, match=words):
        read(book_of(*rows))


def test_a_sheet_that_says_it_is_huge_is_as_large_as_its_cells(read):
    sheet = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        '<dimension ref="A1:XFD1048576"/><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c></row>'
        '<row r="2"><c r="A2"><v>1</v></c></row></sheetData></worksheet>'
    )
    assert read(changed(book_of(["a"]), **{"xl/worksheets/sheet1.xml": sheet})) == [("row 2", {"a": 1})]


def test_without_the_package_the_sentence_says_what_to_do(read, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(DataError, match=r"XLSX needs openpyxl: pip install 'askance\[excel\]', or save it as CSV"):
        read(zip_of(**WORKBOOK))
