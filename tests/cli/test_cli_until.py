"""`askance run --until`: stop when enough is certified, or when nearly all positives are found."""

import numpy as np
import pytest

from command_line import answer, complaint, output, write_csv

pytestmark = pytest.mark.compiled  # the models are too slow without machine code


@pytest.fixture(scope="module")
def rare(tmp_path_factory):
    """A table with 7 % of positives that are easy to tell. It has a category, so that its rows are mixed."""
    random = np.random.default_rng(0)
    lines = [
        f"{size:.3f},{country},{'fraud' if size > 1.5 else 'fine'}"
        for size, country in zip(random.normal(size=3000), random.choice(["PT", "NO"], 3000), strict=True)
    ]
    path = tmp_path_factory.mktemp("until") / "rare.csv"
    path.write_text("\n".join(["size,country,label", *lines]))
    return path


def test_a_run_stops_when_enough_is_certified(rare):
    told = answer("run", rare, "--until", "error=0.05,share=0.6", "--against", "random,PAA-II")
    found = told["certificate"]
    assert (told["stopped"], found["certified"], found["error"]) == (True, True, 0.05)
    assert found["share"] >= 0.6
    rows = {method["rows"] for method in told["methods"]}
    assert len(rows) == 1, "all methods see the same rows"
    assert rows.pop() < 3000
    assert any(note.startswith("Stopped after ") for note in told["notes"])


def test_a_file_may_end_before(rare):
    told = answer("run", rare, "--until", "error=0.001")
    assert told["stopped"] is False
    assert "The file ended after 3,000 rows, before that was reached." in told["notes"]


def test_nearly_all_positives_are_found_without_reading_everything(rare, tmp_path):
    plot = tmp_path / "found.png"
    told = answer("run", rare, "--until", "recall=0.9", "--plot", plot)
    assert (told["positive"], told["rows"], told["done"]) == ("fraud", 3000, True)
    assert told["recall"]["true"] >= told["recall"]["at_least"] >= 0.9
    assert told["read"] < 1500
    assert plot.read_bytes().startswith(b"\x89PNG")
    said = " ".join(output("run", rare, "--until", "recall=0.9", "--limit", 100).split())
    assert "rare.csv: looking for class fraud in 3,000 rows Read 100 rows (3%)" in said
    assert "--limit ended it before 90% were certain." in said


def test_one_of_many_classes_is_found(tmp_path):
    X = np.random.default_rng(1).normal(size=(600, 2))
    path = write_csv(tmp_path / "three.csv", X, np.digitize(X[:, 0], [-1.0, 1.0]))
    wanted = ("run", path, "--until", "recall=0.9")
    assert "three.csv has 3 classes: name the one to find with --positive" in complaint(*wanted)
    told = answer(*wanted, "--positive", "2")
    assert told["positive"] == 2
    assert told["recall"]["true"] >= 0.9


def test_a_file_without_positives_is_read_to_its_end(tmp_path):
    X = np.random.default_rng(1).normal(size=(60, 2))
    path = write_csv(tmp_path / "none.csv", X, np.zeros(60, int))
    wanted = ("run", path, "--until", "recall=0.9", "--classes", "0,1", "--positive", "1")
    told = answer(*wanted, "--plot", tmp_path / "none.png")
    assert (told["read"], told["found"], told["recall"]["true"]) == (60, 0, None)
    said = " ".join(output(*wanted).split())
    assert "Read 60 rows (100%), 60 of them drawn at random, and found 0 of class 1." in said
    assert "All rows were read: there are none." in said
    assert "Nothing is known about how many there are." in output(*wanted, "--limit", 20)


def test_all_positives_may_be_wanted(tmp_path):
    X = np.random.default_rng(1).normal(size=(60, 2))
    path = write_csv(tmp_path / "few.csv", X, np.arange(60) < 10)
    told = answer("run", path, "--until", "recall=1")
    assert (told["done"], told["read"], told["recall"]["true"]) == (True, 60, 1.0)
    said = output("run", path, "--until", "recall=1", "--limit", 59)
    assert "Read 59 rows (98%)" in said


def test_a_pipe_is_no_pool():
    assert "--until recall needs all rows: save the pipe to a file" in complaint(
        "run", "-", "--until", "recall=0.9"
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--until", "recall=95"], "'recall=95': recall must be more than 0 and at most 1"),
        (["--until", "95%"], "'95%': give recall=0.95, error=0.02,share=0.7, or accuracy=0.95"),
        (["--until", "share=0.5"], "give recall=0.95, error=0.02,share=0.7, or accuracy=0.95"),
        (["--until", "recall=0.9,error=0.1"], "give recall=0.95, error=0.02,share=0.7, or accuracy=0.95"),
        (["--until", "error=2%"], "'2%' is not a share: for 2 percent, write 0.02"),
        (["--until", "error=0.1,error=0.2"], "give recall=0.95"),
        (
            ["--until", "error=0.1", "--certify", "0.1"],
            "--until says itself what is to be certain: remove --certify",
        ),
        (["--until", "error=0.1", "-a", "PAA-II"], "--until is for the automatic learner"),
        (["--until", "recall=0.9", "--rate", "0.1"], "in an order of its own: remove --rate"),
        (["--until", "recall=0.9", "--metric", "f"], "--until recall shows the recall: remove --metric"),
        (["--until", "recall=0.9", "--labels-out", "x.csv"], "in an order of its own: remove --labels-out"),
        (["--until", "recall=0.9", "--param", "audit=0.2"], "--until recall has no parameters: remove --param"),
        (
            ["--until", "recall=0.9", "--positive", "theft"],
            "--positive must be one of 'fine', 'fraud', not 'theft'",
        ),
    ],
)
def test_what_cannot_be_done_is_said(rare, options, words):
    assert words in complaint("run", rare, *options)
