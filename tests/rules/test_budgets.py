"""A budget is never exceeded, at any prefix of any stream, is reported as it was, and is used."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import askance
import naive
import streams
from askance import queries, updates
from askance.learners.files import from_bytes, to_bytes
from askance.rules.rows import Seen
from examples import examples
from rule_strategies import DRIFTING

SEEDS = st.integers(0, 2**32)
SHARES = st.floats(0.01, 1.0)
SCALABLE = st.one_of(
    st.builds(queries.Random, SHARES),
    st.builds(queries.Margin, st.floats(-8, 8).map(lambda power: 2.0**power), st.sampled_from([0.0, 1.0])),
)
STEERED = st.builds(queries.AtRate, SCALABLE, SHARES)
# Rates and bursts that meet whole numbers, and others.
RATES = st.one_of(st.sampled_from([0.0, 0.1, 0.25, 0.3, 1 / 3, 1.0]), st.floats(0.0, 1.0))
BURSTS = st.one_of(st.integers(0, 5).map(float), st.floats(0.0, 20.0))
LIMITS = st.one_of(st.just(math.inf), st.integers(0, 30).map(float), st.floats(0.0, 50.0))
LEAST_CERTAIN = st.builds(queries.LeastCertain, SHARES, SHARES, st.floats(0, 60), st.integers(1, 50))
BUDGETS = st.builds(
    queries.Within,
    st.one_of(st.builds(queries.Always), SCALABLE, STEERED, LEAST_CERTAIN, DRIFTING),
    rate=RATES,
    burst=BURSTS,
    limit=LIMITS,
)
ANY = st.tuples(BUDGETS, SEEDS, st.integers(1, 150), st.integers(1, 149))


def keeps_its_budget(query: queries.Within, random_state: int, rows: int, cut: int) -> None:
    """Run a stream in two calls, with a save between them, and count everything anew."""
    made = streams.noisy(rows=rows, width=3, random_state=random_state)
    learner = askance.Learner(
        updates.PassiveAggressive1(), query, random_state=random_state, dtype="float64", classes=(-1, 1)
    )
    traces = []
    for part in (slice(0, cut), slice(cut, None)):
        if len(made.y[part]):
            traces.append(learner.run(made.X[part], made.y[part], coins=made.coins[part]))
            learner = from_bytes(to_bytes(learner))
    trace = askance.Trace.join(traces)
    so_far = np.cumsum(trace.asked)
    assert (so_far <= query.burst + query.rate * np.arange(1, rows + 1)).all()
    assert (so_far <= query.limit).all()
    assert ((made.coins < trace.ask_probabilities) == trace.asked).all()

    twin = naive.run(*made, naive.UPDATES["PassiveAggressive1"](), naive.query_twin(query))
    if twin.settled == rows:
        np.testing.assert_array_equal(trace.asked, twin.asked)
        assert trace.refused == twin.refused
        assert [piece.refused for piece in traces] == refusals(query, made, [len(piece) for piece in traces])
    assert learner.spending_ == (rows, so_far[-1], trace.refused)
    assert trace.spent == so_far[-1]
    assert [piece.spent for piece in traces] == [piece.asked.sum() for piece in traces]


def refusals(query: queries.Within, made: streams.Made, lengths: list[int]) -> list[int]:
    """What a twin that sees only the first rows has refused, piece by piece."""
    ends = np.cumsum(lengths)
    totals = [
        naive.run(
            *(part[:end] for part in made), naive.UPDATES["PassiveAggressive1"](), naive.query_twin(query)
        ).refused
        for end in ends
    ]
    return np.diff(totals, prepend=0).tolist()


@examples(300)
@given(ANY)
def test_no_prefix_of_any_stream_exceeds_its_budget(case: Any) -> None:
    keeps_its_budget(*case)


@pytest.mark.soak
@settings(max_examples=10_000)
@given(ANY)
def test_no_prefix_of_ten_thousand_streams_exceeds_its_budget(case: Any) -> None:
    keeps_its_budget(*case)


@examples(60)
@given(outer=RATES, inner=RATES, burst=BURSTS, random_state=SEEDS)
def test_a_budget_in_a_budget_keeps_both(outer: float, inner: float, burst: float, random_state: int) -> None:
    made = streams.noisy(rows=80, width=3, random_state=random_state)
    query = queries.Within(queries.Within(queries.Random(0.7), inner, 2.0), outer, burst)
    learner = askance.Learner(query=query, dtype="float64", classes=(-1, 1))
    so_far, rounds = np.cumsum(learner.run(made.X, made.y).asked), np.arange(1, 81)
    assert (so_far <= np.minimum(2 + inner * rounds, burst + outer * rounds)).all()


# ---------------------------------------------------------------------- budgets are used


@pytest.mark.sampled(4)
@pytest.mark.parametrize("rate", [0.01, 0.1, 0.5])
@pytest.mark.parametrize(
    "inner",
    [
        queries.Always(),
        queries.Random(0.7),
        queries.Margin(50.0),
        queries.AtRate(queries.Margin(1.0), 0.7),
        queries.LeastCertain(0.7),
        queries.Split(0.7),
    ],
    ids=str,
)
def test_nine_tenths_of_a_budget_are_used_where_more_is_wanted(inner: Any, rate: float) -> None:
    made = streams.noisy(rows=4000, width=5, random_state=7)
    learner = askance.Learner(query=queries.Within(inner, rate, burst=10), dtype="float64", classes=(-1, 1))
    trace = learner.run(made.X, made.y)
    assert trace.spent + trace.refused > 10 + rate * 4000, "the inner rule must want more, or this shows nothing"
    assert 0.9 * (10 + rate * 4000) <= trace.spent <= 10 + rate * 4000


def test_a_limit_is_used_up() -> None:
    made = streams.noisy(rows=500, width=5, random_state=7)
    learner = askance.Learner(query=queries.Within(queries.Random(0.5), limit=40), dtype="float64")
    trace = learner.run(made.X, made.y)
    assert trace.spent == 40
    assert trace.asked.sum() == 40
    assert not trace.asked[np.flatnonzero(trace.asked)[-1] + 1 :].any()


def test_what_is_not_used_is_not_lost_to_later_rows() -> None:
    """A quiet start leaves its share to a part of the stream where more is in doubt."""
    X = np.vstack([np.zeros((50, 2)), np.ones((50, 2))])
    y = np.resize([1, -1], 100)
    coins = np.r_[np.full(50, 0.99), np.zeros(50)]
    query = queries.Within(queries.Random(0.5), rate=0.5, burst=0.0)
    trace = askance.Learner(query=query, dtype="float64").run(X, y, coins=coins)
    assert trace.asked.tolist() == [False] * 50 + [True] * 50


# ---------------------------------------------------------------------- AtRate


@examples(100)
@given(query=STEERED, random_state=SEEDS)
def test_a_steered_probability_is_positive_and_follows_its_formula(query: Any, random_state: int) -> None:
    scores = np.random.default_rng(random_state).normal(size=200) * 3
    memory, twin = query.start(), naive.query_twin(query)
    asking = [query.ask(memory, Seen(score, 0.0, 1.0, 1.0, 0, 0.0), 0.5) for score in scores]
    assert all(0 < probability <= 1 for probability in asking)
    np.testing.assert_allclose(
        asking, [twin(naive.View(score, 0.0, 1.0, 0, 0.0), 0.5) for score in scores], rtol=1e-9
    )


@pytest.mark.sampled(3)
@pytest.mark.parametrize("rate", [0.02, 0.1, 0.4])
@pytest.mark.parametrize(
    "inner",
    [
        queries.Random(0.5),
        queries.Margin(1.0),
        queries.Margin(1e-3),
        queries.RandomVariableUncertainty(),
        queries.IWAL(),
    ],
    ids=str,
)
def test_a_long_stream_is_asked_at_the_wanted_rate(inner: Any, rate: float) -> None:
    """The probabilities stay within 60 labels of the plan, always; the questions scatter about their sum."""
    rows = 6000
    made = streams.noisy(rows=rows, width=5, random_state=3)
    learner = askance.Learner(query=queries.AtRate(inner, rate), dtype="float64", classes=(-1, 1))
    trace = learner.run(made.X, made.y)
    plan = rate * np.arange(1, rows + 1)
    assert (trace.ask_probabilities > 0).all()
    assert np.abs(np.cumsum(trace.ask_probabilities) - plan).max() < 60
    scatter = 5 * math.sqrt((trace.ask_probabilities * (1 - trace.ask_probabilities)).sum())
    assert trace.spent == pytest.approx(rate * rows, abs=60 + scatter)


def test_a_steered_rule_still_prefers_small_margins() -> None:
    made = streams.noisy(rows=4000, width=5, random_state=3)
    learner = askance.Learner(query=queries.AtRate(queries.Margin(), 0.2), dtype="float64", classes=(-1, 1))
    trace = learner.run(made.X, made.y)
    near = np.abs(trace.scores) < np.median(np.abs(trace.scores))
    assert trace.asked[near].mean() > 2 * trace.asked[~near].mean()


# ---------------------------------------------------------------------- LeastCertain


@examples(100)
@given(query=LEAST_CERTAIN, random_state=SEEDS)
def test_the_least_certain_rows_are_never_asked_about_ahead_of_the_plan(query: Any, random_state: int) -> None:
    """However margins grow or fall: Σ probabilities ≤ burst + rate·t + 2, and none is below audit·rate."""
    rng = np.random.default_rng(random_state)
    scores = rng.normal(size=300) * np.exp(rng.uniform(-0.05, 0.05) * np.arange(300))
    memory = query.start()
    asking = np.array([query.ask(memory, Seen(score, 0.0, 1.0, 1.0, 0, 0.0), 0.5) for score in scores])
    assert (asking >= query.audit * query.rate).all()
    assert (np.cumsum(asking) <= query.burst + query.rate * np.arange(1, 301) + 2 + 1e-9).all()
    assert set(asking) <= {1.0, query.audit * query.rate}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("rate", [0.02, 0.1, 0.4])
def test_the_smallest_margins_are_asked_about_at_the_wanted_rate(rate: float) -> None:
    scores = np.random.default_rng(5).normal(size=6000)
    query = queries.LeastCertain(rate, audit=0.2, burst=10.0)
    memory, scaled = query.start(), query.start()
    asking = np.array([query.ask(memory, Seen(score, 0.0, 1.0, 1.0, 0, 0.0), 0.5) for score in scores])
    assert asking.sum() == pytest.approx(10 + rate * 6000, abs=10)
    margins = np.abs(scores)
    for_sure = asking == 1.0
    assert for_sure[margins < np.quantile(margins, rate / 2)].mean() > 0.6
    assert for_sure[margins > np.quantile(margins, 2 * rate)].mean() < 0.01
    other = [query.ask(scaled, Seen(-(2.0**30) * score, 0.0, 1.0, 1.0, 0, 0.0), 0.5) for score in scores]
    assert other == asking.tolist()  # only the order of margins matters


def test_an_audit_of_everything_is_asking_at_random() -> None:
    made = streams.noisy(rows=200, width=4, random_state=9)
    audited, random = (
        askance.Learner(query=query, dtype="float64").run(made.X, made.y, coins=made.coins)
        for query in (queries.LeastCertain(0.3, audit=1.0), queries.Random(0.3))
    )
    np.testing.assert_array_equal(audited.ask_probabilities, random.ask_probabilities)
    np.testing.assert_array_equal(audited.scores, random.scores)


def test_rows_long_ago_do_not_matter() -> None:
    query = queries.LeastCertain(0.2, audit=0.5, burst=0.0, recent=30)
    one, other = query.start(), query.start()
    for memory, size in ((one, 1.0), (other, 1e6)):
        for score in np.random.default_rng(1).normal(size=100) * size:
            query.ask(memory, Seen(score, 0.0, 1.0, 1.0, 0, 0.0), 0.5)
    same = []
    for part in np.random.default_rng(2).normal(size=(2, 30)):
        other.behind[:] = one.behind
        asking = [
            [query.ask(memory, Seen(p, 0.0, 1.0, 1.0, 0, 0.0), 0.5) for p in part] for memory in (one, other)
        ]
        same.append(asking[0] == asking[1])
    assert same == [False, True]


def test_rows_that_no_label_is_available_for_do_not_count() -> None:
    query = queries.LeastCertain(0.1, burst=3.0)
    memory = query.start()
    for score in np.random.default_rng(3).normal(size=50):
        query.ask(memory, Seen(score, 0.0, 1.0, 1.0, 0, 0.0, eligible=0.0), 0.5)
    assert memory.behind[0] == 3.0
    assert memory.rows[0] == 50
