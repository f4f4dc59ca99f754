"""Running counts of a binary stream, from which metrics are computed."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from askance.metrics.histograms import Histograms
from askance.metrics.measures import Counts, check_kind, find, measure


class Tally:
    """Running counts of a stream. Two tallies of different rows can be added.

    Predictions are made for every row, so mistakes are counted on asked and other rows. A row with unknown true
    label counts as a row, but in no quality metric. The metrics of scores need the scores of every row.

    Parameters
    ----------
    counts : Counts or None, default: None
        The first counts. None means zeros.
    histograms : Histograms or None, default: None
        The first histograms of scores. None means empty ones.
    many : bool, default: False
        Whether there may be more than two classes. Then +1 stands for the correct class, and only accuracy, error,
        mistakes and query ratio are defined.

    Examples
    --------
    >>> from askance.metrics import Tally
    >>> tally = Tally()
    >>> tally.add([1, -1, 1, -1], [1, 1, 1, -1], [True, False, True, False])
    >>> tally.value("accuracy")
    0.75
    >>> tally.value("query_ratio")
    0.5
    """

    def __init__(
        self, counts: Counts | None = None, histograms: Histograms | None = None, *, many: bool = False
    ) -> None:
        self.counts = Counts(0, 0, 0, 0, 0, 0, 0) if counts is None else counts
        self.histograms = Histograms() if histograms is None else histograms
        self.many = many

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

        Raises
        ------
        ValueError
            If the arrays do not match, or hold something else.
        """
        happened = events(y_true, y_pred, asked, updated)
        whole = self + counted(happened, scores=scores)
        self.counts, self.histograms = whole.counts, whole.histograms

    def value(self, metric: str, **weights: float) -> float:
        """Return a metric over all rows so far.

        Parameters
        ----------
        metric : str
            Name of the metric, a key of `METRICS`.
        **weights : float
            Weights of the metric, such as `beta` of "f".

        Returns
        -------
        value : float
        """
        check_kind(metric, many=self.many)
        if find(metric).of_scores:
            self.check_scores(metric)
            return float(measure(self.histograms.bins, metric, **weights))
        return float(measure(self.counts, metric, **weights))

    def flipped(self) -> "Tally":
        """The tally of the same rows with the other class as the positive one."""
        return Tally(self.counts.flipped(), self.histograms.flipped(), many=self.many)

    def check_scores(self, metric: str) -> None:
        """Raise ValueError if rows were counted without their scores."""
        if self.histograms.total != self.counts.known:
            raise ValueError(f"the metric {metric!r} needs scores: count all rows with their scores")

    def __add__(self, other: "Tally") -> "Tally":
        counts = Counts(*(one + two for one, two in zip(self.counts, other.counts, strict=True)))
        return Tally(counts, self.histograms + other.histograms, many=self.many)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tally) and self.counts == other.counts and self.histograms == other.histograms

    def __repr__(self) -> str:
        return f"Tally({self.counts})"


def events(y_true: ArrayLike, y_pred: ArrayLike, asked: ArrayLike, updated: ArrayLike | None = None) -> Counts:
    """The counts of each single row, as booleans. Without `updated`, no row is an update."""
    y_true, y_pred, asked = np.asarray(y_true), np.asarray(y_pred), np.asarray(asked, dtype=bool)
    updated = np.zeros(asked.shape, dtype=bool) if updated is None else np.asarray(updated, dtype=bool)
    _check(y_true, y_pred, asked, updated)
    positive, negative, called = y_true > 0, y_true < 0, y_pred > 0
    return Counts(
        rows=np.ones(y_true.shape, dtype=bool),
        asked=asked,
        updates=updated,
        true_positives=positive & called,
        false_positives=negative & called,
        true_negatives=negative & ~called,
        false_negatives=positive & ~called,
    )


def counted(happened: Counts, start: int = 0, end: int | None = None, scores: ArrayLike | None = None) -> Tally:
    """The tally of the rows from `start` to `end`, given the events of all rows."""
    histograms = Histograms()
    if scores is not None:
        positive = np.asarray(happened.true_positives | happened.false_negatives, dtype=np.int8)
        negative = np.asarray(happened.true_negatives | happened.false_positives, dtype=np.int8)
        histograms.add((positive - negative)[start:end], np.asarray(scores)[start:end])
    counts = Counts(*(int(np.count_nonzero(np.asarray(event)[start:end])) for event in happened))
    return Tally(counts, histograms)


def _check(y_true: NDArray[Any], y_pred: NDArray[Any], asked: NDArray[Any], updated: NDArray[Any]) -> None:
    shapes = [array.shape for array in (y_true, y_pred, asked, updated)]
    if y_true.ndim != 1 or len(set(shapes)) > 1:
        raise ValueError(
            "y_true, y_pred, asked and updated must be one-dimensional arrays of equal length, not of shapes "
            + ", ".join(map(str, shapes))
        )
    # Classes 0 and 1, passed by mistake, would count as unknown and positive.
    if not (np.all(np.abs(y_pred) == 1) and np.all(np.abs(y_true) <= 1)):
        raise ValueError("y_pred must be +1 or -1 and y_true +1, -1 or 0 (unknown): convert class labels first")
