"""Estimates from asked labels alone, and their intervals."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import askance
import coverage_study
import streams
from askance.metrics import METRICS, AskedTally, Bins, Tally, augmented_estimate
from askance.metrics.anytime import STEPS, Anytime
from askance.metrics.areas import AREAS
from askance.metrics.intervals import Range, SamePrediction, Unseen, WeightedCount, all_of, combined
from askance.rules.query import Within
from examples import examples

OF_COUNTS = [name for name, entry in METRICS.items() if not entry.of_scores]
NO_LABEL = "Cannot tell yet: no label is known by asking."
CHANCE = 1e-4  # of a test that fails though all is well


def made(rows: int = 2000, random_state: int = 0, positive: float = 0.4, least: float = 0.05) -> dict[str, Any]:
    """Rows of which the uncertain ones are asked for more often."""
    rng = np.random.default_rng(random_state)
    truth = np.where(rng.random(rows) < positive, 1, -1)
    scores = 1.5 * truth + rng.normal(size=rows)
    probabilities = np.maximum(least, 0.3 / (0.3 + np.abs(scores)))
    guesses = np.where(scores > 0, 1, -1)
    asked = rng.random(rows) < probabilities
    return {
        "y_true": truth,
        "y_pred": guesses,
        "asked": asked,
        "ask_probabilities": probabilities,
        "scores": scores,
    }


def tally_of(columns: dict[str, Any], *, many: bool = False) -> Tally:
    tally = Tally(many=many)
    scores = None if many else columns.get("scores")
    tally.add(columns["y_true"], columns["y_pred"], columns["asked"], scores=scores)
    return tally


def asked_of(columns: dict[str, Any], *, many: bool = False) -> AskedTally:
    asked = AskedTally(many=many)
    asked.add(**columns)
    return asked


# ---------------------------------------------------------------------- what holds for certain


@pytest.mark.parametrize("metric", METRICS)
def test_where_every_label_is_asked_for_nothing_is_in_doubt(metric: str) -> None:
    columns = made(500)
    columns |= {"ask_probabilities": np.ones(500), "asked": np.ones(500, dtype=bool)}
    found = asked_of(columns).estimate(metric)
    assert found.value == pytest.approx(tally_of(columns).value(metric))
    assert found.width == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("metric", METRICS)
def test_truth_of_rows_that_were_not_asked_for_is_never_looked_at(metric: str) -> None:
    columns = made()
    other = columns | {"y_true": np.where(columns["asked"], columns["y_true"], -columns["y_true"])}
    hidden = columns | {"y_true": np.where(columns["asked"], columns["y_true"], 0)}
    assert (
        asked_of(columns).estimate(metric) == asked_of(other).estimate(metric) == asked_of(hidden).estimate(metric)
    )


@pytest.mark.parametrize("metric", METRICS)
def test_an_estimate_lies_within_its_limits_and_they_within_what_can_be(metric: str) -> None:
    for random_state, level in itertools.product(range(10), (0.5, 0.95, 0.999)):
        found = asked_of(made(300, random_state)).estimate(metric, level)
        assert found.enough
        assert found.value is not None
        assert found.low is not None
        assert found.high is not None
        assert 0 <= found.low <= found.value <= found.high
        assert found.high <= (300 if metric in ("mistakes", "cost") else 1)


def test_intervals_are_wider_at_a_higher_level_and_narrower_with_more_labels() -> None:
    for metric in (name for name in METRICS if name != "query_ratio"):
        widths = [asked_of(made()).estimate(metric, level).width for level in (0.5, 0.8, 0.95, 0.99)]
        assert widths == sorted(widths)
        rare, often = (asked_of(made(least=least)).estimate(metric).width for least in (0.02, 0.8))
        assert often < rare / 2


@examples(25)
@given(st.integers(0, 10**6), st.lists(st.integers(0, 300), max_size=4))
def test_chunks_change_not_even_the_last_bit(random_state: int, cuts: list[int]) -> None:
    columns, growing, merged = made(300, random_state), AskedTally(), AskedTally()
    for start, end in itertools.pairwise([0, *sorted(cuts), 300]):
        piece = {name: column[start:end] for name, column in columns.items()}
        growing.add(**piece)
        merged = merged + asked_of(piece)
    whole = asked_of(columns)
    assert growing.estimates() == whole.estimates()
    for metric in ("error", "cost"):
        assert growing.estimate(metric, anytime=True) == whole.estimate(metric, anytime=True)
    for name, found in whole.estimates().items():
        assert merged.estimate(name)[1:4] == pytest.approx(found[1:4])


def test_limits_of_equal_weights_are_those_of_a_poisson_number() -> None:
    for seen in (0, 1, 2, 10, 100):
        found = all_of(WeightedCount(seen, seen, seen), 1.0, 0.95)
        assert found.low == pytest.approx(stats.chi2.ppf(0.025, 2 * seen) / 2 if seen else 0)
        assert found.high == pytest.approx(stats.chi2.ppf(0.975, 2 * seen + 2) / 2)


def test_what_was_seen_is_certain() -> None:
    asked = AskedTally()
    asked.add([1, -1, -1] + [0] * 7, [-1] * 10, [True] * 3 + [False] * 7, [0.1] * 10)
    found = asked.estimate("mistakes")
    assert (found.low, found.high) == (1, 8)


def test_an_unseen_row_weighs_as_the_mean_but_not_more_than_the_rarest_rows_allow() -> None:
    even = AskedTally()
    even.add([-1] * 1000, [-1] * 1000, [False] * 1000, [0.02] * 1000)
    assert even.known().unseen.weight(0.95) == pytest.approx(-1 / np.log1p(-0.02))
    # One row that is hardly ever asked for would make the mean a thousand; but it is one row, and no more.
    odd = AskedTally()
    odd.add([-1] * 1000, [-1] * 1000, [False] * 1000, [0.02] * 999 + [1e-6])
    limit = -math.log(0.025)
    worst = (1 + (limit - 1e-6) / -np.log1p(-0.02)) / limit
    assert odd.known().unseen.weight(0.95) == pytest.approx(worst)
    few = AskedTally()
    few.add([-1] * 10, [-1] * 10, [False] * 10, [1e-6] * 10)
    assert few.known().unseen.weight(0.95) == pytest.approx(10 / limit)


def test_half_and_half_gives_the_variance_of_a_share() -> None:
    seen = WeightedCount(5000, 500_000, 500_000 * 100)
    rows = Unseen(np.array([1_000_000.0]), np.array([1_000_000.0 * 100]))
    found = SamePrediction(rows, WeightedCount(0, 0, 0), seen, seen).mistaken(0.95)
    assert found.value == 500_000
    assert found.high - found.low == pytest.approx(2 * 1.96 * 1_000_000 * math.sqrt(0.25 / 10_000), rel=0.02)


def test_distances_add_up_by_their_squares() -> None:
    found = combined(lambda a, b: a + b, Range(10, 7, 13), Range(20, 16, 24))
    assert found == pytest.approx((30, 25, 35), abs=0.01)


@given(st.lists(st.integers(0, 5), min_size=6, max_size=6), st.lists(st.integers(0, 5), min_size=6, max_size=6))
def test_slopes_of_areas(positives: list[int], negatives: list[int]) -> None:
    # Where no score lies above, the first row of a bin makes the curve jump: there is no slope.
    bins = Bins(np.array([*positives, 2.0]), np.array([*negatives, 1.0]))
    for function, gradient, _ in AREAS.values():
        for place, slopes in enumerate(gradient(bins)):
            for bin_, slope in enumerate(slopes):
                ends = []
                for step in (-1e-6, 1e-6):
                    moved = [one.astype(float).copy() for one in bins]
                    moved[place][bin_] += step
                    ends.append(float(function(Bins(*moved))))
                assert slope == pytest.approx((ends[1] - ends[0]) / 2e-6, abs=1e-6)


# ---------------------------------------------------------------------- limits for all moments at once

PROBABILITIES = st.lists(st.sampled_from([0.03, 0.1, 0.4, 0.9, 1.0]), min_size=1, max_size=9)


@examples(40)
@given(PROBABILITIES, st.integers(0, 2**9 - 1), st.sampled_from([0.5, 0.8, 0.95]))
def test_limits_fail_at_any_moment_no_more_often_than_said(some: list[float], wrong: int, level: float) -> None:
    """Exact: the probabilities of all outcomes of the coins in which the limits fail at some prefix add up."""
    pi, z = np.array(some), np.array([(wrong >> place) & 1 for place in range(len(some))], dtype=bool)
    failing = 0.0
    limits: dict[Any, bool] = {}
    for coins in itertools.product([False, True], repeat=len(some)):
        asked = np.array(coins)
        chance = float(np.prod(np.where(asked, pi, 1 - pi)))
        if chance:
            failing += chance * any(
                _fails(pi[:end], z[:end], asked[:end], level, limits) for end in range(1, len(pi) + 1)
            )
    assert failing <= 1 - level + 1e-12


def _fails(pi: Any, z: Any, asked: Any, level: float, known: dict[Any, bool]) -> bool:
    key = (len(pi), asked.tobytes())
    if key not in known:
        kind = Anytime()
        kind.add(pi, z & asked, ~z & asked)
        low, high = kind.limits(level)
        known[key] = not low <= z.sum() <= high
    return known[key]


def test_martingales_have_the_mean_1() -> None:
    pi, z = np.array([0.5, 0.9, 1.0, 0.7]), np.array([True, True, True, False])
    means = np.zeros((2, 2, len(STEPS)))
    for coins in itertools.product([False, True], repeat=4):
        asked, kind = np.array(coins), Anytime()
        kind.add(pi, z & asked, ~z & asked)
        numbers = np.array([3, 1])[:, np.newaxis, np.newaxis] * np.array([-1, 1])[:, np.newaxis] * STEPS
        means += float(np.prod(np.where(asked, pi, 1 - pi))) * np.exp(kind.sums + numbers)
    assert (kind.left_out == 0).sum() > 20
    assert means[:, :, kind.left_out == 0] == pytest.approx(1)
    assert means[:, 0] == pytest.approx(1)


def test_limits_for_all_moments_are_there_for_counts_of_mistakes_alone() -> None:
    asked = asked_of(made())
    for metric in ("accuracy", "error", "mistakes", "cost"):
        once, always = asked.estimate(metric), asked.estimate(metric, anytime=True)
        assert once.value == always.value
        assert always.width > once.width
    with pytest.raises(ValueError, match="accuracy, error, mistakes, cost, not for 'f'"):
        asked.estimate("f", anytime=True)


# ---------------------------------------------------------------------- streams that tell little


def test_without_rows_or_labels_nothing_is_told() -> None:
    for name, found in AskedTally().estimates().items():
        assert not found.enough
        assert found[1:4] == (None, None, None)
        assert found.note == ("There are no rows yet." if name == "query_ratio" else NO_LABEL)
        assert found.width == math.inf
    silent = made(100) | {"asked": np.zeros(100, dtype=bool)}
    assert asked_of(silent).estimate("error").note == NO_LABEL
    assert asked_of(silent).estimate("query_ratio").value == 0


@pytest.mark.parametrize("positives", [0, 1])
def test_too_few_positives_are_told_in_a_sentence(positives: int) -> None:
    columns = made(3000)
    truth = np.full(3000, -1)
    truth[np.flatnonzero(columns["asked"])[:positives]] = 1
    found = asked_of(columns | {"y_true": truth}).estimates()
    assert [name for name, one in found.items() if one.enough] == [
        "accuracy", "error", "mistakes", "specificity", "cost", "query_ratio",
    ]  # fmt: skip
    assert found["f"].note == f"Cannot tell yet: {positives} positive rows were asked for, and it takes 20."
    assert str(found["f"]) == found["f"].note


def test_one_class_for_ten_thousand_rows_and_then_the_other() -> None:
    asked = AskedTally()
    for truth in (np.full(10_000, -1), np.full(1000, 1)):
        columns = made(len(truth))
        asked.add(**columns | {"y_true": truth})
        for found in asked.estimates().values():
            assert not found.enough or all(np.isfinite(number) for number in found[1:5])
    assert asked.estimate("f").enough


def test_unknown_truths_count_as_rows_without_a_label() -> None:
    missed = 0
    for random_state in range(40):
        columns = made(3000, random_state)
        unknown = np.random.default_rng(random_state).random(3000) < 0.3
        columns["y_true"] = np.where(unknown, 0, columns["y_true"])
        tally, asked = tally_of(columns), asked_of(columns)
        for metric in ("error", "f", "mistakes"):
            found = asked.estimate(metric)
            assert found.low is not None
            assert found.high is not None
            missed += not found.low <= tally.value(metric) <= found.high
    assert missed <= stats.binom.ppf(1 - CHANCE, 40 * 3, 0.05) + 3  # the three of a stream go together


@pytest.mark.slow
def test_many_classes_have_accuracy_and_error_alone() -> None:
    made_up = streams.several(rows=3000)
    trace = askance.make("MPAA-II", random_state=1).run(made_up.X, made_up.y)
    assert set(trace.summary().estimates) == {"accuracy", "error", "mistakes", "query_ratio"}
    found = trace.estimate("accuracy")
    assert found.low is not None
    assert found.high is not None
    assert found.low <= trace.tally().value("accuracy") <= found.high
    with pytest.raises(ValueError, match="'f' is for two classes"):
        trace.estimate("f")


def test_rows_that_a_budget_put_out_of_reach_are_told() -> None:
    made_up = streams.noisy(2000)
    learner = askance.make("PAA-II", random_state=1)
    learner.set_params(query=Within(learner.query, limit=100))
    trace = learner.run(made_up.X, made_up.y)
    silent = int((trace.ask_probabilities == 0).sum())
    assert silent > 0
    found = trace.estimate("error")
    assert found.note == f"{silent:,} rows could not be asked for: the estimate is of the others."
    reached = trace.ask_probabilities > 0
    assert found.low is not None
    assert found.high is not None
    assert found.low <= (trace.predicted_codes != trace.true_codes)[reached].mean() <= found.high


def test_what_is_refused() -> None:
    columns = made(50)
    for change, said in (
        ({"ask_probabilities": columns["ask_probabilities"][:5]}, "they must match"),
        ({"ask_probabilities": np.full(50, 1.5)}, "from 0 to 1"),
        ({"ask_probabilities": np.full(50, np.nan)}, "from 0 to 1"),
        ({"ask_probabilities": np.zeros(50)}, "cannot have an asking probability of 0"),
        ({"y_true": np.full(50, 3)}, "convert class labels"),
        ({"scores": np.full(50, np.nan)}, "scores must be numbers"),
    ):
        asked = AskedTally()
        with pytest.raises(ValueError, match=said):
            asked.add(**columns | change)
        assert asked.rows == 0
    asked = asked_of(columns | {"scores": None})
    with pytest.raises(ValueError, match="'auroc' needs scores"):
        asked.estimate("auroc")
    for level in (0, 1, math.nan):
        with pytest.raises(ValueError, match="between 0 and 1"):
            asked.estimate("error", level)
    with pytest.raises(ValueError, match="no weight 'beta'"):
        asked.estimate("error", beta=2)
    assert set(asked.estimates()) == set(OF_COUNTS)


def test_estimates_read_as_a_number_with_its_interval() -> None:
    asked = asked_of(made())
    share, number = asked.estimate("f"), asked.estimate("cost", c_p=1000)
    assert str(share) == f"{share.value:.4f} ({share.low:.4f} to {share.high:.4f})"
    assert str(number) == f"{number.value:,.1f} ({number.low:,.1f} to {number.high:,.1f})"


def test_weights_reach_the_estimate() -> None:
    asked, tally = asked_of(made()), tally_of(made())
    found = asked.estimate("cost", c_p=10, c_n=0)
    assert found.low is not None
    assert found.high is not None
    assert found.low <= tally.value("cost", c_p=10, c_n=0) <= found.high
    assert found == asked.estimate("cost", c_p=10, c_n=0)
    assert asked.estimate("f", beta=0).value == pytest.approx(asked.estimate("precision").value)


# ---------------------------------------------------------------------- how often the truth is held


def check_coverage(found: list[coverage_study.Met]) -> None:
    """No metric's intervals fail more often than chance allows if they held 94 of 100 truths."""
    for metric, imbalance in sorted({(one.metric, one.imbalance) for one in found}):
        held = [one.holds for one in found if (one.metric, one.imbalance, one.told) == (metric, imbalance, True)]
        failing = 0.05 if "anytime" in metric else 0.06
        missed = len(held) - sum(held)
        assert missed <= stats.binom.ppf(1 - CHANCE, len(held), failing), (metric, imbalance, missed, len(held))


