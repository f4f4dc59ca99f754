"""Fit the factors of single rows: each is a small convex problem, solved by Newton's method."""

from typing import Any, NamedTuple

import numpy as np

from askance.jit.interop import inlined, persistent
from askance.jit.select import maximum

STEPS, HALVINGS = 100, 40
ENOUGH = 1e-4  # share of the predicted decrease that a step must reach


class Row(NamedTuple):
    """The number of a row, and the range of its entries."""

    number: int
    begin: int
    end: int


class Rows(NamedTuple):
    """The data that the losses of rows are computed from.

    Entry k refers to row others[k] of `features`. It uses the thresholds of its own row if own[0] is 1, those of
    others[k] if own[1] is 1, and otherwise the only ones.
    """

    starts: Any
    others: Any
    levels: Any
    features: Any
    thresholds: Any
    own: tuple[int, int]
    weight: float
    together: bool


@inlined
def _loss(rows: Any, row: Any, factor: Any, slopes: Any, bends: Any) -> Any:
    """½λ‖a‖² + Σ loss(a·v), with slope and curvature of each entry's loss as a function of its score."""
    total = 0.0
    for c in range(factor.shape[0]):
        total += 0.5 * rows.weight * factor[c] * factor[c]
    for k in range(row.begin, row.end):
        score = 0.0
        for c in range(factor.shape[0]):
            score += factor[c] * rows.features[rows.others[k], c]
        whose = row.number * rows.own[0] + rows.others[k] * rows.own[1]
        squares, hinges, slope, active, net = 0.0, 0.0, 0.0, 0.0, 0.0
        for z in range(rows.thresholds.shape[1]):
            side = 1.0 if z >= rows.levels[k] else -1.0
            hinge = maximum(0.0, 1.0 - side * (rows.thresholds[whose, z] - score))
            on = 1.0 if hinge > 0.0 else 0.0
            squares += hinge * hinge
            hinges += hinge
            slope += side * hinge
            active += on
            net += side * on
        total += 0.5 * (hinges * hinges if rows.together else squares)
        slopes[k - row.begin] = hinges * net if rows.together else slope
        bends[k - row.begin] = net * net if rows.together else active
    return total


@inlined
def _newton(rows: Any, row: Any, factor: Any, slopes: Any, bends: Any, matrix: Any, step: Any) -> Any:
    """Write -H⁻¹g to `step`, by Cholesky factorisation; return -g·step, the first-order decrease."""
    rank = factor.shape[0]
    for a in range(rank):
        step[a] = -rows.weight * factor[a]
        for b in range(a + 1):
            matrix[a, b] = rows.weight if a == b else 0.0
    for k in range(row.begin, row.end):
        slope, bend = slopes[k - row.begin], bends[k - row.begin]
        for a in range(rank):
            feature = rows.features[rows.others[k], a]
            step[a] -= slope * feature
            for b in range(a + 1):
                matrix[a, b] += bend * feature * rows.features[rows.others[k], b]
    falls = 0.0
    for a in range(rank):
        for b in range(a + 1):
            rest = matrix[a, b]
            for c in range(b):
                rest -= matrix[a, c] * matrix[b, c]
            matrix[a, b] = np.sqrt(rest) if a == b else rest / matrix[b, b]
        rest = step[a]
        for c in range(a):
            rest -= matrix[a, c] * step[c]
        step[a] = rest / matrix[a, a]
        falls += step[a] * step[a]
    for back in range(rank):
        a = rank - 1 - back
        rest = step[a]
        for c in range(a + 1, rank):
            rest -= matrix[c, a] * step[c]
        step[a] = rest / matrix[a, a]
    return falls


def _solve(first: Any, last: Any, rows: Any, tol: Any, factors: Any) -> None:
    rank, most = factors.shape[1], 0
    for i in range(first, last):
        most = max(most, rows.starts[i + 1] - rows.starts[i])
    slopes, bends, next_slopes, next_bends = np.zeros(most), np.zeros(most), np.zeros(most), np.zeros(most)
    matrix, step, tried = np.zeros((rank, rank)), np.zeros(rank), np.zeros(rank)
    for i in range(first, last):
        row, factor = Row(i, rows.starts[i], rows.starts[i + 1]), factors[i]
        value = _loss(rows, row, factor, slopes, bends)
        for _iteration in range(STEPS):
            falls = _newton(rows, row, factor, slopes, bends, matrix, step)
            if falls <= tol * tol * value:
                break
            length, reached = 1.0, value
            for _halving in range(HALVINGS):
                tried[:] = factor + length * step
                reached = _loss(rows, row, tried, next_slopes, next_bends)
                if reached <= value - ENOUGH * length * falls:
                    break
                length *= 0.5
            if not reached < value:
                break  # the remaining gain is below rounding error
            factor[:] = tried
            value = reached
            slopes[:], bends[:] = next_slopes, next_bends


# Improve the rows `first` to `last` - 1 of `factors` in place, until Newton's decrement is below tol·√value.
solve = persistent(_solve, exact=False)
