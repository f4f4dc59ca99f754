"""Which rows are confident enough: a threshold for a set with few mistakes, from labels of the past."""

from collections.abc import Sequence

import numpy as np

from askance.typing import FloatArray

HIGHEST = 15.0  # confidences above are taken for this: log-odds of one in three million
# The log-odds of a mistake are a line in the confidence: intercept and slope, and how firmly they are expected.
# For confidences that are calibrated log-odds, the line is 0 - confidence.
EXPECTED = np.array([0.0, -1.0])
FIRMNESS = np.array([0.25, 4.0])
MOST_STEPS, SMALLEST_GAIN = 30, 1e-8


class Mistakes:
    """The probability of a mistake, given the confidence of a prediction."""

    def __init__(self, line: FloatArray = EXPECTED) -> None:
        self.line = line

    @classmethod
    def of(cls, confidences: Sequence[float], wrong: Sequence[bool]) -> "Mistakes":
        """Fit a logistic regression, by Newton's method with halved steps."""
        rows = np.column_stack([np.ones(len(confidences)), np.minimum(confidences, HIGHEST)])
        targets, line = np.asarray(wrong, float), EXPECTED.copy()
        loss = _loss(rows, targets, line)
        for _ in range(MOST_STEPS):
            chances = 1.0 / (1.0 + np.exp(-rows @ line))
            gradient = rows.T @ (targets - chances) - FIRMNESS * (line - EXPECTED)
            curvature = (rows * (chances * (1 - chances))[:, np.newaxis]).T @ rows + np.diag(FIRMNESS)
            direction, step = np.linalg.solve(curvature, gradient), 1.0
            while _loss(rows, targets, line + step * direction) > loss and step > 1e-4:
                step /= 2
            line = line + step * direction
            before, loss = loss, _loss(rows, targets, line)
            if before - loss < SMALLEST_GAIN:
                break
        return cls(line)

    def chance(self, confidences: FloatArray) -> FloatArray:
        """Return the probability of a mistake for each confidence."""
        found: FloatArray = 1.0 / (1.0 + np.exp(-(self.line[0] + self.line[1] * np.minimum(confidences, HIGHEST))))
        return found


def _loss(rows: FloatArray, targets: FloatArray, line: FloatArray) -> float:
    odds = rows @ line
    return float(np.sum(np.logaddexp(0, odds) - targets * odds) + FIRMNESS @ (line - EXPECTED) ** 2 / 2)


class Choices:
    """The sets that thresholds make of recent rows, from the most confident row to all of them."""

    def __init__(self, recent: FloatArray, mistakes: Mistakes, error: float) -> None:
        self.sorted = np.sort(recent)[::-1]
        count = len(recent)
        self.last = np.append(self.sorted[:-1] > self.sorted[1:], True)  # of equal confidences
        self.shares = np.arange(1, count + 1) / count
        # The share of mistakes, as a multiple of the one that is allowed.
        self.ratios = np.cumsum(mistakes.chance(self.sorted)) / np.arange(1, count + 1) / error

    def fastest(self, most: float = 1.0) -> tuple[float, float]:
        """Return the threshold whose set proves fastest that it has few mistakes, and its speed.

        The set has at most the share `most` of the rows. With a share r of the allowed mistakes, evidence grows by
        1 - r + r log r times its growth without mistakes for each row of the set: the growth rate of the best bet.
        """
        few = np.minimum(self.ratios, 1.0)
        fits = self.last & (self.shares <= most)
        speeds = np.where(fits, self.shares * (1 - few + few * np.log(np.maximum(few, 1e-12))), 0.0)
        best = int(np.argmax(speeds))
        return self._between(best), float(speeds[best])

    def widest(self, ratio: float) -> float:
        """Return the threshold of the largest set with at most this ratio of the allowed mistakes.

        If there is none, it is that of the set with the smallest ratio, so that it is never infinite.
        """
        fits = np.flatnonzero((self.ratios <= ratio) & self.last)
        return self._between(
            int(fits[-1]) if len(fits) else int(np.argmin(np.where(self.last, self.ratios, np.inf)))
        )

    def _between(self, place: int) -> float:
        """Half-way to the next confidence, so that rounding cannot move a row across."""
        if place + 1 == len(self.sorted):
            return 0.0
        return float(self.sorted[place] + self.sorted[place + 1]) / 2
