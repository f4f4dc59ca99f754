"""Dual coordinate descent on remembered rows, for several penalties and one-against-rest classes at once.

A visit is a step of PA-II with the row's dual variable α remembered (see `askance.updates.Replay`):
α ← max(0, α + (1 - y w·x - α/2C) / (‖x‖² + 1/2C)). Weights are Σ α y x over the remembered rows.

A row without columns and terms has nothing but the intercept, which is short: a step that corrects it would move
the predictions of all rows. It counts as a row with a feature of its own, of length 1, whose weight is y α. That
is to say, 1/2C is larger by 1.

Lanes are triples of a view, a penalty and a class, in this order: a lane learns from one view of the rows (see
`mixed`). The weights of a feature are adjacent, because it is looked up once for all lanes.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.jit.interop import inlined
from askance.jit.select import maximum
from askance.jit.simd.vector import at, four, lanes_of, sixteen, two

Numbers = NDArray[np.float64]
Counts = NDArray[np.int64]


class Lanes(NamedTuple):
    """Features of remembered rows, their classes and dual variables (rows × lanes), weights (features × lanes).

    Terms have places: only those of remembered rows have weights. Place 0, for all others, has weights of 0.
    Two classes need one lane per model. Arrays have room for more rows and places than are in use.
    """

    dense: Numbers
    starts: Counts
    places: NDArray[np.int32]
    values: Numbers  # entries × views
    squared_norms: Numbers  # rows × views
    codes: Counts
    duals: Numbers
    dense_weights: Numbers
    weights: Numbers
    dampings: Numbers  # 1/2C of each model: a pair of a view and a penalty
    width: int  # lanes per model


@inlined
def side_of(code: int, lane: int, width: int) -> float:
    """Return +1 if the class with this code is the one that the lane of a model tells from the rest, else -1."""
    wanted = 1 if width == 1 else lane
    return 1.0 if code == wanted else -1.0


@inlined
def scores_of(dense: Any, places: Any, values: Any, first: int, last: int, lanes: Any, scores: Any) -> None:
    """Set `scores` to the products of a row with the weights of every lane."""
    share = scores.shape[0] // values.shape[1]
    for view in range(values.shape[1]):
        lane, end = view * share, (view + 1) * share
        row = dense, places, values, first, last, view
        lane = _score_blocks(row, lanes, scores, lane, end, sixteen(0.0))
        lane = _score_blocks(row, lanes, scores, lane, end, four(0.0))
        lane = _score_blocks(row, lanes, scores, lane, end, two(0.0))
        _score_blocks(row, lanes, scores, lane, end, 0.0)


@inlined
def _score_blocks(row: Any, lanes: Any, scores: Any, lane: int, end: int, zero: Any) -> int:
    """Set as many scores as there are whole blocks of lanes like `zero`; return the first lane after these."""
    dense, places, values, first, last, view = row
    columns = dense.shape[0] - 1
    while lane + lanes_of(zero) <= end:
        block, total = at(lane, zero), zero
        if view == 0:
            for j in range(columns):
                total = total + lanes.dense_weights[j][block] * dense[j]
        total = total + lanes.dense_weights[columns][block] * dense[columns]
        for k in range(first, last):
            total = total + lanes.weights[places[k]][block] * values[k, view]
        scores[block] = total
        lane += lanes_of(zero)
    return lane


@inlined
def add_row(lanes: Any, t: int, steps: Any) -> None:
    """Add remembered row t to the weights of every lane, `steps[lane]` times."""
    share = steps.shape[0] // lanes.values.shape[1]
    for view in range(lanes.values.shape[1]):
        lane, end = view * share, (view + 1) * share
        lane = _add_blocks(lanes, t, view, steps, lane, end, sixteen(0.0))
        lane = _add_blocks(lanes, t, view, steps, lane, end, four(0.0))
        lane = _add_blocks(lanes, t, view, steps, lane, end, two(0.0))
        _add_blocks(lanes, t, view, steps, lane, end, 0.0)


@inlined
def _add_blocks(lanes: Any, t: int, view: int, steps: Any, lane: int, end: int, zero: Any) -> int:
    """Add a row to as many lanes as there are whole blocks like `zero`; return the first lane after these."""
    columns = lanes.dense.shape[1] - 1
    while lane + lanes_of(zero) <= end:
        block = at(lane, zero)
        step = steps[block]
        for j in range(0 if view == 0 else columns, columns + 1):
            weights = lanes.dense_weights[j]
            weights[block] = weights[block] + step * lanes.dense[t, j]
        for k in range(lanes.starts[t], lanes.starts[t + 1]):
            weights = lanes.weights[lanes.places[k]]
            weights[block] = weights[block] + step * lanes.values[k, view]
        lane += lanes_of(zero)
    return lane


@inlined
def own_feature(lanes: Any, t: int, view: int) -> float:
    """Return 1 if a view of remembered row t has nothing but the intercept, otherwise 0."""
    is_of_terms = view > 0 or lanes.dense.shape[1] == 1
    return 1.0 if is_of_terms and lanes.starts[t] == lanes.starts[t + 1] else 0.0


@inlined
def visit(lanes: Any, first: int, last: int, steps: Any) -> None:
    """Visit the remembered rows `last` - 1 down to `first`: the newest first."""
    models = lanes.dampings.shape[0] // lanes.values.shape[1]  # of each view
    for t in range(last - 1, first - 1, -1):
        scores_of(lanes.dense[t], lanes.places, lanes.values, lanes.starts[t], lanes.starts[t + 1], lanes, steps)
        moved = False
        for view in range(lanes.values.shape[1]):
            own, squared_norm = own_feature(lanes, t, view), lanes.squared_norms[t, view]
            for model in range(view * models, (view + 1) * models):
                damping = lanes.dampings[model] + own
                for lane in range(model * lanes.width, (model + 1) * lanes.width):
                    side = side_of(lanes.codes[t], lane - model * lanes.width, lanes.width)
                    before = lanes.duals[t, lane]
                    slope = 1.0 - side * steps[lane] - damping * before
                    after = maximum(0.0, before + slope / (squared_norm + damping))
                    lanes.duals[t, lane] = after
                    steps[lane] = side * (after - before)
                    moved |= after != before
        if moved:
            add_row(lanes, t, steps)


@inlined
def gather(lanes: Any, count: int, steps: Any) -> None:
    """Set the weights to what the dual variables of `count` rows say."""
    lanes.dense_weights[:] = 0.0
    lanes.weights[:] = 0.0
    for t in range(count):
        for lane in range(steps.shape[0]):
            steps[lane] = side_of(lanes.codes[t], lane % lanes.width, lanes.width) * lanes.duals[t, lane]
        add_row(lanes, t, steps)
