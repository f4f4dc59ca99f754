"""The strategies for drifting streams: budget, thresholds and coins, and the decisions of scikit-activeml."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import askance
import streams
from askance import queries, updates
from askance.engine.machine import copied
from askance.rules.imbalance import OnlineBagging
from askance.rules.rows import Seen
from combinations import Combination
from conformance_checks import check_saving_and_going_on_is_not_noticed
from examples import examples
from needs import missing
from rule_strategies import DRIFTING

SMALL = {"rate": 0.2, "window": 40}
RULES = (
    queries.FixedUncertainty(theta=0.7, **SMALL),  # type: ignore[arg-type]
    queries.VariableUncertainty(s=0.05, **SMALL),  # type: ignore[arg-type]
    queries.RandomVariableUncertainty(s=0.05, **SMALL),  # type: ignore[arg-type]
    queries.Split(s=0.05, **SMALL),  # type: ignore[arg-type]
)
ADAPTING = RULES[1:]


def row(score: float, eligible: float = 1.0) -> Seen:
    return Seen(score, 0.0, 1.0, 1.0, 0, 0.0, eligible=eligible)


def asking(query: Any, scores: Any, coins: Any, memory: Any = None) -> tuple[Any, Any]:
    """The probabilities, and which rows are asked about."""
    memory = query.start() if memory is None else memory
    found = np.array([query.ask(memory, row(score), coin) for score, coin in zip(scores, coins, strict=True)])
    return found, coins < found


# ---------------------------------------------------------------------- budgets


@examples(60)
@given(query=DRIFTING, random_state=st.integers(0, 2**32))
def test_labels_of_recent_rows_keep_to_the_budget(query: Any, random_state: int) -> None:
    """Without an audit, u < B w + 1 after every row; u is what the questions say; an audit is a lower limit."""
    rng = np.random.default_rng(random_state)
    scores, coins = (
        rng.normal(size=200) * query.theta * np.exp(rng.uniform(-0.02, 0.02) * np.arange(200)),
        rng.random(200),
    )
    for rule in (query, query._replace(audit=0.0)):
        memory, labels = rule.start(), 0.0
        for score, coin in zip(scores, coins, strict=True):
            probability = rule.ask(memory, row(score), coin)
            labels = labels * (1 - 1 / rule.window) + (coin < probability)
            assert memory.labels[0] == pytest.approx(labels)
            assert rule.audit * rule.rate <= probability <= 1
            assert rule.audit > 0 or labels < rule.rate * rule.window + 1
            assert memory.threshold[0] > 0


@pytest.mark.parametrize("query", ADAPTING, ids=str)
@pytest.mark.parametrize("growth", [1e-3, 1.0, 1e3])
def test_the_budget_is_used_however_margins_grow(query: Any, growth: float) -> None:
    rng = np.random.default_rng(3)
    scores = rng.normal(size=4000) * growth ** (np.arange(4000) / 4000)
    asked = asking(query, scores, rng.random(4000))[1]
    assert asked[2000:].mean() == pytest.approx(0.2, abs=0.02)


def test_a_fixed_threshold_asks_less_as_margins_grow() -> None:
    rng = np.random.default_rng(3)
    asked = asking(RULES[0], rng.normal(size=4000) * 1e3 ** (np.arange(4000) / 4000), rng.random(4000))[1]
    assert asked[:1000].mean() > 0.15
    assert asked[3000:].mean() < 0.05


@pytest.mark.parametrize("query", RULES, ids=str)
def test_small_margins_are_asked_about(query: Any) -> None:
    rng = np.random.default_rng(4)
    scores = rng.normal(size=3000)
    asked = asking(query, scores, rng.random(3000))[1]
    assert np.median(abs(scores[asked])) < 0.8 * np.median(abs(scores))


@pytest.mark.parametrize("query", RULES, ids=str)
def test_only_the_proportion_of_margins_to_the_threshold_matters(query: Any) -> None:
    rng = np.random.default_rng(5)
    scores, coins = rng.normal(size=500), rng.random(500)
    larger = query._replace(theta=query.theta * 2.0**20)
    np.testing.assert_array_equal(asking(query, scores, coins)[0], asking(larger, -(2.0**20) * scores, coins)[0])


@pytest.mark.parametrize("query", RULES, ids=str)
def test_rows_that_no_label_is_available_for_do_not_count(query: Any) -> None:
    rng = np.random.default_rng(6)
    memory = query.start()
    asking(query, rng.normal(size=50), rng.random(50), memory)
    before = copied(memory)
    for score, coin in zip(rng.normal(size=50), rng.random(50), strict=True):
        query.ask(memory, row(score, eligible=0.0), coin)
    assert memory == before


@pytest.mark.parametrize("query", ADAPTING, ids=str)
def test_a_threshold_recovers_from_a_long_run_of_zeros(query: Any) -> None:
    eager = query._replace(rate=1.0, s=0.9)
    memory = eager.start()
    asking(eager, np.zeros(2000), np.full(2000, 0.2), memory)
    assert 0 < memory.threshold[0] < 1e-90
    asking(eager, np.ones(2000), np.full(2000, 0.2), memory)
    assert memory.threshold[0] > 1e-3


# ---------------------------------------------------------------------- coins

EVENLY = (np.arange(10_000) + 0.5) / 10_000


def moves(query: Any, score: float) -> tuple[float, Any]:
    """The probability at a score, and by which factor the threshold moves, for coins that are spread evenly."""
    memories = [query.start() for _ in EVENLY]
    found = {query.ask(memory, row(score), coin) for memory, coin in zip(memories, EVENLY, strict=True)}
    assert len(found) == 1  # whatever the coin
    return found.pop(), np.array([memory.threshold[0] for memory in memories]) / query.theta


@pytest.mark.parametrize("score", [0.0, 0.5, 0.9, 1.7, 2.9])
def test_a_random_threshold_falls_as_often_as_it_is_above_the_margin(score: float) -> None:
    """θη with normal η, drawn by another library: the same share of rows is below it, and lowers θ."""
    query = queries.RandomVariableUncertainty(s=0.1, delta=0.5)
    probability, factors = moves(query, score)
    below = (score < np.random.default_rng(7).normal(1.0, 0.5, size=200_000)).mean()
    assert probability == pytest.approx(max(below, query.audit * query.rate), abs=0.004)
    assert np.isclose(factors, 0.9).mean() == pytest.approx(below, abs=0.004)
    assert np.isclose(factors, 1.1).mean() == pytest.approx(1 - below, abs=0.004)


@pytest.mark.parametrize("score", [0.5, 1.7])
def test_a_split_stream_has_two_kinds_of_rows(score: float) -> None:
    """A share ν is for asking at random, and leaves the threshold alone; νB of all rows are asked about so."""
    query = queries.Split(rate=0.2, s=0.1, nu=0.3)
    probability, factors = moves(query, score)
    by_threshold = ~np.isclose(factors, 1.0)
    assert by_threshold.mean() == pytest.approx(0.7, abs=1e-3)
    np.testing.assert_allclose(factors[by_threshold], 0.9 if score < 1 else 1.1)
    asked = probability > EVENLY
    assert asked[~by_threshold].mean() == pytest.approx(0.2, abs=1e-3)
    assert asked[by_threshold].mean() == (score < 1)


@pytest.mark.parametrize("coin", [0.99e-7, 1.01e-7, 0.5])
def test_a_steered_rule_counts_the_questions_that_are_asked(coin: float) -> None:
    """Far ahead of its plan, `AtRate` lowers the probability itself: here to 1e-7."""
    query = queries.AtRate(queries.FixedUncertainty(theta=math.inf, rate=1.0, audit=0.0), 0.1)
    memory = query.start()
    memory.deficit[0] = 4 * (math.log(1e-7) - 8)
    probability = query.ask(memory, row(0.0), coin)
    assert probability == pytest.approx(1e-7)
    assert memory.inner.labels[0] == (coin < probability)


# ---------------------------------------------------------------------- learners


@pytest.mark.parametrize("query", RULES, ids=str)
def test_saving_and_going_on_is_not_noticed(query: Any) -> None:
    check_saving_and_going_on_is_not_noticed(Combination(updates.PassiveAggressive1(), query))


def test_a_committee_is_asked_where_it_disagrees() -> None:
    """The score of an ensemble is its mean vote, so a small margin is a close vote."""
    made = streams.noisy(rows=600, width=5, random_state=8)
    learner = askance.Learner(
        OnlineBagging(members=7), queries.VariableUncertainty(0.2, audit=0.01), dtype="float64", classes=(-1, 1)
    )
    trace = learner.run(made.X, made.y)
    lead = np.round(7 * np.abs(trace.scores)).astype(int)
    assert set(lead) == {1, 3, 5, 7}
    assert trace.asked[lead < 7].mean() > 2 * trace.asked[lead == 7].mean() > 0


# ---------------------------------------------------------------------- scikit-activeml


class GivenDraws:
    """A random state with draws that are given."""

    def __init__(self) -> None:
        self.draws: list[float] = []

    def get_state(self) -> list[float]:
        return list(self.draws)

    def set_state(self, state: list[float]) -> None:
        self.draws = list(state)

    def random_sample(self, count: int | None = None) -> float | None:
        return self.draws.pop(0) if count is None else None

    def normal(self, mean: float, deviation: float) -> float:
        return mean + deviation * self.draws.pop(0)


def draws_of(query: Any, coin: float) -> list[float]:
    """What scikit-activeml would have drawn: η whose upper tail is the coin, or the part where the coin falls."""
    if isinstance(query, queries.RandomVariableUncertainty):
        from scipy.special import ndtri

        return [-ndtri(coin)]
    if isinstance(query, queries.Split):
        random = query.nu * query.rate
        return [0.0, 0.0] if coin < random else [query.nu] if coin < random + 1 - query.nu else [0.0, 1.0]
    return []


@pytest.mark.parametrize("random_state", [1, 2])
@pytest.mark.parametrize("number", range(4))
def test_decisions_are_those_of_scikit_activeml(number: int, random_state: int) -> None:
    """The same confidences row by row, without an audit: the same questions and the same last threshold."""
    try:
        from skactiveml.stream import budgetmanager as managers
    except ImportError:
        missing("the comparison with scikit-activeml", "scikit-activeml")
    rng = np.random.default_rng(random_state)
    query: Any = RULES[number]._replace(audit=0.0)
    scores, coins = rng.normal(size=800), rng.random(800)
    scores = 1 - (1 - abs(scores))  # their utility is 1 - confidence
    shared: Any = {"budget": query.rate, "w": query.window}
    adapting: Any = {**shared, "theta": query.theta, "s": getattr(query, "s", None)}
    if number == 0:  # its threshold is set by the budget
        query = query._replace(theta=0.5 + query.rate / 2)
        manager = managers.FixedUncertaintyBudgetManager([0, 1], **shared)
    elif number == 1:
        manager = managers.VariableUncertaintyBudgetManager(**adapting)
    elif number == 2:
        manager = managers.RandomVariableUncertaintyBudgetManager(delta=query.delta, **adapting)
    else:
        manager = managers.SplitBudgetManager(v=query.nu, **adapting)
    given = manager.random_state_ = GivenDraws()
    manager._validate_random_state = lambda: None
    theirs = []
    for score, coin in zip(scores, coins, strict=True):
        given.draws = draws_of(query, coin)
        found = manager.query_by_utility(np.array([1 - score]))
        manager.update(np.zeros((1, 1)), np.array(found, int))
        theirs.append(len(found) == 1)
    memory = query.start()
    np.testing.assert_array_equal(asking(query, scores, coins, memory)[1], theirs)
    assert manager.u_t_ == memory.labels[0]
    assert getattr(manager, "theta_", query.theta) == memory.threshold[0]
    assert 100 < sum(theirs) < 200
