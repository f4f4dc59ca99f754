"""Asking when the margin is small, and ever less often."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance._util.parameters import POSITIVE_OR_INFINITE, YES_OR_NO, Constraints
from askance.jit.select import where
from askance.rules.rows import Seen


class Rounds(NamedTuple):
    """How many rows have been seen."""

    rounds: NDArray[np.int64]


class Decaying(NamedTuple):
    """Ask with probability `δ / (δ + |p|)`, where δ_t = δ_{t-1} t/(t + 1), that is δ₀/(t + 1), in round t.

    The scheme of CSPAA(a): Lu, Zhao and Hoi 2016, section 5.2. It asks for nearly every label at first, and for
    few once the learner should know. With `after`, δ decays after the round: round t takes δ_{t-1}.
    """

    delta0: float = 2.0**14
    after: bool = False

    def start(self) -> Rounds:
        """No round yet."""
        return Rounds(np.zeros(1, np.int64))

    def ask(self, memory: Rounds, seen: Seen, coin: float) -> float:  # noqa: ARG002
        """`δ / (δ + |p|)`, written so that an infinite δ gives 1."""
        memory.rounds[0] += 1
        divisor = memory.rounds[0] + where(self.after, 0.0, 1.0)
        return 1.0 / (1.0 + abs(seen.score) * divisor / self.delta0)

    def scaled(self, factor: float) -> "Decaying":
        """δ₀ times `factor`."""
        return Decaying(self.delta0 * factor, self.after)

    def constraints(self) -> Constraints:
        """δ₀ > 0."""
        return {"delta0": POSITIVE_OR_INFINITE, "after": YES_OR_NO}
