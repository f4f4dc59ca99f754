"""Which differences between methods are more than chance: paired t-tests, intervals, ranks over data sets."""

import functools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

Values = NDArray[np.float64]

ROUNDING = 1e-12  # differences of this size, relative to the values, come from rounding alone


class PairedTest(NamedTuple):
    """A two-sided paired t-test; nan where fewer than two pairs leave nothing to test."""

    statistic: float
    p: float
    pairs: int


class Interval(NamedTuple):
    """Where a mean lies."""

    low: float
    high: float


class FriedmanTest(NamedTuple):
    """Whether methods differ at all, judged by their ranks; nan where there is nothing to test."""

    statistic: float
    p: float


class Ranking(NamedTuple):
    """Methods compared over several data sets by their average ranks; 1 is the best."""

    average: Values
    data_sets: int
    test: FriedmanTest
    difference: float  # of average ranks that Nemenyi's test calls significant; nan where there is no test


def mean(values: ArrayLike) -> float:
    """The mean, the same in whatever order the values come; of nothing, nan."""
    values = np.asarray(values, dtype=np.float64)
    if not np.isfinite(values).all() or not values.size:
        return math.nan
    return math.fsum(values) / values.size


def deviation(values: ArrayLike) -> float:
    """The standard deviation of a sample, with n - 1; of fewer than two values, nan."""
    values = np.asarray(values, dtype=np.float64)
    if values.size < 2:
        return math.nan
    if np.ptp(values) == 0:  # what the mean is rounded by would be left
        return 0.0
    return float(np.std(values, ddof=1))


def t_interval(values: ArrayLike, level: float = 0.95) -> Interval:
    """Student's interval of the mean: x̄ ± t s / √n; of fewer than two values, nan."""
    _check_level(level)
    values = np.asarray(values, dtype=np.float64)
    if values.size < 2:
        return Interval(math.nan, math.nan)
    quantile = float(special.stdtrit(values.size - 1, (1 + level) / 2))
    centre, reach = mean(values), quantile * deviation(values) / math.sqrt(values.size)
    return Interval(centre - reach, centre + reach)


def paired_t_test(ours: ArrayLike, theirs: ArrayLike) -> PairedTest:
    """Student's test of the differences: t = d̄ / (s / √n) with n - 1 degrees of freedom.

    Differences that are all zero, but for rounding, have p = 1. If they are all equal to another number, no
    sample could be clearer: then t is infinite and p = 0.
    """
    ours, theirs = np.asarray(ours, dtype=np.float64), np.asarray(theirs, dtype=np.float64)
    if ours.ndim != 1 or ours.shape != theirs.shape:
        raise ValueError(f"pairs need two equally long lists of numbers, not shapes {ours.shape}, {theirs.shape}")
    pairs, differences = ours.size, ours - theirs
    if pairs < 2 or not np.isfinite(differences).all():
        return PairedTest(math.nan, math.nan, pairs)
    noise = ROUNDING * max(np.abs(ours).max(), np.abs(theirs).max())
    if np.abs(differences).max() <= noise:
        return PairedTest(0.0, 1.0, pairs)
    centre = mean(differences)
    if np.ptp(differences) <= noise:
        return PairedTest(math.copysign(math.inf, centre), 0.0, pairs)
    statistic = centre / (deviation(differences) / math.sqrt(pairs))
    return PairedTest(statistic, float(2 * special.stdtr(pairs - 1, -abs(statistic))), pairs)


def ranks(scores: ArrayLike, *, larger_is_better: bool) -> Values:
    """The rank of each method (column) on each data set (row): 1 is the best, equal ones share their mean rank."""
    scores = _table(scores)
    goodness = scores if larger_is_better else -scores
    better = (goodness[:, None, :] > goodness[:, :, None]).sum(axis=2)
    equal = (goodness[:, None, :] == goodness[:, :, None]).sum(axis=2)
    return np.asarray(better + (equal + 1) / 2)


def friedman_test(ranked: ArrayLike) -> FriedmanTest:
    """χ² = (12 / (n k (k + 1)) Σ R² - 3 n (k + 1)) / c, of n data sets and k methods whose ranks sum up to R.

    c = 1 - Σ (t³ - t) / (n k (k² - 1)) corrects for groups of t equal ranks.
    """
    ranked = _table(ranked)
    n, k = ranked.shape
    if n < 2 or k < 2:
        return FriedmanTest(math.nan, math.nan)
    groups = [np.unique(row, return_counts=True)[1] for row in ranked]
    correction = 1 - sum(int((t**3 - t).sum()) for t in groups) / (n * k * (k**2 - 1))
    if correction <= 0:  # all are equal everywhere
        return FriedmanTest(0.0, 1.0)
    sums = ranked.sum(axis=0)
    statistic = (12 / (n * k * (k + 1)) * float(sums @ sums) - 3 * n * (k + 1)) / correction
    statistic = max(0.0, statistic)  # rounding can go below
    return FriedmanTest(statistic, float(special.chdtrc(k - 1, statistic)))


def critical_difference(methods: int, data_sets: int, level: float = 0.05) -> float:
    """Nemenyi's: q √(k (k + 1) / (6 n)), where q is the studentized range's quantile divided by √2."""
    _check_level(level)
    if methods < 2 or data_sets < 2:
        return math.nan
    return _nemenyi_quantile(methods, level) * math.sqrt(methods * (methods + 1) / (6 * data_sets))


def ranking(scores: ArrayLike, *, larger_is_better: bool, level: float = 0.05) -> Ranking:
    """The methods (columns) compared over the data sets (rows), as Demšar (2006) recommends."""
    ranked = ranks(scores, larger_is_better=larger_is_better)
    n, k = ranked.shape
    average = ranked.mean(axis=0) if n else np.full(k, math.nan)
    return Ranking(average, n, friedman_test(ranked), critical_difference(k, n, level))


@functools.cache
def _nemenyi_quantile(methods: int, level: float) -> float:
    from scipy import stats  # here, because importing it takes longer than all the rest

    return float(stats.studentized_range.ppf(1 - level, methods, math.inf)) / math.sqrt(2)


def _table(scores: ArrayLike) -> Values:
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"give a table with a row a data set and a column a method, not the shape {table.shape}")
    if not np.isfinite(table).all():
        raise ValueError("a score that is not finite has no rank: leave out the data sets that have one")
    return table


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise ValueError(f"a level is a probability between 0 and 1, not {level}")
