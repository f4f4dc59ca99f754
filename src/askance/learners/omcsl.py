"""OMCSL as a learner: many costs at once, and what became of each."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance._util.parameters import OneOf, check_parameters
from askance.learners.learner import Learner
from askance.rules.imbalance.many_costs import LAST, ManyCosts, costs
from askance.rules.imbalance.measures import MEASURES, F
from askance.rules.query import Always, QueryRule
from askance.rules.update.gradient import SCHEDULES

LOSSES = {"hinge": False, "logistic": True}
WORDS = {
    "measure": OneOf(tuple(MEASURES)),
    "loss": OneOf(tuple(LOSSES)),
    "schedule": OneOf(tuple(SCHEDULES)),
}


class OMCSL(Learner):
    """Learns with many costs at once: for rare positive rows, and a measure that no known cost vector serves.

    Parameters
    ----------
    measure : what to be good at: "F", "AUROC" or "AUPRC".
    loss : "hinge" or "logistic".
    K : how many classifiers, with the costs c₊ = 1 - θ/2 and c₋ = θ/2, θ = 1/(K+1), …, K/(K+1).
    gamma : how strongly the better ones are preferred: 0 draws evenly, a large γ takes the best so far. Measures
        lie between 0 and 1: with 1, as in the catalog, the best is drawn little more often than the others.
    eta, schedule : the pace of learning: η/√t for "sqrt", η for "const".
    m : into how many bins scores are sorted for the two areas.
    query : when to ask for a label; unless said, always. With another rule, the measures are estimated from the
        labels that were asked for, each weighted by 1/probability: give `tell` the probability of the decision.
    random_state, dtype, sgn0, classes : as of `Learner`. The larger class is the positive, rare one.

    `predict` and `decision_function` are those of the classifier with the best measure so far; `ask` and `run`
    draw one in each round.
    """

    many = False

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

    @classmethod
    def of(cls, update: ManyCosts, query: QueryRule, **others: Any) -> "OMCSL":
        """The learner with this rule."""
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
        """The rule that these parameters stand for; ValueError in one sentence if there is none."""
        check_parameters(self, WORDS)
        kind = MEASURES[self.measure]
        measure = kind() if kind is F else kind(self.m)
        decaying, logistic = SCHEDULES[self.schedule], LOSSES[self.loss]
        return ManyCosts(measure, self.K, self.gamma, self.eta, decaying, logistic)

    @property
    def costs_(self) -> NDArray[np.float64]:
        """The costs of a missed positive and of a false alarm, a row a classifier."""
        return costs(self.K)

    @property
    def measures_(self) -> NDArray[np.float64]:
        """The measure of each classifier, over the stream so far."""
        self._check_fitted()
        values: NDArray[np.float64] = self._machine.core.state.observed.values[: self.K].copy()
        return values

    @property
    def chances_(self) -> NDArray[np.float64]:
        """How likely each classifier is to be drawn."""
        self._check_fitted()
        added = self._machine.core.state.chances[: self.K]
        return np.diff(added, prepend=0.0) / added[-1]

    @property
    def cost_(self) -> tuple[float, float]:
        """The costs of the classifier that is the best as of now."""
        return _pair(self.costs_[np.argmax(self.measures_)])

    def settled(self, labels: int = LAST) -> tuple[float, float]:
        """The mean costs of the classifiers that were the best at each of the last `labels`, up to 5,000."""
        self._check_fitted()
        state = self._machine.core.state
        told = int(state.best[1])
        last = np.arange(told - min(labels, told, LAST), told) % LAST
        return _pair(self.costs_[state.recent[last]].mean(axis=0)) if len(last) else self.cost_

    def _rules(self) -> tuple[Any, Any]:
        # Not `or`: a rule without parameters is an empty tuple, and so false.
        return self.update, Always() if self.query is None else self.query


def _pair(costs: NDArray[np.float64]) -> tuple[float, float]:
    return float(costs[0]), float(costs[1])


def _name_of(choices: dict[str, bool], value: bool) -> str:
    return next(name for name, choice in choices.items() if choice == value)
