"""Pool-based active learning: which rows of a pool to label next, also with privileged features."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from askance.pool.selection import Selection, Strategy

if TYPE_CHECKING:
    from askance.pool.labelling.files import open_session
    from askance.pool.labelling.notebook import label_in_notebook
    from askance.pool.labelling.session import LabellingSession
    from askance.pool.loop import PoolLoop
    from askance.pool.screening import Screening
    from askance.pool.selector import PrivilegedSelector
    from askance.pool.strategies import CoTesting, EntropySampling, MarginSampling, RandomSampling
    from askance.pool.svm_plus.estimator import SVMPlus

__all__ = [
    "CoTesting",
    "EntropySampling",
    "LabellingSession",
    "MarginSampling",
    "PoolLoop",
    "PrivilegedSelector",
    "RandomSampling",
    "SVMPlus",
    "Screening",
    "Selection",
    "Strategy",
    "label_in_notebook",
    "open_session",
]

# These import much of scikit-learn, which is slow, so each is imported when it is first used.
HOMES = {
    "CoTesting": "strategies",
    "EntropySampling": "strategies",
    "LabellingSession": "labelling.session",
    "PoolLoop": "loop",
    "MarginSampling": "strategies",
    "PrivilegedSelector": "selector",
    "RandomSampling": "strategies",
    "SVMPlus": "svm_plus.estimator",
    "Screening": "screening",
    "label_in_notebook": "labelling.notebook",
    "open_session": "labelling.files",
}


def __getattr__(name: str) -> Any:
    if name in HOMES:
        return getattr(import_module(f"askance.pool.{HOMES[name]}"), name)
    raise AttributeError(f"module 'askance.pool' has no attribute {name!r}")
