"""Formats and delimiters by the first bytes."""

import gzip

import pytest

from askance.data import read
from askance.data.guessing import guessed_delimiter, guessed_format
from askance.errors import DataError


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (b"1 1:0.5 7:2\n-1 2:1\n", "svmlight"),
        (b"+1 qid:3 1:0.5 # text\n", "svmlight"),
        (b"\n\n-1.5e0 3:1\r\n", "svmlight"),
        (b'{"a": 1}\n', "jsonl"),
        (b'\xef\xbb\xbf  {"a": 1}', "jsonl"),
        (b"a,b,label\n1,2,x\n", "csv"),
        (b"a;b;label\n1;2;x\n", "csv"),
        (b"1,2,3\n4,5,6\n", "csv"),
        (b"a\tb\tlabel\n", "tsv"),
        (b"a\tb, c\tlabel\n", "csv"),
        (b"PAR1\x15\x04", "parquet"),
        (b"1\n2\n", None),
        (b"hello", None),
        (b"", None),
        (b"PK\x03\x04" + bytes(26) + b"[Content_Types].xml", "xlsx"),
        (b"PK\x03\x04" + bytes(26) + b"xl/workbook.xml", "xlsx"),
        (b"\0\1,\2", None),
    ],
)
def test_the_first_bytes_show_the_format(start, expected):
    assert guessed_format(start, "it") == expected
    assert guessed_format(gzip.compress(start), "it") == expected


@pytest.mark.parametrize(
    ("start", "said"),
    [
        (b'[\n{"a": 1}]', r"it: is an array of JSON: write one object per line, for example with jq -c '.\[\]'"),
        (b"PK\x03\x04\x14\0", "it: is a zip archive: unpack it, or save it as CSV if it is a spreadsheet"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "it: is a file of an old office program: save it as XLSX or CSV"),
        (b"%PDF-1.4\n", "it: is a PDF: write its texts into a CSV file, one per row"),
        (b"SQLite format 3\0", "it: is an SQLite database: export the table as CSV"),
    ],
)
def test_what_cannot_be_read_is_named(start, said):
    with pytest.raises(DataError, match=said):
        guessed_format(start, "it")


def test_damaged_compression_shows_nothing():
    assert guessed_format(b"\x1f\x8b\x08\x00nonsense", "it") is None


def test_the_beginning_of_a_long_compressed_file_is_enough():
    content = gzip.compress(b"a,b,label\n" + bytes(range(32, 127)) * 5000)
    assert guessed_format(content[:200], "it") == "csv"


@pytest.mark.parametrize(
    ("header", "expected"), [("a,b;c;d", ","), ("a;b", ";"), ("a|b|c", "|"), ("a\tb", "\t"), ("a", ",")]
)
def test_a_comma_comes_first(header, expected):
    assert guessed_delimiter(header) == expected


def test_names_without_a_known_extension_are_read_by_their_content(tmp_path):
    """A CSV file with the name data.txt was taken for svmlight, with a puzzling message."""
    table = tmp_path / "data.txt"
    table.write_text("x,z,label\n1,2,a\n3,4,b\n")
    (chunk,) = read(table)
    assert (chunk.X.tolist(), chunk.y.tolist()) == ([[1, 2], [3, 4]], ["a", "b"])
    rows = tmp_path / "rows.txt"
    rows.write_text("1 1:5\n")
    assert next(iter(read(rows))).X.toarray().tolist() == [[5]]
    objects = tmp_path / "data.json"
    objects.write_text('{"x": 1, "label": 0}\n')
    assert next(iter(read(objects))).y.tolist() == [0]
