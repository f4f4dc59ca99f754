"""Ask about the least known of recent rows, and about a few others at random, within a hard budget."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance._util.parameters import COUNT, SHARE, Constraints, Interval
from askance.jit.select import maximum, minimum, where
from askance.rules.rows import Seen

# Labels in the budget that are kept for rows at random: with fewer left, questions become rarer, so that the
# budget rules out next to none. Rows that are asked about for certain leave LEAST_LEFT of them.
RESERVE = 10.0
LEAST_LEFT = 3.0


class RecentSpreads(NamedTuple):
    """The spreads of recent rows (a ring), and the numbers of rows and of labels asked for."""

    spreads: NDArray[np.float64]
    rows: NDArray[np.int64]
    counted: NDArray[np.int64]  # rows that could be asked about, and questions


class MostUncertain(NamedTuple):
    """Ask about the rows with the largest spreads v = xᵀΣx among recent ones, and about some others at random.

    After t rows, at most b_t = `burst` + r·t labels have been asked for, with r = `rate`. Let h = (b_t - labels so
    far) / 10. A row is asked about with probability 1 if at most a share h r (1 - a) of the recent rows has a
    larger spread, with a = `audit`, and with probability min(1, h r a) otherwise. While there is no label at all,
    the probability is 1. So every probability is known, and positive unless the budget is used up, which is rare:
    questions become rarer before.

    Parameters
    ----------
    rate : float, default=0.1
        The share of rows to ask about, greater than 0 and at most 1. With 1, every row has probability 1.
    audit : float, default=0.5
        The share of the questions that are asked at random, greater than 0. With 1, all are, and no spread is
        needed.
    burst : float, default=30.0
        Labels that may be asked for ahead of the rate, 10 or more. Most of them are spent in the beginning.
    recent : int, default=50
        The number of rows to compare with. Spreads fall with every label, so that older rows are no measure.

    Examples
    --------
    >>> import numpy as np
    >>> from askance import StreamRegressor
    >>> X = np.random.default_rng(0).normal(size=(2000, 3))
    >>> trace = StreamRegressor(rate=0.05).run(X, X[:, 0])
    >>> bool(trace.asked.sum() <= 30 + 0.05 * 2000)
    True
    >>> bool((trace.ask_probabilities > 0).all())
    True
    """

    rate: float = 0.1
    audit: float = 0.5
    burst: float = 30.0
    recent: int = 50

    def start(self) -> RecentSpreads:
        """Return a memory without rows."""
        return RecentSpreads(np.zeros(self.recent), np.zeros(1, np.int64), np.zeros(2, np.int64))

    def ask(self, memory: RecentSpreads, seen: Seen, coin: float) -> float:
        """Return 1 for a row with one of the largest spreads, else the probability of a question at random."""
        rows, room = memory.rows[0], memory.spreads.shape[0]
        known = min(rows, room)
        larger = 0
        for place in range(known):
            larger += memory.spreads[place] > seen.spread
        left = self.burst + self.rate * (memory.counted[0] + 1) - memory.counted[1]
        eagerness = maximum(0.0, left / RESERVE)
        share = eagerness * self.rate * (1.0 - self.audit)
        certain = (share > 0.0) & (larger <= share * known) & (left >= LEAST_LEFT)
        certain = certain | (seen.n_labels == 0) | (self.rate >= 1.0)
        wanted = where(certain, 1.0, minimum(1.0, eagerness * self.rate * self.audit))
        probability: float = where(left >= 1.0, wanted, 0.0)
        memory.counted[0] += where(seen.eligible > 0, 1, 0)
        memory.counted[1] += where((seen.eligible > 0) & (coin < probability), 1, 0)
        memory.spreads[rows % room] = seen.spread
        memory.rows[0] += 1
        return probability

    def needs_spread(self) -> bool:
        """Whether `Seen.spread` is read: unless all questions are asked at random."""
        return self.audit < 1.0

    def constraints(self) -> Constraints:
        """0 < rate ≤ 1, 0 < audit ≤ 1, burst ≥ 10, recent ≥ 1."""
        burst = Interval(RESERVE, low_closed=True)
        return {"rate": SHARE, "audit": SHARE, "burst": burst, "recent": COUNT}
