"""Model files of `AutoLearner`: reading."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance._util.saving import Arrays, Header, matrix_of, numbers, rebuilt, take_features
from askance.auto.core import AutoCore
from askance.auto.features import Columns
from askance.auto.learner import KIND, AutoLearner
from askance.auto.models import TREES, Forest
from askance.auto.rows import plain
from askance.errors import ModelFileError
from askance.jit.kernels.doubt import RECENT, Past
from askance.jit.kernels.trees import Trees
from askance.learners.classes import MulticlassEncoder
from askance.learners.labels import as_labels

COUNTS = ("past/counts", "features/rows", "features/frequencies", "labelled/codes", "linear/features")


def from_bytes(content: bytes) -> AutoLearner:
    """The learner in the content of a file; raises ModelFileError if it is damaged or holds something else."""
    return rebuilt(content, KIND, "an AutoLearner", _rebuilt)


def _rebuilt(header: Header, arrays: Arrays) -> AutoLearner:
    learner = AutoLearner(**header["parameters"])
    width = take_features(learner, header)
    for name in set(COUNTS) & set(arrays):
        _check_counts(name, arrays[name])
    core = learner._started()
    X = plain(matrix_of(arrays, "labelled/X", width))
    core.start(X)
    core.encoder = _encoder(header)
    core.next_refresh = _count(header["next_refresh"])
    recent, behind = numbers(arrays, "past/recent", (RECENT,)), numbers(arrays, "past/behind", (1,))
    core.past = Past(recent, behind, _counts(arrays, "past/counts", 3))
    _fill_features(core, header, arrays, width)
    _fill_models(core, header, arrays, X)
    return learner


def _fill_features(core: AutoCore, header: Header, arrays: Arrays, width: int) -> None:
    features = core.features
    features.rows = _counts(arrays, "features/rows", 1)
    if isinstance(features, Columns):
        for name in ("means", "squares", "centres", "scales"):
            setattr(features, name, numbers(arrays, f"features/{name}", (width,)))
    else:
        features.frequencies = _counts(arrays, "features/frequencies", width)
        features.weights = numbers(arrays, "features/weights", (width,))
        features.are_counts, features.takes_logs = (bool(flag) for flag in header["flags"])


def _fill_models(core: AutoCore, header: Header, arrays: Arrays, X: Any) -> None:
    classes = max(2, len(core.encoder.observed))
    codes = _counts(arrays, "labelled/codes", X.shape[0])
    if (codes >= classes).any():
        raise ModelFileError(f"has labels of more than its {classes} classes")
    core.labelled.extend(X, codes)
    core.linear.restore(
        core.features.rows_of(X),
        codes,
        classes,
        {
            "features": _places(arrays["linear/features"], core.features.width),
            "weights": numbers(arrays, "linear/weights", (None, None)),
            "duals": numbers(arrays, "linear/duals", (X.shape[0], None)),
        },
    )
    for name in ("losses", "weighted"):
        setattr(core.mixture, name, numbers(arrays, f"mixture/{name}", core.mixture.losses.shape))
    if core.forest is not None:
        core.forest.grown_on = _count(header["grown_on"])
        core.forest.trees = _trees(arrays, core.forest, X.shape[1], classes)


def _trees(arrays: Arrays, forest: Forest, width: int, classes: int) -> Trees:
    """The trees, if following them leads to a leaf: children come after their parent."""
    trees = Trees(*(arrays[f"forest/{name}"] for name in Trees._fields))
    nodes = trees.features.shape[1]
    types = [array.dtype for array in trees] == [np.int32, np.float64, np.int32]
    shapes = all(array.shape == (TREES, nodes) for array in trees)
    if not types or not shapes or not np.isfinite(trees.thresholds).all():
        raise ModelFileError("has trees of the wrong type or shape")
    inner = trees.features >= 0
    later = (trees.children > np.arange(nodes)) & (trees.children < nodes - 1)
    if forest.grown_on and not ((trees.features < width) & (trees.features >= -classes) & (later | ~inner)).all():
        raise ModelFileError("has trees that lead nowhere")
    return trees


def _encoder(header: Header) -> MulticlassEncoder:
    listed = header["observed"]
    observed = np.array(listed["values"], listed["dtype"])
    observed = as_labels(observed, len(observed))
    if len(np.unique(observed)) != len(observed):
        raise ModelFileError(f"has the classes {observed.tolist()!r:.60}, which are not different")
    return MulticlassEncoder(observed, np.dtype(np.float64))


def _counts(arrays: Arrays, name: str, length: int) -> NDArray[np.int64]:
    if arrays[name].shape != (length,):
        raise ModelFileError(f"has an array {name!r} of the wrong shape")
    return arrays[name]


def _check_counts(name: str, array: NDArray[Any]) -> None:
    if array.dtype != np.int64 or (array < 0).any():
        raise ModelFileError(f"has an array {name!r} of the wrong type, or with negative counts")


def _places(features: NDArray[Any], width: int) -> NDArray[np.int64]:
    if features.ndim != 1 or not len(features) or features.dtype != np.int64 or (features >= width).any():
        raise ModelFileError(f"has weights of features beyond its {width} features")
    return features


def _count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ModelFileError(f"has a count of {value!r}: there must be 0 or more")
    return value
