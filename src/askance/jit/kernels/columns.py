"""Running means and variances of columns, row by row, so that chunks change nothing."""

from typing import Any

from askance.jit.interop import inlined


@inlined
def observe_row(X: Any, t: int, rows: Any, means: Any, squares: Any) -> None:
    """Add row t to the means and to the sums of squared deviations of every column (Welford)."""
    rows[0] += 1
    for j in range(X.shape[1]):
        deviation = X[t, j] - means[j]
        means[j] += deviation / rows[0]
        squares[j] += deviation * (X[t, j] - means[j])
