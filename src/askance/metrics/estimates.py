"""Estimates of metrics from what asked labels tell."""

import math
from typing import Any, NamedTuple

import numpy as np

from askance.metrics.anytime import Anytime
from askance.metrics.areas import AskedBins, area_range
from askance.metrics.histograms import Values
from askance.metrics.intervals import Called, Range, Unseen, combined
from askance.metrics.measures import Counts, check_kind, check_weights, find, measure

LEVEL = 0.95
ENOUGH = 20  # asked rows of a class, before metrics about that class are told
ANYTIME = ("accuracy", "error", "mistakes", "cost")


class Estimate(NamedTuple):
    """A metric over all rows as asked labels tell it; without numbers while there are not `enough` of them."""

    metric: str
    value: float | None
    low: float | None
    high: float | None
    level: float
    labels: int  # that it rests on
    note: str = ""  # a sentence, if there is something to know

    @property
    def enough(self) -> bool:
        """Whether there are numbers."""
        return self.value is not None

    @property
    def width(self) -> float:
        """The distance of the limits; infinite without numbers."""
        return math.inf if self.low is None or self.high is None else self.high - self.low

    def __str__(self) -> str:
        if self.value is None:
            return "cannot tell yet"
        digits = ".4f" if self.metric not in ("mistakes", "cost") else ",.1f"
        value, low, high = (f"{one:{digits}}" for one in self[1:4])
        return f"{value} ({low} to {high})"

    def as_dict(self) -> dict[str, Any]:
        """The fields by name, and `enough`."""
        return {**self._asdict(), "enough": self.enough}


class Known(NamedTuple):
    """What asked labels tell, with what is known without any."""

    rows: int
    negative: Called
    positive: Called
    bins: AskedBins | None  # None unless all rows came with their scores
    false_negatives: Anytime
    false_positives: Anytime
    mistakes: Anytime
    many: bool

    @property
    def labels(self) -> dict[str, int]:
        """How many rows of each class are known by asking."""
        low, high = self.negative, self.positive
        return {
            "positive": int(high.right.number + low.wrong.number),
            "negative": int(low.right.number + high.wrong.number),
        }

    @property
    def unseen(self) -> Unseen:
        """The rows that could be asked for."""
        return self.negative.unseen.joined(self.positive.unseen)

    def counts(self, false_positives: Values, false_negatives: Values) -> Counts:
        """The counts of all rows, if there were so many mistakes."""
        # A limit that was rounded may be above the rows by a little.
        right = np.maximum(self.positive.known - false_positives, 0.0)
        left = np.maximum(self.negative.known - false_negatives, 0.0)
        asked = sum(group.number for called in (self.negative, self.positive) for group in called[1:])
        return Counts(self.rows, int(asked), 0, right, false_positives, left, false_negatives)


def estimate(known: Known, metric: str, level: float, *, anytime: bool = False, **weights: float) -> Estimate:
    """The metric and its interval, or why there is none yet."""
    _check(known, metric, level, anytime=anytime, **weights)
    labels, missing = sum(known.labels.values()), _missing(known, metric)
    if missing:
        return Estimate(metric, None, None, None, level, labels, missing)
    found = _found(known, metric, level, **weights)
    if anytime:
        found = _at_all_moments(known, metric, level, found.value, **weights)
    out_of_reach = known.rows - int(known.unseen.rows)
    note = f"{out_of_reach:,} rows could not be asked for: the estimate is of the others." if out_of_reach else ""
    return Estimate(metric, *found, level, labels, note)


def _check(known: Known, metric: str, level: float, *, anytime: bool, **weights: float) -> None:
    check_kind(metric, many=known.many)
    check_weights(metric, **weights)
    if not 0 < level < 1:
        raise ValueError(f"a level is a probability between 0 and 1, not {level}")
    if anytime and metric not in ANYTIME:
        raise ValueError(
            f"intervals for all moments at once are there for {', '.join(ANYTIME)}, not for {metric!r}"
        )
    if find(metric).of_scores and known.bins is None:
        raise ValueError(f"the metric {metric!r} is one of the scores: add all rows with their scores")


def _missing(known: Known, metric: str) -> str:
    """Why there are no numbers, if there are none."""
    if metric == "query_ratio":
        return "" if known.rows else "There are no rows yet."
    if not sum(known.labels.values()):
        return "Cannot tell yet: no label is known by asking."
    for name in find(metric).about:
        if known.labels[name] < ENOUGH:
            return f"Cannot tell yet: {known.labels[name]} {name} rows were asked for, and it takes {ENOUGH}."
    return ""


def _found(known: Known, metric: str, level: float, **weights: float) -> Range:
    if find(metric).of_scores and known.bins is not None:
        return area_range(metric, known.bins, known.unseen.weight(level), level)

    def function(false_positives: Values, false_negatives: Values) -> Values:
        return measure(known.counts(false_positives, false_negatives), metric, **weights)

    return combined(function, known.positive.mistaken(level), known.negative.mistaken(level))


def _at_all_moments(known: Known, metric: str, level: float, value: float, **weights: float) -> Range:
    """The interval whose limits for the mistakes hold at all moments at once."""
    if metric == "cost":
        level = (1 + level) / 2  # the limits of two numbers have to hold
        false_positives = known.false_positives.limits(level)
        false_negatives = known.false_negatives.limits(level)
    else:  # of which kind they are makes no difference
        false_positives, false_negatives = (0, 0), known.mistakes.limits(level)
    rows = known.positive.known + known.negative.known
    limits = []
    for fp, fn in zip(false_positives, false_negatives, strict=True):
        counts = Counts(known.rows, 0, 0, 0, fp, np.maximum(rows - fp - fn, 0.0), fn)
        limits.append(float(measure(counts, metric, **weights)))
    low, high = sorted(limits)
    return Range(min(max(value, low), high), low, high)
