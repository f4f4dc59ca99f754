"""Estimates of metrics from a simple random sample of rows, with exact limits of shares."""

import math
from typing import NamedTuple

from scipy import special

from askance.metrics.estimates import ENOUGH, LEVEL, Estimate
from askance.metrics.intervals import Range
from askance.metrics.measures import find


class SampleCounts(NamedTuple):
    """The confusion matrix of a sample, and the rows without a label, as they were predicted.

    With more than two classes, correct rows are true negatives and others are false negatives.
    """

    true_positives: int
    false_positives: int
    true_negatives: int
    false_negatives: int
    missing_positives: int = 0
    missing_negatives: int = 0

    @property
    def labels(self) -> int:
        """The number of rows with a label."""
        return sum(self[:4])

    @property
    def missing(self) -> int:
        """The number of rows without one."""
        return self.missing_positives + self.missing_negatives

    def as_if(self, *, right: bool) -> "SampleCounts":
        """The counts if all predictions of rows without a label were right, or all of them wrong."""
        tp, fp, tn, fn, positives, negatives = self
        if right:
            return SampleCounts(tp + positives, fp, tn + negatives, fn)
        return SampleCounts(tp, fp + positives, tn, fn + negatives)


def sample_estimate(
    metric: str, counts: SampleCounts, rows: int, level: float = LEVEL, *, c_p: float = 1.0, c_n: float = 1.0
) -> Estimate:
    """Estimate a metric of `rows` rows, or of any number of rows like them, from a random sample.

    The interval holds whatever the labels are that are missing: every metric here grows with each prediction that
    is right, so its extremes are those of all being right and of all being wrong.
    """
    missing = _too_few(metric, counts)
    if missing:
        return Estimate(metric, None, None, None, level, counts.labels, missing)
    found = _range(metric, counts, rows, level, c_p, c_n)
    if not counts.missing:
        return Estimate(metric, *found, level, counts.labels)
    ranges = [_range(metric, counts.as_if(right=right), rows, level, c_p, c_n) for right in (True, False)]
    low, high = min(one.low for one in ranges), max(one.high for one in ranges)
    note = f"{counts.missing:,} questions have no answer: the interval allows for any answer."
    return Estimate(metric, found.value, low, high, level, counts.labels, note)


def share_range(number: float, of: float, level: float) -> Range:
    """A share of a population, from a random sample of it: the limits of Clopper and Pearson.

    Numbers that are not whole are those of independent ones that a sample of clusters is worth.
    """
    if not of:
        return Range(0.0, 0.0, 1.0)
    tail = (1 - level) / 2
    low = float(special.betaincinv(number, of - number + 1, tail)) if number else 0.0
    high = float(special.betaincinv(number + 1, of - number, 1 - tail)) if number < of else 1.0
    return Range(number / of, low, high)


def _range(metric: str, counts: SampleCounts, rows: int, level: float, c_p: float, c_n: float) -> Range:
    tp, fp, tn, fn = counts[:4]
    if metric == "accuracy":
        return share_range(tp + tn, counts.labels, level)
    if metric == "precision":
        return share_range(tp, tp + fp, level)
    if metric == "recall":
        return share_range(tp, tp + fn, level)
    if metric == "f":  # a function of the share of true positives among them and all mistakes
        return Range(*(2 * share / (1 + share) for share in share_range(tp, tp + fp + fn, level)))
    if metric == "balanced_accuracy":
        return _sum(share_range(tp, tp + fn, level), share_range(tn, tn + fp, level), 0.5, 0.5)
    assert metric == "cost", metric
    number = counts.labels
    return _sum(share_range(fn, number, level), share_range(fp, number, level), rows * c_p, rows * c_n)


def _sum(one: Range, two: Range, first: float, second: float) -> Range:
    """A weighted sum of two shares: the squared distances to the limits add up (Zou and Donner's MOVER)."""
    value = first * one.value + second * two.value
    below = math.hypot(first * (one.value - one.low), second * (two.value - two.low))
    above = math.hypot(first * (one.high - one.value), second * (two.high - two.value))
    return Range(value, max(0.0, value - below), value + above)


def _too_few(metric: str, counts: SampleCounts) -> str:
    """Why there is no estimate yet, or an empty string."""
    if not counts.labels:
        return "Cannot tell yet: no label is known by asking."
    tp, fp, tn, fn = counts[:4]
    known = {"positive": tp + fn, "negative": tn + fp}
    for name in find(metric).about:
        if known[name] < ENOUGH:
            return f"Cannot tell yet: {known[name]} {name} rows were asked for, and it takes {ENOUGH}."
    return ""
