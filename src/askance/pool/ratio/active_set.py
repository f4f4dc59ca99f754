"""The largest ratio, exactly: from one face of the simplex to a better one, until none is better.

On a face, that is with weight on the rows S alone, the best point has a closed form. At a maximum of rᵀp / rᵀAr
with Σr = 1 the gradient is constant on S, 2λAr = p − ν, and a product with r gives ν = −rᵀp. So r is a multiple of

    s = A⁻¹p + c A⁻¹1,   c = rᵀp = √( pᵀA⁻¹p / 1ᵀA⁻¹1 ),   λ = Σs / 2       (all of them on S).

The ratio is the square of √(rᵀp · Σr) / √(rᵀAr), concave over convex where rᵀp > 0, so it never falls on the way
from a point to the best one of its face: an active-set method on the ratio itself climbs to the only maximum, with
no quadratic programmes inside.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dpotrs

from askance.pool.ratio.solve import Ratio, Similarities, gains_of
from askance.pool.selection import Array, Indices, largest

# Of the diagonal. Refinement takes its effect away again, except in directions in which A is 0 to this precision:
# there it chooses the shortest of many solutions. On the simplex it adds at most this share to rᵀAr, because a
# kernel with no negative values and ones on its diagonal has rᵀAr ≥ rᵀr.
RIDGE = 1e-10
REFINEMENTS = 2
FIRST_ROWS = 8
# Near the top a rise is lost in rounding, so a round without one is no end; so many of them are.
STILL_ROUNDS = 20


class Face(NamedTuple):
    """The rows that may have weight, A and p among them, and the weights that they have."""

    rows: Indices
    A: Array
    p: Array
    r: Array

    def value(self, r: Array) -> float:
        """The ratio for these weights."""
        return float(r @ self.p) / float(r @ self.A @ r)

    def best(self) -> Array:
        """The best weights whose sum is 1, of which some may be negative."""
        refined = _refined(self.A, np.column_stack([self.p, np.ones(len(self.p))]))
        certain, even = refined.T
        s = certain + np.sqrt((self.p @ certain) / even.sum()) * even
        weights: Array = s / s.sum()
        return weights

    def without(self, gone: NDArray[np.bool_], r: Array) -> "Face":
        """A smaller face, with other weights."""
        kept = np.flatnonzero(~gone)
        return Face(self.rows[kept], self.A[np.ix_(kept, kept)], self.p[kept], r[kept])


def climb(similarities: Similarities, p: Array, tolerance: float, most: int) -> Ratio:
    """The weights of the largest ratio, or of the largest that was found with weight on at most so many rows."""
    rows, r = largest(p, 1), np.ones(1)
    values: list[float] = []
    room, still = FIRST_ROWS, 0
    while True:
        face, was_easy = settled(Face(rows, similarities.block(rows), p[rows], r))
        # Rounding may take back the last bits of a rise.
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
    """The best point of a face or of one at its border, never worse than where it was; and if it was easily found.

    Weights that would be negative go, all of them if that is a rise, else those that become 0 first on the way to
    the best point. Every turn takes rows away. A row that was just added because of its gain does not go alone, as
    the ratio rises along the way: one of them stays to make the new face better than the old one.
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


def _best_others(gains: Array, rows: Indices, count: int, tolerance: float) -> Indices:
    """The rows that gain most from weight, of those that have none."""
    others = gains.copy()
    others[rows] = -np.inf
    first = largest(others, max(count, 0))
    return first[others[first] > tolerance]


def _refined(A: Array, right: Array) -> Array:
    """A⁻¹ times some columns; where A is singular, the shortest solution."""
    raised = A.copy()
    np.fill_diagonal(raised, A.diagonal() * (1 + RIDGE))
    factor, fault = dpotrf(raised, lower=1, overwrite_a=1, clean=0)
    if fault:
        raise ValueError("A is not positive definite: give a kernel matrix")
    found: Array = dpotrs(factor, right, lower=1)[0]
    for _ in range(REFINEMENTS):
        found += dpotrs(factor, right - A @ found, lower=1)[0]
    return found
