"""Errors of predicted numbers, over all rows and estimated from the asked ones.

The estimate of a mean loss has two parts. Rows that were asked about for certain (π = 1) are added up. The mean
of the others is the sum of ℓ/π over the asked ones divided by the sum of 1/π, and the sum of (1-π)/π² (ℓ - mean)²
estimates its variance. Losses have no upper limit and a long tail, so the interval is not symmetric: the estimate
is taken for a gamma variable with this mean and variance, as the mean of squared normal errors is. For the upper
limit, one more row is added whose loss is larger than the largest that was seen: the tail may go further.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from askance.metrics.estimates import LEVEL, Estimate
from askance.typing import BoolArray, FloatArray

REGRESSION_METRICS = ("mse", "rmse", "mae")
ENOUGH = 20  # rows asked about at random that an interval needs
# A single row with more than this share of the error, and this many times that of a row on average, has a long
# tail behind it. For normal residuals, this happens in one of a hundred streams at most.
MUCH, TIMES = 0.2, 12


class Errors(NamedTuple):
    """Mean squared error, its root, mean absolute error and R² over some rows."""

    mse: float
    rmse: float
    mae: float
    r2: float


def regression_errors(y_true: ArrayLike, y_pred: ArrayLike) -> Errors:
    """Return the errors over all rows.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_rows,)
        The targets and the predictions. Rows where one of them is NaN are left out.

    Returns
    -------
    Errors
        With NaN if there are no rows, and for R² if all targets are equal.

    Examples
    --------
    >>> from askance.metrics import regression_errors
    >>> regression_errors([1.0, 2.0, 3.0], [1.0, 2.0, 4.0]).mae
    0.3333333333333333
    """
    y, p = np.asarray(y_true, np.float64), np.asarray(y_pred, np.float64)
    known = np.isfinite(y) & np.isfinite(p)
    if not known.any():
        return Errors(math.nan, math.nan, math.nan, math.nan)
    y, residuals = y[known], (y - p)[known]
    mse, variance = float(np.mean(residuals**2)), float(np.var(y))
    r2 = 1 - mse / variance if variance else math.nan
    return Errors(mse, math.sqrt(mse), float(np.mean(np.abs(residuals))), r2)


def asked_errors(
    metric: str,
    y_true: ArrayLike,
    y_pred: ArrayLike,
    asked: ArrayLike,
    ask_probabilities: ArrayLike,
    level: float = LEVEL,
) -> Estimate:
    """Estimate the error over all rows from the labels that were asked for.

    In simulations with 100 or more rows asked about at random, 94 to 97 of 100 intervals at the level of 95 %
    contained the error, for normal, Laplace and t residuals, and for log-normal ones with σ = 0.5; with 20 to 60
    such rows, 92 to 98. Longer tails have lower coverage: of the MSE, with 100 rows, 88 for σ = 1 and 71 for
    σ = 1.5. If few rows have most of the error, and next to none of them was asked about, the interval is too low:
    the labels do not tell of them. A note warns where a single row has more than a fifth of the estimated error.

    Parameters
    ----------
    metric : str
        "mse", "rmse" or "mae".
    y_true, y_pred : array-like of shape (n_rows,)
        The targets, of which only those of asked rows are used, and the predictions. Rows without a prediction
        (NaN) are left out.
    asked : array-like of bool of shape (n_rows,)
        Whether the label was asked for.
    ask_probabilities : array-like of shape (n_rows,)
        The probability with which each label was to be asked for.
    level : float, default: 0.95
        The probability with which the interval contains the error.

    Returns
    -------
    Estimate
        Without numbers if fewer than 20 rows were asked about at random, and some were not asked about.

    Raises
    ------
    ValueError
        If the arrays do not match, or there is no such metric or level.

    Examples
    --------
    >>> import numpy as np
    >>> from askance.metrics import asked_errors
    >>> random = np.random.default_rng(0)
    >>> y = random.normal(size=5000)
    >>> asked = random.random(5000) < 0.1
    >>> found = asked_errors("mse", y, np.zeros(5000), asked, np.full(5000, 0.1))
    >>> bool(found.low < np.mean(y**2) < found.high)
    True
    """
    if metric not in REGRESSION_METRICS:
        raise ValueError(f"metric must be one of {', '.join(REGRESSION_METRICS)}, not {metric!r}")
    if not 0 < level < 1:
        raise ValueError(f"level must be a probability between 0 and 1, not {level}")
    residuals, seen, chances, note = _checked(y_true, y_pred, asked, ask_probabilities)
    losses = np.abs(residuals) if metric == "mae" else residuals**2
    labels = int(seen.sum())
    drawn = seen & (chances < 1)
    if (chances < 1).any() and drawn.sum() < ENOUGH:
        few = f"Cannot tell yet: {drawn.sum()} rows were asked about at random, and it takes {ENOUGH}."
        return Estimate(metric, None, None, None, level, labels, few)
    if not len(losses):
        return Estimate(metric, None, None, None, level, labels, "Cannot tell yet: there are no predictions.")
    value, low, high = (limit / len(losses) for limit in _total(losses, seen, drawn, chances, level))
    note = " ".join(filter(None, (note, _of_tail(losses[drawn] / chances[drawn]))))
    if metric == "rmse":
        value, low, high = math.sqrt(value), math.sqrt(low), math.sqrt(high)
    return Estimate(metric, value, low, high, level, labels, note)


def _checked(
    y_true: ArrayLike, y_pred: ArrayLike, asked: ArrayLike, ask_probabilities: ArrayLike
) -> tuple[FloatArray, BoolArray, FloatArray, str]:
    """Residuals, whether rows were asked about, and their probabilities, of rows that could be asked about."""
    y, p, chances = (np.asarray(one, np.float64) for one in (y_true, y_pred, ask_probabilities))
    seen = np.asarray(asked, bool)
    if not y.shape == p.shape == seen.shape == chances.shape or y.ndim != 1:
        shapes = ", ".join(str(one.shape) for one in (y, p, seen, chances))
        raise ValueError(f"y_true, y_pred, asked and ask_probabilities must have one number per row, not {shapes}")
    if not ((chances >= 0) & (chances <= 1)).all() or (seen & (chances == 0)).any():
        raise ValueError("ask_probabilities must be from 0 to 1, and more than 0 for asked rows")
    predicted = np.isfinite(p)
    usable = predicted & (chances > 0)
    out_of_reach = int((predicted & ~usable).sum())
    note = (
        f"{out_of_reach:,} rows could not be asked about: the estimate is of the others." if out_of_reach else ""
    )
    if not np.isfinite(y[usable & seen]).all():
        raise ValueError("y_true has NaN or infinity for a row that was asked about")
    residuals = np.where(seen, y - p, 0.0)
    return residuals[usable], seen[usable], chances[usable], note


def _of_tail(weighted: FloatArray) -> str:
    """A warning if a single row has much of the error: others like it may have been missed."""
    if not weighted.any() or weighted.max() <= max(MUCH, TIMES / len(weighted)) * weighted.sum():
        return ""
    share = weighted.max() / weighted.sum()
    return f"A single row has {share:.0%} of the estimated error: the true error may be above the upper limit."


def _total(
    losses: FloatArray, seen: BoolArray, drawn: BoolArray, chances: FloatArray, level: float
) -> tuple[float, float, float]:
    """The sum of the losses of all rows, with limits."""
    sure, others = float(losses[seen & ~drawn].sum()), int((chances < 1).sum())
    if not others:
        return sure, sure, sure
    values, weights = losses[drawn], 1 / chances[drawn]
    sum_, variance = _of_others(values, weights, others)
    tail = (1 - level) / 2
    # The fewer rows were seen, the further the tail may go.
    beyond = values.max() * (1 + ENOUGH / len(values))
    most = _of_others(np.append(values, beyond), np.append(weights, weights.mean()), others)
    return sure + sum_, sure + _limit(sum_, variance, 1 - tail), sure + max(sum_, _limit(*most, tail))


def _of_others(values: FloatArray, weights: FloatArray, rows: int) -> tuple[float, float]:
    """The sum over rows that were not asked about for certain, and its variance."""
    mean = float(weights @ values / weights.sum())
    factor = rows / float(weights.sum())
    n = len(values)
    return rows * mean, float((weights * (weights - 1)) @ (values - mean) ** 2) * factor**2 * n / (n - 1)


def _limit(mean: float, variance: float, probability: float) -> float:
    """The mean of a gamma variable that is below the observed one with this probability; its shape is known."""
    if variance == 0:
        return mean
    shape = mean**2 / variance
    return float(mean * shape / special.gammaincinv(shape, probability))
