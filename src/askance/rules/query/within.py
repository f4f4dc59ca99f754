"""A hard budget for any query rule."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance._util.parameters import NOT_NEGATIVE, Constraints, Interval
from askance.jit.bounded import bounded
from askance.jit.select import where
from askance.rules.query.rule import QueryRule, with_eligible
from askance.rules.rows import Seen


class BudgetMemory(NamedTuple):
    """The rows seen, the labels asked for, the questions refused; and the inner memory."""

    rows: NDArray[np.int64]
    spent: NDArray[np.int64]
    refused: NDArray[np.int64]
    inner: Any


class Within(NamedTuple):
    """Ask as `inner` does, but after t rows never for more than min(limit, burst + rate·t) labels.

    This holds for every prefix of the stream. If the budget does not allow a question, its probability is 0; it
    counts as refused if `inner` would have asked.

    Parameters
    ----------
    inner : QueryRule
        The rule to limit.
    rate : float, default=1.0
        Labels per row, from 0 to 1.
    burst : float, default=1.0
        Labels that may be asked for ahead of the rate.
    limit : float, default=inf
        The total number of labels.

    Examples
    --------
    >>> import numpy as np
    >>> from askance import Learner, queries, updates
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = np.where(X[:, 0] > 0, 1, -1)
    >>> query = queries.Within(queries.Margin(b=10.0), rate=0.1, limit=15)
    >>> trace = Learner(updates.PassiveAggressive2(), query).run(X, y)
    >>> int(trace.asked.sum())
    15
    """

    inner: QueryRule
    rate: float = 1.0
    burst: float = 1.0
    limit: float = math.inf

    def start(self) -> BudgetMemory:
        """Return a memory in which nothing has been asked or refused."""
        return BudgetMemory(
            np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1, np.int64), self.inner.start()
        )

    def ask(self, memory: BudgetMemory, seen: Seen, coin: float) -> float:
        """Return the probability of `inner` if the budget has a label left, else 0."""
        memory.rows[0] += 1
        after = memory.spent[0] + 1
        granted = (after <= self.burst + self.rate * memory.rows[0]) & (after <= self.limit)
        seen = with_eligible(seen, where(granted, 1.0, 0.0))
        wanted = bounded(self.inner, self.inner.ask(memory.inner, seen, coin))
        memory.spent[0] += where(granted & (coin < wanted), 1, 0)
        memory.refused[0] += where((not granted) & (coin < wanted), 1, 0)
        probability: float = where(granted, wanted, 0.0)
        return probability

    def constraints(self) -> Constraints:
        """0 ≤ rate ≤ 1, burst ≥ 0, limit ≥ 0."""
        return {"rate": Interval(0, 1, low_closed=True), "burst": NOT_NEGATIVE, "limit": NOT_NEGATIVE}
