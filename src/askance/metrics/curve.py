"""How a metric goes along a stream, collected in constant memory."""

import itertools
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from askance.metrics.histograms import BINS, Bins, check_rows
from askance.metrics.measures import Counts, Values, check_kind, find, measure
from askance.metrics.tally import Tally, counted, events


class Curve(NamedTuple):
    """A metric over all rows so far, at some moments of the stream."""

    rows: NDArray[np.int64]
    labels: NDArray[np.int64]  # asked so far
    values: Values


class CurveRecorder:
    """Collects the counts at evenly spaced rows, and at the last one, chunk by chunk.

    The distance between kept rows is the least power of two with which at most `points` are kept. It depends
    on the number of rows alone, so a stream gives the same curve in whatever chunks it comes.
    """

    def __init__(self, points: int = 200, *, many: bool = False) -> None:
        if points < 1:
            raise ValueError(f"a curve needs at least one point, not {points}")
        self._points = points
        self._stride = 1
        self._kept: list[Tally] = []  # after each `stride` rows
        self.tally = Tally(many=many)  # of all rows so far

    def add(
        self,
        truth: ArrayLike,
        guesses: ArrayLike,
        asked: ArrayLike,
        updated: ArrayLike | None = None,
        scores: ArrayLike | None = None,
    ) -> None:
        """Count some rows, given as to `Tally.add`."""
        happened = events(truth, guesses, asked, updated)
        if scores is not None:
            check_rows(np.asarray(truth), np.asarray(scores))
        before, size = self._rows, np.size(happened.rows)
        self._thin(before + size)
        marks = range(self._stride - before % self._stride, size, self._stride)
        for start, end in itertools.pairwise(sorted({0, *marks, size})):
            self.tally = self.tally + counted(happened, start, end, scores)
            if self._rows % self._stride == 0:
                self._kept.append(self.tally)

    def curve(self, metric: str = "accuracy", **weights: float) -> Curve:
        """The metric of that name at the kept rows."""
        check_kind(metric, many=self.tally.many)
        moments = self._kept + ([self.tally] if self._rows % self._stride else [])
        table = np.array([moment.counts for moment in moments], dtype=np.int64)
        counts = Counts(*table.reshape(-1, len(Counts._fields)).T)
        measured: Counts | Bins = counts
        if find(metric).of_scores:
            self.tally.check_scores(metric)
            measured = Bins(*(_stacked(moments, name) for name in Bins._fields))
        return Curve(np.asarray(counts.rows), np.asarray(counts.asked), measure(measured, metric, **weights))

    @property
    def _rows(self) -> int:
        return int(self.tally.counts.rows)

    def _thin(self, rows: int) -> None:
        """Keep so few moments that those of `rows` rows, with the last one, will be at most `points`."""
        while -(-rows // self._stride) > self._points:
            self._stride *= 2
            self._kept = self._kept[1::2]


def _stacked(moments: list[Tally], name: str) -> Values:
    bins = [getattr(moment.histograms.bins, name) for moment in moments]
    return np.array(bins, dtype=np.float64).reshape(len(moments), BINS)


def curve(
    truth: ArrayLike,
    guesses: ArrayLike,
    asked: ArrayLike,
    metric: str = "accuracy",
    points: int = 200,
    *,
    scores: ArrayLike | None = None,
    many: bool = False,
    **weights: float,
) -> Curve:
    """The metric over all rows so far, at up to `points` evenly spaced rows and always at the last."""
    recorder = CurveRecorder(points, many=many)
    recorder.add(truth, guesses, asked, scores=scores)
    return recorder.curve(metric, **weights)
