"""Dual coordinate descent on remembered rows with several labels, of which only some are known of each row.

Every label has a lane: weights that tell the rows that carry it from those that do not. A visit is the step of
PA-II with remembered dual variables, as in `descent`, of the lanes whose label is known of the row. What is
unknown moves nothing. The weights of a feature are adjacent, so that one pass over a row's features serves all
labels.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.jit.interop import inlined, persistent, separate
from askance.jit.kernels.descent import own_feature, scores_of
from askance.jit.kernels.labelling import PLACES, REMEMBERED
from askance.jit.kernels.mixed import Mixed, Scales, features_of
from askance.jit.select import maximum

Numbers = NDArray[np.float64]
Counts = NDArray[np.int64]

VISITS = 16  # remembered rows that a new one makes lanes visit again: the newest, and as many others in turn
YOUNG, YOUNG_SWEEPS = 50, 3  # up to 50 rows, all are visited three times after each
GROWTH, GROWTH_SWEEPS = 10, 4  # after one row for this many remembered ones, all are visited

# Positions in `PairModels.counts`: rows in memory, places of terms, all rows learned from so far, how many there
# were when all were last visited, and the number of rows seen after which scales are refreshed.
LEARNED, SWEPT_AT, NEXT_REFRESH = range(2, 5)  # after REMEMBERED and PLACES, as in `labelling`


class PairLanes(NamedTuple):
    """Features of remembered rows, the sides of their labels and dual variables, and weights (features × labels).

    A side is +1 for a row that carries the label, -1 for one that does not, and 0 if that is unknown. Terms have
    places as in `descent.Lanes`. Arrays have room for more rows and places than are in use.
    """

    dense: Numbers
    starts: Counts
    places: NDArray[np.int32]
    values: Numbers  # entries × 1
    squared_norms: Numbers  # rows × 1
    sides: NDArray[np.int8]  # rows × labels
    duals: Numbers  # rows × labels
    dense_weights: Numbers
    weights: Numbers
    damping: float  # 1/2C


class PairModels(NamedTuple):
    """All that lanes have learned. Arrays have room for more than is in use."""

    scales: Scales
    labelled: Mixed  # the labelled rows as they came
    lanes: PairLanes
    places: NDArray[np.int32]  # the place of each term in the weights, or 0
    vocabulary: Counts  # the term at each place
    whole: NDArray[np.bool_]  # rows of which all labels are known, also those that appear later
    counts: Counts


@separate
def known_labels(sides: Any, t: int, known: Any) -> int:
    """Write the labels that are known of remembered row t to `known`; return how many there are."""
    count = 0
    for label in range(sides.shape[1]):
        known[count] = label
        count += sides[t, label] != 0
    return count


@separate
def known_scores(lanes: Any, t: int, known: Any, count: int, steps: Any) -> None:
    """Set `steps` to the scores of remembered row t in the lanes of known labels."""
    if count == steps.shape[0]:  # neighbours can be read together
        scores_of(lanes.dense[t], lanes.places, lanes.values, lanes.starts[t], lanes.starts[t + 1], lanes, steps)
        return
    for place in range(count):
        steps[place] = 0.0
    for j in range(lanes.dense.shape[1]):
        for place in range(count):
            steps[place] += lanes.dense_weights[j, known[place]] * lanes.dense[t, j]
    for k in range(lanes.starts[t], lanes.starts[t + 1]):
        for place in range(count):
            steps[place] += lanes.weights[lanes.places[k], known[place]] * lanes.values[k, 0]


@separate
def add_row(lanes: Any, t: int, known: Any, count: int, steps: Any) -> None:
    """Add remembered row t to the weights of known labels, `steps` times."""
    for j in range(lanes.dense.shape[1]):
        for place in range(count):
            lanes.dense_weights[j, known[place]] += steps[place] * lanes.dense[t, j]
    for k in range(lanes.starts[t], lanes.starts[t + 1]):
        for place in range(count):
            lanes.weights[lanes.places[k], known[place]] += steps[place] * lanes.values[k, 0]


@separate
def visit(lanes: Any, first: int, last: int, known: Any, steps: Any) -> None:
    """Visit the remembered rows `last` - 1 down to `first`: the newest first."""
    for t in range(last - 1, first - 1, -1):
        count = known_labels(lanes.sides, t, known)
        known_scores(lanes, t, known, count, steps)
        damping = lanes.damping + own_feature(lanes, t, 0)
        moved = 0  # only lanes that move need the row
        for place in range(count):
            label = known[place]
            side, before = float(lanes.sides[t, label]), lanes.duals[t, label]
            slope = 1.0 - side * steps[place] - damping * before
            after = maximum(0.0, before + slope / (lanes.squared_norms[t, 0] + damping))
            if after != before:
                lanes.duals[t, label] = after
                steps[moved] = side * (after - before)
                known[moved] = label
                moved += 1
        add_row(lanes, t, known, moved, steps)


@inlined
def train(lanes: Any, counts: Any, sweeps: int, known: Any, steps: Any) -> None:
    """Visit all remembered rows `sweeps` times, or if that is 0, the newest and as many others in turn."""
    rows = counts[REMEMBERED]
    others = rows - VISITS
    if sweeps == 0 and others > VISITS:
        visit(lanes, others, rows, known, steps)
        first = counts[LEARNED] * VISITS % others
        visit(lanes, first, min(others, first + VISITS), known, steps)
    else:
        for _ in range(max(1, sweeps)):
            visit(lanes, 0, rows, known, steps)


@inlined
def sweeps_due(counts: Any) -> int:
    """Return how often to visit all rows after the latest: 0 for only some of them."""
    rows, since = counts[REMEMBERED], counts[LEARNED] - counts[SWEPT_AT]
    grew = since * GROWTH >= min(counts[SWEPT_AT], rows)
    if grew:
        counts[SWEPT_AT] = counts[LEARNED]
    if rows <= YOUNG:
        return YOUNG_SWEEPS
    return GROWTH_SWEEPS if grew else 0


@separate
def remember(X: Any, t: int, sides: Any, whole: bool, models: Any) -> None:
    """Add row t to the labelled rows; there must be room."""
    labelled, lanes, counts = models.labelled, models.lanes, models.counts
    row, first, last = counts[REMEMBERED], X.starts[t], X.starts[t + 1]
    to = lanes.starts[row]
    for j in range(X.dense.shape[1]):
        labelled.dense[row, j] = X.dense[t, j]
    for place in range(first, last):
        term = X.indices[place]
        if models.places[term] == 0:
            models.places[term] = counts[PLACES]
            models.vocabulary[counts[PLACES]] = term
            counts[PLACES] += 1
        labelled.indices[to + place - first], labelled.values[to + place - first] = term, X.values[place]
        lanes.places[to + place - first] = models.places[term]
    labelled.starts[row + 1] = lanes.starts[row + 1] = to + last - first
    for label in range(sides.shape[1]):
        lanes.sides[row, label], lanes.duals[row, label] = sides[t, label], 0.0
    models.whole[row] = whole
    counts[REMEMBERED] += 1
    counts[LEARNED] += 1


@inlined
def set_features(models: Any, row: int) -> None:
    """Set the features of a labelled row by the scales in use."""
    lanes = models.lanes
    values = lanes.values[lanes.starts[row] : lanes.starts[row + 1]]
    features_of(models.labelled, row, models.scales, lanes.dense[row], values, lanes.squared_norms[row])


def _learn(X: Any, sides: Any, whole: bool, models: Any, sweeps: int) -> None:
    """Remember rows and learn from what is known of them; `sweeps` of 0 means as many as suit their number."""
    known, steps = np.empty(sides.shape[1] + 1, np.int64), np.empty(sides.shape[1])
    for t in range(sides.shape[0]):
        remember(X, t, sides, whole, models)
        set_features(models, models.counts[REMEMBERED] - 1)
    due = sweeps_due(models.counts)
    train(models.lanes, models.counts, max(due, sweeps), known, steps)


def _retrain(models: Any, rebuild: bool, sweeps: int) -> None:
    """Visit all remembered rows. Before that, `rebuild` their features and the weights from the dual variables."""
    lanes, rows = models.lanes, models.counts[REMEMBERED]
    known, steps = np.empty(lanes.sides.shape[1] + 1, np.int64), np.empty(lanes.sides.shape[1])
    if rebuild:
        lanes.dense_weights[:] = 0.0
        lanes.weights[:] = 0.0
        for t in range(rows):
            set_features(models, t)
            count = known_labels(lanes.sides, t, known)
            for place in range(count):
                steps[place] = lanes.sides[t, known[place]] * lanes.duals[t, known[place]]
            add_row(lanes, t, known, count, steps)
    for _ in range(sweeps):
        visit(lanes, 0, rows, known, steps)


def _score(X: Any, models: Any, scores: Any) -> None:
    """Set the scores of rows (rows × labels)."""
    dense = np.empty(models.lanes.dense.shape[1])
    places, values = np.empty(X.longest, np.int32), np.empty((X.longest, 1))
    squared_norms = np.empty(1)
    for t in range(X.dense.shape[0]):
        first, last = X.starts[t], X.starts[t + 1]
        features_of(X, t, models.scales, dense, values, squared_norms)
        for place in range(first, last):
            places[place - first] = models.places[X.indices[place]]
        scores_of(dense, places, values, 0, last - first, models.lanes, scores[t])


learn = persistent(_learn, exact=True)
retrain = persistent(_retrain, exact=True)
score = persistent(_score, exact=True)
