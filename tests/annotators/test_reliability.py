"""Reliability: the limits of the accuracy, the weight, and the prior."""

import numpy as np
import pytest
from scipy import stats

from askance.annotators import Prior, confidence_bin
from askance.annotators.reliability import BINS, vote_worth, weight


def test_bins_of_confidence() -> None:
    assert [confidence_bin(edge) for edge in (0.0, *BINS)] == list(range(1, len(BINS) + 2))
    assert confidence_bin(None) == 0


def test_rows_are_probabilities_that_follow_the_counts() -> None:
    counts = np.array([[40.0, 10.0, 0.0], [0.0, 30.0, 0.0], [0.0, 0.0, 0.0]])
    matrix = Prior().confusion(counts, 0.7)
    assert matrix.sum(axis=1) == pytest.approx(np.ones(3))
    own = (70 + 2 * 0.7) / 82
    assert matrix[0] == pytest.approx((counts[0] + 4 * np.array([own, (1 - own) / 2, (1 - own) / 2])) / 54)
    assert matrix[2, 2] == pytest.approx(own)  # no votes: the annotator's accuracy over all classes
    assert Prior().confusion(np.zeros((2, 2)), 0.6)[0, 0] == pytest.approx(0.6)


def test_with_known_classes_the_accuracy_has_a_beta_distribution() -> None:
    found = Prior().accuracy_range(np.array([1.0] * 32 + [0.0] * 8), 2, 0.7, 0.9)
    beta = stats.beta(32 + 1.4, 8 + 0.6)
    assert found == pytest.approx((beta.mean(), *beta.interval(0.9)), abs=1e-3)
    nothing = Prior().accuracy_range(np.zeros(0), 2, 0.7)
    assert nothing.value == pytest.approx(0.7, abs=0.01)
    assert nothing.high - nothing.low > 0.8


def test_votes_that_are_worth_half_give_the_interval_of_half_the_number() -> None:
    whole = Prior().accuracy_range(np.array([1.0] * 16 + [0.0] * 4), 2, 0.7)
    half = Prior().accuracy_range(np.array([1.0] * 32 + [0.0] * 8), 2, 0.7, worth=0.5)
    assert half == pytest.approx(whole)


def test_votes_on_an_item_are_worth_that_of_a_sample_in_clusters() -> None:
    assert vote_worth(np.array([0, 1, 2, 11])) == pytest.approx([1, 1, 1 / 1.2, 1 / 3])


@pytest.mark.parametrize("classes", [2, 4])
def test_the_interval_covers_the_accuracy_although_no_class_is_known(classes: int) -> None:
    random = np.random.default_rng(0)
    covered = 0
    for _ in range(300):
        accuracy = random.beta(1.4, 0.6)
        posteriors = random.dirichlet(np.full(classes, 0.3), 40)
        truth = np.array([random.choice(classes, p=row) for row in posteriors])
        labels = np.where(random.random(40) < accuracy, truth, (truth + random.integers(1, classes, 40)) % classes)
        found = Prior().accuracy_range(posteriors[np.arange(40), labels], classes, 0.7)
        covered += found.low <= accuracy <= found.high
    assert covered >= 0.92 * 300


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_the_weight_is_0_for_blind_answers_and_1_for_perfect_ones(classes: int) -> None:
    shares = np.arange(1, classes + 1) / np.arange(1, classes + 1).sum()
    answers = np.roll(shares, 1)
    assert weight(1000 * np.outer(shares, answers)) == pytest.approx(0, abs=1e-12)
    assert weight(np.diag(np.full(classes, 1e6))) == pytest.approx(1, abs=1e-3)
    assert weight(1e6 * (0.7 * np.eye(classes) + 0.3 / classes)) == pytest.approx(0.7, abs=1e-3)
    assert weight(np.zeros((classes, classes))) == 0.0
