"""What the asked labels alone tell about all rows, collected in constant memory."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from askance.metrics.anytime import Anytime
from askance.metrics.areas import AskedBins
from askance.metrics.estimates import LEVEL, Estimate, Known, estimate
from askance.metrics.histograms import BINS, Bins, Histograms, Values, bin_of, check_rows
from askance.metrics.intervals import Called, Group, Unseen
from askance.metrics.measures import METRICS
from askance.metrics.tally import events

SMALLEST = 1e-50  # the fourth power of the inverse is still a number
SIZES = 64
UNKNOWN, RIGHT, WRONG = 0, 1, 2


class _Rows(NamedTuple):
    """Rows that could be asked for; the truth of those that were not is 0."""

    truth: NDArray[Any]
    called: NDArray[np.bool_]  # positive
    asked: NDArray[np.bool_]
    probabilities: Values
    scores: NDArray[Any] | None


class AskedTally:
    """Estimates metrics of all rows from the labels that were asked for; two of different rows can be added.

    Of the other rows only what is known without a label is used. `truth` and `guesses` are as `Tally` takes them.
    """

    def __init__(self, *, many: bool = False) -> None:
        self.many = many
        self.rows = 0
        self._reached = np.zeros((2, SIZES, 2))  # by call and by size, an `Unseen` of rows that could be asked for
        self._cells = np.zeros((2, 3, 3))  # by call, by what was seen (UNKNOWN, RIGHT, WRONG), a `Group`
        self._scored = np.zeros(BINS)  # rows by score
        self._totals, self._variances, self._squares = Histograms(), Histograms(), Histograms()
        self._anytime = (Anytime(), Anytime(), Anytime())  # false negatives, false positives, all mistakes

    def add(
        self,
        truth: ArrayLike,
        guesses: ArrayLike,
        asked: ArrayLike,
        probabilities: ArrayLike,
        scores: ArrayLike | None = None,
    ) -> None:
        """Take in some rows, with the probability with which each was to be asked for."""
        rows = _checked(truth, guesses, asked, probabilities, scores, many=self.many)
        self.rows += np.size(truth)
        seen = np.select([rows.truth == 0, (rows.truth > 0) == rows.called], [UNKNOWN, RIGHT], WRONG)
        self._take_all(rows)
        self._take_seen(rows, seen)
        wrong = rows.asked & (seen == WRONG)
        others = rows.asked & ~wrong
        for kind, might in zip(self._anytime, (~rows.called, rows.called, np.ones_like(wrong)), strict=True):
            kind.add(rows.probabilities[might], wrong[might], others[might])

    # Sums grow row after row, never by the sum of a chunk: so chunks cannot change even their last bit.

    def _take_all(self, rows: _Rows) -> None:
        """What is known without a label."""
        sizes = size_unseen(rows.probabilities)
        # From 1 on in half powers of two; the first place holds what is smaller.
        places = np.clip(1 + np.floor(2 * np.log2(np.maximum(sizes, 0.5))), 0, SIZES - 1).astype(np.intp)
        reached = np.stack([np.ones(sizes.shape), sizes], axis=1)
        np.add.at(self._reached, (rows.called.astype(np.intp), places), reached)
        if rows.scores is not None:
            self._scored += np.bincount(bin_of(rows.scores), minlength=BINS)

    def _take_seen(self, rows: _Rows, seen: NDArray[np.intp]) -> None:
        """What the asked labels say."""
        asked = rows.asked
        weights = 1 / rows.probabilities[asked]
        groups = np.stack([np.ones(weights.shape), weights, weights * (weights - 1)], axis=1)
        np.add.at(self._cells, (rows.called[asked].astype(np.intp), seen[asked]), groups)
        if rows.scores is not None:
            variances = weights * (weights - 1)
            sums = (self._totals, self._variances, self._squares)
            for histograms, terms in zip(sums, (weights, variances, variances**2), strict=True):
                histograms.add(rows.truth[asked], rows.scores[asked], terms)

    def estimate(self, metric: str, level: float = LEVEL, *, anytime: bool = False, **weights: float) -> Estimate:
        """The metric over all rows that could be asked for, with an interval that holds it with that probability.

        An `anytime` interval holds it at every moment of the stream at once: it may be looked at again and again,
        and one may stop when one likes. There are such ones for accuracy, error, mistakes and cost.
        """
        return estimate(self.known(), metric, level, anytime=anytime, **weights)

    def estimates(self, level: float = LEVEL) -> dict[str, Estimate]:
        """All metrics by name that have a meaning here."""
        known = self.known()
        able = [name for name, entry in METRICS.items() if not (self.many and entry.two_classes)]
        return {
            name: estimate(known, name, level)
            for name in able
            if known.bins is not None or not METRICS[name].of_scores
        }

    def known(self) -> Known:
        """All that estimates are made from."""
        called = [
            Called(Unseen(*reached.T), *(Group(*group) for group in cell))
            for reached, cell in zip(self._reached, self._cells.tolist(), strict=True)
        ]
        scored = self._scored.sum() == self._reached[:, :, 0].sum()
        sums = (self._totals.bins, self._variances.bins, self._squares.bins)
        bins = AskedBins(*sums, self._scored) if scored else None
        return Known(self.rows, called[0], called[1], bins, *self._anytime, self.many)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All that was collected, by name: `restore` goes on from it."""
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
        """Be as the tally was whose `arrays` these are."""
        self.rows = int(arrays["rows"])
        self._reached, self._cells, self._scored = (arrays[name].copy() for name in ("reached", "cells", "scored"))
        self._totals, self._variances, self._squares = (
            Histograms(bins=Bins(*arrays[name].copy())) for name in ("totals", "variances", "squares")
        )
        self._anytime = tuple(  # type: ignore[assignment]
            Anytime(int(arrays[f"rows_{place}"]), arrays[f"sums_{place}"].copy(), arrays[f"left_out_{place}"])
            for place in range(len(self._anytime))
        )

    def __add__(self, other: "AskedTally") -> "AskedTally":
        both = AskedTally(many=self.many)
        for name in vars(self).keys() - {"many", "_anytime"}:
            setattr(both, name, getattr(self, name) + getattr(other, name))
        both._anytime = tuple(one + two for one, two in zip(self._anytime, other._anytime, strict=True))  # type: ignore[assignment]
        return both


