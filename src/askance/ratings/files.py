"""Model files of factorisations."""

import itertools
import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from askance._util.atomic_write import write_whole
from askance._util.sealed_file import arrays_of, header_of, read, seal
from askance.errors import ModelFileError
from askance.ratings.biases import Leanings
from askance.ratings.calibration import Calibration
from askance.ratings.drift import Drift
from askance.ratings.ids import Ids, as_names
from askance.ratings.known import Known, Later
from askance.ratings.model import Factors, Model
from askance.ratings.observed import Observed
from askance.ratings.rank_search import Stage

if TYPE_CHECKING:
    from askance.ratings.factorization import MaxMarginFactorization

KIND = "ratings"
Arrays = dict[str, NDArray[Any]]


def save(model: "MaxMarginFactorization", path: str | os.PathLike[str]) -> None:
    """Write a fitted model: all of it or nothing, also if the machine stops half-way."""
    write_whole(path, to_bytes(model))


def load(path: str | os.PathLike[str]) -> "MaxMarginFactorization":
    """The model in a file; ModelFileError if it is damaged or holds something else."""
    content = read(path)
    try:
        return from_bytes(content)
    except ModelFileError as fault:
        raise ModelFileError(f"{path} {fault}") from None


def to_bytes(model: "MaxMarginFactorization") -> bytes:
    """The content of a model file."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model)
    parameters = {name: value for name, value in model.get_params().items() if name != "watch"}
    if parameters["levels"] is not None:
        parameters["levels"] = np.asarray(parameters["levels"], np.float64).tolist()
    inner, (fitted, later) = model._model, model._known
    arrays: Arrays = {
        "user_factors": model.user_factors_,
        "item_factors": model.item_factors_,
        "values": model.singular_values_,
        "thresholds": model.thresholds_,
        "levels": model.levels_,
        "offsets": inner.calibration.offsets,
        "user_leanings": inner.leanings.users,
        "item_leanings": inner.leanings.items,
        "fitted/starts": fitted.starts,
        "fitted/items": fitted.items,
        "fitted/levels": fitted.levels,
        **{f"later/{name}": array for name, array in later._asdict().items()},
        **_id_arrays("users", model.users_),
        **_id_arrays("items", model.items_),
    }
    header = {
        "kind": KIND,
        "parameters": parameters,
        "width": fitted.width,
        "slope": inner.calibration.slope,
        "tilt": inner.calibration.tilt,
        "mean": inner.leanings.mean,
        "path": model.path_,
        "objective": model.objective_,
        "iterations": model.n_iter_,
        "rmse": model.validation_rmse_,
        "drift": model.drift_,
    }
    return seal({name: np.ascontiguousarray(array) for name, array in arrays.items()}, header)


def from_bytes(content: bytes) -> "MaxMarginFactorization":
    """The model in the content of a file."""
    header = header_of(content)
    if header.get("kind") != KIND:
        raise ModelFileError("holds another kind of model, no factorisation of ratings")
    try:
        return _rebuilt(header, arrays_of(content))
    except ModelFileError:
        raise
    except Exception as error:
        # The checksum fits, so somebody made it so: whatever a header can be made to do, it must not get further.
        raise ModelFileError(
            f"holds what no factorisation can hold ({' '.join(str(error).split())[:100]})"
        ) from None


def _rebuilt(header: dict[str, Any], arrays: Arrays) -> "MaxMarginFactorization":
    from askance.ratings.factorization import MaxMarginFactorization

    model = MaxMarginFactorization(**header["parameters"])
    model._check()
    factors = Factors(
        _doubles(arrays, "user_factors", 2),
        _doubles(arrays, "item_factors", 2),
        _doubles(arrays, "values", 1),
        _doubles(arrays, "thresholds", 2),
    )
    levels, offsets = _doubles(arrays, "levels", 1), _doubles(arrays, "offsets", 1)
    users, items = (_ids(arrays, name) for name in ("users", "items"))
    known = Known(
        Observed(arrays["fitted/starts"], arrays["fitted/items"], arrays["fitted/levels"], int(header["width"])),
        Later(*(arrays[f"later/{name}"] for name in Later._fields)),
    )
    leanings = Leanings(
        float(header["mean"]), _doubles(arrays, "user_leanings", 1), _doubles(arrays, "item_leanings", 1)
    )
    _check_factors(factors, leanings, levels, offsets, (len(users), len(items)))
    _check_known(known, len(levels), (len(users), len(items)))
    model.rank_ = len(factors.values)
    model.path_ = tuple(Stage(*stage) for stage in header["path"])
    model.objective_, model.n_iter_ = float(header["objective"]), int(header["iterations"])
    model.validation_rmse_ = float(header["rmse"])
    model.levels_ = levels
    model.drift_ = _drift(*header["drift"])
    calibration = Calibration(float(header["slope"]), float(header["tilt"]), offsets)
    model._take(Model(factors, leanings, calibration, levels), known, Ids(users), Ids(items))
    return model


def _drift(fitted: int, rmse: float, later: int, judged: int, squares: float, fourths: float) -> Drift:
    return Drift(int(fitted), float(rmse), int(later), int(judged), float(squares), float(fourths))


def _doubles(arrays: Arrays, name: str, dimensions: int) -> NDArray[np.float64]:
    array = arrays[name]
    if array.dtype != np.float64 or array.ndim != dimensions or not np.isfinite(array).all():
        raise ModelFileError(f"has an array {name} that no factorisation can have")
    return array


def _check_factors(
    factors: Factors, leanings: Leanings, levels: NDArray[Any], offsets: NDArray[Any], shape: tuple[int, int]
) -> None:
    rank, steps = len(factors.values), len(levels) - 1
    sound = factors.users.shape == (shape[0], rank) and factors.items.shape == (shape[1], rank)
    sound &= (
        factors.thresholds.shape in ((1, steps), (shape[0], steps)) and offsets.shape == (steps,) and steps > 0
    )
    sound &= (len(leanings.users), len(leanings.items)) == shape
    if not sound or (np.diff(levels) <= 0).any():
        raise ModelFileError("has factors, thresholds and levels that do not fit together")


def _check_known(known: Known, levels: int, shape: tuple[int, int]) -> None:
    """Compiled code trusts these: ModelFileError if a number points outside."""
    fitted, later = known
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
    sound = (
        sound and not (np.diff(fitted.starts) < 0).any() and fitted.users <= shape[0] and fitted.width <= shape[1]
    )
    sound = (
        sound
        and len(fitted.items) == len(fitted.levels)
        and len(later.users) == len(later.items) == len(later.levels)
    )
    limits = (
        (fitted.items, fitted.width),
        (fitted.levels, levels),
        (later.users, shape[0]),
        (later.items, shape[1]),
    )
    for array, limit in (*limits, (later.levels, levels)):
        sound = sound and (not len(array) or (array.min() >= 0 and array.max() < limit))
    if not sound:
        raise ModelFileError("has ratings that do not fit together")


def _id_arrays(name: str, ids: NDArray[Any]) -> Arrays:
    """Whole numbers as they are; with text among them all as text, with where each ends and which are numbers."""
    if ids.dtype.kind in "iu":
        return {f"{name}/numbers": ids.astype(np.int64)}
    listed = ids.tolist()
    other = next((one for one in listed if type(one) not in (int, str)), None)
    if other is not None:
        raise ValueError(f"a model file holds ids that are whole numbers or text, not {other!r}")
    encoded = [str(one).encode("utf-8", "surrogatepass") for one in listed]
    return {
        f"{name}/text": np.frombuffer(b"".join(encoded), np.uint8),
        f"{name}/ends": np.cumsum([len(one) for one in encoded], dtype=np.int64),
        f"{name}/is_number": np.array([isinstance(one, int) for one in listed], np.uint8),
    }


def _ids(arrays: Arrays, name: str) -> NDArray[Any]:
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
