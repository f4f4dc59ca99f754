"""The uncertainty of rows, by their features and by their privileged features (thesis, section 4.2.1)."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from askance.typing import BoolArray, FloatArray

# How the uncertainty of the prediction and the correcting value are combined, element by element.
COMBINATIONS: dict[str, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "sum": np.add,
    "max": np.maximum,
    "min": np.minimum,
    "product": np.multiply,
    "distance": lambda prediction, correcting: np.abs(prediction - correcting),
    "prediction": lambda prediction, _: prediction,
    "correcting": lambda _, correcting: correcting,
}
# If all rows were easy, the correcting function is 0 everywhere except for rounding errors up to this.
NOTHING = 1e-9
AGGREGATES = ("mean", "max", "top")


class Uncertainty(NamedTuple):
    """The uncertainty of every row. `correcting` is NaN for rows without privileged features."""

    total: FloatArray
    prediction: FloatArray
    correcting: FloatArray


def prediction_uncertainty(scores: FloatArray, epsilon: float) -> FloatArray:
    """1 / (best score − second best + ε) (4.3); a single score f means two classes with f and −f."""
    if scores.ndim == 1:
        gaps = 2 * np.abs(scores)
    else:
        second, best = np.partition(scores, -2, axis=1)[:, -2:].T
        gaps = best - second
    uncertain: FloatArray = 1 / (gaps + epsilon)
    return uncertain


def one_per_row(correcting: FloatArray, scores: FloatArray, aggregate: str) -> FloatArray:
    """Aggregate the correcting values of several classes: mean, largest, or that of the predicted class."""
    if correcting.ndim == 1:
        return correcting
    if aggregate == "top":
        top: FloatArray = np.take_along_axis(correcting, scores.argmax(axis=1)[:, None], axis=1)[:, 0]
        return top
    found: FloatArray = correcting.mean(axis=1) if aggregate == "mean" else correcting.max(axis=1)
    return found


def combined(combine: str, prediction: FloatArray, correcting: FloatArray) -> Uncertainty:
    """Combine both uncertainties into one number per row.

    A row without privileged features has the uncertainty of its prediction, for every combination except
    "correcting". There it gets the mean correcting value of the other rows, so that it is neither hard nor easy,
    or the uncertainty of its prediction if no row has privileged features.
    """
    known: BoolArray = ~np.isnan(correcting)
    total = prediction.copy()
    total[known] = COMBINATIONS[combine](prediction[known], correcting[known])
    if combine == "correcting" and known.any():
        total[~known] = correcting[known].mean()
    return Uncertainty(total, prediction, correcting)


def positive(uncertainty: FloatArray) -> FloatArray:
    """Uncertainties of which at least one is above 0, as the ratio problem needs.

    If there is none, all are shifted so that the smallest is 0. If all are equal, all become 1.
    """
    if uncertainty.max() > NOTHING:
        return uncertainty
    shifted: FloatArray = uncertainty - uncertainty.min()
    return shifted if shifted.max() > NOTHING else np.ones_like(shifted)
