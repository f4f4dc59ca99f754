"""Strategies to compare others with: as their formulas say, on both views, with one class, and with bad input."""

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
from sklearn.svm import LinearSVC

from askance import pool
from askance.pool import CoTesting, EntropySampling, MarginSampling, RandomSampling
from examples import examples

STRATEGIES = [RandomSampling(), MarginSampling(), EntropySampling(), CoTesting(), CoTesting("conservative")]
NAMES = ["random", "margin", "entropy", "aggressive", "conservative"]
every_strategy = pytest.mark.parametrize("strategy", STRATEGIES, ids=NAMES)


def made(random_state: int, classes: int = 2, rows: int = 60) -> tuple[Any, Any, Any]:
    """Features, labels and privileged features, which both say something of the labels."""
    random = np.random.default_rng(random_state)
    y = np.concatenate([np.arange(classes), random.integers(0, classes, rows - classes)])
    centres, others = random.standard_normal((2, classes, 3))
    return (
        centres[y] + random.standard_normal((rows, 3)),
        np.array(["ash", "elm", "fir", "oak"])[y],
        others[y] + random.standard_normal((rows, 3)),
    )


@pytest.mark.parametrize("classes", [2, 4])
def test_margin_is_the_formula(classes: int) -> None:
    X, y, _ = made(1, classes)
    selection = MarginSampling(C=0.5).fit(X[:20], y[:20]).select(X[20:], 7)
    scores = (
        LinearSVC(C=0.5, dual="auto", max_iter=10_000, random_state=0)
        .fit(X[:20], y[:20])
        .decision_function(X[20:])
    )
    both = [sorted([s, -s]) if classes == 2 else sorted(s) for s in scores.tolist()]
    wanted = [1 / (row[-1] - row[-2] + 1e-6) for row in both]
    best = sorted(range(40), key=lambda place: -wanted[place])[:7]
    assert selection.rows.tolist() == best
    assert selection.scores == pytest.approx([wanted[place] for place in best])
    assert 1 / (selection.parts["margin"] + 1e-6) == pytest.approx(selection.scores)


@pytest.mark.parametrize("classes", [2, 4])
def test_entropy_is_the_formula(classes: int) -> None:
    X, y, _ = made(2, classes)
    selection = EntropySampling(C=2.0).fit(X[:20], y[:20]).select(X[20:], 5)
    chances = LogisticRegression(C=2.0, max_iter=10_000).fit(X[:20], y[:20]).predict_proba(X[20:])
    wanted = [-sum(p * math.log(p) for p in row) for row in chances.tolist()]
    best = sorted(range(40), key=lambda place: -wanted[place])[:5]
    assert selection.rows.tolist() == best
    assert selection.scores == pytest.approx([wanted[place] for place in best])


def naive_co_testing(manner: str, first: Any, second: Any, known: Any, n: int) -> list[int]:
    """From the probabilities of both views, by the words of Muslea, Minton and Knoblock."""
    contention, rest = [], []
    for place, (p, q) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        if known[place] and p.index(max(p)) != q.index(max(q)):
            contention.append((place, max(p), max(q)))
        else:
            rest.append((place, max(p), max(q) if known[place] else max(p)))
    if manner == "aggressive":
        contention.sort(key=lambda one: -min(one[1:]))
    else:
        contention.sort(key=lambda one: abs(one[1] - one[2]))
    rest.sort(key=lambda one: one[1] + one[2])
    return [place for place, *_ in contention + rest][:n]


@examples(25)
@given(
    st.integers(0, 10_000),
    st.sampled_from([2, 4]),
    st.sampled_from(pool.strategies.MANNERS),
    st.sampled_from([3, 30]),
)
def test_co_testing_is_as_its_twin(random_state: int, classes: int, manner: str, n: int) -> None:
    X, y, P = made(random_state, classes)
    P[np.random.default_rng(random_state).random(60) < 0.2] = np.nan
    P[:classes] = 1.0
    known = ~np.isnan(P).any(axis=1)
    selection = CoTesting(manner).fit(X[:20], y[:20], P[:20]).select(X[20:], n, P[20:])
    first = LogisticRegression(max_iter=10_000).fit(X[:20], y[:20]).predict_proba(X[20:])
    learned = known[:20]
    second = LogisticRegression(max_iter=10_000).fit(P[:20][learned], y[:20][learned])
    second = second.predict_proba(np.nan_to_num(P[20:]))
    assert selection.rows.tolist() == naive_co_testing(manner, first, second, known[20:], n)
    disagree = selection.parts["disagree"].astype(bool)
    assert (selection.scores[disagree] > 1).all()
    assert (selection.scores[~disagree] < 1).all()


