"""ROSSEL: few labels, many rows without one, and weak annotators whose guesses are aggregated."""

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import joblib  # type: ignore[import-untyped]
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.svm import LinearSVC
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from askance._util.parameters import (
    COUNT,
    NOT_NEGATIVE_AND_FINITE,
    POSITIVE,
    SHARE,
    YES_OR_NO,
    Constraints,
    OneOf,
    check_parameters,
)
from askance.semi_supervised.aggregation import Aggregation, aggregate
from askance.semi_supervised.annotators import annotate
from askance.semi_supervised.inputs import PartlyLabelled, as_features, partly_labelled

Numbers = NDArray[np.float64]
Watch = Callable[[int, int, str], None]


def _weighted(found: Aggregation) -> Numbers:
    return found.weights @ found.shares


def _primal(found: Aggregation) -> Numbers:
    return found.weights @ found.used


def _literal(found: Aggregation) -> Numbers:
    return found.weights @ (found.used * found.shares)


COMBINATIONS = {"weighted": _weighted, "primal": _primal, "literal": _literal}
LIMITS: Constraints = {
    "n_estimators": COUNT,
    "C": POSITIVE,
    "C1": POSITIVE,
    "C2": NOT_NEGATIVE_AND_FINITE,
    "annotation": OneOf(("classes", "one-vs-rest")),
    "combine": OneOf(tuple(COMBINATIONS)),
    "max_samples": SHARE,
    "iterations": COUNT,
    "fit_intercept": YES_OR_NO,
    "tol": POSITIVE,
    "max_iter": COUNT,
}


