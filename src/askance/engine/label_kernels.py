"""Coordinate descent for a sum of label kernels: one visit to a row serves all of them.

Each kernel is a lane with its own weights w̃_m = Σ α_i ỹ_mi x_i, side by side for each feature, so that rows are
not copied for each kernel.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.engine import passes  # noqa: F401 - lets compiled code call the methods of rows and weights
from askance.jit.interop import persistent
from askance.rules.rows import add_lanes, move_lanes

Numbers = NDArray[np.float64]


def _visit_rows(
    rows: Any,
    order: Any,
    state: Any,
    signs: Any,
    shares: Any,
    bounds: Any,
    squares: Any,
    dual: Any,
    slopes: Any,
    moving: Any,
) -> None:
    lanes = shares.shape[0]
    scores, steps, no_spreads = np.zeros(lanes), np.zeros(lanes), np.zeros(0)
    for place in range(order.shape[0]):
        i = order[place]
        size = np.uint64(rows.size(i))
        add_lanes(rows, i, size, state, scores, no_spreads)
        slope = -1.0
        for m in range(lanes):
            slope += shares[m] * signs[i, m] * scores[m]
        slopes[i] = slope
        # A row of zeros changes nothing: its multiplier is at its bound.
        newton = dual[i] - slope / squares[i] if squares[i] > 0 else bounds[i]
        change = moving * (min(max(newton, 0.0), bounds[i]) - dual[i])
        dual[i] += change
        for m in range(lanes):
            steps[m] = change * signs[i, m]
        # No branch around the call, because the compiler would count references to the arrays in every row.
        move_lanes(rows, i, size * np.uint64(change != 0.0), state, steps)  # type: ignore[arg-type]


_visit = persistent(_visit_rows, exact=False)


def visit(
    rows: Any,
    order: NDArray[np.int64],
    state: Any,
    signs: NDArray[np.int8],
    shares: Numbers,
    bounds: Numbers,
    squares: Numbers,
    dual: Numbers,
    slopes: Numbers,
    *,
    moving: bool = True,
) -> None:
    """Visit the rows in `order`: write their slopes Σ μ_m ỹ_mi w̃_m·x_i - 1 and, if `moving`, minimise along α_i.

    α_i becomes α_i - slope/x_i·x_i, clipped to 0 and its bound, and every w̃_m is updated accordingly. Rows are in
    float64. Row i of `signs` has ỹ_mi for each lane m, and 0 in unused lanes.
    """
    _visit(rows, order, state, signs, shares, bounds, squares, dual, slopes, float(moving))
