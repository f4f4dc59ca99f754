"""Damaged input gives a DataError or a valid stream, never anything else."""

import csv
import gzip
import io
import json

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from askance.data import MixedRows, hash_records, read, read_table
from askance.errors import DataError
from examples import scaled

CSV = b'age,colour,label,note\n33,red,spam,"a ""b"", c"\n,blue,ham,"two\nlines"\n5,,ham,\n41,red,spam,x\n'
NUMBERS = b"a,b,label\n1,2.5,0\n-3e2,,1\n.5,7,1\n"
JSONL = b"".join(
    json.dumps(record).encode() + b"\n"
    for record in [
        {"f": 3, "colour": "red", "tags": ["a", "b"], "label": 1},
        {"f": -1.5, "deep": {"x": [1, 2], "ok": True}, "label": 0},
        {"none": None, "label": 1},
    ]
)
TEXT = b'{"text": "free money", "label": "spam"}\n{"text": "see you", "label": "ham"}\n'


def archive(save, **arrays):
    content = io.BytesIO()
    save(content, **arrays)
    return content.getvalue()


CSR = {"data": [1.0, 2.0, 3.0], "indices": [0, 2, 1], "indptr": [0, 2, 2, 3], "shape": [3, 3], "y": [0, 1, 1]}
SPARSE = archive(np.savez, **CSR)
PACKED = archive(np.savez_compressed, X=np.arange(6.0).reshape(3, 2), y=["a", "b", "a"])
PARQUET = io.BytesIO()
pyarrow.parquet.write_table(
    pyarrow.table({"n": [1, None, 3] * 5, "c": ["x", "y", "x"] * 5, "label": [0, 1, 2] * 5}),
    PARQUET,
    row_group_size=4,
)
SEEDS = [
    ("a.csv", CSV),
    ("a.csv", NUMBERS),
    ("a.csv.gz", gzip.compress(CSV, mtime=0)),
    ("a.jsonl", JSONL),
    ("a.jsonl", TEXT),
    ("a.jsonl.gz", gzip.compress(TEXT, mtime=0)),
    ("a.npz", SPARSE),
    ("a.npz", PACKED),
    ("a.parquet", PARQUET.getvalue()),
]

quick = settings(
    max_examples=scaled(300), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
soak = settings(quick, max_examples=20_000)


@st.composite
def damaged(draw):
    """A file with some bytes changed, taken out or put in, or cut off."""
    name, content = draw(st.sampled_from(SEEDS))
    raw = bytearray(content)
    for _ in range(draw(st.integers(0, 6))):
        place = draw(st.integers(0, len(raw)))
        match draw(st.sampled_from(["cut", "change", "remove", "insert", "repeat"])):
            case "cut":
                del raw[place:]
            case "change":
                raw[place : place + 1] = draw(st.binary(min_size=1, max_size=1))
            case "remove":
                del raw[place : place + draw(st.integers(1, 8))]
            case "insert":
                raw[place:place] = draw(
                    st.binary(max_size=8) | st.sampled_from([b'"', b",", b"\n", b"[", b"nan", b"\0"])
                )
            case "repeat":
                raw += raw[place:]
    return name, bytes(raw)


def check_gives_a_fault_or_rows(directory, name, content, reader=read):
    path = directory / name
    path.write_bytes(content)
    chunks, message = [], None
    try:
        chunks.extend(reader(path, chunk_rows=2))
    except DataError as fault:
        message = str(fault)
    if message is None:
        assert chunks
    else:
        assert name in message
        assert "\n" not in message
    for X, y, progress, _ids in chunks:
        assert X.shape[0] == len(y) > 0
        for part in X if isinstance(X, MixedRows) else [X]:
            assert part.shape[0] == len(y)
            assert np.isfinite(part.data if sp.issparse(part) else part).all()
            assert not sp.issparse(part) or part.has_canonical_format
        assert 0 < progress <= 1


@quick
@given(damaged())
def test_damaged_files(tmp_path, case):
    check_gives_a_fault_or_rows(tmp_path, *case)


@pytest.mark.soak
@soak
@given(damaged())
def test_damaged_files_long(tmp_path, case):
    check_gives_a_fault_or_rows(tmp_path, *case)


@quick
@given(damaged())
def test_damaged_tables_by_kind(tmp_path, case):
    check_gives_a_fault_or_rows(tmp_path, *case, read_table)


@pytest.mark.soak
@soak
@given(damaged())
def test_damaged_tables_by_kind_long(tmp_path, case):
    check_gives_a_fault_or_rows(tmp_path, *case, read_table)


file_names = st.sampled_from(["a.csv", "a.tsv", "a.jsonl", "a.npz", "a.csv.gz"])
headed = st.builds(
    bytes.__add__, st.sampled_from([b"", b"a,label\n", b'{"label": 1}\n', b"PK\x03\x04"]), st.binary()
)


@quick
@given(file_names, headed)
def test_junk(tmp_path, name, content):
    check_gives_a_fault_or_rows(tmp_path, name, content)


@quick
@given(file_names, headed)
def test_junk_by_kind(tmp_path, name, content):
    check_gives_a_fault_or_rows(tmp_path, name, content, read_table)


@pytest.mark.soak
@soak
@given(file_names, headed)
def test_junk_long(tmp_path, name, content):
    check_gives_a_fault_or_rows(tmp_path, name, content)


cells = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6).map(str.lstrip)
numbers = st.floats(-1e30, 1e30).map(repr) | st.integers(-(10**6), 10**6).map(str) | st.just("")


def check_table(directory, rows, chunk_rows):
    """What Python's csv module writes is read back as it was, cell by cell."""
    content = io.StringIO()
    csv.writer(content).writerows([["number", "word", "label"], *rows])
    (directory / "a.csv").write_text(content.getvalue(), encoding="utf-8", newline="")
    chunks = list(read(directory / "a.csv", chunk_rows=chunk_rows, categories=["word"], dtype="float64"))
    records = [{"number": float(number or 0), "word": word or None} for number, word, _ in rows]
    found = sp.vstack([chunk.X for chunk in chunks])
    assert abs(found - hash_records(records, dtype="float64")).max() == 0
    assert np.concatenate([chunk.y for chunk in chunks]).tolist() == [label for _, _, label in rows]


tables = st.lists(st.tuples(numbers, cells, st.integers(-5, 5)), min_size=1, max_size=12)


@quick
@given(tables, st.integers(1, 5))
def test_tables_are_read_as_written(tmp_path, rows, chunk_rows):
    check_table(tmp_path, rows, chunk_rows)


@pytest.mark.soak
@soak
@given(tables, st.integers(1, 5))
def test_tables_are_read_as_written_long(tmp_path, rows, chunk_rows):
    check_table(tmp_path, rows, chunk_rows)
