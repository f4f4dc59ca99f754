"""Calibration: scores become probabilities of levels, and expected ratings."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

from askance.typing import FloatArray

MOST_RATINGS = 50_000  # more would hardly change a handful of parameters
EVEN = 0.5  # pseudo-ratings on each side of every threshold: without them an unseen level would be impossible


class Evidence(NamedTuple):
    """What the calibration knows about pairs of users and items."""

    away: FloatArray  # θ_z - score, one column per threshold
    bias: FloatArray  # user bias + item bias


class Calibration(NamedTuple):
    """P(level ≤ z) = 1/(1 + exp(-(slope·(θ_z - score) - bias_weight·bias + offset_z))): proportional odds.

    The regulariser shrinks the scores of all users and items towards 0. The biases make up for it.
    """

    slope: float
    bias_weight: float
    offsets: FloatArray

    def probabilities(self, evidence: Evidence) -> FloatArray:
        """The probability of each level."""
        below = expit(self.slope * evidence.away - self.bias_weight * evidence.bias[:, None] + self.offsets)
        below = np.maximum.accumulate(below, axis=1)
        ends = np.zeros((len(below), 1)), np.ones((len(below), 1))
        return np.diff(np.hstack([ends[0], below, ends[1]]), axis=1)


def calibrated(evidence: Evidence, levels: NDArray[np.uint8]) -> Calibration:
    """The maximum-likelihood calibration for ratings that were not trained on."""
    away, bias, levels = evidence.away[:MOST_RATINGS], evidence.bias[:MOST_RATINGS], levels[:MOST_RATINGS]
    is_below = (levels[:, None] <= np.arange(away.shape[1])).astype(np.float64)

    def loss(parameters: FloatArray) -> tuple[float, FloatArray]:
        slope, bias_weight, offsets = np.exp(parameters[0]), parameters[1], parameters[2:]
        logits = slope * away - bias_weight * bias[:, None] + offsets
        value = float(np.sum(np.logaddexp(0, logits) - is_below * logits))
        value += EVEN * float(np.sum(np.logaddexp(0, offsets) + np.logaddexp(0, -offsets)))
        errors = expit(logits) - is_below
        in_offsets = errors.sum(0) + EVEN * (2 * expit(offsets) - 1)
        return value, np.array([slope * np.sum(errors * away), -np.sum(errors.sum(1) * bias), *in_offsets])

    found = minimize(loss, np.zeros(2 + away.shape[1]), jac=True, method="L-BFGS-B").x
    return Calibration(float(np.exp(found[0])), float(found[1]), found[2:])
