"""Model files of factorisations of ratings: reading."""

import itertools
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance._util.saving import Arrays, Header, numbers, rebuilt
from askance._util.sealed_file import read
from askance.errors import ModelFileError
from askance.ratings.biases import Biases
from askance.ratings.calibration import Calibration
from askance.ratings.contents import KIND
from askance.ratings.drift import Drift
from askance.ratings.factorization import MaxMarginFactorization
from askance.ratings.fitting import FitStep
from askance.ratings.ids import Ids, as_names
from askance.ratings.model import Factors, Model
from askance.ratings.parameters import check
from askance.ratings.rank_search import Stage
from askance.ratings.rating_matrix import RatingMatrix
from askance.ratings.stored_ratings import LaterRatings, StoredRatings


def load(path: str | os.PathLike[str]) -> MaxMarginFactorization:
    """The model in a file; raises ModelFileError if it is damaged or holds something else."""
    content = read(path)
    try:
        return from_bytes(content)
    except ModelFileError as error:
        raise ModelFileError(f"{path} {error}") from None


def from_bytes(content: bytes) -> MaxMarginFactorization:
    """The model in the content of a file."""
    return rebuilt(content, KIND, "a factorisation of ratings", _rebuilt)


def _rebuilt(header: Header, arrays: Arrays) -> MaxMarginFactorization:
    model = MaxMarginFactorization(**header["parameters"])
    check(model)
    factors = Factors(
        numbers(arrays, "user_factors", (None, None)),
        numbers(arrays, "item_factors", (None, None)),
        numbers(arrays, "values", (None,)),
        numbers(arrays, "thresholds", (None, None)),
    )
    levels, offsets = numbers(arrays, "levels", (None,)), numbers(arrays, "offsets", (None,))
    users, items = (_ids(arrays, name) for name in ("users", "items"))
    ratings = StoredRatings(
        RatingMatrix(
            arrays["fitted/starts"], arrays["fitted/items"], arrays["fitted/levels"], int(header["n_items"])
        ),
        LaterRatings(*(arrays[f"later/{name}"] for name in LaterRatings._fields)),
    )
    biases = Biases(
        float(header["mean"]), numbers(arrays, "user_biases", (None,)), numbers(arrays, "item_biases", (None,))
    )
    _check_factors(factors, biases, levels, offsets, (len(users), len(items)))
    _check_ratings(ratings, len(levels), (len(users), len(items)))
    model.rank_ = len(factors.values)
    model.path_ = tuple(Stage(*stage) for stage in header["path"])
    model.steps_ = tuple(FitStep(*step) for step in header["steps"])
    model.objective_, model.n_iter_ = float(header["objective"]), int(header["iterations"])
    model.validation_rmse_ = float(header["rmse"])
    model.levels_ = levels
    model.drift_ = _drift(*header["drift"])
    calibration = Calibration(float(header["slope"]), float(header["bias_weight"]), offsets)
    model._take(Model(factors, biases, calibration, levels), ratings, Ids(users), Ids(items))
    return model


def _drift(fitted: int, rmse: float, later: int, judged: int, squares: float, fourths: float) -> Drift:
    return Drift(int(fitted), float(rmse), int(later), int(judged), float(squares), float(fourths))


def _check_factors(
    factors: Factors, biases: Biases, levels: NDArray[Any], offsets: NDArray[Any], shape: tuple[int, int]
) -> None:
    rank, steps = len(factors.values), len(levels) - 1
    sound = factors.users.shape == (shape[0], rank) and factors.items.shape == (shape[1], rank)
    sound &= (
        factors.thresholds.shape in ((1, steps), (shape[0], steps)) and offsets.shape == (steps,) and steps > 0
    )
    sound &= (len(biases.users), len(biases.items)) == shape
    if not sound or (np.diff(levels) <= 0).any():
        raise ModelFileError("has factors, thresholds and levels that do not match each other")


def _check_ratings(ratings: StoredRatings, levels: int, shape: tuple[int, int]) -> None:
    """Raise ModelFileError if a number is out of range: compiled code does not check."""
    fitted, later = ratings
    kinds = np.int64, np.int32, np.uint8, np.int32, np.int32, np.uint8
    arrays: list[NDArray[Any]] = [
        fitted.starts,
        fitted.items,
        fitted.levels,
        later.users,
        later.items,
        later.levels,
    ]
    sound = all(array.dtype == kind and array.ndim == 1 for array, kind in zip(arrays, kinds, strict=True))
    sound = sound and len(fitted.starts) >= 1 and fitted.starts[0] == 0 and fitted.starts[-1] == len(fitted.items)
    sound = sound and not (np.diff(fitted.starts) < 0).any()
    sound = sound and fitted.n_users <= shape[0] and fitted.n_items <= shape[1]
    sound = (
        sound
        and len(fitted.items) == len(fitted.levels)
        and len(later.users) == len(later.items) == len(later.levels)
    )
    limits = (
        (fitted.items, fitted.n_items),
        (fitted.levels, levels),
        (later.users, shape[0]),
        (later.items, shape[1]),
    )
    for array, limit in (*limits, (later.levels, levels)):
        sound = sound and (not len(array) or (array.min() >= 0 and array.max() < limit))
    if not sound:
        raise ModelFileError("has ratings that do not match each other")


def _ids(arrays: Arrays, name: str) -> NDArray[Any]:
    """The ids that `Ids.as_arrays` wrote."""
    if f"{name}/numbers" in arrays:
        ids = arrays[f"{name}/numbers"]
    else:
        text, ends = arrays[f"{name}/text"].tobytes(), arrays[f"{name}/ends"].tolist()
        words = [text[start:end].decode("utf-8", "surrogatepass") for start, end in itertools.pairwise([0, *ends])]
        numbers = arrays[f"{name}/is_number"].tolist()
        ids = as_names([int(word) if number else word for word, number in zip(words, numbers, strict=True)], name)
    if ids.ndim != 1 or len(set(ids.tolist())) != len(ids):
        raise ModelFileError(f"has the same id twice among its {name}")
    return ids
