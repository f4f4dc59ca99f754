"""The svmlight reader: the rows of its slow twin and of scikit-learn, and a sentence for whatever is wrong."""

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
import threading
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file

from askance.data import read
from askance.data.svmlight import read_svmlight
from askance.errors import DataError
from examples import examples
from svmlight_twin import blocks, check_against_twin, files, joined, numbers, same, twin

SMALL = b"+1 1:0.5 3:-2\n-1 2:1e1 # a note\n\n0 qid:4 7:.25"
LONG = b"".join(b"%d %d:0.25 %d:-1.5\n" % (i % 2, i % 90 + 1, i % 90 + 100) for i in range(3000))
SHORTER = LONG[: LONG.index(b"\n", 10_000) + 1]


def fault(content, **options):
    with pytest.raises(DataError) as caught:
        list(read_svmlight(io.BytesIO(content), **options))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_rows_of_a_small_file(tmp_path):
    path = tmp_path / "small.svm.gz"
    path.write_bytes(SMALL)
    stream = read_svmlight(path)
    (chunk,) = stream
    assert stream.name == "small"
    assert chunk.X.toarray().tolist() == [
        [0.5, 0, -2, 0, 0, 0, 0],
        [0, 10, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0.25],
    ]
    assert chunk.X.dtype == np.float32
    assert chunk.y.tolist() == [1, -1, 0]
    assert chunk.y.dtype == np.float64
    assert chunk.progress == 1


def test_iterating_again_starts_again():
    stream = read_svmlight(io.BytesIO(LONG), block_bytes=1000, threads=2)
    assert same(*joined(stream), *joined(stream))
    first = next(iter(stream))
    assert first.y[:2].tolist() == [0, 1]


def test_the_general_reader_finds_it(tmp_path):
    path = tmp_path / "small.libsvm"
    path.write_bytes(b"1 0:2\n")
    assert next(iter(read(path, zero_based=True, dtype="float64"))).X.toarray().tolist() == [[2.0]]


@given(files, blocks, st.sampled_from([1, 2]), st.sampled_from([np.float32, np.float64]))
@examples(100)
def test_same_rows_as_the_twin(content, block_bytes, threads, dtype):
    check_against_twin(content, dtype=dtype, block_bytes=block_bytes, threads=threads)


@given(files, blocks, st.sampled_from([np.float32, np.float64]))
@examples(50)
def test_same_rows_as_scikit_learn(content, block_bytes, dtype):
    content = b"1 1:1 40:2\n" + content  # scikit-learn takes files without any feature to have one
    X, y = load_svmlight_file(io.BytesIO(content), dtype=dtype, zero_based=False)
    assert same(*joined(read_svmlight(io.BytesIO(content), dtype=dtype, block_bytes=block_bytes)), X, y)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_chunks_never_change_the_rows(threads):
    X, y, _ = twin(LONG, np.float32, zero_based=False)
    for block_bytes in (1, 17, 1000, 1 << 20):
        assert same(*joined(read_svmlight(io.BytesIO(LONG), block_bytes=block_bytes, threads=threads)), X, y)


LINES = ["7 1:2 3:4", " 7 1:2 3:4", "1:2 3:4", " 1:2 3:4", "1,3\t1:2 3:4", "spam 1:2 3:4 # or 5:6", "1:2 3:4\r"]


@pytest.mark.parametrize("block_bytes", [1, 1 << 20])
def test_without_labels_lines_begin_with_anything(block_bytes):
    content = "# made by hand\n\n" + "\n".join(LINES) + "\n7\n1,3 # no features\n"
    stream = read_svmlight(io.BytesIO(content.encode()), labels=False, block_bytes=block_bytes, threads=2)
    chunks = list(stream)
    assert all(chunk.y is None for chunk in chunks)
    X = np.concatenate([np.pad(chunk.X.toarray(), ((0, 0), (0, 3 - chunk.X.shape[1]))) for chunk in chunks])
    np.testing.assert_array_equal(X, [[2, 0, 4]] * len(LINES) + [[0, 0, 0]] * 2)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [("spam", "the label 'spam'"), ("a,b,c", "'a,b,c' has several labels"), ("spam eggs 1:2", "the label 'spam'")],
)
def test_texts_are_not_rows_without_labels(line, sentence):
    with pytest.raises(DataError, match=f"line 2: {sentence}"):
        list(read_svmlight(io.BytesIO(f"1 1:2\n{line}\n".encode()), labels=False))


