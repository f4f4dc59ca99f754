"""`askance push` of tables, vectors and pipes: a task reads all its tables in one way."""

import json
import os
import threading
import time

import numpy as np
import pytest

from askance.cli.commands.push import work
from askance.data import raw_rows
from askance.service.columns import Column
from command_line import answer, complaint, output
from service_twin import Twin

pyarrow = pytest.importorskip("pyarrow")
pandas = pytest.importorskip("pandas")

HEADER = "customer,age,city,note,since,label\n"


def rows(count, first=0):
    cities = ["Rome", "Oslo", ""]
    lines = []
    for n in range(first, first + count):
        age = "NA" if n % 9 == 4 else 20 + n % 40
        lines.append(f"C{n},{age},{cities[n % 3]},please send order {n} again,2024-0{n % 9 + 1}-03,bug\n")
    return "".join(lines)


@pytest.fixture
def twin(monkeypatch):
    yield from served(monkeypatch, Twin(item="record"))


@pytest.fixture
def vectors(monkeypatch):
    made = Twin(item="record")
    made.settings = vector_task(made.settings)
    yield from served(monkeypatch, made)


def vector_task(settings, item="vector"):
    import msgspec

    return msgspec.structs.replace(settings, item=item, vector_length=3)


def served(monkeypatch, twin):
    with twin.serving() as url:
        monkeypatch.setenv("ASKANCE_URL", url)
        yield twin


def push(*words):
    return answer("push", *words, "--task", "desk")


# ---------------------------------------------------------------------- the kinds of columns


def test_the_first_table_tells_the_task_what_its_columns_hold(twin, tmp_path):
    file = tmp_path / "t.csv"
    file.write_text(HEADER + rows(40))
    told = push(file, "--limit", 30)
    kinds = {"customer": "left out", "age": "number", "city": "category", "note": "text", "since": "date"}
    assert told["columns"] == kinds
    columns = twin.settings.columns
    assert {name: column.kind for name, column in columns.items()} == kinds | {"customer": "id"}
    assert columns["city"].levels == ["(missing)", "Oslo", "Rome"]
    assert columns["age"].indicator
    assert twin.items[4].record == {
        "customer": "C4", "age": None, "city": "Oslo", "note": "please send order 4 again", "since": "2024-05-03",
    }  # fmt: skip
    assert twin.items[5].record["age"] == 25.0
    again = push(file)
    assert (again["items"], again["again"]) == (40, 30)
    assert "columns" not in again


def test_numbers_and_dates_of_a_spreadsheet(twin, tmp_path):
    file, later = tmp_path / "t.csv", tmp_path / "u.csv"
    header = "price;since;label\n"
    file.write_text(header + "".join(f"1.2{n:02},5;{n + 1}.12.2025;bug\n" for n in range(25)))
    assert "decimal comma: price; day first: since" in output("push", file, "--task", "desk")
    assert twin.settings.columns["price"].notation == "decimal comma"
    assert twin.items[7].record == {"price": 1207.5, "since": "8.12.2025"}
    later.write_text(header + "1,250;3.4.2025;bug\n")
    push(later)
    assert twin.items[25].record == {"price": 1.25, "since": "3.4.2025"}


def test_a_guess_can_be_corrected(twin, tmp_path):
    file = tmp_path / "t.csv"
    file.write_text(HEADER + rows(30))
    said = output("push", file, "--task", "desk", "--category", "age", "--category", "customer")
    assert "Columns: 3 categories, 1 text, 1 date." in said
    assert {twin.settings.columns[name].kind for name in ("age", "customer")} == {"category"}
    assert "the columns of desk are settled: remove --number" in complaint(
        "push", file, "--task", "desk", "--number", "age"
    )


