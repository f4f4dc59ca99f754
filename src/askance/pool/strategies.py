"""Strategies to compare others with: chance, uncertainty by one view, and the disagreement of two."""

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

Array = NDArray[np.float64]

EPSILON = 1e-6  # scores as near as that are a tie
MANNERS = ("aggressive", "conservative")


class RandomChoice(BaseEstimator):  # type: ignore[misc]
    """Any rows, which is what others must beat. They depend on `random_state` and on how many labels there are."""

    def __init__(self, random_state: int = 0) -> None:
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, privileged: Any = None) -> Self:  # noqa: ARG002
        """Count the labels."""
        self.labels_ = len(as_labels(y, as_matrix(X).shape[0]))
        return self

    def select(self, X: Any, n: int, privileged: Any = None) -> Selection:  # noqa: ARG002
        """`n` rows, any with the same chance."""
        check_is_fitted(self)
        rows, count = as_matrix(X).shape[0], as_count(n)
        return selected(np.random.default_rng([self.random_state, self.labels_]).random(rows), count)


class _Uncertain(BaseEstimator):  # type: ignore[misc]
    """A strategy that learns classifiers; while all labels are of one class, it chooses as chance does."""

    C: float
    random_state: int

    def fit(self, X: Any, y: ArrayLike, privileged: Any = None) -> Self:
        """Learn from the labelled rows."""
        check_parameters(self, {"C": POSITIVE})
        rows = as_matrix(X)
        labels = as_labels(y, rows.shape[0])
        chance = RandomChoice(self.random_state).fit(rows, labels)
        self.learns_ = self._learn(rows, labels, *as_privileged(privileged, rows.shape[0]))
        self.chance_ = chance
        return self

    def select(self, X: Any, n: int, privileged: Any = None) -> Selection:
        """The `n` rows that are best by this strategy, or any rows while there is nothing to learn from."""
        check_is_fitted(self)
        rows, count = as_matrix(X), as_count(n)
        if self.learns_:
            return self._ranked(rows, count, *as_privileged(privileged, rows.shape[0]))
        return self.chance_.select(rows, count)

    def _learn(self, X: AnyMatrix, y: NDArray[Any], others: AnyMatrix, known: NDArray[np.bool_]) -> bool:
        """Whether there were two classes to learn from, and if so, learn."""
        raise NotImplementedError

    def _ranked(self, X: AnyMatrix, n: int, others: AnyMatrix, known: NDArray[np.bool_]) -> Selection:
        raise NotImplementedError


class Margin(_Uncertain):
    """Rows between two classes: 1/(s₁ - s₂ + ε), of the best and the second best score of a linear SVM.

    The scores are those of `sklearn.svm.LinearSVC`, a class against the rest; of two classes, s and -s. Yan 2017,
    equation 4.3, with ε = 1e-6. While all labels are of one class, any rows, by `random_state`.
    """

    def __init__(self, C: float = 1.0, *, random_state: int = 0) -> None:
        self.C = C
        self.random_state = random_state

    def _learn(self, X: AnyMatrix, y: NDArray[Any], others: AnyMatrix, known: NDArray[np.bool_]) -> bool:  # noqa: ARG002
        if len(np.unique(y)) < 2:
            return False
        self.classifier_ = LinearSVC(C=self.C, dual="auto", max_iter=10_000, random_state=0).fit(X, y)
        return True

    def _ranked(self, X: AnyMatrix, n: int, others: AnyMatrix, known: NDArray[np.bool_]) -> Selection:  # noqa: ARG002
        scores = self.classifier_.decision_function(X)
        both = np.sort(scores if scores.ndim == 2 else np.column_stack([scores, -scores]), axis=1)
        margins = both[:, -1] - both[:, -2]
        return selected(1 / (margins + EPSILON), n, margin=margins)


class Entropy(_Uncertain):
    """Rows whose class is the most open: the entropy -Σ p ln p of the probabilities of a logistic regression.

    While all labels are of one class, any rows, by `random_state`.
    """

    def __init__(self, C: float = 1.0, *, random_state: int = 0) -> None:
        self.C = C
        self.random_state = random_state

    def _learn(self, X: AnyMatrix, y: NDArray[Any], others: AnyMatrix, known: NDArray[np.bool_]) -> bool:  # noqa: ARG002
        if len(np.unique(y)) < 2:
            return False
        self.classifier_ = _logistic(self.C).fit(X, y)
        return True

    def _ranked(self, X: AnyMatrix, n: int, others: AnyMatrix, known: NDArray[np.bool_]) -> Selection:  # noqa: ARG002
        return selected(entr(self.classifier_.predict_proba(X)).sum(axis=1), n)


class CoTesting(_Uncertain):
    """Rows on which two views disagree, so that at least one of them must learn something.

    A logistic regression learns from the features, another from the privileged ones; a view is as confident of a
    row as its largest probability says. Of the rows on which they disagree, the aggressive `manner` takes those
    where the less confident view is the most confident, and the conservative one those where both are most equally
    so (Muslea, Minton and Knoblock 2006). If these are too few, rows follow on which the views agree, the lowest
    mean confidence first; rows without privileged features are among them.

    While the labels of a view are of one class, any rows, by `random_state`.
    """

    def __init__(self, manner: str = "aggressive", C: float = 1.0, *, random_state: int = 0) -> None:
        self.manner = manner
        self.C = C
        self.random_state = random_state

    def _learn(self, X: AnyMatrix, y: NDArray[Any], others: AnyMatrix, known: NDArray[np.bool_]) -> bool:
        check_parameters(self, {"manner": OneOf(MANNERS)})
        if not others.shape[1]:
            raise ValueError("CoTesting compares two views: give fit the privileged features of its rows")
        if len(np.unique(y[known])) < 2:
            return False
        self.classifiers_ = _logistic(self.C).fit(X, y), _logistic(self.C).fit(others[known], y[known])
        return True

    def _ranked(self, X: AnyMatrix, n: int, others: AnyMatrix, known: NDArray[np.bool_]) -> Selection:
        if not others.shape[1]:
            raise ValueError("CoTesting compares two views: give select the privileged features of its rows")
        (guesses, first), (others_guesses, second) = (
            _guessed(classifier, rows) for classifier, rows in zip(self.classifiers_, (X, others), strict=True)
        )
        second = np.where(known, second, first)
        disagree = known & (guesses != others_guesses)
        aggressive = self.manner == "aggressive"
        apart = np.minimum(first, second) if aggressive else 1 - abs(first - second)
        # The former are above 1, the latter below.
        scores = np.where(disagree, 1 + apart, 1 - (first + second) / 2)
        parts = {"confidence": first, "privileged_confidence": second, "disagree": disagree.astype(float)}
        return selected(scores, n, **parts)


def _logistic(C: float) -> Any:
    return LogisticRegression(C=C, max_iter=10_000)


def _guessed(classifier: Any, rows: AnyMatrix) -> tuple[NDArray[Any], Array]:
    """The class of each row, and how probable it is."""
    probabilities = classifier.predict_proba(rows)
    return classifier.classes_[probabilities.argmax(axis=1)], probabilities.max(axis=1)
