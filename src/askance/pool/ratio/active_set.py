"""Active-set method for the ratio problem: move between faces of the simplex until none is better.

On a face, that is with weight on the rows S only, the best point has a closed form. At a maximum of rᵀp / rᵀAr
with Σr = 1 the gradient is constant on S, 2λAr = p − ν, and a product with r gives ν = −rᵀp. So r is a multiple of

    s = A⁻¹p + c A⁻¹1,   c = rᵀp = √( pᵀA⁻¹p / 1ᵀA⁻¹1 ),   λ = Σs / 2       (all of them on S).

The ratio is the square of √(rᵀp · Σr) / √(rᵀAr), concave over convex where rᵀp > 0. It therefore never decreases
on the way from a point to the best point of its face, and an active-set method on the ratio itself reaches the
only maximum without solving quadratic programmes.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from askance.pool.ratio.problem import Ratio, Similarities, gains_of
from askance.pool.selection import Indices, largest
from askance.typing import BoolArray, FloatArray

# Relative to the diagonal. Refinement removes its effect, except in directions in which A is 0 to this precision:
# there it chooses the shortest of many solutions. On the simplex it adds at most this fraction to rᵀAr, because a
# kernel without negative values and with ones on its diagonal has rᵀAr ≥ rᵀr.
RIDGE = 1e-10
REFINEMENTS = 2
FIRST_ROWS = 8
# Near the maximum an increase is lost in rounding, so only this many rounds without one end the search.
STILL_ROUNDS = 20


class Face(NamedTuple):
    """The rows that may have weight, the parts of A and p for them, and their current weights."""

    rows: Indices
    A: FloatArray
    p: FloatArray
    r: FloatArray

    def value(self, r: FloatArray) -> float:
        """The ratio for these weights."""
        return float(r @ self.p) / float(r @ self.A @ r)

    def best(self) -> FloatArray:
        """The best weights with sum 1; some may be negative."""
        refined = _refined(self.A, np.column_stack([self.p, np.ones(len(self.p))]))
        certain, even = refined.T
        s = certain + np.sqrt((self.p @ certain) / even.sum()) * even
        weights: FloatArray = s / s.sum()
        return weights

    def without(self, gone: BoolArray, r: FloatArray) -> "Face":
        """The face without some rows, with other weights."""
        kept = np.flatnonzero(~gone)
        return Face(self.rows[kept], self.A[np.ix_(kept, kept)], self.p[kept], r[kept])


def climb(similarities: Similarities, p: FloatArray, tolerance: float, most: int) -> Ratio:
    """The weights with the largest ratio, or the best that were found with weight on at most `most` rows."""
    rows, r = largest(p, 1), np.ones(1)
    values: list[float] = []
    room, still = FIRST_ROWS, 0
    while True:
        face, was_easy = settled(Face(rows, similarities.block(rows), p[rows], r))
        # Rounding may undo the last bits of an increase.
        values.append(max([face.value(face.r), *values[-1:]]))
        still = still + 1 if values[-1:] == values[-2:-1] else 0
        whole = np.zeros(len(p))
        whole[face.rows] = face.r
        gains = gains_of(similarities, p, whole)
        room = 2 * room if was_easy else max(1, room // 4)
        better = _best_others(gains, face.rows, min(room, most - len(face.rows)), tolerance)
        if not len(better) or still == STILL_ROUNDS:
            return Ratio(whole, values[-1], np.array(values), len(values), gains)
        rows, r = np.concatenate([face.rows, better]), np.concatenate([face.r, np.zeros(len(better))])


def settled(face: Face) -> tuple[Face, bool]:
    """The best point of a face or of its border, never worse than before, and whether it was found at once.

    Rows whose weights would be negative are removed: all of them if that increases the ratio, else those whose
    weights reach 0 first on the way to the best point. Every turn removes rows. Of rows that were just added
    because of their gain at least one stays, because the ratio increases on the way.
    """
    was_easy = True
    while True:
        best = face.best()
        if (best >= 0).all():
            return face._replace(r=best), was_easy
        negative = best < 0
        clipped = np.where(negative, 0.0, best)
        clipped /= clipped.sum()
        if face.value(clipped) > face.value(face.r):
            face = face.without(negative, clipped)
            continue
        was_easy = False
        ways = np.full(len(best), np.inf)
        ways[negative] = face.r[negative] / (face.r[negative] - best[negative])
        way = ways.min()
        face = face.without(ways <= way, np.maximum(face.r + way * (best - face.r), 0.0))


def _best_others(gains: FloatArray, rows: Indices, count: int, tolerance: float) -> Indices:
    """The rows without weight that gain most from it."""
    others = gains.copy()
    others[rows] = -np.inf
    first = largest(others, max(count, 0))
    return first[others[first] > tolerance]


def _refined(A: FloatArray, right: FloatArray) -> FloatArray:
    """A⁻¹ times some columns; if A is singular, the shortest solution."""
    raised = A.copy()
    np.fill_diagonal(raised, A.diagonal() * (1 + RIDGE))
    factor, failed = dpotrf(raised, lower=1, overwrite_a=1, clean=0)
    if failed:
        raise ValueError("A is not positive definite: give a kernel matrix")
    found: FloatArray = dpotrs(factor, right, lower=1)[0]
    for _ in range(REFINEMENTS):
        found += dpotrs(factor, right - A @ found, lower=1)[0]
    return found
