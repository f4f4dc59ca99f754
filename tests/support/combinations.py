"""Every update rule with every query rule, bare and wrapped: what the registers offer, made into learners.

A new rule is found in its register. Where the defaults make no difference on few rows, parameters stand here.
"""

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

from askance import Learner, queries, updates
from askance.rules.query.rule import needs_spread
from askance.rules.registry import check_rules

BARE: dict[type, dict[str, float]] = {
    queries.Decaying: {"delta0": 8.0},
    queries.LeastCertain: {"rate": 0.37, "audit": 0.43, "burst": 1.5, "recent": 23},
    queries.FixedUncertainty: {"theta": 0.3, "rate": 0.37, "window": 20, "audit": 0.43},
    queries.VariableUncertainty: {"theta": 0.3, "s": 0.1, "rate": 0.37, "window": 20, "audit": 0.43},
    queries.RandomVariableUncertainty: {"theta": 0.3, "s": 0.1, "rate": 0.37, "window": 20},
    queries.Split: {"theta": 0.3, "s": 0.1, "nu": 0.4, "rate": 0.37, "window": 20},
    queries.IWAL: {"C0": 0.001},
}
WRAPPED: dict[type, dict[str, Any]] = {
    queries.Within: {"rate": 0.4, "burst": 2.0},
    queries.AtRate: {"rate": 0.3},
    queries.LocalDensity: {"window": 9, "audit": 0.43},
    queries.CognitiveWindow: {"window": 3, "audit": 0.43, "count_all": True},
}


def query_rules() -> Iterator[Any]:
    """Each query rule, each wrapper around each rule that it takes, and a budget around a steered rule."""
    for rule in queries.RULES:
        yield rule(**BARE.get(rule, {}))
    for wrapper, rule in itertools.product(queries.WRAPPERS, queries.RULES):
        if wrapper is not queries.AtRate or hasattr(rule, "scaled"):
            yield wrapper(rule(**BARE.get(rule, {})), **WRAPPED[wrapper])
    yield queries.Within(queries.AtRate(queries.Margin(), rate=0.5), rate=0.4, burst=2.0)
    near = queries.LocalDensity(queries.Margin(), window=7, least=2, audit=0.3)
    yield queries.Within(queries.AtRate(near, rate=0.3), rate=0.4, burst=2.0)


def update_rules() -> Iterator[Any]:
    """Each update rule; those that can keep a full matrix also with one."""
    for rule in updates.RULES:
        yield rule()
        if "full" in rule._fields:  # type: ignore[attr-defined]
            yield rule(full=True)


def fits(query: Any, update: Any) -> bool:
    """Whether the rules go together."""
    try:
        check_rules(update, query)
    except ValueError:
        return False
    return True


class Combination(NamedTuple):
    """An update rule and a query rule."""

    update: Any
    query: Any

    def learner(self, **changes: Any) -> Learner:
        """A learner of these rules in exact mode, its classes known from the start."""
        return Learner(
            self.update, self.query, **({"dtype": "float64", "classes": (-1, 1), "random_state": 5} | changes)
        )

    def __str__(self) -> str:
        full = "-full" if getattr(self.update, "full", False) else ""
        return f"{type(self.update).__name__}{full}-{_name(self.query)}"


def _name(rule: Any) -> str:
    inner = getattr(rule, "inner", None)
    return type(rule).__name__ + (f"({_name(inner)})" if inner is not None else "")


# Query rules that look at the spread need a reference that has one.
REFERENCE, REFERENCE_WITH_SPREAD = "PassiveAggressive2", "MirrorDescent"
# A wrapper sees no more of an update rule than what it wraps does: a rule of each kind of state will do. Nor do
# these rules, which see the margin and the length of the row, as `Margin` and `Adaptive` do.
WRAPPED_WITH = {REFERENCE, REFERENCE_WITH_SPREAD, "Winnow"}
WITH_FEW = {
    queries.FixedUncertainty,
    queries.VariableUncertainty,
    queries.RandomVariableUncertainty,
    queries.Split,
    queries.IWAL,
}


# Nor does a query rule see more of a full matrix than score and spread.
WITH_FULL_MATRICES = {queries.Margin, queries.SpreadMargin}


def is_wanted(update: Any, query: Any) -> bool:
    """Whether the pair goes together and tells something that others do not."""
    if getattr(update, "full", False) and type(query) not in WITH_FULL_MATRICES:
        return False
    with_few = hasattr(query, "inner") or type(query) in WITH_FEW
    return fits(query, update) and (not with_few or type(update).__name__ in WRAPPED_WITH)


ALL = [
    Combination(rule, query)
    for rule, query in itertools.product(update_rules(), query_rules())
    if is_wanted(rule, query)
]

# Compiling takes seconds per pair. The soak compiles every update rule with one query rule, every query rule with
# one update rule, and a full matrix of either kind once; all pairs are left to plain Python.
PARTNER = "Margin"
FULL = ("AROW", "SecondOrderPerceptron")


def _is_reference(combination: Combination) -> bool:
    name = type(combination.update).__name__
    return name == (REFERENCE_WITH_SPREAD if needs_spread(combination.query) else REFERENCE)


def _is_partner(combination: Combination) -> bool:
    full = getattr(combination.update, "full", False)
    return _name(combination.query) == PARTNER and (not full or type(combination.update).__name__ in FULL)


THIN = [combination for combination in ALL if _is_reference(combination) or _is_partner(combination)]

# `make test` compiles the method of every rule (test_compiled_methods), a whole pass for each kind of state,
COMPILED = (
    *("PassiveAggressive2-Margin", "PassiveAggressive2-Within(AtRate(Margin))"),
    *("AROW-Margin", "SecondOrderPerceptron-Margin", "DualAveraging-Margin"),
    *("MirrorDescent-AtRate(Discrimination)", "Winnow-Margin"),
)
THINNEST = [one for one in THIN if str(one) in COMPILED]
# and everything that a learner does with one of these. Plain Python does that with one rule of each form.
ONE = ("PassiveAggressive2-Within(AtRate(Margin))",)
FEW = (
    *(*ONE, "AROW-Margin", "PassiveAggressive2-Margin", "DualAveraging-Margin", "Winnow-Margin"),
    *("ROMMA-Margin", "TruncatedGradient-Margin"),
)
