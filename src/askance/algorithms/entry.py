"""What a name of the catalog stands for."""

import inspect
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from askance.rules.query import QueryRule
from askance.rules.registry import BINARY, MULTICLASS
from askance.rules.update import UpdateRule

PERCEPTRON = "Rosenblatt 1958"
PASSIVE_AGGRESSIVE = "Crammer, Dekel, Keshet, Shalev-Shwartz, Singer 2006"
SELECTIVE = "Cesa-Bianchi, Gentile, Zaniboni 2006"
ACTIVE = "Lu, Zhao, Hoi 2016"
UNEVEN_MARGINS = "Li, Zaragoza, Herbrich, Shawe-Taylor, Kandola 2002"
ADAPTIVE = "Duchi, Hazan, Singer 2011"
DISCRIMINATION = "Zhai, Koriche, Gao, Zhu, Li 2022"
MANY_COSTS = "Yan 2017"
GRADIENT = "Zinkevich 2003"
COST_GRADIENT = "Wang, Zhao, Hoi 2014"
F_OPTIMISATION = "Busa-Fekete, Szörényi, Dembczyński, Hüllermeier 2015"
ONE_PASS = "Gao, Jin, Zhu, Zhou 2013"
RESAMPLING = "Wang, Minku, Yao 2015"

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


def entry(paper: str, where: str, build: Build, *, sgn0: int = 1) -> Entry:
    """The entry, for two classes, of what `build` makes; parameters and defaults are those of `build`."""
    return _entry(paper, where, build, BINARY, {"sgn0": sgn0})


def many(paper: str, where: str, build: Build) -> Entry:
    """The same for many classes; `k`, if it is given, says that they are 0 to k - 1."""
    return _entry(paper, where, build, MULTICLASS, {"k": None})


def _entry(paper: str, where: str, build: Build, kind: str, common: Mapping[str, Any]) -> Entry:
    parameters = inspect.signature(build).parameters
    defaults = {name: parameter.default for name, parameter in parameters.items()}
    update, query = build()
    return Entry(paper, where, type(update), type(query), kind, MappingProxyType({**defaults, **common}), build)
