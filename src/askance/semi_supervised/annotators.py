"""Weak annotators: simple classifiers that are trained on some labels and predict the others."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning


def replicate(classes: NDArray[np.intp], size: int, random: np.random.Generator) -> NDArray[np.intp]:
    """Draw `size` rows with replacement, plus one row of each class that was not drawn."""
    drawn = random.integers(len(classes), size=size)
    missing = np.setdiff1d(classes, classes[drawn])
    return np.append(drawn, [random.choice(np.flatnonzero(classes == one)) for one in missing]).astype(np.intp)


def train_annotator(
    annotator: Any, X: Any, classes: NDArray[np.intp], share: float, random_state: list[int]
) -> Any:
    """Train a copy of the annotator on a bootstrap replicate whose size is a share of the rows."""
    random = np.random.default_rng(random_state)
    own = clone(annotator)
    if "random_state" in own.get_params():
        own.set_params(random_state=int(random.integers(2**31)))
    drawn = replicate(classes, max(1, round(share * len(classes))), random)
    with warnings.catch_warnings():
        # A weak annotator need not converge.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return own.fit(X[drawn], classes[drawn])


def annotate(
    annotator: Any, X: Any, classes: NDArray[np.intp], unlabelled: Any, share: float, random_state: list[int]
) -> NDArray[np.intp]:
    """Train an annotator on a replicate of the labelled rows and predict the classes of the others."""
    return np.asarray(train_annotator(annotator, X, classes, share, random_state).predict(unlabelled), np.intp)
