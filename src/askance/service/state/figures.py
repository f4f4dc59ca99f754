"""Estimates of metrics over all items, from the labels that were asked for."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.metrics import AskedTally
from askance.metrics.estimates import LEVEL, Estimate
from askance.service.settings import Costs, TaskSettings

TWO_CLASSES = ("accuracy", "f", "precision", "recall", "balanced_accuracy", "cost")
MANY_CLASSES = ("accuracy",)
FLUSH_AT = 1000


class Outcome(NamedTuple):
    """An item as the tally takes it. `truth` is 0 if the label was not asked for, or not given."""

    truth: int
    prediction: int
    asked: bool
    ask_probability: float
    score: float


class Figures:
    """The tally of a task. Items that were not asked about are settled at once, others by their label."""

    def __init__(self, settings: TaskSettings) -> None:
        self._many = settings.many
        self._positive = max(settings.classes)
        self.set_costs(settings.costs)
        self._tally = AskedTally(many=self._many)
        self._new: list[Outcome] = []

    def set_costs(self, costs: Costs) -> None:
        """Use these costs for the metric `cost`."""
        self._weights: dict[str, dict[str, Any]] = {"cost": {"c_p": costs.c_p, "c_n": costs.c_n}}

    def settle(
        self, prediction: str, truth: str | None, score: float, ask_probability: float, *, asked: bool
    ) -> None:
        """Add an item whose label is final, or will never be known."""
        self._new.append(self._outcome(prediction, truth, score, ask_probability, asked=asked))
        if len(self._new) >= FLUSH_AT:
            self._flush()

    def estimates(self, open_questions: Iterable[Any], level: float = LEVEL) -> dict[str, Estimate]:
        """The metrics by name. Open questions count as asked without an answer."""
        self._flush()
        waiting = AskedTally(many=self._many)
        outcomes = [
            self._outcome(question.prediction, None, question.score, question.ask_probability, asked=True)
            for question in open_questions
        ]
        _add(waiting, outcomes)
        everything = self._tally + waiting
        return {
            metric: everything.estimate(metric, level, **self._weights.get(metric, {}))
            for metric in (MANY_CLASSES if self._many else TWO_CLASSES)
        }

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays to put into a snapshot."""
        self._flush()
        return self._tally.arrays()

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore the arrays of a snapshot."""
        self._tally.restore(arrays)

    def _outcome(
        self, prediction: str, truth: str | None, score: float, ask_probability: float, *, asked: bool
    ) -> Outcome:
        if self._many:
            return Outcome(int(truth is not None), 1 if prediction == truth else -1, asked, ask_probability, score)
        sign = 0 if truth is None else self._sign(truth)
        return Outcome(sign, self._sign(prediction), asked, ask_probability, score)

    def _sign(self, label: str) -> int:
        return 1 if label == self._positive else -1

    def _flush(self) -> None:
        _add(self._tally, self._new)
        self._new = []


def _add(tally: AskedTally, outcomes: list[Outcome]) -> None:
    if outcomes:
        truth, predictions, asked, probabilities, scores = map(np.array, zip(*outcomes, strict=True))
        tally.add(truth, predictions, asked, probabilities, scores)
