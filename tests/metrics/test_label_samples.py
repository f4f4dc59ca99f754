"""Estimates of F from a random sample of rows with several labels each."""

import numpy as np
import pytest

from askance.metrics.estimates import ENOUGH
from askance.metrics.label_samples import SAMPLE_METRICS, LabelSample
from askance.metrics.multilabel import label_counts, macro_f, micro_f

NONE = np.zeros((0, 3), bool)


def population(rows, random_state=0):
    """Rows whose three labels go together, and predictions that miss some and invent others."""
    random = np.random.default_rng(random_state)
    common = random.normal(size=(rows, 1))
    truth = 0.6 * common + 0.8 * random.normal(size=(rows, 3)) < (-0.2, -0.5, -0.8)
    chance = np.where(truth, 0.8, 0.06)
    return truth, random.random((rows, 3)) < chance


def test_values_are_those_of_the_sample():
    truth, predicted = population(400)
    counts = label_counts(truth, predicted)
    sample = LabelSample(truth, predicted, NONE)
    micro, macro = (sample.estimate(metric) for metric in SAMPLE_METRICS)
    assert (micro.value, macro.value) == pytest.approx((micro_f(counts), macro_f(counts)))
    assert micro.low < micro.value < micro.high
    assert (micro.labels, micro.note, macro.note) == (400, "", "")


@pytest.mark.parametrize("size", [80, 300])
def test_intervals_cover_the_population(size):
    truth, predicted = population(40_000)
    counts = label_counts(truth, predicted)
    known = {"micro_f": micro_f(counts), "macro_f": macro_f(counts)}
    random, covered = np.random.default_rng(1), dict.fromkeys(known, 0)
    for _ in range(300):
        rows = random.choice(len(truth), size, replace=False)
        sample = LabelSample(truth[rows], predicted[rows], NONE)
        for metric, value in known.items():
            found = sample.estimate(metric)
            covered[metric] += found.value is None or found.low <= value <= found.high
    assert min(covered.values()) >= 276  # 92 %: fewer would be a chance of less than 1 in 100 at 95 %


def test_rows_that_go_together_are_worth_less_than_pairs():
    random = np.random.default_rng(2)
    truth = np.ones((100, 3), bool)
    apart = random.random((100, 3)) < 0.8
    together = np.repeat(random.random((100, 1)) < 0.8, 3, axis=1)
    widths = []
    for predicted in (apart, together):
        found = LabelSample(truth, predicted, NONE).estimate("micro_f")
        widths.append(found.high - found.low)
    assert widths[1] > 1.4 * widths[0]


def test_a_perfect_sample_does_not_prove_a_perfect_model():
    truth, _ = population(100)
    for metric in SAMPLE_METRICS:
        found = LabelSample(truth, truth, NONE).estimate(metric)
        assert (found.value, found.high) == (1.0, 1.0)
        assert 0.9 < found.low < 1


def test_questions_without_an_answer_may_have_any():
    truth, predicted = population(300)
    known = LabelSample(truth[:280], predicted[:280], NONE)
    sample = known._replace(unanswered=predicted[280:])
    for metric in SAMPLE_METRICS:
        found, without = sample.estimate(metric), known.estimate(metric)
        assert found.value == without.value
        assert found.low < without.low
        assert found.high > without.high
        for answer in (truth[280:], predicted[280:], np.zeros_like(truth[280:])):
            then = LabelSample(np.vstack([truth[:280], answer]), predicted, NONE).estimate(metric)
            assert found.low <= then.low
            assert then.high <= found.high
        assert "20 questions have no answer: the interval allows for any answer with at most 3" in found.note


def test_what_cannot_be_told_yet():
    truth = np.zeros((50, 3), bool)
    truth[: ENOUGH - 1, 0] = True
    found = LabelSample(truth, truth, NONE).estimate("micro_f")
    assert (found.value, found.note) == (
        None,
        "Cannot tell yet: 19 carried labels are known by asking, and it takes 20.",
    )
    truth[: ENOUGH - 1, 1] = True
    found = LabelSample(truth, truth, NONE).estimate("macro_f")
    assert found.note == "Cannot tell yet: no label is known to be carried by 20 rows."
    truth[:ENOUGH, 0] = True
    found = LabelSample(truth, truth, NONE).estimate("macro_f")
    assert found.value == 1
    assert found.note == "The mean of 1 of 3 labels: of the others, fewer than 20 carriers are known."
