"""Recall certificates: how many of the positives of a pool have been found, at least.

Rows of a pool are read one after the other, in any order. Some of them are drawn at random from the rows not read
yet. If there are P positives in all, of which F have been found, and n rows have not been read, such a draw is
positive with probability h = (P - F)/n. For every 0 < f < 1

    1 + f h/(1 - h) if the row is negative, 1 - f if it is positive

has mean 1 given the past, or less if only positives are left. For the true P, the product over the draws is
therefore a supermartingale, and so is a mean of products for several f. It ever exceeds 1/δ with a probability of
at most δ (Ville). It increases with P: all P for which it exceeds 1/δ are rejected, and F divided by the largest
other P is a lower limit of the recall.
"""

import math

import numpy as np

from askance.errors import ParameterError

# f: near 1, evidence grows fastest without positives among the draws, and a single one ruins it.
BOLDNESS = np.array([0.95, 0.7, 0.4])
LOG_SHARES = np.log([0.6, 0.3, 0.1])


class RecallCertifier:
    """Says how large a share of the positives has been found at least, at all times at once.

    Parameters
    ----------
    rows : int
        The number of rows of the pool.
    level : float, default=0.95
        The probability that the limit is never too high.

    Examples
    --------
    >>> import numpy as np
    >>> from askance.metrics import RecallCertifier
    >>> certifier = RecallCertifier(rows=2000)
    >>> for _ in range(100):
    ...     certifier.add(positive=True, random=False)
    >>> for _ in range(1000):
    ...     certifier.add(positive=False, random=True)
    >>> round(certifier.recall, 2)
    0.96
    """

    def __init__(self, rows: int, level: float = 0.95) -> None:
        if rows < 1:
            raise ParameterError("RecallCertifier", "rows", rows, "at least 1")
        if not 0 < level < 1:
            raise ParameterError("RecallCertifier", "level", level, "greater than 0 and less than 1")
        self.rows, self.level = rows, level
        self.read = self.found = 0
        self._numbers = np.arange(rows + 1)  # of positives in all
        self._logs = np.zeros((len(BOLDNESS), rows + 1))

    def add(self, *, positive: bool, random: bool) -> None:
        """Take in a row that was read; `random` if it was drawn at random from all rows that were not read."""
        if self.read == self.rows:
            raise ValueError(f"all {self.rows} rows have been read")
        if random:
            self._bet(positive)
        self.read += 1
        self.found += positive

    def _bet(self, positive: bool) -> None:
        if positive:
            self._logs += np.log1p(-BOLDNESS)[:, np.newaxis]
            return
        chances = np.clip((self._numbers - self.found) / (self.rows - self.read), 0.0, 1.0)
        odds = chances / np.maximum(1.0 - chances, 1e-300)
        self._logs += np.log1p(BOLDNESS[:, np.newaxis] * odds)

    @property
    def most(self) -> int:
        """The largest number of positives that the pool may have."""
        evidence = np.logaddexp.reduce(self._logs + LOG_SHARES[:, np.newaxis], axis=0)
        possible = np.flatnonzero(evidence < -math.log(1 - self.level))
        largest = int(possible[-1]) if len(possible) else 0
        return max(self.found, min(largest, self.found + self.rows - self.read))

    @property
    def recall(self) -> float:
        """The share of the positives that has been found at least; 0 before the first."""
        return self.found / self.most if self.found else 0.0
