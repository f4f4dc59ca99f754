"""What a query rule is."""

from typing import Any, NamedTuple, Protocol

from askance._util.parameters import Constraints
from askance.rules.rows import Seen


class QueryRule(Protocol):
    """When to ask for a label: a named tuple of hyper-parameters with these methods.

    `ask` decides and advances in one go: it returns the probability of asking and notes in the memory what
    it needs for later rounds. The label is asked for if and only if the coin is less than that probability.
    """

    def start(self) -> Any:
        """The memory before the first row: a named tuple of arrays."""

    def ask(self, memory: Any, seen: Seen, coin: float) -> float:
        """The probability of asking for the label of this row."""

    def constraints(self) -> Constraints:
        """The allowed values of the hyper-parameters."""


def needs_spread(rule: Any) -> bool:
    """Whether a query rule, or one that it wraps, looks at the spread: it then has a method that says so."""
    inner = getattr(rule, "inner", None)
    return bool(hasattr(rule, "needs_spread") and rule.needs_spread()) or (
        inner is not None and needs_spread(inner)
    )


class ScalableRule(QueryRule, Protocol):
    """A query rule whose eagerness can be turned up and down."""

    def scaled(self, factor: float) -> "ScalableRule":
        """The same rule, `factor` times as eager; every probability stays positive."""


class NoMemory(NamedTuple):
    """The memory of a rule that needs none."""


def refused(memory: Any) -> int:
    """How many labels the budgets around a rule have refused so far."""
    own = int(memory.refused[0]) if hasattr(memory, "refused") else 0
    return own + (refused(memory.inner) if hasattr(memory, "inner") else 0)
