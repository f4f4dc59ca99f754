"""A fitted model: predictions for pairs of users and items, given by their numbers."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.jit.kernels import rating_sweeps
from askance.ratings.biases import Biases
from askance.ratings.calibration import Calibration, Evidence
from askance.ratings.manifold import LowRankPoint
from askance.typing import FloatArray

Numbers = NDArray[np.int32]


class Factors(NamedTuple):
    """One row per user (of U diag(σ)) and one per item (of V), whose product is the score, and the thresholds."""

    users: FloatArray
    items: FloatArray
    values: FloatArray  # σ at the time of the fit
    thresholds: FloatArray  # one row for all users or one row per user

    @classmethod
    def of(cls, point: LowRankPoint, thresholds: FloatArray) -> "Factors":
        """The factors of a point on the manifold."""
        return cls(point.scaled, np.ascontiguousarray(point.right), point.values, thresholds)

    def away(self, users: Numbers, items: Numbers) -> FloatArray:
        """θ_z - score for each pair. An unknown user or item (-1) has average factors."""
        scores = np.empty(len(users))
        rows, others = _with_average(self.users, users), _with_average(self.items, items)
        rating_sweeps.dots(rows, others, users, items, scores)
        own = len(self.thresholds) > 1
        thresholds = _with_average(self.thresholds, users)[users] if own else self.thresholds
        return thresholds - scores[:, None]


class Model(NamedTuple):
    """Factors, and what turns their scores into probabilities of levels."""

    factors: Factors
    biases: Biases
    calibration: Calibration
    levels: FloatArray

    def ordinal(self, users: Numbers, items: Numbers) -> FloatArray:
        """The ordinal rating of each pair: the number of thresholds at or below its score selects the level."""
        return self.levels[np.sum(self.factors.away(users, items) <= 0, axis=1)]

    def probabilities(self, users: Numbers, items: Numbers) -> FloatArray:
        """The probability of each level for each pair."""
        return self.calibration.probabilities(
            Evidence(self.factors.away(users, items), self.biases.at(users, items))
        )

    def expected(self, users: Numbers, items: Numbers) -> FloatArray:
        """The mean rating of each pair under the probabilities of the levels."""
        return self.probabilities(users, items) @ self.levels


def rmse(predicted: Any, actual: Any) -> float:
    """The root mean squared error of predicted ratings."""
    return float(np.sqrt(np.mean((np.asarray(predicted) - np.asarray(actual)) ** 2)))


def _with_average(rows: FloatArray, numbers: Numbers) -> FloatArray:
    """The rows, followed by their average, which number -1 selects, if any number is -1."""
    return np.vstack([rows, rows.mean(0)]) if (numbers < 0).any() else rows
