"""Weights of rows: each multiplies the loss of its row, exactly, or is refused."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import askance
import streams
from askance import queries, updates
from askance.learners.files import to_bytes
from exact_learners import exact

X, Y, _ = streams.noisy(rows=40, width=5, random_state=7)
WEIGHTS = np.random.default_rng(1).uniform(0.1, 5.0, 40)
PA1, PA2, OGD = updates.PassiveAggressive1, updates.PassiveAggressive2, updates.OGD


@pytest.mark.parametrize("rule", [PA1(0.2), PA2(0.3), OGD()], ids=str)
def test_a_weight_of_one_changes_nothing(rule: Any) -> None:
    plain = exact(rule).partial_fit(X, Y)
    weighted = exact(rule).partial_fit(X, Y, sample_weight=np.ones(40))
    told = exact(rule).resize(5)
    for x, label in zip(X, Y, strict=True):
        told.tell(x, label, sample_weight=1)
    assert to_bytes(plain) == to_bytes(weighted) == to_bytes(told)


@pytest.mark.parametrize("rows", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(("rule", "squared"), [(PA1(0.05), False), (PA2(0.3), True)], ids=str)
def test_each_step_minimises_the_weighted_loss(rule: Any, squared: bool, rows: Any) -> None:
    """w minimises ½‖w - w_t‖² + weight · C · ℓ: the direction is y x, and no other length does better."""
    learner, before = exact(rule), np.zeros(5)
    for t, (x, label) in enumerate(zip(X, Y, strict=True)):
        learner.partial_fit(rows(X[t : t + 1]), [label], sample_weight=[WEIGHTS[t]])
        lengths = np.linspace(0, 4, 4001)
        losses = np.maximum(0, 1 - label * (before @ x) - lengths * (x @ x))
        costs = lengths**2 * (x @ x) / 2 + WEIGHTS[t] * rule.C * (losses**2 if squared else losses)
        step = learner.coef_[0] - before
        length = label * (step @ x) / (x @ x)
        np.testing.assert_allclose(step, length * label * x, atol=1e-12)
        assert length == pytest.approx(lengths[np.argmin(costs)], abs=2e-3)
        before = learner.coef_[0].copy()


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("rule", [PA1(0.2), PA2(0.3), OGD(0.5)], ids=str)
def test_rows_together_are_rows_one_by_one(rule: Any, many: bool) -> None:
    if many and isinstance(rule, OGD):
        rule = PA2(2.0)
    make = {"dtype": "float64", "multiclass": many, "classes": (-1, 1)}
    weights = np.repeat(WEIGHTS[:8], 5)  # some rows have the same weight
    together = askance.Learner(rule, queries.Always(), **make).partial_fit(X, Y, sample_weight=weights)
    alone = askance.Learner(rule, queries.Always(), **make).resize(5)
    for x, label, weight in zip(X, Y, weights, strict=True):
        alone.tell(x, label, sample_weight=weight)
    assert to_bytes(together) == to_bytes(alone)
    plain = askance.Learner(rule, queries.Always(), **make).partial_fit(X, Y)
    assert not np.array_equal(together.coef_, plain.coef_)


def test_the_rule_itself_stays() -> None:
    learner = exact(PA1(0.05)).partial_fit(X, Y, sample_weight=WEIGHTS)
    other = exact(PA1(0.05)).partial_fit(X, Y, sample_weight=WEIGHTS)
    learner.run(X, Y)
    other.run(X, Y)
    assert learner._core.machine.core.update == PA1(0.05)
    assert to_bytes(learner) == to_bytes(other)
    assert np.isfinite(exact(PA1()).fit(X, Y, sample_weight=WEIGHTS).coef_).all()


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        (np.zeros(40), "positive finite numbers"),
        (np.full(40, -1.0), "positive finite numbers"),
        (np.full(40, np.nan), "positive finite numbers"),
        (np.full(40, np.inf), "positive finite numbers"),
        (np.full(40, 1e308), "C must be"),
        (np.ones(39), "one number per row, 40 in all"),
        (np.ones((40, 2)), "one number per row, 40 in all"),
    ],
)
def test_bad_weights_are_refused_and_nothing_changes(weights: Any, says: str) -> None:
    learner = exact(PA2(10.0)).partial_fit(X[:5], Y[:5])
    before = to_bytes(learner)
    with pytest.raises(ValueError, match=says):
        learner.partial_fit(X, Y, sample_weight=weights)
    assert to_bytes(learner) == before


def test_a_bad_row_changes_nothing() -> None:
    learner = exact(PA2()).partial_fit(X[:5], Y[:5])
    before, bad = to_bytes(learner), X.copy()
    bad[30, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        learner.partial_fit(bad, Y, sample_weight=WEIGHTS)
    with pytest.raises(ValueError, match="NaN"):
        learner.partial_fit(sp.csr_array(bad), Y, sample_weight=WEIGHTS)
    assert to_bytes(learner) == before


@pytest.mark.parametrize(
    "rule", [updates.Perceptron(), updates.PassiveAggressive(), updates.Replay(), updates.AROW()], ids=str
)
def test_rules_without_a_closed_form_say_so(rule: Any) -> None:
    learner = exact(rule)
    for learn in (
        lambda: learner.fit(X, Y, sample_weight=WEIGHTS),
        lambda: learner.partial_fit(X, Y, sample_weight=WEIGHTS),
        lambda: learner.tell(X[0], 1, sample_weight=2.0),
    ):
        with pytest.raises(TypeError, match=f"{type(rule).__name__} cannot weight rows.*PassiveAggressive1"):
            learn()
