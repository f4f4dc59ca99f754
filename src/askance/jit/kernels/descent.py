"""Dual coordinate descent on remembered rows, for several penalties and one-against-rest classes at once.

A visit is a step of PA-II with the row's dual variable α remembered (see `askance.updates.Replay`):
α ← max(0, α + (1 - y w·x - α/2C) / (‖x‖² + 1/2C)). Weights are Σ α y x over the remembered rows.

A row without columns and terms has nothing but the intercept, which is short: a step that corrects it would move
the predictions of all rows. It counts as a row with a feature of its own, of length 1, whose weight is y α. That
is to say, 1/2C is larger by 1.

Lanes are triples of values, a penalty and a class, in this order: terms have several values (see `mixed`), and a
lane learns from one of them. The weights of a feature are adjacent, because it is looked up once for all lanes.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.jit.interop import inlined
from askance.jit.kernels.mixed import ROOTS, WEIGHTED
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
    values: Numbers  # entries × values of a term
    squared_norms: Numbers
    codes: Counts
    duals: Numbers
    dense_weights: Numbers
    weights: Numbers
    dampings: Numbers  # 1/2C of each model: a pair of values and a penalty
    width: int  # lanes per model


@inlined
def side_of(code: int, lane: int, width: int) -> float:
    """Return +1 if the class with this code is the one that a lane tells from the rest, otherwise -1."""
    wanted = 1 if width == 1 else lane % width
    return 1.0 if code == wanted else -1.0


@inlined
def scores_of(dense: Any, places: Any, values: Any, first: int, last: int, lanes: Any, scores: Any) -> None:
    """Set `scores` to the products of a row with the weights of every lane."""
    for lane in range(scores.shape[0]):
        scores[lane] = 0.0
    for j in range(dense.shape[0]):
        for lane in range(scores.shape[0]):
            scores[lane] += lanes.dense_weights[j, lane] * dense[j]
    share = scores.shape[0] // values.shape[1]
    for k in range(first, last):
        for lane in range(share):
            scores[lane] += lanes.weights[places[k], lane] * values[k, WEIGHTED]
        for lane in range(share, scores.shape[0]):
            scores[lane] += lanes.weights[places[k], lane] * values[k, ROOTS]


@inlined
def add_row(lanes: Any, t: int, steps: Any) -> None:
    """Add remembered row t to the weights of every lane, `steps[lane]` times."""
    for j in range(lanes.dense.shape[1]):
        for lane in range(steps.shape[0]):
            lanes.dense_weights[j, lane] += steps[lane] * lanes.dense[t, j]
    share = steps.shape[0] // lanes.values.shape[1]
    for k in range(lanes.starts[t], lanes.starts[t + 1]):
        for lane in range(share):
            lanes.weights[lanes.places[k], lane] += steps[lane] * lanes.values[k, WEIGHTED]
        for lane in range(share, steps.shape[0]):
            lanes.weights[lanes.places[k], lane] += steps[lane] * lanes.values[k, ROOTS]


@inlined
def own_feature(lanes: Any, t: int) -> float:
    """Return 1 if remembered row t has nothing but the intercept, otherwise 0."""
    return 1.0 if lanes.dense.shape[1] == 1 and lanes.starts[t] == lanes.starts[t + 1] else 0.0


@inlined
def visit(lanes: Any, first: int, last: int, steps: Any) -> None:
    """Visit the remembered rows `last` - 1 down to `first`: the newest first."""
    for t in range(last - 1, first - 1, -1):
        scores_of(lanes.dense[t], lanes.places, lanes.values, lanes.starts[t], lanes.starts[t + 1], lanes, steps)
        moved, own = False, own_feature(lanes, t)
        for lane in range(steps.shape[0]):
            side = side_of(lanes.codes[t], lane, lanes.width)
            damping, before = lanes.dampings[lane // lanes.width] + own, lanes.duals[t, lane]
            slope = 1.0 - side * steps[lane] - damping * before
            after = maximum(0.0, before + slope / (lanes.squared_norms[t] + damping))
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
