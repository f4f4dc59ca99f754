"""Every reader against a naive reading, whatever the size of the chunks."""

import csv
import gzip
import io
import json
import pathlib
import pickle
import subprocess
import sys
import tracemalloc

import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest
import scipy.sparse as sp

from askance.data import Chunk, describe, hash_records, hash_texts, read, read_table
from askance.errors import DataError
from thinning import rest_slow

CHUNK_ROWS = [1, 3, 7, 1000]

NUMERIC = "width,label,height\n1.5,0,2\n,1,-3e2\n0.25,1,\n7,0,1\n"
NUMERIC_X = [[1.5, 2], [0, -300], [0.25, 0], [7, 1]]
MIXED = 'age,colour,class,note\n33,red,spam,"a ""b"", c"\n,blue,ham,"two\nlines"\n5,,ham,\n41,red,spam,x\n'
MIXED_RECORDS = [
    {"age": 33.0, "colour": "red", "note": 'a "b", c'},
    {"colour": "blue", "note": "two\nlines"},
    {"age": 5.0},
    {"age": 41.0, "colour": "red", "note": "x"},
]
MIXED_Y = ["spam", "ham", "ham", "spam"]
TEXTS = ["Free money now", "see you at six", "", "Ünïcode — naïve café", "money money"]
TEXT_Y = [1, -1, -1, 1, 1]
TEXT_LINES = "".join(
    json.dumps({"text": text, "label": label, "id": place}) + "\n"
    for place, (text, label) in enumerate(zip(TEXTS, TEXT_Y, strict=True))
)


def gathered(stream, chunk_rows=None):
    """All rows and labels of a stream, after checking what is promised of each chunk."""
    chunks = list(stream)
    progress = [chunk.progress for chunk in chunks]
    assert progress == sorted(progress)
    assert progress[0] > 0
    assert progress[-1] == 1
    for chunk in chunks:
        assert isinstance(chunk, Chunk)
        assert_well_formed(chunk.X)
        assert chunk.y is None or chunk.y.shape == (chunk.X.shape[0],)
    if chunk_rows is not None:
        assert all(chunk.X.shape[0] == chunk_rows for chunk in chunks[:-1])
    X = [chunk.X.toarray() if sp.issparse(chunk.X) and chunk.X.shape[1] < 100 else chunk.X for chunk in chunks]
    rows = sp.vstack(X, format="csr") if sp.issparse(X[0]) else np.concatenate(X)
    return rows, None if chunks[0].y is None else np.concatenate([chunk.y for chunk in chunks])


def assert_well_formed(X):
    assert X.dtype in (np.float32, np.float64)
    if sp.issparse(X):
        assert isinstance(X, sp.csr_array)
        assert X.indices.dtype == X.indptr.dtype == np.int32
        assert X.has_canonical_format
    else:
        assert X.flags.c_contiguous


def assert_same(ours, theirs):
    assert ours.shape == theirs.shape
    assert type(ours) is type(theirs) or not sp.issparse(theirs)
    assert abs(ours - theirs).max() == 0


def written(path, content):
    """A file, compressed if its name says so."""
    raw = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)
    return path


@pytest.fixture(params=["", ".gz"], ids=["plain", "gzip"])
def ending(request):
    return request.param


@pytest.mark.parametrize("chunk_rows", CHUNK_ROWS)
def test_numeric_table_is_dense(tmp_path, ending, chunk_rows):
    path = written(tmp_path / f"boxes.csv{ending}", NUMERIC)
    stream = read(path, chunk_rows=chunk_rows)
    assert stream.name == "boxes"
    X, y = gathered(stream, chunk_rows)
    assert_same(X, np.array(NUMERIC_X, np.float32))
    assert y.dtype == np.int64
    assert y.tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize("chunk_rows", CHUNK_ROWS)
def test_mixed_table_is_hashed_as_records(tmp_path, ending, chunk_rows):
    path = written(tmp_path / f"mixed.csv{ending}", MIXED)
    X, y = gathered(read(str(path), chunk_rows=chunk_rows, bits=16), chunk_rows)
    assert_same(X, hash_records(MIXED_RECORDS, 16))
    assert y.dtype.kind == "U"
    assert y.tolist() == MIXED_Y


@pytest.mark.parametrize("chunk_rows", CHUNK_ROWS)
def test_text_lines_are_hashed_as_text(tmp_path, ending, chunk_rows):
    path = written(tmp_path / f"messages.jsonl{ending}", TEXT_LINES)
    X, y = gathered(read(path, chunk_rows=chunk_rows, pairs=True), chunk_rows)
    assert_same(X, hash_texts(TEXTS, pairs=True))
    assert y.dtype == np.int64
    assert y.tolist() == TEXT_Y


