"""`askance sweep` and `askance reproduce`, as a newcomer would call them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from askance.algorithms import catalog
from askance.experiments.papers import PAPERS, reproduce, tables_of
from askance.experiments.papers.report import markdown
from askance.experiments.papers.sweep_table import SweepTable
from command_line import complaint, output

PLAN = """
data = ["toy.csv"]
algorithms = ["PAA-II", "RPA-II", "PA-II"]
rates = [0.1, 0.3]
permutations = 2
tuning = 2
[grid]
C = [0.1, 1.0]
"""


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = X.sum(axis=1) + rng.normal(size=120) > 0
    rows = [",".join(f"{x:.3f}" for x in row) + f",{label}" for row, label in zip(X, y, strict=True)]
    (tmp_path / "toy.csv").write_text("a,b,c,label\n" + "\n".join(rows) + "\n")
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    return path


@pytest.mark.slow
def test_a_plan_becomes_tables_and_pictures(plan: Path) -> None:
    told = output("sweep", plan, "--backend", "sequential")
    assert "PAA-II" in told
    assert "all labels" in told
    files = {path.name for path in (plan.parent / "plan").iterdir()}
    assert {"tables.md", "tables.html", "labels.png", "times.png", "results.parquet", "parts"} <= files
    assert "PAA-II" in (plan.parent / "plan" / "tables.md").read_text()
    again = json.loads(output("sweep", plan, "--backend", "sequential", "--out", "plan", "--json"))
    assert len(again["results"]) == 2 * (2 + 2 + 1)
    assert {row["algorithm"] for row in again["results"]} == {"PAA-II", "RPA-II", "PA-II"}


def test_a_plan_may_name_the_label_of_a_file(plan: Path) -> None:
    text = (plan.parent / "toy.csv").read_text().replace("label", "queue")
    (plan.parent / "toy.csv").write_text(text)
    plan.write_text(
        PLAN.replace('"toy.csv"', '{file = "toy.csv", label = "queue", drop = ["c"], name = "tickets"}')
    )
    found = json.loads(output("sweep", plan, "--backend", "sequential", "--json"))
    assert {row["data"] for row in found["results"]} == {"tickets"}
    plan.write_text(PLAN.replace('"toy.csv"', '{file = "toy.csv", labels = "queue"}'))
    assert "unknown key 'labels': use file, name, label" in complaint("sweep", plan)
    plan.write_text(PLAN.replace('"toy.csv"', '{label = "queue"}'))
    assert 'write {file = "mails.csv", label = "folder"}' in complaint("sweep", plan)


def test_a_plan_may_scale_columns(plan: Path) -> None:
    lines = (plan.parent / "toy.csv").read_text().splitlines()
    uneven = [f"{float(line.split(',')[0]) * 1e6}," + line.split(",", 1)[1] for line in lines[1:]]
    (plan.parent / "toy.csv").write_text("\n".join([lines[0], *uneven]))
    plan.write_text('scaling = "standard"\nintercept = 1.0\nmetric = "accuracy"\n' + PLAN)
    assert "most frequent class" in output("sweep", plan, "--backend", "sequential")


@pytest.mark.slow
def test_the_positive_class_is_named(plan: Path) -> None:
    """One row in ten is a fraud, and its F is what settings are chosen by."""
    lines = (plan.parent / "toy.csv").read_text().splitlines()
    few = [line.rpartition(",")[0] + (",fraud" if n % 10 == 0 else ",ok") for n, line in enumerate(lines[1:])]
    (plan.parent / "toy.csv").write_text("\n".join([lines[0], *few]))
    words = ("sweep", plan, "--backend", "sequential", "--quick")
    assert "toy: F of 'fraud'" in output(*words)
    found = {}
    for positive in ("fraud", "ok"):
        told = json.loads(output(*words, "--positive", positive, "--json"))
        assert told["positive"] == {"toy": positive}
        found[positive] = {row["true_positives"] + row["false_negatives"] for row in told["results"]}
    assert found == {"fraud": {12}, "ok": {108}}
    assert complaint(*words, "--positive", "no") == "--positive must be one of 'fraud', 'ok', not 'no'"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("algorithms = []", "algorithms is missing"),
        ('algorithms = ["PAA-IV"]', "no algorithm 'PAA-IV'"),
        ('data = ["nowhere.csv"]', "nowhere.csv"),
        ("data = 5", "data must be a list of files"),
        ("rates = [0.0]", "greater than 0"),
        ("rates = 2", "at most 1"),
        ('metric = "beauty"', "no metric 'beauty'"),
        ('scaling = "robust"', "scaling must be None, 'standard' or 'tfidf'"),
        ("colour = 1", "unknown key 'colour'"),
        ("permutations = 0", "permutations must be"),
        ("rates = [", "is not valid TOML"),
    ],
)
def test_bad_plans_get_one_line(plan: Path, change: str, says: str) -> None:
    kept = [line for line in PLAN.splitlines() if line.split(" =")[0] != change.split(" =")[0]]
    plan.write_text("\n".join([change, *kept]))
    assert says in complaint("sweep", plan, "--backend", "sequential")
    assert not (plan.parent / "plan" / "results.parquet").exists()


def test_a_plan_that_is_not_there(tmp_path: Path) -> None:
    assert "No such file" in complaint("sweep", tmp_path / "none.toml")


# ---------------------------------------------------------------------- the papers


def test_what_the_papers_tables_name_is_there() -> None:
    for tables in PAPERS.values():
        for table in (one for one in tables if isinstance(one, SweepTable)):
            for given in table.algorithms.values():
                assert (given if isinstance(given, str) else given[0]) in catalog
            named = {name for pair in table.orderings for name in pair}
            assert named <= set(table.algorithms)
            for by_algorithm in table.published.values():
                assert set(by_algorithm) <= set(table.algorithms)
                for values in by_algorithm.values():
                    assert len(values) <= len(table.rates or (1.0,))
                    assert all(value is None or 1 < value < 100 for value in values)
            assert set(table.published) <= {*table.data, "usps", "mnist", "webkb_course"}


def made(name: str = "x") -> SweepTable:
    return SweepTable(
        paper="made",
        name=name,
        title="made up",
        data={"a8a": ("a8a", None), "w8a": ("w8a", None)},
        algorithms={"PAA-II": "PAA-II", "RPA-II": "RPA-II", "PA-II": "PA-II"},
        rates=(0.1, 0.3),
        metric="f",
        permutations=2,
        orderings=(("PAA-II", "RPA-II"), ("PA-II", "RPA-II")),
        grid={"C": (0.1, 1.0)},
        published={"a8a": {"PAA-II": (90.0, None)}},
    )


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A small file that has the name of a data set, and another that is missing."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 6)).astype("float32")
    y = np.where(X @ rng.normal(size=6) + rng.normal(size=150) > 0, 1, -1).astype("int16")
    indptr = np.arange(0, X.size + 1, 6)
    indices = np.tile(np.arange(6, dtype="int32"), 150)
    np.savez(tmp_path / "a8a.npz", data=X.ravel(), indices=indices, indptr=indptr, shape=np.array(X.shape), y=y)
    monkeypatch.setenv("ASKANCE_DATA", str(tmp_path))
    monkeypatch.setenv("ASKANCE_CACHE", str(tmp_path / "cache"))
    return reproduce(made(), backend="sequential")


@pytest.mark.slow
def test_a_table_done_again(found: Any) -> None:
    assert list(found.missing) == ["w8a"]
    figures = found.table.compare_values(found.results)
    at_ten = {line.algorithm: line for line in figures if line.rate == 0.1}
    assert at_ten["PAA-II"].published == 90.0
    assert at_ten["PAA-II"].difference == pytest.approx(at_ten["PAA-II"].ours - 90)
    assert at_ten["RPA-II"].published is None
    assert at_ten["PAA-II"].low < at_ten["PAA-II"].ours < at_ten["PAA-II"].high
    held = found.table.check_orderings(found.results)
    assert {(one.better, one.rate) for one in held} >= {("PAA-II", 0.1), ("PAA-II", 0.3), ("PA-II", 0.1)}
    means = {(c.algorithm, c.rate): c.mean for c in found.results.summary("f")}
    for one in held:
        other = means.get((one.better, one.rate), means.get((one.better, 1.0)))
        assert one.holds == (other > means[one.worse, one.rate])
        assert one.low <= one.lead <= one.high
        assert one.is_sure == (one.low > 0 or one.high < 0)
    text = markdown(found)
    assert "| a8a | PAA-II | " in text
    assert "- w8a: " in text


def test_reproduce_without_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASKANCE_DATA", str(tmp_path))
    monkeypatch.setenv("ASKANCE_CACHE", str(tmp_path / "cache"))
    told = output("reproduce", "cesabianchi2006", "rates", "--quick")
    assert "Left out" in told
    assert (tmp_path / "reproduced" / "cesabianchi2006" / "rates" / "report.md").exists()
    assert "unknown paper 'lu2015'" in complaint("reproduce", "lu2015")
    assert "has no table '99'" in complaint("reproduce", "lu2016", "99")
    assert len(tables_of("lu2016")) > 1
