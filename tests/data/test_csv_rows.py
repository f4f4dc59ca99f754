"""Rows of CSV and TSV whose cells are longer than Python's limit, which is one for the whole process."""

import csv

import pytest

from askance.data import csv_rows, read, read_table
from askance.data.rating_files import read_pairs
from askance.data.raw_rows import rows_of
from askance.errors import DataError

pytestmark = pytest.mark.plain
PYTHONS_LIMIT = 131_072
LONG = "word " * 30_000


@pytest.fixture(autouse=True)
def limit():
    """The limit as it is in a new process."""
    before = csv.field_size_limit(PYTHONS_LIMIT)
    yield
    csv.field_size_limit(before)


def written(path, *rows):
    with path.open("w", newline="") as file:
        csv.writer(file, delimiter="\t" if path.suffix == ".tsv" else ",").writerows(rows)
    return path


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_every_reader_of_tables_takes_long_cells(tmp_path, ending):
    path = written(tmp_path / f"a.{ending}", ["text", "label"], [LONG, "a"], [f"{LONG}\n{LONG}", "b"], ["c", "a"])
    (chunk,) = read(path)
    assert chunk.X.shape[0] == 3
    csv.field_size_limit(PYTHONS_LIMIT)
    (chunk,) = read_table(path)
    assert chunk.y.tolist() == ["a", "b", "a"]
    csv.field_size_limit(PYTHONS_LIMIT)
    with rows_of(path) as rows:
        assert [(entry.line, len(entry.record["text"])) for entry in rows] == [(2, 150_000), (3, 300_001), (5, 1)]


def test_readers_of_ratings_take_long_cells(tmp_path):
    path = written(tmp_path / "a.csv", ["user", "item", "note"], ["ann", "b", LONG], ["bob", "c", f"{LONG},"])
    assert read_pairs(path).users.tolist() == ["ann", "bob"]


def test_a_quote_that_is_never_closed_does_not_take_the_rest_into_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_rows, "LONGEST_CELL", PYTHONS_LIMIT)
    for ending, delimiter, kind in (("csv", ",", "CSV"), ("tsv", "\t", "TSV")):
        path = tmp_path / f"a.{ending}"
        path.write_text(f'text{delimiter}label\na{delimiter}b\n"{LONG}')
        with pytest.raises(DataError, match=rf"line 3: is not well-formed {kind} \(field larger than field limit"):
            list(read(path))


def test_a_higher_limit_of_the_program_stays(tmp_path):
    csv.field_size_limit(csv_rows.LONGEST_CELL + 1)
    list(read(written(tmp_path / "a.csv", ["text", "label"], ["one", "a"], ["two", "b"])))
    assert csv.field_size_limit() == csv_rows.LONGEST_CELL + 1


def test_rows_have_the_numbers_of_their_first_lines(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('\na,b\n\n1,"x\ny"\n2,z\n')
    with rows_of(path) as rows:
        assert [entry.line for entry in rows] == [4, 6]
