"""A query rule of a user's own, in a module that workers can import."""

from typing import Any, NamedTuple

from askance.rules.api import POSITIVE, Constraints, NoMemory, maximum, minimum


class Near(NamedTuple):
    """The probability falls from 1 to `floor` as |p| grows to `far`."""

    far: float = 1.0
    floor: float = 0.01

    def start(self) -> NoMemory:
        return NoMemory()

    def ask(self, memory: Any, seen: Any, coin: float) -> Any:
        return maximum(self.floor, 1.0 - abs(seen.score) / self.far)

    def scaled(self, factor: float) -> "Near":
        return Near(self.far * factor, minimum(1.0, self.floor * factor))

    def constraints(self) -> Constraints:
        return {"far": POSITIVE, "floor": POSITIVE}


class Undecided(NamedTuple):
    """Asks for nothing, because what it returns is NaN."""

    def start(self) -> NoMemory:
        return NoMemory()

    def ask(self, memory: Any, seen: Any, coin: float) -> Any:
        return 0.0 * seen.score / 0.0

    def constraints(self) -> Constraints:
        return {}
