"""Steering a query rule towards a wanted rate of questions."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance._util.parameters import SHARE, Constraints
from askance.jit.select import maximum, minimum
from askance.rules.query.rule import ScalableRule
from askance.rules.rows import Seen


class RateMemory(NamedTuple):
    """How many labels the expected questions lie behind the plan of `rate` a row."""

    deficit: NDArray[np.float64]
    inner: Any


# Each label behind the plan makes the inner rule e^GAIN times as eager, up to e^FURTHEST. A margin rule asks
# about a row of unknown features for sure, however small its scale; so below e^-ENOUGH probabilities shrink too.
GAIN = 0.25
ENOUGH = 8.0
E_TO_ENOUGH = math.exp(ENOUGH)
FURTHEST = 30.0


class AtRate(NamedTuple):
    """Ask as `inner` does, made more or less eager so that a share `rate` of the rows is asked for.

    With s = GAIN · (rate·t - Σ probabilities so far), kept within ±FURTHEST, the probability is that of `inner`
    made e^s times as eager, times min(1, e^(s + ENOUGH)). It depends on the past and the row alone, so it is
    known when the coin falls, and it is positive. The plan is left by some tens of labels at most, however long
    the stream, unless `inner` cannot ask so often; for a bound that is never crossed, wrap it in `Within`. Rows
    whose label cannot be had do not count: wishes that a budget refuses cost nothing.
    """

    inner: ScalableRule
    rate: float = 0.1

    def start(self) -> RateMemory:
        """On plan."""
        return RateMemory(np.zeros(1), self.inner.start())

    def ask(self, memory: RateMemory, seen: Seen, coin: float) -> float:
        """The probability of the scaled inner rule."""
        eagerness = math.exp(GAIN * memory.deficit[0])
        wanted = self.inner.scaled(eagerness).ask(memory.inner, seen, coin)
        probability: float = wanted * minimum(1.0, eagerness * E_TO_ENOUGH)
        deficit = memory.deficit[0] + seen.eligible * self.rate - seen.eligible * probability
        memory.deficit[0] = maximum(-FURTHEST / GAIN, minimum(FURTHEST / GAIN, deficit))
        return probability

    def constraints(self) -> Constraints:
        """0 < rate ≤ 1."""
        return {"rate": SHARE}
