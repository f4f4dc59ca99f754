"""The core of an automatic learner as the content of a model file, and back, without scikit-learn.

The files are those of `AutoLearner`: each reads what the other wrote.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance._util.saving import Arrays, Header, matrix_of, numbers, rebuilt, sealed, take_features
from askance.auto.contents import COUNTS, FOREST, KIND, SCALES, contents, parameters_of
from askance.auto.core import AutoCore
from askance.auto.forgetting import RecentModels, Suspicion
from askance.auto.models import place_terms, with_classes, with_room
from askance.auto.rows import mixed
from askance.auto.settings import AutoSettings
from askance.errors import ModelFileError
from askance.jit.kernels import labelling
from askance.jit.kernels.doubt import RECENT, Past
from askance.jit.kernels.labelling import GROWN_AT, LABELS, PLACES, REMEMBERED, Models
from askance.jit.kernels.mixed import Mixed
from askance.jit.kernels.trees import link
from askance.learners.classes import MulticlassEncoder
from askance.learners.labels import as_labels


class _Features:
    """The number and the names of the features in a header."""

    n_features_in_: int


def encode(core: AutoCore, more: Header | None = None) -> bytes:
    """The content of a model file, with more in its header. The core must have been started."""
    assert core.widths is not None
    about: Header = {
        "kind": KIND,
        "parameters": parameters_of(core.settings),
        "n_features": sum(core.widths),
        "feature_names": None,
    }
    header, arrays = contents(core)
    return sealed({**about, **header, **(more or {})}, arrays)


def decode(content: bytes) -> AutoCore:
    """The core in the content of a model file; raises ModelFileError if it is damaged or holds something else."""
    return rebuilt(content, KIND, "an AutoLearner", _decoded)


def _decoded(header: Header, arrays: Arrays) -> AutoCore:
    core = AutoCore(AutoSettings(**header["parameters"]))
    fill(core, header, arrays, take_features(_Features(), header))
    return core


def fill(core: AutoCore, header: Header, arrays: Arrays, width: int) -> None:
    """Put what a file holds into a new core for rows with this many features."""
    X = _labelled(arrays, width)
    core.encoder = _encoder(header)
    core.start(X)
    _fill_scales(core.models, arrays)
    _fill_learned(core, header, arrays, X)
    if core.forgetting is not None and "forgetting" in header:
        _fill_recent(core, header["forgetting"], arrays, width)


def _fill_recent(core: AutoCore, header: Header, arrays: Arrays, width: int) -> None:
    """Put back the models that know only recent labels."""
    assert core.forgetting is not None
    core.forgetting.waiting = [(bool(right), float(chance)) for right, chance in header["waiting"]]
    core.forgetting.changes = [int(row) for row in header["changes"]]
    core.forgetting.spends = bool(header["spends"])
    labels, mistakes, evidence = (header["suspicion"][name] for name in ("labels", "mistakes", "evidence"))
    core.forgetting.suspicion = Suspicion(int(labels), int(mistakes), float(evidence))
    core.forgetting.suspects_until = int(header["suspects_until"])
    core.share_out()
    for place, about in enumerate(header["recent"]):
        prefix = f"recent/{place}/"
        own = {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
        recent = core.without_labels()
        recent.encoder = _encoder(about)
        _fill_learned(recent, about, own, _labelled(own, width))
        counts = (int(about[name]) for name in ("since", "wins", "losses"))
        core.forgetting.competing.append(RecentModels(recent, *counts))


def _fill_learned(core: AutoCore, header: Header, arrays: Arrays, X: Mixed) -> None:
    """Put back what models have learned, except the scales, which they must have."""
    core.unit_columns = int(header.get("unit_columns", 0))
    if not 0 <= core.unit_columns <= X.dense.shape[1]:
        raise ModelFileError(f"has vectors of {core.unit_columns} columns, but {X.dense.shape[1]} columns")
    recent, behind = numbers(arrays, "past/recent", (RECENT,)), numbers(arrays, "past/behind", (1,))
    core.past = Past(
        recent, numbers(arrays, "past/likeness", (RECENT,)), behind, _counts(arrays, "past/counts", 3)
    )
    core.models = with_classes(with_room(core.models, len(X.dense), len(X.values)), core.classes)
    _fill_rows(core, arrays, X)
    _fill_models(core.models, arrays)
    _fill_trees(core, arrays)


def _labelled(arrays: Arrays, width: int) -> Mixed:
    dense = numbers(arrays, "labelled/dense", (None, None))
    sparse = matrix_of(arrays, "labelled/sparse", width - dense.shape[1])
    if len(dense) != sparse.shape[0]:
        raise ModelFileError("has labelled rows of which one part is longer than the other")
    return mixed(dense, sparse)


def _fill_scales(models: Models, arrays: Arrays) -> None:
    for name in SCALES:
        array = getattr(models.scales, name)
        array[:] = numbers(arrays, f"scales/{name}", array.shape)
    for name in COUNTS:
        array = getattr(models.scales, name)
        array[:] = _counts(arrays, f"scales/{name}", len(array))


def _fill_rows(core: AutoCore, arrays: Arrays, X: Mixed) -> None:
    """Put the labelled rows back, and the features that follow from them."""
    models, rows, entries = core.models, len(X.dense), len(X.values)
    codes = _counts(arrays, "labelled/codes", rows)
    if (codes >= core.classes).any():
        raise ModelFileError(f"has labels of more than its {core.classes} classes")
    models.counts[:] = _counts(arrays, "counts", len(models.counts))
    terms = arrays["linear/terms"]
    if models.counts[REMEMBERED] != rows or models.counts[PLACES] != len(terms) + 1:
        raise ModelFileError("has other counts than rows")
    if models.counts[LABELS] < rows or models.counts[GROWN_AT] not in (0, models.counts[LABELS]):
        raise ModelFileError("has counts of labels that do not fit together")
    models.labelled.dense[:rows] = X.dense
    models.labelled.starts[: rows + 1] = models.lanes.starts[: rows + 1] = X.starts
    models.labelled.indices[:entries], models.labelled.values[:entries] = X.indices, X.values
    models.lanes.codes[:rows] = codes
    if not np.array_equal(np.unique(X.indices), np.sort(_counts(arrays, "linear/terms", len(terms)))):
        raise ModelFileError("has weights of other terms than those of its labelled rows")
    place_terms(models, terms)
    labelling.retrain(models, True, 0)


def _fill_models(models: Models, arrays: Arrays) -> None:
    lanes, places = models.lanes, int(models.counts[PLACES])
    width = lanes.duals.shape[1]
    lanes.duals[: models.counts[REMEMBERED]] = numbers(
        arrays, "linear/duals", (int(models.counts[REMEMBERED]), width)
    )
    lanes.dense_weights[:] = numbers(arrays, "linear/dense_weights", lanes.dense_weights.shape)
    lanes.weights[:places] = numbers(arrays, "linear/weights", (places, width))
    if lanes.weights[0].any():
        raise ModelFileError("has weights of a place without a term")
    mixture = models.mixture
    for name in ("losses", "weighted", "trust"):
        array = getattr(mixture, name)
        array[:] = numbers(arrays, f"mixture/{name}", array.shape)
    mixture.chosen[:] = _counts(arrays, "mixture/chosen", len(mixture.chosen))
    if (mixture.chosen >= mixture.losses.shape[1]).any():
        raise ModelFileError("has a temperature that does not exist")


def _fill_trees(core: AutoCore, arrays: Arrays) -> None:
    """Put the trees back, if following them leads to a leaf with rows: growing them relies on it."""
    models, rows = core.models, core.remembered
    found = {name: arrays[f"forest/{name}"] for name in FOREST}
    trees, room = models.trees.features.shape
    shape = trees, min(room, found["features"].shape[-1])
    for name, array in found.items():
        if array.dtype != getattr(models.trees, name).dtype or array.shape != shape or not shape[1]:
            raise ModelFileError("has trees of the wrong type or shape")
    features, thresholds, children, classes = found.values()
    places = np.arange(shape[1])
    leaf = (children == places) & (thresholds == np.inf)
    inner = (children > places) & (children < shape[1] - 1) & np.isfinite(thresholds)
    known = (
        (features >= 0) & (features < models.labelled.dense.shape[1]) & (classes >= 0) & (classes < core.classes)
    )
    if not ((leaf | inner) & known).all():
        raise ModelFileError("has trees that lead nowhere")
    for name, array in found.items():
        getattr(models.trees, name)[:, : shape[1]] = array
    link(models.labelled.dense[:rows], models.trees)
    used = places < models.trees.used[:, np.newaxis]
    if rows and (used & leaf & (models.trees.heads[:, : shape[1]] < 0)).any():
        raise ModelFileError("has trees with leaves to which no labelled row belongs")


def _encoder(header: Header) -> MulticlassEncoder:
    listed = header["observed"]
    observed = np.array(listed["values"], listed["dtype"])
    observed = as_labels(observed, len(observed))
    if len(np.unique(observed)) != len(observed):
        raise ModelFileError(f"has the classes {observed.tolist()!r:.60}, which are not different")
    return MulticlassEncoder(observed, np.dtype(np.float64))


def _counts(arrays: Arrays, name: str, length: int) -> NDArray[np.int64]:
    array: NDArray[Any] = arrays[name]
    if array.shape != (length,):
        raise ModelFileError(f"has an array {name!r} of the wrong shape")
    if array.dtype != np.int64 or (array < 0).any():
        raise ModelFileError(f"has an array {name!r} of the wrong type, or with negative counts")
    return array
