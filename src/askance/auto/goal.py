"""Whether predictions are as right as wanted, from labels that were asked for with known probabilities."""

import math
from typing import NamedTuple

import numpy as np

from askance.metrics import augmented_estimate

FIRST_LOOK, LOOKS = 30, 1.25  # labels: each look at the estimate comes after this many times as many
RECENT = 0.7  # of the labels: those before were about the predictions of another model
FEWEST = 15  # of them: what is certain about few rows says little about those to come
LEVEL = 0.9  # of both limits together, so that the lower one holds with 95 %


class Predicted(NamedTuple):
    """A row that was predicted.

    The probability that its label was asked for, how certain the prediction was, and whether the label was asked
    for.
    """

    chance: float
    certainty: float
    asked: bool


class AccuracyGoal:
    """The accuracy that is wanted of the predictions, and whether recent ones have it.

    It is reached when the lower limit of an estimate is as high, and no longer when the estimate itself is lower.
    Looks are rare, because each may be wrong by chance.
    """

    def __init__(self, accuracy: float) -> None:
        self.accuracy, self.reached = accuracy, False
        self._rows: list[Predicted] = []
        self._first = 0  # the number of the first of them
        self._right: dict[int, bool] = {}  # by row, in the order of the labels
        self._next = FIRST_LOOK
        self._known = 0  # labels so far

    def add(self, row: Predicted) -> None:
        """Note a row that was predicted. Rows come in their order."""
        self._rows.append(row)

    def learn(self, row: int, *, right: bool) -> None:
        """Take in whether a prediction was right."""
        if row < self._first:  # its label is too late to tell something about recent rows
            return
        self._right[row] = right
        self._known += 1
        if self._known >= self._next:
            self._next = math.ceil(LOOKS * self._known)
            self._look()

    def restart(self) -> None:
        """Forget the rows so far: a machine has become worse."""
        self._forget(self._first + len(self._rows))
        self.reached, self._known, self._next = False, 0, FIRST_LOOK

    def _look(self) -> None:
        rows = sorted(self._right)
        self._forget(rows[-math.ceil(RECENT * self._known) :][0])
        chances, certainties, asked = (np.array(column) for column in zip(*self._rows, strict=True))
        asked = asked.astype(bool)
        known, signs = np.zeros((2, len(asked)), np.int64)
        for row, right in self._right.items():
            known[row - self._first], signs[row - self._first] = 1, 1 if right else -1
        waiting = np.flatnonzero(asked & (known == 0))
        used = slice(int(waiting[0]) if len(waiting) else None)  # labels that come soon may be unlike others
        if known[used].sum() < FEWEST:
            return
        predictions = np.where(known, signs, 1)[used]
        rows_used = known[used], predictions, asked[used], chances[used], certainties[used]
        found = augmented_estimate("accuracy", *rows_used, LEVEL, many=True)
        if found.low is not None and found.value is not None:
            limit = found.value if self.reached else found.low
            self.reached = limit >= self.accuracy

    def _forget(self, first: int) -> None:
        """Forget rows before one."""
        self._rows = self._rows[first - self._first :]
        self._first = first
        self._right = {row: right for row, right in self._right.items() if row >= first}
