"""Pools: splits, learning curves, tables."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from askance.errors import DataError
from askance.experiments import papers
from askance.experiments.papers import pools
from askance.experiments.papers.pools import (
    Family,
    PoolPlan,
    Views,
    best_penalty,
    follow,
    run_contest,
    scaled,
    split,
)
from askance.experiments.papers.views import Pair, load_views
from askance.pool import MarginSampling, RandomSampling, Selection
from command_line import output

SMALL = PoolPlan(splits=2, tuning=1, batch=5, queries=15)


def made(rows: int = 150, classes: int = 3, random_state: int = 0) -> Views:
    random = np.random.default_rng(random_state)
    y = np.arange(rows) % classes
    X = random.normal(size=(classes, 8))[y] + 1.5 * random.normal(size=(rows, 8))
    return Views("made", X, random.normal(size=(classes, 3))[y] + random.normal(size=(rows, 3)), y)


def test_a_split_has_seeds_of_every_class_and_no_row_twice() -> None:
    data = made()
    order = data._replace(X=np.arange(150.0)[:, None])
    plan = PoolPlan(seeds=0.2)
    part = split(order, plan, 0)
    assert len(part.y) == 105
    assert len(part.test_y) == 45
    shares = np.bincount(part.y) / 5  # a fifth of each class
    assert np.bincount(part.y[part.seeds]).tolist() == np.round(shares).tolist()
    again, other = split(order, plan, 0), split(order, plan, 1)
    assert np.array_equal(part.X, again.X)
    assert not np.array_equal(part.X, other.X)
    both = np.concatenate([part.X, part.test_X])[:, 0]
    assert len(np.unique(both)) == 150


def test_views_are_scaled_by_the_rows_to_learn_from_alone() -> None:
    random = np.random.default_rng(0)
    X, test_X = random.normal(3, 2, size=(50, 4)), random.normal(9, 5, size=(20, 4))
    ours, test = scaled(sp.csr_array(X), sp.csr_array(test_X))
    np.testing.assert_allclose(ours.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose((ours**2).sum(axis=1).mean(), 1)
    np.testing.assert_allclose(test, (test_X - X.mean(axis=0)) / X.std(axis=0) / 2)
    sparse = sp.random_array((30, 40), density=0.1, rng=random, format="csr")
    unit, _ = scaled(sparse, sparse)
    lengths = np.sqrt(unit.power(2).sum(axis=1))
    assert set(np.round(lengths, 12)) <= {0.0, 1.0}


def test_a_curve_begins_with_the_seeds_and_ends_with_all_questions_answered() -> None:
    part = split(made(), SMALL, 0)
    curve, seconds = follow(RandomSampling(0), part, SMALL, 1.0)
    assert len(curve) == 1 + 3
    assert seconds > 0
    assert curve[0] == pools.tested(part, part.seeds, 1.0)
    all_of_them = SMALL._replace(queries=len(part.y) - len(part.seeds), batch=len(part.y))
    curve, _ = follow(RandomSampling(0), part, all_of_them, 1.0)
    assert curve[-1] == pools.tested(part, np.arange(len(part.y)), 1.0)


def test_the_first_of_a_family_is_tuned_and_all_take_its_setting() -> None:
    asked = []

    def make(name: str) -> Any:
        def strategy(random_state: int, C: float) -> Any:
            asked.append((name, random_state, C))
            # The setting that chooses by margins is better than the one that chooses the first rows.
            return MarginSampling(C) if C == 1.0 else FirstRows()

        return strategy

    family = Family({"one": make("one"), "other": make("other")}, ({"C": 0.0}, {"C": 1.0}))
    rows = run_contest({"made": made()}, [family], SMALL, n_jobs=1, backend="sequential")
    assert asked[:2] == [("one", 2, 0.0), ("one", 2, 1.0)]
    chosen = {json.loads(row["setting"])["C"] for row in rows}
    assert len(chosen) == 1
    assert asked[2:] == [(name, number, *chosen) for name in ("one", "other") for number in (0, 1)]
    assert {row["C"] for row in rows} == {best_penalty(SMALL, made())}


class FirstRows:
    """No strategy at all."""

    def fit(self, X: Any, y: Any, privileged: Any = None) -> "FirstRows":
        return self

    def select(self, X: Any, n: int, privileged: Any = None) -> Selection:
        return Selection(np.arange(n), np.zeros(n), {})


# ---------------------------------------------------------------------- files


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Small files that stand for two of the data sets: one with views, one of words."""
    data = made(rows=240)
    views = {}
    for number, view in ((1, data.X), (2, data.privileged)):
        matrix = sp.csr_array(view)
        views |= {f"view{number}_{name}": getattr(matrix, name) for name in ("data", "indices", "indptr")}
        views[f"view{number}_shape"] = np.array(matrix.shape)
    np.savez(tmp_path / "wiki_xmodal.npz", y=data.y, **views)
    monkeypatch.setenv("ASKANCE_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(papers, "QUICK", 2)
    monkeypatch.setattr(pools, "_tuned", lambda *_: 0)
    return tmp_path


def test_both_views_are_read(small: Path) -> None:
    found, data = load_views("wiki_xmodal", Pair(1, 2), 0), made(rows=240)
    np.testing.assert_allclose(found.X.toarray(), data.X)
    np.testing.assert_allclose(found.privileged.toarray(), data.privileged)
    assert np.array_equal(found.y, data.y)
    other = load_views("wiki_xmodal", Pair(2, 1, rows=30), 0)
    assert other.X.shape == (30, 3)


def test_words_are_drawn_into_two_halves(small: Path) -> None:
    X = np.arange(60.0).reshape(12, 5)
    np.savez(small / "20newsgroups.npz", X=X, y=np.arange(12) % 2)
    found = load_views("20newsgroups", Pair(rows=6), 3)
    both = np.hstack([found.X.toarray(), found.privileged.toarray()])
    assert both.shape == (6, 5)
    assert sorted(both[0]) == sorted(X[np.flatnonzero((np.sort(X) == np.sort(both[0])).all(axis=1))[0]])
    with pytest.raises(DataError, match="is not on this machine"):
        load_views("mfeat", Pair(1, 4), 0)


@pytest.mark.slow
def test_the_command(small: Path) -> None:
    told = output("reproduce", "yan2016-lupi", "4.1", "--quick", "--backend", "sequential")
    assert "AL-LUPI-max" in told
    directory = small / "reproduced" / "yan2016-lupi" / "4.1"
    assert (directory / "curves.png").stat().st_size > 10_000
    text = (directory / "report.md").read_text()
    assert "Left out" in text
    assert "| against | ahead on | significantly ahead on | significantly behind on |" in text
    rows = json.loads((directory / "results.json").read_text())
    answer = json.loads(output("reproduce", "yan2016-lupi", "4.1", "--quick", "--backend", "sequential", "--json"))
    figure = next(one for one in answer["tables"][0]["figures"] if one["algorithm"] == "random")
    assert figure["mean"] == pytest.approx(np.mean([row["mean"] for row in rows if row["algorithm"] == "random"]))
    assert len(figure["curve"]) == 11
    assert [one["holds"] == (one["lead"] > 0) for one in answer["tables"][0]["orderings"]] == [True] * 6


def test_what_is_kept_of_other_rows_is_not_taken_for_these(tmp_path: Path) -> None:
    family = Family({"random": lambda random_state: RandomSampling(random_state)})
    first, again, other = (
        run_contest({"made": data}, [family], SMALL, n_jobs=1, backend="sequential", store=tmp_path)
        for data in (made(), made(), made(random_state=1))
    )
    assert first == again  # the seconds too: nothing was run
    assert [row["curve"] for row in first] != [row["curve"] for row in other]
