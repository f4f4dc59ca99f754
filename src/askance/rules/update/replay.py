"""Go over labelled rows again."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from askance._util.parameters import COUNT, Constraints, Interval
from askance.rules.rows import Seen
from askance.rules.state.replayed import ReplayState, empty_memory
from askance.rules.state.replayed_classes import ReplayClassesState
from askance.rules.update.passive_aggressive import PassiveAggressive2
from askance.rules.update.rule import About


class Replay(NamedTuple):
    """Learn as `inner` does, remember the row, and visit remembered rows again after each label.

    PA-I and PA-II take steps of dual coordinate descent for a support vector machine with hinge and squared hinge
    loss. With its dual variable remembered, a row can be visited again, and after enough visits the weights are
    those of the support vector machine on all remembered labels; with many classes, of the machine of Crammer and
    Singer. Use it where labels are few and rows are many: a label is then worth more than the time that its visits
    take.

    Parameters
    ----------
    inner : PassiveAggressive1 or PassiveAggressive2, default=PassiveAggressive2()
        The rule.
    memory : int, default=1000
        The number of labelled rows to remember; the oldest give way. What was learned from them stays.
    visits : int, default=1000
        The number of remembered rows to visit after each label, in turn.

    References
    ----------
    Hsieh, Chang, Lin, Keerthi and Sundararajan 2008, "A dual coordinate descent method for large-scale linear
    SVM"; Keerthi, Sundararajan, Chang, Hsieh and Lin 2008, "A sequential dual method for large scale multi-class
    linear SVMs".

    Examples
    --------
    >>> import numpy as np
    >>> from askance import Learner, queries, updates
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(60, 20))
    >>> y = np.where(X[:, 0] > 0, 1, -1)
    >>> once, again = (Learner(rule, queries.Always()).fit(X, y) for rule in
    ...     (updates.PassiveAggressive2(), updates.Replay(updates.PassiveAggressive2())))
    >>> more = random.normal(size=(1000, 20))
    >>> truth = np.where(more[:, 0] > 0, 1, -1)
    >>> bool(again.score(more, truth) > once.score(more, truth))
    True
    """

    inner: Any = PassiveAggressive2()
    memory: int = 1000
    visits: int = 1000

    def start(self, width: int, dtype: DTypeLike) -> ReplayState:
        """w = 0, and nothing remembered."""
        memory = empty_memory(self.memory, width, dtype)
        return ReplayState(np.zeros(width, dtype), np.zeros(self.memory), memory, self.inner, self.visits)

    def start_lanes(self, width: int, lanes: int, dtype: DTypeLike) -> ReplayClassesState:
        """The same for `lanes` classes."""
        memory, duals = empty_memory(self.memory, width, dtype), np.zeros((self.memory, lanes))
        return ReplayClassesState(np.zeros(width * lanes, dtype), duals, memory, self.inner, self.visits)

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """The step of `inner`."""
        fires, step = self.inner.step(seen, label)
        return fires, step

    def constraints(self) -> Constraints:
        """memory ≥ 1, visits ≥ 0."""
        return {"memory": COUNT, "visits": Interval(0, np.inf, low_closed=True)}

    def check(self) -> None:
        """Raise TypeError unless the steps of `inner` are steps along a dual variable."""
        if not hasattr(self.inner, "dual_after"):
            name = type(self.inner).__name__
            raise TypeError(f"Replay needs PassiveAggressive1 or PassiveAggressive2, not {name}")

    def about(self) -> About:
        """For two classes and for many."""
        return About(cost="O(d' · visits)", many_classes=True)