@pytest.mark.parametrize(
    ("content", "words", "sentence"),
    [
        (
            "age,city,note,since\n3,Rome,a b c,2024-01-01\n",
            ("--drop", "age"),
            "no column 'age', which the task has",
        ),
        (HEADER.replace("age", "years") + rows(1), (), "no column 'age', which the task has"),
        (HEADER.replace(",label", ",label,extra") + "C1,3,Rome,a b c,2024-01-01,bug,1\n", (), "no column 'extra'"),
        (HEADER + "C1,old,Rome,a b c,2024-01-01,bug\n", (), "line 2, column 'age': 'old' is not a number"),
    ],
)
def test_another_table_is_refused_in_one_sentence(twin, tmp_path, content, words, sentence):
    first, second = tmp_path / "one.csv", tmp_path / "two.csv"
    first.write_text(HEADER + rows(25))
    push(first)
    second.write_text(content)
    assert sentence in complaint("push", second, "--task", "desk", *words)
    assert len(twin.items) == 25


def test_few_rows_and_objects_of_a_pipe_tell_too_little(twin, tmp_path):
    file = tmp_path / "t.csv"
    file.write_text(HEADER + rows(19))
    assert "columns" not in push(file)
    assert twin.settings.columns == {}


def test_columns_with_one_value_stay_because_more_rows_may_come(twin, tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("age,country\n" + "".join(f"{n % 7},Peru\n" for n in range(30)))
    push(file)
    assert twin.settings.columns["country"] == Column("category", ["Peru"])


def test_a_column_without_a_name_is_left_out(twin, tmp_path):
    file = tmp_path / "t.csv"
    file.write_text(",age\n" + "".join(f"{n},{n % 7}\n" for n in range(30)))
    push(file)
    assert list(twin.settings.columns) == ["age"]
    assert twin.items[3].record == {"age": 3.0}


# ---------------------------------------------------------------------- Parquet


def frame(count):
    return pandas.DataFrame(
        {
            "age": [None if n % 9 == 4 else float(n) for n in range(count)],
            "since": pandas.to_datetime([f"2024-01-{n % 28 + 1:02}" for n in range(count)]),
            "city": [["Rome", "Oslo", None][n % 3] for n in range(count)],
            "label": ["bug", "praise"] * (count // 2),
        }
    )


def test_a_parquet_file_is_read_in_parts(twin, tmp_path, monkeypatch):
    monkeypatch.setattr(raw_rows, "AT_ONCE", 16)
    file = tmp_path / "t.parquet"
    frame(40).to_parquet(file, row_group_size=10)
    told = push(file, "--batch", 15)
    assert told["items"] == 40
    assert [item.id for item in twin.items[:2]] == ["t:0", "t:1"]
    assert twin.items[4].record == {"age": None, "since": "2024-01-05T00:00:00", "city": "Oslo"}
    assert {name: column.kind for name, column in twin.settings.columns.items()} == {
        "age": "number", "since": "date", "city": "category",
    }  # fmt: skip
    assert push(file, "--labelled")["learned"] == 40
    assert list(twin.imported.values())[:2] == ["bug", "praise"]
    (tmp_path / "bad.parquet").write_bytes(b"PAR1" + b"x" * 50)
    assert "is not a Parquet file, or is damaged" in complaint("push", tmp_path / "bad.parquet", "--task", "desk")


# ---------------------------------------------------------------------- vectors


def written(folder, kind, X):
    file = folder / f"t.{kind.partition(' ')[0]}"
    names = [f"v{number}" for number in range(X.shape[1])]
    table = pandas.DataFrame(X, columns=names)
    match kind:
        case "npz":
            np.savez(file, X=X, y=["bug"] * len(X))
        case "parquet":
            table.assign(label="bug").to_parquet(file)
        case "parquet with lists":
            pandas.DataFrame({"embedding": list(X), "label": "bug"}).to_parquet(file)
        case "csv":
            table.assign(label="bug").to_csv(file, index=False)
        case "csv with lists":
            pandas.DataFrame({"vector": [json.dumps(x.tolist()) for x in X], "label": "bug"}).to_csv(
                file, index=False
            )
        case "jsonl":
            file.write_text("".join(json.dumps({"vector": x.tolist(), "label": "bug"}) + "\n" for x in X))
    return file


@pytest.mark.parametrize("kind", ["npz", "parquet", "parquet with lists", "csv", "csv with lists", "jsonl"])
def test_vectors_come_from_every_format(vectors, tmp_path, kind):
    X = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32).astype(float)
    file = written(tmp_path, kind, X)
    push(file)
    np.testing.assert_array_equal([item.vector for item in vectors.items], X)
    assert all(not item.text and not item.record for item in vectors.items)
    push(file, "--labelled")
    assert set(vectors.imported.values()) == {"bug"}


def test_vectors_beside_texts_and_records(vectors, tmp_path):
    vectors.settings = vector_task(vectors.settings, "mixed")
    file = tmp_path / "t.jsonl"
    file.write_text('{"body": "hello?", "emb": [1, 2, 3], "sender": "ann"}\n')
    push(file, "--text", "body", "--vector", "emb")
    item = vectors.items[0]
    assert (item.text, item.vector, item.record) == ("hello?", [1.0, 2.0, 3.0], {"sender": "ann"})


@pytest.mark.parametrize(
    ("content", "words", "sentence"),
    [
        ('{"vector": [1, 2]}', (), "line 1: the vector has 2 numbers, but must have 3 in this task"),
        ('{"vector": [1, "a", 3]}', (), "line 1, column 'vector': 'a' is not a number of a vector"),
        ('{"x": [1, 2, 3]}', (), "no column 'vector' or 'embedding', nor columns v0 to v2"),
        ('{"x": [1, 2, 3]}', ("--vector", "y"), "no column 'y', nor columns y0 to y2"),
        ('{"v0": 1, "v1": 2, "v2": null}', (), "column 'v2': None is not a number of a vector"),
        ('{"vector": [1, 2, 3]}', ("--text", "x"), "the items of desk are vectors, not texts: remove --text"),
    ],
)
def test_wrong_vectors_get_a_sentence(vectors, tmp_path, content, words, sentence):
    file = tmp_path / "t.jsonl"
    file.write_text(content + "\n")
    assert sentence in complaint("push", file, "--task", "desk", *words)


def test_an_archive_for_a_task_without_vectors(twin, tmp_path):
    file = written(tmp_path, "npz", np.ones((2, 3)))
    assert "its rows are vectors, but the items of desk have none" in complaint("push", file, "--task", "desk")


# ---------------------------------------------------------------------- pipes


def piped(monkeypatch, content):
    reading, writing = os.pipe()
    os.write(writing, content.encode())
    os.close(writing)
    monkeypatch.setattr(work, "STANDARD_INPUT_NUMBER", reading)


def test_a_table_comes_through_a_pipe(twin, monkeypatch):
    piped(monkeypatch, (HEADER + rows(30)).replace(",", ";"))
    told = push("-")
    assert told["items"] == 30
    assert told["columns"]["note"] == "text"
    assert twin.items[5].record["age"] == 25.0
    piped(monkeypatch, HEADER + rows(2, 40))
    assert push("-", "--format", "csv")["items"] == 2
    piped(monkeypatch, "")
    assert push("-")["items"] == 0
    piped(monkeypatch, "1 2:3\n")
    assert "is svmlight: give JSON lines, CSV, TSV, RIS or nbib" in complaint("push", "-", "--task", "desk")
    piped(monkeypatch, "x")
    assert "is npz: give JSON lines, CSV, TSV, RIS or nbib" in complaint(
        "push", "-", "--task", "desk", "--format", "npz"
    )


def test_rows_of_a_table_are_sent_as_they_come_if_the_task_knows_its_columns(twin, tmp_path, monkeypatch):
    file = tmp_path / "t.csv"
    file.write_text(HEADER + rows(20))
    push(file)
    reading, writing = os.pipe()
    monkeypatch.setattr(work, "STANDARD_INPUT_NUMBER", reading)
    told = []
    pushed = threading.Thread(target=lambda: told.append(push("-")))
    os.write(writing, HEADER.encode())
    pushed.start()
    for number in (1, 2):
        os.write(writing, rows(1, 50 + number).encode())
        began = time.monotonic()
        while len(twin.items) < 20 + number and time.monotonic() - began < 5:
            time.sleep(0.005)
        assert len(twin.items) == 20 + number
    os.close(writing)
    pushed.join()
    assert told[0]["items"] == 2
