"""Checks of labels and classes.

Of two classes, the larger one in sorted order is positive. A stream may show only one class for a long time. Its
sign is then known only if the class belongs to a usual pair, such as 0 and 1, or if the classes were given.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

USUAL_NEGATIVES = (-1, 0)
USUAL_POSITIVE = 1
NUMBERS = bool | int | float | np.number | np.bool_
# Labels with decimals are numbers to predict if there are more different ones, both in all and per row.
MOST_FRACTIONS, ROWS_PER_FRACTION = 10, 4


def as_classes(values: Sequence[Any] | NDArray[Any], *, many: bool = False) -> NDArray[Any]:
    """Two given classes, or `many`, sorted."""
    try:
        classes = np.unique(as_labels(list(values), len(values)))
    except (TypeError, ValueError):
        classes = np.empty(0)
    different = len(classes) >= 2 and len(classes) == len(values) if many else len(classes) == 2
    if not different or isinstance(values, str):
        count = "two or more" if many else "two"
        raise ValueError(f"classes must hold {count} different values of one kind, not {values!r}")
    return classes


def as_labels(y: ArrayLike, rows: int) -> NDArray[Any]:
    """`y` as an array of one label per row."""
    labels = np.asarray(y)
    if labels.dtype.kind == "U" and isinstance(y, list | tuple) and not all(_is_text(one) for one in y):
        text = next(label for label in y if _is_text(label))
        raise ValueError(f"y mixes text like {text!r} with labels of other kinds: use one kind")
    if labels.dtype.kind in "OT":
        labels = _of_one_kind(labels)
    if labels.dtype.kind not in "biufU":
        raise ValueError(f"labels must be numbers, text or booleans, not {labels.dtype}")
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ValueError(f"y must hold one label per row, not an array of shape {labels.shape}")
    if len(labels) != rows:
        raise ValueError(f"X has {rows} rows but y has {len(labels)} labels: lengths must match")
    if labels.dtype.kind == "f":
        _check_are_classes(labels)
    return labels


def _check_are_classes(labels: NDArray[np.floating[Any]]) -> None:
    """Raise ValueError if labels are not finite, or look like numbers to predict."""
    if not np.isfinite(labels).all():
        raise ValueError(f"y has NaN or infinity at row {np.flatnonzero(~np.isfinite(labels))[0]}")
    if (labels % 1 != 0).any():
        different = np.unique(labels)
        if len(different) > max(MOST_FRACTIONS, len(labels) / ROWS_PER_FRACTION):
            raise ValueError(
                f"Unknown label type: y looks like numbers to predict ({_listed(different)}), as in regression: "
                "this learns classes, so turn the numbers into classes first"
            )


def _is_text(label: Any) -> bool:
    """Whether a label is text, or a list or an array of text."""
    return isinstance(label, str) or np.asarray(label).dtype.kind == "U"


def _of_one_kind(objects: NDArray[Any]) -> NDArray[Any]:
    """Labels that came as Python objects, as from a column of a data frame, or as NumPy's StringDType."""
    values = objects.ravel().tolist()
    if all(isinstance(value, str) for value in values):
        return np.array(values, str).reshape(objects.shape)
    if all(isinstance(value, NUMBERS) for value in values):
        return np.array(values).reshape(objects.shape)
    raise ValueError(
        f"y mixes labels of different kinds, or holds values that are not labels, such as {_odd_one(values)!r}"
    )


def _odd_one(values: list[Any]) -> Any:
    """The first value that is not a label; if all are, the first of another kind than those before."""
    for value in values:
        if not isinstance(value, str | NUMBERS) or value != value:
            return value
    return next(value for value in values if isinstance(value, str) != isinstance(values[0], str))


def distinct(labels: NDArray[Any], known: NDArray[Any]) -> NDArray[Any]:
    """The classes in `known` and in `labels`, sorted; ValueError if there are more than two."""
    if len(known) == 2 and labels.dtype.kind == known.dtype.kind and _all_in(labels, known):
        return known
    if labels.dtype.kind in "biuf" and len(labels):
        found = np.array([labels.min(), labels.max()])  # much faster than sorting a million labels
        if not _all_in(labels, found):
            found = labels
    else:
        found = labels
    if len(known) and len(found) and (known.dtype.kind in "US") != (found.dtype.kind in "US"):
        raise ValueError(f"y has the labels {_listed(np.unique(found))}, but the classes are {_listed(known)}")
    try:
        both = np.unique(np.concatenate([known, found])) if len(known) else np.unique(found)
    except TypeError:
        raise ValueError("y mixes labels of different kinds, which have no order") from None
    if len(both) > 2:
        raise ValueError(
            f"Only binary classification is supported. y has {len(both)} classes: {_listed(both)}; "
            "for more than two use Learner(multiclass=True) or a multiclass name such as MPAA-II"
            if not len(known)
            else f"unknown class {_listed(np.setdiff1d(both, known))} in y: the classes are {_listed(known)}, "
            "so drop such rows or map their labels to one of these"
        )
    return both


def pair(observed: NDArray[Any]) -> NDArray[Any]:
    """Both classes, where `observed` may hold only one of a usual pair (-1/+1, 0/1, False/True)."""
    if len(observed) == 2:
        return observed
    if not len(observed):
        return np.array([USUAL_NEGATIVES[0], USUAL_POSITIVE])
    only = observed.tolist()[0]
    if only == USUAL_POSITIVE:
        negative = False if observed.dtype.kind == "b" else USUAL_NEGATIVES[0]
        return np.array([negative, only], observed.dtype if observed.dtype.kind != "u" else np.int64)
    if only in USUAL_NEGATIVES:
        return np.array([only, USUAL_POSITIVE], observed.dtype)
    raise ValueError(
        f"only the class {only!r} has been seen, so the other is unknown: pass both, as in classes=[..., {only!r}]"
    )


def signs(labels: NDArray[Any], classes: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """+1 where the label is the larger class, else -1."""
    positive: NDArray[np.bool_] = labels == classes[1]
    return positive * dtype.type(2) - dtype.type(1)


def _all_in(labels: NDArray[Any], pair: NDArray[Any]) -> bool:
    found = np.count_nonzero(labels == pair[0]) + np.count_nonzero(labels == pair[1])
    return bool(found >= len(labels))  # the two may be equal


def _listed(classes: NDArray[Any]) -> str:
    shown = ", ".join(repr(value) for value in classes[:5].tolist())
    return shown + (", …" if len(classes) > 5 else "")
