"""`-` in place of a file: `askance run`, `predict` and `evaluate` in a pipeline."""

import gzip
import json
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file

import streams
from askance.cli.contest import source
from askance.data.stream import Chunk
from askance.errors import DataError
from command_line import answer, complaint, mails, output, write_csv
from customer_table import write_customers
from thinning import rest_slow

ROWS = 300


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    """Several chunks, of which the first ones are looked at."""
    monkeypatch.setattr(source, "CHUNK_ROWS", 70)
    monkeypatch.setattr(source, "LOOKED_AT", 100)


def without_names(told):
    """What does not depend on where the rows came from, or on time."""
    return {key: value for key, value in told.items() if key not in ("file", "seconds", "written")}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The same rows in every text format."""
    folder, made = tmp_path_factory.mktemp("data"), streams.noisy(ROWS, 6)
    mails(folder / "d.csv", ROWS)
    lines = (folder / "d.csv").read_text().splitlines()
    (folder / "d.tsv").write_text("\n".join(lines).replace(",", "\t"))
    names = lines[0].split(",")
    objects = [dict(zip(names, line.split(","), strict=True)) for line in lines[1:]]
    records = [
        {name: value if name == "label" else float(value) for name, value in row.items()} for row in objects
    ]
    (folder / "d.jsonl").write_text("\n".join(map(json.dumps, records)))
    dump_svmlight_file(made.X, made.y, str(folder / "d.svm"), zero_based=False)
    (folder / "packed.csv").write_bytes(gzip.compress((folder / "d.csv").read_bytes()))
    return folder


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "name", rest_slow(["d.csv", "d.tsv", "d.jsonl", "d.svm", "packed.csv"], ["d.svm", "packed.csv"])
)
def test_a_pipe_gives_what_the_file_gives(files, tmp_path, name):
    path = files / name
    words = ("-a", "PAA-II", "--rate", 0.2, "--against", "random,full")
    by_file = answer("run", path, *words, "--save", tmp_path / "file.model")
    by_pipe = answer("run", "-", *words, "--save", tmp_path / "pipe.model", stdin=path.read_bytes())
    assert without_names(by_pipe) == without_names(by_file)
    assert (tmp_path / "pipe.model").read_bytes() == (tmp_path / "file.model").read_bytes()
    model, content = tmp_path / "pipe.model", path.read_bytes()
    assert output("predict", model, "-", stdin=content) == output("predict", model, path)
    judged = answer("evaluate", model, "-", stdin=content)
    assert judged["metrics"] == answer("evaluate", model, path)["metrics"]


def test_the_report_names_the_pipe(files):
    content = (files / "d.csv").read_bytes()
    assert output("run", "-", "-a", "PAA-II", stdin=content).startswith("standard input: spam (positive) or ham\n")


@pytest.mark.compiled
def test_raw_tables_from_a_pipe(tmp_path):
    path = write_customers(tmp_path / "c.csv", 500)
    words = ("--rate", 0.05, "--against", "random")
    by_file = answer("run", path, *words, "--save", tmp_path / "file.model")
    by_pipe = answer("run", "-", *words, "--save", tmp_path / "pipe.model", stdin=path.read_bytes())
    assert without_names(by_pipe) == without_names(by_file)
    assert (tmp_path / "pipe.model").read_bytes() == (tmp_path / "file.model").read_bytes()
    written = output("predict", tmp_path / "pipe.model", "-", "--keep", "customer", stdin=path.read_bytes())
    assert written == output("predict", tmp_path / "pipe.model", path, "--keep", "customer")
    resumed = answer("run", "-", "--resume", tmp_path / "pipe.model", stdin=path.read_bytes())
    assert resumed["methods"][0]["rows"] == 500


class Blocks:
    """A stream of sparse rows that become wider, once."""

    name = "blocks"

    def __init__(self, *widths):
        self.widths = widths

    def __iter__(self):
        for width in self.widths:
            yield Chunk(sp.csr_array(np.ones((1, width))), np.array([width % 2]), 0.0)


def test_sparse_rows_of_a_pipe_have_room_for_later_features(monkeypatch):
    """In a file, the last feature is known before the first row; in a pipe, it is not."""
    monkeypatch.setattr(source, "PIPE_WIDTH", 50)
    monkeypatch.setattr(source, "LOOKED_AT", 2)
    stream, classes = source.survey_pipe(Blocks(3, 4, 40), "0,1", "pipe", automatic=True)
    assert classes.values == [0, 1]
    chunks = list(stream)
    assert [chunk.X.shape for chunk in chunks] == [(1, 50)] * 3
    assert [chunk.X.nnz for chunk in chunks] == [3, 4, 40]
    stream, _ = source.survey_pipe(Blocks(3, 4, 900), "0,1", "pipe", automatic=True)
    with pytest.raises(
        DataError, match="pipe: has a feature 900, but in a pipe there is room for 50: save it to a"
    ):
        list(stream)
    stream, _ = source.survey_pipe(Blocks(3, 4, 900), "0,1", "pipe", automatic=False)
    assert [chunk.X.shape[1] for chunk in stream] == [3, 4, 900]


def test_classes_that_come_late_have_to_be_named(tmp_path):
    labels = ["a", "b"] * 100 + ["c"] * 5
    rows = write_csv(tmp_path / "d.csv", np.eye(5).repeat(41, axis=0), labels).read_bytes()
    said = complaint("run", "-", "-a", "MPAA-II", stdin=rows)
    assert said == (
        "standard input: a class did not appear in the first rows of the pipe: name all classes, for example "
        "--classes a,b,c"
    )
    told = answer("run", "-", "-a", "MPAA-II", "--classes", "a,b,c", stdin=rows)
    assert told["classes"] == ["a", "b", "c"]
    assert told["methods"][0]["rows"] == 205


def test_a_model_that_goes_on_takes_new_classes_from_a_file_alone(tmp_path):
    first = write_csv(tmp_path / "first.csv", np.eye(2).repeat(20, axis=0), ["a", "b"] * 20)
    later = write_csv(tmp_path / "later.csv", np.eye(2).repeat(30, axis=0), ["a", "b", "c"] * 20)
    output("run", first, "-a", "MPAA-II", "--save", tmp_path / "m")
    told = answer("run", later, "--resume", tmp_path / "m")
    assert (told["classes"], told["new_classes"]) == (["a", "b", "c"], ["c"])
    said = complaint("run", later, "-a", "MPAA-II", "--classes", "a,b", "--save", tmp_path / "other")
    assert said == f"{later}: unknown class 'c': the classes are 'a', 'b'"
    assert not (tmp_path / "other").exists()
    said = complaint("run", "-", "--resume", tmp_path / "m", stdin=later.read_bytes())
    assert said.startswith("standard input: unknown class 'c': the model knows 'a', 'b', and in a pipe")
    resumed = answer("run", "-", "--resume", tmp_path / "m", stdin=first.read_bytes())
    assert resumed["methods"] == answer("run", first, "--resume", tmp_path / "m")["methods"]


@pytest.mark.parametrize(
    ("words", "content", "said"),
    [
        (
            ["--shuffle", 3],
            b"x,label\n1,a\n",
            "--shuffle needs all rows before the first: save the pipe to a file",
        ),
        (["-a", "PAA-II", "--against", "random"], b"", "--against random reads the rows a second time"),
        (["-a", "PAA-II"], b"hello\n", "the first bytes do not show the format: pass --format one of"),
        (["-a", "PAA-II"], b"x,label\n1,a\n2,a\n", "standard input has only one class, 'a'"),
        (
            ["-a", "PAA-II"],
            b"x,label\n1,a\n2,b\n3,c\n",
            "standard input has more than two classes ('a', 'b', 'c')",
        ),
        (["-a", "PAA-II"], b"x,label\n1,a\n2\n", "standard input, line 3: has 1 cell but the header has 2"),
        (["-a", "PAA-II", "--format", "npz"], b"x", "standard input: npz is not read from a pipe"),
        (["-a", "PAA-II"], b'[{"x": 1}]', "standard input: is an array of JSON: write one object per line"),
    ],
)
def test_mistakes_get_one_line(words, content, said):
    assert said in complaint("run", "-", *words, stdin=content)


@pytest.mark.compiled
def test_other_readings_of_a_pipe_are_refused():
    said = complaint("run", "-", "--against", "PAA-II", stdin=b"x,label\n1,a\n2,b\n")
    assert said == "--against PAA-II reads the rows in another way, and a pipe can be read only once"


@pytest.mark.slow
def test_each_prediction_is_printed_before_the_next_row_is_written(files, tmp_path):
    """As with `tail -f file | askance predict model -`."""
    output("run", files / "d.csv", "-a", "PAA-II", "--save", tmp_path / "m")
    command = [sys.executable, "-m", "askance", "predict", str(tmp_path / "m"), "-"]
    header, *lines = (files / "d.csv").read_bytes().splitlines(keepends=True)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        process.stdin.write(header)
        for number, line in enumerate(lines[:3]):
            process.stdin.write(line)
            if not number:
                assert process.stdout.readline() == b"row,prediction,score,doubt\n"
            assert process.stdout.readline().startswith(b"%d," % number)
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.wait(60) == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["d.csv", "d.jsonl", "d.svm"])
def test_a_run_follows_a_pipe_that_grows(files, name):
    """As with `tail -f file | askance run -`: lines come in pieces, and nobody knows which is the last."""
    content = (files / name).read_bytes()
    words = ["-a", "PAA-II", "--classes", "-1,1" if name == "d.svm" else "ham,spam"]
    command = [sys.executable, "-m", "askance", "run", "-", *words, "--json"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        for start in range(0, len(content), 997):
            process.stdin.write(content[start : start + 997])
        assert process.poll() is None
        told = json.loads(process.communicate(timeout=120)[0])
    assert without_names(told) == without_names(answer("run", files / name, *words))
