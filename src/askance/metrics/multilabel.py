"""Metrics of rows with several labels, and estimates of them from asked labels alone.

A coin decides about one unit: a pair of a row and a label, or a row with all its labels. With A = 1 if a unit was
asked about, with probability π, and m what its mistakes cost, Σ A m/π estimates the sum of m over all units. What
was predicted is known of all units, so every metric here follows from mistakes: with P predictions, FP and FN,

    F = 2 (P - FP) / (2 P - FP + FN).

F is a ratio of sums. Near its value it changes by -((2 - F) fp + F fn) / (2 P - FP + FN) with the mistakes of one
unit (the delta method), so its interval is that of one weighted count, with m = (2 - F) fp + F fn.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from askance.errors import ParameterError
from askance.metrics.asked import SIZES, SMALLEST, size_unseen
from askance.metrics.estimates import ENOUGH, LEVEL, Estimate
from askance.metrics.intervals import Range, Unseen, WeightedCount, all_of
from askance.typing import BoolArray, FloatArray, IntArray


class LabelCounts(NamedTuple):
    """Per label: how often it was predicted, wrongly predicted, and missed; and the number of rows."""

    predicted: FloatArray
    false_positives: FloatArray
    false_negatives: FloatArray
    rows: float

    @property
    def sizes(self) -> FloatArray:
        """Predictions and rows that carry the label, together: the denominator of F."""
        return 2 * self.predicted - self.false_positives + self.false_negatives

    @property
    def carried(self) -> FloatArray:
        """The rows that carry the label."""
        return self.predicted - self.false_positives + self.false_negatives


def label_counts(truth: BoolArray, predicted: BoolArray) -> LabelCounts:
    """Count mistakes per label in indicator matrices (rows × labels)."""
    columns = (predicted, predicted & ~truth, truth & ~predicted)
    sums = [column.sum(axis=0).astype(np.float64) for column in columns]
    return LabelCounts(sums[0], sums[1], sums[2], len(truth))


def micro_f(counts: LabelCounts) -> float:
    """F of all pairs of a row and a label together. Without any label it is 0."""
    right = (counts.predicted - counts.false_positives).sum()
    return float(2 * right / counts.sizes.sum()) if counts.sizes.sum() > 0 else 0.0


def macro_f(counts: LabelCounts) -> float:
    """The mean of the labels' F. A label that is neither carried nor predicted has F = 0."""
    return float(_f_of_labels(counts).mean()) if len(counts.predicted) else 0.0


def hamming_loss(counts: LabelCounts) -> float:
    """The share of wrong pairs."""
    wrong = counts.false_positives.sum() + counts.false_negatives.sum()
    return float(wrong / max(1, counts.rows * len(counts.predicted)))


def cardinality(counts: LabelCounts) -> float:
    """The mean number of labels per row."""
    return float(counts.carried.sum() / max(1, counts.rows))


MULTILABEL_METRICS: dict[str, Callable[[LabelCounts], float]] = {
    "micro_f": micro_f,
    "macro_f": macro_f,
    "hamming_loss": hamming_loss,
    "cardinality": cardinality,
}
TITLES = {
    "micro_f": "micro-F",
    "macro_f": "macro-F",
    "hamming_loss": "Hamming loss",
    "cardinality": "labels per row",
}


def _f_of_labels(counts: LabelCounts) -> FloatArray:
    right = np.maximum(counts.predicted - counts.false_positives, 0.0)
    found: FloatArray = 2 * right / np.maximum(counts.sizes, 1e-300)
    return found


