"""`askance reproduce yan2017`: splits, what is measured on them, and what the report says."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import average_precision_score, f1_score, roc_auc_score

import askance
from askance.algorithms import catalog, parts_of
from askance.experiments.papers import PAPERS, label_saving, reproduce, splits, yan2017
from askance.experiments.papers.label_saving import SavingPlan, queries_at, run_saving, true_measures
from askance.experiments.papers.report import markdown
from askance.experiments.papers.splits import Entrant, SplitPlan, prepared, run_splits, split, started, values_of
from askance.experiments.scoring import MEASURES, score_predictions
from askance.experiments.store import Store
from askance.learners.omcsl import OMCSL
from askance.rules.query import Always, Random
from command_line import complaint, output

PLAN = SplitPlan(splits=3, tuning=2, random_state=4, points=4)
SETTINGS = ({"eta": 0.1}, {"eta": 1.0}, {"eta": 10.0})
MANY = Entrant("OMCSL-h", "OMCSL-F-h", ("F",), SETTINGS)
ONE = Entrant("OCS2-h", "OCS2-h", ("F", "AUROC"), SETTINGS)


def made(rows: int = 300, random_state: int = 0) -> tuple[Any, Any]:
    """Rows of three features, of which about one in ten is positive."""
    rng = np.random.default_rng(random_state)
    X = rng.normal(size=(rows, 3)).astype("float32")
    return sp.csr_array(X), np.where(X.sum(axis=1) + rng.normal(size=rows) > 2.5, 1, -1)


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return run_splits({"toy": made()}, (MANY, ONE), PLAN, backend="sequential")


# ---------------------------------------------------------------------- splits


def test_a_split_takes_every_row_once_and_is_the_same_for_everybody() -> None:
    X, _ = made()
    y = np.where(np.arange(X.shape[0]) % 7 == 0, 1, -1)
    data = prepared("toy", sp.csr_array(np.arange(1.0, len(y) + 1)[:, None]), y)
    part, again, other = split(data, 0, 3), split(data, 0, 3), split(data, 0, 4)
    numbers = np.concatenate([part.X[:, 0], part.test_X[:, 0]])
    assert len(part.y) == 240
    assert sorted(numbers.tolist()) == list(range(1, 301))
    assert np.array_equal(y[numbers.astype(int) - 1], np.concatenate([part.y, part.test_y]))
    assert np.array_equal(part.X, again.X)
    assert np.array_equal(part.coins, again.coins)
    assert not np.array_equal(part.X, other.X)
    assert (part.X[:, 1] == 1).all()  # the constant feature
    assert (part.test_X[:, 1] == 1).all()


def test_splits_for_tuning_are_never_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def watched(data: Any, random_state: int, number: int) -> Any:
        seen.append(number)
        return split(data, random_state, number)

    monkeypatch.setattr(splits, "split", watched)
    data = prepared("toy", *made())
    chosen = splits.tuned(PLAN, ONE, data, Store(None))
    assert seen == [3, 4]
    assert len(chosen) == 2
    seen.clear()
    found = splits.run_entrant(PLAN, ONE, data, Store(None))
    assert seen == [3, 4, 0, 1, 2]
    assert {row["split"] for row in found} == {0, 1, 2}


@pytest.mark.slow
def test_every_entrant_has_a_row_for_each_measure_and_split(rows: list[dict[str, Any]]) -> None:
    told = [(row["algorithm"], row["measure"], row["split"]) for row in rows]
    measures = (("OMCSL-h", "F"), ("OCS2-h", "F"), ("OCS2-h", "AUROC"))
    assert sorted(told) == sorted((*pair, number) for pair in measures for number in range(3))
    assert {row["positives"] for row in rows} == {int((made()[1] > 0).sum())}
    assert {row["features"] for row in rows} == {3}


def by_hand(entrant: Entrant, setting: dict[str, Any], number: int) -> tuple[Any, Any, Any]:
    part = split(prepared("toy", *made()), PLAN.random_state, number)
    learner = askance.make(entrant.name, random_state=number, classes=[-1, 1], **setting)
    return part, learner, learner.run(part.X, part.y, coins=part.coins)


@pytest.mark.slow
def test_the_numbers_are_those_of_a_direct_computation(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        entrant = MANY if row["algorithm"] == "OMCSL-h" else ONE
        part, learner, trace = by_hand(entrant, json.loads(row["setting"]), row["split"])
        scores = learner.decision_function(part.test_X)
        if row["measure"] == "F":
            online, test = f1_score(part.y, trace.predictions), f1_score(part.test_y, learner.predict(part.test_X))
        else:
            online, test = roc_auc_score(part.y, trace.scores), roc_auc_score(part.test_y, scores)
        assert row["online"] == pytest.approx(online, abs=1e-12)
        assert row["test"] == pytest.approx(test, abs=1e-12)
        assert row["rounds"] == [60, 120, 180, 240]
        assert row["curve"][-1] == row["online"]
        half = score_predictions(row["measure"], part.y[:120], trace.predictions[:120], trace.scores[:120])
        assert row["curve"][1] == half


def test_one_name_may_be_entered_twice_under_two_labels() -> None:
    other = ONE._replace(label="OCS2-h, η = 1", settings=SETTINGS[1:2])
    found = run_splits({"toy": made()}, (ONE, other), PLAN, backend="sequential")
    assert {row["algorithm"] for row in found} == {ONE.label, other.label}
    assert len(found) == 12


@pytest.mark.slow
def test_settings_are_the_best_of_the_passes_of_the_splits_for_tuning(rows: list[dict[str, Any]]) -> None:
    for entrant, measure in ((MANY, "F"), (ONE, "F"), (ONE, "AUROC")):
        means = []
        for setting in SETTINGS:
            passes = [by_hand(entrant, setting, number) for number in (3, 4)]
            means.append(
                np.mean([score_predictions(measure, part.y, t.predictions, t.scores) for part, _, t in passes])
            )
        own = {r["setting"] for r in rows if (r["algorithm"], r["measure"]) == (entrant.label, measure)}
        assert [json.loads(one) for one in own] == [SETTINGS[int(np.argmax(means))]]


@pytest.mark.slow
def test_how_far_the_costs_of_the_last_rounds_are_from_the_best(rows: list[dict[str, Any]]) -> None:
    errors = values_of(rows, "toy", "OMCSL-h", "F", "cost_error")
    for row in rows:
        if row["algorithm"] != "OMCSL-h":
            assert row["cost_error"] is None
            continue
        part = split(prepared("toy", *made()), PLAN.random_state, row["split"])
        learner: Any = started("OMCSL-F-h", json.loads(row["setting"]), part)
        costs = []
        for t in range(len(part.y)):
            learner.run(part.X[t : t + 1], part.y[t : t + 1], coins=part.coins[t : t + 1])
            costs.append(learner.cost_[0])
        assert errors[row["split"]] == pytest.approx(abs(np.mean(costs[120:]) - costs[-1]))


def test_wide_data_replace_parameters() -> None:
    narrow, wide = (yan2017.OPAUC.settings_for(features) for features in (300, 40_000))
    assert len(narrow) == 18
    assert len(wide) == 6
    assert {one["covariance"] for one in wide} == {"diagonal"}


def test_splits_go_on_where_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sets = {"toy": made()}
    done: list[tuple[int, int, str]] = []

    def watch(*told: Any) -> None:
        done.append(told)

    first = run_splits(sets, (ONE,), PLAN, backend="sequential", store=tmp_path, watch=watch)
    assert done == [(1, 1, "OCS2-h on toy")]
    assert len(list((tmp_path / "parts").iterdir())) == 2

    def refuse(*_: Any) -> Any:
        raise AssertionError("this was done before")

    monkeypatch.setattr(splits, "_tuned", refuse)
    monkeypatch.setattr(splits, "_tested", refuse)
    assert run_splits(sets, (ONE,), PLAN, backend="sequential", store=tmp_path) == first
    with pytest.raises(AssertionError, match="done before"):  # another plan is another thing
        run_splits(sets, (ONE,), PLAN._replace(random_state=5), backend="sequential", store=tmp_path)


# ---------------------------------------------------------------------- what is measured


def test_measures_are_those_of_scikit_learn() -> None:
    rng = np.random.default_rng(1)
    truth, scores = np.where(rng.random(200) < 0.1, 1, -1), np.round(rng.normal(size=200), 1)
    guesses = np.where(scores > 1, 1, -1)
    assert score_predictions("F", truth, guesses, scores) == pytest.approx(f1_score(truth, guesses))
    assert score_predictions("AUROC", truth, guesses, scores) == pytest.approx(roc_auc_score(truth, scores))
    assert score_predictions("AUPRC", truth, guesses, scores) == pytest.approx(
        average_precision_score(truth, scores)
    )


@pytest.mark.parametrize("measure", MEASURES)
def test_measures_at_the_edge(measure: str) -> None:
    truth, nothing = np.array([1, -1, -1, -1]), np.full(4, -1)
    assert score_predictions(measure, truth, nothing, np.array([0.0, 1.0, np.inf, 0.0])) == 0
    assert math.isnan(score_predictions(measure, nothing, nothing, np.zeros(4)))
    constant = {"F": 0.0, "AUROC": 0.5, "AUPRC": 0.25}  # no score at all
    assert score_predictions(measure, truth, nothing, np.zeros(4)) == constant[measure]


# ---------------------------------------------------------------------- few labels


def naive_measures(part: Any, asked: Any, eta: float, K: int) -> list[float]:
    """F of each member over all rows, in plain Python."""
    found = []
    for j in range(1, K + 1):
        weights, told, hits, calls = [0.0] * part.X.shape[1], 0, 0, 0
        for x, y, is_asked in zip(part.X.tolist(), part.y.tolist(), asked.tolist(), strict=True):
            score = sum(w * one for w, one in zip(weights, x, strict=True))
            hits += y > 0 and score > 0
            calls += (y > 0) + (score > 0)
            if is_asked:
                told += 1
                cost = 1 - j / (2 * (K + 1)) if y > 0 else j / (2 * (K + 1))
                step = eta / math.sqrt(told) * cost * y if y * score < 1 else 0.0
                weights = [w + step * one for w, one in zip(weights, x, strict=True)]
        found.append(2 * hits / calls)
    return found


@pytest.mark.parametrize("query", [Random(0.3), Always()])
def test_true_measures_of_members(query: Any) -> None:
    part = split(prepared("toy", *made()), 0, 0)

    def fresh() -> OMCSL:
        return OMCSL(eta=1.0, query=query, classes=[-1, 1])

    learner = fresh()
    trace = learner.run(part.X, part.y, coins=part.coins)
    true = true_measures(fresh(), part, trace.asked)
    assert true == pytest.approx(naive_measures(part, trace.asked, 1.0, learner.K))
    if isinstance(query, Always):
        assert true == pytest.approx(learner.measures_)
    else:
        assert not np.allclose(true, learner.measures_, atol=1e-3)


@pytest.mark.slow
def test_ways_to_ask_are_compared_on_the_same_splits() -> None:
    found = run_saving({"toy": made()}, MANY, PLAN, SavingPlan((0.1, 0.5), looks=1), backend="sequential")
    assert len(found) == 3 * len(queries_at((0.1, 0.5))) == 15
    assert {row["setting"] for row in found} == {found[0]["setting"]}
    for row in found:
        assert abs(row["asked"] - row["rate"]) < 0.1
        assert (row["error"] is not None) == (row["split"] == 0 and row["how"] != label_saving.ALL)
    everything = [row["test"] for row in found if row["how"] == label_saving.ALL]
    whole = run_splits({"toy": made()}, (MANY,), PLAN, backend="sequential")
    assert everything == values_of(whole, "toy", "OMCSL-h", "F", "test").tolist()


# ---------------------------------------------------------------------- the tables


def test_what_the_tables_name_is_there() -> None:
    table = yan2017.TABLE
    labels = {(one.label, measure) for one in table.entrants for measure in one.measures}
    for entrant in table.entrants:
        assert entrant.name in catalog
        for setting in (*entrant.settings, *entrant.settings_for(10**5)):
            parts_of(entrant.name, setting)
    for claim in table.claims:
        assert {(name, one) for name in (claim.better, claim.worse) for one in claim.measures} <= labels
    for one in table.comparisons:
        assert {(one.one, one.measure), (one.other, one.measure)} <= labels
    for printed in (table.published, table.cost_errors):
        assert set(printed) <= set(table.data)
        for algorithms in printed.values():
            for algorithm, measures in algorithms.items():
                assert {(algorithm, measure) for measure in measures} <= labels
                assert all(0 <= value < 1 for value in measures.values())
    assert table.published["w8a"]["OMCSL-h"] == {"F": 0.7147, "AUROC": 0.9598, "AUPRC": 0.7087}
    assert table.published["aloi-1"]["OFO-l"] == {"F": 0.1407}


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Small tables, a small file that has the name of a data set, and no other."""
    X, y = made()
    X.data, y = np.abs(X.data), np.where(y > 0, 4, 0).astype("int16")
    arrays = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": np.array(X.shape)}
    np.savez(tmp_path / "covtype_10k.npz", **arrays, y=y)
    table = yan2017.TABLE._replace(entrants=(ONE, MANY), claims=(), comparisons=yan2017.TABLE.comparisons[:1])
    claims = (yan2017.Claim("OMCSL-h", "OCS2-h", ("F",)),)
    few = yan2017.SAVED._replace(entrant=MANY, saving=SavingPlan((0.2,)))
    monkeypatch.setitem(PAPERS, "yan2017", (table._replace(claims=claims), few))
    monkeypatch.setenv("ASKANCE_DATA", str(tmp_path))
    monkeypatch.setenv("ASKANCE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_the_report(small: Path) -> None:
    found = reproduce(PAPERS["yan2017"][0], quick=True, backend="sequential")
    assert list(found.missing) == ["covtype1v5", "w8a", "aloi-1", "kddcup99 r2l", "letter A", "sci.space"]
    text = markdown(found)
    own = values_of(found.results, "covtype1v5 (10,000)", "OMCSL-h", "F", "test")
    lead = float(np.mean(own - values_of(found.results, "covtype1v5 (10,000)", "OCS2-h", "F", "test")))
    assert f"| OMCSL-h | 0.6449 | {'**' if lead > 0 else ''}{own.mean():.4f} ± " in text
    assert f"| OMCSL-h > OCS2-h | F | {int(lead > 0)} of 1 |" in text
    assert "- w8a: w8a is not on this machine" in text
    assert "| covtype1v5 (10,000) | OMCSL-h | 0.010 | " in text  # table 5.4


@pytest.mark.slow
def test_the_command(small: Path) -> None:
    told = output("reproduce", "yan2017", "--quick", "--backend", "sequential")
    assert "OMCSL that saves labels" in told
    directory = small / "reproduced" / "yan2017"
    for name, picture in (("5.3", "online.png"), ("labels", "labels.png")):
        assert (directory / name / picture).stat().st_size > 10_000
        assert "Left out" in (directory / name / "report.md").read_text()
    kept = json.loads((directory / "5.3" / "results.json").read_text())
    answer = json.loads(output("reproduce", "yan2017", "--quick", "--backend", "sequential", "--json"))
    first, second = answer["tables"]
    figure = next(one for one in first["figures"] if (one["algorithm"], one["measure"]) == ("OMCSL-h", "F"))
    test = values_of(kept, "covtype1v5 (10,000)", "OMCSL-h", "F", "test")
    assert figure["test"] == pytest.approx(test.mean())
    assert figure["published"] == 0.6449
    assert [one["holds"] == (one["lead"] > 0) for one in first["orderings"]] == [True, True]
    assert {(one["how"], one["rate"]) for one in second["figures"]} == {
        ("margin", 0.2),
        ("random", 0.2),
        ("all", 1.0),
    }


def test_without_any_data(small: Path) -> None:
    (small / "covtype_10k.npz").unlink()
    assert "Left out" in output("reproduce", "yan2017", "5.3")
    assert "has no table '5.5'" in complaint("reproduce", "yan2017", "5.5")
