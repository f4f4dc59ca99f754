"""The geometry of matrices of one rank: points, tangents, and how to go from one to the next.

A point X = U diag(σ) Vᵀ is kept by its factors, a tangent U M Vᵀ + U_p Vᵀ + U V_pᵀ (U_pᵀU = V_pᵀV = 0) by its own.
No matrix of the size of X is ever made (Yan 2017, section 2.2.3 and appendix A; Vandereycken 2013).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

SMALLEST = 1e-12  # of singular values: the barrier keeps them from 0, and this its powers from overflow


class Point(NamedTuple):
    """U diag(σ) Vᵀ, with orthonormal columns in U and V and σ decreasing."""

    left: Numbers
    values: Numbers
    right: Numbers

    @property
    def rank(self) -> int:
        """How many singular values there are."""
        return len(self.values)

    @property
    def scaled(self) -> Numbers:
        """U diag(σ): a row a user, of which the product with an item's row of V is the score."""
        return self.left * self.values


class Tangent(NamedTuple):
    """A direction at a point: M, U_p and V_p."""

    core: Numbers
    left: Numbers
    right: Numbers

    def times(self, factor: float) -> "Tangent":
        """As much longer."""
        return Tangent(*(factor * part for part in self))

    def plus(self, other: "Tangent") -> "Tangent":
        """The sum of two directions at one point."""
        return Tangent(*(mine + part for mine, part in zip(self, other, strict=True)))


def inner(one: Tangent, other: Tangent) -> float:
    """⟨A, B⟩ = tr(ABᵀ) of two tangents at one point: the three parts are orthogonal to each other."""
    return float(sum(np.vdot(a, b) for a, b in zip(one, other, strict=True)))


def projected(point: Point, ahead: Numbers, back: Numbers) -> Tangent:
    """P(Z) = P_U Z + Z P_V - P_U Z P_V, from Z V (`ahead`) and Zᵀ U (`back`)."""
    core = point.left.T @ ahead
    return Tangent(core, ahead - point.left @ core, back - point.right @ core.T)


def transported(tangent: Tangent, start: Point, end: Point) -> Tangent:
    """A tangent at `start`, projected to the tangents at `end`."""
    rights, lefts = start.right.T @ end.right, start.left.T @ end.left
    ahead = (start.left @ tangent.core + tangent.left) @ rights + start.left @ (tangent.right.T @ end.right)
    back = (start.right @ tangent.core.T + tangent.right) @ lefts + start.right @ (tangent.left.T @ end.left)
    return projected(end, ahead, back)


def retracted(point: Point, step: float, tangent: Tangent) -> Point:
    """The best approximation of X + step·tangent of the rank of X, through a matrix of twice the rank."""
    rank = point.rank
    lefts, up = np.linalg.qr(tangent.left)
    rights, across = np.linalg.qr(tangent.right)
    core = np.zeros((rank + len(up), rank + len(across)))
    core[:rank, :rank] = np.diag(point.values) + step * tangent.core
    core[rank:, :rank] = step * up
    core[:rank, rank:] = step * across.T
    return _point(np.hstack([point.left, lefts]), core, np.hstack([point.right, rights]), rank)


def added(point: Point, left: Numbers, values: Numbers, right: Numbers) -> Point:
    """X + left diag(values) rightᵀ, of a rank larger by as many values."""
    lefts, up = np.linalg.qr(np.hstack([point.left, left]))
    rights, across = np.linalg.qr(np.hstack([point.right, right]))
    core = up @ (np.append(point.values, values)[:, None] * across.T)
    return _point(lefts, core, rights, point.rank + len(values))


def nothing(users: int, items: int) -> Point:
    """The matrix of zeros, of rank 0."""
    return Point(np.zeros((users, 0)), np.zeros(0), np.zeros((items, 0)))


def _point(lefts: Numbers, core: Numbers, rights: Numbers, rank: int) -> Point:
    """The best approximation of lefts·core·rightsᵀ of some rank; the outer two have orthonormal columns."""
    up, values, across = np.linalg.svd(core)
    return Point(lefts @ up[:, :rank], np.maximum(values[:rank], SMALLEST), rights @ across[:rank].T)
