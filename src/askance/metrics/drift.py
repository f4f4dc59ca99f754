"""Alarms when a stream changes: mistakes become more frequent, or predictions less confident."""

import dataclasses
import math
from collections.abc import Iterable
from typing import Literal

import numpy as np

from askance.errors import ParameterError
from askance.metrics.rising import Rising

WINDOWS, FIRST = (50, 150, 500), 30  # labels
OFTEN = 0.5  # rows that are asked about with at least this probability are a group of their own
REFERENCE = 1000  # rows: the later half of them says which confidences are low
LOW = 0.2  # the share of rows whose confidence is low at first
BLOCK, BLOCK_WINDOWS, FIRST_BLOCKS = 20, (25, 100), 20  # confidences are counted in blocks of rows


@dataclasses.dataclass(frozen=True)
class Drift:
    """An alarm.

    Attributes
    ----------
    row : int
        The row at which the alarm was raised, counted from 0.
    since : int
        The row at which the change began, most likely.
    kind : {"mistakes", "confidence"}
        What has changed: mistakes have become more frequent, or low confidences have.
    """

    row: int
    since: int
    kind: Literal["mistakes", "confidence"]


class DriftDetector:
    """Raises an alarm when the predictions of a learner become worse, by the labels that were asked for.

    The labels may be asked for in any way that depends on the row and on the past. Rows with a high probability of
    being asked about, and rows with a low one, are followed apart: a mistake where the learner was confident says
    more. The reference is the past, recent and distant. After an alarm, the detector begins again.

    False alarms are rare as long as the chance of a mistake does not rise, at a high probability of being asked
    about or a low one. It may fall, as it does while a learner improves.

    Parameters
    ----------
    every : float, default=100_000
        The number of rows per false alarm: on average, at least as many lie between two of them.
    margin : float, default=1.0
        The factor by which the odds of a mistake may rise without an alarm.

    Attributes
    ----------
    drifts_ : list of Drift
        The alarms so far.
    rows_ : int
        The number of rows so far.

    Examples
    --------
    >>> import numpy as np
    >>> from askance.metrics import DriftDetector
    >>> random = np.random.default_rng(0)
    >>> detector = DriftDetector()
    >>> for row in range(4000):
    ...     asked, wrong = random.random() < 0.2, random.random() < (0.1 if row < 2000 else 0.5)
    ...     if detector.update(wrong if asked else None, 0.2):
    ...         print("alarm")
    alarm
    >>> 2000 < detector.drifts_[0].row < 2200
    True
    """

    def __init__(self, every: float = 100_000, margin: float = 1.0) -> None:
        _check("DriftDetector", every, margin)
        self.every, self.margin = every, margin
        self.drifts_: list[Drift] = []
        self.rows_ = 0
        self._elapsed = 0
        self._rising = Rising(2, every, margin, WINDOWS, FIRST)

    def update(self, wrong: bool | None, ask_probability: float = 1.0) -> bool:
        """Take in the next row.

        Parameters
        ----------
        wrong : bool or None
            Whether its prediction was wrong; None if its label is not known, or not yet.
        ask_probability : float, default=1.0
            The probability with which its label was asked for.

        Returns
        -------
        bool
            Whether there is an alarm.
        """
        self.rows_ += 1
        self._elapsed += 1
        return False if wrong is None else self.tell(wrong, ask_probability)

    def tell(self, wrong: bool, ask_probability: float = 1.0) -> bool:
        """Learn the label of an earlier row, and return whether there is an alarm.

        Labels count in the order in which they come. How late they come must not depend on what they are.
        """
        if not 0 < ask_probability <= 1:
            raise ParameterError("tell", "ask_probability", ask_probability, "greater than 0 and at most 1")
        row, elapsed, self._elapsed = max(0, self.rows_ - 1), self._elapsed, 0
        if not self._rising.add(int(ask_probability < OFTEN), 1, int(wrong), row, elapsed):
            return False
        self.drifts_.append(Drift(row, self._rising.likeliest, "mistakes"))
        self._rising.restart()
        return True


class ScoreDriftDetector:
    """Raises an alarm when low confidences become more frequent. It takes no labels.

    The first 1,000 rows say what is low: the confidences that a fifth of the later half of them is below. After an
    alarm, the detector begins again, with a new reference.

    False alarms are rare as long as the odds of a low confidence do not rise by more than `margin`. Of a learner
    that goes on learning, confidences move without a change in the stream: leave some margin.

    Parameters
    ----------
    every : float, default=100_000
        The number of rows per false alarm: on average, at least as many lie between two of them.
    margin : float, default=1.5
        The factor by which the odds of a low confidence may rise without an alarm.

    Attributes
    ----------
    drifts_ : list of Drift
        The alarms so far.
    rows_ : int
        The number of rows so far.

    Examples
    --------
    >>> import numpy as np
    >>> from askance.metrics import ScoreDriftDetector
    >>> random = np.random.default_rng(0)
    >>> detector = ScoreDriftDetector()
    >>> alarms = [detector.update(random.exponential(3 if row < 4000 else 1)) for row in range(5000)]
    >>> 4000 < detector.drifts_[0].row < 4300
    True
    """

    def __init__(self, every: float = 100_000, margin: float = 1.5) -> None:
        _check("ScoreDriftDetector", every, margin)
        self.every, self.margin = every, margin
        self.drifts_: list[Drift] = []
        self.rows_ = 0
        self._rising = Rising(1, every, margin, BLOCK_WINDOWS, FIRST_BLOCKS)
        self._recent: list[float] = []
        self._low: float | None = None

    def update(self, confidence: float) -> bool:
        """Take in the confidence of the next prediction, and return whether there is an alarm."""
        self.rows_ += 1
        self._recent.append(confidence)
        if self._low is None:
            if len(self._recent) == REFERENCE:
                self._low = float(np.quantile(self._recent[REFERENCE // 2 :], LOW))
                self._recent.clear()
            return False
        if len(self._recent) < BLOCK:
            return False
        low = sum(one < self._low for one in self._recent)
        self._recent.clear()
        if not self._rising.add(0, BLOCK, low, self.rows_ - BLOCK, BLOCK):
            return False
        self.drifts_.append(Drift(self.rows_ - 1, self._rising.likeliest, "confidence"))
        self._rising.restart()
        self._low = None
        return True


def drifts(
    confidences: Iterable[float], ask_probabilities: Iterable[float], asked: Iterable[bool], wrong: Iterable[bool],
    every: float,
) -> list[Drift]:  # fmt: skip
    """Find the changes in rows whose labels come at once, with both detectors. Each has half of the alarms."""
    by_labels, by_scores = DriftDetector(2 * every), ScoreDriftDetector(2 * every)
    for confidence, chance, is_asked, is_wrong in zip(confidences, ask_probabilities, asked, wrong, strict=True):
        by_labels.update(is_wrong if is_asked else None, chance)
        by_scores.update(confidence)
    return sorted([*by_labels.drifts_, *by_scores.drifts_], key=lambda drift: (drift.row, drift.kind))


def _check(owner: str, every: float, margin: float) -> None:
    if not 1 <= every < math.inf:
        raise ParameterError(owner, "every", every, "a number of at least 1")
    if not 1 <= margin < math.inf:
        raise ParameterError(owner, "margin", margin, "a number of at least 1")
