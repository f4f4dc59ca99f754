"""The models that compete, and room for what they learn: linear ones with several penalties, and a forest."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from askance._util.longer import longer
from askance.jit.kernels import labelling, trees
from askance.jit.kernels.columns import FURTHEST, scale_of
from askance.jit.kernels.descent import Lanes
from askance.jit.kernels.labelling import GROWN_AT, LABELS, PLACES, REMEMBERED, SEVERAL, Models
from askance.jit.kernels.mixed import UNIT_TOLERANCE, Mixed, Scales, views_of
from askance.jit.kernels.mixture import equal_trust
from askance.jit.kernels.terms import rarities

if TYPE_CHECKING:
    from askance.jit.kernels.pairs import PairModels

PENALTIES = (0.3, 3.0, 30.0, 300.0)  # C of PA-II, for tables
TERM_PENALTIES = (3.0, 30.0)  # for terms alone, in both views
MIXED_PENALTIES = (0.3, 3.0, 30.0)  # for columns and terms, in all three views
TREES = 50
# The intercept is a feature with this value, beside rows whose length is about 1.
DENSE_INTERCEPT, SPARSE_INTERCEPT = 0.5, 0.3
NO_LIMIT = 1e300  # of scaled values
FIRST_ROWS = 16


def new_models(
    columns: int, terms: int, classes: int, memory: int, random_state: int, forest: int = TREES
) -> Models:
    """Return models that have learned nothing, for rows with this many dense columns and sparse terms."""
    views = views_of(columns, terms)
    penalties = np.tile((PENALTIES, TERM_PENALTIES, MIXED_PENALTIES)[views - 1], views)
    dense, counts = np.zeros((0, columns)), np.zeros(7, np.int64)
    counts[PLACES] = counts[labelling.NEXT_REFRESH] = 1
    lanes = Lanes(
        dense=np.zeros((0, columns + 1)),
        starts=np.zeros(1, np.int64),
        places=np.zeros(0, np.int32),
        values=np.zeros((0, views)),
        squared_norms=np.zeros((0, views)),
        codes=np.zeros(0, np.int64),
        duals=np.zeros((0, 0)),
        dense_weights=np.zeros((columns + 1, 0)),
        weights=np.zeros((0, 0)),
        dampings=1.0 / (2.0 * penalties),
        width=1,
    )
    models = Models(
        scales=new_scales(columns, terms),
        labelled=Mixed(dense, lanes.starts.copy(), np.zeros(0, np.int32), np.zeros(0), terms, 0),
        lanes=lanes,
        places=np.zeros(terms, np.int32),
        vocabulary=np.zeros(1, np.int64),
        trees=trees.empty(forest if columns else 0, 1),
        mixture=equal_trust(len(penalties) + (columns > 0)),
        counts=counts,
        memory=memory,
        random_state=np.uint64(random_state),
    )
    return with_classes(with_room(models, 1, 0), classes)


def new_scales(columns: int, terms: int) -> Scales:
    """Return scales before the first row."""
    return Scales(
        rows=np.zeros(1, np.int64),
        means=np.zeros(columns),
        squares=np.zeros(columns),
        from_unit=np.zeros(1),
        centres=np.zeros(columns),
        factors=np.zeros(columns),
        furthest=np.full(1, FURTHEST),
        frequencies=np.zeros(terms, np.int64),
        weights=np.ones(terms),
        intercept=DENSE_INTERCEPT if columns else SPARSE_INTERCEPT,
    )


def refresh(scales: Scales, unit_columns: int = 0) -> None:
    """Use what was observed so far. The first columns stay as they are, if they are vectors of length 1."""
    rows = int(scales.rows[0])
    if scales.from_unit[0] < UNIT_TOLERANCE:
        scales.centres[:], scales.factors[:], scales.furthest[:] = 0.0, np.sqrt(len(scales.factors)), NO_LIMIT
    else:
        columns = zip(scales.means.tolist(), scales.squares.tolist(), strict=True)
        scales.centres[:], scales.furthest[:] = scales.means, FURTHEST
        scales.factors[:] = [scale_of(mean, squares, rows) for mean, squares in columns]
        scales.centres[:unit_columns], scales.factors[:unit_columns] = 0.0, np.sqrt(len(scales.factors))
    rarities(scales.frequencies, rows, scales.weights)


def copy_scales(known: Scales, fresh: Scales, columns: int) -> None:
    """Take over scales, of dense columns those of the first ones: other columns were 0 in all rows so far."""
    for name in ("means", "squares", "centres", "factors"):
        getattr(fresh, name)[:columns] = getattr(known, name)
    for name in ("rows", "from_unit", "furthest", "frequencies", "weights"):
        getattr(fresh, name)[:] = getattr(known, name)


def with_room(models: Models, rows: int, entries: int) -> Models:
    """Return the same models with room for more rows with this many sparse entries."""
    lanes, labelled, terms, forest = models.lanes, models.labelled, models.vocabulary, models.trees
    remembered = int(models.counts[REMEMBERED])
    wanted = remembered + rows
    if wanted > len(lanes.codes):
        count = max(FIRST_ROWS, 2 * wanted)
        lanes = lanes._replace(
            dense=longer(lanes.dense, count),
            starts=longer(lanes.starts, count + 1),
            squared_norms=longer(lanes.squared_norms, count),
            codes=longer(lanes.codes, count),
            duals=longer(lanes.duals, count),
        )
        labelled = labelled._replace(
            dense=longer(labelled.dense, count), starts=longer(labelled.starts, count + 1)
        )
        forest = trees.with_room(forest, count)
    wanted = int(lanes.starts[remembered]) + entries
    if wanted > len(lanes.values):
        lanes = lanes._replace(places=longer(lanes.places, 2 * wanted), values=longer(lanes.values, 2 * wanted))
        labelled = labelled._replace(
            indices=longer(labelled.indices, 2 * wanted), values=longer(labelled.values, 2 * wanted)
        )
    wanted = int(models.counts[PLACES]) + entries
    if wanted > len(terms):
        terms = longer(terms, 2 * wanted)
    if len(terms) > len(lanes.weights):
        lanes = lanes._replace(weights=longer(lanes.weights, len(terms)))
    return models._replace(lanes=lanes, labelled=labelled, vocabulary=terms, trees=forest)


def with_classes(models: Models, classes: int) -> Models:
    """Return models for this many classes; what linear models have learned is to be learned again."""
    lanes, width = models.lanes, 1 if classes == 2 else classes
    count = len(lanes.dampings) * width
    return models._replace(
        lanes=lanes._replace(
            duals=np.zeros((len(lanes.codes), count)),
            dense_weights=np.zeros((lanes.dense.shape[1], count)),
            weights=np.zeros((len(models.vocabulary), count)),
            width=width,
        )
    )


def penalty(models: Models, linear: int) -> float:
    """Return the C of one of the linear models."""
    return round(0.5 / float(models.lanes.dampings[linear]), 9)


def takes_roots(models: Models, linear: int) -> bool:
    """Whether one of the linear models learns from square roots of counts."""
    views = models.lanes.values.shape[1]
    return views > 1 and linear * views // len(models.lanes.dampings) == views - 1


def without_oldest(models: Models, number: int) -> Models:
    """Return the models without the oldest labelled rows and what was learned from them."""
    lanes, labelled, counts = models.lanes, models.labelled, models.counts
    rows, first = int(counts[REMEMBERED]), int(lanes.starts[number])
    entries = int(lanes.starts[rows])
    by_row: list[Any] = [lanes.dense, lanes.squared_norms, lanes.codes, lanes.duals, labelled.dense]
    for array in by_row:
        array[: rows - number] = array[number:rows].copy()
    for starts in (lanes.starts, labelled.starts):
        starts[: rows - number + 1] = starts[number : rows + 1].copy() - first
    by_entry: list[Any] = [lanes.values, labelled.indices, labelled.values]
    for array in by_entry:
        array[: entries - first] = array[first:entries].copy()
    counts[REMEMBERED] -= number
    place_terms(models, np.unique(labelled.indices[: entries - first]).astype(np.int64))
    labelling.retrain(models, True, 0)
    if len(models.trees.features):  # trees know rows by their places, which have changed
        regrow(models)
    return models


def relabel(models: Models, row: int, code: int, sweeps: int) -> None:
    """Replace the class of a labelled row, and let all models learn from what is remembered."""
    lanes, counts = models.lanes, models.counts
    lanes.codes[row], lanes.duals[row] = code, 0.0  # dual variables are about the side of a class
    codes = lanes.codes[: counts[REMEMBERED]]
    if (codes != codes[0]).any():
        counts[SEVERAL] = 1
    elif counts[LABELS] == counts[REMEMBERED]:  # otherwise a forgotten row may have been of another class
        counts[SEVERAL] = 0
    labelling.retrain(models, True, sweeps)
    if counts[GROWN_AT]:
        regrow(models)


def regrow(models: Models) -> None:
    """Grow the whole forest from scratch."""
    with np.errstate(over="ignore"):  # 64-bit arithmetic is meant to wrap
        labelling.regrow(models)


def place_terms(models: "Models | PairModels", terms: NDArray[np.int64]) -> None:
    """Give these terms, which must be those of the labelled rows, places in the weights."""
    models.places[:] = 0
    models.places[terms] = np.arange(1, len(terms) + 1)
    models.vocabulary[1 : len(terms) + 1] = terms
    models.counts[PLACES] = len(terms) + 1
    entries = int(models.lanes.starts[models.counts[REMEMBERED]])
    models.lanes.places[:entries] = models.places[models.labelled.indices[:entries]]
