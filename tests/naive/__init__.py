"""Naive twins of the rules, written from the papers' formulas and from nothing else: askance is not imported here.

A file a family; each lists its update rules and its algorithms by name, and they are joined here.
"""

from collections.abc import Callable
from typing import Any

from naive import (
    cost_sensitive,
    dual,
    first_order,
    gradient,
    maximum_margin,
    second_order,
    selective,
    sparse,
    subgradient,
)
from naive.dual import dual_twin
from naive.loop import Query, Run, Twin, View, run
from naive.losses import LOSSES
from naive.queries import QUERIES, WRAPPERS, margin

FAMILIES = (
    first_order,
    second_order,
    subgradient,
    selective,
    cost_sensitive,
    dual,
    gradient,
    maximum_margin,
    sparse,
)
UPDATES = {name: twin for family in FAMILIES for name, twin in family.UPDATES.items()}
ALGORITHMS = {name: build for family in FAMILIES for name, build in family.ALGORITHMS.items()}

__all__ = [
    "ALGORITHMS",
    "QUERIES",
    "UPDATES",
    "WRAPPERS",
    "Query",
    "Run",
    "Twin",
    "View",
    "algorithm",
    "dual_twin",
    "margin",
    "query_twin",
    "run",
    "update_twin",
]


def algorithm(name: str, X: Any, y: Any, coins: Any, **parameters: Any) -> Run:
    """The run of a paper's algorithm."""
    twin, query, sgn0 = ALGORITHMS[name](**parameters)
    return run(X, y, coins, twin, query, sgn0)


def update_twin(rule: Any) -> Twin:
    """The twin of an update rule, found by the name of its class, with a twin for the rule that it wraps."""
    parameters = {
        name: update_twin(one) if hasattr(one, "_fields") else one for name, one in rule._asdict().items()
    }
    return {**UPDATES, **LOSSES}[type(rule).__name__](**parameters)


def query_twin(rule: Any, eagerness: float | None = None) -> Query:
    """The twin of a query rule, with twins for the rules that it wraps."""
    name = type(rule).__name__
    parameters = rule._asdict()
    if name in QUERIES:
        return QUERIES[name](**parameters, **({} if eagerness is None else {"eagerness": eagerness}))
    inner = parameters.pop("inner")
    if name != "Within":
        return WRAPPERS[name](eager_twin(inner), **parameters)
    return WRAPPERS[name](query_twin(inner), **parameters)


def eager_twin(rule: Any) -> Callable[[float], Query]:
    """The twin of a query rule by its eagerness. One that remembers something stays the same twin."""
    kept: Any = query_twin(rule)

    def eager(factor: float) -> Query:
        if not hasattr(kept, "eagerness"):
            return query_twin(rule, factor) if hasattr(rule, "scaled") else kept
        kept.eagerness = factor
        return kept  # type: ignore[no-any-return]

    return eager
