"""scikit-activeml's strategies for streams, with the model of the script.

They are asked row by row, as its documentation does: in chunks they would ask about other rows. Their budget is a
share of the rows that holds on average, so questions end when the labels are spent.
"""

import time
from typing import Any

import numpy as np

from bench.league.outcome import Outcome, outcome, spread
from bench.league.scripts import BLOCK, GROWTH, first_labels, fit, regression, without_negatives
from bench.league.tasks import Task

PACKAGE = "skactiveml"


def split(task: Task, budget: int, order: int) -> Outcome:
    """Žliobaitė's split strategy: some questions by uncertainty, some at random."""
    return _stream(task, budget, order, "Split")


def variable(task: Task, budget: int, order: int) -> Outcome:
    """Žliobaitė's variable threshold of uncertainty."""
    return _stream(task, budget, order, "VariableUncertainty")


def _stream(task: Task, budget: int, order: int, name: str) -> Outcome:
    from skactiveml import stream

    known, start = _known(), time.process_time()
    X, y, rows = without_negatives(task.X), task.y, len(task.y)
    predictions = np.zeros(rows, np.int64)
    labelled = first_labels(task, budget, predictions)
    t = len(labelled)
    strategy = getattr(stream, name)(budget=max(1e-6, (budget - t) / (rows - t)), random_state=order)
    model, fitted = fit(regression(task.is_table), X, y, labelled)
    while t < rows:
        block = slice(t, min(rows, t + BLOCK))
        chances = model.predict_proba(X[block])
        predictions[block] = model.classes_[chances.argmax(axis=1)]
        for known.chances in chances:
            if len(labelled) < budget and _asks(strategy, known):
                labelled.append(t)
            t += 1
            if len(labelled) >= GROWTH * fitted:
                model, fitted = fit(regression(task.is_table), X, y, labelled)
                break
    model, _ = fit(regression(task.is_table), X, y, labelled)
    seconds = time.process_time() - start
    held = spread(model.predict_proba(without_negatives(task.X_held)), model.classes_, task.classes)
    return outcome(task, predictions, held, len(labelled), seconds)


def _asks(strategy: Any, known: Any) -> bool:
    row = np.zeros((1, 1))  # the strategies see rows through the classifier alone
    found = strategy.query(candidates=row, clf=known)
    strategy.update(candidates=row, queried_indices=found)
    return len(found) > 0


def _known() -> Any:
    """A classifier whose probabilities of the one row at hand are already known."""
    from skactiveml.base import SkactivemlClassifier

    class Known(SkactivemlClassifier):  # type: ignore[misc]
        chances: Any

        def fit(self, X: Any, y: Any) -> Any:  # noqa: ARG002
            return self

        def predict_proba(self, X: Any) -> Any:  # noqa: ARG002
            return self.chances[np.newaxis]

    return Known()
