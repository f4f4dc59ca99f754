"""Forecasts of what more labels bring."""

import dataclasses
import itertools

import numpy as np
import pytest

import askance
import streams
from askance.metrics.forecast import DEPARTURE, LEVEL, MOST, Forecast, weights_of_asked
from askance.metrics.reached import least_accuracy
from naive import forecasts as naive


def seen(random_state: int = 0, known: int = 200, level: float = 0.3) -> tuple[list[int], list[bool], list[float]]:
    """Predictions that become better with the number of labels."""
    rng = np.random.default_rng(random_state)
    labels = np.sort(rng.integers(0, known, known // 4))
    wrong = rng.random(len(labels)) < np.minimum(level * (np.maximum(labels, 5) / 20) ** -0.5, 0.9)
    return labels.tolist(), wrong.tolist(), rng.uniform(0.2, 1.5, len(labels)).tolist()


@pytest.mark.parametrize("known", [60, 300])
def test_limits_are_quantiles_of_all_curves_weighted_one_by_one(known: int) -> None:
    evidence = seen(known, known)
    found, curves = Forecast(*evidence, known=known), naive.posterior(*evidence)
    for more in (0, 100):
        accuracy, gain = found.accuracy(more, 0.9), found.gain(more, 0.9)
        for chance, limit, grown in ((0.05, accuracy.high, gain.low), (0.95, accuracy.low, gain.high)):
            assert limit is not None
            assert grown is not None
            assert naive.chance_of_at_most(curves, 1 - limit, known, more) == pytest.approx(chance, abs=1e-6)
            assert naive.chance_of_gain_at_most(curves, grown, known, more) == pytest.approx(chance, abs=1e-6)


@pytest.mark.slow
def test_curves_of_the_kind_that_is_assumed_are_forecast_as_often_as_promised() -> None:
    rng, held = np.random.default_rng(1), []
    for _ in range(100):
        curve = (rng.uniform(0.02, 0.5), rng.uniform(0, 0.8), 0.8 * np.exp(0.5 * rng.normal()))
        labels = np.arange(10, 200, 4)
        odds = np.array([naive.odds(curve, n) for n in labels])
        found = Forecast(labels, rng.random(len(labels)) < odds / (1 + odds), known=200).accuracy(100)
        later = naive.odds(curve, 300) * np.exp(DEPARTURE * (1 + np.log(1.5)) * rng.normal())
        assert found.low is not None
        assert found.high is not None
        held.append(found.low <= 1 / (1 + later) <= found.high)
    assert 0.7 < np.mean(held) < 0.95


def test_labels_for_an_accuracy_are_those_after_which_it_is_in_the_interval() -> None:
    found = Forecast(*seen(3, 400), known=400)
    now = found.accuracy()
    assert now.value is not None
    needed = found.labels_for(now.value + 0.005)
    assert needed.low is not None
    assert needed.value is not None
    assert needed.low < needed.value
    assert (
        (found.accuracy(needed.value).value or 0)
        >= needed.accuracy
        > (found.accuracy(needed.value - 10).value or 0)
    )
    assert found.labels_for(0.2)[1:4] == (0, 0, 0)
    assert found.labels_for(0.9999)[1:4] == (None, None, None)
    assert (found.accuracy(MOST).high or 0) < 0.9999


def test_more_labels_and_a_higher_level_make_intervals_wider() -> None:
    found = Forecast(*seen(4), known=200)
    assert found.gain(100).width < found.gain(500).width
    assert found.accuracy(100, 0.5).width < found.accuracy(100, LEVEL).width < found.accuracy(100, 0.95).width
    assert "after 200 labels: accuracy 0." in repr(found)


def test_with_too_few_labels_there_is_no_number() -> None:
    found = Forecast(*seen(known=40), known=40)
    for one in (found.accuracy(100), found.gain(100), found.labels_for(0.9)):
        assert (one.value, one.low, one.high) == (None, None, None)
        assert one.note == "Cannot tell yet: 40 labels are known, and it takes 50."
    assert found.note in repr(found)
    assert Forecast([], [], known=80).note == "Cannot tell yet: too few of the labels are of rows at random."


def test_what_makes_no_sense_is_refused() -> None:
    found = Forecast(*seen(), known=200)
    for call, words in (
        (lambda: found.accuracy(-1), "more must be at least 0, not -1"),
        (lambda: found.gain(1, 1.0), "level must be a probability between 0 and 1, not 1.0"),
        (lambda: found.labels_for(95), "accuracy must be between 0 and 1, not 95"),
        (lambda: Forecast([1, 2], [True], known=2), "must have the same length, not 2, 1 and 2"),
    ):
        with pytest.raises(ValueError, match=words):
            call()


def test_uncertain_rows_do_not_count_more_than_others() -> None:
    """Four rows that are always asked about, and 100 of which one in fifty is."""
    probabilities = np.array([1.0] * 4 + [0.02] * 100)
    asked = np.array([True] * 4 + [False] * 98 + [True] * 2)
    weights = weights_of_asked(np.full(104, 30), asked, probabilities)
    each = 104 / (4 + 100 * 50)
    assert weights == pytest.approx([each] * 4 + [50 * each] * 2)
    assert weights_of_asked([12, 12, 700], [True, True, True], [0.5, 0.5, 1.0]) == pytest.approx([1, 1, 1])


def test_rows_out_of_reach_of_the_budget_are_left_out() -> None:
    some = weights_of_asked([20] * 3, [True, False, False], [0.5, 0.5, 0.5])
    assert weights_of_asked([20] * 5, [True] + [False] * 4, [0.5] * 3 + [0.0] * 2) == pytest.approx(some)


def test_a_trace_forecasts_from_asked_labels_alone() -> None:
    made = streams.noisy(300)
    trace = askance.make("PAA-II", random_state=1).run(made.X, made.y)
    found = trace.forecast()
    assert found.known == trace.asked.sum()
    hidden = dataclasses.replace(trace, true_codes=np.where(trace.asked, trace.true_codes, 0))
    assert hidden.forecast().accuracy(100) == found.accuracy(100)
    with pytest.raises(ValueError, match="the trace starts at round 5: join it with what came before"):
        dataclasses.replace(trace, first_round=5).forecast()


# ---------------------------------------------------------------------- what has been reached


@pytest.mark.parametrize("error", [0.2, 0.5, 0.8])
def test_what_has_been_reached_is_too_high_at_any_time_no_more_often_than_said(error: float) -> None:
    """Exact: the probabilities of all sequences in which the limit is too high at some time add up."""
    level, failing = 0.3, 0.0
    limits: dict[tuple[bool, ...], float] = {}
    for wrong in itertools.product([False, True], repeat=8):
        prefixes = [wrong[:end] for end in range(1, 9)]
        limits |= {one: least_accuracy(one, level) for one in prefixes if one not in limits}
        if any(limits[one] > 1 - error + 1e-6 for one in prefixes):
            failing += error ** sum(wrong) * (1 - error) ** (8 - sum(wrong))
    assert 0 < failing <= 1 - level


def test_looking_all_the_time_does_not_reach_what_is_not_there() -> None:
    """The goal is 95 %. At 93 %, forecasts were there at some time in half of the runs."""
    rng = np.random.default_rng(0)
    for accuracy, most in ((0.93, 1), (0.95, 3)):
        runs = rng.random((40, 400)) > accuracy
        assert sum(any(least_accuracy(run[:end]) > 0.95 for end in range(20, 401, 20)) for run in runs) <= most


def test_a_model_that_became_better_is_not_judged_by_its_beginning() -> None:
    assert least_accuracy([False] * 100) > 0.95
    assert least_accuracy([True, False] * 40 + [False] * 160) > 0.95
    assert least_accuracy([]) == 0
    assert least_accuracy([True] * 50) < 1e-6
