"""A matrix over pairs of features: what a rule knows of every direction, not of each feature alone."""

import math
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from askance.engine.choose import larger, sign, smaller, where
from askance.engine.seam import inlined
from askance.rows import Seen, State

# Going through the matrix costs more than what is done to it: changes wait until there are this many, as many as
# the loops below are written for.
PENDING = 4

# An xᵀΣx below this share of what it would be were the features unrelated is made of rounding errors: these are at
# most 2⁻⁵³ of it times the number of features. A direction is never known better than that, so that Σ stays
# positive definite whatever the rows.
GRAIN = 1e-12


class MatrixState(State, Protocol):
    """A state with Σ: `matrix` is symmetric, float64, and lacks the last few changes: Σ = matrix - Σᵣ qᵣ qᵣᵀ.

    The qᵣ are the first `learned` modulo PENDING rows of `pending`. Here `terms` tells the spread as it would be
    were the features unrelated.
    """

    matrix: NDArray[np.float64]
    pending: NDArray[np.float64]
    learned: NDArray[np.int64]

    def drift(self, i: int, reach: float, step: Any) -> None:
        """Change feature `i`, of which (Σx)ᵢ = `reach`, by a step of the rule."""


class Matrix(NamedTuple):
    """The form of states with a full matrix Σ. A look costs O(d·d'), a step O(d²).

    A step is three numbers or more; the third, s, gives Σ ← Σ - s Σx xᵀΣ. `product` keeps Σx from look to step,
    `bound` the largest s that leaves Σ positive definite.
    """

    product: NDArray[np.float64]
    bound: NDArray[np.float64]

    def look(self, state: Any, rows: Any, t: int, width: int, at_zero: float) -> tuple[Any, ...]:
        """Score, spread xᵀΣx, squared norm and guess."""
        total, unrelated, squared_norm, sound = rows.sweep(t, state, width)
        spread = 0.0
        if sound:
            multiply(state.matrix, rows, t, self.product)
            for r in range(state.learned[0] % PENDING):
                subtract(state.pending[r], rows, t, self.product)
            least = GRAIN * unrelated
            spread = larger(along(self.product, rows, t), least)
            square = spread * spread
            self.bound[0] = where(square > 0.0, (spread - least) / larger(square, TINY), 0.0)
        # In double precision, as the matrix is: the step, which has the precision of the score, has to suit it.
        score = np.float64(state.margin(total, spread))
        return score, spread, squared_norm, sign(score, at_zero), sound

    def put(self, score: float, scores: Any, t: int) -> None:
        """The score."""
        scores[t, 0] = score

    def face(self, seen: Seen, label: float) -> tuple[Seen, float]:
        """The row and its label as they are."""
        return seen, label

    def learn(self, state: Any, rows: Any, t: int, step: Any) -> None:
        """Move along the row and along Σx, and note the change of Σ."""
        rows.shift(t, state, step)
        for i in range(self.product.shape[0]):
            state.drift(i, self.product[i], step)
        shrink = smaller(step[2], self.bound[0])
        if shrink > 0.0:  # not so for a row of zeros, after which all must be as before
            note(state, self.product, math.sqrt(shrink))


# The least square of a spread that a number can be divided by.
TINY = 1e-300


def scratch(width: int) -> Matrix:
    """The form for `width` features."""
    return Matrix(np.zeros(width), np.zeros(1))


# Loops run along rows of the matrix and add to every feature of the product in turn: strict arithmetic lets the
# compiler do several features at once, but never several terms of one sum. Four entries of a row are taken at a
# time to spare the product's way to memory and back, in the order in which they would be taken singly.


@inlined
def multiply(matrix: Any, rows: Any, t: int, product: Any) -> None:
    """product ← matrix · x."""
    width, entries = product.shape[0], rows.size(t)
    for i in range(width):
        product[i] = 0.0
    for k in range(0, entries - 3, 4):
        (a, x), (b, y) = rows.entry(t, k), rows.entry(t, k + 1)
        (c, z), (d, w) = rows.entry(t, k + 2), rows.entry(t, k + 3)
        for i in range(width):
            product[i] = product[i] + x * matrix[a, i] + y * matrix[b, i] + z * matrix[c, i] + w * matrix[d, i]
    for k in range(entries - entries % 4, entries):
        a, x = rows.entry(t, k)
        for i in range(width):
            product[i] = product[i] + x * matrix[a, i]


@inlined
def subtract(q: Any, rows: Any, t: int, product: Any) -> None:
    """product ← product - q (q·x)."""
    share = along(q, rows, t)
    for i in range(product.shape[0]):
        product[i] -= share * q[i]


@inlined
def along(vector: Any, rows: Any, t: int) -> Any:
    """vector · x."""
    total = 0.0
    for k in range(rows.size(t)):
        j, x = rows.entry(t, k)
        total += x * vector[j]
    return total


@inlined
def note(state: Any, product: Any, root: float) -> None:
    """Let the change q = root · product wait, and settle those waiting if there are as many as there may be."""
    slot = state.learned[0] % PENDING
    for i in range(product.shape[0]):
        state.pending[slot, i] = root * product[i]
    state.learned[0] += 1
    if slot == PENDING - 1:
        settle(state.matrix, state.pending)


@inlined
def settle(matrix: Any, pending: Any) -> None:
    """matrix ← matrix - Σᵣ qᵣ qᵣᵀ: symmetric, in exact mode to the last bit, because products of numbers are."""
    p, q, r, s = pending[0], pending[1], pending[2], pending[3]
    for j in range(matrix.shape[0]):
        a, b, c, d = p[j], q[j], r[j], s[j]
        for i in range(matrix.shape[1]):
            matrix[j, i] = matrix[j, i] - a * p[i] - b * q[i] - c * r[i] - d * s[i]
