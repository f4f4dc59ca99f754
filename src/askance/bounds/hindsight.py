"""Comparators in hindsight: good linear classifiers without an intercept, found from the whole stream.

They depend on rows and labels, never on what a run asked for: the theorems hold for comparators that are fixed
before the coins fall.
"""

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from askance.bounds.given import Compared, Floats, Labelled
from askance.bounds.theorem import Problem, Theorem

# How much losses weigh against length in the support vector machines that are tried.
COSTS = (0.01, 1.0, 100.0, 10_000.0)
# The median of |y u·x| is tried from here to there, in units of the margin of the losses. With weights near 0,
# a bound says no more than that there are at most as many mistakes as rows.
SHORTEST, LONGEST = 0.1, 1e5
PASSES = 400


def best_comparator(theorem: Theorem, rows: Labelled, parameters: dict[str, float]) -> Compared:
    """The one among those tried that makes the bound smallest, at its best scale."""
    if theorem.in_simplex:
        return rows.compared(simplex_comparator(rows, theorem.margin(rows, parameters)))

    def objective(compared: Compared) -> float:
        return theorem.objective(Problem(rows, compared, parameters))

    tried = [rows.compared(u) for u in directions(rows)]
    if theorem.hard:
        return _separating(tried) or tried[-1]
    margin = theorem.margin(rows, parameters)
    return min((_rescaled(compared, margin, objective) for compared in tried), key=objective)


def plain_comparator(rows: Labelled) -> Compared:
    """A support vector machine; if one separates the rows, it is scaled to a margin of 1."""
    tried = [rows.compared(u) for u in directions(rows)]
    return _separating(tried) or tried[COSTS.index(1.0)]


def _separating(tried: Sequence[Compared]) -> Compared | None:
    """The shortest with a margin of 1 on all rows, if there is one."""
    found = [compared.scaled(1 / compared.margins.min()) for compared in tried if compared.margins.min() > 0]
    return min(found, key=lambda compared: compared.norm, default=None)


def directions(rows: Labelled) -> Iterator[Floats]:
    """Support vector machines of several costs."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    X, codes = _two_sided(rows)
    kind: dict[str, Any] = {"multi_class": "crammer_singer"} if rows.many else {"dual": False}
    for cost in COSTS:
        machine = LinearSVC(C=cost, fit_intercept=False, random_state=0, **kind)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # any comparator will do
            weights = machine.fit(X, codes).coef_
        yield _every_class(weights, machine.classes_, rows) if rows.many else weights[0]


def _two_sided(rows: Labelled) -> tuple[Any, Any]:
    """Rows and labels as scikit-learn wants them: of more than one class, with 32-bit indices."""
    X, codes = rows.X, rows.codes
    if sp.issparse(X):
        X = sp.csr_array((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
    if (codes == codes[0]).all():
        # A row mirrored at 0 says the same of weights without an intercept.
        other = (codes + 1) % len(rows.classes) if rows.many else -codes
        stack = sp.vstack if sp.issparse(X) else np.vstack
        X, codes = stack([X, -X]), np.concatenate([codes, other])
    return X, codes


def _every_class(weights: Floats, found: Any, rows: Labelled) -> Floats:
    """A row a class, where scikit-learn has one row for two classes and none for those without rows."""
    if len(weights) == 1:
        weights = np.vstack([-weights, weights]) / 2
    every = np.zeros((len(rows.classes), rows.width))
    every[found.astype(np.intp)] = weights
    return every


def _rescaled(compared: Compared, margin: float, objective: Callable[[Compared], float]) -> Compared:
    """At the scale that makes the objective smallest."""
    from scipy.optimize import minimize_scalar

    typical = float(np.median(abs(compared.margins)))
    if not typical:
        return compared
    middling = compared.scaled(margin / typical)
    tuned = minimize_scalar(
        lambda power: objective(middling.scaled(math.exp(power))),
        bounds=(math.log(SHORTEST), math.log(LONGEST)),
        method="bounded",
    )
    return middling.scaled(math.exp(tuned.x))


def simplex_comparator(rows: Labelled, margin: float) -> Floats:
    """In the simplex, with a small Σ max(0, margin - y u·x), found by exponentiated gradient."""
    signed = rows.X.T.multiply(rows.codes).tocsr() if sp.issparse(rows.X) else rows.X.T * rows.codes
    powers = np.zeros(rows.width)
    mean = np.zeros(rows.width)
    best, least = np.full(rows.width, 1 / rows.width), math.inf
    rate = math.sqrt(2 * math.log(max(rows.width, 2))) / (rows.largest or 1.0)
    for passed in range(1, PASSES + 1):
        u = np.exp(powers - powers.max())
        u /= u.sum()
        mean += (u - mean) / passed
        for candidate in (u, mean):
            loss = float(np.maximum(0.0, margin - signed.T @ candidate).sum())
            if loss < least:
                best, least = candidate.copy(), loss
        lossy = (signed.T @ u < margin) / len(rows)
        powers += rate / math.sqrt(passed) * (signed @ lossy)
    return best / best.sum()