@pytest.mark.slow
def test_intervals_hold_the_truth() -> None:
    check_coverage(coverage_study.study(12))


@pytest.mark.soak
def test_intervals_hold_the_truth_in_a_thousand_streams() -> None:
    found = coverage_study.study(1000)
    print(coverage_study.table(found))
    check_coverage(found)


@pytest.mark.parametrize("metric", ["accuracy", "f", "precision", "recall", "cost"])
def test_the_worst_case_contains_all_answers(metric: str) -> None:
    """The twin: give the missing labels every way that is all right or all wrong."""
    random = np.random.default_rng(5)
    y_true = np.where(random.random(200) < 0.5, 1, -1)
    y_pred = np.where(random.random(200) < 0.8, y_true, -y_true)
    missing = random.random(200) < 0.1
    asked, probabilities = np.ones(200, bool), np.full(200, 0.04)
    known = AskedTally()
    known.add(np.where(missing, 0, y_true), y_pred, asked, probabilities)
    found = known.estimate(metric, worst_case=True)
    for answers in (y_pred, -y_pred, y_true):
        every = AskedTally()
        every.add(np.where(missing, answers, y_true), y_pred, asked, probabilities)
        whole = every.estimate(metric)
        assert found.low <= whole.low + 1e-9
        assert found.high >= whole.high - 1e-9
    assert found.width > known.estimate(metric).width
    assert "questions have no answer" in found.note


def test_missing_answers_are_told_of() -> None:
    """People skip half of the rows where the model is wrong: then hardly any interval contains the accuracy."""
    random = np.random.default_rng(0)
    y_true = np.where(random.random(4000) < 0.5, 1, -1)
    y_pred = np.where(random.random(4000) < 0.8, y_true, -y_true)
    asked, probabilities = random.random(4000) < 0.1, np.full(4000, 0.1)
    skipped = asked & (y_true != y_pred) & (random.random(4000) < 0.5)
    given = np.where(skipped, 0, y_true)
    tally = AskedTally()
    tally.add(given, y_pred, asked, probabilities)
    note = f"{skipped.sum()} questions have no answer: the estimate assumes that they are like the others."
    assert tally.estimate("accuracy").note == tally.estimates()["accuracy"].note == note
    assert tally.estimate("query_ratio").note == ""
    helped = augmented_estimate("accuracy", given, y_pred, asked, probabilities, random.random(4000))
    assert helped.note == note
