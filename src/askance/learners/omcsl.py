"""OMCSL: a learner with many costs at once."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance._util.parameters import OneOf, check_parameters
from askance.learners.learner import Learner
from askance.rules.imbalance.many_costs import LAST, ManyCosts, costs
from askance.rules.imbalance.measures import MEASURES, F
from askance.rules.query import Always, QueryRule
from askance.rules.registry import is_rule
from askance.rules.update.gradient import SCHEDULES

LOSSES = {"hinge": False, "logistic": True}
WORDS = {
    "measure": OneOf(tuple(MEASURES)),
    "loss": OneOf(tuple(LOSSES)),
    "schedule": OneOf(tuple(SCHEDULES)),
}


class OMCSL(Learner):
    """Learn with many costs at once: for rare positive rows and a measure that no known cost vector optimizes.

    Several classifiers learn with different costs. In each round `ask` and `run` draw one of them, the better ones
    more often; `predict` and `decision_function` use the one with the best measure so far.

    Parameters
    ----------
    measure : {"F", "AUROC", "AUPRC"}, default="F"
        The measure to optimize.
    loss : {"hinge", "logistic"}, default="hinge"
        The loss of each classifier.
    K : int, default=9
        The number of classifiers. Their costs are c₊ = 1 - θ/2 and c₋ = θ/2 with θ = 1/(K+1), …, K/(K+1).
    gamma : float, default=100.0
        How strongly better classifiers are preferred: 0 draws uniformly, a large value takes the best so far.
        The paper's names in the catalog use 1, with which the best is drawn little more often than the others,
        because measures lie between 0 and 1.
    eta : float, default=1.0
        The learning rate.
    schedule : {"sqrt", "const"}, default="sqrt"
        η/√t or η in round t.
    m : int, default=100
        The number of bins into which scores are sorted for AUROC and AUPRC.
    query : query rule, default=queries.Always()
        When to ask for a label. With another rule than the default, the measures are estimated from the labels
        that were asked for, weighted by 1/ask_probability: pass the probability of the decision to `tell`.
    random_state, dtype, sgn0, classes, intercept, scaling, probability, positive
        As in `Learner`. The measure is that of the positive class, which should be the rare one: the larger class
        if `positive` does not name it.

    Examples
    --------
    >>> import numpy as np
    >>> from askance import OMCSL
    >>> rng = np.random.default_rng(0)
    >>> X = np.column_stack([rng.normal(size=2000), np.ones(2000)])
    >>> y = X[:, 0] > 1.5
    >>> trace = OMCSL(measure="F").run(X, y)
    >>> bool(trace.summary().f > 0.7)
    True
    """

    multiclass = False

    def __init__(
        self,
        measure: str = "F",
        loss: str = "hinge",
        K: int = 9,
        gamma: float = 100.0,
        eta: float = 1.0,
        schedule: str = "sqrt",
        m: int = 100,
        query: QueryRule | None = None,
        *,
        random_state: int = 0,
        dtype: str = "float32",
        sgn0: int = -1,
        classes: Sequence[Any] | None = None,
        intercept: float = 0.0,
        scaling: str | None = None,
        probability: bool = False,
        positive: Any = None,
    ) -> None:
        self.measure = measure
        self.loss = loss
        self.K = K
        self.gamma = gamma
        self.eta = eta
        self.schedule = schedule
        self.m = m
        self.query = query
        self.random_state = random_state
        self.dtype = dtype
        self.sgn0 = sgn0
        self.classes = classes
        self.intercept = intercept
        self.scaling = scaling
        self.probability = probability
        self.positive = positive

    @classmethod
    def of(cls, update: ManyCosts, query: QueryRule, **others: Any) -> "OMCSL":
        """The learner with this update rule."""
        return cls(
            type(update.measure).__name__,
            _name_of(LOSSES, update.logistic),
            update.K,
            update.gamma,
            update.eta,
            _name_of(SCHEDULES, update.decaying),
            getattr(update.measure, "m", 100),
            query,
            **others,
        )

    @property
    def update(self) -> ManyCosts:  # type: ignore[override]
        """The update rule that follows from the parameters."""
        check_parameters(self, WORDS)
        kind = MEASURES[self.measure]
        measure = kind() if kind is F else kind(self.m)
        decaying, logistic = SCHEDULES[self.schedule], LOSSES[self.loss]
        return ManyCosts(measure, self.K, self.gamma, self.eta, decaying, logistic)

    @property
    def costs_(self) -> NDArray[np.float64]:
        """The costs of a missed positive and of a false alarm, one row per classifier."""
        return costs(self.K)

    @property
    def measures_(self) -> NDArray[np.float64]:
        """The measure of each classifier over the stream so far."""
        self._check_fitted()
        values: NDArray[np.float64] = self._core.machine.core.state.observed.values[: self.K].copy()
        return values

    @property
    def chances_(self) -> NDArray[np.float64]:
        """The probability with which each classifier is drawn."""
        self._check_fitted()
        added = self._core.machine.core.state.chances[: self.K]
        return np.diff(added, prepend=0.0) / added[-1]

    @property
    def cost_(self) -> tuple[float, float]:
        """The costs of the currently best classifier."""
        return _pair(self.costs_[np.argmax(self.measures_)])

    def recent_costs(self, labels: int = LAST) -> tuple[float, float]:
        """The mean costs of the classifiers that were best at each of the last `labels` labels, up to 5,000."""
        self._check_fitted()
        state = self._core.machine.core.state
        seen = int(state.best[1])
        last = np.arange(seen - min(labels, seen, LAST), seen) % LAST
        return _pair(self.costs_[state.recent[last]].mean(axis=0)) if len(last) else self.cost_

    def _rules(self) -> tuple[Any, Any]:
        # Not `or`: a rule without parameters is an empty tuple, which is false.
        return self.update, Always() if self.query is None else self.query

    def _nested_rules(self) -> Mapping[str, Any]:
        # The update rule follows from the other parameters.
        query = Always() if self.query is None else self.query
        return {"query": query} if is_rule(query) else {}


def _pair(costs: NDArray[np.float64]) -> tuple[float, float]:
    return float(costs[0]), float(costs[1])


def _name_of(choices: dict[str, bool], value: bool) -> str:
    return next(name for name, choice in choices.items() if choice == value)
