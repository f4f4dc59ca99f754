"""What second-order rules promise: a Σ that stays positive definite and shrinks, and margins after a step."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import askance
from askance import queries, updates
from askance.updates import full as full_states
from askance.updates.full import covariance

SEEDS = st.integers(0, 2**32 - 1)
SIZES = st.floats(-5, 5).map(lambda power: 2.0**power)
PHIS = st.floats(0.55, 0.99).map(updates.deviations)
GAUSSIANS = st.one_of(
    st.builds(updates.AROW, SIZES, full=st.just(True)),
    st.builds(updates.ConfidenceWeighted, PHIS, full=st.just(True)),
    st.builds(updates.ConfidenceWeightedStdev, PHIS, full=st.just(True)),
    st.builds(updates.PAM, full=st.just(True)),
    st.builds(updates.PAM1, SIZES, full=st.just(True)),
    st.builds(updates.PAM2, SIZES, full=st.just(True)),
    st.builds(updates.SOAL, SIZES, SIZES, full=st.just(True)),
    st.builds(updates.SecondOrderPerceptron, full=st.just(True)),
)


def exact(update: Any, query: Any = None) -> askance.Learner:
    return askance.Learner(update, query, dtype="float64", classes=(-1, 1))


def rows_and_labels(seed: int, rows: int = 30, width: int = 5) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, width)), rng.choice([-1, 1], rows)


def sigma(learner: askance.Learner) -> Any:
    return covariance(learner._machine.core.state)


@settings(max_examples=60)
@given(GAUSSIANS, SEEDS)
def test_the_matrix_shrinks_and_stays_positive_definite(update: Any, seed: int) -> None:
    X, y = rows_and_labels(seed)
    learner = exact(update).partial_fit(X[:1], y[:1])
    before = sigma(learner)
    for x, label in zip(X[1:], y[1:], strict=True):
        learner.tell(x, int(label))
        after = sigma(learner)
        assert np.array_equal(learner._machine.core.state.matrix, learner._machine.core.state.matrix.T)
        scale = np.abs(before).max()
        assert np.linalg.eigvalsh(after).min() > -1e-12 * scale
        assert np.linalg.eigvalsh(before - after).min() > -1e-10 * scale
        before = after
    assert np.linalg.eigvalsh(before).min() > 0


def last_step(update: Any, seed: int) -> tuple[bool, float, float]:
    """Whether the last of some rows was learned from, and its y p and xᵀΣx afterwards."""
    X, y = rows_and_labels(seed, rows=12)
    learner = exact(update, queries.Always())
    trace = learner.run(X, y)
    margin = y[-1] * learner.decision_function(X[-1:])[0]
    return bool(trace.updated[-1]), float(margin), float(X[-1] @ sigma(learner) @ X[-1])


@given(SEEDS)
def test_a_hard_step_reaches_a_margin_of_one(seed: int) -> None:
    updated, margin, _ = last_step(updates.PAM(full=True), seed)
    assert not updated or margin == pytest.approx(1, abs=1e-8)


@given(PHIS, SEEDS)
def test_a_confident_step_reaches_the_wanted_probability(phi: float, seed: int) -> None:
    updated, margin, spread = last_step(updates.ConfidenceWeighted(phi, full=True), seed)
    assert not updated or margin == pytest.approx(phi * spread, abs=1e-7)
    updated, margin, spread = last_step(updates.ConfidenceWeightedStdev(phi, full=True), seed)
    assert not updated or margin == pytest.approx(phi * math.sqrt(spread), abs=1e-7)


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize(
    "rule",
    [
        updates.AROW(0.7),
        updates.ConfidenceWeighted(),
        updates.ConfidenceWeightedStdev(),
        updates.PAM(),
        updates.PAM1(0.3),
        updates.PAM2(0.3),
        updates.SOAL(0.5, 2.0),
    ],
    ids=lambda rule: type(rule).__name__,
)
def test_the_diagonal_is_all_there_is_for_one_hot_rows(rule: Any, inverse: bool) -> None:
    agree(rule._replace(full=True), rule._replace(inverse=inverse))


@pytest.mark.parametrize("rank1", [False, True])
def test_both_diagonal_perceptrons_are_the_full_one_for_one_hot_rows(rank1: bool) -> None:
    agree(updates.SecondOrderPerceptron(full=True), updates.SecondOrderPerceptron(rank1=rank1))


def agree(whole: Any, diagonal: Any) -> None:
    rng = np.random.default_rng(3)
    X = np.eye(4)[rng.integers(0, 4, 80)] * rng.uniform(0.3, 2.0, (80, 1))
    y = rng.choice([-1, 1], 80)
    coins = rng.random(80)
    one, other = (exact(rule, queries.Margin(0.5)).run(X, y, coins=coins) for rule in (whole, diagonal))
    assert np.array_equal(one.asked, other.asked)
    # Not `updated`: of a feature seen again, the step of CW with standard deviations leaves exactly nothing to do.
    np.testing.assert_allclose(one.scores, other.scores, rtol=1e-9, atol=1e-9)


@given(SEEDS, SIZES)
def test_from_the_identity_the_first_step_is_that_of_passive_aggressive_learning(seed: int, C: float) -> None:
    X, y = rows_and_labels(seed, rows=1)
    pairs = [
        (updates.PAM(full=True), updates.PassiveAggressive()),
        (updates.PAM1(C, full=True), updates.PassiveAggressive1(C)),
        (updates.PAM2(C, full=True), updates.PassiveAggressive2(C)),
        (updates.PAM2(C), updates.PassiveAggressive2(C)),
    ]
    for second, first in pairs:
        found, wanted = (exact(rule).partial_fit(X, y).coef_ for rule in (second, first))
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


def many_rounds(rounds: int, dtype: str) -> None:
    """Rows in few directions, and one almost unseen: what is well known and what is not lie far apart."""
    rng = np.random.default_rng(5)
    learner = askance.Learner(updates.AROW(0.01, full=True), queries.Always(), dtype=dtype, classes=(-1, 1))
    for _ in range(rounds // 10_000):
        X = rng.normal(size=(10_000, 6)) @ np.diag([10, 1, 1, 0.1, 0.01, 1e-4])
        learner.run(X, rng.choice([-1, 1], 10_000))
    found = sigma(learner)
    scales = np.sqrt(np.outer(found.diagonal(), found.diagonal()))
    # Relaxed sums may round differently on the two sides of the diagonal.
    assert (np.abs(found - found.T) <= (1e-9 if dtype == "float32" else 0) * scales).all()
    assert np.linalg.eigvalsh(found).min() > 0
    assert np.isfinite(learner.coef_).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_matrix_is_sound_after_many_rounds(dtype: str) -> None:
    many_rounds(20_000, dtype)


@pytest.mark.soak
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_matrix_is_sound_after_a_million_rounds(dtype: str) -> None:
    many_rounds(1_000_000, dtype)


def test_a_matrix_that_cannot_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    learner = exact(updates.AROW(full=True)).partial_fit(*rows_and_labels(0))
    before = learner.coef_.copy()
    monkeypatch.setattr(full_states, "free_bytes", lambda: 1e6)
    with pytest.raises(ValueError, match="take AROW with full=False, which keeps its diagonal only"):
        learner.widen(5_000)
    assert np.array_equal(learner.coef_, before)
    with pytest.raises(ValueError, match=r"a full matrix over 5,000 features takes 0\.2 GB"):
        exact(updates.SecondOrderPerceptron(full=True)).run(np.ones((2, 5_000)), [1, -1])


@pytest.mark.parametrize(
    ("work", "says"),
    [
        (lambda: askance.make("AROW", r=0), "AROW: r must be greater than 0"),
        (lambda: askance.make("CW", eta=0.5), "eta must be greater than 0.5 and less than 1, not 0.5"),
        (lambda: askance.make("CW", eta=1), "not 1"),
        (lambda: askance.make("CW", form="mean"), "form must be 'var' or 'stdev', not 'mean'"),
        (lambda: askance.make("AROW-diag", mode="keep"), "mode must be 'inv' or 'drop', not 'keep'"),
        (lambda: askance.make("SOP-diag", rule="row"), "rule must be 'entry' or 'rank1', not 'row'"),
        (lambda: askance.make("PAM-I", C=-1), "C must be greater than 0"),
        (lambda: askance.make("SOAL", gamma=0), "gamma must be greater than 0"),
        (lambda: exact(updates.AROW(full=1)), "full must be True or False, not 1"),
        (lambda: exact(updates.PassiveAggressive2(), queries.SpreadMargin()), "looks at the spread"),
    ],
)
def test_what_is_refused(work: Any, says: str) -> None:
    with pytest.raises((ValueError, TypeError), match=says):
        work()
