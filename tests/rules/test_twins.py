"""A learner and its naive twin decide alike on any stream, with any parameters, in any chunks."""

import itertools
import math
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import askance
import combinations
import naive
import streams
from askance import queries, updates
from askance.jit.interop import COMPILING
from askance.rules.update.rule import about
from thinning import few_compiled

# Quarters meet exactly: margins of 0 and 1, ties and repeats come up; the others are what data look like.
QUARTERS = st.integers(-8, 8).map(lambda number: number / 4)
VALUES = st.one_of(st.just(0.0), QUARTERS, st.floats(0.01, 10.0), st.floats(-10.0, -0.01))
POSITIVE = st.floats(-8, 8).map(lambda power: 2.0**power)
MODEST = st.floats(-3, 3).map(lambda power: 2.0**power)
SHARES = st.floats(0.01, 1.0)
FLAGS = st.booleans()
PHI = st.floats(0.51, 0.999).map(updates.deviations)
SEEDS = st.integers(0, 2**32)


class Stream(NamedTuple):
    X: Any
    y: Any
    coins: Any
    edges: list[int]


@st.composite
def any_stream(draw: st.DrawFn, rows: int = 40) -> Stream:
    """Rows, labels, coins, and where to cut the stream into chunks."""
    count, width = draw(st.integers(1, rows)), draw(st.integers(1, 6))
    cells = draw(st.lists(VALUES, min_size=count * width, max_size=count * width))
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=count, max_size=count))
    coins = np.random.default_rng(draw(SEEDS)).random(count)
    edges = draw(st.lists(st.integers(1, count), max_size=4))
    return Stream(np.array(cells).reshape(count, width), np.array(y), coins, edges)


UPDATE_PARAMETERS: dict[type, st.SearchStrategy[Any]] = {
    updates.Perceptron: st.builds(updates.Perceptron),
    updates.PassiveAggressive: st.builds(updates.PassiveAggressive),
    updates.PassiveAggressive1: st.builds(updates.PassiveAggressive1, POSITIVE),
    updates.PassiveAggressive2: st.builds(updates.PassiveAggressive2, POSITIVE),
    updates.SecondOrderPerceptron: st.builds(updates.SecondOrderPerceptron, FLAGS, FLAGS),
    updates.ConfidenceWeighted: st.builds(updates.ConfidenceWeighted, PHI, FLAGS, FLAGS),
    updates.ConfidenceWeightedStdev: st.builds(updates.ConfidenceWeightedStdev, PHI, FLAGS, FLAGS),
    updates.AROW: st.builds(updates.AROW, POSITIVE, FLAGS, FLAGS),
    updates.PAM: st.builds(updates.PAM, FLAGS, FLAGS),
    updates.PAM1: st.builds(updates.PAM1, POSITIVE, FLAGS, FLAGS),
    updates.PAM2: st.builds(updates.PAM2, POSITIVE, FLAGS, FLAGS),
    updates.SOAL: st.builds(updates.SOAL, POSITIVE, POSITIVE, FLAGS, FLAGS),
    updates.DualAveraging: st.builds(updates.DualAveraging, MODEST, MODEST),
    updates.MirrorDescent: st.builds(updates.MirrorDescent, MODEST, MODEST),
    updates.Winnow: st.builds(updates.Winnow, MODEST),
    updates.CostSensitivePA1: st.builds(updates.CostSensitivePA1, POSITIVE, MODEST, st.booleans()),
    updates.PAUM: st.builds(updates.PAUM, st.floats(0, 4), st.floats(0, 4), MODEST),
    updates.CPA: st.builds(updates.CPA, st.one_of(POSITIVE, st.just(math.inf)), MODEST, st.booleans()),
    updates.OGD: st.builds(updates.OGD, MODEST, FLAGS, FLAGS),
    updates.OCS1: st.builds(updates.OCS1, MODEST, MODEST, FLAGS, FLAGS, FLAGS),
    updates.OCS2: st.builds(updates.OCS2, MODEST, MODEST, FLAGS, FLAGS, FLAGS),
    updates.PNorm: st.builds(updates.PNorm, st.one_of(st.sampled_from([2.0, 3.0, 4.0]), st.floats(2, 12)), MODEST),
}
MARGIN = st.builds(queries.Margin, st.one_of(POSITIVE, st.just(math.inf)), st.sampled_from([0.0, 1.0, 0.3]))
SCALABLE = st.one_of(
    st.builds(queries.Random, SHARES),
    st.builds(queries.Adaptive, st.one_of(POSITIVE, st.just(math.inf))),
    st.builds(queries.Decaying, st.one_of(POSITIVE, st.just(math.inf)), st.booleans()),
    MARGIN,
)
OF_SPREAD = st.one_of(
    st.builds(queries.SpreadMargin, POSITIVE, POSITIVE, POSITIVE),
    st.builds(queries.Discrimination, st.one_of(POSITIVE, st.just(math.inf)), st.floats(0.0, 4.0), st.booleans()),
)


BUDGETS = {
    "rate": st.one_of(st.just(0.0), st.floats(0.0, 1.0)),
    "burst": st.one_of(st.just(0.0), st.floats(0.0, 10.0)),
    "limit": st.one_of(st.just(math.inf), st.floats(0.0, 20.0)),
}
# Each kind of query rule is compiled anew with each update rule, so most pairs are left to plain Python.
FEW_QUERIES = MARGIN


