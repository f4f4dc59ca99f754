"""The entrants of the league. Each learns from at most `budget` labels of a stream."""

import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, normalize

import askance
from askance.auto.core import BURST
from askance.rules.query import AtRate, Margin, Within
from askance.rules.update import PassiveAggressive2
from bench.league.tasks import Task

FIRST = 10  # labels that a script asks for before it fits
BLOCK, RECENT = 200, 400  # rows that a script predicts at a time, and compares to


class Outcome(NamedTuple):
    """The share of right predictions over the stream and on held-out rows, and what they cost."""

    stream: float
    held_out: float
    labels: int
    seconds: float
    calibration_error: float | None = None


def automatic(task: Task, budget: int, order: int) -> Outcome:
    """`AutoLearner`."""
    start = time.process_time()
    rate = max(1e-6, (budget - BURST) / len(task.y))
    learner = askance.AutoLearner(rate, random_state=order)
    trace = learner.run(task.X, task.y)
    seconds = time.process_time() - start
    chances = learner.predict_proba(task.X_held)
    right = learner.classes_[chances.argmax(axis=1)] == task.y_held
    stream = float((trace.predictions == task.y).mean())
    error = calibration_error(chances.max(axis=1), right)
    return Outcome(stream, float(right.mean()), int(trace.asked.sum()), seconds, error)


def single_rule(task: Task, budget: int, order: int) -> Outcome:
    """PAA-II at the rate of the budget, on rows of length 1."""
    start = time.process_time()
    rate, many = budget / len(task.y), len(np.unique(task.y)) > 2
    query = Within(AtRate(Margin(), rate=rate), limit=budget)
    learner = askance.Learner(PassiveAggressive2(), query, random_state=order, multiclass=many)
    trace = learner.run(normalize(task.X), task.y)
    seconds = time.process_time() - start
    held = learner.score(normalize(task.X_held), task.y_held)
    return Outcome(float((trace.predictions == task.y).mean()), float(held), int(trace.asked.sum()), seconds)


def script(task: Task, budget: int, order: int) -> Outcome:
    """What people write: logistic regression, refitted when there are a tenth more labels; asks in doubt."""
    return _script(task, budget, order, _regression, by_doubt=True)


def script_at_random(task: Task, budget: int, order: int) -> Outcome:
    """The same, but it asks at random."""
    return _script(task, budget, order, _regression, by_doubt=False)


def forest_script(task: Task, budget: int, order: int) -> Outcome:
    """The same with a random forest, for tables."""
    return _script(task, budget, order, lambda _: RandomForestClassifier(random_state=0), by_doubt=True)


METHODS: Mapping[str, Callable[[Task, int, int], Outcome]] = {
    "auto": automatic,
    "script": script,
    "random": script_at_random,
    "forest": forest_script,
    "PAA-II": single_rule,
}
FOR_TABLES = {"forest"}


def _regression(is_table: bool) -> Any:
    scaler = StandardScaler() if is_table else TfidfTransformer(sublinear_tf=True)
    return make_pipeline(scaler, LogisticRegression(max_iter=200))


def _script(task: Task, budget: int, order: int, make: Callable[[bool], Any], *, by_doubt: bool) -> Outcome:
    start = time.process_time()
    X, y, rows = _without_negatives(task.X), task.y, len(task.y)
    rng, predictions = np.random.default_rng(order), np.zeros(rows, np.int64)
    labelled: list[int] = []
    recent: list[float] = []
    t = 0
    while len(labelled) < FIRST or len(set(y[labelled])) < 2:  # nothing to fit yet: everything is asked
        if len(labelled) == budget:
            break
        predictions[t] = np.bincount(y[labelled]).argmax() if labelled else 0
        labelled.append(t)
        t += 1
    model, fitted = _fit(make(task.is_table), X, y, labelled)
    while t < rows:
        block = slice(t, min(rows, t + BLOCK))
        chances = np.sort(model.predict_proba(X[block]), axis=1)
        predictions[block] = model.predict(X[block])
        certainty = chances[:, -1] - (chances[:, -2] if chances.shape[1] > 1 else 0.0)
        for place, value in enumerate(certainty.tolist()):
            left = budget - len(labelled)
            share = min(1.0, left / (rows - t - place))
            if by_doubt and len(recent) >= 20:
                asks = value <= np.quantile(recent[-RECENT:], share)
            else:
                asks = rng.random() < share
            recent.append(value)
            if left and asks:
                labelled.append(t + place)
                if len(labelled) >= 1.1 * fitted:
                    model, fitted = _fit(make(task.is_table), X, y, labelled)
                    t += place + 1
                    break
        else:
            t += len(certainty)
    model, _ = _fit(make(task.is_table), X, y, labelled)
    seconds = time.process_time() - start
    held = model.score(_without_negatives(task.X_held), task.y_held)
    return Outcome(float((predictions == y).mean()), float(held), len(labelled), seconds)


def _fit(model: Any, X: Any, y: NDArray[np.int64], labelled: list[int]) -> tuple[Any, int]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        if len(set(y[labelled])) < 2:
            model = RandomForestClassifier(1)  # the only estimator here that takes one class
        return model.fit(X[labelled], y[labelled]), len(labelled)


def _without_negatives(X: Any) -> Any:
    """Sparse rows as counts: the logarithms of a TfidfTransformer take no negative values."""
    if not sp.issparse(X) or X.data.min(initial=0.0) >= 0:
        return X
    return sp.csr_array((np.maximum(X.data, 0.0), X.indices, X.indptr), shape=X.shape)


def calibration_error(confidence: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    """The mean difference, over ten bins of confidence, between confidence and the share of right predictions."""
    bins = np.minimum((confidence * 10).astype(int), 9)
    differences = [
        (bins == number).mean() * abs(confidence[bins == number].mean() - right[bins == number].mean())
        for number in np.unique(bins)
    ]
    return float(np.sum(differences))
