"""From scores to probabilities of levels, and to an expected rating."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

Numbers = NDArray[np.float64]

MOST_RATINGS = 50_000  # more would not be seen in a handful of parameters
EVEN = 0.5  # of a rating, added to each level and side: without it a level that nobody gave would be impossible


class Evidence(NamedTuple):
    """What is known of pairs of users and items."""

    away: Numbers  # θ_z - score, a column a threshold
    lean: Numbers  # how far user and item lie from the mean rating


class Calibration(NamedTuple):
    """P(level ≤ z) = 1/(1 + exp(-(slope·(θ_z - score) - tilt·lean + offset_z))): proportional odds.

    The regulariser draws scores to 0, whoever the user and whatever the item is; the leanings make up for it.
    """

    slope: float
    tilt: float
    offsets: Numbers

    def probabilities(self, evidence: Evidence) -> Numbers:
        """That of each level."""
        below = expit(self.slope * evidence.away - self.tilt * evidence.lean[:, None] + self.offsets)
        below = np.maximum.accumulate(below, axis=1)
        ends = np.zeros((len(below), 1)), np.ones((len(below), 1))
        return np.diff(np.hstack([ends[0], below, ends[1]]), axis=1)


def calibrated(evidence: Evidence, levels: NDArray[np.uint8]) -> Calibration:
    """The likeliest calibration for ratings that were not learned from."""
    away, lean, levels = evidence.away[:MOST_RATINGS], evidence.lean[:MOST_RATINGS], levels[:MOST_RATINGS]
    is_below = (levels[:, None] <= np.arange(away.shape[1])).astype(np.float64)

    def loss(parameters: Numbers) -> tuple[float, Numbers]:
        slope, tilt, offsets = np.exp(parameters[0]), parameters[1], parameters[2:]
        logits = slope * away - tilt * lean[:, None] + offsets
        value = float(np.sum(np.logaddexp(0, logits) - is_below * logits))
        value += EVEN * float(np.sum(np.logaddexp(0, offsets) + np.logaddexp(0, -offsets)))
        errors = expit(logits) - is_below
        in_offsets = errors.sum(0) + EVEN * (2 * expit(offsets) - 1)
        return value, np.array([slope * np.sum(errors * away), -np.sum(errors.sum(1) * lean), *in_offsets])

    found = minimize(loss, np.zeros(2 + away.shape[1]), jac=True, method="L-BFGS-B").x
    return Calibration(float(np.exp(found[0])), float(found[1]), found[2:])
