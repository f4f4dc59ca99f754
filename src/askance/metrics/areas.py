"""Intervals for the area under a curve when only the labels of asked rows are known."""

from typing import NamedTuple

import numpy as np
from scipy import special

from askance.metrics.histograms import Bins, auprc, auroc, from_above, share
from askance.metrics.intervals import Range
from askance.typing import FloatArray

MANY = 1e9  # degrees of freedom that count as infinite


class AskedBins(NamedTuple):
    """Per bin of the score: Σ 1/π, Σ (1-π)/π² and Σ (1-π)²/π⁴ of asked rows per class; and the number of rows."""

    totals: Bins
    variances: Bins
    squares: Bins
    rows: FloatArray


def area_range(metric: str, asked: AskedBins, unseen: float, level: float) -> Range:
    """The area of the weighted histograms, with symmetric limits on the scale of log-odds.

    The variance is that of the linearised area. For each side, one more row of each class is added if it moves the
    area to that side, with the weight `unseen` and the distribution of scores of all rows.
    """
    function, gradient, few_dominate = AREAS[metric]
    value = float(function(asked.totals))
    slopes = gradient(asked.totals)
    variance = sum(float(one @ slope**2) for one, slope in zip(asked.variances, slopes, strict=True))
    freedom = _freedom(asked, slopes, unseen, few_dominate=few_dominate)
    quantile = float(special.stdtrit(freedom, (1 + level) / 2))
    spread = share(asked.rows, asked.rows.sum())
    changes = _changes(metric, asked.totals, unseen)
    limits = []
    for side in (-1, 1):
        moved = np.where(side * changes > 0, changes, 0.0)
        centre, doubt = value + float((moved @ spread).sum()), variance + float((moved**2 @ spread).sum())
        limits.append(_away(centre, side * quantile * doubt**0.5))
    return Range(value, min(limits[0], value), max(limits[1], value))


def _freedom(asked: AskedBins, slopes: Bins, unseen: float, *, few_dominate: bool) -> float:
    """The number of rows of equal weight that carry the same information about the less known class.

    If a few rows of large weight can dominate the variance V, at most Satterthwaite's 2 V² / Var(V).
    """
    totals, variances = (np.array([one.sum() for one in bins]) for bins in (asked.totals, asked.variances))
    size = float(share(totals**2, variances + unseen**2, of_nothing=MANY).min())
    if few_dominate:
        variance = sum(float(one @ slope**2) for one, slope in zip(asked.variances, slopes, strict=True))
        of_variance = sum(float(one @ slope**4) for one, slope in zip(asked.squares, slopes, strict=True))
        size = min(size, 2 * variance**2 / of_variance if of_variance > 0 else MANY)
    return min(max(size, 1.0), MANY)


def _changes(metric: str, bins: Bins, unseen: float) -> FloatArray:
    """How far one more positive row, and one more negative row, in each bin moves the area."""
    function, gradient, _ = AREAS[metric]
    if metric == "auroc":  # linear in the shares of a class in the bins: the slope is that of the whole way
        totals = [float(one.sum()) for one in bins]
        slopes = zip(totals, gradient(bins), strict=True)
        return np.array([unseen * total / (total + unseen) * slope for total, slope in slopes])
    further = unseen * np.eye(len(bins.positives))
    same = [np.broadcast_to(one, further.shape) for one in bins]
    moved = [function(Bins(same[0] + further, same[1])), function(Bins(same[0], same[1] + further))]
    return np.array(moved) - function(bins)


def _away(area: float, distance: float) -> float:
    if not 0 < area < 1:
        return area
    return float(special.expit(special.logit(area) + distance / (area * (1 - area))))


def auroc_gradient(bins: Bins) -> Bins:
    """A positive row adds (share of negatives below - area) / N⁺, a negative one (positives above - area) / N⁻."""
    positives, negatives = (one.sum() for one in bins)
    below = np.cumsum(bins.negatives) - bins.negatives / 2
    above = np.cumsum(bins.positives[::-1])[::-1] - bins.positives / 2
    area = auroc(bins)
    return Bins((share(below, negatives) - area) / positives, (share(above, positives) - area) / negatives)


def _auprc_gradient(bins: Bins) -> Bins:
    """Of Σ c(i) P(i), c(i) = (L⁺[i] + L⁺[i-1]) / 2N⁺: a row changes c, N⁺, and P(i) of its bin and below."""
    walk, positives = from_above(bins), bins.positives.sum()
    A, B = walk.positives + bins.positives, walk.negatives + bins.negatives
    c = (bins.positives + np.append(0.0, bins.positives[:-1])) / (2 * positives)
    own = (walk.before + walk.after) / (2 * positives) - auprc(bins) / positives
    return Bins(own + np.cumsum(c * share(B, (A + B) ** 2)), -np.cumsum(c * share(A, (A + B) ** 2)))


# The area, its gradient, and whether few rows dominate it, such as those with the highest scores.
AREAS = {"auroc": (auroc, auroc_gradient, False), "auprc": (auprc, _auprc_gradient, True)}
