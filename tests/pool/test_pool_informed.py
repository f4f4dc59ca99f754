"""BADGE, information density and expected error reduction: as their formulas say, on lists."""

import math
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from askance.pool import (
    BADGE,
    EntropySampling,
    ExpectedErrorReduction,
    InformationDensity,
    RandomSampling,
    density,
)
from examples import examples

STRATEGIES = [
    BADGE(),
    InformationDensity(),
    InformationDensity(similarity="cosine"),
    ExpectedErrorReduction(candidates=6),
    ExpectedErrorReduction("zero-one", candidates=6),
]
every_strategy = pytest.mark.parametrize("strategy", STRATEGIES, ids=map(repr, STRATEGIES))


def made(seed: int, classes: int = 2, rows: int = 60) -> tuple[Any, Any]:
    """Features that say something of the labels."""
    random = np.random.default_rng(seed)
    y = np.concatenate([np.arange(classes), random.integers(0, classes, rows - classes)])
    return (
        random.standard_normal((classes, 3))[y] + random.standard_normal((rows, 3)),
        np.array(["ash", "elm", "fir", "oak"])[y],
    )


def trained(X: Any, y: Any) -> Any:
    return LogisticRegression(max_iter=10_000).fit(X, y)


def naive_gradients(X: Any, chances: Any) -> list[list[float]]:
    """As the paper writes them: a block of features per class."""
    found = []
    for x, p in zip(X.tolist(), chances.tolist(), strict=True):
        top = p.index(max(p))
        found.append([(p[c] - (c == top)) * value for c in range(len(p)) for value in [*x, 1.0]])
    return found


def naive_seeding(points: list[list[float]], n: int, draws: Any) -> list[int]:
    """k-means++: the longest, then by the squared distance to the nearest so far."""
    origin = [0.0] * len(points[0])
    chosen = [max(range(len(points)), key=lambda row: math.dist(points[row], origin))]
    while len(chosen) < n:
        weights = [min(math.dist(point, points[row]) for row in chosen) ** 2 for point in points]
        target, place, total = draws.random() * math.fsum(weights), 0, weights[0]
        while total <= target:
            place += 1
            total += weights[place]
        chosen.append(place)
    return chosen


@examples(25)
@given(st.integers(0, 10_000), st.sampled_from([2, 4]), st.integers(1, 12))
def test_badge_is_as_its_twin(seed: int, classes: int, n: int) -> None:
    X, y = made(seed, classes)
    selection = BADGE(random_state=seed).fit(X[:20], y[:20]).select(X[20:], n)
    gradients = naive_gradients(X[20:], trained(X[:20], y[:20]).predict_proba(X[20:]))
    assert selection.rows.tolist() == naive_seeding(gradients, n, np.random.default_rng([seed, 20]))
    lengths = [math.hypot(*gradients[row]) for row in selection.rows]
    assert selection.parts["gradient"].tolist() == pytest.approx(lengths)
    for place, row in enumerate(selection.rows.tolist()):
        before = selection.rows[:place].tolist()
        near = min((math.dist(gradients[row], gradients[other]) for other in before), default=lengths[0])
        assert selection.scores[place] == pytest.approx(near, abs=1e-6)


def test_badge_draws_by_squared_distances() -> None:
    """The second row, over many seeds, has the frequencies of k-means++."""
    X, y = made(1, rows=30)
    fitted = BADGE().fit(X[:20], y[:20])
    gradients = naive_gradients(X[20:], trained(X[:20], y[:20]).predict_proba(X[20:]))
    first = int(fitted.select(X[20:], 1).rows[0])
    weights = np.array([math.dist(point, gradients[first]) ** 2 for point in gradients])
    wanted = weights / weights.sum()
    drawn = [int(fitted.set_params(random_state=seed).select(X[20:], 2).rows[1]) for seed in range(500)]
    counts = np.bincount(drawn, minlength=10)
    assert (abs(counts - 500 * wanted) <= 5 * np.sqrt(500 * wanted * (1 - wanted))).all()
    assert counts[first] == 0


