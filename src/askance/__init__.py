"""askance learns from streams and asks for a label only when in doubt.

Public names are imported when they are first used: scikit-learn and numba take a second to import, and
`askance --help` needs neither.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from askance import (
        annotators,
        data,
        datasets,
        errors,
        export,
        metrics,
        plotting,
        pool,
        ratings,
        rules,
        semi_supervised,
        theory,
    )
    from askance.algorithms import catalog
    from askance.algorithms.make import make
    from askance.auto.learner import AutoLearner
    from askance.auto.oracle_learner import OracleLearner
    from askance.experiments.sweep.run import sweep
    from askance.fleet import Fleet
    from askance.learners.core import Decision
    from askance.learners.learner import Learner
    from askance.learners.omcsl import OMCSL
    from askance.learners.regression.regressor import StreamRegressor
    from askance.learners.regression.trace import RegressionTrace
    from askance.learners.trace import Trace
    from askance.multilabel.learner import MultiLabelDecision, MultiLabelLearner
    from askance.multilabel.trace import MultiLabelTrace
    from askance.persistence import load
    from askance.pool.selector import PrivilegedSelector
    from askance.pool.svm_plus.estimator import SVMPlus
    from askance.ratings.factorization import MaxMarginFactorization
    from askance.rules import kernel as kernels
    from askance.rules import query as queries
    from askance.rules import regression
    from askance.rules import update as updates
    from askance.rules.rows import Row
    from askance.semi_supervised.rossel import Rossel
    from askance.service.client import AsyncClient, Client

__version__ = "0.1.0"

_HOMES = {
    "AsyncClient": "service.client",
    "AutoLearner": "auto.learner",
    "Client": "service.client",
    "Decision": "learners.core",
    "Fleet": "fleet.fleet",
    "Learner": "learners.learner",
    "MaxMarginFactorization": "ratings.factorization",
    "MultiLabelDecision": "multilabel.learner",
    "MultiLabelLearner": "multilabel.learner",
    "MultiLabelTrace": "multilabel.trace",
    "OMCSL": "learners.omcsl",
    "OracleLearner": "auto.oracle_learner",
    "PrivilegedSelector": "pool.selector",
    "RegressionTrace": "learners.regression.trace",
    "Rossel": "semi_supervised.rossel",
    "Row": "rules.rows",
    "SVMPlus": "pool.svm_plus.estimator",
    "StreamRegressor": "learners.regression.regressor",
    "Trace": "learners.trace",
    "catalog": "algorithms",
    "load": "persistence",
    "make": "algorithms.make",
    "sweep": "experiments.sweep.run",
}
_MODULES = {
    "annotators": "annotators",
    "data": "data",
    "datasets": "datasets",
    "errors": "errors",
    "export": "export",
    "kernels": "rules.kernel",
    "metrics": "metrics",
    "plotting": "plotting",
    "pool": "pool",
    "queries": "rules.query",
    "ratings": "ratings",
    "regression": "rules.regression",
    "rules": "rules",
    "semi_supervised": "semi_supervised",
    "theory": "theory",
    "updates": "rules.update",
}

__all__ = [
    "OMCSL",
    "AsyncClient",
    "AutoLearner",
    "Client",
    "Decision",
    "Fleet",
    "Learner",
    "MaxMarginFactorization",
    "MultiLabelDecision",
    "MultiLabelLearner",
    "MultiLabelTrace",
    "OracleLearner",
    "PrivilegedSelector",
    "RegressionTrace",
    "Rossel",
    "Row",
    "SVMPlus",
    "StreamRegressor",
    "Trace",
    "annotators",
    "catalog",
    "data",
    "datasets",
    "errors",
    "export",
    "kernels",
    "load",
    "make",
    "metrics",
    "plotting",
    "pool",
    "queries",
    "ratings",
    "regression",
    "rules",
    "semi_supervised",
    "sweep",
    "theory",
    "updates",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(f"askance.{_HOMES[name]}"), name)
    elif name in _MODULES:
        value = import_module(f"askance.{_MODULES[name]}")
    else:
        raise AttributeError(f"module 'askance' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
