"""Replay: the same as its inner rule without visits, and a support vector machine after many."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import LinearSVC

import streams
from askance import queries, updates
from askance.errors import ModelFileError
from askance.learners.files import from_bytes, to_bytes
from askance.rules.state.replayed import COUNT, FREE, visit
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
