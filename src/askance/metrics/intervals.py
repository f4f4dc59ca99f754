"""Where a number of rows lies, if only those that were asked for are known, each with its probability π.

With A = 1 where a row was asked for, Σ (A/π - 1) z over the rows has the mean 0 and the variance Σ z² (1-π)/π,
whatever the learner did. So the sum of 1/π over the asked rows of a kind estimates how many rows of that kind
there are, and the sum of (1-π)/π² its variance: the coins are the only randomness, and a row that was sure to
be asked for adds none.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import special

from askance.metrics.histograms import Values, share

ANGLES = np.linspace(0, np.pi / 2, 33)


class Group(NamedTuple):
    """The asked rows of a kind: how many, Σ 1/π and Σ (1-π)/π²."""

    number: float
    total: float
    variance: float

    def joined(self, other: "Group") -> "Group":
        """Both kinds as one."""
        return Group(*(one + two for one, two in zip(self, other, strict=True)))


class Range(NamedTuple):
    """An estimate and how far to both sides the truth may be."""

    value: float
    low: float
    high: float


def all_of(seen: Group, unseen: float, level: float) -> Range:
    """How many rows of a kind there are, asked for or not, if one that was not seen weighs `unseen`.

    The limits are quantiles of gamma distributions with the mean and the variance of the estimate; for the upper
    one a further row is taken as seen. With equal weights they are the exact limits of a Poisson number; for
    others Fay and Feuer (Statistics in Medicine 16, 1997) proposed them.
    """
    tail = (1 - level) / 2
    low = _gamma(seen.total, seen.variance, tail)
    return Range(seen.total, low, _gamma(seen.total + unseen, seen.variance + unseen**2, 1 - tail))


def _gamma(mean: float, variance: float, probability: float) -> float:
    if variance == 0:
        return mean
    return float(special.gammaincinv(mean**2 / variance, probability) * variance / mean)


class Unseen(NamedTuple):
    """All rows, asked for or not, by the size of -1/log(1-π): so many of them stay unseen with probability 1/e.

    `numbers` are how many have a size between two half powers of two, and `weights` the sums of their sizes.
    """

    numbers: Values
    weights: Values

    @property
    def rows(self) -> float:
        """All of them."""
        return float(self.numbers.sum())

    def weight(self, level: float) -> float:
        """What a row weighs that was not seen: the mean, but no more than the worst that can be.

        With probability (1 - level)/2, no larger number of rows can stay unseen than there are of the rarest ones
        whose -log(1-π) add up to limit = -log((1 - level)/2); and so many weigh limit times the result.
        """
        if not self.rows:
            return 0.0
        limit = -math.log((1 - level) / 2)
        rarest, weights = self.numbers[::-1], self.weights[::-1]
        # The sums of -log(1-π) are at least as large; those of rows that are sure to be asked for are infinite.
        sums = np.where(rarest > 0, share(rarest**2, weights, of_nothing=np.inf), 0.0)
        before = np.append(0.0, np.cumsum(sums)[:-1])
        taken = np.clip(share(limit - before, sums), 0, 1)
        return min(float(weights.sum()) / self.rows, float(rarest @ taken) / limit)

    def joined(self, other: "Unseen") -> "Unseen":
        """Both as one."""
        return Unseen(self.numbers + other.numbers, self.weights + other.weights)


class Called(NamedTuple):
    """The rows that got the same prediction: all of them, and those asked for."""

    unseen: Unseen
    unknown: Group  # asked in vain
    right: Group
    wrong: Group

    @property
    def known(self) -> float:
        """The rows that have a label, asked for or not."""
        return self.unseen.rows * (1 - _share(self.unknown.total, self.right.total + self.wrong.total, 0.0))

    def mistaken(self, level: float) -> Range:
        """How many of them were mistaken.

        M = (1-b) M + b (rows - others): of the two ways to estimate M each gets the share that leaves the least
        variance. Their errors are uncorrelated, for they come from different rows, and are put together as Zou and
        Donner (Statistics in Medicine 27, 2008) do: the distances to the limits add up by their squares. What was
        seen is certain.
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


def combined(function: Callable[[Values, Values], Values], one: Range, two: Range) -> Range:
    """The range of a function that falls, or rises, with both of two numbers of uncorrelated errors.

    Both go away from their estimates at once, by distances on the ellipse whose half axes lead to their limits.
    For a sum this adds up distances by their squares, and no function leaves the values that it can have.
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