def test_text_column_of_a_table(tmp_path):
    content = io.StringIO()
    csv.writer(content, delimiter="\t").writerows(
        [["id", "Target", "body"], *zip("abcde", TEXT_Y, TEXTS, strict=True)]
    )
    path = written(tmp_path / "messages.tsv", content.getvalue())
    X, y = gathered(read(path, text="body", dtype="float64"))
    assert_same(X, hash_texts(TEXTS, dtype="float64"))
    assert y.tolist() == TEXT_Y


def test_text_false_takes_a_text_as_one_category(tmp_path):
    path = written(tmp_path / "messages.jsonl", TEXT_LINES)
    X, _ = gathered(read(path, text=False, drop=["id"]))
    assert_same(X, hash_records([{"text": text} for text in TEXTS]))


@pytest.mark.parametrize("chunk_rows", CHUNK_ROWS)
def test_json_records(tmp_path, chunk_rows):
    records = [
        {"f": 3, "colour": "red", "tags": ["a", "b"], "deep": {"x": 1.5, "ok": True}, "zip": 8001},
        {"f": None, "tags": []},
        {"colour": "ünï", "new": -2.5, "zip": 8002},
        {},
    ]
    labels = [0.5, 1, 2, 3]
    lines = [json.dumps({**record, "y": label}) for record, label in zip(records, labels, strict=True)]
    path = written(tmp_path / "records.ndjson", "\n\n".join(lines))
    X, y = gathered(read(path, chunk_rows=chunk_rows, categories=["zip"]))
    as_categories = [{**record, "zip": str(record["zip"])} if "zip" in record else record for record in records]
    assert_same(X, hash_records(as_categories))
    assert y.dtype == np.float64
    assert y.tolist() == labels


def test_booleans_are_labels_too(tmp_path):
    path = written(tmp_path / "a.jsonl", '{"spam": true, "a": 1}\n{"spam": false, "a": 2}\n')
    _, y = gathered(read(path, label="spam"))
    assert y.dtype == bool
    assert y.tolist() == [True, False]


@pytest.mark.parametrize(("name", "content"), [("a.csv", NUMERIC), ("a.jsonl", TEXT_LINES)])
def test_without_labels_the_rows_are_the_same(tmp_path, name, content):
    path = written(tmp_path / name, content)
    labelled, _ = gathered(read(path))
    unlabelled, y = gathered(read(path, label=False))
    assert y is None
    assert_same(unlabelled, labelled)


def test_columns_can_be_dropped_or_taken_as_categories(tmp_path):
    path = written(tmp_path / "a.csv", "id,zip,label,size\n1,8001,0,2\n2,,1,3\n")
    X, _ = gathered(read(path, drop=["id"], categories=["zip"]))
    assert_same(X, hash_records([{"zip": "8001", "size": 2.0}, {"size": 3.0}]))


def test_labels_are_strings_unless_all_are_numbers(tmp_path):
    path = written(tmp_path / "a.csv", "a,label\n1,7\n2,7b\n")
    assert gathered(read(path, chunk_rows=1))[1].tolist() == ["7", "7b"]


def test_semicolons_byte_order_mark_and_odd_line_ends(tmp_path):
    path = written(tmp_path / "a.csv", "\ufeffa; b ;label\r\n\r\n1; 2;0\r\n3;4;1")
    X, y = gathered(read(path, delimiter=";"))
    assert X.tolist() == [[1, 2], [3, 4]]
    assert y.tolist() == [0, 1]


@pytest.mark.parametrize("chunk_rows", [10, 5000])
def test_columns_are_judged_by_the_same_rows_whatever_the_chunks(tmp_path, chunk_rows):
    """A word in row 500 makes the column one of categories, for rows 0..499 too."""
    cells = [str(row) for row in range(1500)]
    cells[500] = "word"
    path = written(tmp_path / "a.csv", "a,b,label\n" + "".join(f"{cell},1,0\n" for cell in cells))
    X, _ = gathered(read(path, chunk_rows=chunk_rows))
    assert_same(X, hash_records([{"a": cell, "b": 1.0} for cell in cells]))


@pytest.mark.parametrize("zero_based", rest_slow([False, True], [False]))
def test_svmlight_file(tmp_path, ending, zero_based):
    first = 0 if zero_based else 1
    path = written(tmp_path / f"a.svm{ending}", f"1 {first}:0.5 {first + 2}:2\n-1 {first + 1}:3\n")
    for source in (path, path.open("rb")):
        X, y = gathered(read(source, format="svmlight", zero_based=zero_based))
        assert X.tolist() == [[0.5, 0, 2], [0, 3, 0]]
        assert y.tolist() == [1, -1]
    source.close()
    assert gathered(read(path, label=False, zero_based=zero_based))[1] is None


def random_csr(rows=23, features=9):
    return sp.random_array(
        (rows, features), density=0.3, format="csr", dtype=np.float32, rng=np.random.default_rng(3)
    )


