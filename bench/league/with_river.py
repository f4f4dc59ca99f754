"""Learners of river, which take one row at a time and keep no labels.

river's own wrapper, `active.EntropySampler`, has no budget: its discount factor only makes questions rarer. So its
learners get the questions of the script, which spend the budget.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from bench.league.outcome import Outcome, outcome
from bench.league.scripts import Questions, first_labels
from bench.league.tasks import Task
from bench.league.terms import weighted

PACKAGE = "river"


def linear(task: Task, budget: int, order: int) -> Outcome:
    """Logistic regression with river's own settings, one against the rest for many classes."""

    def make() -> Any:
        from river import linear_model, multiclass, preprocessing

        model = linear_model.LogisticRegression()
        model = model if task.classes == 2 else multiclass.OneVsRestClassifier(model)
        return preprocessing.StandardScaler() | model if task.is_table else model

    return _stream(task, budget, order, make)


def forest(task: Task, budget: int, order: int) -> Outcome:
    """The adaptive random forest with river's own settings."""

    def make() -> Any:
        from river import forest

        return forest.ARFClassifier(seed=order)

    return _stream(task, budget, order, make)


def _stream(task: Task, budget: int, order: int, make: Callable[[], Any]) -> Outcome:
    model = make()
    start = time.process_time()
    X, X_held = (task.X, task.X_held) if task.is_table else weighted(task.X, task.X_held)
    predictions = np.zeros(len(task.y), np.int64)
    labelled = first_labels(task, budget, predictions)
    for t in labelled:
        model.learn_one(as_dict(X, t), int(task.y[t]))
    asked = len(labelled)
    questions = Questions(budget - asked, len(task.y) - asked, order)
    for t in range(asked, len(task.y)):
        row = as_dict(X, t)
        chances = row_of(model.predict_proba_one(row), task.classes)
        predictions[t] = chances.argmax()
        second, first = np.sort(chances)[-2:]
        if questions.asks(float(first - second)):
            model.learn_one(row, int(task.y[t]))
            asked += 1
    seconds = time.process_time() - start
    held = [row_of(model.predict_proba_one(as_dict(X_held, t)), task.classes) for t in range(len(task.y_held))]
    return outcome(task, predictions, np.array(held), asked, seconds)


def as_dict(X: Any, t: int) -> dict[int, float]:
    """A row as river takes it."""
    if isinstance(X, np.ndarray):
        return dict(enumerate(X[t].tolist()))
    part = slice(X.indptr[t], X.indptr[t + 1])
    return dict(zip(X.indices[part].tolist(), X.data[part].tolist(), strict=True))


def row_of(chances: dict[Any, float], classes: int) -> Any:
    """What river predicts as an array; classes without a probability have 0."""
    row = np.zeros(classes)
    for name, value in chances.items():
        row[int(name)] = value  # binary models say False and True
    return row
