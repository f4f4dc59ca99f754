"""Measures of each lane of an ensemble, updated with every label.

A measure is a named tuple with a method `start`. It returns an object with `values`, one per lane, and a method
`record` that updates them, in time and memory that do not grow with the stream. A label counts as `weight` rows:
1/π if it was asked for with probability π, so that sums over asked labels are unbiased estimates of sums over all
rows.
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

# Sums over runs of this many bins are kept, so that the sum up to a bin has few terms.
RUN = 16


class F(NamedTuple):
    """The F-measure, 2 TP / (positives + predicted positives), and 0 while both are 0. It has no parameters."""

    def start(self, lanes: int) -> "FObserved":
        """Return the statistics before the first row."""
        return FObserved(*np.zeros((3, lanes)))

    def constraints(self) -> Constraints:
        """It has no hyper-parameters."""
        return {}


class FObserved(NamedTuple):
    """The values; the true positives; the sum of positives and predicted positives."""

    values: NDArray[np.float64]
    hits: NDArray[np.float64]
    calls: NDArray[np.float64]

    def record(self, scores: Any, places: Any, members: int, label: float, weight: float) -> None:  # noqa: ARG002
        """Add a row."""
        is_positive = where(label > 0, weight, 0.0)
        for i in range(scores.shape[0]):
            is_called = scores[i] > 0
            self.hits[i] += where(is_called, is_positive, 0.0)
            self.calls[i] += is_positive + where(is_called, weight, 0.0)
            self.values[i] = 2.0 * self.hits[i] / where(self.calls[i] > 0.0, self.calls[i], 1.0)


class AUROC(NamedTuple):
    """The area under the ROC curve of σ(p) in bins; 0 until both classes have occurred.

    Parameters
    ----------
    m : int, default=100
        The number of bins.
    """

    m: int = 100

    def start(self, lanes: int) -> "AUROCObserved":
        """Return the statistics before the first row."""
        table, runs = np.zeros((2, lanes * self.m)), np.zeros((2, lanes * -(-self.m // RUN)))
        return AUROCObserved(np.zeros(lanes), np.zeros(lanes), table, runs, np.zeros(2))

    def constraints(self) -> Constraints:
        """Two bins or more."""
        return {"m": BINS}


class AUROCObserved(NamedTuple):
    """The statistics of `AUROC`.

    `pairs` is the number of correctly ordered pairs, plus half of those in the same bin. For the positive and the
    negative class, `table` has the rows by bin and lane, `runs` their sums over RUN bins, and `rows` all rows.
    """

    values: NDArray[np.float64]
    pairs: NDArray[np.float64]
    table: NDArray[np.float64]
    runs: NDArray[np.float64]
    rows: NDArray[np.float64]

    def record(self, scores: Any, places: Any, members: int, label: float, weight: float) -> None:
        """Add a row, which forms pairs with all rows of the other class."""
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
    """The area under the precision-recall curve of σ(p) in bins, interpolated linearly between bins.

    Parameters
    ----------
    m : int, default=100
        The number of bins.
    """

    m: int = 100

    def start(self, lanes: int) -> "AUPRCObserved":
        """Return the statistics before the first row."""
        table = lanes * self.m
        return AUPRCObserved(np.zeros(lanes), np.zeros(table), np.zeros(table), np.zeros(2))

    def constraints(self) -> Constraints:
        """Two bins or more."""
        return {"m": BINS}


class AUPRCObserved(NamedTuple):
    """The values; the positive and the negative rows by bin and lane; all rows by class."""

    values: NDArray[np.float64]
    positive: NDArray[np.float64]
    negative: NDArray[np.float64]
    rows: NDArray[np.float64]

    def record(self, scores: Any, places: Any, members: int, label: float, weight: float) -> None:
        """Add a row, and compute the area again from the highest bin down."""
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
    """Write the bin of each σ(score) to `places`, counted from 0; σ = 1 is in the last bin."""
    zero = sixteen(scores.dtype.type(0))
    for lane in blocks(scores.shape[0], zero):
        here = at(lane, zero)
        share = sigmoid(scores[here]) * bins
        places[here] = where(share < bins, share, bins - 1.0)


@inlined
def around(table: Any, runs: Any, place: int, lane: int, lanes: int) -> tuple[float, float]:
    """Return the number of rows of a lane in the bins below `place`, and in that bin."""
    below = 0.0
    whole = place // RUN
    for run in range(whole):
        below += runs[run * lanes + lane]
    for bin_ in range(whole * RUN, place):
        below += table[bin_ * lanes + lane]
    return below, table[place * lanes + lane]
