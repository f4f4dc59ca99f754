"""Asking blindly: the comparator of every active rule."""

from typing import NamedTuple

from askance._util.parameters import SHARE, Constraints
from askance.jit.select import minimum
from askance.rules.query.rule import NoMemory
from askance.rules.rows import Seen


class Random(NamedTuple):
    """Ask with the constant probability `ratio`, whatever the row."""

    ratio: float = 0.5

    def start(self) -> NoMemory:
        """Nothing to remember."""
        return NoMemory()

    def ask(self, memory: NoMemory, seen: Seen, coin: float) -> float:  # noqa: ARG002
        """The ratio."""
        return self.ratio

    def scaled(self, factor: float) -> "Random":
        """The ratio times `factor`, at most 1."""
        return Random(minimum(1.0, self.ratio * factor))

    def constraints(self) -> Constraints:
        """0 < ratio ≤ 1."""
        return {"ratio": SHARE}
