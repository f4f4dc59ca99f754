"""A hard budget around any query rule."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance._util.parameters import NOT_NEGATIVE, Constraints, Interval
from askance.jit.select import where
from askance.rules.query.rule import QueryRule
from askance.rules.rows import Seen


class BudgetMemory(NamedTuple):
    """What a budget has seen, granted and refused."""

    rows: NDArray[np.int64]
    spent: NDArray[np.int64]
    refused: NDArray[np.int64]
    inner: Any


class Within(NamedTuple):
    """Ask as `inner` does, but after t rows never for more than burst + rate·t labels, nor more than `limit`.

    This holds at every prefix of the stream. A question that the budget forbids has probability 0, and is
    counted as refused if `inner` would have asked it.
    """

    inner: QueryRule
    rate: float = 1.0
    burst: float = 1.0
    limit: float = math.inf

    def start(self) -> BudgetMemory:
        """Nothing seen, spent or refused."""
        return BudgetMemory(
            np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1, np.int64), self.inner.start()
        )

    def ask(self, memory: BudgetMemory, seen: Seen, coin: float) -> float:
        """The probability of `inner` where the budget has a label left, else 0."""
        memory.rows[0] += 1
        after = memory.spent[0] + 1
        granted = (after <= self.burst + self.rate * memory.rows[0]) & (after <= self.limit)
        score, spread, squared_norm, prediction, mistakes, max_squared_norm, n_labels, n_positives, eligible = seen
        eligible = eligible * where(granted, 1.0, 0.0)
        seen = Seen(
            score, spread, squared_norm, prediction, mistakes, max_squared_norm, n_labels, n_positives, eligible
        )
        wanted = self.inner.ask(memory.inner, seen, coin)
        memory.spent[0] += where(granted & (coin < wanted), 1, 0)
        memory.refused[0] += where((not granted) & (coin < wanted), 1, 0)
        probability: float = where(granted, wanted, 0.0)
        return probability

    def constraints(self) -> Constraints:
        """0 ≤ rate ≤ 1, burst ≥ 0, limit ≥ 0."""
        return {"rate": Interval(0, 1, low_closed=True), "burst": NOT_NEGATIVE, "limit": NOT_NEGATIVE}
