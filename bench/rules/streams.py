"""The streams of the league as single rules like them, and what a rule with a question reaches on one."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from askance.engine.machine import Machine
from askance.jit.coins import coins
from askance.learners.inputs import as_rows
from askance.learners.scaling import SCALINGS
from askance.rules.registry import with_floats
from askance.rules.rows import SOUND, AnyRows, DenseRows
from bench.league.tasks import Task
from bench.rules.questions import question

FLOAT32 = np.dtype(np.float32)
INTERCEPT = 0.3


class Rows(NamedTuple):
    """Rows for a pass, and their labels: -1 and +1, or numbers of classes."""

    rows: AnyRows
    width: int
    labels: NDArray[np.float32]


class Prepared(NamedTuple):
    """A stream and its held-out rows."""

    stream: Rows
    held_out: Rows
    classes: int


class Reached(NamedTuple):
    """The share of right predictions over the stream and on held-out rows, and the labels that it took."""

    stream: float
    held_out: float
    labels: int


def prepared(task: Task, *, doubled: bool = False) -> Prepared:
    """The rows as `Learner(scaling=…, intercept=0.3)` sees them: scaled by what was seen of the stream so far.

    All rows are sparse, so that every rule is compiled for one kind of rows only.
    """
    scaling = SCALINGS["standard" if task.is_table else "tfidf"]()
    width = task.X.shape[1]
    parts = []
    for X, y, observe in ((task.X, task.y, True), (task.X_held, task.y_held, False)):
        rows = scaling.scaled(as_rows(X.astype(FLOAT32), FLOAT32), width, observe=observe)
        matrix = with_intercept(as_matrix(rows, X.shape))
        if doubled:
            matrix = sp.csr_array(sp.hstack([matrix, -matrix]))
        labels = (2 * y - 1 if task.classes == 2 else y).astype(FLOAT32)
        parts.append(Rows(as_rows(matrix, FLOAT32), matrix.shape[1], labels))
    return Prepared(parts[0], parts[1], task.classes)


def as_matrix(rows: AnyRows, shape: tuple[int, int]) -> Any:
    """Rows of a pass as a sparse matrix."""
    if isinstance(rows, DenseRows):
        return sp.csr_array(rows.values)
    return sp.csr_array((rows.values, rows.indices.view(np.int32), rows.starts.astype(np.int64)), shape=shape)


def with_intercept(X: Any) -> Any:
    """The rows with a constant feature."""
    return sp.csr_array(sp.hstack([X, np.full((X.shape[0], 1), INTERCEPT, FLOAT32)]), dtype=FLOAT32)


def reach(given: Prepared, update: Any, asking: str, budget: int, order: int) -> Reached:
    """Run a rule with a question over a stream, and score the held-out rows with what it learned."""
    return reached(given, update, question(asking, update, budget, len(given.stream.labels)), budget, order)


def reached(given: Prepared, update: Any, query: Any, budget: int, order: int) -> Reached:
    """The same with a query rule that asks for `budget` labels at most."""
    rows, width, labels = given.stream
    many, lanes = given.classes > 2, given.classes if given.classes > 2 else 1
    machine = Machine(with_floats(update), query, FLOAT32, 1.0, many=many, lanes=lanes)
    error, _, outcome = machine.run(rows, width, labels, coins(order, 0, len(labels)), lanes)
    held = given.held_out
    worse, _, scores = machine.score(held.rows, len(held.labels), width)
    if (error, worse) != (SOUND, SOUND):
        raise RuntimeError(f"{update} with {query}: rows are not sound")
    told = scores.argmax(axis=1) if many else np.where(scores[:, 0] >= 0, 1, -1)
    spent = int(outcome.asked.sum())
    if spent > budget:
        raise RuntimeError(f"{update} with {query} asked for {spent} labels, but may ask for {budget}")
    return Reached(float((outcome.predictions == labels).mean()), float((told == held.labels).mean()), spent)