def test_badge_with_equal_rows_selects_each_once() -> None:
    X, y = made(2)
    pool = np.repeat(X[20:22], 10, axis=0)
    selection = BADGE().fit(X[:20], y[:20]).select(pool, 20)
    assert sorted(selection.rows.tolist()) == list(range(20))
    assert len({row // 10 for row in selection.rows[:2].tolist()}) == 2


@examples(25)
@given(st.integers(0, 10_000), st.sampled_from([2, 4]), st.sampled_from([0.5, 1.0, 2.0]))
def test_information_density_is_the_formula(seed: int, classes: int, beta: float) -> None:
    X, y = made(seed, classes)
    X = abs(X)
    selection = InformationDensity(beta, similarity="cosine").fit(X[:20], y[:20]).select(X[20:], 6)
    chances = trained(X[:20], y[:20]).predict_proba(X[20:])
    pool = X[20:].tolist()
    cosines = [[sum(map(float.__mul__, a, b)) / math.hypot(*a) / math.hypot(*b) for b in pool] for a in pool]
    wanted = [
        -sum(p * math.log(p) for p in chance) * (sum(near) / 40) ** beta
        for chance, near in zip(chances.tolist(), cosines, strict=True)
    ]
    best = sorted(range(40), key=lambda place: -wanted[place])[:6]
    assert selection.rows.tolist() == best
    assert selection.scores.tolist() == pytest.approx([wanted[place] for place in best])


def test_density_by_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    X, _ = made(3)
    gamma = 1 / X.var(axis=0).sum()
    wanted = [sum(math.exp(-gamma * math.dist(x, z) ** 2) for z in X.tolist()) / 60 for x in X.tolist()]
    assert density.mean_kernel(X, np.random.default_rng(0)).tolist() == pytest.approx(wanted)
    monkeypatch.setattr(density, "REFERENCES", 30)
    thinned = density.mean_kernel(X, np.random.default_rng(0))
    assert np.corrcoef(thinned, wanted)[0, 1] > 0.9
    assert (thinned != wanted).all()


def test_without_density_it_is_entropy_sampling() -> None:
    X, y = made(4, 4)
    found, wanted = (
        strategy.fit(X[:20], y[:20]).select(X[20:], 40)
        for strategy in (InformationDensity(0.0), EntropySampling())
    )
    assert found.rows.tolist() == wanted.rows.tolist()


def naive_expected_error(X: Any, y: Any, x: Any, pool: Any, loss: str) -> float:
    """Σ over the classes of the probability times the error after that label."""
    now = trained(X, y)
    total = 0.0
    for label, chance in zip(now.classes_, now.predict_proba([x])[0], strict=True):
        after = trained([*X, x], [*y, label]).predict_proba(pool).tolist()
        errors = [-sum(q * math.log(q) for q in p) if loss == "log" else 1 - max(p) for p in after]
        total += chance * sum(errors) / len(errors)
    return total


@pytest.mark.parametrize("loss", ["log", "zero-one"])
@pytest.mark.parametrize("classes", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_expected_error_is_the_formula(classes: int, loss: str) -> None:
    X, y = made(5, classes, rows=40)
    X[20:] *= 4  # rows that matter
    selection = ExpectedErrorReduction(loss).fit(X[:20], y[:20]).select(X[20:30], 10)
    with threadpool_limits(1):
        wanted = [naive_expected_error(X[:20], y[:20], x, X[20:30], loss) for x in X[20:30]]
    assert sorted(selection.rows.tolist()) == list(range(10))
    # Solvers stop within their tolerance of the optimum.
    assert selection.parts["expected_error"] == pytest.approx(np.array(wanted)[selection.rows], abs=1e-3)
    assert np.ptp(wanted) > 0.01
    p = trained(X[:20], y[:20]).predict_proba(X[20:30])
    now = np.mean([-sum(q * math.log(q) for q in row) if loss == "log" else 1 - max(row) for row in p.tolist()])
    assert selection.scores + selection.parts["expected_error"] == pytest.approx(np.full(10, now))
    assert (np.diff(selection.scores) <= 0).all()


def test_expected_error_compares_some_rows() -> None:
    X, y = made(6)
    fitted = ExpectedErrorReduction(candidates=5, references=10).fit(X[:20], y[:20])
    whole = fitted.select(X[20:], 5).rows
    assert set(fitted.select(X[20:], 2).rows.tolist()) < set(whole.tolist())
    assert len(fitted.select(X[20:], 9).rows) == 9  # as many candidates as are wanted
    assert set(whole.tolist()) != set(fitted.set_params(random_state=1).select(X[20:], 5).rows.tolist())


@every_strategy
def test_sparse_rows_are_as_dense_ones_and_all_are_given_if_few(strategy: Any) -> None:
    X, y = made(7, rows=40)
    dense = clone(strategy).fit(X[:20], y[:20])
    sparse = clone(strategy).fit(sp.csr_array(X[:20]), y[:20])
    assert sparse.select(sp.csr_array(X[20:]), 4).rows.tolist() == dense.select(X[20:], 4).rows.tolist()
    assert sorted(dense.select(X[20:], 100).rows.tolist()) == list(range(20))
    assert dense.select(X[20:], 4).rows.tolist() == dense.select(X[20:], 4).rows.tolist()


@every_strategy
def test_with_one_class_any_rows_are_chosen(strategy: Any) -> None:
    X, _ = made(8)
    selection = clone(strategy).fit(X[:5], ["ash"] * 5).select(X[5:], 6)
    assert selection.rows.tolist() == RandomSampling().fit(X[:5], ["ash"] * 5).select(X[5:], 6).rows.tolist()


@every_strategy
def test_faults_are_named(strategy: Any) -> None:
    X, y = made(9)
    with pytest.raises(NotFittedError):
        clone(strategy).select(X, 3)
    with pytest.raises(ValueError, match="n must be a whole number, 1 or more, not 0"):
        clone(strategy).fit(X, y).select(X, 0)
    with pytest.raises(ValueError, match="C must be greater than 0 and finite, not 0"):
        clone(strategy).set_params(C=0).fit(X, y)
    own = {"beta": -1.0, "similarity": "jaccard", "loss": "square", "candidates": 0, "references": 0}
    for name in own.keys() & strategy.get_params():
        with pytest.raises(ValueError, match=f"{name} must be"):
            clone(strategy).set_params(**{name: own[name]}).fit(X, y)
