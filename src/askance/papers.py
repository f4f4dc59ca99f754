"""The papers' names. Each is one line: an update rule × a query rule × the paper's parameters and defaults."""

import inspect
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from askance.limits import check_parameters
from askance.queries import Always, Margin, QueryRule, Random
from askance.updates import (
    PassiveAggressive,
    PassiveAggressive1,
    PassiveAggressive2,
    Perceptron,
    UpdateRule,
)

PERCEPTRON = "Rosenblatt 1958"
PASSIVE_AGGRESSIVE = "Crammer, Dekel, Keshet, Shalev-Shwartz, Singer 2006"
SELECTIVE = "Cesa-Bianchi, Gentile, Zaniboni 2006"
ACTIVE = "Lu, Zhao, Hoi 2016"

Build = Callable[..., tuple[UpdateRule, QueryRule]]


class Entry(NamedTuple):
    """A name of the catalog: where it stands, what it is made of, and its parameters with their defaults."""

    paper: str
    where: str
    update: type
    query: type
    kind: str
    defaults: Mapping[str, Any]
    build: Build


def _entry(paper: str, where: str, build: Build, *, sgn0: int = 1) -> Entry:
    parameters = inspect.signature(build).parameters
    defaults = {name: parameter.default for name, parameter in parameters.items()}
    update, query = build()
    return Entry(
        paper, where, type(update), type(query), "binary", MappingProxyType(defaults | {"sgn0": sgn0}), build
    )


catalog: Mapping[str, Entry] = MappingProxyType(
    {
        "PE": _entry(PERCEPTRON, "", lambda: (Perceptron(), Always())),
        "RPE": _entry(ACTIVE, "section 6.1", lambda ratio=0.5: (Perceptron(), Random(ratio))),
        "PEA": _entry(ACTIVE, "section 6.1", lambda delta=1.0: (Perceptron(), Margin(delta))),
        "LEPE": _entry(ACTIVE, "section 6.3", lambda delta=1.0: (Perceptron(), Margin(delta))),
        "SEL-P": _entry(SELECTIVE, "figure 1", lambda b=1.0: (Perceptron(), Margin(b)), sgn0=-1),
        "SEL-P-FIXED": _entry(SELECTIVE, "section 4", lambda ratio=0.5: (Perceptron(), Random(ratio)), sgn0=-1),
        "PA": _entry(PASSIVE_AGGRESSIVE, "figure 1", lambda C=1.0: (PassiveAggressive(), Always())),
        "PA-I": _entry(PASSIVE_AGGRESSIVE, "figure 1", lambda C=1.0: (PassiveAggressive1(C), Always())),
        "PA-II": _entry(PASSIVE_AGGRESSIVE, "figure 1", lambda C=1.0: (PassiveAggressive2(C), Always())),
        "RPA": _entry(ACTIVE, "section 6.1", lambda ratio=0.5, C=1.0: (PassiveAggressive(), Random(ratio))),
        "RPA-I": _entry(ACTIVE, "section 6.1", lambda ratio=0.5, C=1.0: (PassiveAggressive1(C), Random(ratio))),
        "RPA-II": _entry(ACTIVE, "section 6.1", lambda ratio=0.5, C=1.0: (PassiveAggressive2(C), Random(ratio))),
        "PAA": _entry(ACTIVE, "algorithm 2", lambda delta=1.0, C=1.0: (PassiveAggressive(), Margin(delta))),
        "PAA-I": _entry(ACTIVE, "algorithm 2", lambda delta=1.0, C=1.0: (PassiveAggressive1(C), Margin(delta))),
        "PAA-II": _entry(ACTIVE, "algorithm 2", lambda delta=1.0, C=1.0: (PassiveAggressive2(C), Margin(delta))),
        "PAA(thm4)": _entry(
            ACTIVE, "theorem 4", lambda delta=1.0, C=1.0: (PassiveAggressive(), Margin(delta, 1.0))
        ),
        "PAA-I(thm4)": _entry(
            ACTIVE, "theorem 4", lambda delta=1.0, C=1.0: (PassiveAggressive1(C), Margin(delta, 1.0))
        ),
        "PAA-II(thm4)": _entry(
            ACTIVE, "theorem 4", lambda delta=1.0, C=1.0: (PassiveAggressive2(C), Margin(delta, 1.0))
        ),
    }
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
