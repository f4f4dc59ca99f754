"""Cohen's kappa and Krippendorff's alpha: known values, and how often their intervals have the truth."""

import numpy as np
import pytest

from askance.metrics.agreement import _standard_error, cohen_kappa, krippendorff_alpha


def joint(shares: list[float], copied: float) -> np.ndarray:
    """Two people who say the same in a share of the items, and whatever comes to their minds in the others."""
    own = np.array(shares)
    return copied * np.diag(own) + (1 - copied) * np.outer(own, own)


def test_known_values() -> None:
    found = cohen_kappa([[20, 5], [10, 15]])
    assert found is not None
    assert found.value == pytest.approx(0.4)
    # Fleiss, Cohen and Everitt (1969), table 1: kappa 0.429 with a standard error of 0.054
    table = np.array([[0.53, 0.05, 0.02], [0.11, 0.14, 0.05], [0.01, 0.06, 0.03]]) * 200
    found = cohen_kappa(table)
    assert found is not None
    assert found.value == pytest.approx(0.429, abs=0.001)
    shares = table / 200
    chance = float(shares.sum(axis=0) @ shares.sum(axis=1))
    error = _standard_error(shares, float(np.trace(shares)), chance) / np.sqrt(200)
    assert error == pytest.approx(0.054, abs=0.001)


def test_no_interval_is_empty_and_nothing_is_said_of_nothing() -> None:
    always = cohen_kappa(np.diag([20, 20]))
    assert always is not None
    assert (always.value, always.high) == (1.0, 1.0)
    assert always.low < 0.9
    never = cohen_kappa([[0, 20], [20, 0]])
    assert never is not None
    assert (never.value, never.low) == (-1.0, -1.0)
    assert never.high > -0.9
    assert cohen_kappa(np.zeros((2, 2))) is None
    assert cohen_kappa([[30]]) is None
    assert cohen_kappa([[30, 0], [0, 0]]) is None


@pytest.mark.parametrize("items", [30, 200])
@pytest.mark.parametrize(
    ("shares", "copied"),
    [([0.5, 0.5], 0.9), ([0.9, 0.1], 0.8), ([0.95, 0.05], 0.98), ([0.4, 0.3, 0.2, 0.1], 0.7), ([0.8, 0.2], 0.0)],
)
def test_the_interval_has_the_truth_often_enough(shares: list[float], copied: float, items: int) -> None:
    truth = joint(shares, copied)  # whose kappa is `copied`
    drawn = np.random.default_rng(7).multinomial(items, truth.ravel(), 400).reshape(-1, *truth.shape)
    found = [one for one in map(cohen_kappa, drawn) if one is not None]
    covered = np.mean([one.low <= copied <= one.high for one in found])
    assert covered >= 0.94


# ---------------------------------------------------------------------- Krippendorff's alpha


def naive_alpha(votes: np.ndarray) -> float:
    """Alpha from the matrix of coincidences, as in Krippendorff (2011), a pair of votes at a time."""
    classes = votes.shape[1]
    coincidences = np.zeros((classes, classes))
    for row in votes:
        labels = [k for k in range(classes) for _ in range(int(row[k]))]
        for place, one in enumerate(labels):
            for other in labels[:place] + labels[place + 1 :]:
                coincidences[one, other] += 1 / (len(labels) - 1)
    totals, number = coincidences.sum(axis=1), coincidences.sum()
    unequal = [(one, other) for one in range(classes) for other in range(classes) if one != other]
    observed = sum(coincidences[pair] for pair in unequal)
    return float(1 - (number - 1) * observed / sum(totals[one] * totals[other] for one, other in unequal))


def voted(labels: list[str], classes: str) -> np.ndarray:
    """A table of votes from a text of labels per item."""
    return np.array([[one.count(label) for label in classes] for one in labels])


def test_alpha_of_published_examples() -> None:
    # Krippendorff (2011), Computing Krippendorff's Alpha-Reliability: two observers and two classes, 0.095;
    # two observers and five classes, 0.692; four observers with gaps, 0.743
    binary = ["01", "11", "01", "00", "00", "01", "00", "00", "10", "00"]
    five = ["ab", "aa", "bb", "bb", "db", "cc", "cc", "cc", "ee", "dd", "dd", "ad"]
    gaps = ["111", "2232", "3333", "3333", "2222", "1234", "4444", "1121", "2222", "555", "11", "3"]
    for labels, classes, value in ((binary, "01", 0.095), (five, "abcde", 0.692), (gaps, "12345", 0.743)):
        found = krippendorff_alpha(voted(labels, classes))
        assert found is not None
        assert found.value == pytest.approx(value, abs=0.0006)


@pytest.mark.parametrize("seed", range(5))
def test_alpha_is_that_of_the_naive_twin(seed: int) -> None:
    votes = np.random.default_rng(seed).poisson(1.0, (30, 3))
    found = krippendorff_alpha(votes)
    assert found is not None
    assert found.value == pytest.approx(naive_alpha(votes))
    assert found.low <= found.value <= found.high


def test_alpha_of_nothing_and_of_perfect_agreement() -> None:
    assert krippendorff_alpha(np.zeros((0, 2))) is None
    assert krippendorff_alpha([[1, 0], [0, 1]]) is None
    assert krippendorff_alpha([[3, 0]] * 5) is None
    always = krippendorff_alpha([[3, 0]] * 15 + [[0, 2]] * 15)
    assert always is not None
    assert (always.value, always.high) == (1.0, 1.0)
    assert 0.5 < always.low < 0.9


@pytest.mark.parametrize("items", [30, 200])
@pytest.mark.parametrize(
    ("shares", "copied"),
    [([0.5, 0.5], 0.9), ([0.9, 0.1], 0.8), ([0.4, 0.3, 0.2, 0.1], 0.7), ([0.8, 0.2], 0.0)],
)
def test_the_interval_of_alpha_has_the_truth_often_enough(shares: list[float], copied: float, items: int) -> None:
    random = np.random.default_rng(11)
    covered = []
    for _ in range(300):
        known = random.choice(len(shares), (items, 1), p=shares)
        guessed = random.choice(len(shares), (items, 4), p=shares)
        labels = np.where(random.random((items, 4)) < np.sqrt(copied), known, guessed)
        there = random.random((items, 4)) < 0.8
        votes = np.stack([np.sum((labels == k) & there, axis=1) for k in range(len(shares))], axis=1)
        found = krippendorff_alpha(votes)
        if found is not None:
            covered.append(found.low <= copied <= found.high)
    assert np.mean(covered) >= 0.93
