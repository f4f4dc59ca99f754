"""What people write themselves: keep all labels, fit again when they have grown, ask when in doubt."""

import time
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bench.league.outcome import Outcome, outcome, spread
from bench.league.tasks import Task

FIRST = 10  # labels that are asked for before anything is fitted
BLOCK, RECENT = 200, 400  # rows that are predicted at a time, and compared to
GROWTH = 1.1  # by how much labels have to grow before the model is fitted again

# Says of rows, given the probabilities of their classes, whether to ask. It decides about a row when its answer is
# taken, because later rows may get other probabilities.
Strategy = Callable[[NDArray[np.float64]], Iterable[bool]]


class Questions:
    """Who is asked: the least certain of recent rows, at the rate that spends what is left of the budget."""

    def __init__(self, budget: int, rows: int, order: int, *, by_doubt: bool = True) -> None:
        self.left = budget
        self.rows = rows
        self.by_doubt = by_doubt
        self.rng = np.random.default_rng(order)
        self.recent: list[float] = []

    def asks(self, certainty: float) -> bool:
        """Decide about the next row, and spend a label if it is asked about."""
        share = min(1.0, self.left / self.rows)
        self.rows -= 1
        if self.by_doubt and len(self.recent) >= 20:
            asks = certainty <= np.quantile(self.recent[-RECENT:], share)
        else:
            asks = self.rng.random() < share
        self.recent.append(certainty)
        asks = bool(asks and self.left)
        self.left -= asks
        return asks


def script(task: Task, budget: int, order: int) -> Outcome:
    """What people write: logistic regression, refitted when there are a tenth more labels; asks in doubt."""
    return _script(task, budget, order, regression, by_doubt=True)


def script_at_random(task: Task, budget: int, order: int) -> Outcome:
    """The same, but it asks at random."""
    return _script(task, budget, order, regression, by_doubt=False)


def forest_script(task: Task, budget: int, order: int) -> Outcome:
    """The same with a random forest, for tables."""
    return _script(task, budget, order, lambda _: RandomForestClassifier(random_state=0), by_doubt=True)


def all_labels(task: Task) -> Outcome:
    """Logistic regression with every label of the stream. It has nothing to predict over the stream."""
    start = time.process_time()
    model, count = fit(regression(task.is_table), without_negatives(task.X), task.y, np.arange(len(task.y)))
    seconds = time.process_time() - start
    chances = spread(model.predict_proba(without_negatives(task.X_held)), model.classes_, task.classes)
    return outcome(task, task.y, chances, count, seconds)


def regression(is_table: bool) -> Any:
    """Logistic regression on scaled columns, or on weighted terms."""
    scaler = StandardScaler() if is_table else TfidfTransformer(sublinear_tf=True)
    return make_pipeline(scaler, LogisticRegression(max_iter=200))


def first_labels(task: Task, budget: int, predictions: NDArray[np.int64]) -> list[int]:
    """Ask about every row until there is something to fit; predicts the most frequent class so far."""
    labelled: list[int] = []
    while len(labelled) < budget and (len(labelled) < FIRST or len(set(task.y[labelled])) < 2):
        t = len(labelled)
        predictions[t] = np.bincount(task.y[:t]).argmax() if t else 0
        labelled.append(t)
    return labelled


def _script(task: Task, budget: int, order: int, make: Callable[[bool], Any], *, by_doubt: bool) -> Outcome:
    def begin(labels: int, rows: int) -> Strategy:
        questions = Questions(labels, rows, order, by_doubt=by_doubt)
        return lambda chances: map(questions.asks, lead(chances).tolist())

    return refitted(task, budget, make, begin)


def refitted(
    task: Task, budget: int, make: Callable[[bool], Any], begin: Callable[[int, int], Strategy]
) -> Outcome:
    """Keep all labels and fit again when they have grown.

    `begin` makes the strategy for the labels and rows that are left.
    """
    start = time.process_time()
    X, y, rows = without_negatives(task.X), task.y, len(task.y)
    predictions = np.zeros(rows, np.int64)
    labelled = first_labels(task, budget, predictions)
    t = len(labelled)
    strategy = begin(budget - t, rows - t)
    model, fitted = fit(make(task.is_table), X, y, labelled)
    while t < rows:
        block = slice(t, min(rows, t + BLOCK))
        chances = model.predict_proba(X[block])
        predictions[block] = model.classes_[chances.argmax(axis=1)]
        for asks in strategy(chances):
            if asks:
                labelled.append(t)
            t += 1
            if len(labelled) >= GROWTH * fitted:
                model, fitted = fit(make(task.is_table), X, y, labelled)
                break
    model, _ = fit(make(task.is_table), X, y, labelled)
    seconds = time.process_time() - start
    held = spread(model.predict_proba(without_negatives(task.X_held)), model.classes_, task.classes)
    return outcome(task, predictions, held, len(labelled), seconds)


def lead(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far the most probable class is ahead of the second."""
    best = np.sort(chances, axis=1)
    return best[:, -1] - (best[:, -2] if best.shape[1] > 1 else 0.0)


def fit(model: Any, X: Any, y: NDArray[np.int64], labelled: Any) -> tuple[Any, int]:
    """The model with the labels so far, and their number."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        if len(set(y[labelled])) < 2:
            model = DummyClassifier()  # the others refuse a single class
        return model.fit(X[labelled], y[labelled]), len(labelled)


def without_negatives(X: Any) -> Any:
    """Sparse rows as counts: the logarithms of a TfidfTransformer take no negative values."""
    if not sp.issparse(X) or X.data.min(initial=0.0) >= 0:
        return X
    return sp.csr_array((np.maximum(X.data, 0.0), X.indices, X.indptr), shape=X.shape)
