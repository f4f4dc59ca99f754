"""One row at a time through Python: `ask` and `tell` beside river's `predict_one` and `learn_one`."""

from collections.abc import Callable
from functools import partial
from typing import Any

import askance
from bench.clock import Contender, race
from bench.datasets import Dataset
from bench.ours import learner
from bench.report import Report, at_least
from bench.setting import Setting

SECONDS = 10.0
ROWS = 3000

RIVER, EVERY, ASKED = "river predict_one + learn_one", "ask + tell every label", "ask + tell labels asked for"

Rows = list[tuple[Any, Any]]


def measure(setting: Setting, report: Report) -> None:
    """The rows of A as each library likes them, made in advance."""
    try:
        from river.linear_model import PAClassifier
    except ImportError:
        report.left_out("river", "it is not installed")
        return
    dataset, delta = setting.dataset("A"), setting.delta("A")
    ours, dictionaries = sparse_rows(dataset), dictionary_rows(dataset)

    def fresh() -> askance.Learner:
        return learner(delta).resize(dataset.X.shape[1])

    contenders = [
        Contender(
            RIVER, over(dictionaries, predict_and_learn), partial(PAClassifier, mode=2, learn_intercept=False)
        ),
        Contender(EVERY, over(ours, ask_and_tell), fresh),
        Contender(ASKED, over(ours, ask_and_tell_if_asked), fresh),
    ]
    timings = race(contenders, setting.seconds(SECONDS)).processor
    report.keep("rows", timings)
    microseconds = 1e6 * timings[EVERY].best / len(ours)
    report.compare("rows", RIVER, EVERY, at_least(5), f"{microseconds:.1f} µs a row")
    report.compare("rows", RIVER, ASKED)


def sparse_rows(dataset: Dataset) -> Rows:
    """Some rows of A for `ask` and `tell`."""
    X = dataset.X[:ROWS]
    parts = [slice(X.indptr[t], X.indptr[t + 1]) for t in range(X.shape[0])]
    rows = [askance.Row(X.indices[part], X.data[part]) for part in parts]
    return list(zip(rows, dataset.y.tolist(), strict=False))


def dictionary_rows(dataset: Dataset) -> Rows:
    """The same rows for river."""
    return [
        (dict(zip(row.indices.tolist(), row.values.tolist(), strict=True)), label > 0)
        for row, label in sparse_rows(dataset)
    ]


def over(rows: Rows, each: Callable[[Any, Any, Any], None]) -> Callable[[Any], None]:
    """A loop over the rows, to be called with a fresh model."""

    def work(model: Any) -> None:
        for x, y in rows:
            each(model, x, y)

    return work


def predict_and_learn(model: Any, x: Any, y: Any) -> None:
    """River's loop of prediction and learning."""
    model.predict_one(x)
    model.learn_one(x, y)


def ask_and_tell(model: Any, x: Any, y: Any) -> None:
    """The same work as river does: every label is told."""
    model.ask(x)
    model.tell(x, y)


def ask_and_tell_if_asked(model: Any, x: Any, y: Any) -> None:
    """What a user of askance does."""
    if model.ask(x).ask:
        model.tell(x, y)
