"""Tests, intervals and ranks against SciPy and against examples that can be worked out by hand."""

import math
import random
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from askance.experiments.statistics import (
    critical_difference,
    deviation,
    friedman_test,
    holm,
    mean,
    paired_t_test,
    rank_groups,
    ranking,
    ranks,
    t_interval,
    wilcoxon_holm,
)

# The ranks of four methods on fourteen data sets in Demšar (2006), table 6.
DEMSAR = [
    (4, 3, 2, 1),
    (1, 2, 3, 4),
    (4, 1, 2, 3),
    (4, 1, 3, 2),
    (4, 2, 3, 1),
    (1, 2.5, 4, 2.5),
    (3, 2, 4, 1),
    (2.5, 2.5, 4, 1),
    (4, 3, 2, 1),
    (2.5, 2.5, 2.5, 2.5),
    (4, 2.5, 1, 2.5),
    (3, 2, 4, 1),
    (4, 1, 2, 3),
    (3, 1, 4, 2),
]

samples = st.integers(2, 30).flatmap(
    lambda n: st.tuples(*[st.lists(st.floats(0, 1), min_size=n, max_size=n) for _ in range(2)])
)


@given(samples)
def test_the_paired_test_is_scipys(pair: tuple[list[float], list[float]]) -> None:
    ours, theirs = np.array(pair)
    ours = ours + np.linspace(0, 1, len(ours))  # no constant differences: there SciPy warns
    expected = stats.ttest_rel(ours, theirs)
    result = paired_t_test(ours, theirs)
    if np.std(ours - theirs) > 1e-6:
        assert result.pairs == len(ours)
        assert result.statistic == pytest.approx(expected.statistic, rel=1e-6, abs=1e-9)
        assert result.p == pytest.approx(expected.pvalue, rel=1e-6, abs=1e-12)


def test_a_paired_test_by_hand() -> None:
    # Differences 1, 2, 3: mean 2, deviation 1, so t = 2 √3; with two degrees p = 1 - t / √(2 + t²).
    result = paired_t_test([2, 4, 6], [1, 2, 3])
    assert result.statistic == pytest.approx(2 * math.sqrt(3))
    assert result.p == pytest.approx(1 - math.sqrt(12 / 14))
    assert paired_t_test([1, 2, 3], [2, 4, 6]).statistic == pytest.approx(-2 * math.sqrt(3))


@pytest.mark.parametrize(
    ("ours", "theirs", "statistic", "p"),
    [
        ([0.5, 0.6], [0.5, 0.6], 0.0, 1.0),
        ([0.1 + 0.2] * 3, [0.3] * 3, 0.0, 1.0),  # they differ in the last bit
        ([0.6, 0.7, 0.8], [0.5, 0.6, 0.7], math.inf, 0.0),
        ([1, 2], [2, 3], -math.inf, 0.0),
        ([0, 0], [0, 0], 0.0, 1.0),
    ],
)
def test_constant_differences_are_no_trouble(
    ours: list[float], theirs: list[float], statistic: float, p: float
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert paired_t_test(ours, theirs) == (statistic, p, len(ours))


@pytest.mark.parametrize("values", [[], [0.5], [0.5, math.nan]])
def test_nothing_to_test_gives_nan(values: list[float]) -> None:
    result = paired_t_test(values, values)
    assert math.isnan(result.p)
    assert math.isnan(result.statistic)
    assert result.pairs == len(values)


def test_pairs_must_be_pairs() -> None:
    with pytest.raises(ValueError, match=r"two lists of equal length, not shapes \(2,\) and \(3,\)"):
        paired_t_test([1, 2], [1, 2, 3])


def test_the_interval_is_scipys_and_shrinks_with_the_level() -> None:
    values = np.random.default_rng(1).normal(5, 2, 12)
    for level in (0.5, 0.95, 0.99):
        expected = stats.t.interval(level, 11, values.mean(), stats.sem(values))
        assert t_interval(values, level) == pytest.approx(expected, rel=1e-9)
    # 1, 2, 3: mean 2, s / √3, and t = 4.302653 at 97.5 % with two degrees.
    assert t_interval([1, 2, 3]) == pytest.approx((2 - 4.302653 / math.sqrt(3), 2 + 4.302653 / math.sqrt(3)))
    assert t_interval([0.1] * 7) == (0.1, 0.1)
    assert all(math.isnan(end) for end in t_interval([1.0]))
    with pytest.raises(ValueError, match="level must be a probability between 0 and 1, not 95"):
        t_interval([1, 2], 95)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40), st.randoms())
def test_the_mean_does_not_depend_on_the_order(values: list[float], source: random.Random) -> None:
    shuffled = values.copy()
    source.shuffle(shuffled)
    assert mean(values) == mean(shuffled)
    assert mean(values) == pytest.approx(np.mean(values))


def test_mean_and_deviation_of_little() -> None:
    assert math.isnan(mean([]))
    assert math.isnan(mean([1, math.nan]))
    assert math.isnan(deviation([1]))
    assert deviation([0.1] * 3) == 0
    assert deviation([1, 3]) == pytest.approx(math.sqrt(2))


def test_ranks_by_hand_in_both_directions() -> None:
    scores = [[0.9, 0.8, 0.9, 0.1], [1, 2, 3, 4]]
    assert ranks(scores, larger_is_better=True).tolist() == [[1.5, 3, 1.5, 4], [4, 3, 2, 1]]
    assert ranks(scores, larger_is_better=False).tolist() == [[3.5, 2, 3.5, 1], [1, 2, 3, 4]]


tables = st.tuples(st.integers(2, 9), st.integers(3, 6)).flatmap(
    lambda shape: st.lists(
        st.lists(st.integers(0, 4), min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0]
    )
)


