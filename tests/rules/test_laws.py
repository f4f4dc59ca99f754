"""What the papers prove of their rules, and what their formulas imply, holds of the learners."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import combinations
import streams
from askance import queries, updates
from askance.rules.registry import parameters_of
from askance.rules.rows import Seen
from exact_learners import COSTS, SEEDS, a_step, exact, mean_mistakes
from examples import examples
from thinning import rest_in_soak

# ---------------------------------------------------------------------- steps


@given(SEEDS)
def test_perceptron_moves_by_the_row_on_a_mistake_and_only_then(random_state: int) -> None:
    moved, x, y, before, _ = a_step(updates.Perceptron(), random_state)
    mistake = before < 0 or (before == 0 and y == -1)  # sgn(0) = +1
    np.testing.assert_allclose(moved, y * x if mistake else 0 * x, atol=1e-12)


@given(SEEDS)
def test_passive_aggressive_reaches_a_margin_of_one_and_no_more(random_state: int) -> None:
    moved, _, _, before, after = a_step(updates.PassiveAggressive(), random_state)
    if before < 1:
        assert after == pytest.approx(1, abs=1e-9)
    else:
        assert not moved.any()


@given(SEEDS, COSTS)
def test_passive_aggressive_1_steps_at_most_c_and_not_past_a_margin_of_one(random_state: int, C: float) -> None:
    moved, x, y, before, after = a_step(updates.PassiveAggressive1(C), random_state)
    tau = y * (moved @ x) / (x @ x)
    np.testing.assert_allclose(moved, tau * y * x, atol=1e-12)
    assert -1e-12 <= tau <= C * (1 + 1e-9)
    # Passive above 1; else the whole way, or as far as C allows.
    assert tau == 0 if before >= 1 else tau == pytest.approx(min(C, (1 - before) / (x @ x)))
    assert after <= max(1, before) + 1e-9


@given(SEEDS, COSTS)
def test_passive_aggressive_2_goes_forward_and_never_overshoots(random_state: int, C: float) -> None:
    moved, x, _, before, after = a_step(updates.PassiveAggressive2(C), random_state)
    if before >= 1:
        assert not moved.any()
    else:
        assert before < after < 1
        # ½‖w - w_t‖² + C ℓ² is stationary: the step is 2 C times the loss that remains.
        assert np.sqrt(moved @ moved / (x @ x)) == pytest.approx(2 * C * (1 - after), rel=1e-6)


@pytest.mark.parametrize("rule", [updates.PassiveAggressive1, updates.PassiveAggressive2])
def test_a_large_c_is_the_hard_margin(rule: Any) -> None:
    made = streams.noisy()
    hard = exact(updates.PassiveAggressive()).partial_fit(made.X, made.y)
    soft = exact(rule(C=1e12)).partial_fit(made.X, made.y)
    np.testing.assert_allclose(soft.coef_, hard.coef_, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(
    "update",
    [updates.PassiveAggressive(), updates.PassiveAggressive1(0.5), updates.PassiveAggressive2(2.0)],
    ids=str,
)
@examples(30)
@given(random_state=SEEDS)
def test_lemma_1_of_the_active_passive_aggressive_paper(update: Any, random_state: int) -> None:
    """Σ Z 2τ [L(α - |p|) + M(α + |p|)] ≤ α²‖w‖² + Σ τ²‖x‖² + Σ 2ατ ℓ(w), for any α > 0 and any w."""
    rng = np.random.default_rng(random_state)
    rows, alpha, w = 40, 10 ** rng.uniform(-1, 1), rng.normal(size=5)
    X = rng.normal(size=(rows, 5))
    y = np.where(X @ w + rng.normal(size=rows) > 0, 1, -1)
    learner = exact(update, queries.Margin(1.0), random_state=random_state % 1000)
    left = right = 0.0
    before = np.zeros(5)
    for x, label in zip(X, y, strict=True):
        p, guess = before @ x, 1 if before @ x >= 0 else -1
        learner.run(x[np.newaxis], [label])
        tau = label * ((learner.coef_[0] - before) @ x) / (x @ x)  # 0 where it did not ask or did not fire
        left += 2 * tau * (alpha + abs(p) if guess != label else alpha - abs(p))
        right += tau**2 * (x @ x) + 2 * alpha * tau * max(0.0, 1 - label * (w @ x))
        before = learner.coef_[0].copy()
    assert left <= alpha**2 * (w @ w) + right + 1e-9


# ---------------------------------------------------------------------- questions


@pytest.mark.sampled(4)
@pytest.mark.parametrize("query", list(combinations.query_rules()), ids=str)
@given(scores=st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), coin=st.floats(0, 1, exclude_max=True))
def test_probability_does_not_grow_with_the_distance_from_the_boundary(
    query: Any, scores: Any, coin: float
) -> None:
    near, far = sorted(map(abs, scores))
    asking = [
        [query.ask(query.start(), Seen(side * score, 0.0, 1.0, side, 0, 0.0), coin) for score in (near, far)]
        for side in (1.0, -1.0)
    ]
    for one in asking:
        assert 1 >= one[0] >= one[1] > 0
    assert asking[0] == asking[1] or any(name.endswith("rho") for name in parameters_of(query))


@given(b=COSTS, score=st.floats(0, 1e3))
def test_a_larger_b_asks_more(b: float, score: float) -> None:
    asking = [
        queries.Margin(value).ask(None, Seen(score, 0.0, 1.0, 1.0, 0, 0.0), 0.5) for value in (b, 2 * b, math.inf)
    ]
    assert asking[0] <= asking[1] <= asking[2] == 1


def test_a_coin_must_be_less_than_the_probability() -> None:
    coins = [0.25, np.nextafter(0.25, 0), np.nextafter(0.25, 1), 0.0]
    trace = exact(updates.Perceptron(), queries.Random(0.25)).run(np.ones((4, 1)), [1, -1, 1, -1], coins=coins)
    assert trace.asked.tolist() == [False, True, False, True]
    broke = queries.Within(queries.Always(), rate=0.0, burst=0.0)
    assert not exact(updates.Perceptron(), broke).run(np.ones((2, 1)), [1, -1], coins=[0.0, 0.0]).asked.any()


@pytest.mark.sampled(4)
@pytest.mark.parametrize("b", [math.inf, 1e300])
@pytest.mark.parametrize("update", updates.RULES)
def test_an_infinite_b_is_full_supervision(update: Any, b: float) -> None:
    made = streams.noisy()
    learners = [exact(update(), query) for query in (queries.Margin(b), queries.Always())]
    eager, full = (learner.run(made.X, made.y) for learner in learners)
    assert eager.asked.all()
    assert full.asked.all()
    for field in ("predictions", "scores", "ask_probabilities", "updated"):
        np.testing.assert_array_equal(getattr(eager, field), getattr(full, field))
    np.testing.assert_array_equal(*(learner.coef_ for learner in learners))
    np.testing.assert_array_equal(exact(update()).partial_fit(made.X, made.y).coef_, learners[1].coef_)


# Weights of these shrink with every label, whatever its row.
SHRINKING = (updates.Pegasos, updates.TruncatedGradient, updates.AdaFOBOS, updates.AdaRDA, updates.RDA)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "combination", [one for one in combinations.ALL if not isinstance(one.update, SHRINKING)], ids=str
)
def test_rows_of_zeros_change_nothing_but_counters(combination: combinations.Combination) -> None:
    made = streams.noisy(rows=30)
    learner = combination.learner()
    learner.run(made.X, made.y)
    weights, before = learner.coef_.tobytes(), learner.spending_
    trace = learner.run(np.zeros((5, made.X.shape[1])), [1, -1, 1, -1, -1])
    assert learner.coef_.tobytes() == weights
    assert learner.spending_.rows == before.rows + 5
    assert learner.spending_.asked == before.asked + trace.asked.sum()
    assert not trace.scores.any()
    assert (trace.predictions == 1).all()  # sgn(0) = +1


@pytest.mark.parametrize("sgn0", [1, -1])
def test_the_sign_of_zero_is_the_one_asked_for_everywhere(sgn0: int) -> None:
    zeros = np.zeros((1, 2))
    learner = exact(updates.Perceptron(), sgn0=sgn0)
    assert learner.run(zeros, [1]).predictions.tolist() == [sgn0]
    assert learner.ask(zeros[0]).prediction == sgn0
    assert learner.predict(zeros).tolist() == [sgn0]
    learner.tell([1.0, 0.0], sgn0)
    assert not learner.coef_.any()
    learner.tell([1.0, 0.0], -sgn0)
    assert learner.coef_.tolist() == [[-sgn0, 0.0]]


def test_mistakes_are_counted_on_all_rounds_asked_or_not() -> None:
    made = streams.noisy()
    silent = exact(updates.Perceptron(), queries.Within(queries.Always(), rate=0.0, burst=0.0))
    trace = silent.run(made.X, made.y)
    assert not trace.asked.any()
    assert trace.summary().mistakes == (made.y == -1).sum()
    rare = exact(updates.Perceptron(), queries.Random(0.2)).run(made.X, made.y)
    assert (
        rare.summary().mistakes
        == (rare.predictions != made.y).sum()
        > ((rare.predictions != made.y) & rare.asked).sum()
    )


# ---------------------------------------------------------------------- mistake bounds


def perceptron_bound(b: float, X: Any, y: Any, w: Any) -> float:
    """Theorem 1 of the selective-sampling paper with a margin of γ = 1."""
    radius = (X**2).sum(1).max()
    loss = np.maximum(0, 1 - y * (X @ w)).sum()
    return (1 + radius / (2 * b)) * loss + (w @ w) * (2 * b + radius) ** 2 / (8 * b)


def passive_aggressive_bounds(delta: float, C: float, X: Any, y: Any, w: Any) -> list[tuple[Any, float]]:
    """Theorems 1, 2 and 3 of the active passive-aggressive paper; the first is for separable streams."""
    radius, size = (X**2).sum(1).max(), w @ w
    loss = np.maximum(0, 1 - y * (X @ w))
    cap = max(1 / C, radius)
    soft_1 = cap / delta * ((delta + 1) ** 2 / 4 * size + (delta + 1) * C * loss.sum())
    soft_2 = (radius + 1 / (2 * C)) * ((delta + 1) ** 2 / (4 * delta)) * (size + 2 * C * (loss**2).sum())
    return [
        (updates.PassiveAggressive(), radius / 4 * (delta + 1 / delta + 2) * size),
        (updates.PassiveAggressive1(C), soft_1),
        (updates.PassiveAggressive2(C), soft_2),
    ]


def theorem_4_bounds(delta: float, C: float, X: Any, y: Any, w: Any) -> list[tuple[Any, float]]:
    """The same for the rule δ/(δ + 1 + |p|)."""
    radius, size = (X**2).sum(1).max(), w @ w
    loss = np.maximum(0, 1 - y * (X @ w))
    half = (delta / 2 + 1) ** 2
    soft_1 = max(1 / C, radius) / delta * (half * size + (delta + 2) * C * loss.sum())
    soft_2 = (radius + 1 / (2 * C)) * half / delta * (size + 2 * C * (loss**2).sum())
    return [
        (updates.PassiveAggressive(), radius * size * (delta / 4 + 1 + 1 / delta)),
        (updates.PassiveAggressive1(C), soft_1),
        (updates.PassiveAggressive2(C), soft_2),
    ]


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("random_state", rest_in_soak(range(3), {0}))
def test_bounds_hold_on_average_on_separable_streams(random_state: int) -> None:
    made, w = streams.separable(random_state=random_state)
    for b in (0.5, 2.0, 20.0):
        asking = queries.Margin(b)
        found = mean_mistakes(updates.Perceptron(), asking, made.X, made.y, sgn0=-1)
        assert 0 < found <= perceptron_bound(b, made.X, made.y, w)
    for delta, C in itertools.product((1.0, 4.0), (0.3, 3.0)):
        for update, bound in passive_aggressive_bounds(delta, C, made.X, made.y, w):
            assert 0 < mean_mistakes(update, queries.Margin(delta), made.X, made.y) <= bound
        for update, bound in theorem_4_bounds(delta, C, made.X, made.y, w):
            assert 0 < mean_mistakes(update, queries.Margin(delta, offset=1.0), made.X, made.y) <= bound


@pytest.mark.parametrize("n", [1, 20])
def test_bounds_are_met_exactly_on_orthonormal_rows(n: int) -> None:
    """Every margin is 0 and every guess, sgn(0), is made to be wrong."""
    X, C = np.eye(n), 2.0
    for sgn0 in (1, -1):
        y = np.full(n, -sgn0)
        found = mean_mistakes(updates.Perceptron(), queries.Margin(0.5), X, y, 3, sgn0)
        assert found == n == pytest.approx(perceptron_bound(0.5, X, y, y.astype(float)))
        # The comparator under which theorem 3 is tight leaves every row a loss of 1/(1 + 2C).
        shrunken = y * 2 * C / (1 + 2 * C)
        hard, soft_1, _ = passive_aggressive_bounds(1.0, C, X, y, y.astype(float))
        soft_2 = passive_aggressive_bounds(1.0, C, X, y, shrunken)[2]
        for update, bound in (hard, soft_1, soft_2):
            assert mean_mistakes(update, queries.Margin(1.0), X, y, 3, sgn0) == n == pytest.approx(bound)


@pytest.mark.compiled
def test_theorem_4_is_approached_as_delta_falls() -> None:
    """Each direction is wrong until it is asked for, which takes 1 + 1/δ rounds on average."""
    delta, n, seeds = 0.1, 4, 400
    X = np.repeat(np.eye(n), 200, axis=0)
    found = mean_mistakes(updates.PassiveAggressive(), queries.Margin(delta, 1.0), X, np.full(len(X), -1), seeds)
    bound = n * (delta / 4 + 1 + 1 / delta)
    deviation = np.sqrt(1 + 1 / delta) / np.sqrt(delta) * np.sqrt(n / seeds)
    assert found == pytest.approx(n * (1 + 1 / delta), abs=5 * deviation)
    assert bound - n * (1 + 1 / delta) < 0.01 * bound


@examples(20)
@given(SEEDS)
def test_bounds_hold_on_noisy_streams_for_any_comparator(random_state: int) -> None:
    made = streams.noisy(rows=60, width=4, random_state=random_state)
    w = np.random.default_rng(random_state).normal(size=4)
    assert mean_mistakes(updates.Perceptron(), queries.Margin(1.0), made.X, made.y, 10) <= perceptron_bound(
        1.0, made.X, made.y, w
    )
    for update, bound in passive_aggressive_bounds(1.0, 1.0, made.X, made.y, w)[1:]:  # the first: separable only
        assert mean_mistakes(update, queries.Margin(1.0), made.X, made.y, 10) <= bound
