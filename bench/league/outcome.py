"""What a method of the league reaches."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Outcome(NamedTuple):
    """The share of right predictions over the stream and on held-out rows, and what they cost."""

    stream: float
    held_out: float
    labels: int
    seconds: float
    calibration_error: float | None = None


def outcome(
    predictions: Any, y: NDArray[np.int64], chances: Any, y_held: NDArray[np.int64], labels: int, seconds: float
) -> Outcome:
    """The outcome of a method with probabilities. Columns of `chances` are the classes 0, 1, …"""
    right = chances.argmax(axis=1) == y_held
    error = calibration_error(chances.max(axis=1), right)
    return Outcome(float((predictions == y).mean()), float(right.mean()), labels, seconds, error)


def spread(chances: Any, classes: Any, count: int) -> NDArray[np.float64]:
    """Probabilities of `classes` as a matrix with a column for each of `count` classes."""
    matrix = np.zeros((len(chances), count))
    matrix[:, np.asarray(classes, int)] = chances
    return matrix


def calibration_error(confidence: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    """The mean difference, over ten bins of confidence, between confidence and the share of right predictions."""
    bins = np.minimum((confidence * 10).astype(int), 9)
    differences = [
        (bins == number).mean() * abs(confidence[bins == number].mean() - right[bins == number].mean())
        for number in np.unique(bins)
    ]
    return float(np.sum(differences))
