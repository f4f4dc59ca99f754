"""Confidence sequences for the number of mistakes: limits that hold at all times simultaneously.

Let a row with asking probability π be mistaken (z = 1) or not (z = 0), and asked for (A = 1) or not. For every λ

    exp(A z log(1 + (e^λ - 1)/π) - λ z)

has mean 1 given the past, as long as the logarithm exists: for z = 1 the mean is e^-λ (1 - π + π (1 + (e^λ -
1)/π)). The product over the rows is therefore a martingale, and so is the mean of the products for a grid of λ. It
ever exceeds 1/α with a probability of at most α (Ville). The first terms are known from the asked rows, and the
second ones add up to λ times the number Z of mistakes, which gives a limit for Z: a lower one for λ > 0, an upper
one for λ < 0. For λ < 0 the logarithm needs π > 1 - e^λ. Rows with smaller π are left out, and the limit is raised
by their number. Which rows these are is known before the coin is tossed.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.typing import BoolArray, FloatArray

STEPS = 2.0 ** np.arange(0.5, -15, -0.5)  # λ, or -λ
LIFTS = np.expm1(STEPS)  # e^λ - 1
DROPS = -np.expm1(-STEPS)  # 1 - e^-λ
# Rows with π up to this are left out: near the boundary a single mistake would ruin the limit.
LEAST = np.minimum(1.5 * DROPS, (1 + DROPS) / 2)

# Weights of the martingales of mistakes and of other rows. The latter help while few labels are known.
LOG_SHARES = np.log([0.8, 0.2])


class Anytime:
    """The confidence sequence for one kind of mistakes. Two of different rows can be added.

    Too few mistakes means too many other rows, so the martingales of both are mixed.
    """

    def __init__(self, rows: int = 0, sums: FloatArray | None = None, left: Any = 0) -> None:
        self.rows = rows  # that could have this kind of mistake
        # For mistaken rows and for others: against too few and against too many of them, one column per λ.
        self.sums = np.zeros((2, 2, len(STEPS))) if sums is None else sums
        self.left_out = np.zeros(len(STEPS)) + left

    def add(self, ask_probabilities: NDArray[Any], wrong: BoolArray, others: BoolArray) -> None:
        """Add rows that could have this kind of mistake, and which of them were asked for and have it or not."""
        self.rows += len(ask_probabilities)
        for sums, asked in zip(self.sums, (wrong, others), strict=True):
            seen = ask_probabilities[asked, np.newaxis]
            kept = seen > LEAST
            falls = np.log1p(-np.divide(DROPS, seen, out=np.zeros(kept.shape), where=kept))
            # Added row by row, so that the chunk size does not change even the last bit.
            for place, terms in enumerate((np.log1p(LIFTS / seen), falls)):
                sums[place] = np.cumsum(np.vstack([sums[place], terms]), axis=0)[-1]
        self.left_out += np.searchsorted(np.sort(ask_probabilities), LEAST, side="right")

    def limits(self, level: float) -> tuple[int, int]:
        """Limits that contain the true number of mistakes at all times, with a probability of `level`."""
        threshold = math.log(2 / (1 - level))
        low = _least(lambda mistakes: self.against_few(mistakes) <= threshold, self.rows)
        high = _least(lambda mistakes: self.against_many(mistakes + 1) > threshold, self.rows)
        return low, max(low, high)

    def against_few(self, mistakes: float) -> float:
        """Log evidence (at most the log of a martingale) against this few mistakes."""
        return _log_mean(self._few(0, mistakes), self._many(1, self.rows - mistakes))

    def against_many(self, mistakes: float) -> float:
        """Log evidence (at most the log of a martingale) against this many mistakes."""
        return _log_mean(self._many(0, mistakes), self._few(1, self.rows - mistakes))

    def _few(self, kind: int, number: float) -> FloatArray:
        return np.asarray(self.sums[kind, 0] - STEPS * number)

    def _many(self, kind: int, number: float) -> FloatArray:
        return np.asarray(self.sums[kind, 1] + STEPS * (number - self.left_out))

    def __add__(self, other: "Anytime") -> "Anytime":
        return Anytime(self.rows + other.rows, self.sums + other.sums, self.left_out + other.left_out)


def _log_mean(of_mistakes: FloatArray, of_others: FloatArray) -> float:
    means = [np.logaddexp.reduce(logarithms) - math.log(len(STEPS)) for logarithms in (of_mistakes, of_others)]
    return float(np.logaddexp.reduce(np.add(means, LOG_SHARES)))


def _least(holds: Callable[[int], bool], most: int) -> int:
    """The smallest number up to `most` for which `holds` is true, if it is true for all larger ones."""
    low, high = 0, most
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low
