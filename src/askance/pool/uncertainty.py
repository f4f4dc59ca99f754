"""How uncertain the rows of a pool are, as seen from the features and from the privileged ones (thesis, 4.2.1)."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.pool.selection import Array

# What is made of prediction and correcting, element by element.
COMBINATIONS: dict[str, Callable[[Array, Array], Array]] = {
    "sum": np.add,
    "max": np.maximum,
    "min": np.minimum,
    "product": np.multiply,
    "distance": lambda prediction, correcting: np.abs(prediction - correcting),
    "prediction": lambda prediction, _: prediction,
    "correcting": lambda _, correcting: correcting,
}
# A correcting function that should be 0 everywhere, as where all rows were easy, is so but for rounding.
NOTHING = 1e-9
AGGREGATES = ("mean", "max", "top")


class Uncertainty(NamedTuple):
    """Of every row; `correcting` is NaN for rows without privileged features."""

    total: Array
    prediction: Array
    correcting: Array


def prediction_uncertainty(scores: Array, epsilon: float) -> Array:
    """1 / (best score − second best + ε) (4.3); a single score f stands for two classes with f and −f."""
    if scores.ndim == 1:
        gaps = 2 * np.abs(scores)
    else:
        second, best = np.partition(scores, -2, axis=1)[:, -2:].T
        gaps = best - second
    uncertain: Array = 1 / (gaps + epsilon)
    return uncertain


def one_a_row(correcting: Array, scores: Array, aggregate: str) -> Array:
    """The correcting values of several classes as one: their mean, the largest, or that of the class predicted."""
    if correcting.ndim == 1:
        return correcting
    if aggregate == "top":
        top: Array = np.take_along_axis(correcting, scores.argmax(axis=1)[:, None], axis=1)[:, 0]
        return top
    found: Array = correcting.mean(axis=1) if aggregate == "mean" else correcting.max(axis=1)
    return found


def combined(combine: str, prediction: Array, correcting: Array) -> Uncertainty:
    """Both as one number a row.

    A row without privileged features has its prediction's uncertainty alone, whatever the combination: a part that
    is missing adds nothing, takes nothing away and decides nothing. Only where the correcting value is all that
    counts, such a row gets the mean of the others, being neither hard nor easy, and its prediction's if there are
    none.
    """
    known: NDArray[np.bool_] = ~np.isnan(correcting)
    total = prediction.copy()
    total[known] = COMBINATIONS[combine](prediction[known], correcting[known])
    if combine == "correcting" and known.any():
        total[~known] = correcting[known].mean()
    return Uncertainty(total, prediction, correcting)


def positive(uncertainty: Array) -> Array:
    """With a value above 0, as the ratio needs: shifted up to a least value of 0 if there is none.

    Then only differences count; where there is none either, all rows are alike.
    """
    if uncertainty.max() > NOTHING:
        return uncertainty
    shifted: Array = uncertainty - uncertainty.min()
    return shifted if shifted.max() > NOTHING else np.ones_like(shifted)
