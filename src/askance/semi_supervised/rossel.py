"""ROSSEL: semi-supervised learning from weak annotators whose predictions are aggregated."""

import os
import warnings
from typing import Any, NamedTuple, Self

import joblib  # type: ignore[import-untyped]
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
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
from askance._util.progress import Progress
from askance._util.saving import Arrays, Header, SaveMixin, class_list, plain_parameters
from askance.semi_supervised.aggregation import Aggregation, aggregate
from askance.semi_supervised.annotators import annotate
from askance.semi_supervised.inputs import LabelledSplit, as_features, known_labels, split_labelled
from askance.typing import BoolArray, FloatArray

KIND = "rossel"


def _weighted(found: Aggregation) -> FloatArray:
    return found.weights @ found.shares


def _primal(found: Aggregation) -> FloatArray:
    return found.weights @ found.used


def _literal(found: Aggregation) -> FloatArray:
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
    "n_rounds": COUNT,
    "fit_intercept": YES_OR_NO,
    "tol": POSITIVE,
    "max_iter": COUNT,
}


class Rossel(SaveMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Robust semi-supervised learning by label aggregation (ROSSEL; Yan 2017, chapter 3).

    Weak annotators, each trained on a bootstrap replicate of the labelled rows, predict the other labels. Multiple
    label kernel learning then weighs their label vectors and trains one linear classifier. More than two classes
    are learned one against the rest. Scale the rows first, for example to length 1.

    Parameters
    ----------
    estimator : estimator or None, default: None
        The weak annotator, any classifier of scikit-learn. None means a linear SVM without intercept and with
        balanced class weights. The annotators of the paper are not balanced: `LinearSVC(fit_intercept=False)`.
    n_estimators : int, default: 10
        M, the number of annotators.
    C : float, default: 1.0
        The cost of errors of the default annotator.
    C1, C2 : float, default: 1.0 and 0.3
        The costs of errors on labelled and on unlabelled rows. With C2 = 0, unlabelled rows are ignored.
    annotation : {"classes", "one-vs-rest"}, default: "classes"
        With "classes", annotators predict among all classes. With "one-vs-rest", there are M annotators per class,
        as in the paper. For two classes both are the same.
    max_samples : float, default: 0.5
        The size of a replicate, as a share of the labelled rows.
    n_rounds : int, default: 1
        Number of times the annotators are weighed. The paper uses one round. More rounds lower `objectives_`.
    combine : {"weighted", "primal", "literal"}, default: "weighted"
        How the classifiers of the label vectors are combined: by their last weights, by the weights that they were
        trained with, or by both, as printed in Algorithm 4.
    fit_intercept : bool, default: False
        Whether rows get a constant feature. Those of the paper have none.
    tol : float, default: 1e-6
        The relative duality gap at which the solver stops.
    max_iter : int, default: 10000
        The largest number of passes of the solver per round.
    random_state : int, default: 0
        Decides the replicates and the order of rows.
    n_jobs : int or None, default: None
        Number of processes that train annotators and classifiers, as in joblib.
    watch : callable or None, default: None
        Called as ``watch(done, total, what)`` after each annotator and each classifier.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    coef_ : ndarray of shape (n_classifiers, n_features)
        The weights, with one row per class, or one row if there are two classes.
    intercept_ : ndarray of shape (n_classifiers,)
        The intercepts.
    weights_ : ndarray of shape (n_classifiers, n_estimators)
        μ, the weight of each annotator's label vector.
    objectives_, gaps_ : ndarray of shape (n_classifiers, n_rounds)
        The value of eq. 3.7 after each round, and the relative duality gap.
    n_iter_ : int
        Number of passes of the solver, for the classifier that needed most.
    n_features_in_ : int
        Number of features.

    Examples
    --------
    >>> import numpy as np
    >>> from askance import Rossel
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(60, 3))
    >>> y = np.where(X[:, 0] > 0, 1, 0)
    >>> y[20:] = -1  # these rows have no label
    >>> model = Rossel(n_estimators=3).fit(X, y)
    >>> model.predict([[2.0, 0.0, 0.0], [-2.0, 0.0, 0.0]]).tolist()
    [1, 0]
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
        n_rounds: int = 1,
        combine: str = "weighted",
        fit_intercept: bool = False,
        tol: float = 1e-6,
        max_iter: int = 10_000,
        random_state: int = 0,
        n_jobs: int | None = None,
        watch: Progress | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.C = C
        self.C1 = C1
        self.C2 = C2
        self.annotation = annotation
        self.max_samples = max_samples
        self.n_rounds = n_rounds
        self.combine = combine
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.watch = watch

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Fit the classifier.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Labelled and unlabelled rows.
        y : array-like of shape (n_rows,)
            Labels; for rows without one -1, as in `sklearn.semi_supervised`, or None, NaN or NA of pandas. If -1
            is a class of yours, write it as another number.

        Returns
        -------
        self : Rossel

        Raises
        ------
        askance.errors.ParameterError
            If a parameter is not allowed.
        ValueError
            If the rows or labels cannot be used.

        Warns
        -----
        sklearn.exceptions.ConvergenceWarning
            If the solver reached `max_iter` before `tol`.
        askance.errors.DataWarning
            If some labels are -1 and others are missing, so that -1 may be a class.
        """
        check_parameters(self, LIMITS)
        matrix = check_array(X, accept_sparse="csr", dtype=np.float64, estimator=self, input_name="X")
        rows = split_labelled(as_features(matrix, constant=self.fit_intercept), y)
        check_classification_targets(rows.labels)
        classes, places = np.unique(rows.labels, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(
                f"the labelled rows have only one class, {classes.tolist()[0]!r}, and -1 means no label: "
                "label a row of another class, or if -1 is a class, write it as another number"
            )
        found = self._learned(rows, places)
        validate_data(self, X, skip_check_array=True)  # stores the number and the names of features
        self._keep(classes, found)
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Return the score of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Rows.

        Returns
        -------
        scores : ndarray of shape (n_rows,) or (n_rows, n_classes)
            For two classes the score of the larger one, otherwise one column per class.
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        scores = np.asarray(X @ self.coef_.T) + self.intercept_
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Rows.

        Returns
        -------
        classes : ndarray of shape (n_rows,)
        """
        scores = self.decision_function(X)
        places = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[places]

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the accuracy on the rows that have a label.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Rows.
        y : array-like of shape (n_rows,)
            Labels, as in `fit`. Rows without one are left out, so that searches work with partly labelled rows.
        sample_weight : array-like of shape (n_rows,) or None, default: None
            Weights of rows.

        Returns
        -------
        accuracy : float

        Raises
        ------
        ValueError
            If no row has a label.
        """
        predicted = self.predict(X)
        known, labels, _ = known_labels(y, len(predicted))
        if not known.any():
            raise ValueError("y has only -1, None or NaN: label at least one row to score")
        weights = None if sample_weight is None else np.asarray(sample_weight)[known]
        return float(accuracy_score(labels, predicted[known], sample_weight=weights))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted classifier to a file, completely or not at all.

        `askance.load` reads the file. It holds numbers, text and a checksum, and no code. The annotator is not
        saved because it may be any object: the loaded classifier predicts the same, but has `estimator=None`.

        Parameters
        ----------
        path : str or os.PathLike
            The file to write. An existing file is replaced.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            If the classifier is not fitted.

        Warns
        -----
        UserWarning
            If `estimator` is not None.
        """
        super().save(path)
        if self.estimator is not None:
            warnings.warn(
                f"the annotator {self.estimator!r:.60} is not saved: the loaded Rossel has estimator=None",
                stacklevel=2,
            )

    def _to_file(self) -> tuple[Header, Arrays]:
        header: Header = {
            "kind": KIND,
            "parameters": plain_parameters(self, without=("estimator", "watch")),
            "classes": class_list(self.classes_),
            "n_features": self.n_features_in_,
            "feature_names": list(getattr(self, "feature_names_in_", [])) or None,
            "n_iter": self.n_iter_,
        }
        names = ("coef_", "intercept_", "weights_", "objectives_", "gaps_")
        return header, {name: getattr(self, name) for name in names}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _learned(self, rows: LabelledSplit, places: NDArray[np.intp]) -> list["_Learned"]:
        """Train one classifier per class against the rest, or one if there are two classes."""
        classes = places.max() + 1
        positives = range(1, 2) if classes == 2 else range(classes)
        predictions = self._predictions(rows, places, positives)
        X, bounds = rows.stacked(), rows.bounds(self.C1, self.C2)
        how = {
            "n_rounds": self.n_rounds,
            "tol": self.tol,
            "max_iter": self.max_iter,
            "random_state": self.random_state,
        }
        tasks = [
            joblib.delayed(_classifier)(self.combine, X, _signs(places == k, predicted), bounds, **how)
            for k, predicted in zip(positives, predictions, strict=True)
        ]
        return self._done(tasks, "aggregations")

    def _predictions(self, rows: LabelledSplit, places: NDArray[np.intp], positives: range) -> BoolArray:
        """Whether a row is predicted to be of a class, per class, unlabelled row and annotator."""
        members, unlabelled = range(self.n_estimators), rows.unlabelled
        if not unlabelled.shape[0]:
            return np.empty((len(positives), 0, len(members)), bool)
        annotator = (self.estimator if self.estimator is not None else _linear_svm(self.C), rows.labelled)
        others = (unlabelled, self.max_samples)
        task = joblib.delayed(annotate)
        if self.annotation == "classes" or len(positives) == 1:
            predicted = self._done(
                [task(*annotator, places, *others, [self.random_state, m]) for m in members], "annotators"
            )
            return np.stack([k == np.array(predicted).T for k in positives])
        pairs = [(k, m) for k in positives for m in members]
        tasks = [
            task(*annotator, (places == k).astype(np.intp), *others, [self.random_state, m, k]) for k, m in pairs
        ]
        predicted = self._done(tasks, "annotators")
        return np.array(predicted, bool).reshape(len(positives), len(members), -1).transpose(0, 2, 1)

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


def _signs(known: BoolArray, predictions: BoolArray) -> NDArray[np.int8]:
    """The label vectors as columns of -1 and +1: known labels first, then predictions."""
    both = np.vstack([np.repeat(known[:, None], predictions.shape[1], axis=1), predictions])
    return np.where(both, 1, -1).astype(np.int8)


class _Learned(NamedTuple):
    """A classifier, μ, the value and the gap after each round, and the number of passes."""

    weights: FloatArray
    shares: FloatArray
    values: list[float]
    gaps: list[float]
    passes: int


def _classifier(combine: str, X: Any, signs: NDArray[np.int8], bounds: FloatArray, **how: Any) -> _Learned:
    """Train one class against the rest, and combine the classifiers of its label vectors."""
    found = aggregate(X, signs, bounds, **how)
    return _Learned(COMBINATIONS[combine](found), found.shares, found.values, found.gaps, found.passes)
