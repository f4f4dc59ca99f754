"""Cost-sensitive learning: what the formulas imply, what theorems 6 to 8 say, and where ρ comes from."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import askance
import streams
from askance import queries, updates
from askance.rules import costs
from askance.rules.rows import Seen
from exact_learners import COSTS, SEEDS, a_step, exact
from examples import examples

RATIOS = st.floats(-3, 5).map(lambda power: 2.0**power)


def measures(trace: askance.Trace, y: Any) -> tuple[int, int]:
    """Missed positive rows and false alarms."""
    wrong = trace.predictions != y
    return int((wrong & (y == 1)).sum()), int((wrong & (y == -1)).sum())


# ---------------------------------------------------------------------- steps


@given(SEEDS, COSTS, RATIOS)
def test_cost_sensitive_pa_goes_to_the_margin_of_its_class_or_as_far_as_c_allows(
    random_state: int, C: float, rho: float
) -> None:
    moved, x, y, before, after = a_step(updates.CostSensitivePA1(C, rho), random_state)
    margin = rho if y == 1 else 1.0
    tau = y * (moved @ x) / (x @ x)
    np.testing.assert_allclose(moved, tau * y * x, atol=1e-9)
    assert tau == (pytest.approx(min(C, (margin - before) / (x @ x))) if before < margin else 0)
    if before < margin and C * (x @ x) >= margin - before:
        assert after == pytest.approx(margin, abs=1e-9)


@given(SEEDS, COSTS)
def test_with_a_rho_of_1_it_is_pa_1(random_state: int, C: float) -> None:
    made = streams.noisy(random_state=random_state)
    rules = (updates.CostSensitivePA1(C, 1.0), updates.PassiveAggressive1(C))
    runs = [exact(rule, queries.Margin(0.5)).run(made.X, made.y, coins=made.coins) for rule in rules]
    for field in ("predictions", "scores", "ask_probabilities", "asked", "updated"):
        np.testing.assert_array_equal(*(getattr(run, field) for run in runs))


@pytest.mark.parametrize("name", ["D-ADA", "D-AMD"])
@examples(20)
@given(random_state=SEEDS, delta=RATIOS, eta=RATIOS, b=RATIOS)
def test_adaptive_subgradients_with_equal_costs_are_the_plain_ones(
    name: str, random_state: int, delta: float, eta: float, b: float
) -> None:
    """To the bit in exact mode; relaxed arithmetic may change the last bit of a probability."""
    made = streams.noisy(random_state=random_state)
    shared: Any = {"delta": delta, "eta": eta, "b": b, "dtype": "float64", "classes": (-1, 1)}
    learners = [askance.make(name, **shared), askance.make(f"CS{name}", rho=1.0, **shared)]
    runs = [learner.run(made.X, made.y, coins=made.coins) for learner in learners]
    for field in ("predictions", "scores", "ask_probabilities", "asked", "updated"):
        np.testing.assert_array_equal(*(getattr(run, field) for run in runs))
    np.testing.assert_array_equal(*(learner.coef_ for learner in learners))


@given(SEEDS, COSTS, RATIOS)
def test_as_printed_is_the_same_on_rows_of_length_1_and_only_there(
    random_state: int, C: float, rho: float
) -> None:
    made = streams.noisy(rows=60, width=5, random_state=random_state)
    rules = (updates.CostSensitivePA1(C, rho), updates.CostSensitivePA1(C, rho, literal=True))
    units = made.X / np.linalg.norm(made.X, axis=1, keepdims=True)
    ours, printed = (exact(rule).partial_fit(units, made.y).coef_ for rule in rules)
    np.testing.assert_allclose(ours, printed, rtol=1e-6, atol=1e-9)
    short, printed = (exact(rule).partial_fit(0.01 * units[:1], [1]).coef_ for rule in rules)
    assert np.linalg.norm(printed) == pytest.approx(0.01 * min(C, rho))
    assert np.linalg.norm(short) == pytest.approx(0.01 * min(C, rho / 1e-4))


@given(SEEDS, st.floats(0, 4), st.floats(0, 4), RATIOS)
def test_the_uneven_perceptron_moves_by_the_row_up_to_its_margin(
    random_state: int, positive: float, negative: float, eta: float
) -> None:
    moved, x, y, before, _ = a_step(updates.PAUM(positive, negative, eta), random_state)
    fires = before <= (positive if y == 1 else negative)
    np.testing.assert_allclose(moved, eta * y * x if fires else 0 * x, atol=1e-9)


def test_at_its_very_margin_the_uneven_perceptron_still_moves() -> None:
    learner = exact(updates.PAUM(1.0, 0.0))
    assert learner.tell([1.0], 1).tell([1.0], 1).coef_.tolist() == [[2.0]]
    assert learner.tell([1.0], 1).coef_.tolist() == [[2.0]]
    assert exact(updates.PAUM(1.0, 0.0)).tell([1.0], -1).tell([1.0], -1).coef_.tolist() == [[-1.0]]


@given(SEEDS, COSTS, RATIOS, st.booleans())
def test_cpa_moves_on_mistakes_alone(random_state: int, C: float, rho: float, squared: bool) -> None:
    moved, x, y, before, after = a_step(updates.CPA(C, rho, squared), random_state)
    mistake = before < 0 or (before == 0 and y == -1)  # sgn(0) = +1
    loss = math.sqrt(rho if y == 1 else 1.0) - before
    tau = loss / (x @ x + 1 / (2 * C)) if squared else min(C, loss / (x @ x))
    np.testing.assert_allclose(moved, tau * y * x if mistake else 0 * x, atol=1e-9)
    if mistake and squared:  # ½‖w - w_t‖² + C ℓ² is stationary: the step is 2 C times the loss that remains
        assert tau == pytest.approx(2 * C * (loss + before - after), rel=1e-6)


@given(SEEDS, RATIOS)
def test_cpa_without_a_bound_reaches_the_root_of_the_cost(random_state: int, rho: float) -> None:
    _, _, y, before, after = a_step(askance.make("CPA", variant="PA", rho=rho).update, random_state)
    if before < 0:
        assert after == pytest.approx(math.sqrt(rho if y == 1 else 1.0), abs=1e-9)


def test_the_variants_of_cpa() -> None:
    assert askance.make("CPA", C=3.0, rho=5.0).update == updates.CPA(3.0, 5.0, squared=False)
    assert askance.make("CPA", C=3.0, rho=5.0, variant="PA").update == updates.CPA(math.inf, 5.0, squared=False)
    assert askance.make("CPA", C=3.0, rho=5.0, variant="PA-II").update == updates.CPA(3.0, 5.0, squared=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    "make", [lambda rho: updates.CostSensitivePA1(rho, rho), lambda rho: updates.PAUM(rho, 1.0)]
)
def test_a_larger_rho_misses_fewer_positive_rows(make: Any) -> None:
    made = streams.sparse_units(rows=3000, width=30, random_state=6)
    runs = [exact(make(rho), queries.Always()).run(made.X, made.y) for rho in (1.0, 4.0, 16.0)]
    missed = [measures(run, made.y)[0] for run in runs]
    assert missed[0] > missed[1] > missed[2]


# ---------------------------------------------------------------------- questions


@given(score=st.floats(0.01, 10), spread=st.floats(0, 2), b=RATIOS, eta=RATIOS, rho=RATIOS, damped=st.booleans())
def test_a_prediction_is_doubted_by_the_cost_of_its_mistake(
    score: float, spread: float, b: float, eta: float, rho: float, damped: bool
) -> None:
    rule = queries.CostSensitiveDiscrimination(b, eta, rho, damped)
    for prediction, cost in ((1.0, 1.0), (-1.0, rho)):
        seen = Seen(prediction * score, spread, 2.0, prediction, 0, 0.0)
        plain = queries.Discrimination(cost * b, eta, damped)
        assert rule.ask(rule.start(), seen, 0.5) == plain.ask(plain.start(), seen, 0.5)


@given(delta=RATIOS, after=st.booleans(), scores=st.lists(st.floats(-100, 100), min_size=1, max_size=20))
def test_each_round_asks_by_a_smaller_delta(delta: float, after: bool, scores: list[float]) -> None:
    query = queries.Decaying(delta, after)
    memory = query.start()
    for t, score in enumerate(scores, 1):
        found = query.ask(memory, Seen(score, 0.0, 1.0, 1.0, 0, 0.0), 0.5)
        now = delta / (t if after else t + 1)
        assert found == pytest.approx(now / (now + abs(score)))
    assert memory.rounds[0] == len(scores)


def test_rounds_count_whether_asked_or_not_and_labels_told_do_not() -> None:
    learner = exact(updates.CostSensitivePA1(), queries.Decaying(6.0))
    learner.tell([1.0], -1)
    assert learner.coef_.tolist() == [[-1.0]]
    assert [learner.ask([2.0]).ask_probability for _ in range(3)] == pytest.approx([3 / 5, 2 / 4, 1.5 / 3.5])
    learner.tell([1.0], -1)
    assert learner.run([[2.0], [2.0]], [-1, -1]).ask_probabilities == pytest.approx([1.2 / 3.2, 1 / 3])


def test_an_infinite_delta_asks_for_every_label() -> None:
    made = streams.noisy()
    rule = updates.CostSensitivePA1()
    learners = [exact(rule, query) for query in (queries.Decaying(math.inf), queries.Always())]
    assert all(learner.run(made.X, made.y).asked.all() for learner in learners)
    np.testing.assert_array_equal(*(learner.coef_ for learner in learners))


def test_it_asks_ever_less_often() -> None:
    made = streams.noisy(rows=4000, width=8)
    asked = askance.make("CSPAA(a)", delta0=200.0, dtype="float64").run(made.X, made.y).asked.reshape(4, -1)
    shares = asked.mean(axis=1)
    assert shares[0] > shares[1] > shares[2] > shares[3] > 0


# ---------------------------------------------------------------------- theorems 6, 7 and 8


@examples(25)
@given(SEEDS, st.floats(1, 8), st.sampled_from([1.0, 1.5, 5.0]), st.sampled_from([1.0, 3.0]))
def test_theorem_6_holds_on_average(random_state: int, rho: float, delta: float, slack: float) -> None:
    """‖x‖ = 1, C ≥ ρ ≥ 1, δ ≥ 1: E Σ ρ_t M_t ≤ (1/δ)(((1 + δ)²/4)‖w‖² + (1 + δ) C Σ ℓ_t(w)), for any w."""
    made = streams.noisy(rows=60, width=4, random_state=random_state)
    X = made.X / np.linalg.norm(made.X, axis=1, keepdims=True)
    comparator = np.linalg.lstsq(X, made.y, rcond=None)[0] * rho
    margins, C = np.where(made.y == 1, rho, 1.0), slack * rho
    loss = np.maximum(0, margins - made.y * (X @ comparator)).sum()
    bound = ((1 + delta) ** 2 / 4 * (comparator @ comparator) + (1 + delta) * C * loss) / delta
    rule, found = updates.CostSensitivePA1(C, rho), []
    for coins in range(12):
        trace = exact(rule, queries.Margin(delta), random_state=coins).run(X, made.y)
        found.append(margins[trace.predictions != made.y].sum())
    assert 0 < np.mean(found) <= bound


def test_theorem_6_is_met_exactly_on_orthonormal_rows() -> None:
    n = 10
    X, y = np.eye(n), np.full(n, -1)
    trace = exact(updates.CostSensitivePA1(4.0, 3.0), queries.Margin(1.0)).run(X, y)
    assert (trace.predictions != y).sum() == n == y @ y  # the bound with δ = 1 and w = y, which leaves no loss


@given(SEEDS, st.floats(0.1, 0.9), RATIOS)
def test_weighted_mistakes_are_the_metrics_in_other_words(random_state: int, eta_p: float, c_p: float) -> None:
    """sum = 1 - (η_n/T_n) Σ ρ_t M_t and cost = c_n Σ ρ_t M_t, each with its own ρ: theorems 7 and 8 are 6."""
    made = streams.noisy(rows=60, random_state=random_state)
    trace = exact(updates.Perceptron(), queries.Always()).run(made.X, made.y)
    missed, alarms = measures(trace, made.y)
    positives, negatives = (made.y == 1).sum(), (made.y == -1).sum()
    weights = {"eta_p": eta_p, "eta_n": 1 - eta_p}
    weighted = costs.rho_for_sum(positives, negatives, **weights) * missed + alarms
    assert trace.tally().value("sum", **weights) == pytest.approx(1 - (1 - eta_p) / negatives * weighted)
    weighted = costs.rho_for_cost(c_p, 0.5) * missed + alarms
    assert trace.tally().value("cost", c_p=c_p, c_n=0.5) == pytest.approx(0.5 * weighted)


# ---------------------------------------------------------------------- where ρ comes from


def test_rho_of_counts_and_of_costs() -> None:
    assert costs.rho_for_sum(20, 1000) == 50
    assert costs.rho_for_sum(20, 1000, eta_p=0.8, eta_n=0.2) == pytest.approx(200)
    assert costs.rho_for_cost(10, 0.5) == 20
    # As in the experiments of the paper: c_p = T_n/T and c_n = T_p/T.
    assert costs.rho_for_cost(1000 / 1020, 20 / 1020) == pytest.approx(costs.rho_for_sum(20, 1000))
    assert costs.rho_for_sum(np.int64(3), np.float32(6)) == 2


def test_a_running_rho_follows_the_labels() -> None:
    running = costs.RunningRho(positive="spam")
    assert running.rho == 1
    assert running.add("ham").rho == 2
    assert running.add(["ham", "ham", "spam"]).rho == 2
    assert running.add(np.array(["ham"] * 16)).rho == 10
    assert running.add([]).rho == 10
    assert (running.positives, running.negatives) == (1, 19)
    assert costs.RunningRho(positive=1).add(streams.sparse_units().y).rho == pytest.approx(113 / 39)
