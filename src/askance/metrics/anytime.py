"""Limits for a number of mistakes that hold at every moment of a stream at once.

Let a row of probability π be mistaken (z = 1) or not (z = 0), and be asked for (A = 1) or not. For every λ

    exp(A z log(1 + (e^λ - 1)/π) - λ z)

has the mean 1 given the past, as long as the logarithm exists: for z = 1 it is e^-λ (1 - π + π (1 + (e^λ -
1)/π)). So the product over the rows is a martingale, and so is the mean of those of a grid of λ: that it ever
exceeds 1/α has a probability of at most α (Ville). As the first terms are known from the asked rows, and the
second ones add up to λ times the number Z of mistakes, this is a limit for Z: λ > 0 gives a lower one, λ < 0 an
upper one. For λ < 0 the logarithm needs π > 1 - e^λ: rows of smaller π are left out, and the limit is raised by
their number. Which rows these are is known before the coin falls.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

STEPS = 2.0 ** np.arange(0.5, -15, -0.5)  # λ, or -λ
LIFTS = np.expm1(STEPS)  # e^λ - 1
DROPS = -np.expm1(-STEPS)  # 1 - e^-λ
# Rows of no larger π are left out: close to the border a single mistake would spoil the limit.
LEAST = np.minimum(1.5 * DROPS, (1 + DROPS) / 2)

# Of the martingales of mistakes and of those of other rows: the latter help as long as few labels are known.
LOG_SHARES = np.log([0.8, 0.2])


class Anytime:
    """What is known of the mistakes of one kind, and of the other rows; two of different rows can be added.

    That there were too few mistakes is that there were too many others, so martingales of both are mixed.
    """

    def __init__(self, rows: int = 0, sums: NDArray[np.float64] | None = None, left: Any = 0) -> None:
        self.rows = rows  # that might have been mistaken so
        # Of mistaken rows and of others: against too few of them and against too many, one column a λ.
        self.sums = np.zeros((2, 2, len(STEPS))) if sums is None else sums
        self.left_out = np.zeros(len(STEPS)) + left

    def add(self, probabilities: NDArray[Any], wrong: NDArray[np.bool_], others: NDArray[np.bool_]) -> None:
        """Rows that might be mistaken so, and which of them were asked for and are, or are not."""
        self.rows += len(probabilities)
        for sums, asked in zip(self.sums, (wrong, others), strict=True):
            seen = probabilities[asked, np.newaxis]
            kept = seen > LEAST
            falls = np.log1p(-np.divide(DROPS, seen, out=np.zeros(kept.shape), where=kept))
            # Row after row into the sum so far: chunks then cannot change even its last bit.
            for place, terms in enumerate((np.log1p(LIFTS / seen), falls)):
                sums[place] = np.cumsum(np.vstack([sums[place], terms]), axis=0)[-1]
        self.left_out += np.searchsorted(np.sort(probabilities), LEAST, side="right")

    def limits(self, level: float) -> tuple[int, int]:
        """Between which numbers of mistakes the true one is, at all moments, with a probability of `level`."""
        threshold = math.log(2 / (1 - level))
        low = _least(lambda mistakes: self.against_few(mistakes) <= threshold, self.rows)
        high = _least(lambda mistakes: self.against_many(mistakes + 1) > threshold, self.rows)
        return low, max(low, high)

    def against_few(self, mistakes: float) -> float:
        """The logarithm of a martingale, or less, if there were so few mistakes and so many others."""
        return _log_mean(self._few(0, mistakes), self._many(1, self.rows - mistakes))

    def against_many(self, mistakes: float) -> float:
        """The logarithm of a martingale, or less, if there were so many mistakes and so few others."""
        return _log_mean(self._many(0, mistakes), self._few(1, self.rows - mistakes))

    def _few(self, kind: int, number: float) -> NDArray[np.float64]:
        return np.asarray(self.sums[kind, 0] - STEPS * number)

    def _many(self, kind: int, number: float) -> NDArray[np.float64]:
        return np.asarray(self.sums[kind, 1] + STEPS * (number - self.left_out))

    def __add__(self, other: "Anytime") -> "Anytime":
        return Anytime(self.rows + other.rows, self.sums + other.sums, self.left_out + other.left_out)


def _log_mean(of_mistakes: NDArray[np.float64], of_others: NDArray[np.float64]) -> float:
    means = [np.logaddexp.reduce(logarithms) - math.log(len(STEPS)) for logarithms in (of_mistakes, of_others)]
    return float(np.logaddexp.reduce(np.add(means, LOG_SHARES)))


def _least(holds: Callable[[int], bool], most: int) -> int:
    """The least number up to `most` for which it holds, if it holds for all larger ones."""
    low, high = 0, most
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low
