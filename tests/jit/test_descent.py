"""Blocks of lanes score and learn like one lane after the other, to the last bit."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from askance.jit.interop import compiled
from askance.jit.kernels.descent import Lanes, add_row, scores_of

ROWS, TERMS = 6, 9


def made(views: int, models: int, width: int, columns: int) -> Lanes:
    """Lanes with random weights, and rows of which one has no terms."""
    rng = np.random.default_rng(views * 100 + models * 10 + width)
    lengths = np.array([3, 0, 9, 1, 5, 2])
    places = [rng.permutation(TERMS)[:length] + 1 for length in lengths]
    count = views * models * width
    return Lanes(
        dense=rng.normal(size=(ROWS, columns + 1)),
        starts=np.concatenate([[0], lengths.cumsum()]),
        places=np.concatenate(places).astype(np.int32),
        values=rng.normal(size=(lengths.sum(), views)),
        squared_norms=np.ones((ROWS, views)),
        codes=rng.integers(0, max(2, width), ROWS),
        duals=np.zeros((ROWS, count)),
        dense_weights=rng.normal(size=(columns + 1, count)),
        weights=rng.normal(size=(TERMS + 1, count)),
        dampings=np.ones(views * models),
        width=width,
    )


def score(lanes: Any, scores: Any) -> None:
    for t in range(scores.shape[0]):
        first, last = lanes.starts[t], lanes.starts[t + 1]
        scores_of(lanes.dense[t], lanes.places, lanes.values, first, last, lanes, scores[t])


def add(lanes: Any, steps: Any) -> None:
    for t in range(steps.shape[0]):
        add_row(lanes, t, steps[t])


compiled_score, compiled_add = compiled(score, exact=True), compiled(add, exact=True)


def naive_scores(lanes: Lanes) -> np.ndarray:
    """The scores of all rows, lane by lane, in the order of the features. Columns belong to the first view."""
    count = lanes.duals.shape[1]
    share = count // lanes.values.shape[1]
    found = np.zeros((ROWS, count))
    for t, (first, last) in enumerate(pairwise(lanes.starts.tolist())):
        for lane in range(count):
            columns = lanes.dense[t] if lane < share else lanes.dense[t, -1:]
            weights = lanes.dense_weights[-len(columns) :, lane]
            for weight, value in zip(weights.tolist(), columns.tolist(), strict=True):
                found[t, lane] += weight * value
            for k in range(first, last):
                found[t, lane] += lanes.weights[lanes.places[k], lane] * lanes.values[k, lane // share]
    return found


def add_naively(lanes: Lanes, steps: np.ndarray) -> None:
    """Add all rows to the weights of all lanes."""
    share = steps.shape[1] // lanes.values.shape[1]
    for t, (first, last) in enumerate(pairwise(lanes.starts.tolist())):
        for lane in range(steps.shape[1]):
            columns = lanes.dense.shape[1] if lane < share else 1
            lanes.dense_weights[-columns:, lane] += steps[t, lane] * lanes.dense[t, -columns:]
            for k in range(first, last):
                lanes.weights[lanes.places[k], lane] += steps[t, lane] * lanes.values[k, lane // share]


@pytest.mark.parametrize("columns", [0, 5])
@pytest.mark.parametrize(
    ("views", "models", "width"), [(1, 4, 1), (1, 4, 10), (2, 2, 1), (2, 2, 20), (3, 3, 1), (3, 3, 7), (1, 1, 1)]
)
def test_blocks_of_lanes_do_what_single_lanes_do(views: int, models: int, width: int, columns: int) -> None:
    lanes, twin = made(views, models, width, columns), made(views, models, width, columns)
    scores = np.full(lanes.duals[:ROWS].shape, 99.0)
    compiled_score(lanes, scores)
    assert scores.tobytes() == naive_scores(twin).tobytes()
    steps = np.random.default_rng(1).normal(size=scores.shape)
    compiled_add(lanes, steps)
    add_naively(twin, steps)
    assert lanes.weights.tobytes() == twin.weights.tobytes()
    assert lanes.dense_weights.tobytes() == twin.dense_weights.tobytes()
