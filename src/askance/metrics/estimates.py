"""Estimates of metrics, with intervals, from asked labels."""

import math
from typing import Any, NamedTuple

import numpy as np

from askance.metrics.anytime import Anytime
from askance.metrics.areas import AskedBins, area_range
from askance.metrics.intervals import Range, SamePrediction, Unseen, combined
from askance.metrics.measures import Counts, check_kind, check_weights, find, measure
from askance.typing import FloatArray

LEVEL = 0.95
ENOUGH = 20  # asked rows of a class that a metric about this class needs
ANYTIME = ("accuracy", "error", "mistakes", "cost")


class Estimate(NamedTuple):
    """An estimate of a metric over all rows, with an interval.

    Attributes
    ----------
    metric : str
        Name of the metric.
    value : float or None
        The estimate; None if there are not enough labels yet.
    low, high : float or None
        The limits of the interval.
    level : float
        The probability with which the interval contains the metric.
    labels : int
        Number of labels that the estimate is based on.
    note : str
        A sentence if there is something to know, otherwise empty.
    effective_labels : float or None
        With helpers, the number of labels that would give an interval of this width without them.
    """

    metric: str
    value: float | None
    low: float | None
    high: float | None
    level: float
    labels: int
    note: str = ""
    effective_labels: float | None = None

    @property
    def enough(self) -> bool:
        """Whether there are enough labels for an estimate."""
        return self.value is not None

    @property
    def width(self) -> float:
        """The width of the interval; infinite without an estimate."""
        return math.inf if self.low is None or self.high is None else self.high - self.low

    @property
    def interval(self) -> str:
        """The estimate with its interval, without the note."""
        if self.value is None:
            return "cannot tell yet"
        digits = ".4f" if self.metric not in ("mistakes", "cost") else ",.1f"
        value, low, high = (f"{one:{digits}}" for one in self[1:4])
        return f"{value} ({low} to {high})"

    def __str__(self) -> str:
        if self.value is None:
            return self.note or self.interval
        return f"{self.interval}. {self.note}" if self.note else self.interval

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name, and `enough`."""
        return {**self._asdict(), "enough": self.enough}


class AskedEvidence(NamedTuple):
    """The sums from which estimates are computed."""

    rows: int
    negative: SamePrediction
    positive: SamePrediction
    bins: AskedBins | None  # None unless all rows came with their scores
    false_negatives: Anytime
    false_positives: Anytime
    mistakes: Anytime
    many: bool

    @property
    def labels(self) -> dict[str, int]:
        """The number of asked rows per class."""
        low, high = self.negative, self.positive
        return {
            "positive": int(high.right.number + low.wrong.number),
            "negative": int(low.right.number + high.wrong.number),
        }

    @property
    def unseen(self) -> Unseen:
        """The rows that could be asked for."""
        return self.negative.unseen.joined(self.positive.unseen)

    @property
    def out_of_reach(self) -> int:
        """The number of rows that could not be asked for, so that nothing is known about them."""
        return self.rows - int(self.unseen.rows)

    def counts(self, false_positives: FloatArray, false_negatives: FloatArray) -> Counts:
        """The counts of all rows for given numbers of mistakes."""
        # Rounding may put a limit slightly above the number of rows.
        right = np.maximum(self.positive.known - false_positives, 0.0)
        left = np.maximum(self.negative.known - false_negatives, 0.0)
        asked = sum(group.number for called in (self.negative, self.positive) for group in called[1:])
        return Counts(self.rows, int(asked), 0, right, false_positives, left, false_negatives)


def estimate(
    known: AskedEvidence, metric: str, level: float, *, anytime: bool = False, **weights: float
) -> Estimate:
    """Estimate a metric, or say why there is no estimate yet."""
    _check(known, metric, level, anytime=anytime, **weights)
    labels, missing = sum(known.labels.values()), _missing(known, metric)
    if missing:
        return Estimate(metric, None, None, None, level, labels, missing)
    found = _found(known, metric, level, **weights)
    if anytime:
        found = _at_all_moments(known, metric, level, found.value, **weights)
    missed = known.out_of_reach
    note = f"{missed:,} rows could not be asked for: the estimate is of the others." if missed else ""
    return Estimate(metric, *found, level, labels, note)


def _check(known: AskedEvidence, metric: str, level: float, *, anytime: bool, **weights: float) -> None:
    check_kind(metric, many=known.many)
    check_weights(metric, **weights)
    if not 0 < level < 1:
        raise ValueError(f"level must be a probability between 0 and 1, not {level}")
    if anytime and metric not in ANYTIME:
        raise ValueError(f"anytime intervals exist for {', '.join(ANYTIME)}, not for {metric!r}")
    if find(metric).of_scores and known.bins is None:
        raise ValueError(f"the metric {metric!r} needs scores: add all rows with their scores")


def _missing(known: AskedEvidence, metric: str) -> str:
    """Why there is no estimate yet, or an empty string."""
    if metric == "query_ratio":
        return "" if known.rows else "There are no rows yet."
    if not sum(known.labels.values()):
        return "Cannot tell yet: no label is known by asking."
    for name in find(metric).about:
        if known.labels[name] < ENOUGH:
            return f"Cannot tell yet: {known.labels[name]} {name} rows were asked for, and it takes {ENOUGH}."
    return ""


def _found(known: AskedEvidence, metric: str, level: float, **weights: float) -> Range:
    if find(metric).of_scores and known.bins is not None:
        return area_range(metric, known.bins, known.unseen.weight(level), level)
    return of_mistakes(known, metric, known.positive.mistaken(level), known.negative.mistaken(level), **weights)


def of_mistakes(known: AskedEvidence, metric: str, positive: Range, negative: Range, **weights: float) -> Range:
    """The range of a metric, from those of the mistakes among rows predicted positive and negative."""

    def function(false_positives: FloatArray, false_negatives: FloatArray) -> FloatArray:
        return measure(known.counts(false_positives, false_negatives), metric, **weights)

    return combined(function, positive, negative)


def _at_all_moments(known: AskedEvidence, metric: str, level: float, value: float, **weights: float) -> Range:
    """The interval whose limits for the mistakes hold at all times simultaneously."""
    if metric == "cost":
        level = (1 + level) / 2  # the limits of two numbers have to hold together
        false_positives = known.false_positives.limits(level)
        false_negatives = known.false_negatives.limits(level)
    else:  # the kind of mistake makes no difference
        false_positives, false_negatives = (0, 0), known.mistakes.limits(level)
    rows = known.positive.known + known.negative.known
    limits = []
    for fp, fn in zip(false_positives, false_negatives, strict=True):
        counts = Counts(known.rows, 0, 0, 0, fp, np.maximum(rows - fp - fn, 0.0), fn)
        limits.append(float(measure(counts, metric, **weights)))
    low, high = sorted(limits)
    return Range(min(max(value, low), high), low, high)
