"""Hitting a share of labels, and choosing settings at it."""

from typing import Any

import numpy as np
import pytest

from askance.experiments.sweep.search import choose, meeting, steps


def measured(halves: list[float], noise: float = 0.0) -> Any:
    """Settings that ask for half of the labels at these factors; the last one is the best at every share."""
    rng = np.random.default_rng(0)

    def measure(settings: list[int], factors: Any, _streams: int) -> Any:
        middles = np.array([halves[setting] for setting in settings])[:, np.newaxis]
        shares = factors / (factors + middles) + noise * rng.normal(size=factors.shape)
        metrics = np.array(settings)[:, np.newaxis] - (shares - 0.3) ** 2
        return shares[np.newaxis], metrics[np.newaxis]

    return measure


CHEAP, DEAR = steps(5, cheap=True), steps(5, cheap=False)


@pytest.mark.parametrize("plan", [CHEAP, DEAR])
@pytest.mark.parametrize("rate", [0.001, 0.05, 0.3, 0.9])
@pytest.mark.parametrize("half", [1e-4, 1.0, 300.0])
def test_a_share_is_hit(rate: float, half: float, plan: Any) -> None:
    (choice,) = choose(1, [rate], True, measured([half]), plan)
    assert choice is not None
    share = choice.factor / (choice.factor + half)
    assert share == pytest.approx(rate, rel=0.01)
    assert choice.asked == pytest.approx(rate, rel=0.03)


def test_the_best_setting_is_chosen_at_every_share() -> None:
    choices = choose(3, [0.1, 0.5], True, measured([1.0, 2.0, 3.0]), CHEAP)
    assert [choice and choice.setting for choice in choices] == [2, 2]
    choices = choose(3, [0.1, 0.5], False, measured([1.0, 2.0, 3.0]), DEAR)
    assert [choice and choice.setting for choice in choices] == [0, 0]


def test_noise_is_borne() -> None:
    (choice,) = choose(1, [0.2], True, measured([1.0], noise=0.003), CHEAP)
    assert choice is not None
    assert choice.factor / (choice.factor + 1) == pytest.approx(0.2, rel=0.05)


def test_what_cannot_be_reached_is_not_pretended() -> None:
    def never_below_a_fifth(settings: list[int], factors: Any, streams: int) -> Any:
        shares, metrics = measured([1.0])(settings, factors, streams)
        return 0.2 + 0.8 * shares, metrics

    choices = choose(1, [0.1, 0.4], True, never_below_a_fifth, CHEAP)
    assert choices[0] is None
    assert choices[1] is not None


def test_meeting_a_rate() -> None:
    factors, shares = np.array([1.0, 2.0, 4.0]), np.array([0.1, 0.2, 0.4])
    assert meeting(0.2, factors, shares) == pytest.approx(2.0)
    assert meeting(0.2 * 2**0.5, factors, shares) == pytest.approx(2.0**1.5)
    assert meeting(0.05, factors, shares) == 1.0
    assert meeting(0.9, factors, shares) == 4.0
    assert meeting(0.3, factors, np.full(3, 0.3)) == 1.0
