"""AL-LUPI: choose the rows that are uncertain, in the features and the privileged ones, and unlike each other."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from askance._util.parameters import COUNT, POSITIVE, OneOf, check_parameters
from askance.learners.labels import as_labels
from askance.pool.ratio.kernel_blocks import RBF, gamma_of, similarities
from askance.pool.ratio.ranking import distinct, ranked
from askance.pool.ratio.solve import SOLVERS, Solver, maximise_ratio
from askance.pool.selection import Array, Indices, Selection, as_count, largest
from askance.pool.uncertainty import (
    AGGREGATES,
    COMBINATIONS,
    Uncertainty,
    combined,
    one_a_row,
    positive,
    prediction_uncertainty,
)
from askance.pool.views import AnyMatrix, as_matrix, as_privileged

WORDS = {
    "combine": OneOf(tuple(COMBINATIONS)),
    "use": OneOf(("both", "uncertainty", "diversity")),
    "aggregate": OneOf(AGGREGATES),
    "solver": OneOf(SOLVERS),
}
MOST_ROWS_WITH_WEIGHT = 2000
LARGEST_FOR_ALM = 5000


class PrivilegedSelector(BaseEstimator):  # type: ignore[misc]
    """The rows of a pool to label next: AL-LUPI (Yan 2017, chapter 4).

    `fit` trains a model on the labelled rows. `select` asks it how uncertain each row of a pool is, from the gap
    between its two best classes and from what its correcting function says of the row's privileged features. It
    chooses rows with much uncertainty p and little similarity: those with the largest weights r of max rᵀp / rᵀAr,
    where A is the RBF kernel. Weight sits on few rows. If more are asked for, the others follow one by one: each
    the one with the largest p × (1 − similarity with the likest row before it). Of identical rows one is chosen,
    and the others only when no different row is left. Among equals, the earlier row comes first.

    Parameters
    ----------
    model : has `fit(X, y, privileged)`, `decision_function(X)` and `correcting(privileged)`; SVMPlus() unless
        given. A classifier without `correcting` is used for its margins alone.
    combine : how the two uncertainties become one: "sum", "max", "min", "product" or "distance"; "prediction" and
        "correcting" take one of them. A row without privileged features has that of its prediction, whatever this
        says; with "correcting", the mean of the other rows.
    use : "both", "uncertainty" alone or "diversity" alone, which needs no labels: `fit` may be left out.
    aggregate : how the correcting values of many classes become one: "mean", "max", or "top", that of the class
        predicted.
    solver : "exact", or "alm" as in the thesis.
    candidates : to choose `n` rows, only the `candidates` × `n` most uncertain are compared with each other; None
        compares all. Diversity alone always sees the whole pool.
    kernel_gamma : of the RBF kernel; unless given, 1 / the sum of the variances of the pool's features.
    epsilon : added to the gap between the two best classes, which may be 0.

    If the labels so far are all of one class there is no model and no uncertainty: diversity alone decides, and
    these parts of the selection are NaN. If no uncertainty is above 0, all are shifted until the least is 0.

    No kernel matrix of a large pool is made: as weight sits on few rows, parts of it do. At most 2,000 rows get
    weight, or six times as many as are asked for; a pool whose optimum has more gets the best weights of the rows
    that were found until then.
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

    def fit(self, X: Any, y: ArrayLike, privileged: Any = None) -> Self:
        """Learn from the labelled rows; `privileged` has a row of NaN where a row has no privileged features."""
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
        """The `n` rows of a pool to label next, or all of them if there are fewer.

        The scores are the weights r, or the uncertainties if these alone are used. The parts are `uncertainty`,
        the `prediction` and the `correcting` value that it is made of, and `similarity`, the largest value of the
        kernel with another row of those chosen; NaN where there is none.
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
        return Selection(rows, scores, _parts(uncertainty, rows) | {"similarity": _likest(pool, rows, gamma)})

    def _diverse(self, pool: AnyMatrix, n: int, total: Array | None, gamma: float) -> tuple[Indices, Array]:
        """Rows by the ratio, and their weights; without uncertainty, by similarity alone."""
        size = pool.shape[0]
        uncertain = np.ones(size) if total is None else positive(total)
        candidates = distinct(pool, uncertain)
        if total is not None and self.candidates is not None:
            candidates = np.sort(candidates[largest(uncertain[candidates], self.candidates * n)])
        if self.solver == "alm" and len(candidates) > LARGEST_FOR_ALM:
            raise ValueError(
                f"solver='alm' needs the whole kernel matrix of {len(candidates):,} rows: choose from at most "
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

    def _uncertainty(self, pool: AnyMatrix, privileged: AnyMatrix, known: NDArray[np.bool_]) -> Uncertainty | None:
        check_is_fitted(self, "classes_")
        if pool.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {pool.shape[1]} features, but fit was given {self.n_features_in_}")
        if known.any() and not self.had_privileged_:
            raise ValueError(
                "fit was given no privileged features, so these say nothing: give them to fit as well"
            )
        if self.model_ is None:
            return None
        scores: Array = self.model_.decision_function(pool)
        correcting = np.full(pool.shape[0], np.nan)
        if known.any() and self.corrects_:
            seen = self.model_.correcting(privileged[known])
            correcting[known] = one_a_row(seen, scores[known], self.aggregate)
        return combined(self.combine, prediction_uncertainty(scores, self.epsilon), correcting)

    def _check_parameters(self) -> None:
        optional = {"candidates": COUNT, "kernel_gamma": POSITIVE}
        given = {name: limit for name, limit in optional.items() if getattr(self, name) is not None}
        check_parameters(self, WORDS | given | {"epsilon": POSITIVE})


def _trained(model: Any, X: AnyMatrix, y: NDArray[Any], privileged: Any) -> Any:
    if model is None:
        from askance.pool.svm_plus.estimator import SVMPlus  # its solver is slow to load

        trained = SVMPlus()
    else:
        trained = clone(model)
    if hasattr(trained, "correcting"):
        return trained.fit(X, y, privileged)
    if privileged is not None:
        raise ValueError(
            f"{type(trained).__name__} has no correcting function: leave privileged out, or take SVMPlus as model"
        )
    return trained.fit(X, y)


def _parts(uncertainty: Uncertainty | None, rows: Indices) -> dict[str, Array]:
    unknown = np.full(len(rows), np.nan)
    if uncertainty is None:
        return {"uncertainty": unknown, "prediction": unknown, "correcting": unknown}
    total, prediction, correcting = (part[rows] for part in uncertainty)
    return {"uncertainty": total, "prediction": prediction, "correcting": correcting}


def _likest(pool: AnyMatrix, rows: Indices, gamma: float) -> Array:
    """The largest value of the kernel with another of these rows."""
    if len(rows) == 1:
        return np.full(1, np.nan)
    kernel = RBF(pool[rows], gamma).block(np.arange(len(rows)))
    np.fill_diagonal(kernel, -np.inf)
    likest: Array = kernel.max(axis=1)
    return likest
