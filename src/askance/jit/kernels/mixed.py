"""Rows with a dense and a sparse part, and the features that linear models see of them.

Columns are standardized with running means and variances, unless all rows had length 1: then they are embeddings,
whose columns are on one scale already. Terms have two values: their counts weighted by how rare
terms are, as `terms` defines it, and square roots of their counts, which suit terms that are frequent and telling.

A view is what a linear model sees of a row. The first has columns and weighted terms. If there are terms, the last
has the roots of their counts alone. If there are columns too, a view of weighted terms alone is between them:
columns that tell nothing are as long as a text, and would hide what it says.

All go row by row, so that chunks change nothing. What was observed is used from the next refresh on, so that
remembered rows and new ones are compared on the same scale.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.jit.interop import inlined
from askance.jit.kernels.columns import observe_row
from askance.jit.kernels.terms import damped, length_of

Numbers = NDArray[np.float64]
Counts = NDArray[np.int64]

UNIT_TOLERANCE = 0.02  # squared lengths of embeddings in single precision, or rounded ones


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
    from_unit: Numbers  # the largest difference of a row's squared length from 1, up to the first beyond tolerance
    centres: Numbers
    factors: Numbers
    furthest: Numbers  # the limit of a scaled value
    frequencies: Counts
    weights: Numbers
    intercept: float


@inlined
def observe(X: Any, t: int, scales: Any) -> None:
    """Learn scales from row t, without its label."""
    observe_row(X.dense, t, scales.rows, scales.means, scales.squares)
    if scales.from_unit[0] < UNIT_TOLERANCE:
        length = 0.0
        for j in range(X.dense.shape[1]):
            length += X.dense[t, j] * X.dense[t, j]
        scales.from_unit[0] = max(scales.from_unit[0], abs(length - 1.0))
    for place in range(X.starts[t], X.starts[t + 1]):
        scales.frequencies[X.indices[place]] += X.values[place] != 0.0


def views_of(columns: int, terms: int) -> int:
    """Return the number of views of rows with this many columns and terms."""
    return 1 + (terms > 0) * (1 + (columns > 0))


@inlined
def features_of(X: Any, t: int, scales: Any, dense: Any, values: Any, squared_norms: Any) -> None:
    """Set the features of row t: columns and the intercept, values of terms by views, and squared norms of views.

    Both values of terms have the same length: 1, or 0 without terms.
    """
    columns, views = X.dense.shape[1], values.shape[1]
    root, furthest = math.sqrt(columns), scales.furthest[0]
    norm = 0.0
    dense[columns] = scales.intercept
    for j in range(columns):
        scaled = (X.dense[t, j] - scales.centres[j]) * scales.factors[j]
        dense[j] = min(furthest, max(-furthest, scaled)) / root
        norm += dense[j] * dense[j]
    first, count, squares, total = X.starts[t], X.starts[t + 1] - X.starts[t], 0.0, 0.0
    for place in range(count):
        value = X.values[first + place]
        values[place, 0] = damped(value) * scales.weights[X.indices[first + place]]
        squares += values[place, 0] * values[place, 0]
        total += abs(value)
    length, root_length, alone = length_of(squares), length_of(total), scales.intercept * scales.intercept
    for place in range(count):
        value = X.values[first + place]
        values[place, 0] /= length
        for view in range(1, views - 1):
            values[place, view] = values[place, 0]
        alone += values[place, 0] * values[place, 0]
        if views > 1:
            values[place, views - 1] = math.copysign(math.sqrt(abs(value)), value) / root_length
    squared_norms[0] = norm + alone
    for view in range(1, views):
        squared_norms[view] = alone
