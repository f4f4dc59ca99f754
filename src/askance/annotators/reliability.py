"""How reliable an annotator is: a confusion matrix with a Dirichlet prior, and what follows from it."""

from bisect import bisect_right
from typing import NamedTuple

import numpy as np

from askance.metrics.intervals import Range
from askance.typing import FloatArray, IntArray

LEVEL = 0.95
# Language models say little below 0.5 and much above 0.9, so the bins are narrower there.
BINS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
# The votes, over all classes, of which a weight assumes that they were given without a look at the item.
BLIND_VOTES = 24.0
# The number of accuracies at which a posterior is computed.
GRID = 1000
# How far the errors of annotators on the same item go together: some items are hard, and some mislead many.
# Decision 64 has what was measured on recorded crowds.
CORRELATION = 0.2


def confidence_bin(confidence: float | None) -> int:
    """Return the number of the bin of a confidence; 0 is that of votes without one.

    Examples
    --------
    >>> from askance.annotators.reliability import confidence_bin
    >>> confidence_bin(None), confidence_bin(0.3), confidence_bin(0.75), confidence_bin(1.0)
    (0, 1, 4, 7)
    """
    return 0 if confidence is None else 1 + bisect_right(BINS, confidence)


def vote_worth(votes: IntArray | int) -> FloatArray:
    """Return what each of several votes on an item is worth, in votes of people whose errors are independent.

    The errors of n annotators on the same item go together. If their correlation is ρ, n votes are worth
    n / (1 + (n - 1) ρ) independent ones. The mathematics of Kish (1965) are those of samples in clusters.

    Examples
    --------
    >>> import numpy as np
    >>> from askance.annotators.reliability import vote_worth
    >>> vote_worth(np.array([0, 1, 6]))
    array([1. , 1. , 0.5])
    """
    return np.asarray(1 / (1 + CORRELATION * np.maximum(0, np.asarray(votes) - 1)))


class Prior(NamedTuple):
    """What is believed about annotators before they vote.

    The row of a class has a Dirichlet prior: with the probability a, the vote is right; the other classes are
    equally likely. The accuracy a is the annotator's own, estimated over all classes, and it has a prior as well:
    the accuracy of the other votes. So annotators with few votes borrow strength from the others.

    Parameters
    ----------
    strength : float
        The weight of the prior of a row, in votes.
    accuracy_strength : float
        The weight of the accuracy of others, in votes.
    accuracy : float
        The expected accuracy while there are no votes.
    crowd_strength : float
        The weight of that expectation, in votes of all annotators.
    """

    strength: float = 4.0
    accuracy_strength: float = 2.0
    accuracy: float = 0.7
    crowd_strength: float = 20.0

    def accuracy_of(self, counts: FloatArray) -> float | FloatArray:
        """Return the expected accuracy of a whole crowd with these counts, which end in (classes, classes)."""
        right, votes = _right_and_votes(counts)
        return (right + self.crowd_strength * self.accuracy) / (votes + self.crowd_strength)

    def confusion(self, counts: FloatArray, others: float | FloatArray) -> FloatArray:
        """Return expected confusion matrices: row = true class, column = vote.

        Parameters
        ----------
        counts : array of shape (..., classes, classes)
            The votes, each counted in the rows of all classes with the posterior of its item.
        others : float or array of shape (...)
            The accuracy of others, to which an annotator with few votes is similar.
        """
        right, votes = _right_and_votes(counts)
        own = (right + self.accuracy_strength * others) / (votes + self.accuracy_strength)
        classes = counts.shape[-1]
        same, other = own, (1 - own) / max(1, classes - 1)
        expected = np.where(
            np.eye(classes, dtype=bool), np.expand_dims(same, (-1, -2)), np.expand_dims(other, (-1, -2))
        )
        matrix = counts + self.strength * expected
        return np.asarray(matrix / matrix.sum(axis=-1, keepdims=True))

    def accuracy_range(
        self,
        chances: FloatArray,
        classes: int,
        others: float,
        level: float = LEVEL,
        *,
        worth: FloatArray | float = 1.0,
    ) -> Range:
        """Return an annotator's accuracy with the limits of its credible interval.

        If the class of every item were known, it would be the interval of a beta distribution. A vote that is
        right with the probability c, judged by everything but itself, has the likelihood
        a c + (1 - a)(1 - c)/(K - 1). A vote that is worth less than one has this likelihood to the power of its
        worth, so the interval is wider.

        Parameters
        ----------
        chances : array
            For each vote, the probability that it is right, without the vote itself.
        classes : int
            The number of classes.
        others : float
            The accuracy of others.
        level : float
            The level of the interval.
        worth : array or float
            What each vote is worth.
        """
        worth = np.broadcast_to(worth, chances.shape)
        grid = (np.arange(GRID) + 0.5) / GRID
        alpha, beta = self.accuracy_strength * others, self.accuracy_strength * (1 - others)
        logs = (alpha - 1) * np.log(grid) + (beta - 1) * np.log1p(-grid)  # a beta distribution, up to a constant
        parts = 1 + len(chances) // 1000
        for some, powers in zip(np.array_split(chances, parts), np.array_split(worth, parts), strict=True):
            right, wrong = some[:, None], (1 - some[:, None]) / max(1, classes - 1)
            logs = logs + (powers[:, None] * np.log(grid * right + (1 - grid) * wrong)).sum(axis=0)
        weights = np.exp(logs - logs.max())
        below = np.cumsum(weights) / weights.sum()
        low, high = np.interp([(1 - level) / 2, (1 + level) / 2], below, (np.arange(GRID) + 1) / GRID)
        return Range(float(weights @ grid / weights.sum()), float(low), float(high))


