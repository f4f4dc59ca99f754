"""What every update rule with every query rule must do: one test per combination and check."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import askance
from askance import queries
from askance.jit.interop import COMPILING
from askance.learners.files import to_bytes
from combinations import ALL, FEW, ONE, THIN, Combination
from conformance_checks import CHECKS, OF_PAIRS, OF_RULES, OF_STATES, STREAM
from thinning import also_compiled


def cases() -> Iterator[tuple[Combination, Callable[[Combination], None]]]:
    """Plain Python does not repeat a check where it cannot find anything new; compiled code may always differ."""
    yield from itertools.product(THIN, CHECKS if COMPILING else (*OF_PAIRS, *OF_RULES))
    if not COMPILING:
        yield from itertools.product([one for one in THIN if str(one) in FEW], OF_STATES)


def further_pairs() -> Iterator[tuple[Combination, Callable[[Combination], None]]]:
    """The pairs of rules that `cases` has no need of to cover every rule."""
    if not COMPILING:
        yield from itertools.product([one for one in ALL if one not in THIN], OF_PAIRS)


def named(value: Any) -> str:
    return value.__name__ if callable(value) else str(value)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("combination", "check"), also_compiled(cases(), ONE, by=lambda case: str(case[0])), ids=named
)
def test_combination(combination: Combination, check: Callable[[Combination], None]) -> None:
    check(combination)


@pytest.mark.slow
@pytest.mark.parametrize(("combination", "check"), list(further_pairs()), ids=named)
def test_further_pairs(combination: Combination, check: Callable[[Combination], None]) -> None:
    check(combination)


@pytest.mark.soak
def test_a_hundred_thousand_predictions_change_nothing() -> None:
    X, y, _ = STREAM
    learner = askance.make("PAA-II", dtype="float64")
    learner.run(X, y)
    state, guesses = to_bytes(learner), learner.predict(X)
    for call in range(100_000):
        assert learner.predict(X[call % 90 : call % 90 + 1])[0] == guesses[call % 90]
    assert to_bytes(learner) == state


def test_the_registers_are_covered() -> None:
    for combinations in (ALL, THIN):
        assert {type(one.query) for one in combinations} == {*queries.RULES, *queries.WRAPPERS}
        assert {type(one.update) for one in combinations} == set(askance.updates.RULES)
    assert set(FEW) <= set(map(str, THIN))
