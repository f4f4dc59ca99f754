"""Learning curves: a metric along a stream, in constant memory."""

import itertools
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from askance.metrics.histograms import BINS, Bins, check_rows
from askance.metrics.measures import Counts, check_kind, find, measure
from askance.metrics.tally import Tally, counted, events
from askance.typing import FloatArray, IntArray


class Curve(NamedTuple):
    """A metric over all rows so far, at some points of a stream.

    Attributes
    ----------
    rows : ndarray of int
        Number of rows so far.
    labels : ndarray of int
        Number of labels asked for so far.
    values : ndarray of float
        The metric over all rows so far.
    """

    rows: IntArray
    labels: IntArray
    values: FloatArray


class CurveRecorder:
    """Collects the counts at evenly spaced rows, and at the last one, chunk by chunk.

    The distance between recorded rows is the smallest power of two for which at most `points` rows are recorded.
    It depends only on the number of rows, so the chunk size does not change the curve.

    Parameters
    ----------
    points : int, default: 200
        The largest number of points of the curve.
    many : bool, default: False
        Whether there may be more than two classes, as in `Tally`.

    Attributes
    ----------
    tally : Tally
        The counts of all rows so far.

    Examples
    --------
    >>> from askance.metrics import CurveRecorder
    >>> recorder = CurveRecorder()
    >>> recorder.add([1, -1], [1, 1], [True, True])
    >>> recorder.add([1, -1], [1, -1], [False, True])
    >>> recorder.curve("accuracy").values.tolist()
    [1.0, 0.5, 0.6666666666666666, 0.75]
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
        y_true: ArrayLike,
        y_pred: ArrayLike,
        asked: ArrayLike,
        updated: ArrayLike | None = None,
        scores: ArrayLike | None = None,
    ) -> None:
        """Count some rows.

        Parameters
        ----------
        y_true : array-like of shape (n_rows,)
            True labels: +1, -1, or 0 for unknown.
        y_pred : array-like of shape (n_rows,)
            Predicted labels: +1 or -1.
        asked : array-like of bool of shape (n_rows,)
            Whether the label was asked for.
        updated : array-like of bool of shape (n_rows,) or None, default: None
            Whether the learner updated. None means never.
        scores : array-like of shape (n_rows,) or None, default: None
            Scores of the rows, for the metrics of scores.
        """
        happened = events(y_true, y_pred, asked, updated)
        if scores is not None:
            check_rows(np.asarray(y_true), np.asarray(scores))
        before, size = self._rows, np.size(happened.rows)
        self._thin(before + size)
        marks = range(self._stride - before % self._stride, size, self._stride)
        for start, end in itertools.pairwise(sorted({0, *marks, size})):
            self.tally = self.tally + counted(happened, start, end, scores)
            if self._rows % self._stride == 0:
                self._kept.append(self.tally)

    def curve(self, metric: str = "accuracy", **weights: float) -> Curve:
        """Return the curve of a metric.

        Parameters
        ----------
        metric : str, default: "accuracy"
            Name of the metric, a key of `METRICS`.
        **weights : float
            Weights of the metric.

        Returns
        -------
        curve : Curve
        """
        check_kind(metric, many=self.tally.many)
        moments = self._kept + ([self.tally] if self._rows % self._stride else [])
        table = np.array([moment.counts for moment in moments], dtype=np.int64)
        counts = Counts(*table.reshape(-1, len(Counts._fields)).T)
        measured: Counts | Bins = counts
        if find(metric).of_scores:
            self.tally.check_scores(metric)
            measured = Bins(*(_stacked(moments, name) for name in Bins._fields))
        return Curve(np.asarray(counts.rows), np.asarray(counts.asked), measure(measured, metric, **weights))

    def flipped(self) -> "CurveRecorder":
        """The counts of the same rows with the other class as the positive one."""
        other = CurveRecorder(self._points, many=self.tally.many)
        other._stride, other.tally = self._stride, self.tally.flipped()
        other._kept = [moment.flipped() for moment in self._kept]
        return other

    @property
    def _rows(self) -> int:
        return int(self.tally.counts.rows)

    def _thin(self, rows: int) -> None:
        """Drop moments so that those of `rows` rows, including the last one, are at most `points`."""
        while -(-rows // self._stride) > self._points:
            self._stride *= 2
            self._kept = self._kept[1::2]


def _stacked(moments: list[Tally], name: str) -> FloatArray:
    bins = [getattr(moment.histograms.bins, name) for moment in moments]
    return np.array(bins, dtype=np.float64).reshape(len(moments), BINS)


def curve(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    asked: ArrayLike,
    metric: str = "accuracy",
    points: int = 200,
    *,
    scores: ArrayLike | None = None,
    many: bool = False,
    **weights: float,
) -> Curve:
    """Compute a metric over all rows so far, at up to `points` evenly spaced rows and at the last one.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        True labels: +1, -1, or 0 for unknown.
    y_pred : array-like of shape (n_rows,)
        Predicted labels: +1 or -1.
    asked : array-like of bool of shape (n_rows,)
        Whether the label was asked for.
    metric : str, default: "accuracy"
        Name of the metric, a key of `METRICS`.
    points : int, default: 200
        The largest number of points.
    scores : array-like of shape (n_rows,) or None, default: None
        Scores of the rows, for the metrics of scores.
    many : bool, default: False
        Whether there may be more than two classes, as in `Tally`.
    **weights : float
        Weights of the metric.

    Returns
    -------
    curve : Curve

    Raises
    ------
    ValueError
        If the arrays do not match, or there is no such metric or weight.

    Examples
    --------
    >>> from askance.metrics import curve
    >>> curve([1, -1, 1, -1], [1, 1, 1, -1], [True, True, False, True]).labels.tolist()
    [1, 2, 2, 3]
    """
    recorder = CurveRecorder(points, many=many)
    recorder.add(y_true, y_pred, asked, scores=scores)
    return recorder.curve(metric, **weights)
