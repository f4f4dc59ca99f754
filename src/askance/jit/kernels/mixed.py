"""Rows with a dense and a sparse part, and the features that linear models see of them.

Columns are standardized with running means and variances. Counts of terms become 1 + log count, times the
logarithm of how rare a term is, at length 1. Both go row by row, so that chunks change nothing. What was observed
is used from the next refresh on, so that remembered rows and new ones are compared on the same scale.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.jit.interop import inlined
from askance.jit.kernels.columns import FURTHEST, observe_row

Numbers = NDArray[np.float64]
Counts = NDArray[np.int64]

ARE_COUNTS, TAKES_LOGS = range(2)  # positions in `Scales.kinds`


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
    kinds: NDArray[np.bool_]  # whether all values of terms were counts, now and at the last refresh
    intercept: float


@inlined
def observe(X: Any, t: int, scales: Any) -> None:
    """Learn scales from row t, without its label."""
    observe_row(X.dense, t, scales.rows, scales.means, scales.squares)
    for place in range(X.starts[t], X.starts[t + 1]):
        value = X.values[place]
        if value != 0.0:
            scales.frequencies[X.indices[place]] += 1
        if value < 0.0 or value != math.floor(value):
            scales.kinds[ARE_COUNTS] = False


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
    first, length = X.starts[t], 0.0
    for place in range(first, X.starts[t + 1]):
        value = X.values[place]
        if scales.kinds[TAKES_LOGS] and value > 0.0:
            value = 1.0 + math.log(value)
        value *= scales.weights[X.indices[place]]
        values[place - first] = value
        length += value * value
    if length > 0.0:
        length = math.sqrt(length)
        for place in range(X.starts[t + 1] - first):
            values[place] /= length
            norm += values[place] * values[place]
    return norm
