"""NumPy archives: CSR arrays `data, indices, indptr, shape`, or a dense `X`, with the labels in `y`.

An archive is compressed array by array, so it is loaded whole; everything else is read as a stream.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from askance.data.arrays import ArrayStream, read_arrays
from askance.data.files import listed, reason, shown, stem
from askance.errors import DataError

_CSR = ("data", "indices", "indptr", "shape")


def read_npz(
    path: Path,
    *,
    label: str | Literal[False] | None = None,
    dtype: str = "float32",
    chunk_rows: int = 2048,
    shuffle: int | None = None,
    view: int | None = None,
) -> ArrayStream:
    """The rows of an archive; `label` names the array with the labels, "y" unless said.

    Of an archive with several views of the same rows, `view1_data` and so on, the one numbered `view` is read.
    """
    prefix = "" if view is None else f"view{view}_"
    arrays = {key.removeprefix(prefix): array for key, array in _load(path, label, prefix).items()}
    y = None if label is False else _member(arrays, label or "y", path, "name the array of labels with label=")
    X = _member(arrays, "X", path) if "X" in arrays else _csr(arrays, path)
    stream = read_arrays(X, y, name=str(path), dtype=dtype, chunk_rows=chunk_rows, shuffle=shuffle)
    return replace(stream, name=stem(path))  # messages have named the path


def _load(path: Path, label: str | Literal[False] | None, prefix: str) -> dict[str, NDArray[Any] | None]:
    """The arrays that are needed; the others' names only, for messages."""
    needed = {*(prefix + key for key in (*_CSR, "format", "X")), label or "y"}
    with opened_archive(path, "X and y") as archive:
        return {key: archive[key] if key in needed else None for key in archive.files}


@contextmanager
def opened_archive(path: Path, content: str) -> Iterator[NpzFile]:
    """An archive of plain arrays; DataError if it is none, or damaged."""
    try:
        with path.open("rb") as file:
            archive = np.load(file, allow_pickle=False)
            if not isinstance(archive, NpzFile):
                raise DataError(f"{path}: is one bare array, not an archive: save {content} with numpy.savez")
            yield archive
    except DataError:
        raise
    except Exception as error:
        # Damaged bytes make zipfile, zlib and NumPy's header parser raise a dozen unrelated types.
        raise DataError(
            f"{path}: is no NumPy archive of plain arrays, or is damaged or cut off ({reason(error)[:200]}): "
            "make or fetch it again"
        ) from error


def _member(
    arrays: dict[str, NDArray[Any] | None],
    key: str,
    path: Path,
    remedy: str = "save it again with numpy.savez",
) -> NDArray[Any]:
    member = arrays.get(key)
    if member is None:
        raise DataError(
            f"{path}: there is no array {shown(key)} among {listed(arrays)}: {remedy}", parameter="label"
        )
    return member


def _csr(arrays: dict[str, NDArray[Any] | None], path: Path) -> sp.csr_array:
    data, indices, indptr, shape = (_member(arrays, key, path) for key in _CSR)
    stored_as = arrays.get("format")
    if stored_as is not None and stored_as.tolist() not in (b"csr", "csr"):
        raise DataError(f"{path}: holds a sparse matrix of format {shown(stored_as.tolist())}: save it as CSR")
    wrong = _what_is_wrong(data, indices, indptr, shape)
    if wrong:
        raise DataError(f"{path}: {wrong}: make or fetch the file again")
    return sp.csr_array((data, indices, indptr), shape=tuple(shape.tolist()))


def _what_is_wrong(
    data: NDArray[Any], indices: NDArray[Any], indptr: NDArray[Any], shape: NDArray[Any]
) -> str | None:
    """The first inconsistency among the arrays of a CSR matrix; SciPy would crash on some of them."""
    for name, array, kinds in (("data", data, "biuf"), ("indices", indices, "iu"), ("indptr", indptr, "iu")):
        if array.ndim != 1 or array.dtype.kind not in kinds:
            return f"'{name}' is an array of {array.dtype} with {array.ndim} dimensions, not a list of numbers"
    if shape.shape != (2,) or shape.dtype.kind not in "iu" or (shape < 0).any():
        return "'shape' is not two whole numbers"
    rows, features = shape.tolist()
    if features > np.iinfo(np.int32).max:
        return f"'shape' says {features} features, more than 2**31 - 1"
    if len(indptr) != rows + 1:
        return f"'indptr' has {len(indptr)} entries, not one more than the {rows} rows of 'shape'"
    if len(data) != len(indices):
        return f"'data' has {len(data)} entries but 'indices' has {len(indices)}"
    if indptr[0] != 0 or indptr[-1] != len(data):
        return f"'indptr' goes from {indptr[0]} to {indptr[-1]}, not from 0 to the {len(data)} entries of 'data'"
    if (indptr[1:] < indptr[:-1]).any():
        return f"'indptr' decreases after row {int(np.argmax(indptr[1:] < indptr[:-1]))} (from 0)"
    if len(indices) and not (indices.min() >= 0 and indices.max() < features):
        return f"'indices' go from {indices.min()} to {indices.max()}, outside the {features} features"
    return None
