"""AL-LUPI: select rows that are uncertain, also by privileged features, and unlike each other."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from askance._util.parameters import COUNT, POSITIVE, OneOf, check_parameters
from askance._util.saving import Arrays, Header, SaveMixin, class_list, plain_parameters
from askance.learners.labels import as_labels
from askance.pool.ratio.kernel_blocks import RBFBlocks, gamma_of, similarities
from askance.pool.ratio.ranking import distinct, ranked
from askance.pool.ratio.solve import SOLVERS, Solver, maximise_ratio
from askance.pool.selection import Indices, Selection, as_count, largest
from askance.pool.uncertainty import (
    AGGREGATES,
    COMBINATIONS,
    Uncertainty,
    combined,
    one_per_row,
    positive,
    prediction_uncertainty,
)
from askance.pool.views import AnyMatrix, as_matrix, as_privileged
from askance.typing import BoolArray, FloatArray

KIND = "privileged_selector"
CHOICES = {
    "combine": OneOf(tuple(COMBINATIONS)),
    "use": OneOf(("both", "uncertainty", "diversity")),
    "aggregate": OneOf(AGGREGATES),
    "solver": OneOf(SOLVERS),
}
MOST_ROWS_WITH_WEIGHT = 2000
LARGEST_FOR_ALM = 5000


class PrivilegedSelector(SaveMixin, BaseEstimator):  # type: ignore[misc]
    """Select uncertain and dissimilar rows, using privileged features: AL-LUPI (Yan 2017, chapter 4).

    `fit` trains a model on the labelled rows. `select` computes the uncertainty p of each row of a pool from the
    gap between its two best classes, and from the value of the correcting function on its privileged features. It
    then selects rows that are uncertain and unlike each other: those with the largest weights r of max rᵀp / rᵀAr,
    where A is the RBF kernel. Few rows have weight. If more are wanted, others follow one by one: at each step,
    the row that maximises p × (1 − max similarity to rows already chosen). Of identical rows one is selected, and
    the others only when no different row is left. Among equals, the earlier row comes first.

    If all labels so far are of one class, there is no model and no uncertainty: only diversity decides, and the
    corresponding parts of the selection are NaN. If no uncertainty is above 0, all are shifted so that the
    smallest is 0.

    The kernel matrix of a large pool is never computed as a whole. At most 2,000 rows get weight, or six times the
    number wanted. If the optimum has more, the best weights of the rows found so far are used.

    Parameters
    ----------
    model : estimator or None, default: None
        Has `fit(X, y, privileged)`, `decision_function(X)` and `correcting(privileged)`. None means `SVMPlus()`.
        For a classifier without `correcting`, only the margins are used.
    combine : {"max", "sum", "min", "product", "distance", "prediction", "correcting"}, default: "max"
        How the two uncertainties are combined; "prediction" and "correcting" use only one of them. A row without
        privileged features has the uncertainty of its prediction; with "correcting", the mean of the other rows.
    use : {"both", "uncertainty", "diversity"}, default: "both"
        What decides. "diversity" needs no labels, so that `fit` may be omitted.
    aggregate : {"mean", "max", "top"}, default: "mean"
        How the correcting values of several classes become one; "top" is that of the predicted class.
    solver : {"exact", "alm"}, default: "exact"
        The solver of the ratio problem; "alm" is the one of the thesis.
    candidates : int or None, default: 6
        To select `n` rows, only the `candidates` × `n` most uncertain rows are compared with each other. None
        compares all. With `use="diversity"`, all rows are compared.
    kernel_gamma : float or None, default: None
        γ of the RBF kernel. None means 1 / the sum of the variances of the features of the pool.
    epsilon : float, default: 1e-6
        Added to the gap between the two best classes, which may be 0.

    Attributes
    ----------
    model_ : estimator or None
        The fitted model; None if there was only one class.
    classes_ : ndarray
        The classes among the labels.
    n_features_in_ : int
        Number of features.
    had_privileged_, corrects_ : bool
        Whether `fit` was given privileged features, and whether any row had them.

    See Also
    --------
    PoolLoop : Selects, waits for labels and fits again.

    Examples
    --------
    >>> import numpy as np
    >>> from askance import PrivilegedSelector
    >>> random = np.random.default_rng(0)
    >>> X, P = random.normal(size=(40, 3)), random.normal(size=(40, 2))
    >>> y = np.where(X[:, 0] > 0, "yes", "no")
    >>> selector = PrivilegedSelector().fit(X[:20], y[:20], P[:20])
    >>> selector.select(X[20:], n=3, privileged=P[20:]).rows.shape
    (3,)
    """

    def __init__(
        self,
        model: Any = None,
        *,
        combine: str = "max",
        use: str = "both",
        aggregate: str = "mean",
        solver: Solver = "exact",
        candidates: int | None = 6,
        kernel_gamma: float | None = None,
        epsilon: float = 1e-6,
    ) -> None:
        self.model = model
        self.combine = combine
        self.use = use
        self.aggregate = aggregate
        self.solver = solver
        self.candidates = candidates
        self.kernel_gamma = kernel_gamma
        self.epsilon = epsilon

    @property
    def starts_without_labels(self) -> bool:
        """Whether `fit` may be omitted."""
        return self.use == "diversity"

    def fit(self, X: Any, y: ArrayLike, privileged: Any = None) -> Self:
        """Train the model on the labelled rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The labelled rows.
        y : array-like of shape (n_rows,)
            Their labels.
        privileged : array-like, sparse matrix or None, default: None
            Privileged features of these rows. A row of NaN means that the row has none.

        Returns
        -------
        self : PrivilegedSelector

        Raises
        ------
        askance.errors.ParameterError
            If a parameter is not allowed.
        ValueError
            If the rows, labels or privileged features cannot be used.
        """
        self._check_parameters()
        rows = as_matrix(X)
        labels = as_labels(y, rows.shape[0])
        known = as_privileged(privileged, rows.shape[0])[1]
        classes = np.unique(labels)
        model = None
        if len(classes) > 1 and self.use != "diversity":
            model = _trained(self.model, rows, labels, privileged if known.any() else None)
        self.n_features_in_ = rows.shape[1]
        self.had_privileged_ = privileged is not None
        self.corrects_ = bool(known.any())
        self.classes_ = classes
        self.model_ = model
        return self

    def select(self, X: Any, n: int, privileged: Any = None) -> Selection:
        """Select the rows of a pool to label next.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The pool.
        n : int
            Number of rows; all rows are selected if there are fewer.
        privileged : array-like, sparse matrix or None, default: None
            Privileged features of the pool. A row of NaN means that the row has none.

        Returns
        -------
        selection : Selection
            The scores are the weights r, or the uncertainties with `use="uncertainty"`. The parts are
            `uncertainty`; `prediction` and `correcting`, which it consists of; and `similarity`, the largest
            kernel value with another selected row. A part that does not exist is NaN.
        """
        self._check_parameters()
        wanted = as_count(n)
        pool = as_matrix(X)
        features, known = as_privileged(privileged, pool.shape[0])
        uncertainty = None if self.use == "diversity" else self._uncertainty(pool, features, known)
        gamma = gamma_of(pool) if self.kernel_gamma is None else float(self.kernel_gamma)
        n = min(wanted, pool.shape[0])
        if uncertainty is not None and self.use == "uncertainty":
            rows = largest(uncertainty.total, n)
            scores = uncertainty.total[rows]
        else:
            rows, scores = self._diverse(pool, n, None if uncertainty is None else uncertainty.total, gamma)
        return Selection(
            rows, scores, _parts(uncertainty, rows) | {"similarity": _max_similarity(pool, rows, gamma)}
        )

    def _diverse(
        self, pool: AnyMatrix, n: int, total: FloatArray | None, gamma: float
    ) -> tuple[Indices, FloatArray]:
        """Select by the ratio; returns the rows and their weights. Without uncertainty, only diversity counts."""
        size = pool.shape[0]
        uncertain = np.ones(size) if total is None else positive(total)
        candidates = distinct(pool, uncertain)
        if total is not None and self.candidates is not None:
            candidates = np.sort(candidates[largest(uncertain[candidates], self.candidates * n)])
        if self.solver == "alm" and len(candidates) > LARGEST_FOR_ALM:
            raise ValueError(
                f"solver='alm' needs the whole kernel matrix of {len(candidates):,} rows: select from at most "
                f"{LARGEST_FOR_ALM:,}, or set solver='exact'"
            )
        kernel = similarities(pool[candidates] if len(candidates) < size else pool, gamma)
        p = uncertain[candidates]
        ratio = maximise_ratio(kernel, p, solver=self.solver, most=max(MOST_ROWS_WITH_WEIGHT, 6 * n))
        weights = np.zeros(size)
        weights[candidates] = ratio.r
        rows = candidates[ranked(kernel, p, ratio.r, min(n, len(candidates)))]
        copies = np.setdiff1d(np.arange(size), candidates)
        rows = np.concatenate([rows, copies[largest(uncertain[copies], n - len(rows))]])
        return rows, weights[rows]

    def _uncertainty(self, pool: AnyMatrix, privileged: AnyMatrix, known: BoolArray) -> Uncertainty | None:
        check_is_fitted(self, "classes_")
        if pool.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {pool.shape[1]} features, but fit was given {self.n_features_in_}")
        if known.any() and not self.had_privileged_:
            raise ValueError(
                "fit was given no privileged features, so select cannot use them: pass them to fit as well"
            )
        if self.model_ is None:
            return None
        scores: FloatArray = self.model_.decision_function(pool)
        correcting = np.full(pool.shape[0], np.nan)
        if known.any() and self.corrects_:
            seen = self.model_.correcting(privileged[known])
            correcting[known] = one_per_row(seen, scores[known], self.aggregate)
        return combined(self.combine, prediction_uncertainty(scores, self.epsilon), correcting)

    def _to_file(self) -> tuple[Header, Arrays]:
        from askance.pool.svm_plus.estimator import SVMPlus

        for model in (self.model, self.model_):
            if model is not None and type(model) is not SVMPlus:
                raise ValueError(
                    f"PrivilegedSelector cannot be saved with {type(model).__name__} as model: only SVMPlus can"
                )
        header: Header = {
            "kind": KIND,
            "parameters": plain_parameters(self, without=("model",)),
            "prototype": None if self.model is None else self.model._plain_parameters(),
            "classes": class_list(self.classes_),
            "n_features": self.n_features_in_,
            "feature_names": None,
            "had_privileged": self.had_privileged_,
            "corrects": self.corrects_,
            "model": None,
        }
        if self.model_ is None:
            return header, {}
        header["model"], arrays = self.model_._to_file()
        return header, {f"model/{name}": array for name, array in arrays.items()}

    def _check_parameters(self) -> None:
        optional = {"candidates": COUNT, "kernel_gamma": POSITIVE}
        given = {name: limit for name, limit in optional.items() if getattr(self, name) is not None}
        check_parameters(self, CHOICES | given | {"epsilon": POSITIVE})


def _trained(model: Any, X: AnyMatrix, y: NDArray[Any], privileged: Any) -> Any:
    if model is None:
        from askance.pool.svm_plus.estimator import SVMPlus  # its solver is slow to import

        trained = SVMPlus()
    else:
        trained = clone(model)
    if hasattr(trained, "correcting"):
        return trained.fit(X, y, privileged)
    if privileged is not None:
        raise ValueError(
            f"{type(trained).__name__} has no correcting function: leave privileged out, or use SVMPlus as model"
        )
    return trained.fit(X, y)


def _parts(uncertainty: Uncertainty | None, rows: Indices) -> dict[str, FloatArray]:
    unknown = np.full(len(rows), np.nan)
    if uncertainty is None:
        return {"uncertainty": unknown, "prediction": unknown, "correcting": unknown}
    total, prediction, correcting = (part[rows] for part in uncertainty)
    return {"uncertainty": total, "prediction": prediction, "correcting": correcting}


def _max_similarity(pool: AnyMatrix, rows: Indices, gamma: float) -> FloatArray:
    """The largest kernel value with another of these rows."""
    if len(rows) == 1:
        return np.full(1, np.nan)
    kernel = RBFBlocks(pool[rows], gamma).block(np.arange(len(rows)))
    np.fill_diagonal(kernel, -np.inf)
    largest_values: FloatArray = kernel.max(axis=1)
    return largest_values
