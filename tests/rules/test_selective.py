"""Selective sampling beyond the plain Perceptron: the laws of the links, and what the theorems say."""

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
from askance.rules.update.additive import power
from exact_learners import SEEDS, exact, mean_mistakes
from examples import examples
from thinning import rest_in_soak, rest_slow

PACES = st.floats(-4, 4).map(lambda power: 2.0**power)
POWERS = st.one_of(st.just(2.0), st.floats(2, 12))


def learned_sum(trace: askance.Trace, X: Any, y: Any) -> Any:
    """Σ y x over the rows that were learned."""
    return (y * trace.updated) @ X


def softmax(theta: Any) -> Any:
    grown = np.exp(theta - theta.max())
    return grown / grown.sum()


# ---------------------------------------------------------------------- Winnow


@examples(60)
@given(SEEDS, PACES, st.floats(-3, 3).map(lambda power: 10.0**power), st.sampled_from(["float32", "float64"]))
def test_winnow_stays_in_the_simplex(random_state: int, eta: float, scale: float, dtype: str) -> None:
    made = streams.noisy(rows=40, width=5, random_state=random_state)
    learner = exact(updates.Winnow(eta), dtype=dtype)
    for x, y in zip(made.X, made.y.tolist(), strict=True):
        learner.tell(scale * x, y)
        assert (learner.coef_ >= 0).all()
        assert learner.coef_.sum() == pytest.approx(1, abs=1e-5 if dtype == "float32" else 1e-12)


@given(SEEDS, PACES)
def test_winnow_is_the_softmax_of_a_sum(random_state: int, eta: float) -> None:
    made = streams.noisy(rows=60, width=5, random_state=random_state)
    learner = exact(updates.Winnow(eta), queries.Random(0.7), sgn0=-1)
    trace = learner.run(made.X, made.y, coins=made.coins)
    assert (trace.updated == (trace.asked & (trace.predictions != made.y))).all()
    wanted = softmax(eta * learned_sum(trace, made.X, made.y))
    np.testing.assert_allclose(learner.coef_[0], wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.compiled
@pytest.mark.parametrize("exponent", [1.0, 2.0, 3.0, 7.0, 16.0, 17.0, 1.5, 2.999999, 300.0])
def test_powers_are_those_of_the_library(exponent: float) -> None:
    values = np.array([0.0, 1e-300, 0.1, 1 / 3, 0.999, 1.0, 1.7, 2.0])
    found = np.array([power(value, exponent) for value in values.tolist()])
    np.testing.assert_allclose(found, values**exponent, rtol=1e-14)


@pytest.mark.parametrize(("dtype", "close"), rest_in_soak([("float32", 2e-3), ("float64", 1e-9)], ()))
def test_sums_that_are_kept_up_to_date_do_not_drift(dtype: str, close: float) -> None:
    """Labels that mean nothing: some ten thousand mistakes, of which θ itself is the only witness."""
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(20000, 30)).astype(dtype), rng.choice([-1, 1], 20000)
    winnow, power = exact(updates.Winnow(1.0), dtype=dtype), exact(updates.PNorm(6.0), dtype=dtype)
    for learner in (winnow, power):
        learner.partial_fit(X, y)
        assert learner._core.machine.core.past.mistakes[0] > 8000
    theta = winnow._core.machine.core.state.dual.astype(float)
    np.testing.assert_allclose(winnow.coef_[0], softmax(theta), rtol=close)
    theta = power._core.machine.core.state.dual.astype(float)
    np.testing.assert_allclose(power.coef_[0], power_link(theta, 6.0), rtol=close, atol=close)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_weight_that_has_vanished_can_come_back(dtype: str) -> None:
    learner = exact(updates.Winnow(400.0), dtype=dtype, sgn0=-1)
    x = [1.0, 0.0]
    learner.tell(x, -1).tell(x, -1)
    assert learner.coef_.tolist() == [[0.0, 1.0]]  # e^-400 in single precision; a second step is not needed there
    while learner.coef_[0, 0] == 0:
        before = learner._core.machine.core.state.dual[0]
        learner.tell(x, 1)
        assert learner._core.machine.core.state.dual[0] == before + 400
    assert learner.coef_[0, 0] > 0


