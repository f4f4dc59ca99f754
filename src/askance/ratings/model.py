"""What a fit leaves behind, and what it tells of pairs of users and items, by their numbers."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.jit.kernels import rating_sweeps
from askance.ratings.biases import Leanings
from askance.ratings.calibration import Calibration, Evidence
from askance.ratings.manifold import Numbers, Point

Whole = NDArray[np.int32]


class Factors(NamedTuple):
    """A row a user (of U diag(σ)) and a row an item (of V), whose product is the score, and the thresholds."""

    users: Numbers
    items: Numbers
    values: Numbers  # σ of the fit
    thresholds: Numbers  # a row for all users or one for each

    @classmethod
    def of(cls, point: Point, thresholds: Numbers) -> "Factors":
        """Those of a point."""
        return cls(point.scaled, np.ascontiguousarray(point.right), point.values, thresholds)

    def away(self, users: Whole, items: Whole) -> Numbers:
        """θ_z - score of pairs; a user or item without a number (-1) is the average one."""
        scores = np.empty(len(users))
        rows, others = _with_average(self.users, users), _with_average(self.items, items)
        rating_sweeps.dots(rows, others, users, items, scores)
        own = len(self.thresholds) > 1
        thresholds = _with_average(self.thresholds, users)[users] if own else self.thresholds
        return thresholds - scores[:, None]


class Model(NamedTuple):
    """Factors, and how their scores become probabilities of levels."""

    factors: Factors
    leanings: Leanings
    calibration: Calibration
    levels: Numbers

    def ordinal(self, users: Whole, items: Whole) -> Numbers:
        """The rating of each pair: the level after as many thresholds as lie at or below its score."""
        return self.levels[np.sum(self.factors.away(users, items) <= 0, axis=1)]

    def probabilities(self, users: Whole, items: Whole) -> Numbers:
        """Those of all levels."""
        return self.calibration.probabilities(
            Evidence(self.factors.away(users, items), self.leanings.at(users, items))
        )

    def expected(self, users: Whole, items: Whole) -> Numbers:
        """The mean of what the rating of each pair may be."""
        return self.probabilities(users, items) @ self.levels


def _with_average(rows: Numbers, numbers: Whole) -> Numbers:
    """The rows, with their average at the end, to be had as number -1, if it is needed."""
    return np.vstack([rows, rows.mean(0)]) if (numbers < 0).any() else rows
