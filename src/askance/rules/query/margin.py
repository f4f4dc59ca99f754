"""Ask if the margin is small: the randomised rule of selective sampling."""

from typing import NamedTuple

from askance._util.parameters import NOT_NEGATIVE, POSITIVE_OR_INFINITE, Constraints
from askance.rules.query.rule import NoMemory
from askance.rules.rows import Seen


class Margin(NamedTuple):
    """Ask with probability `b / (b + offset + |p|)`.

    With offset 0, it always asks if the score p is 0, for example about a row of unknown features.

    Parameters
    ----------
    b : float, default=1.0
        The scale: at `|p| = b - offset`, it asks with probability 1/2. Larger values ask more often, and ∞ always
        asks.
    offset : float, default=0.0
        Added to the margin `|p|`; 1 in theorem 4 of Lu, Zhao and Hoi 2016.

    References
    ----------
    Cesa-Bianchi, Gentile and Zaniboni 2006, figure 1; Lu, Zhao and Hoi 2016, algorithm 2 and theorem 4.

    Examples
    --------
    >>> from askance import Learner, queries, updates
    >>> learner = Learner(updates.Perceptron(), queries.Margin(b=1.0), classes=[-1, 1])
    >>> _ = learner.partial_fit([[0.0, 1.0]], [-1])
    >>> float(learner.ask([0.0, 3.0]).ask_probability)
    0.25
    """

    b: float = 1.0
    offset: float = 0.0

    def start(self) -> NoMemory:
        """Return an empty memory."""
        return NoMemory()

    def ask(self, memory: NoMemory, seen: Seen, coin: float) -> float:  # noqa: ARG002
        """Return `b / (b + offset + |p|)`, computed so that an infinite b gives 1."""
        return 1.0 / (1.0 + (self.offset + abs(seen.score)) / self.b)

    def scaled(self, factor: float) -> "Margin":
        """Return the rule with `factor` times b."""
        return Margin(self.b * factor, self.offset)

    def constraints(self) -> Constraints:
        """b > 0, offset ≥ 0."""
        return {"b": POSITIVE_OR_INFINITE, "offset": NOT_NEGATIVE}