class Rossel(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Learns from few labels and many rows without one: robust semi-supervised learning by label aggregation.

    Weak annotators, each taught a bootstrap replicate of the labelled rows, guess the other labels. Multiple label
    kernel learning then weighs their label vectors and learns one linear classifier (Yan 2017, chapter 3).

    Parameters
    ----------
    estimator : the weak annotator, any classifier of scikit-learn; unless said, a linear SVM without intercept
        that takes all classes to be as frequent. The paper's annotators do not: LinearSVC(fit_intercept=False).
    n_estimators : M, how many of them.
    C : the penalty of errors of the default annotator.
    C1, C2 : the penalties of errors on labelled and on unlabelled rows; with C2 = 0 the latter are ignored.
    annotation : "classes" has annotators that tell all classes apart; "one-vs-rest" has M others for each class,
        as in the paper. Of two classes they are the same.
    max_samples : the size of a replicate, as a share of the labelled rows.
    iterations : how often the annotators are weighed. The paper does it once; more lower `objectives_` further.
    combine : how the classifiers of the label vectors are added up: "weighted" by their last weights; "primal", by
        those that they were learned with; or "literal", by both, as Algorithm 4 prints it.
    fit_intercept : whether rows get a constant feature; the paper's have none.
    tol : the duality gap, relative to the primal value, to which the aggregation is solved.
    max_iter : how many passes that may take.
    random_state : of the replicates and of the order of rows.
    n_jobs : how many processes teach annotators and learn classes, as in joblib.
    watch : called with (done, of, what) after each step, for a progress bar.

    Rows with the label -1 or None are the unlabelled ones, as in `sklearn.semi_supervised`. More than two classes
    are learned one against the rest. Rows should be scaled, for example to length 1.

    Attributes
    ----------
    coef_, intercept_ : one row a class, or one for two classes.
    classes_ : the classes.
    weights_ : μ, the weight of each annotator's label vector, a row a classifier.
    objectives_, gaps_ : the value of eq. 3.7 after each iteration, and the relative duality gap it was solved to.
    n_iter_ : the passes of the classifier that took the most.
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        C: float = 1.0,
        C1: float = 1.0,
        C2: float = 0.3,
        *,
        annotation: str = "classes",
        max_samples: float = 0.5,
        iterations: int = 1,
        combine: str = "weighted",
        fit_intercept: bool = False,
        tol: float = 1e-6,
        max_iter: int = 10_000,
        random_state: int = 0,
        n_jobs: int | None = None,
        watch: Watch | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.C = C
        self.C1 = C1
        self.C2 = C2
        self.annotation = annotation
        self.max_samples = max_samples
        self.iterations = iterations
        self.combine = combine
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.watch = watch

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Learn from rows of which some have a label and the others -1 or None."""
        check_parameters(self, LIMITS)
        matrix = check_array(X, accept_sparse="csr", dtype=np.float64, estimator=self, input_name="X")
        rows = partly_labelled(as_features(matrix, constant=self.fit_intercept), y)
        check_classification_targets(rows.labels)
        classes, places = np.unique(rows.labels, return_inverse=True)
        if len(classes) < 2:
            only = classes.tolist()[0]
            raise ValueError(f"the labelled rows have one class only, {only!r}: label a row of another class")
        found = self._learned(rows, places)
        validate_data(self, X, skip_check_array=True)  # keeps how many features there are, and their names
        self._keep(classes, found)
        return self

    def decision_function(self, X: Any) -> Numbers:
        """The score of each row: of two classes that of the larger, of more a column a class."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        scores = np.asarray(X @ self.coef_.T) + self.intercept_
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        scores = self.decision_function(X)
        places = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[places]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _learned(self, rows: PartlyLabelled, places: NDArray[np.intp]) -> list["_Learned"]:
        """A classifier for each class against the rest, or one if there are two."""
        classes = places.max() + 1
        positives = range(1, 2) if classes == 2 else range(classes)
        guesses = self._guesses(rows, places, positives)
        X, bounds = rows.stacked(), rows.bounds(self.C1, self.C2)
        how = {
            "iterations": self.iterations,
            "tol": self.tol,
            "max_iter": self.max_iter,
            "random_state": self.random_state,
        }
        tasks = [
            joblib.delayed(_classifier)(self.combine, X, _signs(places == k, guess), bounds, **how)
            for k, guess in zip(positives, guesses, strict=True)
        ]
        return self._done(tasks, "aggregations")

    def _guesses(self, rows: PartlyLabelled, places: NDArray[np.intp], positives: range) -> NDArray[np.bool_]:
        """Whether a row without a label is of a class, for every class to tell, row and annotator."""
        members, unlabelled = range(self.n_estimators), rows.unlabelled
        if not unlabelled.shape[0]:
            return np.empty((len(positives), 0, len(members)), bool)
        taught = (self.estimator if self.estimator is not None else _linear_svm(self.C), rows.labelled)
        others = (unlabelled, self.max_samples)
        task = joblib.delayed(annotate)
        if self.annotation == "classes" or len(positives) == 1:
            guessed = self._done(
                [task(*taught, places, *others, [self.random_state, m]) for m in members], "annotators"
            )
            return np.stack([k == np.array(guessed).T for k in positives])
        pairs = [(k, m) for k in positives for m in members]
        tasks = [
            task(*taught, (places == k).astype(np.intp), *others, [self.random_state, m, k]) for k, m in pairs
        ]
        guessed = self._done(tasks, "annotators")
        return np.array(guessed, bool).reshape(len(positives), len(members), -1).transpose(0, 2, 1)

    def _keep(self, classes: NDArray[Any], found: list["_Learned"]) -> None:
        weights = np.array([one.weights for one in found])
        self.classes_ = classes
        self.coef_ = weights[:, : self.n_features_in_]
        self.intercept_ = weights[:, -1] if self.fit_intercept else np.zeros(len(weights))
        self.weights_ = np.array([one.shares for one in found])
        self.objectives_ = np.array([one.values for one in found])
        self.gaps_ = np.array([one.gaps for one in found])
        self.n_iter_ = max(one.passes for one in found)

    def _done(self, tasks: list[Any], what: str) -> list[Any]:
        found = []
        for one in joblib.Parallel(n_jobs=self.n_jobs, return_as="generator")(tasks):
            found.append(one)
            if self.watch is not None:
                self.watch(len(found), len(tasks), what)
        return found


def _linear_svm(C: float) -> LinearSVC:
    return LinearSVC(loss="hinge", C=C, fit_intercept=False, class_weight="balanced")


def _signs(known: NDArray[np.bool_], guesses: NDArray[np.bool_]) -> NDArray[np.int8]:
    """The label vectors, a column each: what is known first, then the guesses, as -1 and +1."""
    both = np.vstack([np.repeat(known[:, None], guesses.shape[1], axis=1), guesses])
    return np.where(both, 1, -1).astype(np.int8)


class _Learned(NamedTuple):
    """A classifier, μ, the value and the gap after each iteration, and how many passes it took."""

    weights: Numbers
    shares: Numbers
    values: list[float]
    gaps: list[float]
    passes: int


def _classifier(combine: str, X: Any, signs: NDArray[np.int8], bounds: Numbers, **how: Any) -> _Learned:
    """One class against the rest: what is left of an aggregation when its label vectors have been added up."""
    found = aggregate(X, signs, bounds, **how)
    return _Learned(COMBINATIONS[combine](found), found.shares, found.values, found.gaps, found.passes)
