"""`askance run --bound`: what the theorems promise, beside what came of it."""

import numpy as np
import pytest

import askance
import streams
from command_line import answer, complaint, mails, output, write_csv

ROWS = 2500  # more than a chunk


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return mails(tmp_path_factory.mktemp("data") / "mails.csv", ROWS)


@pytest.fixture(scope="module")
def arrays():
    made = streams.noisy(ROWS, 6)
    return made.X, np.where(made.y > 0, "spam", "ham")


def test_the_sentence(data):
    told = " ".join(output("run", data, "-a", "PAA-II", "--bound").split())
    assert "By theorem 3 of Lu, Zhao, Hoi 2016, PAA-II's expected mistakes are at most " in told
    assert " were made" in told


def test_the_figures_are_those_of_the_library(data, arrays):
    words = ("--param", "C=0.3", "--param", "delta=2", "--seed", 4, "--dtype", "float64")
    (said,) = answer("run", data, "-a", "PAA-II", "--bound", *words)["bounds"]
    trace = askance.make("PAA-II", C=0.3, delta=2.0, random_state=4, dtype="float64").run(*arrays)
    bound = askance.theory.evaluate("PAA-II", *arrays, trace=trace, C=0.3, delta=2.0)
    assert said == bound.as_dict()
    assert said["observed"] == (trace.predictions != arrays[1]).sum()
    assert said["applies"]
    assert said["holds"]


def test_without_the_option_there_are_none(data):
    assert answer("run", data, "-a", "PAA-II")["bounds"] == []
    assert "theorem" not in output("run", data, "-a", "PAA-II")


def test_methods_beside_it_that_have_a_theorem_get_their_own(data):
    said = answer("run", data, "--bound", "-a", "SEL-P", "--against", "PAA-I,random,full,RPE,PA", "--param", "b=2")
    assert [method["name"] for method in said["methods"]] == ["SEL-P", "random", "PAA-I", "full", "RPE", "PA"]
    assert [bound["name"] for bound in said["bounds"]] == ["SEL-P", "PAA-I", "PA"]
    by_name = {bound["name"]: bound for bound in said["bounds"]}
    assert by_name["SEL-P"]["parameters"] == {"b": 2.0, "gamma": 1.0}
    assert by_name["PA"]["quantity"] == "sum of squared losses"
    mistakes = {method["name"]: method["metrics"]["mistakes"] for method in said["methods"]}
    assert by_name["SEL-P"]["observed"] == mistakes["SEL-P"]
    assert by_name["PAA-I"]["observed"] == mistakes["PAA-I"]


def test_a_condition_that_fails_is_told(data):
    told = " ".join(output("run", data, "-a", "PAA-II", "--bound", "--param", "delta=0.1").split())
    assert "would be at most" in told
    assert "But the theorem does not apply: “δ ≥ 1” does not hold (δ = 0.1)." in told
    (said,) = answer("run", data, "--bound", "-a", "PAA")["bounds"]
    assert not said["applies"]
    assert said["conditions"][0]["demand"] == "the comparator has a margin of 1 on all rows"


@pytest.mark.slow
def test_many_classes(tmp_path):
    made = streams.several(rows=300)
    data = write_csv(tmp_path / "d.csv", made.X, np.array(["a", "b", "c", "d"])[made.y])
    (said,) = answer("run", data, "-a", "MPAA-II", "--bound")["bounds"]
    assert said["name"] == "MPAA-II"
    assert said["applies"]
    assert said["holds"]


@pytest.mark.slow
def test_sparse_rows_that_become_wider(tmp_path):
    """A svmlight file shows its features as they come, so later chunks are wider."""
    rng = np.random.default_rng(0)
    lines = []
    for row in range(2500):
        features = sorted(rng.choice(np.arange(1, 20 + row // 50), 5, replace=False))
        label = 1 if features[0] % 2 else -1
        lines.append(f"{label:+d} " + " ".join(f"{feature}:{rng.uniform(0.5, 1):.3f}" for feature in features))
    data = tmp_path / "d.svm"
    data.write_text("\n".join(lines) + "\n")
    (said,) = answer("run", data, "-a", "PAA-II", "--bound")["bounds"]
    assert said["applies"]
    assert said["holds"]


def test_with_a_trace_kept_and_rows_shuffled(data, tmp_path):
    words = ("run", data, "-a", "PAA-II", "--shuffle", 7, "--bound", "--trace", tmp_path / "t.parquet")
    (said,) = answer(*words)["bounds"]
    assert said["applies"]
    assert (tmp_path / "t.parquet").is_file()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-a", "RPA-II"], "askance has no mistake bound for RPA-II: it asks at random"),
        (["-a", "MPE"], "askance has no mistake bound for MPE: none of the implemented theorems"),
        ([], "--bound needs an algorithm that has a theorem: choose one, for example -a PAA-II"),
        (["-a", "auto"], "--bound needs an algorithm that has a theorem"),
        (["-a", "PAA-II", "--rate", "0.1"], "--bound needs an algorithm that asks as in its paper: remove --rate"),
        (["-a", "PAA-II", "--limit", "9"], "--bound needs an algorithm that asks as in its paper: remove --limit"),
        (["--resume", "m"], "--bound needs an algorithm that starts from scratch: remove --resume"),
    ],
)
def test_one_line_for_a_mistake_before_the_work(tmp_path, words, said):
    """The file is not even there."""
    assert complaint("run", tmp_path / "none.csv", "--bound", *words).startswith(said)


def test_the_help_says_that_rows_are_kept_in_memory():
    told = " ".join(output("run", "--help").replace("│", " ").split())
    assert "Keeps all rows in memory" in told