class Reliability(NamedTuple):
    """How reliable an annotator is, if annotators err independently of each other and items are equally hard.

    Attributes
    ----------
    votes : int
        The number of votes.
    accuracy : Range or None
        The expected share of right votes, with the limits of a 95 % credible interval. It is too high where
        annotators make the same errors. It is None if the votes cannot tell: of two annotators who only label
        items with each other, either may be the one who errs, and a vote that is alone shows nothing.
    weight : float
        How much the votes have been seen to tell about the classes: 0 for nothing, 1 for everything.
    confusion : array of shape (classes, classes)
        The expected confusion matrix: row = true class, column = vote.
    """

    votes: int
    accuracy: Range | None
    weight: float
    confusion: FloatArray


def weight(counts: FloatArray) -> float:
    """Return how much an annotator's votes tell about the classes, from 0 to 1.

    It is the mean accuracy over the classes, corrected for chance: (Σ θ_kk - 1) / (K - 1), and at least 0. It is 0
    for answers at random and for one constant answer, however rare a class is, and 1 if all votes are right. As
    long as there are few votes, each row θ_k is similar to all answers of the annotator, as if they did not depend
    on the item. So the weight starts at 0 and grows with the evidence.

    Examples
    --------
    >>> import numpy as np
    >>> from askance.annotators.reliability import weight
    >>> round(weight(np.array([[90.0, 10.0], [10.0, 90.0]])), 2), weight(np.array([[0.0, 20.0], [0.0, 80.0]]))
    (0.71, 0.0)
    """
    classes, votes = len(counts), counts.sum()
    if classes < 2 or not votes:
        return 0.0
    blind = BLIND_VOTES / classes
    answers = counts.sum(axis=0) / votes
    rows = (np.diag(counts) + blind * answers) / (counts.sum(axis=1) + blind)
    return min(1.0, max(0.0, float((rows.sum() - 1) / (classes - 1))))


def _right_and_votes(counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The number of right votes, and of all."""
    return np.trace(counts, axis1=-2, axis2=-1), counts.sum(axis=(-2, -1))
