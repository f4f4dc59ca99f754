"""Random sampling, the baseline of all strategies."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from askance.learners.labels import as_labels
from askance.pool.selection import Selection, as_count, selected
from askance.pool.views import as_matrix


class RandomSampling(BaseEstimator):  # type: ignore[misc]
    """Select rows at random, as a baseline. They depend on `random_state` and on the number of labels.

    Parameters
    ----------
    random_state : int, default: 0
        Decides the rows.

    Examples
    --------
    >>> from askance.pool import RandomSampling
    >>> strategy = RandomSampling(random_state=1).fit([[0.0], [1.0]], ["low", "high"])
    >>> strategy.select([[0.2], [0.4], [0.6]], n=2).rows.shape
    (2,)
    """

    def __init__(self, random_state: int = 0) -> None:
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, privileged: Any = None) -> Self:  # noqa: ARG002
        """Count the labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The labelled rows.
        y : array-like of shape (n_rows,)
            Their labels.
        privileged : array-like, sparse matrix or None, default: None
            Not used.

        Returns
        -------
        self : object
        """
        self.labels_ = len(as_labels(y, as_matrix(X).shape[0]))
        return self

    def select(self, X: Any, n: int, privileged: Any = None) -> Selection:  # noqa: ARG002
        """Select `n` rows, each with the same probability.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The pool.
        n : int
            Number of rows; all rows are selected if there are fewer.
        privileged : array-like, sparse matrix or None, default: None
            Not used.

        Returns
        -------
        selection : Selection
        """
        check_is_fitted(self)
        rows, count = as_matrix(X).shape[0], as_count(n)
        return selected(np.random.default_rng([self.random_state, self.labels_]).random(rows), count)
