"""Pipes: standard input and named pipes, in every text format, once, and as lines arrive."""

import gzip
import io
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import askance
from askance.data import add_reading, read, read_for_model, read_table
from askance.data.files import ArrivingLines, TextLines, is_pipe
from askance.data.svmlight import read_svmlight
from askance.errors import DataError
from customer_table import write_customers

pytestmark = pytest.mark.plain


@pytest.fixture
def standard_input(monkeypatch):
    """A function that sets what comes from standard input."""

    def give(content):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return give


def gathered(stream):
    chunks = list(stream)
    rows = [chunk.X.toarray() if hasattr(chunk.X, "toarray") else np.asarray(chunk.X) for chunk in chunks]
    return np.concatenate(rows), np.concatenate([chunk.y for chunk in chunks]).tolist()


CONTENTS = {
    "csv": b"x,z,label\n1,2,a\n3,4,b\n",
    "tsv": b"x\tz\tlabel\n1\t2\ta\n3\t4\tb\n",
    "jsonl": b'{"x": 1, "z": 2, "label": "a"}\n{"x": 3, "z": 4, "label": "b"}\n',
    "svmlight": b"0 1:1 2:2\n1 1:3 2:4\n",
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("kind", CONTENTS)
def test_a_pipe_is_read_like_a_file(standard_input, tmp_path, kind, named, packed):
    content = gzip.compress(CONTENTS[kind]) if packed else CONTENTS[kind]
    path = tmp_path / f"a.{kind}"
    path.write_bytes(content)
    standard_input(content)
    rows, labels = gathered(read("-", format=kind if named else None))
    expected, its_labels = gathered(read(path))
    assert np.array_equal(rows, expected)
    assert labels == its_labels


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_kinds_of_columns_are_found_in_a_pipe(standard_input, tmp_path, kind):
    path = write_customers(tmp_path / "a.csv", 1500)
    if kind == "jsonl":
        import pandas

        frame = pandas.read_csv(path)
        path = tmp_path / "a.jsonl"
        frame.to_json(path, orient="records", lines=True)
    standard_input(path.read_bytes())
    table, expected = read_table("-", chunk_rows=400), read_table(path, chunk_rows=400)
    assert table.columns == expected.columns
    found = list(table)
    assert np.array_equal(
        np.concatenate([chunk.X.dense for chunk in found]), np.concatenate([chunk.X.dense for chunk in expected])
    )
    with pytest.raises(DataError, match="standard input: can be read only once: save it to a file first"):
        list(table)


@pytest.mark.parametrize("delimiter", [",", ";", "|"])
def test_the_delimiter_of_a_packed_pipe_is_that_of_its_header(standard_input, delimiter):
    """It was looked for in the compressed bytes, whose time stamp may look like any delimiter."""
    content = CONTENTS["csv"].replace(b",", delimiter.encode())
    for stamp in (b",,,,", b";;;;", b"||||"):
        packed = gzip.compress(content, mtime=int.from_bytes(stamp, "little"))
        assert stamp in packed
        for reader in (read, read_table):
            standard_input(packed)
            rows, labels = gathered(reader("-", format="csv"))
            assert rows.shape == (2, 2)
            assert labels == ["a", "b"]


def test_a_semicolon_is_found_in_a_pipe(standard_input):
    standard_input(b"x;z;label\n1,5;2;a\n3;4;b\n")
    assert [column.name for column in read_table("-").columns] == ["x", "z"]


@pytest.mark.parametrize(
    ("content", "options", "said"),
    [
        (b"", {}, "standard input: the first bytes do not show the format: pass format= one of 'csv', 'jsonl'"),
        (b"hello\n", {}, "standard input: the first bytes do not show the format"),
        (b"PAR1 and so on", {}, "standard input: parquet is not read from a pipe: save it to a file"),
        (b"x", {"format": "npz"}, "standard input: npz is not read from a pipe"),
        (b"x,label\n1,a\n2\n", {}, "standard input, line 3: has 1 cell but the header has 2"),
        (b'{"x": 1, "label": 1}\n{"x"\n', {}, "standard input, line 2: is not JSON"),
    ],
)
def test_what_is_wrong_with_a_pipe_is_said(standard_input, content, options, said):
    standard_input(content)
    with pytest.raises(DataError, match=said):
        list(read("-", **options))


def test_named_pipes_are_pipes(tmp_path):
    """As from `<(zcat file)` in a shell."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    assert is_pipe(path)
    assert not is_pipe(tmp_path)
    for _ in range(2):
        writer = threading.Thread(target=lambda: path.write_bytes(CONTENTS["csv"]))
        writer.start()
        assert gathered(read(path))[1] == ["a", "b"]
        writer.join()


# ---------------------------------------------------------------------- as they arrive


class Slow(io.RawIOBase):
    """A pipe into which the pieces come one after the other; `given` is how many were taken."""

    def __init__(self, *pieces):
        self.pieces, self.given = list(pieces), 0

    def readable(self):
        return True

    def readinto(self, room):
        if self.given == len(self.pieces):
            return 0
        piece = self.pieces[self.given]
        room[: len(piece)] = piece
        self.given += 1
        return len(piece)


def slow_lines(*pieces):
    pipe = Slow(*pieces)
    return pipe, TextLines("pipe", io.BufferedReader(pipe), prompt=True)


def test_lines_come_when_they_are_complete():
    pipe, lines = slow_lines(b"one\ntw", b"o\nthree\n", b"four")
    found = [(line, pipe.given) for line in lines]
    assert found == [("one\n", 1), ("two\n", 2), ("three\n", 2), ("four", 3)]


def test_a_batch_ends_where_waiting_begins():
    _, lines = slow_lines(b"a\nb\nc\nd", b"\ne\n", b"f\n")
    assert list(lines.batches(iter(lines), 2)) == [["a\n", "b\n"], ["c\n"], ["d\n", "e\n"], ["f\n"]]


def test_a_line_without_end_is_cut_at_the_limit():
    lines = ArrivingLines(io.BufferedReader(Slow(*[b"x" * 100] * 50)))
    assert len(lines.readline(1000)) <= 1000


def predicted_from(monkeypatch, model, pipe):
    """The number of pieces of a pipe that were taken when each portion of rows came."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(pipe)))
    return [(portion.X.shape[0], pipe.given) for portion in read_for_model(model, "-").portions()]


def model_of(tmp_path, kind):
    path = tmp_path / f"a.{kind}"
    path.write_bytes(CONTENTS[kind])
    stream = read(path)
    learner = askance.make("PAA-II")
    learner.run(stream)
    learner.save(tmp_path / "m")
    add_reading(tmp_path / "m", stream)
    return tmp_path / "m"


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_rows_for_a_model_come_as_they_arrive(monkeypatch, tmp_path, kind):
    model = model_of(tmp_path, kind)
    *head, last = CONTENTS[kind].splitlines(keepends=True)
    pipe = Slow(b"".join(head), last, last + last[:3], last[3:])
    assert predicted_from(monkeypatch, model, pipe) == [(1, 1), (1, 2), (1, 3), (1, 4)]


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "svmlight"])
def test_a_row_is_there_before_the_next_is_written(monkeypatch, tmp_path, kind):
    """A reader that waits for more would wait for ever: then the future runs out of time."""
    model = model_of(tmp_path, kind)
    *head, last = CONTENTS[kind].splitlines(keepends=True)
    reading, writing = os.pipe()
    given, pipe = os.fdopen(reading), os.fdopen(writing, "wb", buffering=0)
    monkeypatch.setattr(sys, "stdin", given)
    with ThreadPoolExecutor(1) as pool, given, pipe:
        pipe.write(b"".join(head))
        portions = iter(read_for_model(model, "-").portions())
        for _ in range(3):
            assert pool.submit(next, portions).result(timeout=60).X.shape[0] == 1
            pipe.write(last)
        pipe.close()
        assert len(list(portions)) == 1


def test_blocks_of_svmlight_wait_for_a_whole_line():
    pipe = Slow(b"1 1:2 ", b"2:3\n-1 ", b"1:1\n", b"1 7:1")
    stream = read_svmlight(io.BufferedReader(pipe), prompt=True, threads=1)
    assert [len(chunk.y) for chunk in stream] == [1, 1, 1]
