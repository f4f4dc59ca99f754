"""An accuracy that a model has reached, at all times simultaneously: you may look after every answer, and stop.

Predictions of rows at random are compared with their labels, one by one. Let no model so far have an accuracy
above 1 - e. Then each prediction is wrong with a probability of at least e, whatever came before. For every θ < e,

    θ/e if it is wrong, (1-θ)/(1-e) if it is right

has a mean of at most 1. The product over the predictions is therefore a supermartingale, and so is a mean of
products for all θ, with a density proportional to 1/√θ, which has a closed form. The first models are worse, so a
mean over several first predictions is taken as well. It ever exceeds 1/δ with a probability of at most δ (Ville).
"""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from askance.metrics.estimates import LEVEL
from askance.typing import FloatArray, IntArray

FIRST = 10  # predictions before the second start; the number doubles with each further one
HALVINGS = 30


def least_accuracy(wrong: ArrayLike, level: float = LEVEL) -> float:
    """The largest accuracy that a model is known to have reached.

    If models do not become worse, the current one has it.

    Parameters
    ----------
    wrong : array-like of bool
        For each row at random, in the order of the questions, whether the model was wrong when it was asked about.
    level : float, default: 0.95
        The probability that the result is never too high, however often you look.

    Returns
    -------
    float
        The accuracy, or 0.

    Examples
    --------
    >>> from askance.metrics.reached import least_accuracy
    >>> round(least_accuracy([False] * 10), 2), round(least_accuracy([False] * 100), 2)
    (0.64, 0.96)
    """
    mistakes = np.asarray(wrong, bool)
    starts = _starts(len(mistakes))
    since = np.append(np.cumsum(mistakes[::-1])[::-1], 0)[starts].astype(float)
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        enough = _evidence(since, len(mistakes) - starts, 1 - middle) > -math.log(1 - level)
        low, high = (middle, high) if enough else (low, middle)
    return low


def _starts(count: int) -> IntArray:
    """The numbers of predictions that are left out."""
    doublings = max(0, math.ceil(math.log2(max(count, 1) / FIRST)))
    return np.append(0, FIRST * 2 ** np.arange(doublings)).astype(np.int64)


def _evidence(wrong: FloatArray, counts: IntArray, error: float) -> float:
    """The logarithm of the evidence that some model makes fewer mistakes than this."""
    a, b = wrong + 0.5, counts - wrong + 1
    with np.errstate(divide="ignore"):  # there may be next to nothing below `error`
        log_means = special.betaln(a, b) + np.log(special.betainc(a, b, error)) - math.log(2 * math.sqrt(error))
    logs = log_means - wrong * math.log(error) - (counts - wrong) * math.log1p(-error)
    places = np.arange(1, len(counts) + 1)
    # The weights 1/2, 1/6, 1/12, … add up to 1; starts to come have the rest, and a product of 1.
    return float(
        np.logaddexp(np.logaddexp.reduce(logs - np.log(places * (places + 1))), -math.log(len(places) + 1))
    )
