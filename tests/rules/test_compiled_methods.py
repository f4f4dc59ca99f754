"""Compiled, the method of each rule returns what it returns in plain Python, to the last bit.

Compiling a method takes a fraction of a second, and a whole pass with it some seconds. So `make test` compiles the
method of every rule, and passes for one rule of each form.
"""

from typing import Any

import numpy as np
import pytest

from askance import regression
from askance.engine.machine import copied
from askance.jit.interop import COMPILING, compiled, type_of
from askance.rules.registry import with_floats
from askance.rules.rows import Seen
from combinations import query_rules, update_rules

SEEN = [
    Seen(
        score, spread, squared_norm, 1.0 if score >= 0 else -1.0, mistakes, 1.5 * squared_norm, labels, labels // 3
    )
    for score, spread, squared_norm, mistakes, labels in [
        *((0.0, 0.0, 0.0, 0, 0), (0.3, 0.7, 1.0, 2, 9), (-2.5, 0.1, 4.0, 5, 7), (0.9, 1e-9, 1e-12, 1, 1)),
        *((1.0, 3.0, 1.0, 0, 4), (-0.01, 40.0, 250.0, 31, 90)),
    ]
]


def step(rule: Any, seen: Any, label: Any) -> Any:
    return rule.step(seen, label)


def ask(rule: Any, memory: Any, seen: Any, coin: Any) -> Any:
    return rule.ask(memory, seen, coin)


def machine_code(function: Any, *arguments: Any) -> Any:
    assert COMPILING
    return compiled(function, exact=True, cache=False).compile(tuple(type_of(one) for one in arguments))


@pytest.mark.compiled
@pytest.mark.parametrize("rule", [*update_rules(), *regression.NAMES.values()], ids=str)
def test_a_step(rule: Any) -> None:
    rule = with_floats(rule)
    fast = machine_code(step, rule, SEEN[0], 1.0)
    for seen in SEEN:
        for label in (1.0, -1.0):
            np.testing.assert_array_equal(np.hstack(fast(rule, seen, label)), np.hstack(rule.step(seen, label)))


@pytest.mark.compiled
@pytest.mark.parametrize(
    "rule", [*query_rules(), *(regression.ByUncertainty(audit=a) for a in (0.2, 1.0))], ids=str
)
def test_a_probability(rule: Any) -> None:
    rule = with_floats(rule)
    memory, other = rule.start(), copied(rule.start())
    fast = machine_code(ask, rule, memory, SEEN[0], 0.5)
    for seen in SEEN * 3:
        assert fast(rule, memory, seen, 0.5) == rule.ask(other, seen, 0.5)
