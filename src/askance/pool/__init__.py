"""Pool-based active learning: which rows of a pool to label next, also with privileged features."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from askance.pool.selection import Selection, Strategy

if TYPE_CHECKING:
    from askance.pool.activeml import FromScikitActiveML
    from askance.pool.covering import CoreSet, ProbCover
    from askance.pool.density import InformationDensity
    from askance.pool.expected_error import ExpectedErrorReduction
    from askance.pool.gradients import BADGE
    from askance.pool.labelling.files import open_session
    from askance.pool.labelling.notebook import label_in_notebook
    from askance.pool.labelling.session import LabellingSession
    from askance.pool.loop import PoolLoop
    from askance.pool.random_sampling import RandomSampling
    from askance.pool.screening import Screening
    from askance.pool.selector import PrivilegedSelector
    from askance.pool.strategies import CoTesting, EntropySampling, MarginSampling
    from askance.pool.svm_plus.estimator import SVMPlus
    from askance.pool.typical import TypiClust

__all__ = [
    "BADGE",
    "CoTesting",
    "CoreSet",
    "EntropySampling",
    "ExpectedErrorReduction",
    "FromScikitActiveML",
    "InformationDensity",
    "LabellingSession",
    "MarginSampling",
    "PoolLoop",
    "PrivilegedSelector",
    "ProbCover",
    "RandomSampling",
    "SVMPlus",
    "Screening",
    "Selection",
    "Strategy",
    "TypiClust",
    "label_in_notebook",
    "open_session",
]

# These import much of scikit-learn, which is slow, so each is imported when it is first used.
HOMES = {
    "BADGE": "gradients",
    "CoTesting": "strategies",
    "CoreSet": "covering",
    "EntropySampling": "strategies",
    "ExpectedErrorReduction": "expected_error",
    "FromScikitActiveML": "activeml",
    "InformationDensity": "density",
    "LabellingSession": "labelling.session",
    "MarginSampling": "strategies",
    "PoolLoop": "loop",
    "PrivilegedSelector": "selector",
    "ProbCover": "covering",
    "RandomSampling": "random_sampling",
    "SVMPlus": "svm_plus.estimator",
    "Screening": "screening",
    "TypiClust": "typical",
    "label_in_notebook": "labelling.notebook",
    "open_session": "labelling.files",
}


def __getattr__(name: str) -> Any:
    if name in HOMES:
        return getattr(import_module(f"askance.pool.{HOMES[name]}"), name)
    raise AttributeError(f"module 'askance.pool' has no attribute {name!r}")