@given(SEEDS)
def test_winnow_takes_new_features_as_if_they_had_always_been_there(random_state: int) -> None:
    """Their share is that of features never learned from. The guesses of old rows are the same without them."""
    made = streams.noisy(rows=60, width=9, random_state=random_state)
    X = made.X.copy()
    X[:20, 3:] = 0
    X[20:40, 6:] = 0
    whole, grown = exact(updates.Winnow()), exact(updates.Winnow())
    whole.partial_fit(X, made.y)
    for part, width in ((slice(0, 20), 3), (slice(20, 40), 6), (slice(40, 60), 9)):
        grown.resize(width).partial_fit(X[part, :width], made.y[part])
        assert grown.coef_.sum() == pytest.approx(1)
    np.testing.assert_allclose(grown.coef_, whole.coef_, rtol=1e-9)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_winnow_takes_new_features_where_all_old_ones_have_become_small(dtype: str) -> None:
    """Rows without negative values and one class alone: every weight falls for ever, but for the others."""
    learner = exact(updates.Winnow(1.0), dtype=dtype)
    learner.partial_fit(np.full((900, 2), 1.0), [-1] * 900)
    assert learner.coef_[0] == pytest.approx([0.5, 0.5])
    learner.resize(4)
    assert learner.coef_[0] == pytest.approx([0.0, 0.0, 0.5, 0.5])
    assert learner.decision_function([[1.0, 1.0, 1.0, 0.0]])[0] == pytest.approx(0.5)
    learner.partial_fit([[1.0, 1.0, 1.0, 1.0]] * 100, [-1] * 100)
    assert learner.coef_[0] == pytest.approx([0.0, 0.0, 0.5, 0.5])


@pytest.mark.slow
@pytest.mark.compiled
def test_a_target_with_negative_weights_needs_rows_and_their_opposites() -> None:
    made, w = streams.separable(rows=2000)
    assert (w < 0).any()
    both = np.hstack([made.X, -made.X])
    alone, doubled = (exact(updates.Winnow(0.1), queries.Always()).run(X, made.y) for X in (made.X, both))
    accuracy = [(trace.predictions == made.y)[1000:].mean() for trace in (alone, doubled)]
    assert accuracy[0] < 0.8 < 0.95 < accuracy[1]


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("alpha", [0.3, 0.5, 0.8])
@pytest.mark.parametrize("random_state", range(3))
def test_theorem_4(random_state: int, alpha: float) -> None:
    """With η = 2(1 - α)γ/X∞² and b = αγ: E ΣM ≤ L/(αγ) + X∞² ln d/(2α(1 - α)γ²)."""
    rng = np.random.default_rng(random_state)
    d, gamma = 40, 0.25
    comparator = np.zeros(d)
    comparator[:3] = 1 / 3
    X = rng.uniform(-1, 1, (3000, d))
    X = X[np.abs(X @ comparator) >= gamma][:800]
    y = np.where(X @ comparator > 0, 1, -1)
    wrong = rng.random(len(y)) < 0.02
    y = np.where(wrong, -y, y)
    largest = np.abs(X).max()
    loss = np.maximum(0, gamma - y * (X @ comparator)).sum()
    update, query = updates.Winnow(2 * (1 - alpha) * gamma / largest**2), queries.Margin(alpha * gamma)
    found = mean_mistakes(update, query, X, y, 10, sgn0=-1)
    assert 0 < found <= loss / (alpha * gamma) + largest**2 * np.log(d) / (2 * alpha * (1 - alpha) * gamma**2)


# ---------------------------------------------------------------------- the p-norm Perceptron


def power_link(theta: Any, p: float) -> Any:
    norm = np.linalg.norm(theta, p)
    return np.sign(theta) * np.abs(theta) ** (p - 1) / norm ** (p - 2) if norm else 0 * theta


