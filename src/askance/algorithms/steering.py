"""Steer the algorithms of the catalog towards a given share of labels."""

from typing import Any

from askance.algorithms import catalog, look_up
from askance.rules.query import Always, AtRate, Margin, QueryRule, Random


def steered(name: str, query: Any, rate: float) -> QueryRule:
    """Return the query rule of an algorithm, steered to a rate; ValueError if that is not possible."""
    if hasattr(query, "scaled"):
        return AtRate(query, rate)
    if isinstance(query, Always):
        active = _active_form(name)
        if active is None:
            return AtRate(Margin(), rate)
        raise ValueError(f"{name} always asks, so it cannot be steered to a rate: use {active} instead")
    raise ValueError(f"{name} cannot be steered to a rate: omit the rate")


def _active_form(name: str) -> str | None:
    """Return the algorithm with the same update rule that asks when in doubt, if the catalog has one."""
    for other, entry in catalog.items():
        scalable = hasattr(entry.query, "scaled") and entry.query is not Random
        if (entry.update, entry.kind) == (look_up(name).update, look_up(name).kind) and scalable:
            return other
    return None
