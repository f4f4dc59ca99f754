"""Running means and variances of columns, row by row, so that chunks change nothing."""

from typing import Any

from askance.jit.interop import persistent


def _observe(X: Any, rows: Any, means: Any, squares: Any) -> None:
    """Add the rows to the means and to the sums of squared deviations of every column (Welford)."""
    for t in range(X.shape[0]):
        rows[0] += 1
        for j in range(X.shape[1]):
            deviation = X[t, j] - means[j]
            means[j] += deviation / rows[0]
            squares[j] += deviation * (X[t, j] - means[j])


observe = persistent(_observe, exact=True)
