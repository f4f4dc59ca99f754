"""From scores to probabilities of levels, and to an expected rating."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

Numbers = NDArray[np.float64]

MOST_RATINGS = 50_000  # more would not be seen in a handful of parameters
EVEN = 0.5  # of a rating, added to each level and side: without it a level that nobody gave would be impossible


class Calibration(NamedTuple):
    """P(level ≤ z) = 1/(1 + exp(slope·(score - θ_z) - offset_z)): proportional odds about a user's thresholds."""

    slope: float
    offsets: Numbers

    def below(self, away: Numbers) -> Numbers:
        """P(level ≤ z) for each z but the last, from θ_z - score."""
        return np.asarray(expit(self.slope * away + self.offsets))

    def probabilities(self, away: Numbers) -> Numbers:
        """That of each level."""
        below = np.maximum.accumulate(self.below(away), axis=1)
        ends = np.zeros((len(away), 1)), np.ones((len(away), 1))
        return np.diff(np.hstack([ends[0], below, ends[1]]), axis=1)


def calibrated(away: Numbers, levels: NDArray[np.uint8]) -> Calibration:
    """The likeliest calibration for θ_z - score of ratings that were not learned from."""
    away, levels = away[:MOST_RATINGS], levels[:MOST_RATINGS]
    is_below = (levels[:, None] <= np.arange(away.shape[1])).astype(np.float64)

    def loss(parameters: Numbers) -> tuple[float, Numbers]:
        logits = np.exp(parameters[0]) * away + parameters[1:]
        chances = expit(logits)
        value = float(np.sum(np.logaddexp(0, logits) - is_below * logits))
        value += EVEN * float(np.sum(np.logaddexp(0, parameters[1:]) + np.logaddexp(0, -parameters[1:])))
        errors = chances - is_below
        pull = EVEN * (2 * expit(parameters[1:]) - 1)
        slope = np.exp(parameters[0]) * float(np.sum(errors * away))
        return value, np.append(slope, errors.sum(0) + pull)

    found = minimize(loss, np.zeros(1 + away.shape[1]), jac=True, method="L-BFGS-B")
    return Calibration(float(np.exp(found.x[0])), found.x[1:])
