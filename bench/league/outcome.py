"""What a method of the league reaches."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import f1_score

from bench.league.tasks import Task


class Outcome(NamedTuple):
    """The share of right predictions over the stream and on held-out rows, and what they cost.

    With two classes there is also the F of the smaller one.
    """

    stream: float
    held_out: float
    labels: int
    seconds: float
    calibration_error: float | None = None
    f_stream: float | None = None
    f_held_out: float | None = None


def outcome(task: Task, predictions: Any, chances: Any, labels: int, seconds: float) -> Outcome:
    """The outcome of a method with probabilities. Columns of `chances` are the classes 0, 1, …"""
    told = chances.argmax(axis=1)
    error = calibration_error(chances.max(axis=1), told == task.y_held)
    return plain_outcome(task, predictions, told, labels, seconds)._replace(calibration_error=error)


def plain_outcome(task: Task, predictions: Any, told: Any, labels: int, seconds: float) -> Outcome:
    """The outcome of a method with predictions over the stream and, `told`, of held-out rows."""
    shares = float((predictions == task.y).mean()), float((told == task.y_held).mean())
    f: list[float | None] = [None, None]
    if task.classes == 2:
        rare = int(np.bincount(task.y, minlength=2).argmin())
        pairs = (task.y, predictions), (task.y_held, told)
        f = [float(f1_score(true == rare, found == rare, zero_division=0.0)) for true, found in pairs]
    return Outcome(*shares, labels, seconds, None, *f)


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
