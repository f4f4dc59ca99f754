"""A pair of rules in a sweep, of askance or of the user's own, in place of a name of the catalog."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from askance.algorithms import look_up, parts_of
from askance.algorithms.entry import Parts
from askance.errors import shown
from askance.jit.source_digest import is_ours
from askance.rules.registry import is_rule, parameters_of, with_parameters


class RulePair(NamedTuple):
    """An update rule and a query rule."""

    update: Any
    query: Any


def given_algorithm(label: str, given: Any) -> tuple[str | RulePair, dict[str, Any]]:
    """Return the name or the rules that a plan gives under this label, and fixed parameters."""
    if isinstance(given, str):
        return given, {}
    if isinstance(given, tuple | list) and len(given) == 2 and not is_rule(given):
        first, second = given
        if isinstance(first, str) and isinstance(second, Mapping):
            return first, dict(second)
        if is_rule(first) and is_rule(second):
            return RulePair(first, second), {}
    raise ValueError(
        f"{label} must be a name of the catalog, a pair (name, parameters), or a pair of rules such as "
        f"(updates.AROW(), queries.Margin()), not {shown(given)}"
    )


def defaults_of(given: str | RulePair) -> Mapping[str, Any]:
    """Return the parameters of an algorithm by name, with the values that they have if none is given."""
    if isinstance(given, str):
        return look_up(given).defaults
    return parameters_of(given.query) | parameters_of(given.update)


def parts_with(label: str, given: str | RulePair, setting: Mapping[str, Any]) -> Parts:
    """Return the rules with a setting. A parameter that both rules of a pair have is that of the update rule."""
    if isinstance(given, str):
        return parts_of(given, setting)
    update, query = given
    for name, value in setting.items():
        if name in parameters_of(update):
            update = with_parameters(update, {name: value})
        elif name in parameters_of(query):
            query = with_parameters(query, {name: value})
        else:
            rules = f"{type(update).__name__} nor {type(query).__name__}"
            raise ValueError(f"{label}: neither {rules} has a parameter {name!r}")
    return Parts(update, query, 1, False, None)


def is_known(part: Any) -> bool:
    """Return whether a rule consists of rules of askance and of values alone, so that its text says what it does.

    The code of other rules, and of functions, may change while their names stay.
    """
    if is_rule(part):
        return is_ours(type(part)) and all(map(is_known, part))
    return not callable(part)


def can_scale(query: Any) -> bool:
    """Return whether a query rule, and each rule inside it, has a method `scaled`."""
    return hasattr(query, "scaled") and (not hasattr(query, "inner") or can_scale(query.inner))