def test_zero_based():
    content = b"1 0:5 2:6\n"
    stream = read_svmlight(io.BytesIO(content), zero_based=True)
    assert next(iter(stream)).X.toarray().tolist() == [[5, 0, 6]]
    assert "'0:5' has the index 0" in (message := fault(content))
    assert "zero_based=True" in message


def test_largest_index():
    assert next(iter(read_svmlight(io.BytesIO(b"1 2147483647:1\n")))).X.shape == (1, 2**31 - 1)
    assert "larger than 2**31 - 1" in fault(b"1 2147483648:1\n")
    assert "larger than 2**31 - 1" in fault(b"1 2147483647:1\n", zero_based=True)
    assert "larger than 2**31 - 1" in fault(b"1 99999999999999999999999:1\n")


@given(st.lists(numbers, min_size=1, max_size=40))
@examples(60)
def test_numbers_are_the_nearest(tokens):
    check_numbers(tokens)


def check_numbers(tokens):
    content = b"".join(b"%s 1:%s\n" % (token, token) for token in tokens)
    X, y = joined(read_svmlight(io.BytesIO(content), dtype=np.float64))
    expected = np.array([float(token) for token in tokens])
    assert X.data.tobytes() == y.tobytes() == expected.tobytes()


HARD_NUMBERS = """
    0 -0 0.0 -0.000 0e9999 1e-9999 5e-324 2.4703282292062327e-324 2.2250738585072011e-308 1.7976931348623157e308
    9007199254740991 9007199254740992 9007199254740993 9007199254740995 9007199254740993.0000000000000000001
    1e22 1e23 8.5e22 123456789012345678 1234567890123456789 12345678901234567890 899999999999999999.9
    0.1 0.3 1.1 0.30000000000000004 0.299999999999999988897769753748 7.2057594037927945e16 1.0000000000000002
    4503599627370496.5 4503599627370497.5 2251799813685248.25 0.000000000000000000001 1e-22 1e-23 1e19 1e20
    9.999999 9.9999999 9.99999999 9.999999999999999 9.0071992547409919 0.1234567 -0.1234567 -0.12345678 0.12345678
    1234567.1234567 99999999 00000000000000000000000001 1.e5 .5e1 5.E-1 +.5 3.4028235e38 1e38
"""


def test_hard_numbers_are_the_nearest():
    check_numbers(HARD_NUMBERS.encode().split())


@pytest.mark.parametrize("style", ["%.1f", "%.7f", "%.8f", "%.15f", "%.16g", "%.17g", "%.18e", "%.25f", "%r"])
def test_many_numbers_are_the_nearest(style):
    random = np.random.default_rng(5)
    values = random.normal(size=2000) * 10.0 ** random.integers(-6, 6, 2000)
    check_numbers([(style % value).encode() for value in values.tolist()])


