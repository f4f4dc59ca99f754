"""What is wrong with a source is said in one sentence that names the place and the remedy."""

import gzip
import io
import sys

import numpy as np
import pandas
import pytest
import scipy.sparse as sp

from askance.data import read
from askance.errors import DataError

GOOD_CSV = "a,label\n1,0\n2,1\n"
MANY = "a,label\n" + "1,0\n" * 1000  # enough rows to settle that the column is numeric


def archive(**arrays):
    content = io.BytesIO()
    np.savez(content, **arrays)
    return content.getvalue()


def csr(**changes):
    arrays = {"data": [1.0, 2.0], "indices": [0, 2], "indptr": [0, 1, 2], "shape": [2, 3], "y": [0, 1], **changes}
    return archive(**{key: np.array(value) for key, value in arrays.items() if value is not None})


FILES = [
    ("a.csv", b"", {}, ["is empty"]),
    ("a.csv", b"\n\n", {}, ["no rows below the header"]),
    ("a.csv", b"a,label\n", {}, ["no rows below the header"]),
    (
        "a.csv",
        b"a,b\n1,2\n",
        {},
        ["line 1: no label field", "'label', 'y', 'class', 'target'", "'a', 'b'", "name it with label="],
    ),
    ("a.csv", GOOD_CSV, {"label": "z"}, ["no label field 'z'; there are 'a', 'label'"]),
    ("a.csv", GOOD_CSV, {"text": "z"}, ["no text field 'z'"]),
    ("a.csv", GOOD_CSV, {"drop": ["z"]}, ["no column 'z'"]),
    ("a.csv", GOOD_CSV, {"drop": ["a"]}, ["no feature columns are left"]),
    ("a.csv", GOOD_CSV, {"drop": "a"}, ["drop=['a']"]),
    ("a.csv", b"a,a,label\n1,2,0\n", {}, ["two columns have the name 'a'"]),
    ("a.csv", b",a,label\n1,2,0\n", {}, ["column 1 has no name", "drop=['']"]),
    (
        "a.csv",
        b"a,label\n1,0\n1,2,3\n",
        {},
        ["line 3: has 3 cells but the header has 2: quote cells that hold ','"],
    ),
    (
        "a.csv",
        b'a,b,label\n"x\ny",1,0\n\n1\n',
        {},
        ["line 5: has 1 cell but the header has 3: add the missing ones, which may be empty"],
    ),
    ("a.csv", b'a,label\n1,0\n"open,1\n', {}, ["line 3: is not well-formed CSV"]),
    ("a.csv", b'a,label\n"1"2,0\n', {}, ["line 2: is not well-formed CSV"]),
    ("a.csv", b"a,label\n1,0\ninf,1\n", {}, ["line 3, column 'a': inf is not a finite number"]),
    ("a.csv", b"a,b,label\n1,x,0\n-Inf,y,1\n", {}, ["line 3, column 'a': -inf is not a finite number"]),
    ("a.csv", b"a,label\n1e39,0\n", {}, ["line 2, column 'a': 1e+39 is too large for float32", "dtype='float64'"]),
    ("a.csv", MANY + "red,0\n", {}, ["line 1002, column 'a': 'red' is not a number", "categories="]),
    ("a.csv", MANY + "1_0,0\n", {}, ["line 1002, column 'a': '1_0' is not a number"]),
    ("a.csv", b"a,label\n1,0\n2,\n", {}, ["line 3: the label is missing"]),
    (
        "a.csv",
        MANY + "2,spam\n",
        {},
        ["line 1002: the label 'spam' is a string, but those before it are numbers"],
    ),
    ("a.csv", b"a,label\n1,nan\n", {}, ["line 2: the label nan is not a finite number"]),
    ("a.csv", b"a,label\n1," + b"9" * 30 + b"\n", {}, ["line 2 and following: a label is too large for int64"]),
    ("a.csv", b"a,label\n1,0\n\xff,1\n", {}, ["line 3: byte 1 is not UTF-8", "iconv"]),
    ("a.csv", b"a,label\n1,\x000\n", {}, ["line 2: has a zero byte"]),
    ("a.csv", "a,label\n1,0\n".encode("utf-16"), {}, ["a.csv: is UTF-16: convert it to UTF-8, for example with"]),
    ("a.csv", b"\xfe\xff" + "a,label\n1,0\n".encode("utf-16-be"), {}, ["a.csv: is UTF-16"]),
    ("a.csv", b"a;label\n1;0\n", {"delimiter": ";;"}, ["delimiter=';;'"]),
    ("a.csv.gz", gzip.compress(GOOD_CSV.encode() * 50, mtime=0)[:-9], {}, ["damaged or cut off"]),
    ("a.csv.gz", b"\x1f\x8b\x08junk junk junk", {}, ["after line 0", "damaged or cut off"]),
    ("a.jsonl", b"  \n\n", {}, ["has only blank lines"]),
    ("a.jsonl", b'{"label": 1}\n{"label": \n', {}, ["line 2: is not JSON"]),
    ("a.jsonl", b'{"label": 1}\n\n[1]\n', {}, ["line 3: is [1], not an object"]),
    ("a.jsonl", b'{"label": 1, "a": NaN}\n', {}, ["line 1: is not JSON", "NaN"]),
    ("a.jsonl", b'{"label": 1, "a": 1e999}\n', {}, ["line 1, 'a': inf is not a finite number"]),
    ("a.jsonl", b'{"label": 1, "a": ' + b"9" * 400 + b"}\n", {}, ["line 1, 'a'", "too large"]),
    ("a.jsonl", b'{"label": 1, "a": ' + b"9" * 5000 + b"}\n", {}, ["line 1: is not JSON"]),
    ("a.jsonl", b'{"label": 1, "a": ' + b"[" * 100_000 + b"\n", {}, ["line 1: is not JSON"]),
    ("a.jsonl", b'{"label": 1, "a": ' + b"[" * 50 + b"]" * 50 + b"}\n", {}, ["line 1, 'a", "nested deeper"]),
    (
        "a.jsonl",
        b'{"a": 1}\n',
        {},
        ["line 1: no label field: looked for 'label', 'y', 'class', 'target' among 'a'"],
    ),
    ("a.jsonl", b'{"a": 1, "y": 1}\n{"a": 1}\n', {}, ["line 2: there is no key 'y' among 'a'"]),
    ("a.jsonl", b'{"a": 1, "y": 1}\n{"a": 1, "y": null}\n', {}, ["line 2: the label is missing"]),
    ("a.jsonl", b'{"a": 1, "y": ["b"]}\n', {}, ["line 1: the label ['b'] is not a number, string or boolean"]),
    ("a.jsonl", b'{"a": 1, "y": 1}\n{"a": 1, "y": true}\n', {}, ["line 2: the label True is a boolean"]),
    ("a.jsonl", b'{"text": "a", "y": 1}\n{"y": 1}\n', {}, ["line 2: there is no key 'text'"]),
    ("a.jsonl", b'{"text": "a", "y": 1}\n{"text": 3, "y": 1}\n', {}, ["line 2: the text is 3"]),
    ("a.npz", b"junk", {}, ["is not a NumPy archive"]),
    ("a.npz", csr()[:-30], {}, ["is not a NumPy archive"]),
    ("a.npz", csr(y=None), {}, ["no array 'y' among", "label="]),
    ("a.npz", csr(), {"label": "z"}, ["no array 'z'"]),
    ("a.npz", csr(indptr=None), {}, ["no array 'indptr'"]),
    ("a.npz", csr(indptr=[0, 2, 1]), {}, ["'indptr' goes from 0 to 1"]),
    ("a.npz", csr(indptr=[0, 3, 2]), {}, ["'indptr' decreases after row 1"]),
    ("a.npz", csr(indptr=[0, 2]), {}, ["'indptr' has 2 entries"]),
    ("a.npz", csr(indptr=[0.0, 1.0, 2.0]), {}, ["'indptr' is an array of float64"]),
    ("a.npz", csr(indices=[0, 3]), {}, ["'indices' go from 0 to 3, outside the 3 features"]),
    ("a.npz", csr(indices=[-1, 2]), {}, ["'indices' go from -1"]),
    ("a.npz", csr(indices=[0]), {}, ["'data' has 2 entries but 'indices' has 1"]),
    ("a.npz", csr(data=[1.0, float("inf")]), {}, ["row 1, column 2 (from 0): inf is not a finite number"]),
    ("a.npz", csr(data=["a", "b"]), {}, ["'data' is an array of <U1"]),
    ("a.npz", csr(shape=[2]), {}, ["'shape' is not two whole numbers"]),
    ("a.npz", csr(shape=[2, 2**40]), {}, ["more than 2**31 - 1"]),
    ("a.npz", csr(shape=[0, 3], indptr=[0], indices=[], data=[], y=[]), {}, ["'indices' is an array of float64"]),
    ("a.npz", csr(format=b"csc"), {}, ["format b'csc'"]),
    ("a.npz", csr(y=[1]), {}, ["labels have the shape (1,) for 2 rows"]),
    ("a.npz", archive(X=np.zeros((0, 3)), y=np.zeros(0)), {}, ["has 0 rows"]),
    ("a.npz", archive(X=np.zeros(3), y=np.zeros(3)), {}, ["has 1 dimension"]),
    ("a.npz", archive(X=np.array([[1.0, np.nan]]), y=[0]), {}, ["row 0, column 1 (from 0): nan"]),
    ("a.parquet", b"junk", {}, ["is not a Parquet file"]),
    (
        "a.xyz",
        b"1",
        {},
        ["unrecognised file extension", "'csv', 'jsonl', 'nbib', 'npz', 'parquet', 'ris', 'svmlight', 'tsv'"],
    ),
    ("noending", b"1", {}, ["unrecognised file extension"]),
    ("a.csv", GOOD_CSV, {"format": "excel"}, ["format='excel'"]),
    ("a.csv", GOOD_CSV, {"shuffle": True}, ["shuffle needs all rows in memory"]),
    ("a.csv", GOOD_CSV, {"zero_based": True}, ["zero_based has no effect for csv"]),
    ("a.csv", GOOD_CSV, {"y": [1, 2]}, ["y has no effect for csv"]),
    ("a.csv", GOOD_CSV, {"chunk_rows": 0}, ["chunk_rows=0"]),
    ("a.csv", GOOD_CSV, {"bits": 40}, ["bits=40"]),
    ("a.csv", GOOD_CSV, {"dtype": "int8"}, ["dtype='int8'"]),
    ("a.npz", csr(), {"shuffle": True, "random_state": -1}, ["random_state=-1"]),
    ("a.npz", csr(), {"shuffle": 7}, ["shuffle=7: give True or False, and the seed as random_state"]),
    ("a.csv", GOOD_CSV, {"random_state": 7}, ["random_state has no effect for csv"]),
]


