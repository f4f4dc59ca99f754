"""The form of states with a matrix over pairs of features."""

import math
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from askance.jit.interop import inlined
from askance.jit.select import maximum, minimum, sign, where
from askance.jit.simd.vector import LANES
from askance.rules.rows import State
from askance.rules.state.form import with_defaults
from askance.rules.state.triangle import along, apply_pending, product_of_few, product_of_many

# Reading the matrix from memory takes longer than changing it, so changes are collected and applied this many at a
# time. `apply_pending` is written for exactly this number.
PENDING = 4

# An xᵀΣx below this share of Σ_j Σ_jj x_j² consists of rounding errors, which are at most 2⁻⁵³ times the number of
# features of that sum. The spread is never less than this share, so that Σ stays positive definite for any rows.
GRAIN = 1e-12

# The smallest squared spread that is used as a divisor.
TINY = 1e-300

# Rows with fewer than one non-zero per this many features are multiplied entry by entry.
THIN = 10


class MatrixState(State, Protocol):
    """A state with a symmetric Σ, whose last changes may be pending: Σ = matrix - Σᵣ qᵣ qᵣᵀ.

    The matrix is stored as a `triangle` in float64. The qᵣ are the first `learned` mod PENDING rows of `pending`.
    The spread that `terms` returns is that of the diagonal of Σ.
    """

    triangle: NDArray[np.float64]
    pending: NDArray[np.float64]
    learned: NDArray[np.int64]

    def drift(self, i: int, reach: float, step: Any) -> None:
        """Change feature `i` by a step of the rule; `reach` is (Σx)ᵢ."""


@with_defaults
class Matrix(NamedTuple):
    """The form of a `MatrixState`. A score costs O(d·d'), a step O(d²).

    A step is three numbers; the last one, s, gives Σ ← Σ - s Σx xᵀΣ. `product` holds Σx of the current row,
    `bound` the largest s that leaves Σ positive definite. `row` and `sums` are scratch arrays.
    """

    product: NDArray[np.float64]
    bound: NDArray[np.float64]
    row: NDArray[np.float64]
    sums: NDArray[np.float64]

    def look(self, state: Any, rows: Any, t: int, width: int, at_zero: float) -> tuple[Any, ...]:
        """Return score, spread xᵀΣx, squared norm, prediction and soundness."""
        total, unrelated, squared_norm, sound = rows.sweep(t, state, width)
        spread = 0.0
        if sound:
            if THIN * rows.size(t) > width:
                product_of_many(state.triangle, rows, t, self.product, self.row)
            else:
                product_of_few(state.triangle, rows, t, self.product, self.sums)
            for r in range(state.learned[0] % PENDING):
                subtract(state.pending[r], rows, t, self.product)
            least = GRAIN * unrelated
            spread = maximum(along(self.product, rows, t), least)
            square = spread * spread
            self.bound[0] = where(square > 0.0, (spread - least) / maximum(square, TINY), 0.0)
        # In double precision like the matrix, because the step has the precision of the score.
        score = np.float64(state.margin(total, spread))
        return score, spread, squared_norm, sign(score, at_zero), sound

    def learn(self, state: Any, rows: Any, t: int, step: Any) -> None:
        """Move along the row and along Σx, and add the change of Σ to the pending ones."""
        rows.shift(t, state, step)
        for i in range(self.product.shape[0]):
            state.drift(i, self.product[i], step)
        shrink = minimum(step[2], self.bound[0])
        if shrink > 0.0:  # false for a row of zeros, which must change nothing
            defer(state, self.product, math.sqrt(shrink))


def form_for_matrix(width: int) -> Matrix:
    """Return the form for `width` features."""
    return Matrix(np.zeros(width), np.zeros(1), np.zeros(width), np.zeros((LANES, width)))


@inlined
def subtract(q: Any, rows: Any, t: int, product: Any) -> None:
    """product ← product - q (q·x)."""
    share = along(q, rows, t)
    for i in range(product.shape[0]):
        product[i] -= share * q[i]


@inlined
def defer(state: Any, product: Any, root: float) -> None:
    """Add the change q = root · product to the pending ones, and apply them if there are PENDING."""
    slot = state.learned[0] % PENDING
    for i in range(product.shape[0]):
        state.pending[slot, i] = root * product[i]
    state.learned[0] += 1
    if slot == PENDING - 1:
        apply_pending(state.triangle, state.pending)
