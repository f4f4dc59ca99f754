"""Asking when the margin is small: the randomised rule of selective sampling."""

from typing import NamedTuple

from askance._util.parameters import NOT_NEGATIVE, POSITIVE_OR_INFINITE, Constraints
from askance.rules.query.rule import NoMemory
from askance.rules.rows import Seen


class Margin(NamedTuple):
    """Ask with probability `b / (b + offset + |p|)`.

    Cesa-Bianchi, Gentile and Zaniboni 2006, figure 1, with offset 0; the rule of theorem 4 of Lu, Zhao and
    Hoi 2016 has offset 1. Where nothing is known (p = 0) it asks for sure with offset 0, and b = ∞ always asks.
    """

    b: float = 1.0
    offset: float = 0.0

    def start(self) -> NoMemory:
        """Nothing to remember."""
        return NoMemory()

    def ask(self, memory: NoMemory, seen: Seen, coin: float) -> float:  # noqa: ARG002
        """`b / (b + offset + |p|)`, written so that an infinite b gives 1."""
        return 1.0 / (1.0 + (self.offset + abs(seen.score)) / self.b)

    def scaled(self, factor: float) -> "Margin":
        """b times `factor`."""
        return Margin(self.b * factor, self.offset)

    def constraints(self) -> Constraints:
        """b > 0, offset ≥ 0."""
        return {"b": POSITIVE_OR_INFINITE, "offset": NOT_NEGATIVE}
