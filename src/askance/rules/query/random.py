"""Ask at random: the baseline that active rules are compared with."""

from typing import NamedTuple

from askance._util.parameters import SHARE, Constraints
from askance.jit.select import minimum
from askance.rules.query.rule import NoMemory
from askance.rules.rows import Seen


class Random(NamedTuple):
    """Ask with the constant probability `ratio`, whatever the row.

    Parameters
    ----------
    ratio : float, default=0.5
        The probability, greater than 0 and at most 1.

    Examples
    --------
    >>> from askance import Learner, queries, updates
    >>> learner = Learner(updates.Perceptron(), queries.Random(0.2))
    >>> learner.ask([0.0, 1.0]).ask_probability
    0.2
    """

    ratio: float = 0.5

    def start(self) -> NoMemory:
        """Return an empty memory."""
        return NoMemory()

    def ask(self, memory: NoMemory, seen: Seen, coin: float) -> float:  # noqa: ARG002
        """Return the ratio."""
        return self.ratio

    def scaled(self, factor: float) -> "Random":
        """Return the rule with `factor` times the ratio, at most 1."""
        return Random(minimum(1.0, self.ratio * factor))

    def constraints(self) -> Constraints:
        """0 < ratio ≤ 1."""
        return {"ratio": SHARE}
