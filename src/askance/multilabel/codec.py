"""The core of a learner of several labels as the content of a model file, and back, without scikit-learn.

The files are those of `MultiLabelLearner`: each reads what the other wrote.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance._util.saving import Arrays, Header, matrix_of, numbers, rebuilt, sealed, take_features
from askance.auto.contents import COUNTS, SCALES
from askance.auto.models import place_terms
from askance.auto.rows import mixed
from askance.errors import ModelFileError
from askance.jit.kernels import pairs
from askance.jit.kernels.labelling import PLACES, REMEMBERED
from askance.jit.kernels.pairs import LEARNED
from askance.multilabel.contents import KIND, contents
from askance.multilabel.core import MultiLabelCore
from askance.multilabel.labels import as_names
from askance.multilabel.models import with_room
from askance.multilabel.settings import MultiLabelSettings


class _Features:
    """The number and the names of the features in a header."""

    n_features_in_: int


def encode(core: MultiLabelCore, more: Header | None = None, name_of: Callable[[Any], Any] | None = None) -> bytes:
    """The content of a model file, with more in its header. Labels can have other names there."""
    assert core.widths is not None
    header, arrays = contents(core)
    names = core.names if name_of is None else [name_of(name) for name in core.names]
    known = core.settings.classes
    classes = None if known is None else names[: len(known)]  # which were the first to be known
    about: Header = {
        "kind": KIND,
        "parameters": {**core.settings._asdict(), "classes": classes},
        "n_features": sum(core.widths),
        "feature_names": None,
    }
    return sealed({**about, **header, "names": names, **(more or {})}, arrays)


def decode(content: bytes) -> MultiLabelCore:
    """The core in the content of a model file; raises ModelFileError if it is damaged or holds something else."""
    return rebuilt(content, KIND, "a MultiLabelLearner", _decoded)


def _decoded(header: Header, arrays: Arrays) -> MultiLabelCore:
    core = MultiLabelCore(MultiLabelSettings(**header["parameters"]))
    core.add_labels(as_names(core.settings.classes or ()))
    fill(core, header, arrays, take_features(_Features(), header))
    return core


def fill(core: MultiLabelCore, header: Header, arrays: Arrays, width: int) -> None:
    """Put what a file holds into a new core for rows with this many features."""
    names = as_names(header["names"])
    if names[: len(core.names)] != core.names:
        raise ModelFileError("has other labels than its parameters say")
    core.add_labels(names[len(core.names) :])
    core.unit_columns = int(header.get("unit_columns", 0))
    dense = numbers(arrays, "labelled/dense", (None, None))
    sparse = matrix_of(arrays, "labelled/sparse", width - dense.shape[1])
    if len(dense) != sparse.shape[0]:
        raise ModelFileError("has labelled rows of which one part is longer than the other")
    if not 0 <= core.unit_columns <= dense.shape[1]:
        raise ModelFileError(f"has vectors of {core.unit_columns} columns, but {dense.shape[1]} columns")
    X = mixed(dense, sparse)
    core.start(X)
    for name in (*SCALES, *COUNTS):
        _take(getattr(core.models.scales, name), arrays, f"scales/{name}")
    for part in ("thresholds", "questions"):
        for name, array in getattr(core, part)._asdict().items():
            _take(array, arrays, f"{part}/{name}")
    core.models = with_room(core.models, len(dense), len(X.values))
    _fill_rows(core, arrays, X)
    _fill_weights(core, arrays)


def _fill_rows(core: MultiLabelCore, arrays: Arrays, X: Any) -> None:
    """Put the labelled rows back, and the features that follow from them."""
    models, rows, entries = core.models, len(X.dense), len(X.values)
    _take(models.counts, arrays, "counts")
    terms = np.zeros(len(arrays["linear/terms"]), np.int64)
    _take(terms, arrays, "linear/terms")
    if models.counts[REMEMBERED] != rows or models.counts[PLACES] != len(terms) + 1:
        raise ModelFileError("has other counts than rows")
    if models.counts[LEARNED] < rows or not np.array_equal(np.unique(X.indices), np.sort(terms)):
        raise ModelFileError("has weights of other terms than those of its labelled rows")
    models.labelled.dense[:rows] = X.dense
    models.labelled.starts[: rows + 1] = models.lanes.starts[: rows + 1] = X.starts
    models.labelled.indices[:entries], models.labelled.values[:entries] = X.indices, X.values
    _take(models.lanes.sides[:rows], arrays, "labelled/sides", least=-1)
    _take(models.whole[:rows], arrays, "labelled/whole")
    if (models.lanes.sides > 1).any():
        raise ModelFileError("has sides of labels other than -1, 0 and 1")
    place_terms(models, terms)
    pairs.retrain(models, True, 0)


def _fill_weights(core: MultiLabelCore, arrays: Arrays) -> None:
    lanes, places = core.models.lanes, int(core.models.counts[PLACES])
    _take(lanes.duals[: core.remembered], arrays, "linear/duals")
    _take(lanes.dense_weights, arrays, "linear/dense_weights")
    _take(lanes.weights[:places], arrays, "linear/weights")
    if lanes.weights[0].any():
        raise ModelFileError("has weights of a place without a term")


def _take(own: NDArray[Any], arrays: Arrays, name: str, least: int = 0) -> None:
    """Fill an array with that of a file, which must have its type and shape, and finite values."""
    found = arrays[name]
    if found.dtype != own.dtype or found.shape != own.shape:
        raise ModelFileError(f"has an array {name!r} of the wrong type or shape")
    if own.dtype.kind == "f" and not np.isfinite(found).all():
        raise ModelFileError(f"has an array {name!r} with NaN or infinity")
    if own.dtype.kind == "i" and (found < least).any():
        raise ModelFileError(f"has an array {name!r} with negative numbers")
    own[...] = found
