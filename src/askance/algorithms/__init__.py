"""The papers' names. Each is one line: an update rule × a query rule × the paper's parameters and defaults."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

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
from askance.algorithms.entry import Entry, Parts

FAMILIES = (first_order, selective, second_order, subgradient, cost_sensitive, dual, multiclass, imbalance)

catalog: Mapping[str, Entry] = MappingProxyType(
    {name: entry._replace(name=name) for family in FAMILIES for name, entry in family.ENTRIES.items()}
)


def look_up(name: str) -> Entry:
    """The entry of a name; ValueError with the nearest names if there is none."""
    if name in catalog:
        return catalog[name]
    import difflib

    near = difflib.get_close_matches(str(name).upper(), catalog, n=3, cutoff=0.5)
    hint = f"; did you mean {' or '.join(near)}?" if near else "; `askance catalog` lists them all"
    raise ValueError(f"the catalog has no algorithm {name!r}{hint}")


def parts_of(name: str, parameters: Mapping[str, Any]) -> Parts:
    """What a name stands for, with some of its parameters given."""
    return look_up(name).parts(parameters)