FAULTS = [
    (b"x 1:2", "the label 'x' is not a finite number"),
    (b"nan 1:2", "the label 'nan' is not a finite number"),
    (b"-inf", "the label '-inf' is not a finite number"),
    (b"1e999 1:2", "the label '1e999' is not a finite number"),
    (b"1,2 3:4", "'1,2' has several labels"),
    (b"1:2 3:4", "the label '1:2'"),
    (b"1 2", "'2' is not of the form index:value"),
    (b"1 :2", "':2' is not of the form"),
    (b"1 a:2", "'a:2' is not of the form"),
    (b"1 -3:2", "'-3:2' is not of the form"),
    (b"1 1:1 qid:3", "'qid:3' is not of the form"),
    (b"1 qid:x 1:1", "'qid:x' is not of the form"),
    (b"1 2:", "the value in '2:' is not a finite number"),
    (b"1 2:x", "the value in '2:x'"),
    (b"1 2:nan", "the value in '2:nan'"),
    (b"1 2:inf", "the value in '2:inf'"),
    (b"1 2:1e999", "'2:1e999' is too large for float32"),
    (b"1 2:1e39", "'2:1e39' is too large for float32"),
    (b"1 2:0.5e", "the value in '2:0.5e'"),
    (b"1 2:1e+", "the value in '2:1e+'"),
    (b"1 2:-", "the value in '2:-'"),
    (b"1 2:.", "the value in '2:.'"),
    (b"1 2:1_0", "the value in '2:1_0'"),
    (b"1 2:0x10", "the value in '2:0x10'"),
    (b"1 2:0.5,3:1", "the value in '2:0.5,3:1'"),
    (b"1 2:3:4", "the value in '2:3:4'"),
    (b"1 3:1 2:1", "the index in '2:1' does not exceed"),
    (b"1 3:1 3:1", "the index in '3:1' does not exceed"),
    (b"1 3:0.5 2:0.25", "the index in '2:0.25' does not exceed"),
    (b"1 0:1", "'0:1' has the index 0"),
    (b"1 2:1\r3:1", "a carriage return"),
    (b"1 2:1\x00", "is not"),
    (b"1 2:0.5\x00 3:1", "is not"),
    (b"\xff\xfe1 2:1", "the label"),
]


@pytest.mark.parametrize(("line", "sentence"), FAULTS)
def test_faults_say_the_line(line, sentence):
    good = b"1 1:0.5 # a note\n\n"
    for before in (0, 1, 200):
        message = fault(good * before + line + b"\n" + good, block_bytes=300, threads=2)
        assert message.startswith(f"the stream, line {2 * before + 1}: ")
        assert sentence in message
    assert sentence in fault(line)


def test_rows_before_the_block_at_fault_are_given():
    rows = []
    stream = read_svmlight(io.BytesIO(b"1 1:2\n" * 1000 + b"oops"), block_bytes=600, threads=2)
    with pytest.raises(DataError, match="line 1001:"):
        rows.extend(len(chunk.y) for chunk in stream)
    assert sum(rows) > 800


def test_long_tokens_are_shortened():
    assert len(fault(b"1 2:" + b"x" * 10_000)) < 200


@pytest.mark.parametrize("content", [b"", b"\n", b"# only a note", b" \t\r\n\n"])
def test_no_rows(content):
    assert "has no rows" in fault(content)


def test_rows_without_features():
    (chunk,) = read_svmlight(io.BytesIO(b"1\n-1"))
    assert chunk.X.shape == (2, 0)
    assert chunk.y.tolist() == [1, -1]


def test_missing_file_and_directory(tmp_path):
    with pytest.raises(DataError, match="there is no such file"):
        read_svmlight(tmp_path / "missing.svm")
    with pytest.raises(DataError, match="is a directory"):
        read_svmlight(str(tmp_path))
    vanishing = tmp_path / "a.svm"
    vanishing.write_bytes(SMALL)
    stream = read_svmlight(vanishing)
    vanishing.unlink()
    with pytest.raises(DataError, match="there is no such file"):
        list(stream)


@pytest.mark.parametrize(
    "options", [{"dtype": "int32"}, {"dtype": "number"}, {"threads": 0}, {"block_bytes": 0}, {"threads": 1.5}]
)
def test_meaningless_options(options):
    (name,) = options
    with pytest.raises(DataError, match=f"{name}="):
        read_svmlight(io.BytesIO(SMALL), **options)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_packed_files(tmp_path, pack):
    path = tmp_path / "packed"
    path.write_bytes(pack(LONG))
    X, y, _ = twin(LONG, np.float32, zero_based=False)
    assert same(*joined(read_svmlight(path, block_bytes=2000)), X, y)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_packed_files_cut_short(pack):
    packed = pack(LONG)
    message = fault(packed[: len(packed) // 2], block_bytes=2000)
    assert "damaged or cut off" in message
    assert ", line " in message


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SMALL)))
    assert sum(len(chunk.y) for chunk in read_svmlight("-")) == 3


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_pipe(pack):
    reading, writing = os.pipe()
    with open(reading, "rb") as pipe:
        stream = read_svmlight(pipe, block_bytes=500)
        with open(writing, "wb") as end:
            end.write(pack(SHORTER))
        chunks = list(stream)
        assert chunks[0].progress == 0
        assert chunks[-1].progress == 1
        with pytest.raises(DataError, match="a pipe can be read only once"):
            list(stream)


