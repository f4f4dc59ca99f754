"""Estimates of metrics of several labels: right on average, and their intervals cover."""

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import f1_score
from sklearn.metrics import hamming_loss as sklearn_hamming_loss

from askance.metrics.multilabel import MULTILABEL_METRICS, AskedPairs, label_counts
from thinning import rest_slow

SHARES = np.array([0.4, 0.2, 0.1, 0.05, 0.03])
REPEATS = 300


def world(random: np.random.Generator, rows: int = 1500) -> tuple[Any, Any, Any]:
    """Truth, predictions and scores; rows differ in difficulty."""
    hard = random.gamma(0.7, 0.5, (rows, 1))  # mistakes in one row go together
    truth = random.random((rows, 5)) < SHARES
    scores = np.where(truth, 1.0, -1.0) + random.normal(size=(rows, 5)) * (0.3 + hard)
    return truth, scores > 0, scores


def asked_pairs(random: np.random.Generator, *, by_row: bool) -> tuple[AskedPairs, Any]:
    """What a learner would ask: what is in doubt, and a tenth of the rest."""
    truth, predicted, scores = world(random)
    doubt = np.abs(scores).min(axis=1, keepdims=True) < 0.1 if by_row else np.abs(scores) < 0.2
    chances = np.broadcast_to(np.where(doubt, 1.0, 0.1), truth.shape)
    coins = random.random((len(truth), 1)) if by_row else random.random(truth.shape)
    asked = np.broadcast_to(coins, truth.shape) < chances
    return AskedPairs(truth & asked, predicted, asked, chances, by_row), label_counts(truth, predicted)


def coverage(metric: str, *, by_row: bool, repeats: int = REPEATS) -> tuple[float, float]:
    """The share of intervals that contain the metric, and the mean error of estimates in standard errors."""
    random, hits, errors = np.random.default_rng(7), 0, []
    for _ in range(repeats):
        pairs, counts = asked_pairs(random, by_row=by_row)
        found, truth = pairs.estimate(metric), MULTILABEL_METRICS[metric](counts)
        if found.note:  # macro-F is about some of the labels
            enough = (pairs.asked & pairs.truth).sum(axis=0) >= 20
            truth = MULTILABEL_METRICS[metric](
                counts._replace(
                    **{
                        name: getattr(counts, name)[enough]
                        for name in ("predicted", "false_positives", "false_negatives")
                    }
                )
            )
        assert found.low is not None
        assert found.high is not None
        assert found.value is not None
        hits += found.low <= truth <= found.high
        errors.append(found.value - truth)
    return hits / repeats, float(np.mean(errors) / np.std(errors) * np.sqrt(repeats))


@pytest.mark.parametrize("by_row", rest_slow([False, True], [True]))
@pytest.mark.parametrize("metric", rest_slow(MULTILABEL_METRICS, ["hamming_loss", "micro_f"]))
def test_intervals_cover(metric: str, by_row: bool) -> None:
    covered, bias = coverage(metric, by_row=by_row)
    assert covered >= 0.93
    assert abs(bias) < (3 if metric in ("hamming_loss", "cardinality") else 5)  # F is a ratio


def test_metrics_are_those_of_scikit_learn() -> None:
    truth, predicted, _ = world(np.random.default_rng(1))
    counts = label_counts(truth, predicted)
    found = {name: function(counts) for name, function in MULTILABEL_METRICS.items()}
    assert found["micro_f"] == pytest.approx(f1_score(truth, predicted, average="micro"))
    assert found["macro_f"] == pytest.approx(f1_score(truth, predicted, average="macro"))
    assert found["hamming_loss"] == pytest.approx(sklearn_hamming_loss(truth, predicted))
    assert found["cardinality"] == pytest.approx(truth.sum(axis=1).mean())


def test_what_is_known_of_all_pairs_is_exact() -> None:
    truth, predicted, _ = world(np.random.default_rng(1))
    pairs = AskedPairs(truth, predicted, np.ones_like(truth), np.ones(truth.shape), False)
    for metric, function in MULTILABEL_METRICS.items():
        found = pairs.estimate(metric)
        assert found.low == pytest.approx(found.value) == pytest.approx(found.high)
        assert found.value == pytest.approx(function(label_counts(truth, predicted)))


def test_truth_that_was_not_asked_is_not_used() -> None:
    pairs, _ = asked_pairs(np.random.default_rng(3), by_row=False)
    lying = pairs._replace(truth=pairs.truth | ~pairs.asked)
    for metric in MULTILABEL_METRICS:
        assert lying.estimate(metric) == pairs.estimate(metric)


def test_without_enough_labels_there_is_no_estimate() -> None:
    truth, predicted, _ = world(np.random.default_rng(3), rows=30)
    nothing = AskedPairs(truth, predicted, np.zeros_like(truth), np.full(truth.shape, 0.1), False)
    assert nothing.estimate("hamming_loss").note == "Cannot tell yet: no label is known by asking."
    few = nothing._replace(asked=np.arange(30)[:, np.newaxis] < 2)
    few = few._replace(asked=np.broadcast_to(few.asked, truth.shape))
    assert "and it takes 20" in few.estimate("micro_f").note
    assert few.estimate("hamming_loss").enough


def test_an_interval_without_a_mistake_has_a_width() -> None:
    truth = np.random.default_rng(0).random((300, 4)) < 0.5
    asked = np.random.default_rng(1).random(truth.shape) < 0.2
    pairs = AskedPairs(truth & asked, truth, asked, np.full(truth.shape, 0.2), False)
    for metric in ("micro_f", "hamming_loss", "cardinality"):
        assert pairs.estimate(metric).width > 0.005
    assert pairs.estimate("micro_f").high == 1


def test_other_metrics_are_refused() -> None:
    pairs, _ = asked_pairs(np.random.default_rng(3), by_row=False)
    with pytest.raises(ValueError, match="one of 'micro_f'"):
        pairs.estimate("accuracy")
    with pytest.raises(ValueError, match="level"):
        pairs.estimate("micro_f", 1.5)
