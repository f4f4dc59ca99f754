"""What the answers of a machine are worth: how often each class is right, by answer and bin of confidence."""

import numpy as np
from numpy.typing import NDArray

from askance.data.kinds import BINS

Numbers = NDArray[np.float64]

RIGHT_AT_FIRST = 0.8  # the share of right answers that is expected before any label
AS_LABELS = 4.0  # how many labels this expectation counts as
BIN_AS_LABELS = 4.0  # how many labels the answer alone counts as, compared to its bin
KEPT = 10.0  # labels that still count after a change
MEMORY = 200.0  # labels after which older ones count little


class GuessTable:
    """The classes of labelled rows by answer and bin, and from them the probabilities of the classes.

    Bins of an answer share what is known of the answer, and answers begin as right as most machines are. Old
    labels count less and less, so that a machine may slowly become better or worse.
    """

    def __init__(self, classes: int) -> None:
        self.counts = np.zeros((classes, BINS + 1, classes))  # by answer, bin and class
        wrong = (1.0 - RIGHT_AT_FIRST) / (classes - 1)
        self._first = np.full((classes, classes), wrong) + (RIGHT_AT_FIRST - wrong) * np.eye(classes)

    def probabilities(self, answer: int, place: int) -> Numbers:
        """The probabilities of the classes, given an answer with its bin."""
        of_answer = self.counts[answer].sum(axis=0) + AS_LABELS * self._first[answer]
        of_answer /= of_answer.sum()
        found: Numbers = self.counts[answer, place] + BIN_AS_LABELS * of_answer
        return found / found.sum()

    def learn(self, answer: int, place: int, code: int, weight: float) -> None:
        """Count the label of a row."""
        self.counts *= 1.0 - weight / MEMORY
        self.counts[answer, place, code] += weight

    def restart(self) -> None:
        """Forget most of it: the machine has changed."""
        self.counts *= min(1.0, KEPT / max(float(self.counts.sum()), 1.0))

    @property
    def right(self) -> float:
        """The share of right answers among recent labelled rows; NaN without any."""
        total = float(self.counts.sum())
        by_pair = self.counts.sum(axis=1)
        return float(np.trace(by_pair)) / total if total else float("nan")


class Worth:
    """Whether a guess is worth its price: what it improves on predictions without it, in nats per labelled row."""

    FIRST, SPREAD, AS_ROWS = 0.3, 0.5, 5.0  # what is expected before any label, how far it varies, and its weight
    MEMORY = 50.0
    SURE = 0.5  # standard errors by which a guess must fail before it is given up

    def __init__(self) -> None:
        self.rows, self.gains, self.squares = (
            self.AS_ROWS,
            self.FIRST * self.AS_ROWS,
            self.SPREAD**2 * self.AS_ROWS,
        )
        self.loss = 0.7 * self.AS_ROWS
        self.trusted = True

    def learn(self, without: float, with_guess: float, weight: float) -> None:
        """Compare the losses of a labelled row."""
        keep, gain = 1.0 - weight / self.MEMORY, without - with_guess
        self.rows, self.gains = keep * self.rows + weight, keep * self.gains + weight * gain
        self.squares, self.loss = keep * self.squares + weight * gain**2, keep * self.loss + weight * without

    def give_up(self) -> None:
        """Forget everything, and expect nothing: the machine has changed."""
        self.loss, self.rows = self.AS_ROWS * self.loss / self.rows, self.AS_ROWS
        self.gains, self.squares, self.trusted = 0.0, 0.0, False

    def judge(self, margin: float) -> bool:
        """Whether to buy the guess: if it improves the loss by more than this share of it.

        A guess that was given up has to show that it is worth more; one that is bought may fail by chance.
        """
        mean, error = self.gains / self.rows, np.sqrt(self.squares) / self.rows
        allowed = self.SURE * error if self.trusted else 0.0
        self.trusted = bool(mean + allowed > margin * self.loss / self.rows)
        return self.trusted
