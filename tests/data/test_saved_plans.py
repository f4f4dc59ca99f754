"""How a table was read is kept, and the next one is read in the same way."""

import copy
import json

import numpy as np
import pytest

from askance.data import read_table
from askance.data.saved_plans import read_as_saved, saved_plan
from askance.errors import DataError, ModelFileError
from customer_table import customers, write_customers


def rows_of(stream):
    chunks = list(stream)
    return np.concatenate([chunk.X.dense for chunk in chunks]), [
        chunk.X.sparse.indices.tolist() for chunk in chunks
    ]


@pytest.fixture
def saved(tmp_path):
    table = read_table(write_customers(tmp_path / "first.csv", 300))
    list(table)
    return json.loads(json.dumps(saved_plan(table)))


def test_a_second_table_continues_where_the_first_ended(tmp_path):
    whole = write_customers(tmp_path / "whole.csv", 1400)
    header, *lines = whole.read_text().splitlines(keepends=True)
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    first.write_text(header + "".join(lines[:1100]))
    second.write_text(header + "".join(lines[1100:]))
    table = read_table(first)
    list(table)
    continued = read_as_saved(second, json.loads(json.dumps(saved_plan(table))), chunk_rows=300)
    expected, words = rows_of(read_table(whole, chunk_rows=1400))
    dense, own_words = rows_of(continued)
    assert np.array_equal(dense, expected[1100:])
    assert own_words[0] == words[0][-len(own_words[0]) :]
    assert np.array_equal(rows_of(continued)[0], dense)


def test_the_next_table_is_read_in_the_notation_of_the_first(tmp_path):
    """Its own rows need not show it: 1,250 could also have a group of three digits."""
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    first.write_text("size;on;label\n" + "1,5;31.12.2025;a\n2,25;01.02.2025;b\n" * 5)
    second.write_text("size;on;label\n1,250;03.04.2025;a\n")
    table = read_table(first)
    list(table)
    saved = json.loads(json.dumps(saved_plan(table)))
    assert next(iter(read_as_saved(second, saved))).X.tolist() == [[1.25, 2025, 4, 3]]
    for column in saved["columns"]:
        del column["notation"]  # as in files of earlier versions
    with pytest.raises(DataError, match=r"'03\.04\.2025' is not a date"):
        list(read_as_saved(second, saved))


def test_objects_may_leave_out_what_they_do_not_have_but_tables_may_not(tmp_path, saved):
    path = tmp_path / "a.jsonl"
    records = [{name: record[name] for name in ("income", "label")} for record in customers(5)]
    path.write_text("\n".join(map(json.dumps, records)))
    assert rows_of(read_as_saved(path, saved))[0].shape == (5, 13)
    (tmp_path / "a.csv").write_text("income,label\n1,x\n")
    with pytest.raises(
        DataError, match="no column 'age', which the model has learned from; there are 'income', 'label'"
    ):
        read_as_saved(tmp_path / "a.csv", saved)


@pytest.mark.parametrize(
    "damage",
    [
        lambda saved: saved.pop("bits"),
        lambda saved: saved.update(bits=99),
        lambda saved: saved.update(columns=[3]),
        lambda saved: saved.update(sums=[1.0]),
        lambda saved: saved.update(sums=["many"]),
        lambda saved: saved.update(counts=[-1] * len(saved["counts"])),
        lambda saved: saved["columns"][1].update(kind="colour"),
        lambda saved: saved["columns"][1].update(more=1),
        lambda saved: saved["columns"][1].update(notation="day first"),
        lambda saved: saved["columns"][4].update(notation="decimal comma"),
        lambda saved: saved["columns"][1].pop("starts"),
    ],
)
def test_a_forged_plan_is_refused(tmp_path, saved, damage):
    forged = copy.deepcopy(saved)
    damage(forged)
    with pytest.raises(ModelFileError, match=r"^holds "):
        read_as_saved(tmp_path / "first.csv", forged)
