"""Honest figures: what the asked labels alone tell about all items."""

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
    """An item as the tally takes it: `truth` is 0 where nobody was asked, or nobody answered."""

    truth: int
    guess: int
    asked: bool
    probability: float
    score: float


class Figures:
    """The tally of a task. Items that nobody was asked about are settled at once, the others by their label."""

    def __init__(self, settings: TaskSettings) -> None:
        self._many = settings.many
        self._positive = max(settings.classes)
        self.set_costs(settings.costs)
        self._tally = AskedTally(many=self._many)
        self._new: list[Outcome] = []

    def set_costs(self, costs: Costs) -> None:
        """From now on the figure `cost` is of these."""
        self._weights: dict[str, dict[str, Any]] = {"cost": {"c_p": costs.c_p, "c_n": costs.c_n}}

    def settle(self, guess: str, truth: str | None, score: float, probability: float, *, asked: bool) -> None:
        """Take in an item of which no more will be known."""
        self._new.append(self._outcome(guess, truth, score, probability, asked=asked))
        if len(self._new) >= FLUSH_AT:
            self._flush()

    def estimates(self, open_questions: Iterable[Any], level: float = LEVEL) -> dict[str, Estimate]:
        """The metrics by name; questions that are still open count as asked in vain so far."""
        self._flush()
        waiting = AskedTally(many=self._many)
        outcomes = [
            self._outcome(question.guess, None, question.score, question.probability, asked=True)
            for question in open_questions
        ]
        _add(waiting, outcomes)
        everything = self._tally + waiting
        return {
            metric: everything.estimate(metric, level, **self._weights.get(metric, {}))
            for metric in (MANY_CLASSES if self._many else TWO_CLASSES)
        }

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a snapshot keeps."""
        self._flush()
        return self._tally.arrays()

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from a snapshot."""
        self._tally.restore(arrays)

    def _outcome(self, guess: str, truth: str | None, score: float, probability: float, *, asked: bool) -> Outcome:
        if self._many:
            return Outcome(int(truth is not None), 1 if guess == truth else -1, asked, probability, score)
        sign = 0 if truth is None else self._sign(truth)
        return Outcome(sign, self._sign(guess), asked, probability, score)

    def _sign(self, label: str) -> int:
        return 1 if label == self._positive else -1

    def _flush(self) -> None:
        _add(self._tally, self._new)
        self._new = []


def _add(tally: AskedTally, outcomes: list[Outcome]) -> None:
    if outcomes:
        truth, guesses, asked, probabilities, scores = map(np.array, zip(*outcomes, strict=True))
        tally.add(truth, guesses, asked, probabilities, scores)
