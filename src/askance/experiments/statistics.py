"""Which differences between methods are more than chance: paired t-tests, intervals, ranks over data sets.

The tests are those of `scipy.stats`, which is imported late because that takes a second. Here are the conventions
for samples on which they are undefined: too few pairs, or differences without any spread.
"""

import functools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Values = NDArray[np.float64]

ROUNDING = 1e-12  # differences of this size, relative to the values, are rounding errors


class PairedTest(NamedTuple):
    """A two-sided paired t-test; nan for fewer than two pairs."""

    statistic: float
    p: float
    pairs: int


class ConfidenceInterval(NamedTuple):
    """The ends of a confidence interval."""

    low: float
    high: float


class FriedmanTest(NamedTuple):
    """Whether methods differ, judged by their ranks; nan where there is nothing to test."""

    statistic: float
    p: float


class Ranking(NamedTuple):
    """Methods compared over several data sets by their average ranks; 1 is the best."""

    average: Values
    data_sets: int
    test: FriedmanTest
    difference: float  # of average ranks that is significant in Nemenyi's test; nan without a test


def mean(values: ArrayLike) -> float:
    """Return the mean, independent of the order of the values; nan for no values."""
    values = np.asarray(values, dtype=np.float64)
    if not np.isfinite(values).all() or not values.size:
        return math.nan
    return math.fsum(values) / values.size


def deviation(values: ArrayLike) -> float:
    """Return the standard deviation of a sample, with n - 1; nan for fewer than two values."""
    values = np.asarray(values, dtype=np.float64)
    if values.size < 2:
        return math.nan
    if np.ptp(values) == 0:  # otherwise the rounding error of the mean would remain
        return 0.0
    return float(np.std(values, ddof=1))


def t_interval(values: ArrayLike, level: float = 0.95) -> ConfidenceInterval:
    """Return Student's interval of the mean; nan for fewer than two values."""
    _check_level(level)
    values = np.asarray(values, dtype=np.float64)
    if values.size < 2:
        return ConfidenceInterval(math.nan, math.nan)
    centre, scale = mean(values), deviation(values) / math.sqrt(values.size)
    if scale == 0:
        return ConfidenceInterval(centre, centre)
    from scipy import stats

    return ConfidenceInterval(*map(float, stats.t.interval(level, values.size - 1, centre, scale)))


def paired_t_test(ours: ArrayLike, theirs: ArrayLike) -> PairedTest:
    """Test whether paired values have different means.

    If all differences are zero, apart from rounding, p is 1. If they are all equal to another number, the
    statistic is infinite and p is 0.
    """
    ours, theirs = np.asarray(ours, dtype=np.float64), np.asarray(theirs, dtype=np.float64)
    if ours.ndim != 1 or ours.shape != theirs.shape:
        raise ValueError(f"pairs need two lists of equal length, not shapes {ours.shape} and {theirs.shape}")
    pairs, differences = ours.size, ours - theirs
    if pairs < 2 or not np.isfinite(differences).all():
        return PairedTest(math.nan, math.nan, pairs)
    noise = ROUNDING * max(np.abs(ours).max(), np.abs(theirs).max())
    if np.abs(differences).max() <= noise:
        return PairedTest(0.0, 1.0, pairs)
    if np.ptp(differences) <= noise:
        return PairedTest(math.copysign(math.inf, mean(differences)), 0.0, pairs)
    from scipy import stats

    found = stats.ttest_rel(ours, theirs)
    return PairedTest(float(found.statistic), float(found.pvalue), pairs)


def ranks(scores: ArrayLike, *, larger_is_better: bool) -> Values:
    """Rank methods (columns) on each data set (row): 1 is the best, and equal scores share their mean rank."""
    from scipy import stats

    scores = _table(scores)
    return np.asarray(stats.rankdata(-scores if larger_is_better else scores, axis=1), np.float64)


def friedman_test(ranked: ArrayLike) -> FriedmanTest:
    """Test whether ranks of methods (columns) differ over data sets (rows); nan for fewer than two of either."""
    ranked = _table(ranked)
    n, k = ranked.shape
    if n < 2 or k < 2:
        return FriedmanTest(math.nan, math.nan)
    if k == 2:
        return _friedman_of_two(ranked)
    if np.all(np.ptp(ranked, axis=1) == 0):  # all methods are equal everywhere
        return FriedmanTest(0.0, 1.0)
    from scipy import stats

    found = stats.friedmanchisquare(*ranked.T)
    return FriedmanTest(float(found.statistic), float(found.pvalue))


