"""What a name of the catalog stands for."""

import inspect
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from askance.queries import QueryRule
from askance.updates import UpdateRule

PERCEPTRON = "Rosenblatt 1958"
PASSIVE_AGGRESSIVE = "Crammer, Dekel, Keshet, Shalev-Shwartz, Singer 2006"
SELECTIVE = "Cesa-Bianchi, Gentile, Zaniboni 2006"
ACTIVE = "Lu, Zhao, Hoi 2016"
UNEVEN_MARGINS = "Li, Zaragoza, Herbrich, Shawe-Taylor, Kandola 2002"
ADAPTIVE = "Duchi, Hazan, Singer 2011"
DISCRIMINATION = "Zhai, Koriche, Gao, Zhu, Li 2022"

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


def entry(paper: str, where: str, build: Build, *, sgn0: int = 1, kind: str = "binary") -> Entry:
    """The entry of what `build` makes; the parameters and defaults are those of `build`."""
    parameters = inspect.signature(build).parameters
    defaults = {name: parameter.default for name, parameter in parameters.items()}
    update, query = build()
    return Entry(paper, where, type(update), type(query), kind, MappingProxyType(defaults | {"sgn0": sgn0}), build)
