"""Asking when the margin is small, with a scale that grows with the mistakes seen."""

import math
from typing import NamedTuple

from askance._util.parameters import POSITIVE_OR_INFINITE, Constraints
from askance.jit.select import maximum, where
from askance.rules.query.rule import NoMemory
from askance.rules.rows import Seen


class Adaptive(NamedTuple):
    """Ask with probability `b / (b + |p|)`, where b = β X² √(1 + K).

    Cesa-Bianchi, Gentile and Zaniboni 2006, figure 2: K counts the mistakes that labels have shown, and X² is the
    largest x·x among these and the row in hand. Where b = 0, which takes a row of zeros, it does not ask.
    """

    beta: float = 1.0

    def start(self) -> NoMemory:
        """Nothing to remember: the past counts mistakes."""
        return NoMemory()

    def ask(self, memory: NoMemory, seen: Seen, coin: float) -> float:  # noqa: ARG002
        """`b / (b + |p|)`, written so that an infinite b gives 1."""
        b = self.beta * maximum(seen.max_squared_norm, seen.squared_norm) * math.sqrt(1.0 + seen.mistakes)
        probability: float = where(b > 0, 1.0 / (1.0 + abs(seen.score) / where(b > 0, b, 1.0)), 0.0)
        return probability

    def scaled(self, factor: float) -> "Adaptive":
        """β times `factor`."""
        return Adaptive(self.beta * factor)

    def constraints(self) -> Constraints:
        """β > 0."""
        return {"beta": POSITIVE_OR_INFINITE}