def critical_difference(methods: int, data_sets: int, level: float = 0.05) -> float:
    """Return the smallest significant difference of average ranks in Nemenyi's test.

    It is q √(k (k + 1) / (6 n)), where q is the quantile of the studentized range, divided by √2.
    """
    _check_level(level)
    if methods < 2 or data_sets < 2:
        return math.nan
    return _nemenyi_quantile(methods, level) * math.sqrt(methods * (methods + 1) / (6 * data_sets))


def ranking(scores: ArrayLike, *, larger_is_better: bool, level: float = 0.05) -> Ranking:
    """Compare methods (columns) over data sets (rows), as Demšar (2006) recommends."""
    ranked = ranks(scores, larger_is_better=larger_is_better)
    n, k = ranked.shape
    average = ranked.mean(axis=0) if n else np.full(k, math.nan)
    return Ranking(average, n, friedman_test(ranked), critical_difference(k, n, level))


def wilcoxon_holm(scores: ArrayLike) -> Values:
    """Compare all pairs of methods (columns) over data sets (rows) by Wilcoxon's signed-rank test.

    Returns the matrix of p-values, adjusted by Holm's method for the number of pairs, with 1 on the diagonal. Data
    sets on which two methods are equal count half for each of them, as Demšar (2006) recommends.
    """
    scores = _table(scores)
    k = scores.shape[1]
    pairs = [(i, j) for i in range(k) for j in range(i + 1, k)]
    found = holm([_wilcoxon(scores[:, i] - scores[:, j]) for i, j in pairs])
    matrix = np.ones((k, k))
    for (i, j), p in zip(pairs, found, strict=True):
        matrix[i, j] = matrix[j, i] = p
    return matrix


def holm(p: ArrayLike) -> Values:
    """Adjust p-values for their number m: the i-th smallest times m + 1 - i, at least that of smaller ones."""
    p = np.asarray(p, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1)))
    return adjusted


def rank_groups(average: ArrayLike, p: ArrayLike, level: float = 0.05) -> list[tuple[int, ...]]:
    """Return the groups of methods that are neighbours by average rank and do not differ significantly.

    `p` is a matrix, such as that of `wilcoxon_holm`. In a group, no two methods have p < `level`. A group is as
    large as possible, and its members are in the order of their ranks.
    """
    _check_level(level)
    differ = np.asarray(p, dtype=np.float64) < level
    order = np.argsort(np.asarray(average, dtype=np.float64), kind="stable").tolist()
    groups: list[tuple[int, ...]] = []
    last = 0
    for first in range(len(order)):
        end = first + 1
        while end < len(order) and not differ[order[end], order[first:end]].any():
            end += 1
        if end > last:  # otherwise the group before contains it
            groups.append(tuple(order[first:end]))
            last = end
    return groups


def _wilcoxon(differences: Values) -> float:
    """Return the two-sided p-value; 1 if nothing differs or there is nothing to compare."""
    if not np.any(differences):
        return 1.0
    from scipy import stats

    return float(stats.wilcoxon(differences, zero_method="zsplit").pvalue)


def _friedman_of_two(ranked: Values) -> FriedmanTest:
    """Test two methods, which scipy refuses: the statistic is (wins - losses)² / (wins + losses)."""
    leads = np.sign(ranked[:, 1] - ranked[:, 0])
    decided = float(np.abs(leads).sum())
    if not decided:
        return FriedmanTest(0.0, 1.0)
    from scipy import stats

    statistic = float(leads.sum()) ** 2 / decided
    return FriedmanTest(statistic, float(stats.chi2.sf(statistic, 1)))


@functools.cache
def _nemenyi_quantile(methods: int, level: float) -> float:
    from scipy import stats

    return float(stats.studentized_range.ppf(1 - level, methods, math.inf)) / math.sqrt(2)


def _table(scores: ArrayLike) -> Values:
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(
            f"scores must have one row per data set and one column per method, not shape {table.shape}"
        )
    if not np.isfinite(table).all():
        raise ValueError("scores that are not finite have no rank: leave out the data sets that have one")
    return table


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise ValueError(f"level must be a probability between 0 and 1, not {level}")
