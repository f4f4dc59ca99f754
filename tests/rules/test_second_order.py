"""What the formulas of second-order learning imply: of Σ, of a step, of a diagonal, of questions."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import askance
from askance import queries, updates
from askance.rules.query.rule import NoMemory
from askance.rules.rows import Seen
from askance.rules.state.matrix import PENDING
from askance.rules.update.rule import about
from exact_learners import SEEDS, exact
from examples import examples
from refusals import refused
from second_order_cases import ALL, GAUSSIAN, MODES, gaussian_rows, sigma, state_of


def one_hot_rows(random_state: int, rows: int = 40, width: int = 5) -> tuple[Any, Any]:
    rng = np.random.default_rng(random_state)
    X = np.eye(width)[rng.integers(0, width, rows)] * rng.normal(size=(rows, 1))
    return X, rng.choice([-1, 1], rows)


# ---------------------------------------------------------------------- Σ


@pytest.mark.sampled(3)
@pytest.mark.parametrize("update", ALL, ids=str)
@examples(20)
@given(random_state=SEEDS)
def test_sigma_is_positive_definite_and_only_shrinks(update: Any, random_state: int) -> None:
    X, y = gaussian_rows(random_state)
    probes = np.random.default_rng(random_state + 1).normal(size=(10, X.shape[1]))
    for changes in ({"full": True}, {"full": False}):
        learner = exact(update._replace(**changes))
        learner.resize(X.shape[1])
        before = np.einsum("ij,ij->i", probes, probes)  # Σ = I
        for x, label in zip(X, y, strict=True):
            learner.tell(x, int(label))
            found = sigma(learner)
            assert np.array_equal(found, found.T)
            assert np.linalg.eigvalsh(found).min() > 0
            after = np.einsum("ij,jk,ik->i", probes, found, probes)
            assert (after <= before * (1 + 1e-12)).all()
            before = after
        assert (before < 0.99 * np.einsum("ij,ij->i", probes, probes)).any()


@pytest.mark.parametrize(
    ("update", "c"),
    [
        (updates.AROW(0.5), 2.0),
        (updates.PAM(), 1.0),
        (updates.PAM1(0.3), 1.0),
        (updates.PAM2(0.3), 1.0),
        (updates.SOAL(0.5, 2.0), 0.5),
        (updates.SecondOrderPerceptron(), 1.0),
    ],
    ids=str,
)
def test_sigma_is_the_inverse_of_what_was_added_up(update: Any, c: float) -> None:
    """Σ⁻¹ = I + c Σ x xᵀ over the rows that were learned from."""
    X, y = gaussian_rows(5)
    learner = exact(update._replace(full=True), queries.Always())
    fired = learner.run(X, y).updated
    assert fired.sum() > PENDING
    wanted = np.linalg.inv(np.eye(X.shape[1]) + c * X[fired].T @ X[fired])
    np.testing.assert_allclose(sigma(learner), wanted, rtol=1e-9, atol=1e-12)


# ---------------------------------------------------------------------- a step


def a_step(update: Any, random_state: int) -> tuple[Any, float, float, float, float]:
    """The learner, and margin y p and spread xᵀΣx before and after one more label."""
    X, y = gaussian_rows(random_state, rows=12)
    learner = exact(update).partial_fit(X[:-1], y[:-1])
    x, label = X[-1], y[-1]
    figures = []
    for _ in range(2):
        figures.extend([label * (learner.coef_[0] @ x), x @ sigma(learner) @ x])
        learner.tell(x, int(label)) if len(figures) == 2 else None
    return learner, *figures


@pytest.mark.parametrize("full", [True, False])
@given(random_state=SEEDS, inverse=st.booleans())
def test_pam_reaches_a_margin_of_one_and_no_more(full: bool, random_state: int, inverse: bool) -> None:
    _, before, v, after, v_after = a_step(updates.PAM(full, inverse), random_state)
    if before < 1:
        assert after == pytest.approx(1, abs=1e-8)
        assert v_after < v
        if full:
            assert v_after == pytest.approx(v / (1 + v), rel=1e-6)
    else:
        assert (after, v_after) == (before, v)


@given(random_state=SEEDS, phi=st.floats(0.05, 3.0))
def test_confidence_weighted_reaches_the_wanted_confidence_and_no_more(random_state: int, phi: float) -> None:
    for rule, root in ((updates.ConfidenceWeighted, float), (updates.ConfidenceWeightedStdev, math.sqrt)):
        _, before, v, after, v_after = a_step(rule(phi, full=True), random_state)
        if before < phi * root(v):
            assert after == pytest.approx(phi * root(v_after), rel=1e-6, abs=1e-9)
            assert v_after < v
        else:
            assert (after, v_after) == (before, v)


@given(random_state=SEEDS, phi=st.floats(0.05, 3.0), C=st.floats(-6, 6).map(lambda power: 2.0**power))
def test_soft_confidence_pays_for_what_is_lacking(random_state: int, phi: float, C: float) -> None:
    """After a step, φ√V - M is what its price allows: anything for α = C, and α/(2C) for squares."""
    for rule, squared in ((updates.SoftConfidence1, False), (updates.SoftConfidence2, True)):
        _, before, v, after, v_after = a_step(rule(C, phi, full=True), random_state)
        alpha, lacking = (after - before) / v, phi * math.sqrt(v_after) - after
        if before >= phi * math.sqrt(v):
            assert (after, v_after) == (before, v)
        elif squared:
            assert lacking == pytest.approx(alpha / (2 * C), rel=1e-6, abs=1e-9)
        else:
            assert alpha <= C * (1 + 1e-9)
            assert lacking == pytest.approx(0, abs=1e-7) if alpha < C * (1 - 1e-9) else lacking > -1e-7


@given(random_state=SEEDS, r=st.floats(-6, 6).map(lambda power: 2.0**power))
def test_arow_goes_forward_by_the_share_that_is_not_known(random_state: int, r: float) -> None:
    _, before, v, after, v_after = a_step(updates.AROW(r, full=True), random_state)
    if before < 1:
        assert after == pytest.approx(before + (1 - before) * v / (v + r), rel=1e-6, abs=1e-9)
        assert v_after == pytest.approx(r * v / (v + r), rel=1e-6)


@given(random_state=SEEDS, C=st.floats(-6, 6).map(lambda power: 2.0**power))
def test_herding_moves_every_weight_vector_as_the_mean(random_state: int, C: float) -> None:
    """Σ' = AΣAᵀ, where the map A leaves the share 1/(1 + Cv) of what it finds along the row."""
    _, before, v, after, v_after = a_step(updates.NHERD(C, full=True), random_state)
    if before < 1:
        assert after == pytest.approx(before + (1 - before) * v * C / (1 + C * v), rel=1e-6, abs=1e-9)
        assert v_after == pytest.approx(v / (1 + C * v) ** 2, rel=1e-6)