@given(tables)
def test_ranks_and_friedmans_test_are_scipys(scores: list[list[int]]) -> None:
    ranked = ranks(scores, larger_is_better=False)
    np.testing.assert_array_equal(ranked, stats.rankdata(scores, axis=1))
    result = friedman_test(ranked)
    if all(len(set(row)) == 1 for row in scores):
        assert result == (0, 1)  # SciPy divides by zero
    else:
        expected = stats.friedmanchisquare(*np.transpose(scores))
        assert result.statistic == pytest.approx(expected.statistic, abs=1e-9)
        assert result.p == pytest.approx(expected.pvalue, abs=1e-12)


def test_friedmans_test_of_two_methods_is_the_sign_test() -> None:
    result = friedman_test([[1, 2], [1, 2], [2, 1], [1, 2], [1.5, 1.5]])
    assert result.statistic == pytest.approx((3 - 1) ** 2 / (3 + 1))
    assert result.p == pytest.approx(stats.chi2.sf(1.0, 1))
    assert friedman_test([[1.5, 1.5], [1.5, 1.5]]) == (0, 1)


def test_demsars_example() -> None:
    result = ranking(DEMSAR, larger_is_better=False)
    assert result.average == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=5e-4)
    assert result.data_sets == 14
    assert result.difference == pytest.approx(1.25, abs=5e-3)
    assert result.test.p < 0.05
    # Without the correction for ties the statistic is his 9.28.
    sums = np.sum(DEMSAR, axis=0)
    assert 12 / (14 * 4 * 5) * sums @ sums - 3 * 14 * 5 == pytest.approx(9.28, abs=5e-3)
    assert result.test.statistic > 9.28


@pytest.mark.parametrize(
    ("level", "methods", "quantile"),
    [(0.05, 2, 1.960), (0.05, 3, 2.343), (0.05, 4, 2.569), (0.05, 10, 3.164), (0.1, 2, 1.645), (0.1, 5, 2.459)],
)
def test_critical_differences_have_the_published_quantiles(level: float, methods: int, quantile: float) -> None:
    scale = math.sqrt(methods * (methods + 1) / (6 * 20))
    assert critical_difference(methods, 20, level) == pytest.approx(quantile * scale, abs=6e-4)


def test_too_few_methods_or_data_sets_are_no_test() -> None:
    for scores in ([[1, 2, 3]], [[1], [2]]):
        result = ranking(scores, larger_is_better=True)
        assert math.isnan(result.test.p)
        assert math.isnan(result.difference)
    assert np.isnan(ranking(np.zeros((0, 3)), larger_is_better=True).average).all()


def test_holm_multiplies_by_the_number_of_pairs_that_are_left() -> None:
    # By hand: 4 × 0.01, 3 × 0.015, 2 × 0.04, and 0.04 once, which must not be less than the one before.
    assert holm([0.04, 0.01, 0.015, 0.04]) == pytest.approx([0.08, 0.04, 0.045, 0.08])
    assert holm([0.5, 0.9]) == pytest.approx([1.0, 1.0])
    assert holm([]).size == 0


def test_wilcoxons_test_of_all_pairs_by_hand() -> None:
    # Six sets. The first method beats the second on all: of 2⁶ signs, 2 are as extreme. Against the third, only
    # the smallest of six differences is negative: the rank sums 0 and 1 have one sign pattern each, on both sides.
    first = np.array([10.0, 20.0, 30.0, 40.0, 50.0, 60.0])
    second = first - [1, 2, 3, 4, 5, 6]
    third = first - [-1, 2, 3, 4, 5, 6]
    found = wilcoxon_holm(np.transpose([first, second, third]))
    # Second and third differ on one set: five ties are split, 7.5 and 13.5 with the sixth, largest rank.
    ties = stats.wilcoxon(second - third, zero_method="zsplit").pvalue
    assert found[0, 1] == found[1, 0] == pytest.approx(3 * 2 / 64)
    assert found[0, 2] == pytest.approx(2 * 4 / 64)
    assert found[1, 2] == pytest.approx(ties)
    assert ties > 0.5
    assert np.diag(found).tolist() == [1, 1, 1]
    assert wilcoxon_holm([[1, 1], [2, 2]]).tolist() == [[1, 1], [1, 1]]


def test_groups_are_neighbours_that_do_not_differ() -> None:
    average = [2.0, 1.0, 4.0, 3.0]  # the order is 1, 0, 3, 2
    p = np.ones((4, 4))
    p[1, 3] = p[3, 1] = p[1, 2] = p[2, 1] = 0.01
    assert rank_groups(average, p) == [(1, 0), (0, 3, 2)]
    p[0, 2] = p[2, 0] = 0.049
    assert rank_groups(average, p) == [(1, 0), (0, 3), (3, 2)]
    assert rank_groups(average, p, level=0.02) == [(1, 0), (0, 3, 2)]
    between = np.ones((4, 4))
    between[0, 3] = between[3, 0] = 0.01  # neither of which is the first of a group
    assert rank_groups(average, between) == [(1, 0), (3, 2)]
    assert rank_groups(average, np.zeros((4, 4))) == [(1,), (0,), (3,), (2,)]
    assert rank_groups(average, np.ones((4, 4))) == [(1, 0, 3, 2)]


@pytest.mark.parametrize(
    ("scores", "fault"), [([1, 2], "one row per data set"), ([[1, math.nan]], "scores that are not finite")]
)
def test_tables_without_ranks_are_refused(scores: list[object], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        ranks(scores, larger_is_better=True)  # type: ignore[arg-type]
