"""The manifold of matrices of fixed rank: points, tangents, retraction and transport.

A point X = U diag(σ) Vᵀ is stored as its factors, a tangent U M Vᵀ + U_p Vᵀ + U V_pᵀ (U_pᵀU = V_pᵀV = 0) as
M, U_p and V_p. No matrix of the size of X is ever allocated (Yan 2017, section 2.2.3 and appendix A;
Vandereycken 2013).
"""

from typing import NamedTuple

import numpy as np

from askance.typing import FloatArray

SMALLEST = 1e-12  # for singular values: the barrier keeps them from 0, and this keeps its powers from overflow


class LowRankPoint(NamedTuple):
    """U diag(σ) Vᵀ, with orthonormal columns in U and V and σ decreasing."""

    left: FloatArray
    values: FloatArray
    right: FloatArray

    @property
    def rank(self) -> int:
        """The number of singular values."""
        return len(self.values)

    @property
    def scaled(self) -> FloatArray:
        """U diag(σ), one row per user; its product with the item's row of V is the score."""
        return self.left * self.values


class Tangent(NamedTuple):
    """A direction at a point: M, U_p and V_p."""

    core: FloatArray
    left: FloatArray
    right: FloatArray

    def times(self, factor: float) -> "Tangent":
        """The tangent scaled by a factor."""
        return Tangent(*(factor * part for part in self))

    def plus(self, other: "Tangent") -> "Tangent":
        """The sum of two tangents at the same point."""
        return Tangent(*(mine + part for mine, part in zip(self, other, strict=True)))


def inner(one: Tangent, other: Tangent) -> float:
    """⟨A, B⟩ = tr(ABᵀ) of two tangents at the same point. The three parts are orthogonal to each other."""
    return float(sum(np.vdot(a, b) for a, b in zip(one, other, strict=True)))


def projected(point: LowRankPoint, ahead: FloatArray, back: FloatArray) -> Tangent:
    """P(Z) = P_U Z + Z P_V - P_U Z P_V, from Z V (`ahead`) and Zᵀ U (`back`)."""
    core = point.left.T @ ahead
    return Tangent(core, ahead - point.left @ core, back - point.right @ core.T)


def transported(tangent: Tangent, start: LowRankPoint, end: LowRankPoint) -> Tangent:
    """A tangent at `start`, projected onto the tangent space at `end`."""
    rights, lefts = start.right.T @ end.right, start.left.T @ end.left
    ahead = (start.left @ tangent.core + tangent.left) @ rights + start.left @ (tangent.right.T @ end.right)
    back = (start.right @ tangent.core.T + tangent.right) @ lefts + start.right @ (tangent.left.T @ end.left)
    return projected(end, ahead, back)


def retracted(point: LowRankPoint, step: float, tangent: Tangent) -> LowRankPoint:
    """The best approximation of X + step·tangent with the rank of X, computed from a matrix of twice that rank."""
    # Both factors at once: near a minimum the tangent is all rounding, and a basis of it alone is not orthogonal
    # to that of X.
    lefts, up = np.linalg.qr(np.hstack([point.left, tangent.left]))
    rights, across = np.linalg.qr(np.hstack([point.right, tangent.right]))
    rank = point.rank
    core = np.zeros((2 * rank, 2 * rank))
    core[:rank, :rank] = np.diag(point.values) + step * tangent.core
    core[rank:, :rank] = core[:rank, rank:] = step * np.eye(rank)
    return _point(lefts, up @ core @ across.T, rights, rank)


def added(point: LowRankPoint, left: FloatArray, values: FloatArray, right: FloatArray) -> LowRankPoint:
    """X + left diag(values) rightᵀ, whose rank is larger by the number of values."""
    lefts, up = np.linalg.qr(np.hstack([point.left, left]))
    rights, across = np.linalg.qr(np.hstack([point.right, right]))
    core = up @ (np.append(point.values, values)[:, None] * across.T)
    return _point(lefts, core, rights, point.rank + len(values))


def nothing(users: int, items: int) -> LowRankPoint:
    """The zero matrix, of rank 0."""
    return LowRankPoint(np.zeros((users, 0)), np.zeros(0), np.zeros((items, 0)))


def _point(lefts: FloatArray, core: FloatArray, rights: FloatArray, rank: int) -> LowRankPoint:
    """The best approximation of lefts·core·rightsᵀ with a given rank. `lefts`, `rights` are orthonormal."""
    up, values, across = np.linalg.svd(core)
    return LowRankPoint(lefts @ up[:, :rank], np.maximum(values[:rank], SMALLEST), rights @ across[:rank].T)