@given(SEEDS, POWERS, PACES)
def test_the_p_norm_perceptron_is_the_link_of_a_sum(random_state: int, p: float, eta: float) -> None:
    made = streams.noisy(rows=60, width=5, random_state=random_state)
    learner = exact(updates.PNorm(p, eta), queries.Random(0.7), sgn0=-1)
    trace = learner.run(made.X, made.y, coins=made.coins)
    assert (trace.updated == (trace.asked & (trace.predictions != made.y))).all()
    theta, w = eta * learned_sum(trace, made.X, made.y), learner.coef_[0]
    np.testing.assert_allclose(w, power_link(theta, p), rtol=1e-9, atol=1e-9)
    # The gradient of ½‖θ‖_p²: as long by the dual norm, and θ·w is the square of that length.
    length = np.linalg.norm(theta, p)
    assert np.linalg.norm(w, p / (p - 1)) == pytest.approx(length, rel=1e-9)
    assert theta @ w == pytest.approx(length**2, rel=1e-9)


@given(SEEDS, st.sampled_from([1.0, 0.25, 4.0]))
def test_p_of_2_is_the_perceptron(random_state: int, eta: float) -> None:
    """With η, every weight, score and b is η times as large."""
    made = streams.noisy(random_state=random_state)
    power = exact(updates.PNorm(2.0, eta), queries.Margin(eta * 0.5), sgn0=-1)
    plain = exact(updates.Perceptron(), queries.Margin(0.5), sgn0=-1)
    one, other = (learner.run(made.X, made.y, coins=made.coins) for learner in (power, plain))
    for field in ("predictions", "asked", "updated"):
        np.testing.assert_array_equal(getattr(one, field), getattr(other, field))
    np.testing.assert_allclose(one.scores, eta * other.scores, atol=1e-9)
    np.testing.assert_allclose(power.coef_, eta * plain.coef_, atol=1e-9)


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("p", [2.0, 3.0, 6.0])
@pytest.mark.parametrize("random_state", rest_slow(range(3), [0]))
def test_the_bound_of_theorem_1_in_the_p_norm(random_state: int, p: float) -> None:
    """X² becomes (p - 1) max ‖x‖_p², and ‖u‖ the dual norm of u."""
    rng = np.random.default_rng(random_state)
    comparator = np.zeros(30)
    comparator[:2] = rng.normal(size=2)
    X = rng.choice([-1.0, 1.0], (600, 30))
    comparator /= np.abs(X @ comparator).min()
    y = np.where(X @ comparator > 0, 1, -1)
    reach = (p - 1) * (np.abs(X) ** p).sum(axis=1).max() ** (2 / p)
    size = np.linalg.norm(comparator, p / (p - 1)) ** 2
    for b in (reach / 4, reach):
        found = mean_mistakes(updates.PNorm(p), queries.Margin(b), X, y, 10, sgn0=-1)
        assert 0 < found <= size * (2 * b + reach) ** 2 / (8 * b)


@pytest.mark.compiled
def test_the_fewer_features_matter_the_more_a_high_power_gains() -> None:
    """Two of 400 features decide; the bound falls from d to about e ln d."""
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], (3000, 400))
    y = np.where(X[:, 0] + 0.5 * X[:, 1] > 0, 1, -1)
    mistakes = [mean_mistakes(updates.PNorm(p), queries.Always(), X, y, 1) for p in (2.0, 4.0, 2 * math.log(400))]
    assert mistakes[0] > mistakes[1] > mistakes[2] > 0


# ---------------------------------------------------------------------- the adaptive rule


def asking(query: Any, score: float, norm: float = 1.0, mistakes: int = 0, longest: float = 0.0) -> float:
    return float(query.ask(query.start(), Seen(score, 0.0, norm, 1.0, mistakes, longest), 0.5))


@given(
    score=st.floats(-1e3, 1e3),
    norm=st.floats(0, 1e3),
    mistakes=st.integers(0, 10**6),
    longest=st.floats(0, 1e3),
    beta=PACES,
)
def test_the_adaptive_rule_is_the_margin_rule_with_its_own_b(
    score: float, norm: float, mistakes: int, longest: float, beta: float
) -> None:
    found = asking(queries.Adaptive(beta), score, norm, mistakes, longest)
    b = beta * max(norm, longest) * math.sqrt(1 + mistakes)
    assert found == (pytest.approx(asking(queries.Margin(b), score)) if b > 0 else 0)
    assert found <= asking(queries.Adaptive(beta), score, norm, mistakes + 1, longest)
    assert found <= asking(queries.Adaptive(2 * beta), score, norm, mistakes, longest)


