"""Estimate metrics over all rows from the asked labels only, in constant memory."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from askance.metrics.anytime import Anytime
from askance.metrics.areas import AskedBins
from askance.metrics.estimates import LEVEL, AskedEvidence, Estimate, estimate
from askance.metrics.histograms import BINS, Bins, Histograms, bin_of, check_rows
from askance.metrics.intervals import SamePrediction, Unseen, WeightedCount
from askance.metrics.measures import METRICS
from askance.metrics.tally import events
from askance.typing import BoolArray, FloatArray

SMALLEST = 1e-50  # the fourth power of its inverse is still finite
SIZES = 64
UNKNOWN, RIGHT, WRONG = 0, 1, 2
NO_ANSWER = "questions have no answer"


class Rows(NamedTuple):
    """Rows that could be asked for. The true label of rows that were not asked for is 0."""

    y_true: NDArray[Any]
    positive: BoolArray  # as predicted
    asked: BoolArray
    ask_probabilities: FloatArray
    scores: NDArray[Any] | None


class AskedTally:
    """Estimates of metrics over all rows, from the labels that were asked for.

    For the other rows only what is known without a label is used. Each asked row is weighted by the inverse of its
    asking probability. Two tallies of different rows can be added.

    Parameters
    ----------
    many : bool, default: False
        Whether there may be more than two classes. Then +1 stands for the correct class, as in `Tally`.

    Attributes
    ----------
    rows : int
        Number of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from askance.metrics import AskedTally
    >>> random = np.random.default_rng(0)
    >>> y_true = np.where(random.random(5000) < 0.5, 1, -1)
    >>> y_pred = np.where(random.random(5000) < 0.9, y_true, -y_true)
    >>> asked = random.random(5000) < 0.2
    >>> tally = AskedTally()
    >>> tally.add(y_true, y_pred, asked, np.full(5000, 0.2))
    >>> estimate = tally.estimate("accuracy")
    >>> estimate.low < 0.9 < estimate.high
    True
    """

    def __init__(self, *, many: bool = False) -> None:
        self.many = many
        self.rows = 0
        self._reached = np.zeros((2, SIZES, 2))  # by prediction and size, the `Unseen` rows
        self._cells = np.zeros((2, 3, 3))  # by prediction and by label (UNKNOWN, RIGHT, WRONG), a `WeightedCount`
        self._scored = np.zeros(BINS)  # rows by score
        self._totals, self._variances, self._squares = Histograms(), Histograms(), Histograms()
        self._anytime = (Anytime(), Anytime(), Anytime())  # false negatives, false positives, all mistakes

    def add(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        asked: ArrayLike,
        ask_probabilities: ArrayLike,
        scores: ArrayLike | None = None,
    ) -> None:
        """Add some rows.

        Parameters
        ----------
        y_true : array-like of shape (n_rows,)
            True labels: +1, -1, or 0 for unknown.
        y_pred : array-like of shape (n_rows,)
            Predicted labels: +1 or -1.
        asked : array-like of bool of shape (n_rows,)
            Whether the label was asked for.
        ask_probabilities : array-like of shape (n_rows,)
            The probability with which each label was to be asked for.
        scores : array-like of shape (n_rows,) or None, default: None
            Scores of the rows, for the metrics of scores.

        Raises
        ------
        ValueError
            If the arrays do not match, or hold something else.
        """
        rows = checked(y_true, y_pred, asked, ask_probabilities, scores, many=self.many)
        self.rows += np.size(y_true)
        seen = np.select([rows.y_true == 0, (rows.y_true > 0) == rows.positive], [UNKNOWN, RIGHT], WRONG)
        self._take_all(rows)
        self._take_seen(rows, seen)
        wrong = rows.asked & (seen == WRONG)
        others = rows.asked & ~wrong
        for kind, might in zip(self._anytime, (~rows.positive, rows.positive, np.ones_like(wrong)), strict=True):
            kind.add(rows.ask_probabilities[might], wrong[might], others[might])

    # Sums grow row by row, never by the sum of a chunk, so that the chunk size does not change even the last bit.

    def _take_all(self, rows: Rows) -> None:
        """Add what is known without a label."""
        sizes = size_unseen(rows.ask_probabilities)
        # Half powers of two from 1; the first bin holds smaller sizes.
        places = np.clip(1 + np.floor(2 * np.log2(np.maximum(sizes, 0.5))), 0, SIZES - 1).astype(np.intp)
        reached = np.stack([np.ones(sizes.shape), sizes], axis=1)
        np.add.at(self._reached, (rows.positive.astype(np.intp), places), reached)
        if rows.scores is not None:
            self._scored += np.bincount(bin_of(rows.scores), minlength=BINS)

    def _take_seen(self, rows: Rows, seen: NDArray[np.intp]) -> None:
        """Add what the asked labels say."""
        asked = rows.asked
        weights = 1 / rows.ask_probabilities[asked]
        groups = np.stack([np.ones(weights.shape), weights, weights * (weights - 1)], axis=1)
        np.add.at(self._cells, (rows.positive[asked].astype(np.intp), seen[asked]), groups)
        if rows.scores is not None:
            variances = weights * (weights - 1)
            sums = (self._totals, self._variances, self._squares)
            for histograms, terms in zip(sums, (weights, variances, variances**2), strict=True):
                histograms.add(rows.y_true[asked], rows.scores[asked], terms)

    def estimate(
        self,
        metric: str,
        level: float = LEVEL,
        *,
        anytime: bool = False,
        worst_case: bool = False,
        **weights: float,
    ) -> Estimate:
        """Estimate a metric over all rows that could be asked for, with an interval.

        Parameters
        ----------
        metric : str
            Name of the metric, a key of `METRICS`.
        level : float, default: 0.95
            The probability with which the interval contains the metric.
        anytime : bool, default: False
            Whether the interval holds at all times simultaneously (a confidence sequence). Use it if you monitor
            the interval continuously and stop when you like. It exists for accuracy, error, mistakes and cost.
        worst_case : bool, default: False
            Whether the interval also holds if all predictions of rows whose label was asked for and not given are
            right, or all of them wrong. Otherwise it is about the rows that would be answered, which may be
            easier: the note says how many questions have no answer.
        **weights : float
            Weights of the metric, such as `beta` of "f".

        Returns
        -------
        estimate : Estimate
            Without numbers if there are not enough labels yet.

        Raises
        ------
        ValueError
            If there is no such metric, level, weight or interval.
        """
        found = estimate(self.known(), metric, level, anytime=anytime, **weights)
        unknown = int(self._cells[:, UNKNOWN, 0].sum())
        if not unknown or found.value is None or metric == "query_ratio":
            return found
        if not worst_case:
            return _with_note(
                found, f"{unknown:,} {NO_ANSWER}: the estimate assumes that they are like the others."
            )
        extremes = [
            estimate(self.known(as_if), metric, level, anytime=anytime, **weights) for as_if in (RIGHT, WRONG)
        ]
        limits = [limit for one in extremes for limit in (one.low, one.high, found.value) if limit is not None]
        found = found._replace(low=min(limits), high=max(limits))
        return _with_note(found, f"{unknown:,} {NO_ANSWER}: the interval allows for any answer.")

    def estimates(self, level: float = LEVEL) -> dict[str, Estimate]:
        """Estimate all metrics that are defined for these rows.

        Parameters
        ----------
        level : float, default: 0.95
            The probability with which each interval contains its metric.

        Returns
        -------
        estimates : dict of str to Estimate
        """
        scored = self.known().bins is not None
        able = [name for name, entry in METRICS.items() if not (self.many and entry.two_classes)]
        return {name: self.estimate(name, level) for name in able if scored or not METRICS[name].of_scores}

    def known(self, unknown_as: int = UNKNOWN) -> AskedEvidence:
        """Return the sums from which all estimates are computed, as if unknown labels were right or wrong."""
        cells = self._cells.copy()
        if unknown_as != UNKNOWN:
            cells[:, unknown_as] += cells[:, UNKNOWN]
            cells[:, UNKNOWN] = 0.0
        called = [
            SamePrediction(Unseen(*reached.T), *(WeightedCount(*group) for group in cell))
            for reached, cell in zip(self._reached, cells.tolist(), strict=True)
        ]
        scored = self._scored.sum() == self._reached[:, :, 0].sum()
        sums = (self._totals.bins, self._variances.bins, self._squares.bins)
        bins = AskedBins(*sums, self._scored) if scored else None
        return AskedEvidence(self.rows, called[0], called[1], bins, *self._anytime, self.many)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the state as arrays, for `restore`."""
        sums = {"totals": self._totals, "variances": self._variances, "squares": self._squares}
        bins = {name: np.stack(histograms.bins) for name, histograms in sums.items()}
        anytime = {
            f"{part}_{place}": np.asarray(getattr(kind, part))
            for place, kind in enumerate(self._anytime)
            for part in ("rows", "sums", "left_out")
        }
        own = {"rows": np.asarray(self.rows), "reached": self._reached, "cells": self._cells}
        return {**own, "scored": self._scored, **bins, **anytime}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore the state that `arrays` returned."""
        self.rows = int(arrays["rows"])
        self._reached, self._cells, self._scored = (arrays[name].copy() for name in ("reached", "cells", "scored"))
        self._totals, self._variances, self._squares = (
            Histograms(bins=Bins(*arrays[name].copy())) for name in ("totals", "variances", "squares")
        )
        self._anytime = tuple(  # type: ignore[assignment]
            Anytime(int(arrays[f"rows_{place}"]), arrays[f"sums_{place}"].copy(), arrays[f"left_out_{place}"])
            for place in range(len(self._anytime))
        )

    def flipped(self) -> "AskedTally":
        """The tally of the same rows with the other class as the positive one."""
        other = AskedTally(many=self.many)
        other.rows, other._reached, other._cells = self.rows, self._reached[::-1].copy(), self._cells[::-1].copy()
        other._scored = self._scored[::-1].copy()
        for name in ("_totals", "_variances", "_squares"):
            setattr(other, name, getattr(self, name).flipped())
        missed, false_alarms, every = self._anytime
        other._anytime = (false_alarms, missed, every)
        return other

    def as_many(self) -> "AskedTally":
        """The tally of the same rows, if there are more than two classes: of each, only whether it was right."""
        other = AskedTally(many=True)
        other.rows, other._scored = self.rows, self._scored.copy()
        other._reached[0], other._cells[0] = self._reached.sum(axis=0), self._cells.sum(axis=0)
        for name in ("_totals", "_variances", "_squares"):
            setattr(other, name, getattr(self, name) + Histograms())
        every = self._anytime[2]
        other._anytime = (every + Anytime(), Anytime(), every + Anytime())
        return other

    def __add__(self, other: "AskedTally") -> "AskedTally":
        both = AskedTally(many=self.many)
        for name in vars(self).keys() - {"many", "_anytime"}:
            setattr(both, name, getattr(self, name) + getattr(other, name))
        both._anytime = tuple(one + two for one, two in zip(self._anytime, other._anytime, strict=True))  # type: ignore[assignment]
        return both


def _with_note(found: Estimate, note: str) -> Estimate:
    return found._replace(note=" ".join(filter(None, (found.note, note))))


def size_unseen(ask_probabilities: FloatArray) -> FloatArray:
    """-1 / log(1-π): this many rows with probability π all stay unseen with probability 1/e; 0 if π is 1."""
    certain = ask_probabilities >= 1
    return np.where(certain, 0.0, -1 / np.log1p(-np.where(certain, 0.5, ask_probabilities)))


def checked(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    asked: ArrayLike,
    ask_probabilities: ArrayLike,
    scores: ArrayLike | None,
    *,
    many: bool,
) -> Rows:
    """The rows that could be asked for, or ValueError for arrays that do not match or hold something else."""
    y_true, y_pred, asked = np.asarray(y_true), np.asarray(y_pred), np.asarray(asked, dtype=bool)
    ask_probabilities = np.asarray(ask_probabilities, dtype=np.float64)
    events(y_true, y_pred, asked)  # checks that these are signs
    if ask_probabilities.shape != asked.shape:
        raise ValueError(
            f"ask_probabilities has the shape {ask_probabilities.shape}, asked {asked.shape}: they must match"
        )
    if not ((ask_probabilities >= 0) & (ask_probabilities <= 1)).all():
        raise ValueError("ask_probabilities must be from 0 to 1")
    if (asked & (ask_probabilities == 0)).any():
        raise ValueError("a row that was asked for cannot have an asking probability of 0")
    scores = None if scores is None else np.asarray(scores)
    if scores is not None:
        check_rows(y_true, scores)
    if many:  # without asking, no prediction is known to be right, so all rows count as one kind
        y_true, y_pred = np.where(y_true == 0, 0, -y_pred), np.full(y_pred.shape, -1)
    reached = ask_probabilities > 0
    return Rows(
        np.where(asked, y_true, 0)[reached],
        y_pred[reached] > 0,
        asked[reached],
        np.maximum(ask_probabilities[reached], SMALLEST),
        None if scores is None else scores[reached],
    )
