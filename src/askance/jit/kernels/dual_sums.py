"""Sums over support sets: products of a row with every support vector, and triangular systems.

Support sets are stored as compressed sparse rows, and lower triangles are packed row by row, so that both grow at
their ends. All sums are in double precision and in a fixed order: four partial sums side by side, because a single
sum would wait for each addition to finish before the next.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.jit.interop import inlined, persistent

Numbers = NDArray[np.float64]

U1, U2, U3, U4 = (np.uint64(number) for number in range(1, 5))


def _products(
    starts: NDArray[np.uint64], indices: NDArray[np.uint32], values: NDArray[Any], row: Numbers, out: Numbers
) -> None:
    for s in range(out.shape[0]):
        k, stop = starts[s], starts[s + 1]
        by_fours = stop - (stop - k) % U4
        one = two = three = four = 0.0
        while k < by_fours:
            one += values[k] * row[indices[k]]
            two += values[k + U1] * row[indices[k + U1]]
            three += values[k + U2] * row[indices[k + U2]]
            four += values[k + U3] * row[indices[k + U3]]
            k += U4
        while k < stop:
            one += values[k] * row[indices[k]]
            k += U1
        out[s] = (one + two) + (three + four)


@inlined
def _dot(left: Any, offset: Any, right: Numbers, count: Any) -> float:
    """Σ left_(offset + k) right_k over k < count."""
    by_fours = count - count % U4
    one = two = three = four = 0.0
    k = count - count
    while k < by_fours:
        one += left[offset + k] * right[k]
        two += left[offset + k + U1] * right[k + U1]
        three += left[offset + k + U2] * right[k + U2]
        four += left[offset + k + U3] * right[k + U3]
        k += U4
    while k < count:
        one += left[offset + k] * right[k]
        k += U1
    return (one + two) + (three + four)


def _inner_product(left: NDArray[Any], right: Numbers) -> float:
    return _dot(left, np.uint64(0), right, np.uint64(right.shape[0]))


def _solve(factor: Numbers, given: NDArray[Any], solution: Numbers) -> None:
    offset = np.uint64(0)
    for s in range(solution.shape[0]):
        i = np.uint64(s)
        solution[i] = (given[i] - _dot(factor, offset, solution, i)) / factor[offset + i]
        offset += i + U1


def _downdate(factor: Numbers, solved: Numbers, gone: Any, remaining: Numbers, remaining_solved: Numbers) -> None:
    count = np.uint64(solved.shape[0])
    cosines, sines = np.empty(solved.shape[0]), np.empty(solved.shape[0])
    kept = gone * (gone + U1) // U2
    remaining[:kept] = factor[:kept]
    remaining_solved[:gone] = solved[:gone]
    offset, row = kept, gone + U1
    spare = solved[gone]
    while row < count:
        start = row * (row + U1) // U2
        remaining[offset : offset + gone] = factor[start : start + gone]
        # A Givens rotation per row moves the deleted column into the columns on its right.
        rest = factor[start + gone]
        column = gone + U1
        while column < row:
            k, entry = column - U1, factor[start + column]
            remaining[offset + k] = cosines[k] * entry + sines[k] * rest
            rest = cosines[k] * rest - sines[k] * entry
            column += U1
        k, entry = row - U1, factor[start + row]
        radius = np.sqrt(entry * entry + rest * rest)
        cosines[k], sines[k] = entry / radius, rest / radius
        remaining[offset + k] = radius
        remaining_solved[k] = cosines[k] * solved[row] + sines[k] * spare
        spare = cosines[k] * spare - sines[k] * solved[row]
        offset += row
        row += U1


_compiled_products = persistent(_products, exact=True)
_compiled_inner_product = persistent(_inner_product, exact=True)
_compiled_solve = persistent(_solve, exact=True)
_compiled_downdate = persistent(_downdate, exact=True)


def products(
    starts: NDArray[np.uint64], indices: NDArray[np.uint32], values: NDArray[Any], row: Numbers
) -> Numbers:
    """Return the products of a dense row with each of the sparse rows."""
    found = np.empty(len(starts) - 1)
    _compiled_products(starts, indices, values, row, found)
    return found


def inner_product(left: NDArray[Any], right: Numbers) -> np.float64:
    """Return Σ left_k right_k."""
    return np.float64(_compiled_inner_product(left, right))


def solve(factor: Numbers, given: NDArray[Any]) -> Numbers:
    """Return z with L z = `given`, where `factor` is the packed lower triangle L."""
    solution = np.empty(len(given))
    _compiled_solve(factor, given, solution)
    return solution


def downdate(factor: Numbers, solved: Numbers, gone: int) -> tuple[Numbers, Numbers]:
    """Return L and L⁻¹c after deleting row and column `gone` of L Lᵀ, and that entry of c.

    It uses Givens rotations, which are numerically stable.
    """
    count = len(solved) - 1
    remaining, remaining_solved = np.empty(count * (count + 1) // 2), np.empty(count)
    _compiled_downdate(factor, solved, np.uint64(gone), remaining, remaining_solved)
    return remaining, remaining_solved
