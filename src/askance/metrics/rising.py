"""Evidence that something has become more frequent: an e-detector for chances that may fall, but must not rise.

Events come one by one, each of one of a few groups. As long as nothing changes, the chance of an event in a group
does not rise. For a time s, let the chances of a group before s be at least p, and afterwards at most p. Then

    L(p): mean over θ ≤ p of the likelihood of θ, divided by that of p, of the events before s,
    R(p): mean over θ ≥ p of the likelihood of θ, divided by that of p, of the events since s

are supermartingales, and so is their product over all groups. What p is, nobody knows, so the smallest product
over a grid counts: for p between two points, L of the lower and R of the upper one. A mean over several beginnings
of the time before s is taken as well. Every row begins such a process. Their sum over N rows has a mean of at most
N, so that it reaches h within N rows with a probability of at most N/h. Decision 62 has the proof.
"""

import math
from collections import deque
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

STEP = 0.15  # between the points of the grid, as log-odds
LOG_ODDS: Numbers = np.arange(-6.3, 3.6, STEP)
POINTS = len(LOG_ODDS)
LOG_CHANCE, LOG_REST = -np.logaddexp(0, -LOG_ODDS), -np.logaddexp(0, LOG_ODDS)
TINY = np.finfo(float).tiny
BELOW, ABOVE = np.log(np.arange(1, POINTS + 1)), np.log(np.arange(POINTS, 0, -1))
DENSE = 16  # of possible changes, at least as many recent ones are kept; of those twice as old, every second


class _Starts(NamedTuple):
    """Possible changes, one per place of the arrays."""

    numbers: NDArray[np.int64]  # how many additions came before
    rows: NDArray[np.int64]
    weights: Numbers  # logarithms
    since: Numbers  # numbers of trials and of events, by group
    before: Numbers  # the logarithm of L by window, group and cell
    least: Numbers  # the logarithm of the smallest product by window and group


class Rising:
    """Finds out whether events have become more frequent.

    Parameters
    ----------
    groups : int
        The number of groups.
    every : float
        The number of rows per false alarm, on average at least.
    margin : float
        The factor by which the odds of an event may rise without an alarm.
    windows : tuple of int
        How many additions before a possible change it is compared with, beside all of them.
    first : int
        The number of additions before the first possible change.
    """

    def __init__(self, groups: int, every: float, margin: float, windows: tuple[int, ...], first: int) -> None:
        self.threshold = math.log(2.0 * every)
        self._skipped = min(POINTS, math.ceil(math.log(margin) / STEP - 1e-9))
        self._groups, self._windows, self._first = groups, windows, first
        self.restart()

    def restart(self) -> None:
        """Forget everything."""
        groups, windows = self._groups, len(self._windows) + 1
        self.additions = 0
        self.evidence = -math.inf  # the logarithm of the sum
        self._total = np.zeros((groups, 2))  # numbers of trials and of events
        self._recent: deque[Numbers] = deque([self._total.copy()], maxlen=max(self._windows) + 1)
        places = 8 * DENSE
        self._kept = 0
        self._starts = _Starts(
            *(np.zeros(places, np.int64), np.zeros(places, np.int64), np.zeros(places)),
            np.zeros((places, groups, 2)),
            np.zeros((places, windows, groups, POINTS + 1)),
            np.zeros((places, windows, groups)),
        )

    def add(self, group: int, trials: int, events: int, row: int, elapsed: int) -> bool:
        """Count events, and return whether there is an alarm. `elapsed` rows have passed since the last call."""
        if self.additions >= self._first and elapsed:
            self._begin(row, elapsed)
        self.additions += 1
        self._total[group] += trials, events
        self._recent.append(self._total.copy())
        if not self._kept:
            return False
        kept = slice(self._kept)
        self._starts.since[kept, group] += trials, events
        self._starts.least[kept, :, group] = self._compare(group)
        self.evidence = _log_sum(self._terms())
        if self.additions % DENSE == 0:
            self._thin_out()
        return self.evidence >= self.threshold

    @property
    def likeliest(self) -> int:
        """The row at which the change began, most likely."""
        return int(self._starts.rows[np.argmax(self._terms().max(axis=1))])

    def _begin(self, row: int, elapsed: int) -> None:
        """The chances may have risen just now."""
        if self._kept == len(self._starts.rows):
            self._starts = _Starts._make(np.concatenate([one, np.zeros_like(one)]) for one in self._starts)
        place, last = self._kept, len(self._recent) - 1
        counts = [self._total, *(self._total - self._recent[max(0, last - window)] for window in self._windows)]
        likelihood = _likelihood(np.array(counts))
        mean = np.logaddexp.accumulate(likelihood, axis=-1) - BELOW - likelihood
        self._starts.numbers[place], self._starts.rows[place] = self.additions, row
        self._starts.weights[place] = math.log(elapsed / len(counts))
        self._starts.since[place] = 0.0
        # Half of the mean is for θ = p, whose ratio is 1: so it costs little to know p well.
        self._starts.before[place, ..., 0] = 0.0  # below the grid nothing is known, and L is 1
        self._starts.before[place, ..., 1:] = np.logaddexp(mean, 0.0) - math.log(2)
        # Without events since then R is 1, and the smallest product is the smallest L.
        self._starts.least[place] = self._starts.before[place].min(axis=-1)
        self._kept += 1

    def _compare(self, group: int) -> Numbers:
        """The smallest product of a group, by possible change and window."""
        likelihood = _likelihood(self._starts.since[: self._kept, group])
        most = likelihood.max(axis=-1, keepdims=True)
        sums = np.cumsum(np.exp(likelihood - most)[:, ::-1], axis=-1)[:, ::-1]
        # Where the sum is too small for a number, its first term is less than it.
        sums = np.maximum(np.log(np.maximum(sums, TINY)) + most, likelihood)
        # A cell's upper end, with the margin. Beyond the grid nothing is known, and R is 1.
        upper = np.zeros((self._kept, POINTS + 1))
        upper[:, : POINTS - self._skipped] = (sums - ABOVE - likelihood)[:, self._skipped :]
        least: Numbers = (self._starts.before[: self._kept, :, group] + upper[:, np.newaxis]).min(axis=-1)
        return least

    def _terms(self) -> Numbers:
        """The logarithms of what is added up, by possible change and window."""
        kept = slice(self._kept)
        terms: Numbers = self._starts.weights[kept, np.newaxis] + self._starts.least[kept].sum(axis=-1)
        return terms

    def _thin_out(self) -> None:
        """Leave out some of the older possible changes: neighbours are much alike, and the sum only decreases."""
        numbers = self._starts.numbers[: self._kept]
        age = np.maximum(1, (self.additions - numbers) // DENSE)
        stay = np.flatnonzero(numbers % 2 ** np.floor(np.log2(age)).astype(int) == 0)
        for array in self._starts:
            array[: len(stay)] = array[stay]
        self._kept = len(stay)


def _likelihood(counts: Numbers) -> Numbers:
    """The logarithm of the likelihood of each chance in the grid."""
    events, others = counts[..., 1:], counts[..., :1] - counts[..., 1:]
    likelihood: Numbers = events * LOG_CHANCE + others * LOG_REST
    return likelihood


def _log_sum(terms: Numbers) -> float:
    most = float(terms.max())
    return most + math.log(float(np.exp(terms - most).sum()))
