"""Vowpal Wabbit's active learning, in its own simulation (`--active --simulation`).

It has no budget: its mellowness decides how much it asks, so the largest that keeps the budget is searched for. On
some streams none comes near the budget, because from one value to the next it goes from a few questions to asking
about everything; it then gets the next larger one, and its labels end with the budget. It takes columns as they
are, because its updates are normalized.
"""

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from bench.league.outcome import Outcome, outcome
from bench.league.tasks import Task
from bench.league.terms import weighted
from bench.league.with_river import as_dict

PACKAGE = "vowpalwabbit"
OPTIONS = "--quiet --active --simulation --loss_function logistic --bit_precision 20"
LEAST, MOST, STEPS = -9.0, 3.0, 12  # powers of ten of the mellowness, and how often their range is halved
NEAR = 0.9  # of the budget, which is near enough


class Run(NamedTuple):
    """A pass over a stream: the learner afterwards, its predictions, and the labels that it asked for."""

    workspace: Any
    predictions: NDArray[np.bool_]
    asked: int
    seconds: float


def active(task: Task, budget: int, order: int) -> Outcome:
    """The mellowness that meets the budget; two classes."""
    X, X_held = (task.X, task.X_held) if task.is_table else weighted(task.X, task.X_held)
    rows = [f"{2 * int(label) - 1} {row}" for label, row in zip(task.y, lines(X), strict=True)]
    low, high = LEAST, MOST
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if _pass(rows, middle, order, budget + 1).asked <= budget else (low, middle)
    found = _pass(rows, low, order, budget)
    if found.asked < NEAR * budget:
        found = _pass(rows, high, order, budget)
    chances = expit([found.workspace.predict(row) for row in lines(X_held)])
    return outcome(task, found.predictions, np.c_[1 - chances, chances], found.asked, found.seconds)


def lines(X: Any) -> Iterator[str]:
    """Rows as Vowpal Wabbit's text, without labels."""
    for t in range(X.shape[0]):
        yield "| " + " ".join(f"{name}:{value:.7g}" for name, value in as_dict(X, t).items() if value)


def _pass(rows: list[str], mellowness: float, order: int, limit: int) -> Run:
    """Go over the stream once; after `limit` labels it only predicts."""
    from vowpalwabbit import Workspace

    start = time.process_time()
    workspace = Workspace(f"{OPTIONS} --mellowness {10**mellowness:.6g} --random_seed {order + 1}")
    scores, asked = np.empty(len(rows)), 0
    for t, row in enumerate(rows):
        if asked == limit:
            scores[t] = workspace.predict(row[row.index("|") :])
            continue
        example, weight = workspace.example(row), workspace.get_weighted_examples()
        workspace.learn(example)
        scores[t] = example.get_simplelabel_prediction()
        workspace.finish_example(example)
        asked += workspace.get_weighted_examples() > weight  # rows that it does not ask about weigh nothing
    return Run(workspace, scores > 0, asked, time.process_time() - start)
