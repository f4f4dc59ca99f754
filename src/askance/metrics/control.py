"""Control variates: what helpers say about a target, each row judged without its own label.

A ridge regression of the target on the helpers is fitted to the asked rows, and each of these rows gets the value
of the fit to the others. It has a closed form: with the leverage h it is (fit - h z)/(1 - h). So no value depends
on the coin and the label of its own row, and a fit that follows noise has large residuals instead of small ones.
"""

import itertools
import operator

import numpy as np

from askance.metrics.histograms import share
from askance.typing import BoolArray, FloatArray

PENALTIES = (0.3, 3.0, 30.0, 300.0, 1e6)  # in rows; the last one leaves the helpers out
HEAVIEST = 1000.0  # times the median: with heavier rows, 1 - h would be lost in rounding
TINY = 1e-6


def expected(
    target: FloatArray, asked: BoolArray, ask_probabilities: FloatArray, free: FloatArray, helpers: FloatArray
) -> FloatArray:
    """What a target of 0 or 1 is expected to be in each row, without its own label.

    Parameters
    ----------
    target : ndarray of shape (n_rows,)
        0 or 1. Only the values of asked rows are used.
    asked : ndarray of bool of shape (n_rows,)
        Whether the target is known. At least two rows are asked.
    ask_probabilities : ndarray of shape (n_rows,)
        The probabilities of asking, larger than 0.
    free : ndarray of shape (n_rows, n_free)
        Columns without a penalty, such as a column of ones.
    helpers : ndarray of shape (n_rows, n_helpers)
        Columns with a penalty.

    Returns
    -------
    expected : ndarray of shape (n_rows,)
        From 0 to 1.
    """
    spread = np.where(np.ptp(helpers, axis=0) > 0, helpers.std(axis=0), 0.0)  # a constant says nothing
    helpers = share(helpers - helpers.mean(axis=0), spread)
    columns = np.hstack([free, helpers])
    seen, z, chances = columns[asked], target[asked], ask_probabilities[asked]
    variances = (1 - chances) / chances**2  # times squared residuals, they add up to the variance of the estimate
    fits = []
    for weights, penalty in itertools.product(_weightings(chances), PENALTIES):
        penalties = np.repeat([TINY, penalty], [free.shape[1], helpers.shape[1]])
        coefficients, without = _fit(seen, z, weights, penalties)
        fits.append((float(variances @ (z - without) ** 2), coefficients, without))
    _, coefficients, without = min(fits, key=operator.itemgetter(0))
    values = np.clip(columns @ coefficients, 0, 1)
    values[asked] = without
    return np.asarray(values)


def _fit(
    columns: FloatArray, target: FloatArray, weights: FloatArray, penalties: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The coefficients of a ridge regression, and the value of each row by the regression of the others."""
    weighted = columns.T * weights
    inverse = np.linalg.inv(weighted @ columns + np.diag(penalties))
    coefficients = inverse @ (weighted @ target)
    leverage = np.sum((columns @ inverse) * weighted.T, axis=1)
    without = (columns @ coefficients - leverage * target) / np.maximum(1 - leverage, TINY)
    return coefficients, np.clip(without, 0, 1)


def _weightings(ask_probabilities: FloatArray) -> list[FloatArray]:
    """Weights of 1/π², 1/π and 1, with a mean of 1.

    The first are best for any helpers, and the last if helpers tell all that the questions depended on.
    """
    if np.ptp(ask_probabilities) == 0:
        return [np.ones(len(ask_probabilities))]
    found = []
    for power in (2, 1, 0):
        weights = ask_probabilities ** -float(power)
        weights = np.minimum(weights, HEAVIEST * np.median(weights))
        found.append(weights / weights.mean())
    return found
