"""The league: small runs of what compares methods at equal numbers of labels, and figures worked out by hand."""

import pathlib
import sys

import numpy as np
import pytest
import scipy.sparse as sp

from needs import missing
from paths import ROOT

sys.path.append(str(ROOT))  # the benchmark is not part of the package

from bench.league.__main__ import main, read
from bench.league.frequent import points
from bench.league.methods import METHODS, Method, run
from bench.league.outcome import Outcome, calibration_error, outcome, plain_outcome, spread
from bench.league.scripts import Questions, script
from bench.league.tasks import Task, budgets, made_up, task
from bench.league.terms import weighted

QUICK = ["--quick", "--orders", "1", "--budgets", "50"]


def test_a_quick_run_is_stored_and_goes_on(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = main([*QUICK, "--sets", "table", "--methods", "script"], tmp_path)
    both = main([*QUICK, "--methods", "auto", "script"], tmp_path)
    assert [(one["budget"], one["method"]) for one in first] == [("all", "all labels"), ("50", "script")]
    assert both[:2] == first
    assert [(one["set"], one["method"]) for one in both[2:]] == [
        ("table", "auto"),
        ("words", "all labels"),
        ("words", "auto"),
        ("words", "script"),
    ]
    asked = [one for one in both if one["budget"] == "50"]
    assert all(0.4 < one["stream"] <= 1 and 0.4 < one["held_out"] <= 1 and one["labels"] <= 50 for one in asked)
    assert "times cheaper" in capsys.readouterr().out
    left = main([*QUICK, "--sets", "table", "--methods", "script", "--again", "auto"], tmp_path)
    assert left == [one for one in both if one["method"] != "auto"] == read(tmp_path / "quick-league.jsonl")


@pytest.mark.slow
def test_processes_find_the_same(tmp_path: pathlib.Path) -> None:
    alone, together = (
        main([*QUICK, "--methods", "auto", "script", "--jobs", jobs], tmp_path / jobs) for jobs in ("1", "2")
    )
    assert [{**one, "seconds": 0} for one in alone] == [{**one, "seconds": 0} for one in together]
    assert together == read(tmp_path / "2" / "quick-league.jsonl")


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_every_method_keeps_the_budget(method: str) -> None:
    if not METHODS[method].is_installed:
        missing(f"{method} in the league", str(METHODS[method].package))
    (table, same), (words, topic) = made_up().values()
    streams = {
        "table": (table, same),
        "words": (words, topic % 2),
        "rare": (table, (table[:, 0] > 1.4).astype(int)),
    }
    tasks = [task(name, X, y, order=0) for name, (X, y) in streams.items()]
    taken = [one for one in tasks if METHODS[method].takes(one)]
    assert taken
    for one in taken:
        found = METHODS[method].run(one, 60, 0)
        assert 30 <= found.labels <= 60
        assert found.held_out > 0.4 or method == "OMCSL"  # which is after F


@pytest.mark.slow
@pytest.mark.parametrize("method", ["river", "activeml split", "activeml variable"])
def test_peers_learn_more_than_two_classes(method: str) -> None:
    if not METHODS[method].is_installed:
        missing(f"{method} in the league", str(METHODS[method].package))
    one = task("words", *made_up()["words"], order=0)
    found = METHODS[method].run(one, 200, 0)
    assert found.labels <= 200
    assert found.held_out > one.about()["larger_held"] + 0.05


def test_the_automatic_learner_keeps_a_budget_below_its_first_labels() -> None:
    one = task("table", *made_up()["table"], order=0)
    assert METHODS["auto"].run(one, 14, 0).labels == 14


@pytest.mark.parametrize("kind", ["table", "words"])
def test_scripts_wait_for_a_second_class(kind: str) -> None:
    X, _ = made_up()[kind]
    one = task(kind, X, np.zeros(600, np.int64), order=0)
    late = one._replace(y=(np.arange(len(one.y)) > 300).astype(np.int64))
    found = script(late, 50, 0)
    assert (found.labels, found.held_out) == (50, 1.0)  # the budget ends before the second class appears


def test_a_method_that_exceeds_the_budget_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    greedy = Method(lambda *_: Outcome(1.0, 1.0, 51, 0.0), "asks for one label too many")
    monkeypatch.setitem(METHODS, "greedy", greedy)  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="greedy asked for 51 labels on table, but may ask for 50"):
        run("greedy", task("table", *made_up()["table"], order=0), 50, 0)


