"""Estimates with helpers, row by row and without shortcuts."""

import numpy as np
from scipy import stats

from askance.typing import FloatArray


def left_out_fit(
    columns: FloatArray, target: FloatArray, weights: FloatArray, penalties: FloatArray
) -> FloatArray:
    """The value of each row by a ridge regression that is fitted to all the others."""
    values = []
    for row in range(len(target)):
        others = np.arange(len(target)) != row
        # A penalty is a row that says 0 and weighs as much.
        stacked = np.vstack([columns[others] * np.sqrt(weights[others])[:, None], np.diag(np.sqrt(penalties))])
        goal = np.concatenate([target[others] * np.sqrt(weights[others]), np.zeros(len(penalties))])
        coefficients = np.linalg.lstsq(stacked, goal, rcond=None)[0]
        values.append(min(1.0, max(0.0, float(columns[row] @ coefficients))))
    return np.array(values)


def number_of(
    kind: list[bool], asked: list[bool], chances: list[float], f: list[float], unseen: float
) -> tuple[float, float, float]:
    """The number of rows of a kind, with 95 % limits. `f` says how likely it is, `unseen` weighs an unseen row."""
    sums = {True: [0.0, 0.0, 0.0], False: [0.0, 0.0, 0.0]}  # of asked rows: total, variance, squares
    every = {True: [0.0, 0.0], False: [0.0, 0.0]}  # of all rows: total, squares
    for is_so, was_asked, chance, likely in zip(kind, asked, chances, f, strict=True):
        for of_kind, surprise in ((True, 1 - likely), (False, likely)):
            every[of_kind][0] += surprise
            every[of_kind][1] += surprise**2
            if was_asked and of_kind == is_so:
                sums[of_kind][0] += surprise / chance
                sums[of_kind][1] += surprise**2 * (1 - chance) / chance**2
                sums[of_kind][2] += surprise**2
    ranges = {}
    for of_kind, (total, variance, squares) in sums.items():
        size = every[of_kind][1] / every[of_kind][0]
        extra = unseen * size * (0.5 + 0.5 * 20 * size**2 / (20 * size**2 + squares))
        low = stats.gamma.ppf(0.025, total**2 / variance, scale=variance / total)
        mean, spread = total + extra, variance + extra**2
        ranges[of_kind] = (total, low, stats.gamma.ppf(0.975, mean**2 / spread, scale=spread / mean))
    (value, low, high), (other, least, most) = ranges[True], ranges[False]
    middle = sum(f) + value - other
    below = ((value - low) ** 2 + (most - other) ** 2) ** 0.5
    above = ((high - value) ** 2 + (other - least) ** 2) ** 0.5
    return middle, middle - below, middle + above