def test_files_that_give_little_at_a_time():
    class Slow(io.BytesIO):
        def readinto(self, room):
            return super().readinto(memoryview(room)[:7])

    X, y, _ = twin(SHORTER, np.float32, zero_based=False)
    assert same(*joined(read_svmlight(Slow(SHORTER), block_bytes=100)), X, y)


def test_files_that_fail():
    class Failing(io.BytesIO):
        def readinto(self, room):
            if self.tell() > 5000:
                raise OSError("the disk is gone")
            return super().readinto(memoryview(room)[:1000])

    with pytest.raises(DataError, match=r"line \d+: the data after this line .*the disk is gone"):
        list(read_svmlight(Failing(LONG), block_bytes=1000, threads=2))


def test_endless_lines_are_refused(monkeypatch):
    monkeypatch.setattr("askance.data.svmlight.LONGEST_LINE", 1 << 20)
    assert "line 2: is longer than 1 MiB" in fault(b"1 1:2\n" + b"0" * (3 << 20), block_bytes=1000)


def test_a_long_line_makes_a_block_by_itself():
    features = b" ".join(b"%d:0.5" % index for index in range(1, 20_000))
    content = b"1 1:2\n-1 " + features + b"\n1 3:4\n"
    check_against_twin(content, block_bytes=50, threads=2)


@pytest.mark.parametrize("stop", ["close", "fault"])
def test_nothing_is_left_behind(tmp_path, monkeypatch, stop):
    path = tmp_path / "long.svm"
    path.write_bytes(LONG + b"oops")
    opened = []
    original = Path.open
    monkeypatch.setattr(Path, "open", lambda *arguments: opened.append(original(*arguments)) or opened[-1])
    chunks = iter(read_svmlight(path, block_bytes=2000, threads=2))
    next(chunks)
    if stop == "close":
        chunks.close()
    else:
        with pytest.raises(DataError):
            list(chunks)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("svmlight")]
    assert all(file.closed for file in opened)
    assert len(opened) == 1


def test_constant_memory(tmp_path):
    path = tmp_path / "large.svm"
    path.write_bytes(LONG * 200)
    assert path.stat().st_size > 10_000_000
    stream = read_svmlight(path, block_bytes=1 << 16, threads=2)
    next(iter(stream))
    tracemalloc.start()
    try:
        rows = sum(len(chunk.y) for chunk in stream)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert rows == 600_000
    assert peak < 4_000_000


WITHOUT_COMPILER = """
import sys
from askance.data.svmlight import read_svmlight
for chunk in read_svmlight(sys.argv[1], dtype="float64", block_bytes=1000):
    print(chunk.X.data.tolist(), chunk.X.indices.tolist(), chunk.X.indptr.tolist(), chunk.y.tolist())
"""


def test_same_rows_with_the_compiler_off(tmp_path):
    path = tmp_path / "some.svm"
    hard = b"".join(b"%s 8:%s\n" % (number, number) for number in HARD_NUMBERS.encode().split())
    path.write_bytes(hard + SHORTER + SMALL)
    command = [sys.executable, "-W", "error", "-c", WITHOUT_COMPILER, str(path)]
    outputs = [
        subprocess.run(
            command, env=os.environ | {"NUMBA_DISABLE_JIT": off}, capture_output=True, text=True, check=True
        )
        for off in "01"
    ]
    assert outputs[0].stdout == outputs[1].stdout
    assert outputs[0].stdout.count("\n") > 1
