"""A matrix over pairs of features: what a rule knows of every direction, not of each feature alone."""

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

# Bringing the matrix from memory costs more than what is done to it: changes wait until there are this many, which
# is how many `apply_pending` is written for.
PENDING = 4

# An xᵀΣx below this share of what it would be were the features unrelated is made of rounding errors: these are at
# most 2⁻⁵³ of it times the number of features. A direction is never known better than that, so that Σ stays
# positive definite whatever the rows.
GRAIN = 1e-12

# The least square of a spread that a number can be divided by.
TINY = 1e-300

# Rows with fewer than one non-zero in so many features are multiplied entry by entry.
THIN = 10


class MatrixState(State, Protocol):
    """A state with a symmetric Σ, of which the last few changes may be waiting: Σ = matrix - Σᵣ qᵣ qᵣᵀ.

    The matrix is a `triangle` in float64; the qᵣ are the first `learned` modulo PENDING rows of `pending`. Here
    `terms` tells the spread as it would be were the features unrelated.
    """

    triangle: NDArray[np.float64]
    pending: NDArray[np.float64]
    learned: NDArray[np.int64]

    def drift(self, i: int, reach: float, step: Any) -> None:
        """Change feature `i`, of which (Σx)ᵢ = `reach`, by a step of the rule."""


@with_defaults
class Matrix(NamedTuple):
    """The form of states with a full matrix Σ. A look costs O(d·d'), a step O(d²).

    A step is three numbers, of which the last, s, gives Σ ← Σ - s Σx xᵀΣ. `product` keeps Σx from look to step,
    `bound` the largest s that leaves Σ positive definite; `row` and `sums` are scratch of the products.
    """

    product: NDArray[np.float64]
    bound: NDArray[np.float64]
    row: NDArray[np.float64]
    sums: NDArray[np.float64]

    def look(self, state: Any, rows: Any, t: int, width: int, at_zero: float) -> tuple[Any, ...]:
        """Score, spread xᵀΣx, squared norm and prediction."""
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
        # In double precision, as the matrix is: the step, which has the precision of the score, has to suit it.
        score = np.float64(state.margin(total, spread))
        return score, spread, squared_norm, sign(score, at_zero), sound

    def learn(self, state: Any, rows: Any, t: int, step: Any) -> None:
        """Move along the row and along Σx, and note the change of Σ."""
        rows.shift(t, state, step)
        for i in range(self.product.shape[0]):
            state.drift(i, self.product[i], step)
        shrink = minimum(step[2], self.bound[0])
        if shrink > 0.0:  # not so for a row of zeros, after which all must be as before
            defer(state, self.product, math.sqrt(shrink))


def form_for_matrix(width: int) -> Matrix:
    """The form for `width` features."""
    return Matrix(np.zeros(width), np.zeros(1), np.zeros(width), np.zeros((LANES, width)))


@inlined
def subtract(q: Any, rows: Any, t: int, product: Any) -> None:
    """product ← product - q (q·x)."""
    share = along(q, rows, t)
    for i in range(product.shape[0]):
        product[i] -= share * q[i]


@inlined
def defer(state: Any, product: Any, root: float) -> None:
    """Let the change q = root · product wait, and settle those waiting if there are as many as there may be."""
    slot = state.learned[0] % PENDING
    for i in range(product.shape[0]):
        state.pending[slot, i] = root * product[i]
    state.learned[0] += 1
    if slot == PENDING - 1:
        apply_pending(state.triangle, state.pending)