class AskedPairs(NamedTuple):
    """What was predicted and asked, as matrices (rows × labels). The truth counts only where it was asked.

    With `by_row`, one coin decided about all labels of a row, otherwise each pair had its own.
    """

    truth: BoolArray
    predicted: BoolArray
    asked: BoolArray
    ask_probabilities: FloatArray
    by_row: bool

    def estimate(self, metric: str, level: float = LEVEL) -> Estimate:
        """Estimate a metric over all pairs that could be asked about, with an interval."""
        check_metric(metric)
        if not 0 < level < 1:
            raise ParameterError("estimate", "level", level, "greater than 0 and less than 1")
        labels, carried = int(self.asked.sum()), int((self.asked & self.truth).sum())
        if not labels:
            return _nothing(metric, level, 0, "Cannot tell yet: no label is known by asking.")
        if metric != "hamming_loss" and carried < ENOUGH:
            reason = f"Cannot tell yet: {carried} carried labels are known by asking, and it takes {ENOUGH}."
            return _nothing(metric, level, labels, reason)
        own, note = self._able(metric)
        if not own.predicted.shape[1]:
            reason = f"Cannot tell yet: no label is known to be carried by {ENOUGH} rows."
            return _nothing(metric, level, labels, reason)
        return Estimate(metric, *own._range(metric, level), level, labels, note)

    def _able(self, metric: str) -> tuple["AskedPairs", str]:
        """The pairs that the estimate is about, and what to say about it."""
        notes, own = [], self
        if metric == "macro_f":
            enough, note = of_labels_with_carriers((self.asked & self.truth).sum(axis=0))
            own = AskedPairs(
                self.truth[:, enough],
                self.predicted[:, enough],
                self.asked[:, enough],
                self.ask_probabilities[:, enough],
                self.by_row,
            )
            notes += [note] if note else []
        out_of_reach = int((own.ask_probabilities <= 0).sum())
        if out_of_reach:
            notes.append(f"{out_of_reach:,} pairs could not be asked about: the estimate is of the others.")
        return own, " ".join(notes)

    def _range(self, metric: str, level: float) -> Range:
        reached = self.ask_probabilities > 0
        weights = np.where(self.asked, 1 / np.maximum(self.ask_probabilities, SMALLEST), 0.0)
        wrong, missed = self.predicted & ~self.truth & self.asked, self.truth & ~self.predicted & self.asked
        predicted = (self.predicted & reached).sum(axis=0).astype(np.float64)
        rows = reached.sum() / max(1, reached.shape[1])
        counts = LabelCounts(predicted, (wrong * weights).sum(axis=0), (missed * weights).sum(axis=0), rows)
        value = MULTILABEL_METRICS[metric](counts)
        if metric == "cardinality":
            more, less = (self._sum(mistakes / rows, 1 / rows, level) for mistakes in (missed, wrong))
            low = value - math.hypot(more.value - more.low, less.high - less.value)
            high = value + math.hypot(more.high - more.value, less.value - less.low)
            return Range(value, max(0.0, low), high)
        size = rows * len(predicted) if metric == "hamming_loss" else counts.sizes.sum()
        found = self._sum(_costs(metric, counts, wrong, missed), 1 / size, level)
        if metric == "hamming_loss":
            return Range(value, found.low, min(1.0, found.high))
        low, high = value - (found.high - found.value), value + found.value - found.low
        return Range(value, max(0.0, low), min(1.0, high))

    def _sum(self, costs: FloatArray, of_one: float, level: float) -> Range:
        """The sum of costs over all pairs, from the asked ones; if none of them costs, one costs `of_one`."""
        chances, asked = self.ask_probabilities, self.asked
        if self.by_row:  # one coin for all labels of a row
            costs, chances = costs.sum(axis=1), chances.max(axis=1, initial=0.0)
            asked = np.asarray(asked.any(axis=1))
        found = asked & (costs > 0)
        m, weights = costs[found], 1 / chances[found]
        count = WeightedCount(len(m), float(m @ weights), float(m**2 @ (weights * (weights - 1))))
        size = float(m @ m / m.sum()) if len(m) else of_one  # of one more mistake, which no coin has found
        return all_of(count, size * _unseen(chances[chances > 0]).weight(level), level)


def of_labels_with_carriers(carriers: IntArray) -> tuple[BoolArray, str]:
    """The labels of which enough carriers are known for a macro-F, and what to say about the others."""
    enough = np.asarray(carriers >= ENOUGH)
    if enough.all():
        return enough, ""
    known = f"fewer than {ENOUGH} carriers are known"
    return enough, f"The mean of {enough.sum()} of {len(enough)} labels: of the others, {known}."


def check_metric(metric: str) -> None:
    """Raise ParameterError unless it is one of these metrics."""
    if metric not in MULTILABEL_METRICS:
        allowed = ", ".join(map(repr, MULTILABEL_METRICS))
        raise ParameterError("MultiLabelTrace", "metric", metric, f"one of {allowed}")


def _costs(metric: str, counts: LabelCounts, wrong: BoolArray, missed: BoolArray) -> FloatArray:
    """By how much a metric changes with each mistake."""
    labels = len(counts.predicted)
    if metric == "hamming_loss":
        return np.asarray((wrong | missed) / (counts.rows * labels))
    if metric == "micro_f":
        f, sizes = np.asarray(micro_f(counts)), counts.sizes.sum(keepdims=True)
    else:
        f, sizes = _f_of_labels(counts), np.maximum(counts.sizes, 1e-300) * labels
    return np.asarray(((2 - f) * wrong + f * missed) / sizes)


def _unseen(chances: FloatArray) -> Unseen:
    """All units by how likely they stay unseen, as `AskedTally` counts them."""
    sizes = size_unseen(chances.ravel())
    places = np.clip(1 + np.floor(2 * np.log2(np.maximum(sizes, 0.5))), 0, SIZES - 1).astype(np.intp)
    numbers = np.bincount(places, minlength=SIZES).astype(np.float64)
    return Unseen(numbers, np.bincount(places, sizes, minlength=SIZES).astype(np.float64))


def _nothing(metric: str, level: float, labels: int, note: str) -> Estimate:
    return Estimate(metric, None, None, None, level, labels, note)
