"""Strategies for pools: uncertainty sampling, and the disagreement of two views."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr
from sklearn.svm import LinearSVC

from askance._util.parameters import OneOf, check_parameters
from askance.pool.selection import Selection, selected
from askance.pool.trained import ClassifierStrategy, TrainedStrategy, logistic
from askance.pool.views import AnyMatrix
from askance.typing import BoolArray, FloatArray

EPSILON = 1e-6  # margins below this count as ties
MANNERS = ("aggressive", "conservative")


class MarginSampling(ClassifierStrategy):
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

    def _new_classifier(self) -> LinearSVC:
        return LinearSVC(C=self.C, dual="auto", max_iter=10_000, random_state=0)

    def _best(self, X: AnyMatrix, n: int) -> Selection:
        scores = self.classifier_.decision_function(X)
        both = np.sort(scores if scores.ndim == 2 else np.column_stack([scores, -scores]), axis=1)
        margins = both[:, -1] - both[:, -2]
        return selected(1 / (margins + EPSILON), n, margin=margins)


class EntropySampling(ClassifierStrategy):
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

    def _best(self, X: AnyMatrix, n: int) -> Selection:
        return selected(entr(self.classifier_.predict_proba(X)).sum(axis=1), n)


class CoTesting(TrainedStrategy):
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
        self.classifiers_ = logistic(self.C).fit(X, y), logistic(self.C).fit(others[known], y[known])
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


def _predicted(classifier: Any, rows: AnyMatrix) -> tuple[NDArray[Any], FloatArray]:
    """The predicted class of each row, and its probability."""
    probabilities = classifier.predict_proba(rows)
    return classifier.classes_[probabilities.argmax(axis=1)], probabilities.max(axis=1)
