"""Adaptive subgradient learning and asking by discrimination: what the formulas imply and the paper proves."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import askance
import streams
from askance import queries, updates
from askance.rules.rows import Seen
from exact_learners import SEEDS, exact
from examples import examples

PACES = st.floats(-5, 5).map(lambda power: 2.0**power)
ADAPTIVE = (updates.DualAveraging, updates.MirrorDescent)
RULES = pytest.mark.parametrize("rule", ADAPTIVE)


def seen(score: float, spread: float = 0.0, squared_norm: float = 1.0) -> Seen:
    return Seen(score, spread, squared_norm, 1.0, 0, 0.0)


def asking(query: Any, what: Seen) -> float:
    return float(query.ask(query.start(), what, 0.5))


# ---------------------------------------------------------------------- steps


@given(SEEDS, PACES, PACES)
def test_dual_averaging_is_its_closed_form(random_state: int, delta: float, eta: float) -> None:
    made = streams.noisy(rows=40, width=5, random_state=random_state)
    learner = exact(updates.DualAveraging(delta, eta), queries.Random(0.6))
    trace = learner.run(made.X, made.y, coins=made.coins)
    gradients = -made.y[trace.updated, np.newaxis] * made.X[trace.updated]
    diagonal = delta + np.sqrt((gradients**2).sum(axis=0))
    np.testing.assert_allclose(learner.coef_[0], -eta * gradients.sum(axis=0) / diagonal, rtol=1e-9, atol=1e-12)


@given(SEEDS, PACES, PACES)
def test_mirror_descent_minimises_what_it_should(random_state: int, delta: float, eta: float) -> None:
    """w_{t+1} is the least of η g·w + ½ (w - w_t)·H (w - w_t), so H (w_{t+1} - w_t) = -η g."""
    made = streams.noisy(rows=30, width=4, random_state=random_state)
    learner = exact(updates.MirrorDescent(delta, eta))
    before, squares = np.zeros(4), np.zeros(4)
    for x, y in zip(made.X, made.y, strict=True):
        gradient = -y * x if y * (before @ x) < 1 else 0 * x
        squares += gradient**2
        learner.tell(x, int(y))
        moved = learner.coef_[0] - before
        np.testing.assert_allclose((delta + np.sqrt(squares)) * moved, -eta * gradient, rtol=1e-6, atol=1e-9)
        before = learner.coef_[0].copy()


@RULES
@given(random_state=SEEDS)
def test_what_is_known_of_a_feature_grows_and_the_spread_of_a_row_shrinks(rule: Any, random_state: int) -> None:
    made = streams.noisy(rows=30, width=4, random_state=random_state)
    learner = exact(rule(0.5, 0.5), queries.Always())
    known, spread, probe = np.zeros(4), math.inf, made.X[0]
    for t in range(len(made.y)):
        updated = learner.run(made.X[t : t + 1], made.y[t : t + 1]).updated[0]
        after = learner._core.machine.core.state.pairs[:, 1].copy()
        np.testing.assert_allclose(after, np.hypot(known, made.X[t]) if updated else known, rtol=1e-12)
        now = sum(learner._core.machine.core.state.terms(j, x)[1] for j, x in enumerate(probe))
        assert now <= spread
        known, spread = after, now


@RULES
def test_a_rare_feature_moves_further_than_a_frequent_one(rule: Any) -> None:
    frequent, both = [1.0, 0.0], [1.0, 1.0]
    learner = exact(rule(0.1, 0.1), queries.Always())
    learner.partial_fit([frequent] * 8 + [both], [1, -1] * 4 + [1])
    before = exact(rule(0.1, 0.1)).partial_fit([frequent] * 8, [1, -1] * 4).coef_[0]
    assert (learner.coef_[0] - before)[1] > 2 * (learner.coef_[0] - before)[0] > 0


@RULES
@given(x=st.floats(-100, 100).filter(lambda x: abs(x) > 1e-6), eta=PACES, lead=PACES)
def test_a_turned_value_is_a_turned_label(rule: Any, x: float, eta: float, lead: float) -> None:
    """A form of many classes moves a lane along -x as for the label +1: that must be -1 along x."""
    one, other = (rule(0.3, eta).start(1, np.float64) for _ in range(2))
    for state, sign in ((one, 1.0), (other, -1.0)):
        for value in (lead, x):
            fires, step = rule(0.3, eta).step(seen(0.0), sign)
            assert fires
            state.move(0, sign * value, step)
            assert state.pairs[0, 1] > 0
    assert one.weights[0] == other.weights[0]
    assert one.pairs.tobytes() == other.pairs.tobytes()


# ---------------------------------------------------------------------- questions


@given(scores=st.tuples(*[st.floats(-1e3, 1e3)] * 2), spread=st.floats(0, 1e3), norm=st.floats(0, 1e3), b=PACES)
def test_discrimination_asks_more_near_the_boundary(scores: Any, spread: float, norm: float, b: float) -> None:
    near, far = sorted(scores, key=abs)
    for damped in (True, False):
        rule = queries.Discrimination(b, 0.5, damped)
        chances = [asking(rule, seen(score, spread, norm)) for score in (near, far, -far)]
        assert 1 >= chances[0] >= chances[1] == chances[2] > 0


@given(score=st.floats(-1e3, 1e3), spread=st.floats(0, 1e3), norm=st.floats(0, 1e3), b=PACES, eta=PACES)
def test_the_more_the_spread_counts_the_more_it_asks(
    score: float, spread: float, norm: float, b: float, eta: float
) -> None:
    row = seen(score, spread, norm)
    margin, damped, full, eager = (
        asking(rule, row)
        for rule in (
            queries.Margin(b),
            queries.Discrimination(b, eta, damped=True),
            queries.Discrimination(b, eta, damped=False),
            queries.Discrimination(b, 2 * eta, damped=False),
        )
    )
    assert margin <= damped <= full <= eager <= 1
    if norm <= 1:
        assert damped == full
    if eta / 2 * spread >= abs(score):
        assert full == 1
    assert asking(queries.Discrimination(b, 0.0), row) == margin


@RULES
@pytest.mark.parametrize("damped", [True, False])
def test_without_a_weight_on_the_spread_it_is_the_margin_rule(rule: Any, damped: bool) -> None:
    made = streams.noisy()
    runs = [
        exact(rule(), query).run(made.X, made.y, coins=made.coins)
        for query in (queries.Discrimination(0.3, 0.0, damped), queries.Margin(0.3))
    ]
    for field in ("predictions", "scores", "ask_probabilities", "asked", "updated"):
        np.testing.assert_array_equal(*(getattr(run, field) for run in runs))
    assert 0.1 < runs[0].asked.mean() < 0.9


@RULES
def test_an_infinite_b_asks_for_every_label(rule: Any) -> None:
    made = streams.noisy()
    learners = [exact(rule(), query) for query in (queries.Discrimination(math.inf), queries.Always())]
    assert all(learner.run(made.X, made.y).asked.all() for learner in learners)
    np.testing.assert_array_equal(*(learner.coef_ for learner in learners))


def test_a_row_of_new_features_is_asked_for() -> None:
    learner = exact(updates.MirrorDescent(), queries.Discrimination(b=1e-6))
    learner.partial_fit([[1.0, 0.0]] * 5, [1] * 5)
    old, new = learner.ask([1.0, 0.0]), learner.ask([0.2, 1.0])
    assert old.ask_probability < 1e-3
    assert new.score != 0
    assert new.ask_probability == 1


NAMES = [name for name, entry in askance.catalog.items() if entry.update in ADAPTIVE]


@pytest.mark.parametrize("name", NAMES)
def test_the_parameters_of_a_name_reach_both_rules(name: str) -> None:
    entry = askance.catalog[name]
    assert askance.make(name, delta=0.25, eta=0.125).update == entry.update(0.25, 0.125)
    if entry.query is queries.Discrimination:
        asked_with = askance.make(name, eta=0.125, b=3.0).query
        assert asked_with == queries.Discrimination(3.0, 0.125, damped=not name.endswith("-I"))


# ---------------------------------------------------------------------- theorem 1


def bound(rule: Any, query: Any, X: Any, y: Any, comparator: Any, seeds: int) -> tuple[float, float]:
    """The mean number of mistakes, and the right side of theorem 1 on average over the same runs."""
    found, allowed = [], []
    for random_state in range(seeds):
        trace = exact(rule, query, random_state=random_state).run(X, y)
        found.append((trace.predictions != y).sum())
        allowed.append(right_side(rule, query, X, y, comparator, trace))
    return float(np.mean(found)), float(np.mean(allowed))


def right_side(rule: Any, query: Any, X: Any, y: Any, comparator: Any, trace: askance.Trace) -> float:
    """Of one run: H from the rows that were learned, the rest from scores and questions."""
    eta, b = rule.eta, query.b
    squares = np.cumsum(np.where(trace.updated[:, np.newaxis], X**2, 0.0), axis=0)
    after = rule.delta + np.sqrt(squares)
    before = np.vstack([np.full(X.shape[1], rule.delta), after[:-1]])
    averaging = isinstance(rule, updates.DualAveraging)
    size = np.where(trace.updated, (X**2 / (before if averaging else after)).sum(axis=1), 0.0)
    a = 1 / np.maximum(1, (X**2).sum(axis=1)) if query.damped else np.ones(len(y))
    certain = np.abs(trace.scores) - eta / 2 * a * (X**2 / before).sum(axis=1) <= 0
    close = (trace.predictions == y) & (y * trace.scores < 1)
    far = np.abs(comparator).max() ** 2
    if averaging:
        travel = b * far / (2 * eta) * after[-1].sum()
    else:
        path = weights_on_the_way(rule, X, y, trace)
        furthest = np.abs(comparator - path).max() ** 2
        travel = (furthest + (b - 1) ** 2 * far) / (eta * b) * after[-1].sum()
    loss = (trace.asked * np.maximum(0, 1 - y * (X @ comparator))).sum()
    ignored = eta / (2 * b) * ((size * a)[certain].sum() + (size * (1 - a)).sum())
    return float(loss + travel - close[certain].sum() / b + ignored)


def weights_on_the_way(rule: Any, X: Any, y: Any, trace: askance.Trace) -> Any:
    """w before each round, as mirror descent has it after the rows that were learned."""
    learner, path = exact(rule), []
    for x, label, updated in zip(X, y.tolist(), trace.updated, strict=True):
        path.append(learner.coef_[0].copy() if path else np.zeros(X.shape[1]))
        learner.partial_fit(x[np.newaxis] if updated else 0 * x[np.newaxis], [label])
    return np.array(path)


@pytest.mark.slow
@RULES
@pytest.mark.parametrize("damped", [True, False])
@examples(8)
@given(random_state=SEEDS, delta=PACES, eta=PACES)
def test_theorem_1_holds_on_average(rule: Any, damped: bool, random_state: int, delta: float, eta: float) -> None:
    made = streams.noisy(rows=50, width=3, random_state=random_state)
    comparator = np.linalg.lstsq(made.X, made.y, rcond=None)[0]
    for b in (2.0, 5.0):
        found, allowed = bound(rule(delta, eta), queries.Discrimination(b, eta, damped), *made[:2], comparator, 6)
        assert 0 < found <= allowed


@RULES
def test_theorem_1_is_nearly_met_on_orthonormal_rows(rule: Any) -> None:
    """Every guess, sgn(0) = +1, is wrong; with a large δ and the best comparator the bound is hardly more."""
    n, delta, eta, b = 10, 100.0, 1.0, 2.0
    X, y = np.eye(n), np.full(n, -1)
    comparator = y * eta / (b * (delta + 1))
    found, allowed = bound(rule(delta, eta), queries.Discrimination(b, eta), X, y, comparator, 2)
    assert found == n
    assert n <= allowed < 1.01 * n
