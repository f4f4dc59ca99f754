"""The table of raw files: a small run of what makes it, and its figures worked out by hand."""

import csv
import pathlib
import sys

import pytest

from paths import ROOT

sys.path.append(str(ROOT))  # the benchmark is not part of the package

from bench.raw_files.__main__ import GOALS, HEADER, PAGE, line, main
from bench.raw_files.customers import COLUMNS, customers
from bench.raw_files.outcomes import outcome
from bench.raw_files.tables import BUNDLED, MIXED, STORED, RawFile, raw_file

from askance.data import read_table

# The automatic learner is too slow without machine code.
pytestmark = pytest.mark.compiled


@pytest.mark.slow
def test_a_table_goes_through_the_commands(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.csv"
    sheet = main(["--files", "wine", "--splits", "1"], page)
    ((name, rows, labels, accuracy, *_),) = sheet.rows
    assert (name, rows, labels) == ("wine", "143", "30")
    assert float(accuracy) > 0.8
    assert "wine" in capsys.readouterr().out
    assert not page.exists()  # which has all tables or none


@pytest.mark.slow
def test_a_mixed_table_with_few_rows() -> None:
    raw = RawFile(COLUMNS, [list(record.values()) for record in customers(600)])
    found = outcome(raw, split=1)
    assert (found["rows"], found["labels"]) == (480, 48)
    assert 0.5 < found["auto"] < 1
    assert 0.5 < found["regression"] < 1


def test_columns_are_taken_for_what_they_are(tmp_path: pathlib.Path) -> None:
    mixed = RawFile(COLUMNS, [list(record.values()) for record in customers(1500)])
    table = read_table(mixed.write(tmp_path / "t.csv", range(1500)))
    assert table.described() == (
        "3 numbers, 2 categories, 1 text, 2 dates; left out: customer (all values differ)"
    )
    wine = read_table(raw_file("wine").write(tmp_path / "w.csv", range(178)))
    assert wine.described() == "13 numbers"
    assert {label for chunk in wine for label in chunk.y} == {"class_0", "class_1", "class_2"}


def test_figures_by_hand() -> None:
    found = [
        {"rows": 1000, "labels": 90, "auto": 0.9, "regression": 0.885},
        {"rows": 1000, "labels": 100, "auto": 0.8, "regression": 0.80},
    ]
    assert line("mixed", found) == [
        *("mixed", "1,000", "95", "0.850", "0.800", "0.900", "0.843", "0.853", "no"),
    ]
    assert line("magic04", found)[-2:] == ["0.820", "yes"]


def test_the_page_has_all_tables() -> None:
    with PAGE.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert tuple(header) == HEADER
    assert [row[0] for row in rows] == [*BUNDLED, *STORED, MIXED]
    assert set(GOALS) < {row[0] for row in rows}
