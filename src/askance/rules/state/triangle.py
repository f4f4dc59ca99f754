"""Symmetric matrices stored as their lower triangle, row by row: products with rows, and changes.

An entry (i, j) of the triangle is used twice in a product: in the sum over row i, which `lane_dot` computes, and
in what row i adds to earlier features, which the compiler can vectorise even with strict arithmetic. The product
with a dense row therefore reads half a matrix once. The product with a sparse row reads only the entries it needs.
Both add the same terms in the same order, except for terms of 0, so sparse and dense rows give the same result to
the last bit.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.jit.interop import inlined
from askance.jit.simd.blocked_dot import lane_dot
from askance.jit.simd.vector import LANES


def identity(width: int) -> NDArray[np.float64]:
    """Return the triangle of the identity matrix."""
    triangle = np.zeros(base(width))
    for i in range(width):
        triangle[diagonal(i)] = 1.0
    return triangle


def whole(triangle: NDArray[np.float64], width: int) -> NDArray[np.float64]:
    """Return the full matrix, with both triangles."""
    matrix = np.zeros((width, width))
    matrix[np.tril_indices(width)] = triangle
    return matrix + np.tril(matrix, -1).T


@inlined
def base(i: Any) -> Any:
    """Return where row `i` begins. Positions are unsigned, because a negative index would count from the end."""
    return np.uint64(i) * np.uint64(i + 1) >> np.uint64(1)


@inlined
def diagonal(j: Any) -> Any:
    """Return the position of the entry (j, j)."""
    return base(np.int64(j) + 1) - np.uint64(1)  # features of sparse rows have only 32 bits


@inlined
def product_of_many(triangle: Any, rows: Any, t: int, product: Any, x: Any) -> None:
    """product ← matrix · x for a row with many entries; `x` is overwritten with the dense row."""
    width = product.shape[0]
    for i in range(width):
        x[i] = 0.0
    for k in range(rows.size(t)):
        j, value = rows.entry(t, k)
        x[j] = value
    # Four rows at a time, so that the product is read and written less often.
    last = width - width % 4
    for i in range(0, last, 4):
        for k in range(i, i + 4):
            product[k] = lane_dot(triangle, base(k), x, k + 1)
        a, b, c, d = x[i], x[i + 1], x[i + 2], x[i + 3]
        p, q, r, s = base(i), base(i + 1), base(i + 2), base(i + 3)
        for feature in range(i):
            j = np.uint64(feature)
            start = product[j] + a * triangle[p + j]
            product[j] = start + b * triangle[q + j] + c * triangle[r + j] + d * triangle[s + j]
        for k in range(i + 1, i + 4):
            add_row(x[k], triangle, k, i, product)
    for k in range(last, width):
        product[k] = lane_dot(triangle, base(k), x, k + 1)
        add_row(x[k], triangle, k, 0, product)


@inlined
def product_of_few(triangle: Any, rows: Any, t: int, product: Any, sums: Any) -> None:
    """product ← matrix · x for a row with few entries; `sums` is scratch, with a row per lane."""
    width, entries = product.shape[0], rows.size(t)
    lanes = sums.shape[0]  # equals LANES; as a constant, it would make the compiler unroll the loops
    for lane in range(lanes):
        for i in range(width):
            sums[lane, i] = 0.0
    for k in range(entries):
        j, x = wide_entry(rows, t, k)
        add_column(x, triangle, j, first_in_lanes(j), width, sums[j % LANES])
    half = lanes // 2
    while half > 0:
        for lane in range(half):
            for i in range(width):
                sums[lane, i] += sums[lane + half, i]
        half //= 2
    for i in range(width):
        product[i] = sums[0, i]
    for k in range(entries):
        j, x = wide_entry(rows, t, k)
        add_column(x, triangle, j, j, min(first_in_lanes(j), width), product)
    for k in range(entries):
        j, x = wide_entry(rows, t, k)
        add_row(x, triangle, j, 0, product)


@inlined
def wide_entry(rows: Any, t: int, k: int) -> Any:
    """Return an entry of a row, with a 64-bit feature for positions in the triangle."""
    j, x = rows.entry(t, k)
    return np.int64(j), x


@inlined
def first_in_lanes(j: int) -> int:
    """Return the first i for which `lane_dot` over the features up to i has feature `j` in a lane."""
    return (j // LANES + 1) * LANES - 1


@inlined
def add_row(x: Any, triangle: Any, i: Any, start: Any, product: Any) -> None:
    """Add what feature `i` with value `x` contributes to the features `start` to `i` - 1."""
    row = base(i)
    for feature in range(start, i):
        j = np.uint64(feature)
        product[j] += x * triangle[row + j]


@inlined
def add_column(x: Any, triangle: Any, j: Any, start: Any, stop: Any, product: Any) -> None:
    """Add what feature `j` with value `x` contributes to the features `start` ≥ `j` to `stop` - 1."""
    place = base(start) + np.uint64(j)
    for feature in range(start, stop):
        i = np.uint64(feature)
        product[i] += x * triangle[place]
        place += i + np.uint64(1)


@inlined
def along(vector: Any, rows: Any, t: int) -> Any:
    """Return vector · x."""
    total = 0.0
    for k in range(rows.size(t)):
        j, x = rows.entry(t, k)
        total += x * vector[j]
    return total


@inlined
def apply_pending(triangle: Any, pending: Any) -> None:
    """matrix ← matrix - Σᵣ qᵣ qᵣᵀ, for the four rows of `pending`."""
    p, q, r, s = pending[0], pending[1], pending[2], pending[3]
    for j in range(pending.shape[1]):
        a, b, c, d = p[j], q[j], r[j], s[j]
        row = base(j)
        for feature in range(j + 1):
            i = np.uint64(feature)
            triangle[row + i] = triangle[row + i] - a * p[i] - b * q[i] - c * r[i] - d * s[i]
