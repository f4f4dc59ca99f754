"""Ask only about rows that are near to those that a memory like that of people keeps."""

from typing import Any, NamedTuple

from askance._util.parameters import Constraints
from askance.jit.bounded import bounded
from askance.jit.select import where
from askance.rules.query.recent_rows import (
    CONSTRAINTS,
    RecentRows,
    compare,
    is_full,
    let_through,
    no_rows,
    weakest,
    with_entries,
)
from askance.rules.query.rule import QueryRule, ScalableRule
from askance.rules.rows import Rows, Seen


class CognitiveWindow(NamedTuple):
    """Ask as `inner` does about rows near to those that are remembered, and less often about others.

    It is `LocalDensity` with another window. A row is recalled when a later row is its new nearest neighbour. Its
    memory strength is exp(-f Δ), with Δ rounds since it was last recalled, or since it came, and f = 1/(1 + n)
    after n recalls. A new row takes the place of the one with the least strength: rows like many others stay, and
    outliers are forgotten soon. With a rule such as `VariableUncertainty` inside, the paper calls the strategy
    CogDQS.

    Distances, time and memory are those of `LocalDensity`. Put `AtRate` or `Within` around this rule, not inside.

    Parameters
    ----------
    inner : QueryRule
        The rule that decides about rows in dense regions.
    window : int, default=10
        The number of rows that are remembered.
    least : int, default=1
        How many of them a row must be the new nearest neighbour of.
    audit : float, default=0.1
        How likely other rows are to be asked about, as a share of the probability of `inner`. 0 is the paper's
        strategy, with probabilities of 0: nothing can be estimated from such labels.
    count_all : bool, default=False
        Whether rows whose question is withheld count for `inner` as rows that it has not asked about. With False
        they do not count.

    References
    ----------
    Liu, Xue, Wu, Zhou, Yang, Li and Cao 2023, "Online active learning for drifting data streams".

    Examples
    --------
    >>> import numpy as np
    >>> from askance import Learner, queries, updates
    >>> X = np.random.default_rng(0).normal(size=(2000, 3))
    >>> y = np.where(X[:, 0] > 0, 1, -1)
    >>> query = queries.CognitiveWindow(queries.VariableUncertainty(rate=0.2))
    >>> trace = Learner(updates.PassiveAggressive2(), query).run(X, y)
    >>> lengths = np.linalg.norm(X, axis=1)
    >>> bool(lengths[trace.asked].mean() < lengths.mean())
    True
    """

    inner: QueryRule
    window: int = 10
    least: int = 1
    audit: float = 0.1
    count_all: bool = False

    def start(self) -> RecentRows:
        """Return a memory without rows."""
        return no_rows(self.window, self.inner.start())

    def make_room(self, memory: RecentRows, width: int) -> RecentRows:
        """Return the memory with room for rows of `width` features."""
        return with_entries(memory, width)

    def see(self, memory: Any, rows: Rows, t: int) -> None:
        """Compare the row with those remembered, and let it take the place of the one with the weakest memory."""
        slot = compare(memory, rows, t)
        forgotten = weakest(memory)
        memory.arrivals[forgotten] = where(is_full(memory), 0, memory.arrivals[forgotten])
        memory.arrivals[slot] = memory.rounds[0]

    def ask(self, memory: RecentRows, seen: Seen, coin: float) -> float:
        """Return the probability of `inner`, times `audit` if the row is not in a dense region."""
        share, seen, rest = let_through(memory, seen, coin, self.least, self.audit, self.count_all)
        probability: float = share * bounded(self.inner, self.inner.ask(memory.inner, seen, rest))
        return probability

    def scaled(self, factor: float) -> "CognitiveWindow":
        """Return the rule with `inner` scaled."""
        inner: ScalableRule = self.inner  # type: ignore[assignment]  # checked where a rule is wrapped in AtRate
        return CognitiveWindow(inner.scaled(factor), self.window, self.least, self.audit, self.count_all)

    def constraints(self) -> Constraints:
        """window ≥ 1, least ≥ 1, 0 ≤ audit ≤ 1."""
        return CONSTRAINTS
