"""Room for what the lanes of labels learn."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance._util.longer import longer
from askance.auto.models import new_scales, place_terms
from askance.jit.kernels import pairs
from askance.jit.kernels.labelling import PLACES, REMEMBERED
from askance.jit.kernels.mixed import Mixed
from askance.jit.kernels.pairs import NEXT_REFRESH, PairLanes, PairModels

FIRST_ROWS = 16


def new_models(columns: int, terms: int, labels: int, C: float) -> PairModels:
    """Return models that have learned nothing, for rows with this many dense columns and sparse terms."""
    counts = np.zeros(5, np.int64)
    counts[PLACES] = counts[NEXT_REFRESH] = 1
    lanes = PairLanes(
        dense=np.zeros((0, columns + 1)),
        starts=np.zeros(1, np.int64),
        places=np.zeros(0, np.int32),
        values=np.zeros((0, 1)),
        squared_norms=np.zeros((0, 1)),
        sides=np.zeros((0, labels), np.int8),
        duals=np.zeros((0, labels)),
        dense_weights=np.zeros((columns + 1, labels)),
        weights=np.zeros((1, labels)),
        damping=1.0 / (2.0 * C),
    )
    return PairModels(
        scales=new_scales(columns, terms),
        labelled=Mixed(
            np.zeros((0, columns)), np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0), terms, 0
        ),
        lanes=lanes,
        places=np.zeros(terms, np.int32),
        vocabulary=np.zeros(1, np.int64),
        whole=np.zeros(0, np.bool_),
        counts=counts,
    )


def with_room(models: PairModels, rows: int, entries: int) -> PairModels:
    """Return the same models with room for more rows with this many sparse entries."""
    lanes, labelled, whole, terms = models.lanes, models.labelled, models.whole, models.vocabulary
    remembered = int(models.counts[REMEMBERED])
    wanted = remembered + rows
    if wanted > len(whole):
        count = max(FIRST_ROWS, 2 * wanted)
        lanes = lanes._replace(
            dense=longer(lanes.dense, count),
            starts=longer(lanes.starts, count + 1),
            squared_norms=longer(lanes.squared_norms, count),
            sides=longer(lanes.sides, count),
            duals=longer(lanes.duals, count),
        )
        labelled = labelled._replace(
            dense=longer(labelled.dense, count), starts=longer(labelled.starts, count + 1)
        )
        whole = longer(whole, count)
    wanted = int(lanes.starts[remembered]) + entries
    if wanted > len(lanes.values):
        lanes = lanes._replace(places=longer(lanes.places, 2 * wanted), values=longer(lanes.values, 2 * wanted))
        labelled = labelled._replace(
            indices=longer(labelled.indices, 2 * wanted), values=longer(labelled.values, 2 * wanted)
        )
    wanted = int(models.counts[PLACES]) + entries
    if wanted > len(terms):
        terms = longer(terms, 2 * wanted)
        lanes = lanes._replace(weights=longer(lanes.weights, len(terms)))
    return models._replace(lanes=lanes, labelled=labelled, whole=whole, vocabulary=terms)


def with_labels(models: PairModels, more: int) -> PairModels:
    """Return the same models with more labels, which rows of which all labels were known do not carry."""
    lanes = models.lanes
    sides = _wider(lanes.sides, more)
    sides[models.whole, lanes.sides.shape[1] :] = -1
    return models._replace(
        lanes=lanes._replace(
            sides=sides,
            duals=_wider(lanes.duals, more),
            dense_weights=_wider(lanes.dense_weights, more),
            weights=_wider(lanes.weights, more),
        )
    )


def _wider(array: NDArray[Any], more: int) -> NDArray[Any]:
    return np.hstack([array, np.zeros((len(array), more), array.dtype)])


def without_oldest(models: PairModels, number: int) -> PairModels:
    """Return the models without the oldest rows and what was learned from them."""
    lanes, labelled, counts = models.lanes, models.labelled, models.counts
    rows, first = int(counts[REMEMBERED]), int(lanes.starts[number])
    entries = int(lanes.starts[rows])
    for array in (lanes.dense, lanes.squared_norms, lanes.sides, lanes.duals, labelled.dense, models.whole):
        array[: rows - number] = array[number:rows].copy()
        array[rows - number : rows] = 0
    for starts in (lanes.starts, labelled.starts):
        starts[: rows - number + 1] = starts[number : rows + 1].copy() - first
    for entry in (lanes.values, labelled.indices, labelled.values):
        entry[: entries - first] = entry[first:entries].copy()
    counts[REMEMBERED] -= number
    place_terms(models, np.unique(labelled.indices[: entries - first]).astype(np.int64))
    pairs.retrain(models, True, 0)
    return models
