"""The catalog of algorithms by the names of the papers.

Each entry is one line: an update rule, a query rule, and the parameters and defaults of the paper.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from askance._util.html import html_table
from askance.algorithms import (
    cost_sensitive,
    dual,
    first_order,
    gradient,
    imbalance,
    maximum_margin,
    multiclass,
    second_order,
    selective,
    subgradient,
)
from askance.algorithms.entry import Entry, Parts

FAMILIES = (
    first_order,
    selective,
    second_order,
    subgradient,
    cost_sensitive,
    dual,
    multiclass,
    imbalance,
    maximum_margin,
    gradient,
)


class Catalog(Mapping[str, Entry]):
    """The entries by name. A notebook shows them as a table."""

    def __init__(self, entries: Mapping[str, Entry]) -> None:
        self._entries = dict(entries)

    def __getitem__(self, name: str) -> Entry:
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        first = ", ".join(list(self._entries)[:3])
        return f"<catalog of {len(self)} algorithms: {first}, …; `askance catalog` lists them>"

    def _repr_html_(self) -> str:
        rows = [
            (name, entry.update.__name__, entry.query.__name__, f"{entry.paper}, {entry.where}")
            for name, entry in self._entries.items()
        ]
        return html_table(f"{len(self)} algorithms", rows, ("name", "update rule", "query rule", "paper"))


catalog = Catalog(
    {name: entry._replace(name=name) for family in FAMILIES for name, entry in family.ENTRIES.items()}
)


def look_up(name: str) -> Entry:
    """Return the entry of a name; ValueError with similar names if there is none."""
    if name in catalog:
        return catalog[name]
    import difflib

    near = difflib.get_close_matches(str(name).upper(), catalog, n=3, cutoff=0.5)
    hint = f"; did you mean {' or '.join(near)}?" if near else "; `askance catalog` lists them all"
    raise ValueError(f"the catalog has no algorithm {name!r}{hint}")


def parts_of(name: str, parameters: Mapping[str, Any]) -> Parts:
    """Return the rules and settings of an algorithm, given some of its parameters."""
    return look_up(name).parts(parameters)
