"""From which score on a label is predicted: where F is largest, by the answers so far.

Every answered pair of a row and a label counts with the score that it had before it was learned, and with the
inverse of its ask probability. Of a label with few rows, F by its own pairs is mostly chance. So each label also
counts the pairs of all labels together, scaled so that they hold `PRIOR` rows that carry it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.jit.kernels.mixture import HEAVIEST, LEAST_PROBABILITY, SCORE_TEMPERATURES

Numbers = NDArray[np.float64]

LOWEST, STEP, BINS = -1.5, 0.05, 60
EDGES = LOWEST + STEP * np.arange(BINS)
PRIOR = 3.0
START = -0.2  # before the first pair: F is usually largest below the middle
FURTHEST = 700.0  # beyond it, exp overflows


class Thresholds(NamedTuple):
    """Weights of answered pairs by side (not carried, carried), label and score; the thresholds that follow."""

    weights: Numbers  # 2 × labels × bins
    values: Numbers  # per label
    losses: Numbers  # of probabilities, per temperature

    def add(self, labels: NDArray[np.intp], scores: Numbers, carried: NDArray[np.bool_], chances: Numbers) -> None:
        """Count answered pairs of one row, and choose the thresholds of their labels again."""
        weights = np.minimum(HEAVIEST, 1.0 / chances)
        carried_sign = np.where(carried, 1.0, -1.0)
        for place, temperature in enumerate(SCORE_TEMPERATURES):
            right = logistic(carried_sign * temperature * (scores - self.values[labels]))
            self.losses[place] += weights @ -np.log(np.maximum(right, LEAST_PROBABILITY))
        bins = np.clip(np.floor((scores - LOWEST) / STEP), 0, BINS - 1).astype(np.intp)
        self.weights[carried.astype(np.intp), labels, bins] += weights
        self._choose(labels)

    def _choose(self, labels: NDArray[np.intp]) -> None:
        every = self.weights.sum(axis=1)
        total = every[1].sum()
        prior = every * (PRIOR / total) if total else every * 0.0
        # Sums from each bin up: what is predicted if the threshold is the lower edge of the bin.
        others, rows = np.cumsum((self.weights[:, labels] + prior[:, np.newaxis])[:, :, ::-1], axis=2)[:, :, ::-1]
        f = 2.0 * rows / np.maximum(rows + others + rows[:, :1], 1e-300)
        chosen = EDGES[f.argmax(axis=1)]
        self.values[labels] = np.where(rows[:, 0] > 0, chosen, START)

    @property
    def temperature(self) -> float:
        """The temperature with the least loss."""
        return float(SCORE_TEMPERATURES[self.losses.argmin()]) if self.losses.any() else 3.0

    def with_labels(self, more: int) -> "Thresholds":
        """Return the same with more labels."""
        wider = np.concatenate([self.weights, np.zeros((2, more, BINS))], axis=1)
        return Thresholds(wider, np.append(self.values, np.full(more, START)), self.losses)


def logistic(scores: Numbers) -> Numbers:
    """Return the logistic function of scores of any size."""
    found: Numbers = 1.0 / (1.0 + np.exp(-np.clip(scores, -FURTHEST, FURTHEST)))
    return found


def new_thresholds(labels: int) -> Thresholds:
    """Return thresholds before the first answered pair."""
    return Thresholds(np.zeros((2, labels, BINS)), np.full(labels, START), np.zeros(len(SCORE_TEMPERATURES)))
