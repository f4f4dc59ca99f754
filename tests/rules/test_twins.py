"""A learner and its naive twin decide alike on any stream, with any parameters, in any chunks."""

import itertools
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import askance
import combinations
import naive
import streams
from askance import queries, updates
from askance.jit.interop import COMPILING
from examples import examples
from rule_strategies import FEW_QUERIES, UPDATE_PARAMETERS, any_stream, chunked, query_parameters
from thinning import also_compiled

FORMS = {"dense": np.asarray, "sparse": sp.csr_array}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("update", updates.RULES)
@examples(60)
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


# Fast mode is compiled apart, here for rules that cost little, each with one form of rows.
@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("update", "form"),
    also_compiled(itertools.product(updates.RULES, FORMS), {(updates.PassiveAggressive2, "sparse")}),
)
@examples(30)
@given(st.data())
def test_fast_mode_stays_close_until_a_decision_differs(update: type, form: str, data: st.DataObject) -> None:
    rule = data.draw(UPDATE_PARAMETERS[update])
    stream = data.draw(any_stream(20))
    twin = naive.run(stream.X, stream.y, stream.coins, naive.update_twin(rule), naive.margin())
    learner = askance.Learner(rule, queries.Margin(), dtype="float32", classes=(-1, 1))
    trace = chunked(learner, FORMS[form](stream.X), stream)
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


# Rows of either form, by turns.
COMPILED = {(str(one), list(FORMS)[number % 2]) for number, one in enumerate(combinations.THINNEST)}
CASES = itertools.product(combinations.THIN if COMPILING else combinations.ALL, FORMS)


def further_forms_slow(cases: list[Any]) -> list[Any]:
    """Pairs of rules beyond those that cover every rule meet one form of rows, by turns; `make slow` has both."""
    return [
        pytest.param(*case, marks=pytest.mark.slow)
        if type(case) is tuple and number % 4 in (1, 2) and case[0] not in combinations.THIN
        else case
        for number, case in enumerate(cases)
    ]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("combination", "form"),
    further_forms_slow(also_compiled(CASES, COMPILED, by=lambda case: (str(case[0]), case[1]))),
    ids=str,
)
def test_every_combination_decides_as_its_twin(combination: combinations.Combination, form: str) -> None:
    made = streams.sparse_units(rows=90, width=12, random_state=41)  # where no decision hangs on the last bits
    twin = naive.run(*made, naive.update_twin(combination.update), naive.query_twin(combination.query))
    assert twin.settled == len(made.y)
    learner = combination.learner()
    trace = learner.run(FORMS[form](made.X), made.y, coins=made.coins)
    for field in ("predictions", "scores", "ask_probabilities", "asked", "updated"):
        np.testing.assert_allclose(getattr(trace, field), getattr(twin, field), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(learner.coef_[0], twin.w, rtol=1e-9, atol=1e-9)
    assert trace.refused == twin.refused
