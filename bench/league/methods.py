"""The entrants of the league. Each learns from at most `budget` labels of a stream."""

import importlib.util
import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import MaxAbsScaler, normalize

import askance
from askance.auto.core import BURST
from askance.errors import ScaleWarning
from askance.rules.query import AtRate, Margin, Within
from askance.rules.update import PassiveAggressive2
from bench.league import with_activeml as activeml
from bench.league import with_river as river
from bench.league import with_vowpal as vowpal
from bench.league.outcome import Outcome, outcome, plain_outcome, spread
from bench.league.scripts import forest_script, script, script_at_random
from bench.league.tasks import Task, made_up, task
from bench.league.terms import weighted


class Method(NamedTuple):
    """An entrant: what it does, the package that it needs, and the streams that it takes."""

    run: Callable[[Task, int, int], Outcome]
    about: str
    package: str | None = None
    takes: Callable[[Task], bool] = lambda _: True

    @property
    def is_installed(self) -> bool:
        """Whether its package can be imported here."""
        return self.package is None or importlib.util.find_spec(self.package) is not None


def automatic(task: Task, budget: int, order: int) -> Outcome:
    """`AutoLearner`, at the rate that spends the budget."""
    start = time.process_time()
    rate = max(1e-6, (budget - BURST) / len(task.y))
    learner = askance.AutoLearner(rate, limit=budget, random_state=order)
    trace = learner.run(task.X, task.y)
    seconds = time.process_time() - start
    chances = spread(learner.predict_proba(task.X_held), learner.classes_, task.classes)
    return outcome(task, trace.predictions, chances, int(trace.asked.sum()), seconds)


def single_rule(task: Task, budget: int, order: int) -> Outcome:
    """PAA-II at the rate of the budget, on rows of length 1."""
    return _passive_aggressive(task, normalize(task.X), normalize(task.X_held), budget, order)


def prepared_rule(task: Task, budget: int, order: int) -> Outcome:
    """The same on columns that are scaled or terms that are weighted, with a small constant feature."""
    return _passive_aggressive(task, *prepared(task, constant=0.3), budget, order)


def _passive_aggressive(task: Task, X: Any, X_held: Any, budget: int, order: int) -> Outcome:
    start = time.process_time()
    query = Within(AtRate(Margin(), rate=budget / len(task.y)), limit=budget)
    many = len(np.unique(task.y)) > 2
    learner = askance.Learner(PassiveAggressive2(), query, random_state=order, multiclass=many)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ScaleWarning)  # raw columns are what is measured
        trace = learner.run(X, task.y)
    seconds = time.process_time() - start
    return plain_outcome(task, trace.predictions, learner.predict(X_held), int(trace.asked.sum()), seconds)


def many_costs(task: Task, budget: int, order: int, eta: float = 10.0) -> Outcome:
    """OMCSL for F at the rate of the budget, on rows that are prepared."""
    X, X_held = prepared(task, constant=1.0)
    start = time.process_time()
    query = Within(AtRate(Margin(), rate=budget / len(task.y)), limit=budget)
    learner = askance.OMCSL("F", eta=eta, query=query, random_state=order)
    trace = learner.run(X, task.y)
    seconds = time.process_time() - start
    return plain_outcome(task, trace.predictions, learner.predict(X_held), int(trace.asked.sum()), seconds)


def prepared(task: Task, constant: float) -> tuple[Any, Any]:
    """The rows as the guides prepare them for a single rule: scaled, of length 1, with a constant feature.

    Columns are divided by their largest value in the stream, which a stream would have to know in advance.
    """
    if task.is_table:
        scaler = MaxAbsScaler().fit(task.X)
        parts = [normalize(scaler.transform(X)) for X in (task.X, task.X_held)]
        first, second = (np.hstack([X, np.full((len(X), 1), constant)]) for X in parts)
        return first, second
    first, second = (sp.hstack([X, np.full((X.shape[0], 1), constant)]) for X in weighted(task.X, task.X_held))
    return sp.csr_array(first), sp.csr_array(second)


METHODS: Mapping[str, Method] = {
    "auto": Method(automatic, "`AutoLearner`"),
    "script": Method(script, "logistic regression, fitted again after a tenth more labels; asks when in doubt"),
    "random": Method(script_at_random, "the script, but it asks at random"),
    "PAA-II": Method(single_rule, "a single rule of a paper, on rows of length 1"),
    "PAA-II prepared": Method(
        prepared_rule, "the same on scaled columns or weighted terms, with a constant feature"
    ),
    "OMCSL": Method(
        many_costs,
        "many costs at once, for F, on prepared rows; rare positives only",
        takes=lambda task: task.is_rare,
    ),
    "forest": Method(
        forest_script, "the script with a random forest; tables only", takes=lambda task: task.is_table
    ),
    "activeml split": Method(
        activeml.split, "scikit-activeml's `Split` with the script's model", activeml.PACKAGE
    ),
    "activeml variable": Method(
        activeml.variable, "scikit-activeml's `VariableUncertainty` with the script's model", activeml.PACKAGE
    ),
    "river": Method(
        river.linear,
        "river's logistic regression, one label at a time, with the script's questions",
        river.PACKAGE,
    ),
    "river forest": Method(
        river.forest,
        "river's adaptive random forest, with the script's questions; tables only",
        river.PACKAGE,
        takes=lambda task: task.is_table,
    ),
    "vowpal": Method(
        vowpal.active,
        "Vowpal Wabbit's `--active` with the mellowness that meets the budget; two classes only",
        vowpal.PACKAGE,
        takes=lambda task: task.classes == 2,
    ),
}


FOR_F = {"OMCSL"}  # which is not after accuracy


def warm_up() -> None:
    """Compile what would otherwise count as time of the first streams, for two and more classes."""
    for name, (X, y) in made_up().items():
        for classes in (2, 3):
            small = task(name, X, (y if y.max() == classes - 1 else np.arange(len(y))) % classes, 0)
            automatic(small, 40, 0)
            single_rule(small, 40, 0)


def run(method: str, task: Task, budget: int, order: int) -> dict[str, Any]:
    """The outcome of a method as a line of the results; no method may exceed the budget."""
    found = METHODS[method].run(task, budget, order)
    if found.labels > budget:
        raise RuntimeError(f"{method} asked for {found.labels} labels on {task.name}, but may ask for {budget}")
    return found._asdict()
