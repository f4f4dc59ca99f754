"""Asking when the margin is small or the features are rare."""

from typing import NamedTuple

from askance._util.parameters import NOT_NEGATIVE, POSITIVE_OR_INFINITE, YES_OR_NO, Constraints
from askance.jit.select import maximum, where
from askance.rules.query.rule import NoMemory
from askance.rules.rows import Seen


class Discrimination(NamedTuple):
    """Ask with probability `b / (b + max(q, 0))`, where `q = |p| - (η/2) a v` and v is the spread.

    Zhai et al. 2022, algorithm 1, with η that of the update rule. If `damped`, a = 1 / max(1, x·x); else a = 1, as
    in the forms -I. A row is asked for without fail where its spread outweighs its margin; η = 0 leaves the rule
    `Margin`, and b = ∞ always asks.
    """

    b: float = 1.0
    eta: float = 1.0
    damped: bool = True

    def start(self) -> NoMemory:
        """Nothing to remember."""
        return NoMemory()

    def ask(self, memory: NoMemory, seen: Seen, coin: float) -> float:  # noqa: ARG002
        """`b / (b + max(q, 0))`, written so that an infinite b gives 1."""
        length = where(self.damped, maximum(1.0, seen.squared_norm), 1.0)
        doubt = abs(seen.score) - 0.5 * self.eta * seen.spread / length
        probability: float = 1.0 / (1.0 + maximum(0.0, doubt) / self.b)
        return probability

    def scaled(self, factor: float) -> "Discrimination":
        """b times `factor`."""
        return Discrimination(self.b * factor, self.eta, self.damped)

    def needs_spread(self) -> bool:
        """Yes."""
        return True

    def constraints(self) -> Constraints:
        """b > 0, η ≥ 0."""
        return {"b": POSITIVE_OR_INFINITE, "eta": NOT_NEGATIVE, "damped": YES_OR_NO}
