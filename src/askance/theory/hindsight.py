"""Comparators in hindsight: good linear classifiers without an intercept, found from the whole stream.

They depend on rows and labels, never on what a run asked for, because the theorems hold for comparators that are
fixed before the coins are tossed.
"""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import scipy.sparse as sp

from askance.theory.inputs import Compared, LabelledRows
from askance.theory.svms import COSTS
from askance.theory.theorem import BoundProblem, Theorem
from askance.typing import FloatArray

# Range of the median of |y u·x| that is tried, in units of the margin of the losses. With weights of nearly 0, a
# bound says only that there are at most as many mistakes as rows.
SHORTEST, LONGEST = 0.1, 1e5
PASSES = 400


def best_comparator(theorem: Theorem, rows: LabelledRows, parameters: Mapping[str, float]) -> Compared:
    """The comparator, among those tried and at its best scale, with the smallest bound."""
    margin = theorem.margin(rows, parameters)
    if theorem.in_simplex:
        return rows.compared(simplex_comparator(rows, margin))

    def objective(compared: Compared) -> float:
        return theorem.objective(BoundProblem(rows, compared, parameters))

    tried = [rows.compared(u) for u in rows.svms]
    if theorem.hard:
        return _separating(tried) or tried[-1]
    return min((_rescaled(compared, margin, objective) for compared in tried), key=objective)


def plain_comparator(rows: LabelledRows) -> Compared:
    """A support vector machine; if it separates the rows, it is scaled to a margin of 1."""
    tried = [rows.compared(u) for u in rows.svms]
    return _separating(tried) or tried[COSTS.index(1.0)]


def _separating(tried: Sequence[Compared]) -> Compared | None:
    """The shortest comparator with a margin of 1 on all rows, or None."""
    found = [compared.scaled(1 / compared.margins.min()) for compared in tried if compared.margins.min() > 0]
    return min(found, key=lambda compared: compared.norm, default=None)


def _rescaled(compared: Compared, margin: float, objective: Callable[[Compared], float]) -> Compared:
    """The comparator at the scale with the smallest objective."""
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


def simplex_comparator(rows: LabelledRows, margin: float) -> FloatArray:
    """A comparator in the simplex with a small Σ max(0, margin - y u·x), by exponentiated gradient."""
    signed = sp.diags_array(rows.codes) @ rows.X if sp.issparse(rows.X) else rows.X * rows.codes[:, np.newaxis]
    powers, mean = np.zeros(rows.width), np.zeros(rows.width)
    best, least = powers, math.inf
    rate = math.sqrt(2 * math.log(max(rows.width, 2))) / (rows.largest or 1.0)
    for passed in range(1, PASSES + 1):
        u = np.exp(powers - powers.max())
        u /= u.sum()
        mean += (u - mean) / passed
        margins = signed @ u
        for candidate, found in ((u, margins), (mean, signed @ mean)):
            loss = float(np.maximum(0.0, margin - found).sum())
            if loss < least:
                best, least = candidate.copy(), loss
        powers += rate / math.sqrt(passed) * (signed.T @ ((margins < margin) / len(rows)))
    return best / best.sum()
