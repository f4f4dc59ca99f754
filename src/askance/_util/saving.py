"""Saving fitted estimators: numbers with a checksum, no pickle, so that reading a file runs no code."""

import os
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from askance._util.atomic_write import write_whole
from askance._util.sealed_file import arrays_of, header_of, seal
from askance.errors import ModelFileError
from askance.typing import FloatArray

Header = dict[str, Any]
Arrays = dict[str, NDArray[Any]]
Estimator = TypeVar("Estimator")


class SaveMixin:
    """Adds `save` to an estimator that implements `_to_file`."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted estimator to a file, completely or not at all.

        `askance.load` reads the file. It holds numbers, text and a checksum, and no code.

        Parameters
        ----------
        path : str or os.PathLike
            The file to write. An existing file is replaced.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            If the estimator is not fitted.
        ValueError
            If the estimator holds something that a file cannot hold.
        """
        write_whole(path, to_bytes(self))

    def _to_file(self) -> tuple[Header, Arrays]:
        """The header, with its "kind", and the arrays."""
        raise NotImplementedError


# ----------------------------------------------------------------------------------------------------------
# writing


def to_bytes(estimator: SaveMixin) -> bytes:
    """The content of a file with a fitted estimator."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(estimator, msg="This %(name)s is not fitted yet: call fit before save.")
    return sealed(*estimator._to_file())


def sealed(header: Header, arrays: Arrays) -> bytes:
    """The content of a file with this header and these arrays."""
    # The order in memory decides the last bits of matrix products, so it is part of the file.
    by_column = [
        name for name, array in arrays.items() if array.flags.f_contiguous and not array.flags.c_contiguous
    ]
    return seal(
        {name: np.ascontiguousarray(array) for name, array in arrays.items()}, {**header, "by_column": by_column}
    )


def plain_parameters(estimator: Any, without: Collection[str] = ()) -> dict[str, Any]:
    """The parameters of an estimator for a header, except some; NumPy's numbers become Python's."""
    parameters = estimator.get_params(deep=False)
    return plain_values({name: value for name, value in parameters.items() if name not in without})


def plain_values(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters for a header: NumPy's numbers become Python's."""
    return {name: value.item() if isinstance(value, np.generic) else value for name, value in parameters.items()}


def class_list(classes: NDArray[Any]) -> dict[str, Any]:
    """Class labels for a header."""
    if classes.dtype.kind not in "biufU":
        raise ValueError(f"a model file holds classes that are numbers, text or booleans, not {classes.dtype}")
    return {"dtype": classes.dtype.str, "values": classes.tolist()}


def matrix_arrays(name: str, matrix: Any) -> Arrays:
    """A dense or CSR matrix as arrays."""
    if not sp.issparse(matrix):
        return {name: np.asarray(matrix)}
    return {
        f"{name}/data": matrix.data,
        f"{name}/indices": matrix.indices,
        f"{name}/indptr": matrix.indptr,
        f"{name}/shape": np.array(matrix.shape, np.int64),
    }


# ----------------------------------------------------------------------------------------------------------
# reading


def rebuilt(content: bytes, kind: str, what: str, build: Callable[[Header, Arrays], Estimator]) -> Estimator:
    """What `build` makes of the header and arrays of a file; raises ModelFileError if it cannot be right."""
    header = header_of(content)
    if header.get("kind") != kind:
        raise ModelFileError(f"holds another kind of model, not {what}")
    try:
        by_column = set(header.pop("by_column"))
        arrays = arrays_of(content)
        return build(
            header,
            {name: np.asfortranarray(array) if name in by_column else array for name, array in arrays.items()},
        )
    except ModelFileError:
        raise
    except Exception as error:
        # The checksum is right, so the file was forged: no error of a forged header may get further than this.
        raise ModelFileError(
            f"holds values that {what} cannot have ({' '.join(str(error).split())[:100]})"
        ) from None


def numbers(arrays: Arrays, name: str, shape: tuple[int | None, ...], *, finite: bool = True) -> FloatArray:
    """A float64 array of this shape, in which None allows any length."""
    array = arrays[name]
    fits = array.ndim == len(shape) and all(
        wanted in (None, found) for wanted, found in zip(shape, array.shape, strict=True)
    )
    if array.dtype != np.float64 or not fits or (finite and not np.isfinite(array).all()):
        raise ModelFileError(f"has an array {name!r} of the wrong type or shape, or with NaN or infinity")
    return array


def class_array(listed: dict[str, Any], least: int = 2) -> NDArray[Any]:
    """The class labels in a header, which must be sorted and different."""
    classes = np.array(listed["values"], listed["dtype"])
    if classes.ndim != 1 or classes.dtype.kind not in "biufU" or len(classes) < least:
        raise ModelFileError(f"has the classes {classes.tolist()!r:.60}: there must be {least} or more")
    if not np.array_equal(np.unique(classes), classes):
        raise ModelFileError(f"has the classes {classes.tolist()!r:.60}, which are not sorted and different")
    return classes


def matrix_of(arrays: Arrays, name: str, columns: int) -> Any:
    """The dense or CSR matrix in arrays."""
    if name in arrays:
        return numbers(arrays, name, (None, columns))
    parts = (numbers(arrays, f"{name}/data", (None,)), arrays[f"{name}/indices"], arrays[f"{name}/indptr"])
    matrix = sp.csr_array(parts, shape=tuple(arrays[f"{name}/shape"].tolist()))
    matrix.check_format(full_check=True)
    if matrix.shape[1] != columns:
        raise ModelFileError(f"has a matrix {name!r} with {matrix.shape[1]} columns instead of {columns}")
    return matrix


def take_features(estimator: Any, header: Header) -> int:
    """Set the number and the names of features of an estimator from a header; returns the number."""
    count, names = header["n_features"], header["feature_names"]
    if type(count) is not int or count < 1:
        raise ModelFileError(f"has {count!r} features: there must be 1 or more")
    estimator.n_features_in_ = count
    if names is not None:
        if len(names) != count or not all(isinstance(name, str) for name in names):
            raise ModelFileError(f"has names of features that do not match its {count} features")
        estimator.feature_names_in_ = np.array(names, object)
    return count
