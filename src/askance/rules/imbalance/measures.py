"""Measures that a panel keeps of each of its lanes while the stream goes by.

A measure is a named tuple with a method `start`; what that returns has the `values`, one a lane, and `record`,
which brings them up to date in time and memory that do not grow with the stream. Every label counts for `weight`
rows, which is 1/π where it was asked for with probability π: sums over asked labels then estimate, without bias,
those over all rows.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance._util.parameters import Constraints, Interval
from askance.jit.interop import inlined
from askance.jit.select import where
from askance.jit.simd.exponential import sigmoid
from askance.jit.simd.vector import at, blocks, sixteen

BINS = Interval(2, 1e6, low_closed=True, whole=True)

# Sums of so many bins stand ready, so that a sum up to some bin has few terms.
RUN = 16


class F(NamedTuple):
    """F = 2 TP / (positives + rows called positive), and 0 while there are none."""

    def start(self, lanes: int) -> "FObserved":
        """Nothing seen."""
        return FObserved(*np.zeros((3, lanes)))

    def constraints(self) -> Constraints:
        """It has no hyper-parameters."""
        return {}


class FObserved(NamedTuple):
    """The values; true positives; positives and rows called positive."""

    values: NDArray[np.float64]
    hits: NDArray[np.float64]
    calls: NDArray[np.float64]

    def record(self, scores: Any, places: Any, members: int, label: float, weight: float) -> None:  # noqa: ARG002
        """One more row."""
        is_positive = where(label > 0, weight, 0.0)
        for i in range(scores.shape[0]):
            is_called = scores[i] > 0
            self.hits[i] += where(is_called, is_positive, 0.0)
            self.calls[i] += is_positive + where(is_called, weight, 0.0)
            self.values[i] = 2.0 * self.hits[i] / where(self.calls[i] > 0.0, self.calls[i], 1.0)


class AUROC(NamedTuple):
    """The area under the receiver operating characteristic of σ(p) in `m` bins; 0 until both classes came up."""

    m: int = 100

    def start(self, lanes: int) -> "AUROCObserved":
        """Nothing seen."""
        table, runs = np.zeros((2, lanes * self.m)), np.zeros((2, lanes * -(-self.m // RUN)))
        return AUROCObserved(np.zeros(lanes), np.zeros(lanes), table, runs, np.zeros(2))

    def constraints(self) -> Constraints:
        """Two bins or more."""
        return {"m": BINS}


class AUROCObserved(NamedTuple):
    """The values; pairs in the right order, half of those in one bin; of the positive and the negative class, the
    rows by bin and lane, sums of RUN bins, and all rows.
    """

    values: NDArray[np.float64]
    pairs: NDArray[np.float64]
    table: NDArray[np.float64]
    runs: NDArray[np.float64]
    rows: NDArray[np.float64]

    def record(self, scores: Any, places: Any, members: int, label: float, weight: float) -> None:
        """One more row: it makes pairs with all rows of the other class."""
        lanes = scores.shape[0]
        find_bins(scores, places, self.table.shape[1] // lanes)
        own = where(label > 0, 0, 1)
        other = 1 - own
        self.rows[own] += weight
        for i in range(members):
            place = int(places[i])
            below, level = around(self.table[other], self.runs[other], place, i, lanes)
            worse = below + 0.5 * level
            self.pairs[i] += weight * where(label > 0, worse, self.rows[0] - worse)
            self.table[own, place * lanes + i] += weight
            self.runs[own, place // RUN * lanes + i] += weight
        total = self.rows[0] * self.rows[1]
        for i in range(members):
            self.values[i] = self.pairs[i] / where(total > 0.0, total, 1.0)


class AUPRC(NamedTuple):
    """The area under precision by recall, of σ(p) in `m` bins; between two bins the curve is a straight line."""

    m: int = 100

    def start(self, lanes: int) -> "AUPRCObserved":
        """Nothing seen."""
        table = lanes * self.m
        return AUPRCObserved(np.zeros(lanes), np.zeros(table), np.zeros(table), np.zeros(2))

    def constraints(self) -> Constraints:
        """Two bins or more."""
        return {"m": BINS}


class AUPRCObserved(NamedTuple):
    """The values; by bin and lane, the positive and the negative rows; all rows by class."""

    values: NDArray[np.float64]
    positive: NDArray[np.float64]
    negative: NDArray[np.float64]
    rows: NDArray[np.float64]

    def record(self, scores: Any, places: Any, members: int, label: float, weight: float) -> None:
        """One more row, then the area anew, from the highest bin down."""
        lanes = scores.shape[0]
        bins = self.positive.shape[0] // lanes
        find_bins(scores, places, bins)
        for i in range(members):
            place = int(places[i]) * lanes + i
            self.positive[place] += where(label > 0, weight, 0.0)
            self.negative[place] += where(label > 0, 0.0, weight)
        self.rows[0] += where(label > 0, weight, 0.0)
        self.rows[1] += where(label > 0, 0.0, weight)
        zero = sixteen(np.float64(0))
        for lane in blocks(lanes, zero):
            found = called = area = zero
            precision = zero + 1.0
            for back in range(bins):
                place = at((bins - 1 - back) * lanes + lane, zero)
                found += self.positive[place]
                called += self.positive[place] + self.negative[place]
                before, precision = precision, where(called > 0.0, found / where(called > 0.0, called, 1.0), 1.0)
                area += self.positive[place] * (before + precision)
            self.values[at(lane, zero)] = 0.5 * area / where(self.rows[0] > 0.0, self.rows[0], 1.0)


MEASURES: dict[str, Any] = {"F": F, "AUROC": AUROC, "AUPRC": AUPRC}


@inlined
def find_bins(scores: Any, places: Any, bins: int) -> None:
    """The bin of each σ(score), from 0 on: its own, and the last for σ = 1."""
    zero = sixteen(scores.dtype.type(0))
    for lane in blocks(scores.shape[0], zero):
        here = at(lane, zero)
        share = sigmoid(scores[here]) * bins
        places[here] = where(share < bins, share, bins - 1.0)


@inlined
def around(table: Any, runs: Any, place: int, lane: int, lanes: int) -> tuple[float, float]:
    """How many rows of a lane lie in the bins below `place`, and how many in it."""
    below = 0.0
    whole = place // RUN
    for run in range(whole):
        below += runs[run * lanes + lane]
    for bin_ in range(whole * RUN, place):
        below += table[bin_ * lanes + lane]
    return below, table[place * lanes + lane]
