"""Estimates from a random sample."""

import numpy as np
import pytest
from scipy import stats

from askance.metrics.samples import SampleCounts, sample_estimate, share_range

METRICS = ("accuracy", "f", "precision", "recall", "balanced_accuracy", "cost")


@pytest.mark.parametrize(("number", "of"), [(0, 30), (1, 30), (17, 30), (30, 30), (500, 900)])
def test_limits_of_a_share(number: int, of: int) -> None:
    """The twin is that of SciPy."""
    found = share_range(number, of, 0.95)
    exact = stats.binomtest(number, of).proportion_ci(0.95, "exact")
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high))


def counted(y_true: np.ndarray, y_pred: np.ndarray) -> SampleCounts:
    known = y_true != 0
    pairs = [(1, 1), (-1, 1), (-1, -1), (1, -1)]
    four = [int(np.sum(known & (y_true == true) & (y_pred == said))) for true, said in pairs]
    return SampleCounts(*four, int(np.sum(~known & (y_pred > 0))), int(np.sum(~known & (y_pred < 0))))


def truth(metric: str, y_true: np.ndarray, y_pred: np.ndarray) -> float:
    tp, fp, tn, fn, _, _ = counted(y_true, y_pred)
    return {
        "accuracy": (tp + tn) / len(y_true),
        "f": 2 * tp / max(1, 2 * tp + fp + fn),
        "precision": tp / max(1, tp + fp),
        "recall": tp / max(1, tp + fn),
        "balanced_accuracy": (tp / max(1, tp + fn) + tn / max(1, tn + fp)) / 2,
        "cost": 3.0 * fn + fp,
    }[metric]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("share", [0.5, 0.9])
def test_intervals_contain_the_truth(metric: str, share: float) -> None:
    """Predictions whose mistakes are all of one kind, as those of a model that knows one class only."""
    random, holds = np.random.default_rng(7), []
    y_true = np.where(random.random(3000) < share, 1, -1)
    y_pred = np.where(random.random(3000) < 0.25, -1, y_true)
    for _ in range(400):
        drawn = random.permutation(3000)[:200]
        found = sample_estimate(metric, counted(y_true[drawn], y_pred[drawn]), 3000, c_p=3.0)
        if found.low is not None and found.high is not None:
            holds.append(found.low <= truth(metric, y_true, y_pred) <= found.high)
    assert len(holds) > 100
    assert np.mean(holds) >= 0.94


@pytest.mark.parametrize("metric", METRICS)
def test_any_answer_is_within_the_interval(metric: str) -> None:
    random = np.random.default_rng(3)
    y_true = np.where(random.random(200) < 0.5, 1, -1)
    y_pred = np.where(random.random(200) < 0.8, y_true, -y_true)
    missing = random.random(200) < 0.1
    found = sample_estimate(metric, counted(np.where(missing, 0, y_true), y_pred), 1000)
    assert found.low is not None
    assert found.high is not None
    for answers in (y_pred, -y_pred, y_true, np.where(random.random(200) < 0.5, 1, -1)):
        whole = sample_estimate(metric, counted(np.where(missing, answers, y_true), y_pred), 1000)
        assert whole.low is not None
        assert whole.high is not None
        assert found.low <= whole.low
        assert whole.high <= found.high
    assert "have no answer" in found.note


def test_few_labels_are_told() -> None:
    found = sample_estimate("f", SampleCounts(3, 0, 60, 0), 1000)
    assert found.value is None
    assert found.note == "Cannot tell yet: 3 positive rows were asked for, and it takes 20."
    assert sample_estimate("accuracy", SampleCounts(0, 0, 0, 0), 10).value is None
