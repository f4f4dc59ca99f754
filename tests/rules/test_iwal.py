"""Importance-weighted active learning: the equation of the probability, and the weight that turns a prediction."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import askance
import streams
from askance import queries, updates
from askance.rules.rows import Seen
from combinations import Combination
from conformance_checks import check_saving_and_going_on_is_not_noticed
from examples import examples

SIZES = st.floats(-6, 4).map(lambda power: 10.0**power)
CONSTANTS = st.floats(1, 9)


def row(score: float, squared_norm: float = 1.0, eligible: float = 1.0) -> Seen:
    return Seen(score, 0.0, squared_norm, 1.0, 0, 0.0, eligible=eligible)


def after(query: queries.IWAL, rows: int) -> Any:
    memory = query.start()
    memory.rows[0] = rows
    return memory


@examples(300)
@given(
    C0=SIZES, score=SIZES, norm=SIZES, c1=CONSTANTS, c2=CONSTANTS, power=st.floats(0, 1), n=st.integers(1, 10**6)
)
def test_the_probability_solves_the_equation(
    C0: float, score: float, norm: float, c1: float, c2: float, power: float, n: int
) -> None:
    query = queries.IWAL(C0, 2.0, power, c1, c2)
    s = query.ask(after(query, n), row(-score, norm), 0.5)
    G = score / (2.0 * n**-power * norm) / n
    epsilon = C0 * math.log(n + 1) / n
    assert 0 < s <= 1
    right = (c1 / math.sqrt(s) - c1 + 1) * math.sqrt(epsilon) + (c2 / s - c2 + 1) * epsilon
    if s < 1 - 1e-9:
        assert right == pytest.approx(G, rel=1e-6)
    else:
        assert right * (1 + 1e-6) >= G


@pytest.mark.parametrize("rule", [updates.PassiveAggressive1(0.02), updates.SGD(eta=0.02, power=0.0)], ids=str)
@pytest.mark.parametrize("share", [0.99, 1.01])
def test_the_weight_is_the_one_that_turns_the_prediction(rule: Any, share: float) -> None:
    """With constant steps of 0.02 and n = 1, G is this weight. So is C₀ log 2 where the probability becomes 1."""
    made = streams.noisy(rows=100, width=4, random_state=3)
    learner = askance.Learner(rule, queries.Always(), dtype="float64", classes=(-1, 1)).partial_fit(made.X, made.y)
    x = made.X[0]
    score = float(learner.decision_function([x])[0])
    weight = share * abs(score) / (0.02 * (x @ x))
    eager = queries.IWAL(1.0, eta=0.02, power=0.0)
    root = (math.sqrt(1 + 4 * weight) - 1) / 2  # where √ε + ε is the weight
    eager = eager._replace(C0=root**2 / math.log(2))
    assert (eager.ask(after(eager, 1), row(score, x @ x), 0.5) == 1) == (share > 1)
    learner.tell(x, -1 if score > 0 else 1, sample_weight=weight)
    assert (learner.decision_function([x])[0] * score < 0) == (share > 1)


def test_it_asks_about_the_first_row_and_about_rows_without_a_margin() -> None:
    query = queries.IWAL(1e-6)
    memory = query.start()
    assert query.ask(memory, row(1e6), 0.5) == 1
    assert query.ask(memory, row(1e6), 0.5) < 1e-3
    assert query.ask(memory, row(0.0), 0.5) == query.ask(memory, row(0.0, squared_norm=0.0), 0.5) == 1
    assert memory.rows[0] == 4


def test_rows_that_no_label_is_available_for_do_not_count() -> None:
    query = queries.IWAL()
    memory = query.start()
    for _ in range(5):
        query.ask(memory, row(1.0, eligible=0.0), 0.5)
    assert memory.rows[0] == 0


def test_a_larger_c0_asks_more_and_a_larger_margin_less() -> None:
    by_c0 = [queries.IWAL(C0).ask(after(queries.IWAL(), 100), row(3.0), 0.5) for C0 in (1e-5, 1e-3, 1e-1, 10.0)]
    by_margin = [queries.IWAL(1e-3).ask(after(queries.IWAL(), 100), row(p), 0.5) for p in (0.01, 1.0, 3.0, 9.0)]
    assert sorted(set(by_c0)) == by_c0
    assert sorted(set(by_margin), reverse=True) == by_margin
    assert by_c0[-1] == by_margin[0] == 1
    scaled = queries.IWAL(1e-3).scaled(100.0)
    assert scaled.ask(after(scaled, 100), row(3.0), 0.5) == pytest.approx(by_c0[2])


@pytest.mark.parametrize(("power", "least", "most"), [(1.0, 0.2, 0.7), (0.0, 1.02, 1.2)])
def test_smaller_steps_make_questions_rarer(power: float, least: float, most: float) -> None:
    """To turn a prediction after n rows takes a weight in proportion to n if steps are η/n, but not otherwise."""
    made = streams.noisy(rows=4000, width=5, random_state=4)
    query = queries.IWAL(0.003, power=power)
    learner = askance.Learner(updates.SGD(power=power), query, dtype="float64", classes=(-1, 1))
    asking = learner.run(made.X, made.y).ask_probabilities
    assert least < asking[-1000:].mean() / asking[100:1100].mean() < most


def test_saving_and_going_on_is_not_noticed() -> None:
    check_saving_and_going_on_is_not_noticed(Combination(updates.SGD(), queries.IWAL(0.001)))
