"""Much uncertainty, little similarity: weights r on the simplex that make the ratio rᵀp / rᵀAr largest.

Yan 2017, problem (4.4): p says how uncertain each row of a pool is, the kernel matrix A how alike they
are, and no parameter trades one for the other.
"""

from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from askance.pool.selection import Array, Indices

Solver = Literal["exact", "alm"]
SOLVERS: tuple[Solver, ...] = ("exact", "alm")


class Similarities(Protocol):
    """A kernel matrix A of which parts are made when they are needed."""

    @property
    def size(self) -> int:
        """The number of rows that it compares."""

    def block(self, rows: Indices) -> Array:
        """A among these rows."""

    def weighted(self, rows: Indices, weights: Array) -> Array:
        """A r, where r has these weights on these rows and is 0 elsewhere."""


class Matrix(NamedTuple):
    """A kernel matrix in memory."""

    whole: Array

    @property
    def size(self) -> int:
        """The number of rows that it compares."""
        return len(self.whole)

    def block(self, rows: Indices) -> Array:
        """A among these rows."""
        return self.whole[np.ix_(rows, rows)]

    def weighted(self, rows: Indices, weights: Array) -> Array:
        """A r, where r has these weights on these rows and is 0 elsewhere."""
        return weights @ self.whole[rows]  # rows, not columns: they lie together in memory


class Ratio(NamedTuple):
    """The weights of the largest ratio.

    `value` is the ratio λ, `values` what it was after each round, never less than before, `rounds` how many there
    were. `gains` say what a first bit of weight would bring each row, pᵢ + rᵀp − 2λ(Ar)ᵢ: 0 for rows that have
    weight, and less for all others. The largest gain bounds how far min over r of λrᵀAr − rᵀp is below 0, which it
    is for the largest λ (Theorem 2).
    """

    r: Array
    value: float
    values: Array
    rounds: int
    gains: Array


def maximise_ratio(
    A: Any, p: ArrayLike, *, solver: Solver = "exact", tolerance: float = 1e-9, most: int | None = None
) -> Ratio:
    """The r ≥ 0 with Σr = 1 for which rᵀp / rᵀAr is largest; A is positive definite, and some p is more than 0.

    `exact` goes from face to face of the simplex, which ends at the optimum: there no gain exceeds `tolerance`
    times the largest p. `alm` is Algorithm 6 of the thesis, to compare with: it solves each of its programmes to
    this tolerance and stops when the ratio grows no more. Where A is singular to working precision, as with
    identical rows, many r are equally good, and one of them is given.

    A may also be an object with the methods of `Similarities`, for pools too large for a matrix. With `exact`, at
    most so many rows as `most` get weight: the optimum among these is then given.
    """
    uncertainty = np.asarray(p, dtype=np.float64)
    similarities = _checked(A, uncertainty)
    if solver not in SOLVERS:
        raise ValueError(f"solver must be 'exact' or 'alm', not {solver!r}")
    if not 0 < tolerance < 1:
        raise ValueError(f"tolerance must be greater than 0 and less than 1, not {tolerance!r}")
    if most is not None and most < 1:
        raise ValueError(f"most must be a number of rows from 1 on, not {most!r}")
    largest = float(uncertainty.max())
    shares = uncertainty / largest  # the same r, and a scale that tolerances can be stated on
    if solver == "exact":
        from askance.pool.ratio.active_set import climb

        found = climb(similarities, shares, tolerance, most or similarities.size)
    else:
        from askance.pool.ratio.augmented_lagrangian import dinkelbach

        found = dinkelbach(_whole(similarities), shares, tolerance)
    return found._replace(value=largest * found.value, values=largest * found.values, gains=largest * found.gains)


def gains_of(similarities: Similarities, p: Array, r: Array) -> Array:
    """What a first bit of weight would bring each row."""
    rows = np.flatnonzero(r)
    alike = similarities.weighted(rows, r[rows])
    uncertain = float(r @ p)
    return p + uncertain - (2 * uncertain / float(r @ alike)) * alike


def _checked(A: Any, p: Array) -> Similarities:
    similarities: Similarities = A if hasattr(A, "weighted") else Matrix(_matrix(A))
    if p.shape != (similarities.size,):
        raise ValueError(f"p has shape {p.shape}, but A compares {similarities.size} rows: give a number a row")
    if not np.isfinite(p).all():
        raise ValueError("p has a number that is not finite: every row needs an uncertainty")
    if not p.max() > 0:
        raise ValueError(f"the largest p is {p.max():g}: the ratio needs one above 0; shift p, or set all to 1")
    return similarities


def _matrix(A: Any) -> Array:
    whole: Array = np.asarray(A.toarray() if sp.issparse(A) else A, dtype=np.float64)
    if whole.ndim != 2 or whole.shape[0] != whole.shape[1] or not whole.size:
        raise ValueError(f"A has shape {whole.shape}: give a square matrix with a row for each p")
    if not np.isfinite(whole).all():
        raise ValueError("A has a number that is not finite: give a kernel matrix")
    if not (whole.diagonal() > 0).all() or not np.allclose(whole, whole.T, rtol=1e-9, atol=1e-12):
        raise ValueError("A is not symmetric with a positive diagonal: give a kernel matrix")
    return whole


def _whole(similarities: Similarities) -> Array:
    return similarities.block(np.arange(similarities.size))
