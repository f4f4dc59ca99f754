"""The papers' names. Each is one line: an update rule × a query rule × the paper's parameters and defaults."""

from collections.abc import Mapping, Sequence
from numbers import Real
from types import MappingProxyType
from typing import Any, NamedTuple

from askance._util.parameters import check_parameters
from askance.algorithms import (
    cost_sensitive,
    dual,
    first_order,
    imbalance,
    multiclass,
    second_order,
    selective,
    subgradient,
)
from askance.algorithms.entry import MANY, Entry
from askance.rules.query import QueryRule
from askance.rules.update import PassiveAggressive1, UpdateRule

FAMILIES = (first_order, selective, second_order, subgradient, cost_sensitive, dual, multiclass, imbalance)

catalog: Mapping[str, Entry] = MappingProxyType(
    {name: entry for family in FAMILIES for name, entry in family.ENTRIES.items()}
)


def look_up(name: str) -> Entry:
    """The entry of a name; ValueError with the nearest names if there is none."""
    if name in catalog:
        return catalog[name]
    import difflib

    near = difflib.get_close_matches(str(name).upper(), catalog, n=3, cutoff=0.5)
    hint = f"; did you mean {' or '.join(near)}?" if near else "; `askance catalog` lists them all"
    raise ValueError(f"the catalog has no algorithm {name!r}{hint}")


class Parts(NamedTuple):
    """What a name with its parameters stands for; `classes` are those that `k` has told of many."""

    update: UpdateRule
    query: QueryRule
    sgn0: int
    many: bool
    classes: Sequence[Any] | None


def parts_of(name: str, parameters: Mapping[str, Any]) -> Parts:
    """What a name stands for, with some of its parameters given."""
    entry = look_up(name)
    unknown = [parameter for parameter in parameters if parameter not in entry.defaults]
    if unknown:
        raise ValueError(f"{name} has no parameter {unknown[0]!r}: it takes {', '.join(entry.defaults)}")
    given = {**entry.defaults, **parameters}
    sgn0, k = given.pop("sgn0", 1), given.pop("k", None)
    update, query = entry.build(**given)
    if "C" in given and not hasattr(
        getattr(update, "inner", update), "C"
    ):  # PA has it only because the papers' tables do
        check_parameters(PassiveAggressive1(given["C"]), PassiveAggressive1().constraints())
    return Parts(update, query, sgn0, entry.kind == MANY, None if k is None else _numbered(k))


def _numbered(k: Any) -> Sequence[int]:
    """The classes 0 to k - 1."""
    whole = not isinstance(k, bool) and isinstance(k, Real) and float(k).is_integer()
    if not whole or k < 2:
        raise ValueError(f"k must be a whole number of classes, 2 or more, not {k!r}")
    return range(int(k))
