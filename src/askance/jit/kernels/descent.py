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
    """Return +1 if the class with this code is the one that a lane tells from the rest, otherwise -1."""
    wanted = 1 if width == 1 else lane % width
    return 1.0 if code == wanted else -1.0


@inlined
def scores_of(dense: Any, places: Any, values: Any, first: int, last: int, lanes: Any, scores: Any) -> None:
    """Set `scores` to the products of a row with the weights of every lane."""
    columns, views = dense.shape[0] - 1, values.shape[1]
    share = scores.shape[0] // views
    for lane in range(scores.shape[0]):
        scores[lane] = 0.0
    for j in range(columns):
        for lane in range(share):
            scores[lane] += lanes.dense_weights[j, lane] * dense[j]
    for lane in range(scores.shape[0]):
        scores[lane] += lanes.dense_weights[columns, lane] * dense[columns]
    for k in range(first, last):
        for view in range(views):
            for lane in range(view * share, (view + 1) * share):
                scores[lane] += lanes.weights[places[k], lane] * values[k, view]


@inlined
def add_row(lanes: Any, t: int, steps: Any) -> None:
    """Add remembered row t to the weights of every lane, `steps[lane]` times."""
    columns, views = lanes.dense.shape[1] - 1, lanes.values.shape[1]
    share = steps.shape[0] // views
    for j in range(columns):
        for lane in range(share):
            lanes.dense_weights[j, lane] += steps[lane] * lanes.dense[t, j]
    for lane in range(steps.shape[0]):
        lanes.dense_weights[columns, lane] += steps[lane] * lanes.dense[t, columns]
    for k in range(lanes.starts[t], lanes.starts[t + 1]):
        for view in range(views):
            for lane in range(view * share, (view + 1) * share):
                lanes.weights[lanes.places[k], lane] += steps[lane] * lanes.values[k, view]


@inlined
def own_feature(lanes: Any, t: int, view: int) -> float:
    """Return 1 if a view of remembered row t has nothing but the intercept, otherwise 0."""
    is_of_terms = view > 0 or lanes.dense.shape[1] == 1
    return 1.0 if is_of_terms and lanes.starts[t] == lanes.starts[t + 1] else 0.0


@inlined
def visit(lanes: Any, first: int, last: int, steps: Any) -> None:
    """Visit the remembered rows `last` - 1 down to `first`: the newest first."""
    share = steps.shape[0] // lanes.values.shape[1]
    for t in range(last - 1, first - 1, -1):
        scores_of(lanes.dense[t], lanes.places, lanes.values, lanes.starts[t], lanes.starts[t + 1], lanes, steps)
        moved = False
        for view in range(lanes.values.shape[1]):
            own, squared_norm = own_feature(lanes, t, view), lanes.squared_norms[t, view]
            for lane in range(view * share, (view + 1) * share):
                side = side_of(lanes.codes[t], lane, lanes.width)
                damping, before = lanes.dampings[lane // lanes.width] + own, lanes.duals[t, lane]
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
            steps[lane] = side_of(lanes.codes[t], lane, lanes.width) * lanes.duals[t, lane]
        add_row(lanes, t, steps)
