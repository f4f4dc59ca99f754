"""Strategies that look at the features alone, so that they need no labels to start."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans, MiniBatchKMeans
from sklearn.exceptions import ConvergenceWarning

from askance._util.parameters import Constraints, check_parameters
from askance.learners.labels import as_labels
from askance.pool.selection import Indices, Selection, as_count
from askance.pool.views import AnyMatrix, as_matrix, one_below_other

MANY_CLUSTERS = 50  # from here on, k-means sees a part of the rows per step


class SpreadStrategy(BaseEstimator):  # type: ignore[misc]
    """A strategy that spreads rows over the pool, away from the rows that have labels."""

    random_state: int
    starts_without_labels = True

    def fit(self, X: Any, y: ArrayLike, privileged: Any = None) -> Self:  # noqa: ARG002
        """Remember which rows have labels. It may be omitted if there are none.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The labelled rows.
        y : array-like of shape (n_rows,)
            Their labels, which are not used.
        privileged : array-like, sparse matrix or None, default: None
            Not used.

        Returns
        -------
        self : object
        """
        check_parameters(self, self._constraints())
        rows = as_matrix(X)
        as_labels(y, rows.shape[0])
        self.labelled_rows_ = rows
        return self

    def select(self, X: Any, n: int, privileged: Any = None) -> Selection:  # noqa: ARG002
        """Select `n` rows.

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
        check_parameters(self, self._constraints())
        pool, count = as_matrix(X), as_count(n)
        labelled = getattr(self, "labelled_rows_", pool[:0])
        if labelled.shape[1] != pool.shape[1]:
            raise ValueError(f"X has {pool.shape[1]} features, but the labelled rows have {labelled.shape[1]}")
        known = labelled.shape[0]
        generator = np.random.default_rng([self.random_state, known])
        found = self._spread(one_below_other(labelled, pool), known, min(count, pool.shape[0]), generator)
        return found._replace(rows=found.rows - known)

    def _constraints(self) -> Constraints:
        return {}

    def _spread(self, X: AnyMatrix, known: int, n: int, generator: np.random.Generator) -> Selection:
        """Select `n` rows of X, of which the first `known` have labels."""
        raise NotImplementedError


def clusters(X: AnyMatrix, count: int, generator: np.random.Generator) -> Indices:
    """The cluster of each row, by k-means; there are fewer clusters if fewer rows are different."""
    kind = KMeans if count <= MANY_CLUSTERS else MiniBatchKMeans
    seed = int(generator.integers(2**31))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # too few different rows
        found: Indices = kind(min(count, X.shape[0]), n_init=1, random_state=seed).fit_predict(X)
    return found
