"""Weak annotators: cheap classifiers that know a part of the labels and guess the rest."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning


def replicate(classes: NDArray[np.intp], size: int, random: np.random.Generator) -> NDArray[np.intp]:
    """`size` rows drawn with replacement, and for each class that was not drawn one of its rows besides."""
    drawn = random.integers(len(classes), size=size)
    missing = np.setdiff1d(classes, classes[drawn])
    return np.append(drawn, [random.choice(np.flatnonzero(classes == one)) for one in missing]).astype(np.intp)


def taught(annotator: Any, X: Any, classes: NDArray[np.intp], share: float, random_state: list[int]) -> Any:
    """A copy of the annotator that has learned a replicate of the rows, so large as a share of them."""
    random = np.random.default_rng(random_state)
    own = clone(annotator)
    if "random_state" in own.get_params():
        own.set_params(random_state=int(random.integers(2**31)))
    drawn = replicate(classes, max(1, round(share * len(classes))), random)
    with warnings.catch_warnings():
        # A weak annotator need not be at its optimum.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return own.fit(X[drawn], classes[drawn])


def annotate(
    annotator: Any, X: Any, classes: NDArray[np.intp], unlabelled: Any, share: float, random_state: list[int]
) -> NDArray[np.intp]:
    """Which class one annotator, taught a replicate of the labelled rows, takes each of the others to be of."""
    return np.asarray(taught(annotator, X, classes, share, random_state).predict(unlabelled), np.intp)
