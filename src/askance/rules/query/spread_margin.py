"""Ask if the margin is small or little is known about the row."""

from typing import NamedTuple

from askance._util.parameters import POSITIVE, POSITIVE_OR_INFINITE, Constraints
from askance.jit.select import maximum
from askance.rules.query.rule import NoMemory
from askance.rules.rows import Seen


class SpreadMargin(NamedTuple):
    """Ask with probability `b / (b + max(0, q))`, `q = |p| - ηvγ / (2(v + γ))`, where v is the spread of the row.

    The less is known about a row, the larger the margin at which it still asks.

    Parameters
    ----------
    b : float, default=1.0
        The scale. Larger values ask more often, and ∞ always asks.
    eta : float, default=1.0
        η; should be that of the update rule `SOAL`.
    gamma : float, default=1.0
        γ; should be that of the update rule `SOAL`.

    References
    ----------
    Hao, Lu, Zhao, Zhang and Hoi 2018.
    """

    b: float = 1.0
    eta: float = 1.0
    gamma: float = 1.0

    def start(self) -> NoMemory:
        """Return an empty memory."""
        return NoMemory()

    def ask(self, memory: NoMemory, seen: Seen, coin: float) -> float:  # noqa: ARG002
        """Return b / (b + max(0, q)), computed so that an infinite b gives 1."""
        doubt = self.eta * seen.spread * self.gamma / (2.0 * (seen.spread + self.gamma))
        return 1.0 / (1.0 + maximum(0.0, abs(seen.score) - doubt) / self.b)

    def scaled(self, factor: float) -> "SpreadMargin":
        """Return the rule with `factor` times b."""
        return SpreadMargin(self.b * factor, self.eta, self.gamma)

    def constraints(self) -> Constraints:
        """b > 0, η > 0, γ > 0."""
        return {"b": POSITIVE_OR_INFINITE, "eta": POSITIVE, "gamma": POSITIVE}

    def needs_spread(self) -> bool:
        """Return True: the rule reads the spread."""
        return True
