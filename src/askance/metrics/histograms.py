"""The score histograms of a binary stream, and the areas under its curves.

σ(score) is rounded into one of m equal bins, so that areas need 2m numbers for streams of any length. They are
exact for the rounded scores, with a bound for the error due to rounding.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from askance.typing import FloatArray

BINS = 100


class Bins(NamedTuple):
    """The number of rows of each class, or the sum of their weights, per bin of the score.

    Attributes
    ----------
    positives, negatives : ndarray of shape (..., m)
        One number per bin, on the last axis.
    """

    positives: FloatArray
    negatives: FloatArray


class Area(NamedTuple):
    """The area under a curve of rounded scores.

    Attributes
    ----------
    value : float
        The area.
    bound : float
        The largest possible distance to the area of the scores themselves.
    """

    value: float
    bound: float


class Histograms:
    """Histograms of scores that grow with a stream. Two of different rows can be added.

    Bin i of 1, …, m holds the rows with σ(score) in [(i-1)/m, i/m); the last one also holds those with σ = 1. Rows
    with unknown true labels are in no bin.

    Parameters
    ----------
    m : int, default: 100
        Number of bins.
    bins : Bins or None, default: None
        The first counts. None means zeros.

    Examples
    --------
    >>> from askance.metrics import Histograms
    >>> histograms = Histograms()
    >>> histograms.add([1, -1, 1, -1], [2.0, -1.0, 0.5, -2.0])
    >>> histograms.auroc().value
    1.0
    """

    def __init__(self, m: int = BINS, bins: Bins | None = None) -> None:
        if m < 1:
            raise ValueError(f"a histogram needs at least one bin, not {m}")
        self.m = m
        self.bins = Bins(np.zeros(m), np.zeros(m)) if bins is None else bins

    def add(self, y_true: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None) -> None:
        """Count some rows.

        Parameters
        ----------
        y_true : array-like of shape (n_rows,)
            True labels: +1, -1, or 0 for unknown.
        scores : array-like of shape (n_rows,)
            Finite scores.
        weights : array-like of shape (n_rows,) or None, default: None
            Weights, 0 or more. None means 1.
        """
        y_true, scores = np.asarray(y_true), np.asarray(scores)
        weights = np.ones(y_true.shape) if weights is None else np.asarray(weights, dtype=np.float64)
        check_rows(y_true, scores, weights)
        places = bin_of(scores, self.m)
        for bins, sign in zip(self.bins, (1, -1), strict=True):
            # Added row by row, so that the chunk size does not change even the last bit.
            np.add.at(bins, places[y_true == sign], weights[y_true == sign])

    @property
    def total(self) -> float:
        """The total weight of all rows."""
        return float(sum(bins.sum() for bins in self.bins))

    def auroc(self) -> Area:
        """Return the area under the ROC curve; 0 until both classes have been seen."""
        return Area(float(auroc(self.bins)), float(_auroc_bound(self.bins)))

    def auprc(self) -> Area:
        """Return the area under the precision-recall curve, by trapezoids; 0 until a positive has been seen."""
        return Area(float(auprc(self.bins)), float(_auprc_bound(self.bins)))

    def flipped(self) -> "Histograms":
        """The histograms of the same rows with the other class as the positive one, and opposite scores."""
        return Histograms(self.m, Bins(self.bins.negatives[::-1].copy(), self.bins.positives[::-1].copy()))

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
    """The index of the bin, from 0 to m - 1, of each score."""
    return np.minimum((m * special.expit(scores.astype(np.float64))).astype(np.intp), m - 1)


def check_rows(y_true: NDArray[Any], scores: NDArray[Any], weights: NDArray[Any] | None = None) -> None:
    """Raise ValueError unless lengths match, scores are numbers and labels are signs."""
    weights = np.ones(y_true.shape) if weights is None else weights
    shapes = [array.shape for array in (y_true, scores, weights)]
    if y_true.ndim != 1 or len(set(shapes)) > 1:
        raise ValueError(
            "y_true, scores and weights must be one-dimensional arrays of equal length, not of shapes "
            + ", ".join(map(str, shapes))
        )
    if not np.all(np.abs(y_true) <= 1):
        raise ValueError("y_true must be +1, -1 or 0 (unknown): convert class labels first")
    if np.isnan(scores).any() or not (np.isfinite(weights) & (weights >= 0)).all():
        raise ValueError("scores must be numbers, and weights finite and 0 or more")


def auroc(bins: Bins) -> FloatArray:
    """Σ L⁺[i] (Σ_{j<i} L⁻[j] + L⁻[i]/2) / (N⁺N⁻): the share of pairs in which the positive row scores higher."""
    below = np.cumsum(bins.negatives, axis=-1) - bins.negatives / 2
    return share((bins.positives * below).sum(axis=-1), _pairs(bins))


def _auroc_bound(bins: Bins) -> FloatArray:
    """A pair in the same bin counts ½, but might count 0 or 1."""
    return share((bins.positives * bins.negatives).sum(axis=-1) / 2, _pairs(bins))


def _pairs(bins: Bins) -> FloatArray:
    return np.asarray(bins.positives.sum(axis=-1) * bins.negatives.sum(axis=-1))


def auprc(bins: Bins) -> FloatArray:
    """½ Σ (R(i) - R(i+1)) (P(i) + P(i+1)), with P = 1 where no score is higher; 0 without positives."""
    above = from_above(bins)
    parts = bins.positives * (above.before + above.after) / 2
    return share(parts.sum(axis=-1), bins.positives.sum(axis=-1))


class FromAbove(NamedTuple):
    """The counts above each bin, and the precision before and after the bin is included."""

    positives: FloatArray
    negatives: FloatArray
    before: FloatArray
    after: FloatArray


def from_above(bins: Bins) -> FromAbove:
    """The precision-recall curve, from the highest bin down."""
    positives, negatives = (np.cumsum(one[..., ::-1], axis=-1)[..., ::-1] for one in bins)
    after = share(positives, positives + negatives, of_nothing=1.0)
    nothing = np.zeros((*positives.shape[:-1], 1))

    def higher(one: FloatArray, top: FloatArray) -> FloatArray:
        return np.concatenate([one[..., 1:], top], axis=-1)

    return FromAbove(higher(positives, nothing), higher(negatives, nothing), higher(after, nothing + 1), after)


def _auprc_bound(bins: Bins) -> FloatArray:
    """The largest distance between the area of the scores themselves and that of the bins.

    Let a bin have p positives and n negatives, and A and B lie above it. The curve of the scores goes from (A, B)
    to (A + p, B + n) in some steps, and adds Σ Δa (P + P′)/2, where P(a, b) = a/(a + b). As P falls with b,
    h(a) = a/(a + B + n) ≤ P(a, b) ≤ a/(a + B) = g(a), and both are concave in a. The trapezoids of g, for any
    steps, are at most its integral p - B ln((A + B + p)/(A + B)); those of h are at least the single one
    p (h(A) + h(A + p))/2. If A = B = 0 the curve begins with P = 1: then p is the most that it can add, and for
    n = 0 also the least.
    """
    above, (p, n) = from_above(bins), bins
    A, B = above.positives, above.negatives
    most = p - B * np.log1p(share(p, A + B))
    h = share(A, A + B + n, of_nothing=1.0) + share(A + p, A + B + n + p, of_nothing=1.0)
    value = p * (above.before + above.after) / 2
    over, under = (most - value).sum(axis=-1), (value - p * h / 2).sum(axis=-1)
    return share(np.maximum(np.maximum(over, under), 0.0), p.sum(axis=-1))


def share(part: ArrayLike, whole: ArrayLike, of_nothing: float = 0.0) -> FloatArray:
    """part / whole, and `of_nothing` where the whole is 0."""
    ratio = np.full(np.broadcast_shapes(np.shape(part), np.shape(whole)), of_nothing)
    np.divide(part, whole, out=ratio, where=np.not_equal(whole, 0))
    return ratio
