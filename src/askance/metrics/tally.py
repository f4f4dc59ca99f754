"""The running counts of a binary stream, from which every metric is computed."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from askance.metrics.histograms import Histograms
from askance.metrics.measures import Counts, check_kind, find, measure


class Tally:
    """Counts that grow with a stream; two tallies of different rows can be added.

    Predictions are made on every round, so mistakes are counted on all rounds, asked or not. A row whose
    true label is unknown counts as a row, and in no quality metric. With `many` classes, +1 stands for the right
    one: then only the metrics that tell right from wrong have a meaning. The metrics of scores need the scores of
    every row.
    """

    def __init__(
        self, counts: Counts | None = None, histograms: Histograms | None = None, *, many: bool = False
    ) -> None:
        self.counts = Counts(0, 0, 0, 0, 0, 0, 0) if counts is None else counts
        self.histograms = Histograms() if histograms is None else histograms
        self.many = many

    def add(
        self,
        truth: ArrayLike,
        guesses: ArrayLike,
        asked: ArrayLike,
        updated: ArrayLike | None = None,
        scores: ArrayLike | None = None,
    ) -> None:
        """Count some rows: `truth` +1, -1 or 0 (unknown), `guesses` +1 or -1, the next two booleans."""
        happened = events(truth, guesses, asked, updated)
        whole = self + counted(happened, scores=scores)
        self.counts, self.histograms = whole.counts, whole.histograms

    def value(self, metric: str, **weights: float) -> float:
        """The metric of that name, over all rows so far."""
        check_kind(metric, many=self.many)
        if find(metric).of_scores:
            self.check_scores(metric)
            return float(measure(self.histograms.bins, metric, **weights))
        return float(measure(self.counts, metric, **weights))

    def check_scores(self, metric: str) -> None:
        """ValueError if rows were counted without their scores."""
        if self.histograms.total != self.counts.known:
            raise ValueError(f"the metric {metric!r} is one of the scores: count all rows with their scores")

    def __add__(self, other: "Tally") -> "Tally":
        counts = Counts(*(one + two for one, two in zip(self.counts, other.counts, strict=True)))
        return Tally(counts, self.histograms + other.histograms, many=self.many)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tally) and self.counts == other.counts and self.histograms == other.histograms

    def __repr__(self) -> str:
        return f"Tally({self.counts})"


def events(truth: ArrayLike, guesses: ArrayLike, asked: ArrayLike, updated: ArrayLike | None = None) -> Counts:
    """The counts of each row by itself, as booleans; without `updated`, no row is an update."""
    truth, guesses, asked = np.asarray(truth), np.asarray(guesses), np.asarray(asked, dtype=bool)
    updated = np.zeros(asked.shape, dtype=bool) if updated is None else np.asarray(updated, dtype=bool)
    _check(truth, guesses, asked, updated)
    positive, negative, called = truth > 0, truth < 0, guesses > 0
    return Counts(
        rows=np.ones(truth.shape, dtype=bool),
        asked=asked,
        updates=updated,
        true_positives=positive & called,
        false_positives=negative & called,
        true_negatives=negative & ~called,
        false_negatives=positive & ~called,
    )


def counted(happened: Counts, start: int = 0, end: int | None = None, scores: ArrayLike | None = None) -> Tally:
    """The tally of the rows from `start` to `end` whose events these are."""
    histograms = Histograms()
    if scores is not None:
        positive = np.asarray(happened.true_positives | happened.false_negatives, dtype=np.int8)
        negative = np.asarray(happened.true_negatives | happened.false_positives, dtype=np.int8)
        histograms.add((positive - negative)[start:end], np.asarray(scores)[start:end])
    counts = Counts(*(int(np.count_nonzero(np.asarray(event)[start:end])) for event in happened))
    return Tally(counts, histograms)


def _check(truth: NDArray[Any], guesses: NDArray[Any], asked: NDArray[Any], updated: NDArray[Any]) -> None:
    shapes = [array.shape for array in (truth, guesses, asked, updated)]
    if truth.ndim != 1 or len(set(shapes)) > 1:
        raise ValueError(
            "truth, guesses, asked and updated must be equally long arrays of one dimension, not of shapes "
            + ", ".join(map(str, shapes))
        )
    # Classes 0 and 1 handed in by mistake would be taken for unknown and positive.
    if not (np.all(np.abs(guesses) == 1) and np.all(np.abs(truth) <= 1)):
        raise ValueError("guesses must be +1 or -1 and truth +1, -1 or 0 (unknown): translate class values first")
