"""Ask if the margin is small, and less often as the stream goes on."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance._util.parameters import POSITIVE_OR_INFINITE, YES_OR_NO, Constraints
from askance.jit.select import where
from askance.rules.rows import Seen


class Rounds(NamedTuple):
    """The number of rows so far."""

    rounds: NDArray[np.int64]


class Decaying(NamedTuple):
    """Ask with probability `δ / (δ + |p|)`, where δ_t = δ_{t-1} t/(t + 1), that is δ₀/(t + 1), in round t.

    It asks for nearly every label at first, and for few labels later.

    Parameters
    ----------
    delta0 : float, default=16384.0
        The initial value δ₀. Larger values ask more often, and ∞ always asks.
    after : bool, default=False
        Reduce δ after the round, so that round t uses δ_{t-1}.

    References
    ----------
    Lu, Zhao and Hoi 2016, section 5.2.
    """

    delta0: float = 2.0**14
    after: bool = False

    def start(self) -> Rounds:
        """Return a memory with no rounds."""
        return Rounds(np.zeros(1, np.int64))

    def ask(self, memory: Rounds, seen: Seen, coin: float) -> float:  # noqa: ARG002
        """Return `δ / (δ + |p|)`, computed so that an infinite δ gives 1."""
        memory.rounds[0] += 1
        divisor = memory.rounds[0] + where(self.after, 0.0, 1.0)
        return 1.0 / (1.0 + abs(seen.score) * divisor / self.delta0)

    def scaled(self, factor: float) -> "Decaying":
        """Return the rule with `factor` times δ₀."""
        return Decaying(self.delta0 * factor, self.after)

    def constraints(self) -> Constraints:
        """δ₀ > 0."""
        return {"delta0": POSITIVE_OR_INFINITE, "after": YES_OR_NO}