def size_unseen(probabilities: Values) -> Values:
    """-1 / log(1-π): so many rows of probability π stay unseen with probability 1/e; of certain ones, none."""
    certain = probabilities >= 1
    return np.where(certain, 0.0, -1 / np.log1p(-np.where(certain, 0.5, probabilities)))


def _checked(
    truth: ArrayLike,
    guesses: ArrayLike,
    asked: ArrayLike,
    probabilities: ArrayLike,
    scores: ArrayLike | None,
    *,
    many: bool,
) -> _Rows:
    truth, guesses, asked = np.asarray(truth), np.asarray(guesses), np.asarray(asked, dtype=bool)
    probabilities = np.asarray(probabilities, dtype=np.float64)
    events(truth, guesses, asked)  # refuses what are no signs
    if probabilities.shape != asked.shape:
        raise ValueError(f"there must be a probability a row, not shapes {probabilities.shape} and {asked.shape}")
    if not ((probabilities >= 0) & (probabilities <= 1)).all():
        raise ValueError("probabilities of asking must be from 0 to 1")
    if (asked & (probabilities == 0)).any():
        raise ValueError("a row that was asked for cannot have had the probability 0")
    scores = None if scores is None else np.asarray(scores)
    if scores is not None:
        check_rows(truth, scores)
    if many:  # whether a guess is right is not known without asking, so all rows count as of one kind
        truth, guesses = np.where(truth == 0, 0, -guesses), np.full(guesses.shape, -1)
    reached = probabilities > 0
    return _Rows(
        np.where(asked, truth, 0)[reached],
        guesses[reached] > 0,
        asked[reached],
        np.maximum(probabilities[reached], SMALLEST),
        None if scores is None else scores[reached],
    )