def query_parameters(update: type) -> st.SearchStrategy[Any]:
    """Any query rule that goes with an update rule, bare, steered or within a budget."""
    scalable = st.one_of(SCALABLE, OF_SPREAD) if about(update()).has_spread else SCALABLE
    steered = st.builds(queries.AtRate, scalable, SHARES)
    bare = st.one_of(st.builds(queries.Always), scalable, steered)
    return st.one_of(bare, st.builds(queries.Within, bare, **BUDGETS))


def chunked(learner: askance.Learner, X: Any, stream: Stream) -> askance.Trace:
    edges = sorted({0, *stream.edges, len(stream.y)})
    parts = [slice(start, stop) for start, stop in itertools.pairwise(edges)]
    return askance.Trace.join([learner.run(X[part], stream.y[part], coins=stream.coins[part]) for part in parts])


# Of each form of states one rule is compiled in every run.
ONE_OF_EACH_FORM = {
    updates.PassiveAggressive2,
    updates.AROW,
    updates.DualAveraging,
    updates.Winnow,
    updates.OCS2,
}


@pytest.mark.parametrize("update", few_compiled(updates.RULES, ONE_OF_EACH_FORM))
@settings(max_examples=60)
@given(st.data())
def test_exact_mode_decides_as_the_twin(update: type, data: st.DataObject) -> None:
    rule = data.draw(UPDATE_PARAMETERS[update])
    query = data.draw(FEW_QUERIES if COMPILING else query_parameters(update))
    stream, sgn0 = data.draw(any_stream()), data.draw(st.sampled_from([-1, 1]))
    twin = naive.run(stream.X, stream.y, stream.coins, naive.update_twin(rule), naive.query_twin(query), sgn0)
    learner = askance.Learner(rule, query, dtype="float64", sgn0=sgn0, classes=(-1, 1))
    X = sp.csr_array(stream.X) if data.draw(st.booleans()) else stream.X
    trace = chunked(learner, X, stream)
    until = twin.settled
    for field in ("predictions", "asked", "updated"):
        np.testing.assert_array_equal(getattr(trace, field)[:until], getattr(twin, field)[:until], field)
    for field in ("scores", "ask_probabilities"):
        np.testing.assert_allclose(getattr(trace, field)[:until], getattr(twin, field)[:until], 1e-9, 1e-9)
    if until == len(stream.y):
        np.testing.assert_allclose(learner.coef_[0], twin.w, rtol=1e-9, atol=1e-9)
        assert trace.refused == learner.spending_.refused == twin.refused


# Fast mode is compiled apart: here for rules that cost little to compile, for the others in the soak.
IN_FAST_MODE = {
    updates.PassiveAggressive2,
    updates.DualAveraging,
    updates.Winnow,
}
FAST = [rule if rule in IN_FAST_MODE else pytest.param(rule, marks=pytest.mark.soak) for rule in updates.RULES]


@pytest.mark.parametrize("update", FAST)
@settings(max_examples=30)
@given(st.data())
def test_fast_mode_stays_close_until_a_decision_differs(update: type, data: st.DataObject) -> None:
    rule = data.draw(UPDATE_PARAMETERS[update])
    stream = data.draw(any_stream(20))
    twin = naive.run(stream.X, stream.y, stream.coins, naive.update_twin(rule), naive.margin())
    learner = askance.Learner(rule, queries.Margin(), dtype="float32", classes=(-1, 1))
    trace = chunked(learner, sp.csr_array(stream.X) if data.draw(st.booleans()) else stream.X, stream)
    assert trace.scores.dtype == learner.coef_.dtype == np.float32
    differs = (
        (trace.predictions != twin.predictions) | (trace.asked != twin.asked) | (trace.updated != twin.updated)
    )
    until = int(np.argmax(differs)) if differs.any() else len(differs)
    scale = 1 + np.maximum.accumulate(np.abs(twin.scores))[: until + 1]
    # The round of the first difference was scored with the same weights still.
    assert (np.abs(trace.scores - twin.scores)[: until + 1] <= 1e-4 * scale).all()
    if differs.any():
        assert twin.distances[until] <= 1e-4 * scale[-1], "decisions differ where nothing was close"


def test_every_rule_has_a_twin() -> None:
    assert {rule.__name__ for rule in updates.RULES} == set(naive.UPDATES)
    assert {rule.__name__ for rule in queries.RULES} == set(naive.QUERIES)
    assert {rule.__name__ for rule in queries.WRAPPERS} == set(naive.WRAPPERS)
    assert set(UPDATE_PARAMETERS) == set(updates.RULES)


@pytest.mark.parametrize("combination", combinations.COMBINATIONS, ids=str)
def test_every_combination_decides_as_its_twin(combination: combinations.Combination) -> None:
    made = streams.sparse_units(rows=90, width=12, random_state=33)  # where no decision hangs on the last bits
    twin = naive.run(*made, naive.update_twin(combination.update), naive.query_twin(combination.query))
    assert twin.settled == len(made.y)
    for X in (made.X, sp.csr_array(made.X)):
        learner = combination.learner()
        trace = learner.run(X, made.y, coins=made.coins)
        for field in ("predictions", "scores", "ask_probabilities", "asked", "updated"):
            np.testing.assert_allclose(getattr(trace, field), getattr(twin, field), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(learner.coef_[0], twin.w, rtol=1e-9, atol=1e-9)
        assert trace.refused == twin.refused