def saved_csr(path, X, **more):
    np.savez(path, data=X.data, indices=X.indices, indptr=X.indptr.astype(np.int64), shape=X.shape, **more)
    return path


@pytest.mark.parametrize("chunk_rows", CHUNK_ROWS)
def test_sparse_archive(tmp_path, chunk_rows):
    X = random_csr()
    y = np.arange(23, dtype=np.int16)
    path = saved_csr(tmp_path / "a.npz", X, y=y, other=-y)
    stream = read(path, chunk_rows=chunk_rows)
    assert stream.name == "a"
    rows, labels = gathered(stream, chunk_rows)
    assert_same(rows, X.toarray())
    assert labels.dtype == np.int64
    assert np.array_equal(labels, y)
    assert np.array_equal(gathered(read(path, label="other"))[1], -y)


def test_dense_archive_and_shuffling(tmp_path):
    X = np.arange(60.0).reshape(20, 3)
    np.savez_compressed(tmp_path / "a.npz", X=X, y=np.arange(20))
    assert_same(gathered(read(tmp_path / "a.npz"))[0], X.astype(np.float32))
    rows, labels = gathered(read(tmp_path / "a.npz", shuffle=True, random_state=7, chunk_rows=6))
    assert labels.tolist() != list(range(20))
    assert sorted(labels.tolist()) == list(range(20))
    assert_same(rows, X[labels].astype(np.float32))
    assert gathered(read(tmp_path / "a.npz", shuffle=True, random_state=7))[1].tolist() == labels.tolist()
    assert gathered(read(tmp_path / "a.npz", shuffle=True, random_state=8))[1].tolist() != labels.tolist()


def test_arrays_are_read_as_they_are_and_left_so():
    X = sp.csr_array(([1.0, 2.0, 3.0], [2, 0, 2], [0, 3, 3]), shape=(2, 3))
    rows, y = gathered(read(X, y=["a", "b"]))
    assert rows.tolist() == [[2, 0, 4], [0, 0, 0]]
    assert y.tolist() == ["a", "b"]
    assert X.indices.tolist() == [2, 0, 2]
    for other in (sp.csc_matrix(X), X.tocoo(), np.asfortranarray(X.toarray()), X.toarray().astype(int)):
        assert_same(gathered(read(other, label=False, chunk_rows=1))[0], rows)


FRAMES = {
    "pandas": pandas.DataFrame,
    "polars": polars.DataFrame,
    "pyarrow": pyarrow.table,
    "parquet": pyarrow.table,
}


@pytest.fixture(params=FRAMES)
def make_source(request, tmp_path):
    """Makes each kind of frame, and the Parquet file, from columns."""

    def make(columns):
        frame = FRAMES[request.param](columns)
        if request.param != "parquet":
            return frame
        pyarrow.parquet.write_table(frame, tmp_path / "frame.parquet", row_group_size=2)
        return tmp_path / "frame.parquet"

    return make


@pytest.mark.parametrize("chunk_rows", CHUNK_ROWS)
def test_frame_of_numbers_is_dense(make_source, chunk_rows):
    source = make_source({"a": [1, 2, 3], "label": [True, False, True], "b": [0.5, -1.0, 2.0]})
    X, y = gathered(read(source, chunk_rows=chunk_rows), chunk_rows if chunk_rows < 3 else None)
    assert_same(X, np.array([[1, 0.5], [2, -1], [3, 2]], np.float32))
    assert y.dtype == bool


@pytest.mark.parametrize("chunk_rows", CHUNK_ROWS)
def test_frame_of_anything_is_hashed(make_source, chunk_rows):
    columns = {
        "n": [1, 2, 3],
        "c": ["x", None, "z"],
        "flag": [True, False, True],
        "class": ["u", "v", "u"],
        "zip": [1, 2, 3],
    }
    X, y = gathered(read(make_source(columns), chunk_rows=chunk_rows, categories=["zip"]))
    records = [
        {
            name: str(cell) if name == "zip" else cell
            for name, cell in zip(columns, row, strict=True)
            if name != "class"
        }
        for row in zip(*columns.values(), strict=True)
    ]
    assert_same(X, hash_records(records))
    assert y.tolist() == ["u", "v", "u"]


def test_frame_with_a_text(make_source):
    X, y = gathered(read(make_source({"text": TEXTS, "label": TEXT_Y, "other": TEXT_Y})))
    assert_same(X, hash_texts(TEXTS))
    assert y.dtype == np.int64


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_frame_with_labels_apart_in_random_order(kind):
    frame = FRAMES[kind]({"a": np.arange(50), "b": np.arange(50) * 2})
    X, y = gathered(read(frame, y=np.arange(50), shuffle=True, random_state=1, chunk_rows=7))
    assert y.tolist() != list(range(50))
    assert_same(X, np.stack([y, 2 * y], axis=1).astype(np.float32))


