"""Rows with a dense and a sparse part, and the features that linear models see of them.

Columns are standardized with running means and variances. Counts of terms are weighted by how rare terms are, as
`terms` defines it. Both go row by row, so that chunks change nothing. What was observed is used from the next
refresh on, so that remembered rows and new ones are compared on the same scale.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.jit.interop import inlined
from askance.jit.kernels.columns import FURTHEST, observe_row
from askance.jit.kernels.terms import damped, divide_by_length

Numbers = NDArray[np.float64]
Counts = NDArray[np.int64]


class Mixed(NamedTuple):
    """Rows. The sparse entries of row t are those from `starts[t]` to `starts[t + 1] - 1`."""

    dense: Numbers
    starts: Counts
    indices: NDArray[np.int32]
    values: Numbers
    sparse_width: int
    longest: int  # no row has more sparse entries


class Scales(NamedTuple):
    """What was observed of columns and terms, and the scales in use."""

    rows: Counts
    means: Numbers
    squares: Numbers
    centres: Numbers
    factors: Numbers
    frequencies: Counts
    weights: Numbers
    intercept: float


@inlined
def observe(X: Any, t: int, scales: Any) -> None:
    """Learn scales from row t, without its label."""
    observe_row(X.dense, t, scales.rows, scales.means, scales.squares)
    for place in range(X.starts[t], X.starts[t + 1]):
        scales.frequencies[X.indices[place]] += X.values[place] != 0.0


@inlined
def features_of(X: Any, t: int, scales: Any, dense: Any, values: Any) -> float:
    """Set the features of row t: columns and the intercept, and values of terms. Return their squared norm."""
    columns = X.dense.shape[1]
    root = math.sqrt(columns)
    norm = scales.intercept * scales.intercept
    dense[columns] = scales.intercept
    for j in range(columns):
        scaled = (X.dense[t, j] - scales.centres[j]) * scales.factors[j]
        dense[j] = min(FURTHEST, max(-FURTHEST, scaled)) / root
        norm += dense[j] * dense[j]
    first, count, squares = X.starts[t], X.starts[t + 1] - X.starts[t], 0.0
    for place in range(count):
        values[place] = damped(X.values[first + place]) * scales.weights[X.indices[first + place]]
        squares += values[place] * values[place]
    divide_by_length(values, 0, count, squares)
    for place in range(count):
        norm += values[place] * values[place]
    return norm
