"""The papers' names. Each is one line: an update rule × a query rule × the paper's parameters and defaults."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from askance.limits import check_parameters
from askance.papers import cost_sensitive, first_order, selective, subgradient
from askance.papers.entry import Entry
from askance.queries import QueryRule
from askance.updates import PassiveAggressive1, UpdateRule

FAMILIES = (first_order, subgradient, selective, cost_sensitive)

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


def rules_of(name: str, parameters: Mapping[str, Any]) -> tuple[UpdateRule, QueryRule, int]:
    """Update rule, query rule and sgn(0) of a name with some of its parameters given."""
    entry = look_up(name)
    unknown = [parameter for parameter in parameters if parameter not in entry.defaults]
    if unknown:
        raise ValueError(f"{name} has no parameter {unknown[0]!r}: it takes {', '.join(entry.defaults)}")
    given = {**entry.defaults, **parameters}
    sgn0 = given.pop("sgn0")
    update, query = entry.build(**given)
    if "C" in given and not hasattr(update, "C"):  # PA has it only because the papers' tables do
        check_parameters(PassiveAggressive1(given["C"]), PassiveAggressive1().limits())
    return update, query, sgn0
