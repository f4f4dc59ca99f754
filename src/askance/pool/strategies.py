"""Strategies for pools: random sampling, uncertainty sampling, and the disagreement of two views."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import entr
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.utils.validation import check_is_fitted

from askance._util.parameters import POSITIVE, OneOf, check_parameters
from askance.learners.labels import as_labels
from askance.pool.selection import Selection, as_count, selected
from askance.pool.views import AnyMatrix, as_matrix, as_privileged
from askance.typing import BoolArray, FloatArray

EPSILON = 1e-6  # margins below this count as ties
MANNERS = ("aggressive", "conservative")


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


class _Uncertain(BaseEstimator):  # type: ignore[misc]
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


class MarginSampling(_Uncertain):
    """Margin sampling: rows whose two best classes have similar scores.

    Rows are ranked by 1/(s₁ - s₂ + ε), with the best and the second best score of `sklearn.svm.LinearSVC` (one
    against the rest; for two classes, s and -s). Yan 2017, equation 4.3, with ε = 1e-6.

    Parameters
    ----------
    C : float, default: 1.0
        Inverse regularisation strength of the classifier.
    random_state : int, default: 0
        Decides the rows while all labels are of one class, when rows are selected at random.

    Attributes
    ----------
    classifier_ : estimator
        The fitted classifier, if there were two classes.

    Examples
    --------
    >>> import numpy as np
    >>> from askance.pool import MarginSampling
    >>> X = np.arange(10.0).reshape(-1, 1)
    >>> strategy = MarginSampling().fit(X[[0, 9]], ["low", "high"])
    >>> strategy.select(X[1:9], n=2).rows.shape
    (2,)
    """

    def __init__(self, C: float = 1.0, *, random_state: int = 0) -> None:
        self.C = C
        self.random_state = random_state

    def _learn(self, X: AnyMatrix, y: NDArray[Any], others: AnyMatrix, known: BoolArray) -> bool:  # noqa: ARG002
        if len(np.unique(y)) < 2:
            return False
        self.classifier_ = LinearSVC(C=self.C, dual="auto", max_iter=10_000, random_state=0).fit(X, y)
        return True

    def _ranked(self, X: AnyMatrix, n: int, others: AnyMatrix, known: BoolArray) -> Selection:  # noqa: ARG002
        scores = self.classifier_.decision_function(X)
        both = np.sort(scores if scores.ndim == 2 else np.column_stack([scores, -scores]), axis=1)
        margins = both[:, -1] - both[:, -2]
        return selected(1 / (margins + EPSILON), n, margin=margins)


class EntropySampling(_Uncertain):
    """Entropy sampling: rows whose class is the most uncertain.

    Rows are ranked by the entropy -Σ p ln p of the class probabilities of a logistic regression.

    Parameters
    ----------
    C : float, default: 1.0
        Inverse regularisation strength of the classifier.
    random_state : int, default: 0
        Decides the rows while all labels are of one class, when rows are selected at random.

    Attributes
    ----------
    classifier_ : estimator
        The fitted classifier, if there were two classes.

    Examples
    --------
    >>> import numpy as np
    >>> from askance.pool import EntropySampling
    >>> X = np.arange(10.0).reshape(-1, 1)
    >>> strategy = EntropySampling().fit(X[[0, 9]], ["low", "high"])
    >>> strategy.select(X[1:9], n=2).rows.shape
    (2,)
    """

    def __init__(self, C: float = 1.0, *, random_state: int = 0) -> None:
        self.C = C
        self.random_state = random_state

    def _learn(self, X: AnyMatrix, y: NDArray[Any], others: AnyMatrix, known: BoolArray) -> bool:  # noqa: ARG002
        if len(np.unique(y)) < 2:
            return False
        self.classifier_ = _logistic(self.C).fit(X, y)
        return True

    def _ranked(self, X: AnyMatrix, n: int, others: AnyMatrix, known: BoolArray) -> Selection:  # noqa: ARG002
        return selected(entr(self.classifier_.predict_proba(X)).sum(axis=1), n)


class CoTesting(_Uncertain):
    """Co-testing: rows on which two views disagree, so that at least one of them must be wrong.

    One logistic regression is trained on the features, another on the privileged features. The confidence of a
    view is its largest class probability. If there are too few rows on which the views disagree, rows on which
    they agree follow, those with the lowest mean confidence first; rows without privileged features are among
    them.

    Parameters
    ----------
    manner : {"aggressive", "conservative"}, default: "aggressive"
        Of the rows on which the views disagree, "aggressive" prefers those where the less confident view is most
        confident, and "conservative" those where both are about equally confident (Muslea, Minton and Knoblock
        2006).
    C : float, default: 1.0
        Inverse regularisation strength of the classifiers.
    random_state : int, default: 0
        Decides the rows while the labels of a view are of one class, when rows are selected at random.

    Attributes
    ----------
    classifiers_ : tuple of estimators
        The fitted classifiers of both views, if there were two classes.

    Examples
    --------
    >>> import numpy as np
    >>> from askance.pool import CoTesting
    >>> X = np.arange(10.0).reshape(-1, 1)
    >>> P = X[::-1] ** 2
    >>> strategy = CoTesting().fit(X[[0, 9]], ["low", "high"], P[[0, 9]])
    >>> strategy.select(X[1:9], 2, P[1:9]).rows.shape
    (2,)
    """

    def __init__(self, manner: str = "aggressive", C: float = 1.0, *, random_state: int = 0) -> None:
        self.manner = manner
        self.C = C
        self.random_state = random_state

    def _learn(self, X: AnyMatrix, y: NDArray[Any], others: AnyMatrix, known: BoolArray) -> bool:
        check_parameters(self, {"manner": OneOf(MANNERS)})
        if not others.shape[1]:
            raise ValueError("CoTesting compares two views: pass the privileged features of the rows to fit")
        if len(np.unique(y[known])) < 2:
            return False
        self.classifiers_ = _logistic(self.C).fit(X, y), _logistic(self.C).fit(others[known], y[known])
        return True

    def _ranked(self, X: AnyMatrix, n: int, others: AnyMatrix, known: BoolArray) -> Selection:
        if not others.shape[1]:
            raise ValueError("CoTesting compares two views: pass the privileged features of the rows to select")
        (predicted, first), (others_predicted, second) = (
            _predicted(classifier, rows) for classifier, rows in zip(self.classifiers_, (X, others), strict=True)
        )
        second = np.where(known, second, first)
        disagree = known & (predicted != others_predicted)
        aggressive = self.manner == "aggressive"
        apart = np.minimum(first, second) if aggressive else 1 - abs(first - second)
        # Rows on which the views disagree score above 1, the others below.
        scores = np.where(disagree, 1 + apart, 1 - (first + second) / 2)
        parts = {"confidence": first, "privileged_confidence": second, "disagree": disagree.astype(float)}
        return selected(scores, n, **parts)


def _logistic(C: float) -> Any:
    return LogisticRegression(C=C, max_iter=10_000)


def _predicted(classifier: Any, rows: AnyMatrix) -> tuple[NDArray[Any], FloatArray]:
    """The predicted class of each row, and its probability."""
    probabilities = classifier.predict_proba(rows)
    return classifier.classes_[probabilities.argmax(axis=1)], probabilities.max(axis=1)
