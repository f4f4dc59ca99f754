"""Replay: the same as its inner rule without visits, and a support vector machine after many."""

import itertools
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import LinearSVC

import askance
import streams
from askance import queries, updates
from askance.errors import ModelFileError
from askance.learners.files import from_bytes, to_bytes
from askance.rules.state.replayed import COUNT, FREE, visit
from askance.rules.state.replayed_classes import visit as visit_classes
from exact_learners import exact

PA1, PA2 = updates.PassiveAggressive1, updates.PassiveAggressive2


@pytest.mark.parametrize("inner", [PA1(0.3), PA2(0.7)])
def test_without_visits_it_is_the_inner_rule(inner: updates.UpdateRule) -> None:
    X, y, coins = streams.noisy(rows=80, width=6, random_state=1)
    once, again = exact(inner, queries.Margin()), exact(updates.Replay(inner, visits=0), queries.Margin())
    one, other = once.run(X, y, coins=coins), again.run(X, y, coins=coins)
    np.testing.assert_array_equal(one.asked, other.asked)
    np.testing.assert_array_equal(one.updated, other.updated)
    np.testing.assert_allclose(once.coef_, again.coef_, rtol=1e-12)


@pytest.mark.parametrize(("inner", "loss"), [(PA1(0.3), "hinge"), (PA2(0.7), "squared_hinge")])
def test_after_many_visits_it_is_a_support_vector_machine(inner: updates.UpdateRule, loss: str) -> None:
    X, y, _ = streams.noisy(rows=60, width=5, random_state=2)
    machine = LinearSVC(loss=loss, C=inner.C, fit_intercept=False, tol=1e-10, max_iter=1_000_000).fit(X, y)
    learner = exact(updates.Replay(inner), queries.Always()).fit(X, y)
    state = learner._core.machine.core.state
    for _, slot in itertools.product(range(200), range(60)):
        visit(state, slot)
    np.testing.assert_allclose(learner.coef_, machine.coef_, atol=1e-6)


def test_the_oldest_rows_give_way_and_what_they_taught_stays() -> None:
    X, y, _ = streams.noisy(rows=50, width=4, random_state=3)
    learner = exact(updates.Replay(PA2(), memory=8), queries.Always()).fit(X, y)
    memory = learner._core.machine.core.state.memory
    assert memory.places[COUNT] == 8
    kept = {tuple(memory.values[start : start + 4]) for start in memory.starts}
    assert kept == {tuple(row) for row in X[-8:]}


@pytest.mark.slow
def test_long_sparse_rows_share_the_room() -> None:
    random = np.random.default_rng(0)
    X = sp.csr_array(sp.random(300, 3000, density=0.1, random_state=random))
    y = random.choice([-1, 1], 300)
    learner = exact(updates.Replay(PA2(), memory=20), queries.Always()).partial_fit(X, y)
    memory = learner._core.machine.core.state.memory
    count, free = memory.places[COUNT], memory.places[FREE]
    assert 10 < count <= 20
    assert free <= len(memory.indices) == 21 * 256
    learner._core.machine.core.state.check()


@pytest.mark.plain
@pytest.mark.compiled
def test_a_forged_memory_is_refused() -> None:
    X, y, _ = streams.noisy(rows=9, width=3, random_state=4)
    learner = exact(updates.Replay(PA2(), memory=5), queries.Always()).fit(X, y)
    memory = learner._core.machine.core.state.memory
    for array, value in ((memory.starts, 99), (memory.indices, 3), (memory.places, 6), (memory.labels, 2)):
        before, array[1] = array[1], value
        with pytest.raises(ModelFileError, match="not where they should be"):
            from_bytes(to_bytes(learner))
        array[1] = before
    assert from_bytes(to_bytes(learner)).coef_.tolist() == learner.coef_.tolist()


def test_only_rules_with_dual_variables_can_be_replayed() -> None:
    with pytest.raises(TypeError, match="Replay needs PassiveAggressive1 or PassiveAggressive2, not AROW"):
        exact(updates.Replay(updates.AROW()), queries.Always())


# ---------------------------------------------------------------------- many classes


def of_classes(inner: updates.UpdateRule, **options: Any) -> askance.Learner:
    rule = updates.Replay(inner, **options)
    return askance.Learner(rule, queries.Always(), dtype="float64", multiclass=True, classes=range(4))


def gap(learner: askance.Learner, X: Any, y: Any) -> tuple[float, float]:
    """The dual objective, and by how much the primal one of Crammer and Singer is above it; 0 at the optimum."""
    state, inner = learner._core.machine.core.state, learner.update.inner
    scores = X @ learner.coef_.T
    own = scores[np.arange(len(y)), y]
    scores[np.arange(len(y)), y] = -np.inf
    losses = np.maximum(0, 1 - own + scores.max(axis=1))
    alphas = state.duals[: len(y)].copy()
    totals = alphas[np.arange(len(y)), y]
    alphas[np.arange(len(y)), y] = 0
    np.testing.assert_allclose(alphas.sum(axis=1), totals, atol=1e-9)
    assert alphas.min() >= 0
    alphas[np.arange(len(y)), y] = -totals
    np.testing.assert_allclose(learner.coef_, -(alphas.T @ X), atol=1e-9)
    size = (learner.coef_**2).sum() / 2
    if isinstance(inner, PA1):
        assert totals.max() <= inner.C
        return totals.sum() - size, 2 * size + inner.C * losses.sum() - totals.sum()
    damped = (totals**2).sum() / (4 * inner.C)
    return totals.sum() - size - damped, 2 * size + inner.C * (losses**2).sum() - totals.sum() + damped