@pytest.mark.parametrize(("name", "content", "options", "says"), FILES)
def test_faults_of_files(tmp_path, name, content, options, says):
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(DataError) as fault:
        list(read(path, **options))
    message = str(fault.value)
    assert "\n" not in message
    assert len(message) < 600
    assert all(part in message for part in says), message
    assert options or str(path) in message


SOURCES = [
    (lambda: read("nowhere/a.csv"), "nowhere/a.csv: there is no such file"),
    (lambda: read("a\0.csv"), "cannot be opened"),
    (lambda: read(io.BytesIO(b"1"), format="csv"), "only svmlight is read from an open file"),
    (lambda: read(3), "a int cannot be read"),
    (lambda: read(np.ones((2, 2)), format="csv", y=[0, 1]), "only a file has a format"),
    (lambda: read(np.ones((2, 2))), "give y, or set label=False"),
    (lambda: read(np.ones((2, 2)), y=[0, 1, 2]), "labels have the shape (3,) for 2 rows"),
    (lambda: read(np.ones((2, 2)), y=[0, np.nan]), "row 1 (from 0): the label nan"),
    (
        lambda: read(np.ones((2, 2)), y=np.array([1, "a"], dtype=object)),
        "row 1 (from 0): the label 'a' is a string",
    ),
    (lambda: read(np.ones((2, 2)), y=np.array([b"a", b"b"])), "labels have the type |S1"),
    (lambda: read(np.array([["a"]]), y=[0]), "values of type <U1"),
    (lambda: read(np.ones((2, 2)), y=[0, 1], label="a"), "label has no effect for array"),
    (lambda: read(pandas.DataFrame({"a": [1]}), y=[0], label="a"), "both y and label"),
    (lambda: read(np.ones((2, 2)), y=[0, 1], text="a"), "text has no effect for array"),
    (lambda: read(sp.csr_array([[1.0, np.nan]]), y=[0]), "row 0, column 1 (from 0): nan"),
    (lambda: read(sp.csr_array([[1 + 2j]]), y=[0]), "values of type complex128"),
    (lambda: read(pandas.DataFrame({"a": [1]})), "no label field"),
    (lambda: read(pandas.DataFrame({"a": [], "label": []})), "has no rows"),
    (lambda: read(pandas.DataFrame({"a": [1], "label": [None]})), "row 0 (from 0): the label is missing"),
]


