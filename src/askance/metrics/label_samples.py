"""Estimates of F from a simple random sample of rows with several labels each.

Micro-F is a function of the share of right ones among all pairs of a row and a label that are carried or
predicted. Pairs of the same row go together, so the share is not one of independent pairs: its limits are those of
Clopper and Pearson for the number of independent pairs that would have its variance, which is that of a ratio of
means over rows (Korn and Graubard, 1998). Macro-F is a mean of such functions, and treated in the same way.
"""

from typing import NamedTuple

import numpy as np
from scipy import special

from askance.metrics.estimates import ENOUGH, LEVEL, Estimate
from askance.metrics.intervals import Range
from askance.metrics.multilabel import of_labels_with_carriers
from askance.metrics.samples import share_range
from askance.typing import BoolArray, FloatArray

SAMPLE_METRICS = ("micro_f", "macro_f")


class LabelSample(NamedTuple):
    """What a random sample of rows carries and what was predicted, as matrices (rows × labels).

    Of `unanswered` rows of the sample, only predictions are known.
    """

    truth: BoolArray
    predicted: BoolArray
    unanswered: BoolArray

    def estimate(self, metric: str, level: float = LEVEL) -> Estimate:
        """Estimate micro-F or macro-F of any number of rows like these.

        The interval allows for any answer to rows without one, with at most as many labels as answered rows carry.
        """
        rows, carriers = len(self.truth), self.truth.sum(axis=0)
        if carriers.sum() < ENOUGH:
            found = f"{int(carriers.sum())} carried labels are known by asking, and it takes {ENOUGH}"
            return Estimate(metric, None, None, None, level, rows, f"Cannot tell yet: {found}.")
        own, note = self, ""
        if metric == "macro_f":
            enough, note = of_labels_with_carriers(carriers)
            if not enough.any():
                reason = f"Cannot tell yet: no label is known to be carried by {ENOUGH} rows."
                return Estimate(metric, None, None, None, level, rows, reason)
            own = LabelSample(*(part[:, enough] for part in self))
        value, low, high = _range(metric, own.truth, own.predicted, level)
        if len(own.unanswered):
            most = int(own.truth.sum(axis=1).max())
            for truth in (own.unanswered, own.worst(most)):
                everything = np.vstack([own.truth, truth]), np.vstack([own.predicted, own.unanswered])
                extreme = _range(metric, *everything, level)
                low, high = min(low, extreme.low), max(high, extreme.high)
            allowed = f"the interval allows for any answer with at most {most} labels."
            note = f"{note} {len(own.unanswered):,} questions have no answer: {allowed}".strip()
        return Estimate(metric, value, low, high, level, rows, note)

    def worst(self, most: int) -> BoolArray:
        """What rows without an answer carry if all that is predicted is wrong, and `most` labels are missed."""
        rarest = np.argsort((self.truth | self.predicted).sum(axis=0), kind="stable")
        missed = ~self.unanswered[:, rarest]
        found = np.zeros_like(self.unanswered)
        found[:, rarest] = missed & (missed.cumsum(axis=1) <= most)
        return found


def _range(metric: str, truth: BoolArray, predicted: BoolArray, level: float) -> Range:
    right = (truth & predicted).astype(np.float64)
    size = (truth | predicted).astype(np.float64)
    if metric == "micro_f":
        of_rows, sizes = right.sum(axis=1), size.sum(axis=1)
        share, most = float(of_rows.sum() / sizes.sum()), float(sizes.sum())
        found = _limits(share, (of_rows - share * sizes) / most, most, level)
        return Range(*(2 * one / (1 + one) for one in found))
    sizes, labels = (right + size).sum(axis=0), truth.shape[1]  # right ones count twice
    f = 2 * right.sum(axis=0) / sizes
    changes = (2 * right - f * (right + size)) / (sizes * labels)
    most = float(labels**2 / (1 / size.sum(axis=0)).sum())
    return _limits(float(f.mean()), changes.sum(axis=1), most, level)


def _limits(share: float, changes: FloatArray, most: float, level: float) -> Range:
    """The limits of a share that each row changes by so much, as if it were one of at most `most` pairs."""
    rows = len(changes)
    variance = float((changes**2).sum()) * rows / max(1, rows - 1)
    tail = (1 - level) / 2
    wider = float(special.ndtri(1 - tail) / special.stdtrit(max(1, rows - 1), 1 - tail)) ** 2
    pairs = min(most, share * (1 - share) / variance if variance > 0 else most) * wider
    return share_range(share * pairs, pairs, level)