def test_chance_is_fair_and_repeatable() -> None:
    X = np.zeros((4, 1))
    firsts = [
        RandomSampling(random_state).fit(X, [0, 1, 0, 1]).select(X, 1).rows[0] for random_state in range(4000)
    ]
    counts = np.bincount(firsts)
    assert (abs(counts - 1000) < 5 * math.sqrt(4000 * 0.25 * 0.75)).all()
    again = RandomSampling(7).fit(X, [0, 1, 0, 1])
    assert again.select(X, 4).rows.tolist() == again.select(X, 4).rows.tolist()
    other = [RandomSampling(7).fit(X[:n], [0] * n).select(np.zeros((50, 1)), 50).rows.tolist() for n in (1, 2)]
    assert other[0] != other[1]
    assert sorted(other[0]) == list(range(50))


@every_strategy
def test_sparse_rows_are_as_dense_ones_and_all_are_given_if_few(strategy: Any) -> None:
    X, y, P = made(3)
    dense = clone(strategy).fit(X[:20], y[:20], P[:20]).select(X[20:], 100, P[20:])
    sparse = clone(strategy).fit(sp.csr_array(X[:20]), y[:20], sp.csr_array(P[:20]))
    rows = sparse.select(sp.csr_array(X[20:]), 100, sp.csr_array(P[20:])).rows
    assert sorted(dense.rows.tolist()) == list(range(40))
    agree = np.mean(rows == dense.rows)
    assert agree > 0.9  # solvers may stop elsewhere by the last digits
    assert (np.diff(dense.scores) <= 0).all()


@every_strategy
def test_with_one_class_any_rows_are_chosen(strategy: Any) -> None:
    X, _, P = made(4)
    selection = clone(strategy).fit(X[:5], ["ash"] * 5, P[:5]).select(X[5:], 6, P[5:])
    assert selection.rows.tolist() == RandomSampling().fit(X[:5], ["ash"] * 5).select(X[5:], 6).rows.tolist()
    assert not selection.parts


@every_strategy
def test_faults_are_named(strategy: Any) -> None:
    X, y, P = made(5)
    with pytest.raises(NotFittedError):
        clone(strategy).select(X, 3, P)
    fitted = clone(strategy).fit(X, y, P)
    for bad in (0, -1, 2.0, True, "3"):
        with pytest.raises(ValueError, match="n must be a whole number, 1 or more, not"):
            fitted.select(X, bad, P)
    with pytest.raises(ValueError, match="X has 60 rows but y has 59 labels"):
        clone(strategy).fit(X, y[:-1], P)
    with pytest.raises(ValueError, match="NaN"):
        clone(strategy).fit(np.full((2, 1), np.nan), [0, 1])
    if hasattr(strategy, "C"):
        with pytest.raises(ValueError, match="C must be greater than 0 and finite, not 0"):
            clone(strategy).set_params(C=0).fit(X, y, P)


def test_co_testing_needs_both_views() -> None:
    X, y, P = made(6)
    with pytest.raises(ValueError, match="two views: pass the privileged features of the rows to fit"):
        CoTesting().fit(X, y)
    with pytest.raises(ValueError, match="two views: pass the privileged features of the rows to select"):
        CoTesting().fit(X, y, P).select(X, 3)
    with pytest.raises(ValueError, match="manner must be 'aggressive' or 'conservative', not 'bold'"):
        CoTesting("bold").fit(X, y, P)
    nobody = CoTesting().fit(X, y, P).select(X, 60, np.full(P.shape, np.nan))
    assert not nobody.parts["disagree"].any()


def test_the_names_of_the_module() -> None:
    for name in pool.__all__:
        assert getattr(pool, name).__name__ == name
    with pytest.raises(AttributeError, match=r"module 'askance\.pool' has no attribute 'Pond'"):
        _ = pool.Pond
