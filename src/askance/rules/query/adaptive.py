"""Asking when the margin is small, with a scale that grows with the mistakes seen."""

import math
from typing import NamedTuple

from askance._util.parameters import POSITIVE_OR_INFINITE, YES_OR_NO, Constraints
from askance.jit.select import maximum, where
from askance.rules.query.rule import NoMemory
from askance.rules.rows import Seen


class Adaptive(NamedTuple):
    """Ask with probability `b / (b + |p|)`, where b = β X² √(1 + K) adapts to the stream.

    K is the number of mistakes that labels have revealed, and X² the largest x·x among their rows and the current
    row. If b = 0, which happens only for rows of zeros, it does not ask.

    Passive-aggressive rules measure margins against 1, whatever the length of the rows. For them b = β √(1 + K) is
    enough: the rule of PAA-I-ada (decision 75).

    Parameters
    ----------
    beta : float, default=1.0
        The scale β. Larger values ask more often, and ∞ always asks.
    by_length : bool, default=True
        Multiply by X².

    References
    ----------
    Cesa-Bianchi, Gentile and Zaniboni 2006, figure 2.
    """

    beta: float = 1.0
    by_length: bool = True

    def start(self) -> NoMemory:
        """Return an empty memory: `Seen` has the number of mistakes."""
        return NoMemory()

    def ask(self, memory: NoMemory, seen: Seen, coin: float) -> float:  # noqa: ARG002
        """Return `b / (b + |p|)`, computed so that an infinite b gives 1."""
        length = where(self.by_length, maximum(seen.max_squared_norm, seen.squared_norm), 1.0)
        b = self.beta * length * math.sqrt(1.0 + seen.mistakes)
        probability: float = where(b > 0, 1.0 / (1.0 + abs(seen.score) / where(b > 0, b, 1.0)), 0.0)
        return probability

    def scaled(self, factor: float) -> "Adaptive":
        """Return the rule with `factor` times β."""
        return Adaptive(self.beta * factor, self.by_length)

    def constraints(self) -> Constraints:
        """β > 0."""
        return {"beta": POSITIVE_OR_INFINITE, "by_length": YES_OR_NO}
