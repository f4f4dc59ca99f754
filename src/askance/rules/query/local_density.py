"""Ask only about rows that are near to recent ones."""

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
    oldest,
    with_entries,
)
from askance.rules.query.rule import QueryRule, ScalableRule
from askance.rules.rows import Rows, Seen


class LocalDensity(NamedTuple):
    """Ask as `inner` does about rows in dense regions, and less often about others.

    The local density of a row is the number of rows, among the last `window`, to which it is nearer than every row
    that these have met so far. If it is less than `least`, as it is for outliers, the probability is that of
    `inner` times `audit`. With a random threshold inside, the paper calls the strategy DBALStream.

    Distances are Euclidean, between rows as the update rule sees them: scaled, if the learner scales. The first
    4,096 values of a row that are not 0 are compared. A row takes time O(window · d') for d' values per row, and
    the memory is that of `window` + 1 rows.

    Put `AtRate` or `Within` around this rule, not inside it: they count the questions that are left.

    Parameters
    ----------
    inner : QueryRule
        The rule that decides about rows in dense regions.
    window : int, default=100
        The number of recent rows to compare with.
    least : int, default=1
        The local density that a row needs.
    audit : float, default=0.1
        How likely other rows are to be asked about, as a share of the probability of `inner`. 0 is the paper's
        strategy, with probabilities of 0: nothing can be estimated from such labels.
    count_all : bool, default=False
        Whether rows whose question is withheld count for `inner` as rows that it has not asked about. With False
        they do not count.

    References
    ----------
    Ienco, Pfahringer and Žliobaitė 2014, "High density-focused uncertainty sampling for active learning over
    evolving stream data".

    Examples
    --------
    A row like recent ones, and an outlier:

    >>> from askance import Learner, queries, updates
    >>> learner = Learner(updates.Perceptron(), queries.LocalDensity(queries.Always(), audit=0.0))
    >>> rows = [[0.0, 1.0], [0.0, 1.2], [0.0, 1.1], [9.0, 0.0]]
    >>> [learner.ask(row).ask for row in rows]
    [False, True, True, False]
    """

    inner: QueryRule
    window: int = 100
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
        """Compare the row with the window, and let it take the place of the oldest."""
        slot = compare(memory, rows, t)
        last = oldest(memory)
        memory.arrivals[last] = where(is_full(memory), 0, memory.arrivals[last])
        memory.arrivals[slot] = memory.rounds[0]

    def ask(self, memory: RecentRows, seen: Seen, coin: float) -> float:
        """Return the probability of `inner`, times `audit` if the row is not in a dense region."""
        share, seen, rest = let_through(memory, seen, coin, self.least, self.audit, self.count_all)
        probability: float = share * bounded(self.inner, self.inner.ask(memory.inner, seen, rest))
        return probability

    def scaled(self, factor: float) -> "LocalDensity":
        """Return the rule with `inner` scaled."""
        inner: ScalableRule = self.inner  # type: ignore[assignment]  # checked where a rule is wrapped in AtRate
        return LocalDensity(inner.scaled(factor), self.window, self.least, self.audit, self.count_all)

    def constraints(self) -> Constraints:
        """window ≥ 1, least ≥ 1, 0 ≤ audit ≤ 1."""
        return CONSTRAINTS
