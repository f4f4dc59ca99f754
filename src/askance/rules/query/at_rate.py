"""Steer a query rule towards a given rate of questions."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance._util.parameters import SHARE, Constraints
from askance.jit.bounded import bounded
from askance.jit.select import maximum, minimum
from askance.rules.query.rule import ScalableRule
from askance.rules.rows import Seen


class RateMemory(NamedTuple):
    """By how many labels the expected number of questions falls short of `rate` per row; and the inner memory."""

    deficit: NDArray[np.float64]
    inner: Any


# Each missing label multiplies the scale of the inner rule by e^GAIN, up to e^FURTHEST. A margin rule always asks
# about a row of unknown features, however small its scale; below e^-ENOUGH the probabilities shrink as well.
GAIN = 0.25
ENOUGH = 8.0
E_TO_ENOUGH = math.exp(ENOUGH)
FURTHEST = 30.0


class AtRate(NamedTuple):
    """Scale `inner` up or down so that it asks about a share `rate` of the rows.

    With s = GAIN · (rate·t - Σ probabilities so far), limited to ±FURTHEST, the probability is that of `inner`
    with its scale times e^s, times min(1, e^(s + ENOUGH)). It is positive, and depends only on the past and the
    row, not on the coin. The number of questions stays within some tens of labels of the plan, however long the
    stream, unless `inner` cannot ask that often. For a limit that is never exceeded, use `Within`. Rows that a
    budget around this rule does not let it ask about do not count.

    Parameters
    ----------
    inner : ScalableRule
        The rule to scale, such as `Margin`.
    rate : float, default=0.1
        The share of rows to ask about, greater than 0 and at most 1.

    Examples
    --------
    >>> import numpy as np
    >>> from askance import Learner, queries, updates
    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> y = np.where(X[:, 0] > 0, 1, -1)
    >>> query = queries.AtRate(queries.Margin(), rate=0.2)
    >>> trace = Learner(updates.PassiveAggressive2(), query).run(X, y)
    >>> bool(0.15 < trace.asked.mean() < 0.25)
    True
    """

    inner: ScalableRule
    rate: float = 0.1

    def start(self) -> RateMemory:
        """Return a memory without a deficit."""
        return RateMemory(np.zeros(1), self.inner.start())

    def ask(self, memory: RateMemory, seen: Seen, coin: float) -> float:
        """Return the probability of the scaled inner rule, and update the deficit."""
        eagerness = math.exp(GAIN * memory.deficit[0])
        less = minimum(1.0, eagerness * E_TO_ENOUGH)
        # Rules that count questions see a coin that is less than `wanted` if and only if the label is asked for.
        wanted = bounded(self.inner, self.inner.scaled(eagerness).ask(memory.inner, seen, coin / less))
        probability: float = wanted * less
        deficit = memory.deficit[0] + seen.eligible * self.rate - seen.eligible * probability
        memory.deficit[0] = maximum(-FURTHEST / GAIN, minimum(FURTHEST / GAIN, deficit))
        return probability

    def constraints(self) -> Constraints:
        """0 < rate ≤ 1."""
        return {"rate": SHARE}
