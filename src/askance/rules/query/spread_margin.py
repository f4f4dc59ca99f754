"""Asking where the margin is small or the row is little known."""

from typing import NamedTuple

from askance._util.parameters import POSITIVE, POSITIVE_OR_INFINITE, Constraints
from askance.jit.select import maximum
from askance.rules.query.rule import NoMemory
from askance.rules.rows import Seen


class SpreadMargin(NamedTuple):
    """Ask with probability `b / (b + max(0, q))`, `q = |p| - ηvγ / (2(v + γ))`, where v is the spread of the row.

    Hao, Lu, Zhao, Zhang and Hoi 2018. The less is known of a row, the larger the margin that is still in doubt;
    eta and gamma should be those of the update rule `SOAL`. b = ∞ always asks.
    """

    b: float = 1.0
    eta: float = 1.0
    gamma: float = 1.0

    def start(self) -> NoMemory:
        """Nothing to remember."""
        return NoMemory()

    def ask(self, memory: NoMemory, seen: Seen, coin: float) -> float:  # noqa: ARG002
        """b / (b + max(0, q)), written so that an infinite b gives 1."""
        doubt = self.eta * seen.spread * self.gamma / (2.0 * (seen.spread + self.gamma))
        return 1.0 / (1.0 + maximum(0.0, abs(seen.score) - doubt) / self.b)

    def scaled(self, factor: float) -> "SpreadMargin":
        """b times `factor`."""
        return SpreadMargin(self.b * factor, self.eta, self.gamma)

    def constraints(self) -> Constraints:
        """b > 0, η > 0, γ > 0."""
        return {"b": POSITIVE_OR_INFINITE, "eta": POSITIVE, "gamma": POSITIVE}

    def needs_spread(self) -> bool:
        """It looks at v."""
        return True
