"""Asking when the margin is small, by a measure that grows with the mistakes."""

import math
from typing import NamedTuple

from askance.engine.choose import larger, where
from askance.limits import POSITIVE_OR_INFINITE, Limits
from askance.queries.rule import NoMemory
from askance.rows import Seen


class Adaptive(NamedTuple):
    """Ask with probability `b / (b + |p|)`, where b = β X² √(1 + K).

    Cesa-Bianchi, Gentile and Zaniboni 2006, figure 2: K is the number of mistakes that labels have shown so far,
    and X² the longest x·x among their rows and this one. The bound on the mistakes is of the same form as with the
    best constant b, which nobody knows beforehand. A row of zeros before any mistake is not asked for; β = ∞ asks
    for all others.
    """

    beta: float = 1.0

    def start(self) -> NoMemory:
        """Nothing to remember: mistakes are counted for all."""
        return NoMemory()

    def ask(self, memory: NoMemory, seen: Seen, coin: float) -> float:  # noqa: ARG002
        """`b / (b + |p|)`, written so that an infinite b gives 1."""
        b = self.beta * larger(seen.longest, seen.squared_norm) * math.sqrt(1.0 + seen.mistakes)
        probability: float = where(b > 0, 1.0 / (1.0 + abs(seen.score) / where(b > 0, b, 1.0)), 0.0)
        return probability

    def scaled(self, factor: float) -> "Adaptive":
        """β times `factor`."""
        return Adaptive(self.beta * factor)

    def limits(self) -> Limits:
        """β > 0."""
        return {"beta": POSITIVE_OR_INFINITE}