@pytest.mark.parametrize(("call", "says"), SOURCES)
def test_faults_of_other_sources(call, says):
    with pytest.raises(DataError) as fault:
        list(call())
    assert says in str(fault.value)
    assert "\n" not in str(fault.value)


def test_a_matrix_that_points_nowhere_is_refused():
    X = sp.csr_array([[1.0, 2.0]])
    X.indices[1] = 9
    with pytest.raises(DataError, match="inconsistent"):
        read(X, y=[0])


def test_a_directory_is_refused(tmp_path):
    with pytest.raises(DataError, match="is a directory: give the path of one file in it"):
        read(tmp_path)


def test_a_line_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("askance.data.files.LONGEST_LINE", 100)
    (tmp_path / "a.jsonl").write_bytes(b'{"label": 1}\n' + b" " * 101)
    with pytest.raises(DataError, match="line 2: longer than"):
        list(read(tmp_path / "a.jsonl"))


def test_parquet_asks_for_pyarrow_by_name(tmp_path, monkeypatch):
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DataError, match=r"^Parquet needs pyarrow: pip install 'askance\[parquet\]'$"):
        read(tmp_path / "a.parquet")


def test_rows_before_a_fault_are_given(tmp_path):
    (tmp_path / "a.csv").write_text(MANY + "red,0\n")
    stream = iter(read(tmp_path / "a.csv", chunk_rows=500))
    assert [next(stream).X.shape[0] for _ in range(2)] == [500, 500]
    with pytest.raises(DataError):
        next(stream)
