"""Dawid and Skene's model with priors: classes of items and confusion matrices of annotators from each other.

One sweep takes the posteriors of items to count each annotator's votes, the counts to expected confusion matrices,
and these to posteriors again: q_i(k) ∝ p_k Π θ_j(k, vote of j), over the votes on item i. The first posteriors are
the shares of votes.
"""

from typing import NamedTuple

import numpy as np

from askance.annotators.reliability import Prior
from askance.typing import FloatArray, IntArray

SWEEPS = 50
TOLERANCE = 1e-3
# The class shares start as equal, with the weight of this number of items per class. Otherwise, a class with few
# items can vanish as one sweep follows another.
CLASS_ITEMS = 100.0


class Votes(NamedTuple):
    """Votes as numbers, and what else is known about the items.

    Each vote has an item, a channel and a label. A channel is an annotator's votes in one bin of confidence.
    `known` has a row per item: the class probabilities that replace the class shares, or NaN. `settled` has the
    class of each item, or -1.
    """

    items: IntArray
    channels: IntArray
    labels: IntArray
    annotators: IntArray
    known: FloatArray
    settled: IntArray


class Fitted(NamedTuple):
    """Counts per channel, their confusion matrices, the accuracy of the crowd, and the shares of the classes."""

    counts: FloatArray
    confusions: FloatArray
    accuracy: float
    shares: FloatArray


def fitted(votes: Votes, prior: Prior) -> Fitted:
    """Sweep over all votes until the posteriors stay the same."""
    posteriors = _first_posteriors(votes)
    for _ in range(SWEEPS):
        found = _learned(votes, posteriors, prior)
        renewed = _posteriors(votes, found)
        change = float(np.max(np.abs(renewed - posteriors), initial=0.0))
        posteriors = renewed
        if change < TOLERANCE:
            break
    return _learned(votes, posteriors, prior)


def _first_posteriors(votes: Votes) -> FloatArray:
    """The shares of votes, times what is known of the items."""
    items, classes = votes.known.shape
    number = np.bincount(votes.items * classes + votes.labels, minlength=items * classes).reshape(items, classes)
    known = np.where(np.isnan(votes.known), 1.0, votes.known)
    return _with_settled(votes, _normalised((number + 1e-9) * (known + 1e-9)))


def _learned(votes: Votes, posteriors: FloatArray, prior: Prior) -> Fitted:
    """The confusion matrices and class shares that follow from the posteriors of items."""
    classes, channels = posteriors.shape[1], len(votes.annotators)
    cells = votes.channels * classes + votes.labels
    size = channels * classes
    columns = [
        np.bincount(cells, posteriors[votes.items, k], size).reshape(channels, classes) for k in range(classes)
    ]
    counts: FloatArray = np.stack(columns, axis=1).astype(float)
    accuracy = float(prior.accuracy_of(counts.sum(axis=0)))
    others = other_accuracy(counts, votes.annotators, accuracy, prior)
    totals = posteriors.sum(axis=0) + CLASS_ITEMS
    return Fitted(counts, prior.confusion(counts, others), accuracy, totals / totals.sum())


def other_accuracy(counts: FloatArray, annotators: IntArray, accuracy: float, prior: Prior) -> FloatArray:
    """For each channel, the accuracy of the same annotator in other channels, or else that of the crowd."""
    right, number = np.trace(counts, axis1=1, axis2=2), counts.sum(axis=(1, 2))
    right_elsewhere = np.bincount(annotators, right)[annotators] - right
    number_elsewhere = np.maximum(0, np.bincount(annotators, number)[annotators] - number)
    strength = prior.accuracy_strength
    return np.asarray((right_elsewhere + strength * accuracy) / (number_elsewhere + strength))


def _posteriors(votes: Votes, found: Fitted) -> FloatArray:
    """The posterior of each item."""
    logs = np.log(found.confusions)
    items = len(votes.known)
    told = [
        np.bincount(votes.items, logs[votes.channels, k, votes.labels], items) for k in range(votes.known.shape[1])
    ]
    known = np.where(np.isnan(votes.known), found.shares, votes.known)
    return _with_settled(votes, softmax(np.log(known + 1e-9) + np.stack(told, axis=1)))


def softmax(scores: FloatArray) -> FloatArray:
    """Probabilities from their logarithms, up to a constant per row."""
    return _normalised(np.exp(scores - scores.max(axis=-1, keepdims=True)))


def _normalised(values: FloatArray) -> FloatArray:
    return np.asarray(values / values.sum(axis=-1, keepdims=True))


def _with_settled(votes: Votes, posteriors: FloatArray) -> FloatArray:
    """Give settled items their class with certainty."""
    settled = np.flatnonzero(votes.settled >= 0)
    posteriors[settled] = 0.0
    posteriors[settled, votes.settled[settled]] = 1.0
    return posteriors
