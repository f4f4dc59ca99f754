"""Steering the learners of the catalog towards a wanted share of labels."""

from typing import Any

from askance.algorithms import catalog, look_up
from askance.rules.query import Always, AtRate, Margin, QueryRule, Random


def steered(name: str, query: Any, rate: float) -> QueryRule:
    """The query rule of the catalog's `name`, steered to a rate; ValueError if it cannot be."""
    if hasattr(query, "scaled"):
        return AtRate(query, rate)
    if isinstance(query, Always):
        active = _active_form(name)
        if active is None:
            return AtRate(Margin(), rate)
        raise ValueError(f"{name} always asks, so a rate cannot steer it: its active form is {active}")
    raise ValueError(f"{name} cannot be steered to a rate: leave the rate out")


def _active_form(name: str) -> str | None:
    """The method with the same update rule that asks when in doubt, if a paper has one."""
    for other, entry in catalog.items():
        scalable = hasattr(entry.query, "scaled") and entry.query is not Random
        if (entry.update, entry.kind) == (look_up(name).update, look_up(name).kind) and scalable:
            return other
    return None
