"""Strategies that train classifiers on the labels so far."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_is_fitted

from askance._util.parameters import POSITIVE, check_parameters
from askance.learners.labels import as_labels
from askance.pool.random_sampling import RandomSampling
from askance.pool.selection import Selection, as_count
from askance.pool.views import AnyMatrix, as_matrix, as_privileged
from askance.typing import BoolArray


def logistic(C: float) -> Any:
    """The classifier of strategies that need probabilities."""
    return LogisticRegression(C=C, max_iter=10_000)


class TrainedStrategy(BaseEstimator):  # type: ignore[misc]
    """A strategy that trains classifiers. While all labels are of one class, it selects at random."""

    C: float
    random_state: int

    def fit(self, X: Any, y: ArrayLike, privileged: Any = None) -> Self:
        """Train the classifiers on the labelled rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The labelled rows.
        y : array-like of shape (n_rows,)
            Their labels.
        privileged : array-like, sparse matrix or None, default: None
            Privileged features of these rows; only `CoTesting` uses them.

        Returns
        -------
        self : object
        """
        check_parameters(self, {"C": POSITIVE})
        rows = as_matrix(X)
        labels = as_labels(y, rows.shape[0])
        random = RandomSampling(self.random_state).fit(rows, labels)
        self.trained_ = self._learn(rows, labels, *as_privileged(privileged, rows.shape[0]))
        self.random_ = random
        return self

    def select(self, X: Any, n: int, privileged: Any = None) -> Selection:
        """Select the `n` best rows, or random rows while all labels are of one class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The pool.
        n : int
            Number of rows; all rows are selected if there are fewer.
        privileged : array-like, sparse matrix or None, default: None
            Privileged features of the pool; only `CoTesting` uses them.

        Returns
        -------
        selection : Selection
        """
        check_is_fitted(self)
        rows, count = as_matrix(X), as_count(n)
        if self.trained_:
            return self._ranked(rows, count, *as_privileged(privileged, rows.shape[0]))
        return self.random_.select(rows, count)

    def _learn(self, X: AnyMatrix, y: NDArray[Any], others: AnyMatrix, known: BoolArray) -> bool:
        """Train if there are two classes; returns whether there were."""
        raise NotImplementedError

    def _ranked(self, X: AnyMatrix, n: int, others: AnyMatrix, known: BoolArray) -> Selection:
        raise NotImplementedError


class ClassifierStrategy(TrainedStrategy):
    """A strategy that trains one classifier, and ignores privileged features."""

    def __init__(self, C: float = 1.0, *, random_state: int = 0) -> None:
        self.C = C
        self.random_state = random_state

    def _learn(self, X: AnyMatrix, y: NDArray[Any], others: AnyMatrix, known: BoolArray) -> bool:  # noqa: ARG002
        if len(np.unique(y)) < 2:
            return False
        self.classifier_ = self._new_classifier().fit(X, y)
        return True

    def _new_classifier(self) -> Any:
        return logistic(self.C)

    def _ranked(self, X: AnyMatrix, n: int, others: AnyMatrix, known: BoolArray) -> Selection:  # noqa: ARG002
        return self._best(X, n)

    def _best(self, X: AnyMatrix, n: int) -> Selection:
        raise NotImplementedError

    def _generator(self) -> np.random.Generator:
        """Draws that depend on `random_state` and on the number of labels."""
        return np.random.default_rng([self.random_state, self.random_.labels_])
