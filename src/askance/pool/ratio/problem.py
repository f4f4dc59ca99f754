"""The ratio problem of pool-based selection: max rᵀp / rᵀAr over weights r on the simplex.

Yan 2017, problem (4.4): p is the uncertainty of each row of a pool, and the kernel matrix A their similarity. No
parameter trades one for the other.
"""

from typing import NamedTuple, Protocol

import numpy as np

from askance.pool.selection import Indices
from askance.typing import FloatArray


class Similarities(Protocol):
    """A kernel matrix A whose parts are computed on demand."""

    @property
    def size(self) -> int:
        """The number of rows."""

    def block(self, rows: Indices) -> FloatArray:
        """The part of A between these rows."""

    def weighted(self, rows: Indices, weights: FloatArray) -> FloatArray:
        """A r, where r has these weights on these rows and is 0 elsewhere."""


class KernelMatrix(NamedTuple):
    """A kernel matrix in memory."""

    whole: FloatArray

    @property
    def size(self) -> int:
        """The number of rows."""
        return len(self.whole)

    def block(self, rows: Indices) -> FloatArray:
        """The part of A between these rows."""
        return self.whole[np.ix_(rows, rows)]

    def weighted(self, rows: Indices, weights: FloatArray) -> FloatArray:
        """A r, where r has these weights on these rows and is 0 elsewhere."""
        return weights @ self.whole[rows]  # rows instead of columns, because they are contiguous in memory


class Ratio(NamedTuple):
    """The solution of the ratio problem.

    Attributes
    ----------
    r : ndarray of shape (n_rows,)
        The weights.
    value : float
        The ratio λ.
    values : ndarray of shape (rounds,)
        The ratio after each round. It never decreases.
    rounds : int
        Number of rounds.
    gains : ndarray of shape (n_rows,)
        pᵢ + rᵀp − 2λ(Ar)ᵢ, the gain from a small weight on each row: 0 for rows with weight, at most 0 for the
        others. The largest gain bounds how far min over r of λrᵀAr − rᵀp lies below 0, where it is at the optimum
        (Theorem 2).
    """

    r: FloatArray
    value: float
    values: FloatArray
    rounds: int
    gains: FloatArray


def gains_of(similarities: Similarities, p: FloatArray, r: FloatArray) -> FloatArray:
    """The gain from a small weight on each row."""
    rows = np.flatnonzero(r)
    alike = similarities.weighted(rows, r[rows])
    uncertain = float(r @ p)
    return p + uncertain - (2 * uncertain / float(r @ alike)) * alike
