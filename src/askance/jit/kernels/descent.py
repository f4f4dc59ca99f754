"""Dual coordinate descent on remembered rows, for several penalties and one-against-rest classes at once.

A visit is a step of PA-II with the row's dual variable α remembered (see `askance.updates.Replay`):
α ← max(0, α + (1 - y w·x - α/2C) / (‖x‖² + 1/2C)). Weights are Σ α y x over the remembered rows.

Lanes are pairs of a penalty and a class, the penalty first. The weights of a feature are adjacent, because it is
looked up once for all lanes.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.jit.interop import inlined, persistent
from askance.jit.select import maximum

Numbers = NDArray[np.float64]
Counts = NDArray[np.int64]


class Rows(NamedTuple):
    """Rows of features: the entries of row t are those from `starts[t]` to `starts[t + 1] - 1`."""

    starts: Counts
    indices: NDArray[np.int32]
    values: Numbers


class Lanes(NamedTuple):
    """Weights (features × lanes), dual variables (rows × lanes), 1/2C of each penalty, and the number of classes.

    Two classes need one lane per penalty.
    """

    weights: Numbers
    duals: Numbers
    dampings: Numbers
    width: int  # lanes per penalty


@inlined
def side_of(code: int, lane: int, width: int) -> float:
    """Return +1 if the class with this code is the one that a lane tells from the rest, otherwise -1."""
    wanted = 1 if width == 1 else lane % width
    return 1.0 if code == wanted else -1.0


@inlined
def add_scores(rows: Any, t: int, weights: Any, scores: Any) -> None:
    """Set `scores` to the products of row t with the weights of every lane."""
    for lane in range(scores.shape[0]):
        scores[lane] = 0.0
    for place in range(rows.starts[t], rows.starts[t + 1]):
        feature, value = rows.indices[place], rows.values[place]
        for lane in range(scores.shape[0]):
            scores[lane] += weights[feature, lane] * value


def _visit(rows: Any, codes: Any, squared_norms: Any, lanes: Any, first: int, last: int) -> None:
    """Visit the rows `last` - 1 down to `first`: the newest first."""
    count = lanes.weights.shape[1]
    steps = np.empty(count)
    for t in range(last - 1, first - 1, -1):
        add_scores(rows, t, lanes.weights, steps)
        moved = False
        for lane in range(count):
            side = side_of(codes[t], lane, lanes.width)
            damping, before = lanes.dampings[lane // lanes.width], lanes.duals[t, lane]
            slope = 1.0 - side * steps[lane] - damping * before
            after = maximum(0.0, before + slope / (squared_norms[t] + damping))
            lanes.duals[t, lane] = after
            steps[lane] = side * (after - before)
            moved |= after != before
        if moved:
            add_row(rows, t, steps, lanes.weights)


@inlined
def add_row(rows: Any, t: int, steps: Any, weights: Any) -> None:
    """Add row t to the weights of every lane, `steps[lane]` times."""
    for place in range(rows.starts[t], rows.starts[t + 1]):
        feature, value = rows.indices[place], rows.values[place]
        for lane in range(steps.shape[0]):
            weights[feature, lane] += steps[lane] * value


def _gather(rows: Any, codes: Any, lanes: Any) -> None:
    """Set the weights to what the dual variables say."""
    lanes.weights[:] = 0.0
    steps = np.empty(lanes.weights.shape[1])
    for t in range(codes.shape[0]):
        for lane in range(steps.shape[0]):
            steps[lane] = side_of(codes[t], lane, lanes.width) * lanes.duals[t, lane]
        add_row(rows, t, steps, lanes.weights)


def _scores(rows: Any, weights: Any, scores: Any) -> None:
    """Set `scores` (rows × lanes)."""
    for t in range(scores.shape[0]):
        add_scores(rows, t, weights, scores[t])


visit = persistent(_visit, exact=True)
gather = persistent(_gather, exact=True)
scores = persistent(_scores, exact=True)
