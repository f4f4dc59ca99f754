"""Cohen's kappa: known values, and how often its interval has the truth."""

import numpy as np
import pytest

from askance.metrics.agreement import _standard_error, cohen_kappa


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
