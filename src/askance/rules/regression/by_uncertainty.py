"""Ask in proportion to how little is known about a row, within a hard budget."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance._util.parameters import COUNT, SHARE, Constraints, Interval
from askance.jit.select import maximum, minimum, where
from askance.rules.rows import Seen

# With fewer labels left in the budget, questions become rarer, so that the budget rules out next to none.
RESERVE = 10.0
MOST_UNUSUAL = 10.0  # larger spreads, relative to recent rows, count as this


class RecentSpreads(NamedTuple):
    """The spreads of recent rows (a ring), the number of rows, and those that could be asked about and were."""

    spreads: NDArray[np.float64]
    rows: NDArray[np.int64]
    counted: NDArray[np.int64]


class ByUncertainty(NamedTuple):
    """Ask with a probability that grows with the spread v = xᵀΣx, compared with recent rows.

    After t rows, at most b_t = `burst` + r·t labels have been asked for, with r = `rate`. With
    h = (b_t - labels so far) / 10 and the mean m of the spreads of recent rows, the probability is
    min(1, h r (a + (1 - a) min(10, v / m))), where a = `audit`. While there is no label at all, it is 1. So every
    probability is known, and positive unless the budget is used up, which is rare: questions become rarer before.

    Rows about which little is known are asked about too often for what they are worth. `StreamRegressor` weights
    labels by the inverse of their probability, so that it fits the stream and not the questions.

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

    References
    ----------
    Ma, Mahoney and Yu 2015, "A statistical perspective on algorithmic leveraging", for the mixture of leverage and
    random rows.

    Examples
    --------
    >>> import numpy as np
    >>> from askance import StreamRegressor
    >>> X = np.random.default_rng(0).normal(size=(1000, 3))
    >>> trace = StreamRegressor(rate=0.05).run(X, X[:, 0])
    >>> bool(trace.asked.sum() <= 30 + 0.05 * 1000)
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
        """Return the probability, and remember the spread."""
        rows, room = memory.rows[0], memory.spreads.shape[0]
        known = min(rows, room)
        total = 0.0
        for place in range(known):
            total += memory.spreads[place]
        unusual = where(total > 0.0, minimum(MOST_UNUSUAL, seen.spread * known / maximum(total, 1e-300)), 1.0)
        left = self.burst + self.rate * (memory.counted[0] + 1) - memory.counted[1]
        share = maximum(0.0, left / RESERVE) * self.rate * (self.audit + (1.0 - self.audit) * unusual)
        wanted = where((seen.n_labels == 0) | (self.rate >= 1.0), 1.0, minimum(1.0, share))
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