@pytest.mark.parametrize("inner", [PA1(0.3), PA2(0.7)])
def test_without_visits_many_classes_are_learned_as_by_the_inner_rule(inner: updates.UpdateRule) -> None:
    X, y, coins = streams.several(rows=80, random_state=3)
    once, again = (
        askance.Learner(rule, queries.Margin(), dtype="float64", multiclass=True, classes=range(4))
        for rule in (inner, updates.Replay(inner, visits=0))
    )
    one, other = once.run(X, y, coins=coins), again.run(X, y, coins=coins)
    np.testing.assert_array_equal(one.asked, other.asked)
    np.testing.assert_array_equal(one.updated, other.updated)
    np.testing.assert_allclose(once.coef_, again.coef_, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("inner", [PA1(0.05), PA1(0.2), PA2(0.05), PA2(0.2)], ids=str)
def test_many_classes_become_the_machine_of_crammer_and_singer(inner: updates.UpdateRule) -> None:
    X, y, _ = streams.several(rows=28, width=5, random_state=2)
    X, y = X[X.any(axis=1)], y[X.any(axis=1)]  # rows of zeros have no slot
    learner = of_classes(inner, visits=0).partial_fit(X, y)
    state, scores = learner._core.machine.core.state, np.zeros(4)
    objective, _ = gap(learner, X, y)
    for turn, slot in itertools.product(range(100), range(len(y))):
        visit_classes(state, scores, slot)
        if turn == 0:  # no step goes down
            before, objective = objective, gap(learner, X, y)[0]
            assert objective >= before - 1e-12
    assert abs(gap(learner, X, y)[1]) < 1e-6
    if isinstance(inner, PA1):
        machine = LinearSVC(
            C=inner.C, multi_class="crammer_singer", fit_intercept=False, tol=1e-10, max_iter=10**6
        )
        np.testing.assert_allclose(learner.coef_, machine.fit(X, y).coef_, atol=1e-4)


@pytest.mark.parametrize("inner", [PA1, PA2])
def test_two_of_many_classes_are_binary_with_twice_the_aggressiveness(inner: Any) -> None:
    X, y, coins = streams.noisy(rows=60, width=5, random_state=5)
    query = queries.Margin()
    two = askance.Learner(updates.Replay(inner(0.2)), query, dtype="float64", multiclass=True, classes=(0, 1))
    one = exact(updates.Replay(inner(0.4)), query)
    both, binary = two.run(X, (1 - y) // 2, coins=coins), one.run(X, y, coins=coins)
    np.testing.assert_allclose(both.ask_probabilities, binary.ask_probabilities, rtol=1e-9)
    np.testing.assert_allclose(two.coef_[0] - two.coef_[1], one.coef_[0], rtol=1e-7, atol=1e-9)


def test_classes_and_features_may_appear_late_and_a_file_goes_on() -> None:
    X, y, _ = streams.several(rows=30, random_state=4)
    X, y = X[X.any(axis=1)], y[X.any(axis=1)]
    X[:10, 6:] = 0
    y[:10] = np.resize([0, 1], 10)
    rule = updates.Replay(PA2(0.05))
    learner = askance.Learner(rule, queries.Always(), dtype="float64", multiclass=True)
    for part, width in ((slice(0, 10), 6), (slice(10, None), 10)):
        learner = from_bytes(to_bytes(learner))
        learner.resize(width)
        learner.partial_fit(X[part, :width], y[part])
        assert learner.classes_.tolist() == sorted(set(y[: part.stop]))
    state, order = learner._core.machine.core.state, learner.classes_.tolist()
    for _, slot in itertools.product(range(100), range(len(y))):
        visit_classes(state, np.zeros(4), slot)
    known = of_classes(PA2(0.05)).partial_fit(X, y)
    for _, slot in itertools.product(range(100), range(len(y))):
        visit_classes(known._core.machine.core.state, np.zeros(4), slot)
    assert order == [0, 1, 2, 3]
    np.testing.assert_allclose(learner.coef_, known.coef_, atol=1e-5)


@pytest.mark.plain
@pytest.mark.compiled
def test_chunks_of_many_classes_do_not_matter_and_ask_and_tell_are_run() -> None:
    X, y, _ = streams.several(rows=70, random_state=8)
    make = lambda: askance.Learner(  # noqa: E731
        updates.Replay(PA1(), memory=12), queries.Margin(), dtype="float64", multiclass=True, classes=range(4)
    )
    whole, parts, alone = make(), make(), make()
    trace = whole.run(X, y)
    for start in range(0, 70, 9):
        parts.run(sp.csr_array(X[start : start + 9]), y[start : start + 9])
    alone.resize(X.shape[1])
    for t, x in enumerate(X):
        decision = alone.ask(x)
        assert (decision.score, decision.ask) == (trace.scores[t], trace.asked[t])
        if decision.ask:
            alone.tell(x, y[t])
    assert to_bytes(parts) == to_bytes(whole) == to_bytes(alone)


def test_a_forged_label_is_refused() -> None:
    X, y, _ = streams.several(rows=9, random_state=4)
    learner = of_classes(PA2(), memory=5).partial_fit(X, y)
    learner._core.machine.core.state.memory.labels[1] = 4
    with pytest.raises(ModelFileError, match="not where they should be"):
        from_bytes(to_bytes(learner))
