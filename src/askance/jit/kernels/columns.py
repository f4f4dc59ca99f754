"""Numeric columns on running scales, row by row, so that chunks change nothing."""

import math
from typing import Any

from askance.jit.interop import inlined, persistent

# A value further from the mean counts as this many standard deviations: one column must not decide alone.
FURTHEST = 4.0


@inlined
def observe_row(X: Any, t: int, rows: Any, means: Any, squares: Any) -> None:
    """Add row t to the means and to the sums of squared deviations of every column (Welford)."""
    rows[0] += 1
    for j in range(X.shape[1]):
        deviation = X[t, j] - means[j]
        means[j] += deviation / rows[0]
        squares[j] += deviation * (X[t, j] - means[j])


@inlined
def scale_of(mean: float, squares: float, rows: int) -> float:
    """Return 1 / standard deviation of a column, or 0 if it does not vary beyond rounding errors."""
    deviation = math.sqrt(squares / max(1, rows))
    return 1.0 / deviation if deviation > 1e-12 * max(1e-300, abs(mean)) else 0.0


def _standardize(X: Any, rows: Any, means: Any, squares: Any, observing: bool, values: Any) -> None:
    """Write the standardized rows to `values`. If `observing`, each row is added to the statistics before.

    Values are divided by the root of the number of columns, so that rows have a length of about 1.
    """
    length = math.sqrt(max(1, X.shape[1]))
    for t in range(X.shape[0]):
        if observing:
            observe_row(X, t, rows, means, squares)
        for j in range(X.shape[1]):
            scaled = (X[t, j] - means[j]) * scale_of(means[j], squares[j], rows[0])
            values[t, j] = min(max(scaled, -FURTHEST), FURTHEST) / length


standardize = persistent(_standardize, exact=True)
