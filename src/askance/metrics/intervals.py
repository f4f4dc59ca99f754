"""Intervals for a number of rows when only asked rows are known, each with its asking probability π.

With A = 1 if a row was asked for, Σ (A/π - 1) z over the rows has mean 0 and variance Σ z² (1-π)/π for any
learner. The sum of 1/π over the asked rows of a kind therefore estimates the number of rows of that kind, and the
sum of (1-π)/π² estimates its variance. The coins are the only randomness: a row with π = 1 adds none.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import special

from askance.metrics.histograms import share
from askance.typing import FloatArray

ANGLES = np.linspace(0, np.pi / 2, 33)


class WeightedCount(NamedTuple):
    """The asked rows of a kind: their number, Σ 1/π and Σ (1-π)/π²."""

    number: float
    total: float
    variance: float

    def joined(self, other: "WeightedCount") -> "WeightedCount":
        """The sum of two kinds."""
        return WeightedCount(*(one + two for one, two in zip(self, other, strict=True)))


class Range(NamedTuple):
    """An estimate with its lower and upper limits."""

    value: float
    low: float
    high: float


def all_of(seen: WeightedCount, unseen: float, level: float) -> Range:
    """The number of rows of a kind, asked for or not, if an unseen row has the weight `unseen`.

    The limits are quantiles of gamma distributions with the mean and the variance of the estimate; for the upper
    limit, one more row is added. With equal weights they are the exact limits of a Poisson count; for other
    weights they were proposed by Fay and Feuer (Statistics in Medicine 16, 1997).
    """
    tail = (1 - level) / 2
    low = _gamma(seen.total, seen.variance, tail)
    return Range(seen.total, low, _gamma(seen.total + unseen, seen.variance + unseen**2, 1 - tail))


def _gamma(mean: float, variance: float, probability: float) -> float:
    if variance == 0:
        return mean
    return float(special.gammaincinv(mean**2 / variance, probability) * variance / mean)


class Unseen(NamedTuple):
    """All rows, asked for or not, by their size -1/log(1-π): this many of them stay unseen with probability 1/e.

    `numbers` are the numbers of rows per half power of two of the size, and `weights` the sums of their sizes.
    """

    numbers: FloatArray
    weights: FloatArray

    @property
    def rows(self) -> float:
        """The number of rows."""
        return float(self.numbers.sum())

    def weight(self, level: float) -> float:
        """The weight of an unseen row: the mean, but at most the worst case.

        Except with probability (1 - level)/2, at most as many rows stay unseen as there are among the rarest ones
        whose -log(1-π) add up to limit = -log((1 - level)/2). Together they weigh limit times the result.
        """
        if not self.rows:
            return 0.0
        limit = -math.log((1 - level) / 2)
        rarest, weights = self.numbers[::-1], self.weights[::-1]
        # The sums of -log(1-π) are at least as large; for rows with π = 1 they are infinite.
        sums = np.where(rarest > 0, share(rarest**2, weights, of_nothing=np.inf), 0.0)
        before = np.append(0.0, np.cumsum(sums)[:-1])
        taken = np.clip(share(limit - before, sums), 0, 1)
        return min(float(weights.sum()) / self.rows, float(rarest @ taken) / limit)

    def joined(self, other: "Unseen") -> "Unseen":
        """The sum of both."""
        return Unseen(self.numbers + other.numbers, self.weights + other.weights)


class SamePrediction(NamedTuple):
    """The rows with the same prediction: all of them, and those asked for, by what the label was."""

    unseen: Unseen
    unknown: WeightedCount  # asked, but the label is unknown
    right: WeightedCount
    wrong: WeightedCount

    @property
    def known(self) -> float:
        """The estimated number of rows that have a label, asked for or not."""
        return self.unseen.rows * (1 - _share(self.unknown.total, self.right.total + self.wrong.total, 0.0))

    def joined(self, other: "SamePrediction") -> "SamePrediction":
        """The rows of both."""
        return SamePrediction(
            self.unseen.joined(other.unseen),
            self.unknown.joined(other.unknown),
            self.right.joined(other.right),
            self.wrong.joined(other.wrong),
        )

    def mistaken(self, level: float) -> Range:
        """The number of mistakes among them, with limits.

        M = (1-b) M + b (rows - others): the two estimates are weighted so that the variance is smallest. Their
        errors are uncorrelated because they come from different rows, and are combined as in Zou and Donner
        (Statistics in Medicine 27, 2008): the squared distances to the limits add up. Mistakes that were seen are
        certain.
        """
        others = self.right.joined(self.unknown)
        b = _share(self.wrong.variance, others.variance, _share(self.wrong.total, others.total, 0.5))
        weight = self.unseen.weight(level)
        wrong, other = all_of(self.wrong, weight, level), all_of(others, weight, level)
        value = (1 - b) * wrong.value + b * (self.unseen.rows - other.value)
        low = value - np.hypot((1 - b) * (wrong.value - wrong.low), b * (other.high - other.value))
        high = value + np.hypot((1 - b) * (wrong.high - wrong.value), b * (other.value - other.low))
        most = max(self.wrong.number, min(self.known, self.unseen.rows - others.number))
        return Range(*(float(np.clip(limit, self.wrong.number, most)) for limit in (value, low, high)))


def _share(one: float, other: float, of_nothing: float) -> float:
    return one / (one + other) if one + other else of_nothing


def combined(function: Callable[[FloatArray, FloatArray], FloatArray], one: Range, two: Range) -> Range:
    """The range of a monotone function of two numbers with uncorrelated errors.

    Both numbers vary together on the ellipse whose half axes are the distances to their limits. For a sum, squared
    distances add up; any other function stays within the values that it can have.
    """
    value = function(np.array(one.value), np.array(two.value))
    more = function(
        one.value + (one.high - one.value) * np.cos(ANGLES), two.value + (two.high - two.value) * np.sin(ANGLES)
    )
    less = function(
        one.value - (one.value - one.low) * np.cos(ANGLES), two.value - (two.value - two.low) * np.sin(ANGLES)
    )
    reached = np.concatenate([np.ravel(one) for one in (value, more, less)])
    return Range(float(value), float(reached.min()), float(reached.max()))
