"""A pool to choose from: which rows to label next, with features that only the labelling sees."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from askance.pool.selection import Selection, Strategy

if TYPE_CHECKING:
    from askance.pool.baselines import CoTesting, Entropy, Margin, RandomChoice
    from askance.pool.loop import Loop
    from askance.pool.selector import PrivilegedSelector
    from askance.pool.svm_plus.estimator import SVMPlus

__all__ = [
    "CoTesting",
    "Entropy",
    "Loop",
    "Margin",
    "PrivilegedSelector",
    "RandomChoice",
    "SVMPlus",
    "Selection",
    "Strategy",
]

# They bring much of scikit-learn with them, which takes a while: it comes when the first of them is used.
HOMES = {
    "CoTesting": "baselines",
    "Entropy": "baselines",
    "Loop": "loop",
    "Margin": "baselines",
    "PrivilegedSelector": "selector",
    "RandomChoice": "baselines",
    "SVMPlus": "svm_plus.estimator",
}


def __getattr__(name: str) -> Any:
    if name in HOMES:
        return getattr(import_module(f"askance.pool.{HOMES[name]}"), name)
    raise AttributeError(f"module 'askance.pool' has no attribute {name!r}")
