"""askance learns from streams and asks for a label only when in doubt.

The public names are found when they are first used: importing scikit-learn and numba takes a second, and
`askance --help` needs neither. No module may be called like a public name that is not a module: importing it would
hide the name.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from askance import bounds, costs, data, dual, imbalance, metrics, pool, queries, ratings, semi, updates
    from askance.experiments.run import sweep
    from askance.learner import Learner
    from askance.live.client import AsyncClient, Client
    from askance.loop import Decision, Spending
    from askance.made import make
    from askance.model_file import load
    from askance.papers import catalog
    from askance.rows import Row
    from askance.trace import Trace

__version__ = "0.1.0"

_HOMES = {
    "AsyncClient": "askance.live.client",
    "Client": "askance.live.client",
    "Decision": "askance.loop",
    "Learner": "askance.learner",
    "Row": "askance.rows",
    "Spending": "askance.loop",
    "Trace": "askance.trace",
    "catalog": "askance.papers",
    "load": "askance.model_file",
    "make": "askance.made",
    "sweep": "askance.experiments.run",
}
_MODULES = (
    "bounds",
    "costs",
    "data",
    "dual",
    "imbalance",
    "metrics",
    "pool",
    "queries",
    "ratings",
    "semi",
    "updates",
)

__all__ = [
    "AsyncClient",
    "Client",
    "Decision",
    "Learner",
    "Row",
    "Spending",
    "Trace",
    "bounds",
    "catalog",
    "costs",
    "data",
    "dual",
    "imbalance",
    "load",
    "make",
    "metrics",
    "pool",
    "queries",
    "ratings",
    "semi",
    "sweep",
    "updates",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    elif name in _MODULES:
        value = import_module(f"askance.{name}")
    else:
        raise AttributeError(f"module 'askance' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