def test_a_method_whose_package_is_missing_is_left_out(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(METHODS, "river", METHODS["river"]._replace(package="no_such_package"))  # type: ignore[arg-type]
    results = main([*QUICK, "--sets", "table", "--methods", "river"], tmp_path)
    assert [one["method"] for one in results] == ["all labels"]
    assert "left out: river (no_such_package is not installed)" in capsys.readouterr().err


@pytest.mark.parametrize("by_doubt", [True, False])
def test_questions_spend_the_budget_and_no_more(by_doubt: bool) -> None:
    questions = Questions(40, 500, 0, by_doubt=by_doubt)
    values = np.random.default_rng(1).random(500)
    asked = np.array([questions.asks(value) for value in values])
    assert asked.sum() == 40
    assert (values[asked].mean() < 0.2) == by_doubt


def test_streams_and_held_out_rows_are_apart() -> None:
    rows = np.arange(1000.0).reshape(-1, 1)
    for name in ("any", "elec2"):
        one = task(name, rows, np.zeros(1000, np.int64), order=1)
        assert len(one.y) == 700
        assert not set(one.X.ravel()) & set(one.X_held.ravel())
        assert (np.diff(one.X.ravel()) > 0).all() == (name == "elec2")
    many, classes = np.zeros((9000, 1)), np.zeros(9000, np.int64)
    assert [len(task(name, many, classes, order=0).y) for name in ("any", "any:long")] == [6000, 7000]
    assert budgets(700) == {"50": 50, "100": 100, "200": 200, "2%": 14, "5%": 35, "10%": 70, "1%": 12}


def test_a_stream_says_what_it_is() -> None:
    one = Task("any", np.zeros((5, 1)), np.array([0, 2, 2, 2, 0]), np.zeros((4, 1)), np.array([2, 0, 0, 1]))
    assert one.about() == {"is_table": True, "classes": 3, "larger": 0.6, "larger_held": 0.25}


def test_terms_are_weighted_by_the_rows_so_far() -> None:
    X = sp.csr_array(np.array([[1.0, 0.0, 2.0], [1.0, 3.0, 0.0]]))
    stream, held = (part.toarray() for part in weighted(X, X[:1]))
    first = np.array([1.0, 0.0, 1 + np.log(2)])  # every term occurred in the one row so far: idf 1
    second = np.array([1.0, (1 + np.log(3)) * (1 + np.log(3 / 2)), 0.0])
    last = np.array([1.0, 0.0, (1 + np.log(2)) * (1 + np.log(3 / 2))])
    np.testing.assert_allclose(stream, [first / np.linalg.norm(first), second / np.linalg.norm(second)])
    np.testing.assert_allclose(held, [last / np.linalg.norm(last)])


def test_outcomes_by_hand() -> None:
    sure, right = np.array([0.95, 0.95, 0.65, 0.65]), np.array([True, True, True, False])
    assert calibration_error(sure, right) == pytest.approx(0.5 * 0.05 + 0.5 * 0.15)
    chances = spread(np.array([[0.2, 0.8], [1.0, 0.0]]), [0, 2], 3)
    assert chances.tolist() == [[0.2, 0.0, 0.8], [1.0, 0.0, 0.0]]
    many = Task("any", np.zeros((2, 1)), np.array([1, 0]), np.zeros((2, 1)), np.array([2, 2]))
    found = outcome(many, np.array([1, 2]), chances, 5, 0.5)
    assert found[:4] == (0.5, 0.5, 5, 0.5)
    assert found.calibration_error == pytest.approx(0.5 * 0.2 + 0.5 * 1.0)
    assert found.f_stream is None
    two = Task("any", np.zeros((5, 1)), np.array([0, 0, 1, 0, 1]), np.zeros((2, 1)), np.array([0, 0]))
    found = plain_outcome(two, np.array([1, 0, 1, 0, 0]), np.array([0, 1]), 5, 0.5)
    assert (found.f_stream, found.f_held_out) == (0.5, 0.0)  # one of two found, one of two right; none to find


def test_the_most_frequent_class_so_far_is_predicted() -> None:
    y = np.repeat([1, 0], [10, 90])
    assert points(y, 10, order=0) == pytest.approx(100 * (0.09 - 0.9))  # knows nothing but the first ten labels
    assert points(y, 100, order=0) == pytest.approx(100 * (0.89 - 0.9))  # from row 20 on, both are as frequent
