"""Ask about every row: full supervision."""

from typing import NamedTuple

from askance._util.parameters import Constraints
from askance.rules.query.rule import NoMemory
from askance.rules.rows import Seen


class Always(NamedTuple):
    """Ask for every label, with probability 1. It has no parameters."""

    def start(self) -> NoMemory:
        """Return an empty memory."""
        return NoMemory()

    def ask(self, memory: NoMemory, seen: Seen, coin: float) -> float:  # noqa: ARG002
        """Return 1."""
        return 1.0

    def constraints(self) -> Constraints:
        """It has no hyper-parameters."""
        return {}
