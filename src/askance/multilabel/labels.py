"""Labels of rows as they come: sets of names, indicator matrices, or what is known of single labels."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Sides = NDArray[np.int8]


class Known(NamedTuple):
    """What is known of rows: new labels, the sides of old and new ones, and of which rows all labels are known."""

    new: list[Any]
    sides: Sides  # rows × labels: +1 if the row carries the label, -1 if it does not, 0 if that is unknown
    whole: NDArray[np.bool_]


def as_names(values: Iterable[Any]) -> list[Any]:
    """Different names of one kind, text or whole numbers; ValueError for others."""
    names = _plain(values)
    if len(set(names)) != len(names):
        raise ValueError(f"classes must be different, but one occurs twice in {_shown(names)}")
    return names


def as_known(Y: Any, rows: int, names: Sequence[Any], classes: Sequence[Any] | None = None) -> Known:
    """What `Y` says about rows whose labels so far are `names`; an indicator matrix has columns for `classes`."""
    if Y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    if isinstance(Y, str | bytes | Mapping):
        raise ValueError("Y must hold the labels of every row: a list of lists, or an indicator matrix")
    if sp.issparse(Y) or (isinstance(Y, np.ndarray) and Y.dtype != object) or hasattr(Y, "iloc"):
        return _of_indicators(Y, rows, names, classes)
    given = list(Y)
    if len(given) != rows:
        raise ValueError(f"X has {rows} rows but Y has {len(given)}: lengths must match")
    carried = [_carried(one, place) for place, one in enumerate(given)]
    new = _new_names([name for one in carried for name in one], names)
    place_of = {name: place for place, name in enumerate([*names, *new])}
    whole = np.array([not isinstance(one, Mapping) for one in given], bool)
    sides = np.where(whole[:, np.newaxis], np.int8(-1), np.int8(0)).repeat(len(place_of), axis=1)
    for row, one in enumerate(carried):
        for name, side in one.items():
            sides[row, place_of[name]] = side
    return Known(new, sides, whole)


def _carried(one: Any, row: int) -> dict[Any, int]:
    """The sides of the labels that are named of one row."""
    if isinstance(one, Mapping):
        if not all(isinstance(value, bool | np.bool_) for value in one.values()):
            raise ValueError(f"row {row} of Y must say True or False of every label, not {_shown(one)}")
        return dict(zip(_plain(one), (1 if value else -1 for value in one.values()), strict=True))
    if isinstance(one, str | bytes) or not isinstance(one, Iterable):
        raise ValueError(f"row {row} of Y must be a list of labels, not {one!r:.60}: put a single label in a list")
    return dict.fromkeys(_plain(one), 1)


def _of_indicators(Y: Any, rows: int, names: Sequence[Any], classes: Sequence[Any] | None) -> Known:
    columns = list(Y.columns) if hasattr(Y, "iloc") and hasattr(Y, "columns") else None
    matrix = np.asarray(Y.toarray() if sp.issparse(Y) else Y)
    if matrix.ndim != 2:
        raise ValueError(
            f"Y must be an indicator matrix or a list of lists of labels, not of shape {matrix.shape}"
        )
    if len(matrix) != rows:
        raise ValueError(f"X has {rows} rows but Y has {len(matrix)}: lengths must match")
    if matrix.dtype.kind not in "biuf" or not np.isin(matrix, (0, 1)).all():
        raise ValueError("an indicator matrix holds 0 and 1 alone: use a list of lists for names of labels")
    of_columns = as_names(classes if classes is not None else columns or names or range(matrix.shape[1]))
    if len(of_columns) != matrix.shape[1]:
        raise ValueError(
            f"Y has {matrix.shape[1]} columns for {len(of_columns)} labels: they must match, so give classes"
        )
    new = _new_names(of_columns, names)
    place_of = {name: place for place, name in enumerate([*names, *new])}
    sides = np.full((rows, len(place_of)), -1, np.int8)
    sides[:, [place_of[name] for name in of_columns]] = np.where(matrix != 0, 1, -1)
    return Known(new, sides, np.ones(rows, bool))


def _new_names(found: Iterable[Any], names: Sequence[Any]) -> list[Any]:
    """Names that are not known yet, sorted."""
    new = sorted(set(found) - set(names))
    _plain([*names[:1], *new])  # of one kind
    return new


def _plain(values: Iterable[Any]) -> list[Any]:
    """Names as Python's own, of one kind."""
    names = [value.item() if isinstance(value, np.generic) else value for value in values]
    if all(isinstance(name, str) for name in names):
        return names
    if all(isinstance(name, int) and not isinstance(name, bool) for name in names):
        return names
    raise ValueError(f"labels must all be text, or all whole numbers, not {_shown(names)}")


def _shown(values: Any) -> str:
    return f"{values!r:.60}"
