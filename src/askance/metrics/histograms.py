"""The score histograms of a binary stream, and the areas under its curves.

σ(score) is rounded into one of m equal bins, so that areas need 2m numbers, however long the stream is. They are
exact for the rounded scores, and say how far those of the scores themselves can be away.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

Values = NDArray[np.float64]

BINS = 100


class Bins(NamedTuple):
    """How many rows of each class have a score in each bin (the last axis), or the sum of their weights."""

    positives: Values
    negatives: Values


class Area(NamedTuple):
    """The area under a curve of the rounded scores; that of the scores themselves is at most `bound` away."""

    value: float
    bound: float


class Histograms:
    """Histograms that grow with a stream; two of different rows can be added.

    Bin i of 1, …, m holds the rows with σ(score) in [(i-1)/m, i/m), and the last one those with σ = 1 too. Rows
    whose true label is unknown are in none.
    """

    def __init__(self, m: int = BINS, bins: Bins | None = None) -> None:
        if m < 1:
            raise ValueError(f"a histogram needs at least one bin, not {m}")
        self.m = m
        self.bins = Bins(np.zeros(m), np.zeros(m)) if bins is None else bins

    def add(self, truth: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None) -> None:
        """Count some rows: `truth` +1, -1 or 0 (unknown), finite scores, and weights that are not negative."""
        truth, scores = np.asarray(truth), np.asarray(scores)
        weights = np.ones(truth.shape) if weights is None else np.asarray(weights, dtype=np.float64)
        check_rows(truth, scores, weights)
        places = bin_of(scores, self.m)
        for bins, sign in zip(self.bins, (1, -1), strict=True):
            # Row after row into the sum so far: chunks then cannot change even its last bit.
            np.add.at(bins, places[truth == sign], weights[truth == sign])

    @property
    def total(self) -> float:
        """The weight of all rows."""
        return float(sum(bins.sum() for bins in self.bins))

    def auroc(self) -> Area:
        """The area under the ROC curve; 0 until both classes were seen."""
        return Area(float(auroc(self.bins)), float(_auroc_bound(self.bins)))

    def auprc(self) -> Area:
        """The area under the precision-recall curve, by trapezoids; 0 until a positive was seen."""
        return Area(float(auprc(self.bins)), float(_auprc_bound(self.bins)))

    def __add__(self, other: "Histograms") -> "Histograms":
        if self.m != other.m:
            raise ValueError(f"histograms of {self.m} and of {other.m} bins cannot be added")
        return Histograms(self.m, Bins(*(one + two for one, two in zip(self.bins, other.bins, strict=True))))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Histograms) and all(
            np.array_equal(one, two) for one, two in zip(self.bins, other.bins, strict=True)
        )

    def __repr__(self) -> str:
        return f"Histograms(m={self.m}, total={self.total:g})"


def bin_of(scores: NDArray[Any], m: int = BINS) -> NDArray[np.intp]:
    """The place, from 0 to m - 1, of the bin that each score falls into."""
    return np.minimum((m * special.expit(scores.astype(np.float64))).astype(np.intp), m - 1)


def check_rows(truth: NDArray[Any], scores: NDArray[Any], weights: NDArray[Any] | None = None) -> None:
    """ValueError unless these are equally long, scores are numbers and truths are signs."""
    weights = np.ones(truth.shape) if weights is None else weights
    shapes = [array.shape for array in (truth, scores, weights)]
    if truth.ndim != 1 or len(set(shapes)) > 1:
        raise ValueError(
            "truth, scores and weights must be equally long arrays of one dimension, not of shapes "
            + ", ".join(map(str, shapes))
        )
    if not np.all(np.abs(truth) <= 1):
        raise ValueError("truth must be +1, -1 or 0 (unknown): translate class values first")
    if np.isnan(scores).any() or not (np.isfinite(weights) & (weights >= 0)).all():
        raise ValueError("scores must be numbers, and weights finite and not negative")


def auroc(bins: Bins) -> Values:
    """Σ L⁺[i] (Σ_{j<i} L⁻[j] + L⁻[i]/2) / (N⁺N⁻): how often a positive row scores above a negative one."""
    below = np.cumsum(bins.negatives, axis=-1) - bins.negatives / 2
    return share((bins.positives * below).sum(axis=-1), _pairs(bins))


def _auroc_bound(bins: Bins) -> Values:
    """A pair in the same bin counts a half, and might count 0 or 1."""
    return share((bins.positives * bins.negatives).sum(axis=-1) / 2, _pairs(bins))


def _pairs(bins: Bins) -> Values:
    return np.asarray(bins.positives.sum(axis=-1) * bins.negatives.sum(axis=-1))


def auprc(bins: Bins) -> Values:
    """½ Σ (R(i) - R(i+1)) (P(i) + P(i+1)), with P = 1 where no score lies above; 0 without positives."""
    above = from_above(bins)
    parts = bins.positives * (above.before + above.after) / 2
    return share(parts.sum(axis=-1), bins.positives.sum(axis=-1))


class FromAbove(NamedTuple):
    """What lies above each bin, and the precision before and after the bin is taken in."""

    positives: Values
    negatives: Values
    before: Values
    after: Values


def from_above(bins: Bins) -> FromAbove:
    """The precision-recall curve, walked from the highest bin down."""
    positives, negatives = (np.cumsum(one[..., ::-1], axis=-1)[..., ::-1] for one in bins)
    after = share(positives, positives + negatives, of_nothing=1.0)
    nothing = np.zeros((*positives.shape[:-1], 1))

    def higher(one: Values, top: Values) -> Values:
        return np.concatenate([one[..., 1:], top], axis=-1)

    return FromAbove(higher(positives, nothing), higher(negatives, nothing), higher(after, nothing + 1), after)


def _auprc_bound(bins: Bins) -> Values:
    """How far the curve of the scores themselves can be from that of the bins.

    Let a bin have p positives and n negatives, and A and B lie above it. The curve of the scores goes from (A, B)
    to (A + p, B + n) in some steps, and adds Σ Δa (P + P′)/2, where P(a, b) = a/(a + b). As P falls with b,
    h(a) = a/(a + B + n) ≤ P(a, b) ≤ a/(a + B) = g(a), and both are concave in a. The trapezoids of g, in whatever
    steps, are at most its integral p - B ln((A + B + p)/(A + B)); those of h are at least the single one
    p (h(A) + h(A + p))/2. Where A = B = 0 the curve begins with P = 1: then p is the most that it can add, and
    with n = 0 the least too.
    """
    above, (p, n) = from_above(bins), bins
    A, B = above.positives, above.negatives
    most = p - B * np.log1p(share(p, A + B))
    h = share(A, A + B + n, of_nothing=1.0) + share(A + p, A + B + n + p, of_nothing=1.0)
    value = p * (above.before + above.after) / 2
    over, under = (most - value).sum(axis=-1), (value - p * h / 2).sum(axis=-1)
    return share(np.maximum(np.maximum(over, under), 0.0), p.sum(axis=-1))


def share(part: ArrayLike, whole: ArrayLike, of_nothing: float = 0.0) -> Values:
    """part / whole, and a given number where the whole is nothing."""
    ratio = np.full(np.broadcast_shapes(np.shape(part), np.shape(whole)), of_nothing)
    np.divide(part, whole, out=ratio, where=np.not_equal(whole, 0))
    return ratio
