"""scikit-activeml's strategies for streams, with the model of the script.

They are asked row by row, as its documentation does: in chunks they would ask about other rows. Their budget is a
share of the rows that holds on average, so questions end when the labels are spent.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.league.outcome import Outcome
from bench.league.scripts import Strategy, refitted, regression
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

    known = known_classifier()

    def begin(labels: int, rows: int) -> Strategy:
        strategy = getattr(stream, name)(budget=max(1e-6, labels / rows), random_state=order)
        return Budgeted(strategy, known, labels).decide

    return refitted(task, budget, regression, begin)


class Budgeted:
    """A strategy that asks until the labels are spent."""

    def __init__(self, strategy: Any, known: Any, labels: int) -> None:
        self._strategy = strategy
        self._known = known
        self._left = labels

    def decide(self, chances: NDArray[np.float64]) -> Iterator[bool]:
        """Decide about rows, one after the other."""
        for self._known.chances in chances:
            asks = self._left > 0 and self._asks()
            self._left -= asks
            yield asks

    def _asks(self) -> bool:
        row = np.zeros((1, 1))  # the strategies see rows through the classifier alone
        found = self._strategy.query(candidates=row, clf=self._known)
        self._strategy.update(candidates=row, queried_indices=found)
        return len(found) > 0


def known_classifier() -> Any:
    """A classifier whose probabilities of the one row at hand are already known."""
    from skactiveml.base import SkactivemlClassifier

    class Known(SkactivemlClassifier):  # type: ignore[misc]
        chances: Any

        def fit(self, X: Any, y: Any) -> Any:  # noqa: ARG002
            return self

        def predict_proba(self, X: Any) -> Any:  # noqa: ARG002
            return self.chances[np.newaxis]

    return Known()
