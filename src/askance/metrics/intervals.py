"""Where a number of rows lies, if only those that were asked for are known, each with its probability π.

With A = 1 where a row was asked for, Σ (A/π - 1) z over the rows has the mean 0 and the variance Σ z² (1-π)/π,
whatever the learner did. So the sum of 1/π over the asked rows of a kind estimates how many rows of that kind
there are, and the sum of (1-π)/π² its variance: the coins are the only randomness, and a row that was sure to
be asked for adds none.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

Values = NDArray[np.float64]

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


class Called(NamedTuple):
    """The rows that got the same prediction: how many, what one weighs that was not seen, and those asked for."""

    rows: float
    unseen: float
    unknown: Group  # asked in vain
    right: Group
    wrong: Group

    @property
    def known(self) -> float:
        """The rows that have a label, asked for or not."""
        return self.rows * (1 - _share(self.unknown.total, self.right.total + self.wrong.total, 0.0))

    def mistaken(self, level: float) -> Range:
        """How many of them were mistaken.

        M = (1-b) M + b (rows - others): of the two ways to estimate M each gets the share that leaves the least
        variance. Their errors are independent, for they come from different rows, and are put together as Zou and
        Donner (Statistics in Medicine 27, 2008) do: the distances to the limits add up by their squares.
        """
        others = self.right.joined(self.unknown)
        b = _share(self.wrong.variance, others.variance, _share(self.wrong.total, others.total, 0.5))
        wrong, other = all_of(self.wrong, self.unseen, level), all_of(others, self.unseen, level)
        value = (1 - b) * wrong.value + b * (self.rows - other.value)
        low = value - np.hypot((1 - b) * (wrong.value - wrong.low), b * (other.high - other.value))
        high = value + np.hypot((1 - b) * (wrong.high - wrong.value), b * (other.value - other.low))
        return Range(*(float(np.clip(limit, 0, self.known)) for limit in (value, low, high)))


def _share(one: float, other: float, of_nothing: float) -> float:
    return one / (one + other) if one + other else of_nothing


def combined(function: Callable[[Values, Values], Values], one: Range, two: Range) -> Range:
    """The range of a function that rises or falls with both of two independent numbers.

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
