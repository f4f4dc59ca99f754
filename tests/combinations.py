"""Every update rule with every query rule, bare and wrapped: what the registers offer, made into learners.

A new rule is found in its register. Wrappers get parameters here under which they make a difference.
"""

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

from askance import Learner, queries, updates
from askance.rules import check_rules

WRAPPED: dict[type, dict[str, float]] = {
    queries.Within: {"rate": 0.4, "burst": 2.0},
    queries.AtRate: {"rate": 0.3},
}


def query_rules() -> Iterator[Any]:
    """Each query rule, each wrapper around each rule that it takes, and a budget around a steered rule."""
    for rule in queries.RULES:
        yield rule()
    for wrapper, rule in itertools.product(queries.WRAPPERS, queries.RULES):
        if fits(wrapped := wrapper(rule(), **WRAPPED[wrapper])):
            yield wrapped
    yield queries.Within(queries.AtRate(queries.Margin(), rate=0.5), rate=0.4, burst=2.0)


def fits(query: Any) -> bool:
    """Whether a wrapper takes the rule inside it."""
    try:
        check_rules(updates.Perceptron(), query)
    except ValueError:
        return False
    return True


class Combination(NamedTuple):
    """An update rule and a query rule."""

    update: Any
    query: Any

    def learner(self, **changes: Any) -> Learner:
        """A learner of these rules in exact mode, its classes known from the start."""
        return Learner(self.update, self.query, **({"dtype": "float64", "classes": (-1, 1), "seed": 5} | changes))

    def __str__(self) -> str:
        return f"{type(self.update).__name__}-{_name(self.query)}"


def _name(rule: Any) -> str:
    inner = getattr(rule, "inner", None)
    return type(rule).__name__ + (f"({_name(inner)})" if inner is not None else "")


COMBINATIONS = [Combination(rule(), query) for rule in updates.RULES for query in query_rules()]