def test_without_lengths_only_known_mistakes_count() -> None:
    rule = queries.Adaptive(0.5, by_length=False)
    for norm, longest in ((1.0, 1.0), (9.0, 4.0), (0.0, 0.0)):
        assert asking(rule, -2.0, norm, 8, longest) == pytest.approx(1.5 / 3.5)
    assert asking(rule, 0.0, 0.0, 0, 0.0) == 1


def test_rows_of_zeros_are_asked_for_once_a_mistake_has_shown_their_measure() -> None:
    learner = exact(updates.Perceptron(), queries.Adaptive(), sgn0=-1)
    assert learner.ask([0.0, 0.0]).ask_probability == 0
    assert learner.ask([1.0, 0.0]).ask_probability == 1
    learner.tell([1.0, 0.0], -1)  # no mistake, as sgn(0) = -1
    assert learner.ask([0.0, 0.0]).ask_probability == 0
    learner.tell([1.0, 0.0], 1)
    assert learner.ask([0.0, 0.0]).ask_probability == 1


def test_only_mistakes_that_labels_have_shown_count() -> None:
    learner = exact(updates.Perceptron(), queries.Adaptive(0.5), sgn0=-1)
    learner.tell([3.0, 0.0], 1).tell([0.0, 2.0], 1).tell([4.0, 0.0], 1)  # the last is no mistake any more
    p, b = 3.0 * 0.1, 0.5 * 9 * math.sqrt(3)
    assert learner.ask([0.1, 0.0]).ask_probability == pytest.approx(b / (b + p))
    p, b = 3.0 * 5, 0.5 * 25 * math.sqrt(3)
    assert learner.ask([5.0, 0.0]).ask_probability == pytest.approx(b / (b + p))


@examples(20)
@given(SEEDS, PACES)
def test_on_rows_of_length_1_the_adaptive_rule_asks_for_no_less_than_its_share(
    random_state: int, beta: float
) -> None:
    made = streams.noisy(random_state=random_state)
    X = made.X / np.linalg.norm(made.X, axis=1, keepdims=True)
    trace = exact(updates.Perceptron(), queries.Adaptive(beta), sgn0=-1).run(X, made.y, coins=made.coins)
    assert trace.ask_probabilities.min() >= beta / (1 + beta) - 1e-12


def test_an_infinite_beta_is_the_perceptron() -> None:
    made = streams.noisy()
    learners = [exact(updates.Perceptron(), query) for query in (queries.Adaptive(math.inf), queries.Always())]
    assert all(learner.run(made.X, made.y).asked.all() for learner in learners)
    np.testing.assert_array_equal(*(learner.coef_ for learner in learners))


@examples(15)
@given(SEEDS, st.sampled_from([0.05, 0.5, 4.0]))
def test_theorem_2_holds_on_average(random_state: int, beta: float) -> None:
    """R = ‖u‖X/γ, B = R + (1 + 3R/2)/β: E ΣM ≤ L/γ + R/(2β) + B²/2 + B √(L/γ + R/(2β) + B²/4)."""
    made = streams.noisy(rows=80, width=4, random_state=random_state)
    comparator = np.linalg.lstsq(made.X, made.y, rcond=None)[0]
    loss = np.maximum(0, 1 - made.y * (made.X @ comparator)).sum()
    R = np.linalg.norm(comparator) * np.linalg.norm(made.X, axis=1).max()
    B = R + (1 + 1.5 * R) / beta
    found = mean_mistakes(updates.Perceptron(), queries.Adaptive(beta), made.X, made.y, 10, sgn0=-1)
    assert 0 < found <= loss + R / (2 * beta) + B**2 / 2 + B * math.sqrt(loss + R / (2 * beta) + B**2 / 4)
