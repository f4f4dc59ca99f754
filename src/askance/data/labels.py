"""Labels as arrays: integers as int64, other numbers as float64, booleans as bool, strings as str."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.data.files import Where, shown
from askance.errors import DataError

# What stands in place of a label in a table that is to be labelled: also what R, pandas and spreadsheets write.
UNLABELLED = ("", "?", "NA", "#N/A", "<NA>", "NaN", "nan")
_KINDS = {bool: "boolean", int: "number", float: "number", str: "string"}


def label_kind(label: Any, place: str) -> str:
    """The kind of a label. The first label of a source decides the kind of all others."""
    if label is None:
        raise DataError(f"{place}: the label is missing: fill it in, leave the row out, or use askance label")
    kind = _KINDS.get(type(label))
    if kind is None:
        raise DataError(
            f"{place}: the label {shown(label)} is not a number, string or boolean: give one label per row"
        )
    return kind


def label_array(labels: Sequence[Any], kind: str, where: Where) -> NDArray[Any]:
    """Labels of this kind as an array."""
    types = set(map(type, labels))
    if any(_KINDS.get(other) != kind for other in types):
        row = next(row for row, label in enumerate(labels) if _KINDS.get(type(label)) != kind)
        found = label_kind(labels[row], where(row))
        raise DataError(
            f"{where(row)}: the label {shown(labels[row])} is a {found}, but those before it are {kind}s: "
            "use one kind"
        )
    if kind == "number":
        return _numbers(labels, np.int64 if types == {int} else np.float64, where)
    return np.array(labels, dtype=bool if kind == "boolean" else str)


def _numbers(labels: Sequence[Any], dtype: type[np.generic], where: Where) -> NDArray[Any]:
    try:
        numbers = np.array(labels, dtype=dtype)
    except OverflowError as error:
        raise DataError(
            f"{where(0)} and following: a label is too large for {dtype.__name__}: use smaller ones"
        ) from error
    return _finite(numbers, where)


def _finite(numbers: NDArray[Any], where: Where) -> NDArray[Any]:
    finite = np.isfinite(numbers)
    if not finite.all():
        row = int(np.argmin(finite))
        raise DataError(f"{where(row)}: the label {numbers[row]} is not a finite number: fix or drop the row")
    return numbers


def as_labels(y: Any, rows: int, name: str) -> NDArray[Any]:
    """Labels from an array, a series or a list, one per row."""

    def where(row: int) -> str:
        return f"{name}, row {row} (from 0)"

    labels = np.asarray(y)
    if labels.shape != (rows,):
        raise DataError(f"{name}: labels have the shape {labels.shape} for {rows} rows: give one label per row")
    if labels.dtype.kind not in "biufOUT":
        raise DataError(f"{name}: labels have the type {labels.dtype}: give numbers, strings or booleans")
    if labels.dtype.kind in "bUT":
        return labels if labels.dtype.kind == "b" else labels.astype(str)
    if labels.dtype.kind == "i" or (labels.dtype.kind == "u" and labels.max() <= np.iinfo(np.int64).max):
        return labels.astype(np.int64)
    if labels.dtype.kind == "f":
        return _finite(labels.astype(np.float64), where)
    values = [value.item() if isinstance(value, np.generic) else value for value in labels.tolist()]
    return label_array(values, label_kind(values[0], where(0)), where)
