"""The protocol of query rules."""

from typing import Any, NamedTuple, Protocol

from askance._util.parameters import Constraints
from askance.jit.interop import inlined
from askance.rules.rows import Rows, Seen


class QueryRule(Protocol):
    """When to ask for a label: a `typing.NamedTuple` of hyper-parameters with these methods.

    `start` and `constraints` run in plain Python. `ask` also runs in compiled code and must not branch on numbers:
    use `where`, `maximum` and `minimum` from `askance.rules.api` instead of `if`. A rule that reads `Seen.spread`
    has a method `needs_spread` that returns True. A rule for `AtRate` has a method `scaled`; see `ScalableRule`.

    Examples
    --------
    Ask with a probability that falls linearly with the margin:

    >>> from typing import NamedTuple
    >>> from askance.rules.api import POSITIVE, NoMemory, maximum
    >>> class Falling(NamedTuple):
    ...     far: float = 1.0
    ...
    ...     def start(self):
    ...         return NoMemory()
    ...
    ...     def ask(self, memory, seen, coin):
    ...         return maximum(0.01, 1.0 - abs(seen.score) / self.far)
    ...
    ...     def constraints(self):
    ...         return {"far": POSITIVE}
    >>> from askance import Learner, updates
    >>> learner = Learner(updates.Perceptron(), Falling(far=2.0))
    >>> float(learner.ask([0.0, 1.0]).ask_probability)
    1.0
    """

    def start(self) -> Any:
        """Return the memory before the first row: a named tuple of arrays, or `NoMemory()`."""

    def ask(self, memory: Any, seen: Seen, coin: float) -> float:
        """Return the probability of asking for the label of this row, and update the memory.

        It is called exactly once per row. The label is asked for if and only if the coin is less than the returned
        probability.

        Parameters
        ----------
        memory : named tuple
            What `start` returned, as changed by earlier calls. Write into its arrays.
        seen : Seen
            What is known about the row.
        coin : float
            A uniform random number in [0, 1).

        Returns
        -------
        float
            The probability, from 0 to 1. It must not depend on the coin.
        """

    def constraints(self) -> Constraints:
        """Return the allowed values of the hyper-parameters, by name."""


def needs_spread(rule: Any) -> bool:
    """Return whether a query rule, or a rule that it wraps, reads `Seen.spread`."""
    inner = getattr(rule, "inner", None)
    return bool(hasattr(rule, "needs_spread") and rule.needs_spread()) or (
        inner is not None and needs_spread(inner)
    )


class ScalableRule(QueryRule, Protocol):
    """A query rule that can be made more or less likely to ask, as `AtRate` requires."""

    def scaled(self, factor: float) -> "ScalableRule":
        """Return the rule with its scale, such as `b` of `Margin`, times `factor`; probabilities stay positive."""


class RowQueryRule(QueryRule, Protocol):
    """A query rule that sees the features of rows, for example to compare them with earlier ones.

    A rule inside it is its field `inner`, whose memory is the field `inner` of the memory. Both are seen to.
    """

    def make_room(self, memory: Any, width: int) -> Any:
        """Return the memory with room for rows of `width` features, in plain Python.

        The shapes of its arrays must depend on the parameters and the width alone. It is called before the first
        row, and when rows become wider.
        """

    def see(self, memory: Any, rows: Rows, t: int) -> None:
        """Take note of row `t`, which is sound: `rows.size(t)` entries, of which `rows.entry(t, k)` is one.

        It is called once per row, before `ask`, in compiled code.
        """


def sees_rows(rule: Any) -> bool:
    """Return whether a query rule, or a rule that it wraps, sees the features of rows."""
    inner = getattr(rule, "inner", None)
    return hasattr(rule, "see") or (inner is not None and sees_rows(inner))


def with_room(rule: Any, memory: Any, width: int) -> Any:
    """Return the memory of a query rule with room for rows of `width` features."""
    if hasattr(rule, "inner") and sees_rows(rule.inner):
        memory = memory._replace(inner=with_room(rule.inner, memory.inner, width))
    return rule.make_room(memory, width) if hasattr(rule, "see") else memory


def check_memory(memory: Any) -> None:
    """Raise ValueError if the memory of a query rule, or of one inside it, has numbers that cannot be."""
    if hasattr(memory, "check"):
        memory.check()
    if hasattr(memory, "inner"):
        check_memory(memory.inner)


class NoMemory(NamedTuple):
    """The memory of a query rule that remembers nothing."""


@inlined
def with_eligible(seen: Seen, factor: float) -> Seen:
    """Return what is seen with `eligible` times `factor`."""
    score, spread, squared_norm, prediction, mistakes, max_squared_norm, n_labels, n_positives, eligible = seen
    eligible = eligible * factor
    return Seen(
        score, spread, squared_norm, prediction, mistakes, max_squared_norm, n_labels, n_positives, eligible
    )


def refused(memory: Any) -> int:
    """Return how many questions the budgets around a rule have refused so far."""
    own = int(memory.refused[0]) if hasattr(memory, "refused") else 0
    return own + (refused(memory.inner) if hasattr(memory, "inner") else 0)