def test_missing_numbers_of_frames_are_zero():
    nullable = pandas.DataFrame({"a": pandas.array([1, None], dtype="Int64"), "label": [0, 1]})
    usual = pandas.DataFrame({"a": [1.0, float("nan")], "label": [0, 1]})
    for frame in (nullable, usual, polars.DataFrame({"a": [1, None], "label": [0, 1]})):
        assert gathered(read(frame))[0].tolist() == [[1], [0]]
    with pytest.raises(DataError, match=r"row 1 \(from 0\), column 'a': nan is not a finite number"):
        list(read(polars.DataFrame({"a": [1.0, float("nan")], "label": [0, 1]})))  # these have nulls beside NaN


@pytest.mark.parametrize("word", ["", "NA", "?", "NaN", "n/a", "null", " None "])
def test_words_for_missing_values_do_not_make_categories_of_numbers(tmp_path, word):
    path = tmp_path / "a.csv"
    path.write_text(f"a,b,label\n1,{word},yes\n{word},-2.5,no\n3,4,NA\n", encoding="utf-8")
    X, y = gathered(read(path))
    assert X.tolist() == [[1, 0], [0, -2.5], [3, 4]]
    assert y.tolist() == ["yes", "no", "NA"], "a class may have this name"


def test_numbers_with_commas_are_numbers_of_a_typed_table(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('a,b,label\n"1,234",1,0\n"3,5",2,1\n', encoding="utf-8")
    assert {column.name: column.kind for column in read_table(path).columns} == {"a": "number", "b": "number"}
    assert next(iter(read_table(path))).X.tolist() == [[1.234, 1], [3.5, 2]]


def test_nested_columns_of_parquet(tmp_path):
    records = [{"tags": ["a", "b"], "at": {"x": 1.5}}, {"tags": None, "at": {"x": 2.0}}]
    table = pyarrow.Table.from_pylist([{**record, "label": 1} for record in records])
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    assert_same(gathered(read(tmp_path / "a.parquet"))[0], hash_records(records))


def test_streams_start_again_and_can_be_sent_to_other_processes(tmp_path):
    stream = read(written(tmp_path / "a.csv", MIXED), chunk_rows=2)
    first = next(iter(stream))  # given up after one chunk: the file must be closed
    again = next(iter(pickle.loads(pickle.dumps(stream))))
    assert_same(first.X, again.X)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.csv.gz", "a.jsonl.gz"])
def test_a_long_file_is_read_in_the_memory_of_a_chunk(tmp_path, name):
    line = "word" * 100
    row = json.dumps({"text": line, "label": 1}) if "jsonl" in name else f"{line},1"
    header = "" if "jsonl" in name else "text,label\n"
    path = written(tmp_path / name, header + (row + "\n") * 20_000)
    stream = read(path, chunk_rows=100)
    tracemalloc.start()
    try:
        rows = sum(chunk.X.shape[0] for chunk in stream)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert rows == 20_000
    assert peak < 2e6 < 20_000 * len(row)


def test_importing_and_reading_text_needs_no_other_library(tmp_path):
    path = written(tmp_path / "a.csv", MIXED)
    script = (
        "import sys; from askance.data import read; list(read(sys.argv[1])); "
        "print([name for name in ('pandas', 'polars', 'pyarrow', 'sklearn', 'numba') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_real_archive(data_directory):
    description = describe(read(data_directory / "a8a.npz"))
    assert description.rows == 22_696
    assert description.features == 123
    assert description.classes == {-1: 17_190, 1: 5_506}


def test_real_texts_have_the_words_of_the_counted_ones(data_directory):
    texts, y = gathered(read(data_directory / "sms_spam.jsonl.gz"))
    counts, labels = gathered(read(data_directory / "sms_spam.npz"))
    assert np.array_equal(y, labels)
    assert np.array_equal(np.diff(texts.indptr) == 0, np.diff(counts.indptr) == 0)
    lengths = np.sqrt((counts * counts).sum(axis=1))
    rescaled = np.sort(np.abs((texts * lengths[:, None]).tocsr()[[0]].data))
    assert np.allclose(rescaled, np.sort(counts[[0]].data))


@pytest.mark.parametrize("stored", ["float16", "float32", "float64"])
@pytest.mark.parametrize("wanted", ["float32", "float64"])
def test_numbers_of_any_length_are_read_as_those_wanted(tmp_path: pathlib.Path, stored: str, wanted: str) -> None:
    np.savez(tmp_path / "rows.npz", X=np.eye(3, dtype=stored), y=[0, 1, 1])
    chunk = next(iter(read(tmp_path / "rows.npz", dtype=wanted)))
    assert chunk.X.dtype == wanted
    assert np.array_equal(np.asarray(chunk.X), np.eye(3))
