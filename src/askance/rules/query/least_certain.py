"""Ask about the least certain of recent rows, and about a few others at random."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance._util.parameters import COUNT, SHARE, Constraints, Interval
from askance.jit.kernels.doubt import MOST_BEHIND, chance, further_behind
from askance.jit.select import where
from askance.rules.rows import Seen


class RecentMargins(NamedTuple):
    """The margins of recent rows (a ring), the number of rows, and by how many labels the plan is behind."""

    margins: NDArray[np.float64]
    rows: NDArray[np.int64]
    behind: NDArray[np.float64]


class LeastCertain(NamedTuple):
    """Ask about the rows with the smallest margins `|p|` among recent ones, and about some others at random.

    A share a = `audit` of the questions is for rows at random. A row is asked about with probability 1 if no more
    than a share r (1 - a) of the recent rows has a smaller margin, with r = `rate`, and with probability r a
    otherwise. So every probability is positive and known. It does not matter how large margins are, only how they
    compare with recent ones.

    With b = `burst` + r·t - Σ probabilities so far, at most 60, the share is multiplied by 1 + 0.3 b if b is
    positive, and all rows have probability r a if b ≤ -1. So Σ probabilities never exceeds `burst` + r·t + 2. Rows
    that a budget does not let it ask about do not count. For a limit on the labels themselves, use `Within` around
    this rule. With r = 1, every row has probability 1.

    A row whose features no label has been about yet has a score of 0, so it is among the least certain.

    Parameters
    ----------
    rate : float, default=0.1
        The share of rows to ask about, greater than 0 and at most 1.
    audit : float, default=0.1
        The share of the questions that are asked at random, greater than 0. With 1, the rule is `Random(rate)`.
    burst : float, default=20.0
        Labels that may be asked for ahead of the rate, from 0 to 60. Most of them are spent in the beginning.
    recent : int, default=400
        The number of rows to compare with.

    References
    ----------
    Lewis and Gale 1994, "A sequential algorithm for training text classifiers"; Kottke, Krempl and Spiliopoulou
    2015, "Probabilistic active learning in datastreams", for the quantile of recent rows.

    Examples
    --------
    >>> import numpy as np
    >>> from askance import Learner, queries, updates
    >>> X = np.random.default_rng(0).normal(size=(2000, 3))
    >>> y = np.where(X[:, 0] > 0, 1, -1)
    >>> trace = Learner(updates.PassiveAggressive2(), queries.LeastCertain(rate=0.1)).run(X, y)
    >>> margins = np.abs(trace.scores)
    >>> bool(np.median(margins[trace.asked]) < np.median(margins) / 5)
    True
    """

    rate: float = 0.1
    audit: float = 0.1
    burst: float = 20.0
    recent: int = 400

    def start(self) -> RecentMargins:
        """Return a memory without rows."""
        return RecentMargins(np.zeros(self.recent), np.zeros(1, np.int64), np.full(1, self.burst, np.float64))

    def ask(self, memory: RecentMargins, seen: Seen, coin: float) -> float:  # noqa: ARG002
        """Return 1 for a row with one of the smallest margins, else `audit` · `rate`; remember the margin."""
        margin = abs(seen.score)
        probability = chance(margin, memory.margins, memory.rows[0], memory.behind[0], self.rate, self.audit)
        after = further_behind(memory.behind[0], self.rate, probability)
        memory.behind[0] = where(seen.eligible > 0, after, memory.behind[0])
        memory.margins[memory.rows[0] % memory.margins.shape[0]] = margin
        memory.rows[0] += 1
        return probability

    def constraints(self) -> Constraints:
        """0 < rate ≤ 1, 0 < audit ≤ 1, 0 ≤ burst ≤ 60, recent ≥ 1."""
        burst = Interval(0, MOST_BEHIND, low_closed=True)
        return {"rate": SHARE, "audit": SHARE, "burst": burst, "recent": COUNT}