@examples(20)
@given(random_state=SEEDS)
def test_on_rows_of_one_feature_all_herds_are_one(random_state: int) -> None:
    X, y = one_hot_rows(random_state)
    full = exact(updates.NHERD(0.5, full=True)).partial_fit(X, y)
    for diagonal in (exact(updates.NHERD(0.5, exact=one)).partial_fit(X, y) for one in MODES):
        np.testing.assert_allclose(diagonal.coef_, full.coef_, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(sigma(diagonal), sigma(full), rtol=1e-8, atol=1e-12)


@given(random_state=SEEDS, b=st.floats(-3, 3).map(lambda power: 2.0**power))
def test_narow_learns_until_enough_is_known_about_a_row(random_state: int, b: float) -> None:
    _, before, v, after, v_after = a_step(updates.NAROW(b, full=True), random_state)
    if before / max(1, b * v) < 1:  # a_step has margins of A⁻¹θ
        assert v_after == pytest.approx(min(v, 1 / b), rel=1e-6)
        assert after == pytest.approx((before + v) / max(1, b * v), rel=1e-6, abs=1e-9)
    else:
        assert (after, v_after) == (before, v)


@given(random_state=SEEDS, c=st.floats(0.01, 0.9))
def test_the_ellipsoid_is_cut_where_a_mistake_was(random_state: int, c: float) -> None:
    _, before, v, after, v_after = a_step(updates.IELLIP(c, 0.0, full=True), random_state)
    if before < 0:
        assert after == pytest.approx(1, abs=1e-7)
        assert v_after == pytest.approx(v * (1 - c), rel=1e-6)
    else:
        assert (after, v_after) == (before, v)


@pytest.mark.parametrize("inverse", [True, False])
def test_the_diagonal_ellipsoid_gets_no_denormal_steps(inverse: bool) -> None:
    rule = updates.IELLIP(inverse=inverse)
    shrinks = [rule.step(Seen(0.5, 1.0, 1.0, 1.0, 0, 0.0, n_labels), -1.0)[1][2] for n_labels in range(200)]
    smallest = float(np.finfo(np.float32).tiny)
    assert all(later <= earlier for earlier, later in itertools.pairwise(shrinks))
    assert all(shrink == 0 or shrink >= smallest for shrink in shrinks)  # denormal numbers are slow
    assert shrinks[50] > 0
    assert shrinks[199] == 0


@given(random_state=SEEDS)
def test_soal_moves_along_the_new_sigma(random_state: int) -> None:
    _, before, _, after, v_after = a_step(updates.SOAL(0.7, 2.0, full=True), random_state)
    if before < 1:
        assert after == pytest.approx(before + 0.7 * v_after, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("full", [True, False])
@given(random_state=SEEDS)
def test_the_first_step_of_pam_is_that_of_pa(full: bool, random_state: int) -> None:
    """Σ = I then."""
    X, y = gaussian_rows(random_state, rows=1)
    for ours, plain in (
        (updates.PAM(full), updates.PassiveAggressive()),
        (updates.PAM1(0.3, full), updates.PassiveAggressive1(0.3)),
        (updates.PAM2(0.3, full), updates.PassiveAggressive2(0.3)),
    ):
        moved = [exact(update).partial_fit(X, y).coef_ for update in (ours, plain)]
        np.testing.assert_allclose(*moved, rtol=1e-12)


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("update", ALL, ids=lambda update: type(update).__name__)
def test_a_row_of_zeros_teaches_nothing(update: Any, full: bool) -> None:
    X, y = gaussian_rows(2)
    learner = exact(update._replace(full=full), queries.Always())
    learner.run(X, y)
    before = [array.tobytes() for array in state_of(learner)]
    trace = learner.run(np.zeros((3, X.shape[1])), [1, -1, 1])
    assert [array.tobytes() for array in state_of(learner)] == before
    assert not trace.scores.any()


# ---------------------------------------------------------------------- diagonals


@pytest.mark.sampled(4)
@pytest.mark.parametrize("inverse", MODES)
@pytest.mark.parametrize("update", GAUSSIAN, ids=str)
@examples(20)
@given(random_state=SEEDS)
def test_on_rows_of_one_feature_a_diagonal_is_all_there_is(update: Any, inverse: bool, random_state: int) -> None:
    X, y = one_hot_rows(random_state)
    full, diagonal = (exact(update._replace(full=full, inverse=inverse)) for full in (True, False))
    for learner in (full, diagonal):
        learner.partial_fit(X, y)
    np.testing.assert_allclose(diagonal.coef_, full.coef_, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(sigma(diagonal), sigma(full), rtol=1e-8, atol=1e-12)


@examples(20)
@given(random_state=SEEDS)
def test_on_rows_of_one_feature_all_second_order_perceptrons_are_one(random_state: int) -> None:
    X, y = one_hot_rows(random_state)
    rules = [
        updates.SecondOrderPerceptron(full=True),
        *(updates.SecondOrderPerceptron(rank1=one) for one in MODES),
    ]
    learners = [exact(rule, queries.Always()) for rule in rules]
    traces = [learner.run(X, y) for learner in learners]
    for learner, trace in zip(learners, traces, strict=True):
        np.testing.assert_allclose(trace.scores, traces[0].scores, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(learner.coef_, learners[0].coef_, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(sigma(learner), sigma(learners[0]), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("update", GAUSSIAN, ids=str)
def test_the_two_diagonals_differ_on_other_rows(update: Any) -> None:
    X, y = gaussian_rows(1)
    kept = [sigma(exact(update._replace(inverse=inverse)).partial_fit(X, y)) for inverse in MODES]
    assert not np.allclose(*kept)


# ---------------------------------------------------------------------- questions


@given(p=st.floats(-10, 10), v=st.floats(0, 10), eta=st.floats(0.01, 10), gamma=st.floats(0.01, 10))
def test_the_less_is_known_the_likelier_a_question(p: float, v: float, eta: float, gamma: float) -> None:
    rule = queries.SpreadMargin(0.5, eta, gamma)
    asking = [rule.ask(NoMemory(), Seen(p, spread, 1.0, 1.0, 0, 0.0), 0.5) for spread in (0.0, v, 2 * v)]
    assert asking[0] <= asking[1] <= asking[2] <= 1
    assert asking[0] == pytest.approx(queries.Margin(0.5).ask(NoMemory(), Seen(p, 0.0, 1.0, 1.0, 0, 0.0), 0.5))
    surely = abs(p) <= eta * v * gamma / (2 * (v + gamma))
    assert (asking[1] == 1) if surely else (asking[1] < 1 or p == 0 or abs(p) < 1e-12)


def test_a_rule_without_a_spread_cannot_be_asked_for_it() -> None:
    with refused("SpreadMargin", "PassiveAggressive2", "AROW", "Margin"):
        askance.Learner(updates.PassiveAggressive2(), queries.SpreadMargin())
    with refused("Within", "spread", "Perceptron"):
        askance.Learner(updates.Perceptron(), queries.Within(queries.SpreadMargin()))
    for update in ALL:
        askance.Learner(update, queries.AtRate(queries.SpreadMargin()))


@pytest.mark.parametrize("update", ALL, ids=lambda update: type(update).__name__)
def test_what_a_rule_says_of_itself(update: Any) -> None:
    assert about(update._replace(full=True)).cost == "O(d²)"
    assert about(update).cost == "O(d')"
    assert about(update).has_spread
