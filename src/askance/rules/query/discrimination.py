"""Ask if the margin is small or the features of the row are rare."""

from typing import NamedTuple

from askance._util.parameters import NOT_NEGATIVE, POSITIVE, POSITIVE_OR_INFINITE, YES_OR_NO, Constraints
from askance.jit.interop import inlined
from askance.jit.select import maximum, where
from askance.rules.query.rule import NoMemory
from askance.rules.rows import Seen


class Discrimination(NamedTuple):
    """Ask with probability `b / (b + max(q, 0))`, where `q = |p| - (η/2) a v` and v is the spread.

    a = 1 / max(1, x·x) if `damped`, and a = 1 otherwise. It always asks if the spread outweighs the margin.

    Parameters
    ----------
    b : float, default=1.0
        The scale. Larger values ask more often, and ∞ always asks.
    eta : float, default=1.0
        The step size η of the update rule. With 0, the rule is `Margin`.
    damped : bool, default=True
        Divide the spread by max(1, x·x). The variants of the paper with the suffix -I do not.

    References
    ----------
    Zhai, Koriche, Gao, Zhu and Li 2022, algorithm 1 and remark 3.
    """

    b: float = 1.0
    eta: float = 1.0
    damped: bool = True

    def start(self) -> NoMemory:
        """Return an empty memory."""
        return NoMemory()

    def ask(self, memory: NoMemory, seen: Seen, coin: float) -> float:  # noqa: ARG002
        """Return `b / (b + max(q, 0))`, computed so that an infinite b gives 1."""
        return asking(seen, self.b, self.eta, self.damped)

    def scaled(self, factor: float) -> "Discrimination":
        """Return the rule with `factor` times b."""
        return Discrimination(self.b * factor, self.eta, self.damped)

    def needs_spread(self) -> bool:
        """Return True: the rule reads the spread."""
        return True

    def constraints(self) -> Constraints:
        """b > 0, η ≥ 0."""
        return {"b": POSITIVE_OR_INFINITE, "eta": NOT_NEGATIVE, "damped": YES_OR_NO}


class CostSensitiveDiscrimination(NamedTuple):
    """`Discrimination` with b times the cost of a mistake: ρ if it would miss a positive row, and 1 otherwise.

    If the prediction is wrong, the label is the other class, so that its cost ρ_{-ŷ} is known before the label is:
    the probability is `ρ_{-ŷ} b / (ρ_{-ŷ} b + max(q, 0))`, where `q = |p| - (η/2) a v` and v is the spread. With
    ρ = 1, and with many classes, it is `Discrimination`.

    Parameters
    ----------
    b : float, default=1.0
        The scale. Larger values ask more often, and ∞ always asks.
    eta : float, default=1.0
        The step size η of the update rule.
    rho : float, default=2.0
        The cost ρ of a missed positive row relative to a false alarm.
    damped : bool, default=True
        Divide the spread by max(1, x·x).

    References
    ----------
    Zhai, Koriche, Gao, Zhu and Li 2022, algorithm 1, with costs as in decision 75.
    """

    b: float = 1.0
    eta: float = 1.0
    rho: float = 2.0
    damped: bool = True

    def start(self) -> NoMemory:
        """Return an empty memory."""
        return NoMemory()

    def ask(self, memory: NoMemory, seen: Seen, coin: float) -> float:  # noqa: ARG002
        """Return the probability of `Discrimination` with `ρ_{-ŷ} b` instead of b."""
        # A score of 0 is always asked about, whatever its prediction; with many classes, none is negative.
        cost = where(seen.score < 0, self.rho, 1.0)
        return asking(seen, self.b * cost, self.eta, self.damped)

    def scaled(self, factor: float) -> "CostSensitiveDiscrimination":
        """Return the rule with `factor` times b."""
        return CostSensitiveDiscrimination(self.b * factor, self.eta, self.rho, self.damped)

    def needs_spread(self) -> bool:
        """Return True: the rule reads the spread."""
        return True

    def constraints(self) -> Constraints:
        """b > 0, η ≥ 0, ρ > 0."""
        return {"b": POSITIVE_OR_INFINITE, "eta": NOT_NEGATIVE, "rho": POSITIVE, "damped": YES_OR_NO}


@inlined
def asking(seen: Seen, b: float, eta: float, damped: bool) -> float:
    """Return `b / (b + max(q, 0))`."""
    length = where(damped, maximum(1.0, seen.squared_norm), 1.0)
    doubt = abs(seen.score) - 0.5 * eta * seen.spread / length
    probability: float = 1.0 / (1.0 + maximum(0.0, doubt) / b)
    return probability
