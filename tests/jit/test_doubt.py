"""Which rows are asked about, against a naive reading of the rule."""

import math
from typing import Any

import numpy as np
import pytest

from askance.jit.interop import compiled
from askance.jit.kernels.doubt import RECENT, Plan, decide, no_past

decided: Any = compiled(lambda *arguments: decide(*arguments), exact=True, cache=False)


def naive(
    certainty: np.ndarray, likeness: np.ndarray, coins: np.ndarray, plan: Plan, several: np.ndarray
) -> tuple[list[bool], list[float]]:
    asked, chances, behind = [], [], 0.0
    for t in range(len(certainty)):
        spent = sum(asked)
        more = (1 - plan.steady) * plan.early_rate
        early = plan.steady + more if several[t] else min(plan.steady + more, 7 / (t + 1))
        is_early = spent < plan.burst or (t - plan.first) * more < plan.burst - plan.first
        rate = max(plan.steady, early) if is_early else plan.steady
        unusual = plan.unusual * rate if spent < plan.burst else 0.0
        most = plan.burst + plan.rate * (t + 1)
        waits = spent + min(3, spent / 50) >= most
        wanted = False
        for values, part in ((certainty, rate - unusual), (likeness, unusual)):
            recent = values[max(0, t - RECENT) : t]
            share = part * (1 - plan.audit) * (1 + 0.3 * max(0.0, behind))
            doubtful = (recent < values[t]).sum() <= share * len(recent) and share > 0
            wanted |= doubtful and behind > -1 and not waits
        certain = spent < plan.first or wanted or rate >= 1
        chance = 1.0 if certain else plan.audit * (rate - unusual) + plan.audit * unusual
        chance = chance if spent + 1 <= min(plan.limit, most) else 0.0
        if plan.first <= spent < plan.limit:
            behind = min(60.0, max(-60.0, behind + rate - chance))
        asked.append(bool(coins[t] < chance))
        chances.append(chance)
    return asked, chances


@pytest.mark.parametrize(
    "plan",
    [
        Plan(0.05, 0.05, 0.1, 10, 30, 0.3, math.inf, 0.0),
        Plan(0.3, 0.3, 0.5, 3, 3, 0.0, math.inf, 0.0),
        Plan(0.01, 0.01, 1.0, 0, 1, 0.1, math.inf, 0.0),
        Plan(0.05, 0.05, 0.1, 10, 30, 0.3, 45.0, 0.0),
        Plan(0.05, 0.05, 0.1, 10, 30, 0.3, 7.0, 0.0),
        Plan(0.05, 0.05, 0.1, 10, 30, 0.3, 0.0, 0.0),
        Plan(1.0, 1.0, 0.1, 10, 30, 0.3, math.inf, 0.0),
        Plan(0.05, 0.05, 0.1, 10, 30, 0.3, math.inf, 0.3),
        Plan(0.02, 0.02, 0.2, 5, 80, 0.1, math.inf, 0.7),
        Plan(1.0, 1.0, 0.1, 10, 30, 0.3, math.inf, 0.3),
        Plan(0.1, 0.08, 0.2, 10, 30, 0.3, math.inf, 0.0),
        Plan(0.1, 0.3, 0.2, 10, 30, 0.3, math.inf, 0.3),
    ],
)
@pytest.mark.parametrize("alone", [0, 300])  # rows until a second class is known
def test_questions_are_those_of_the_rule(plan: Plan, alone: int) -> None:
    rng = np.random.default_rng(0)
    certainty, coins, past = rng.random(1000) ** 2, rng.random(1000), no_past()
    likeness = -rng.random(1000)
    several = np.arange(1000) >= alone
    rows = zip(certainty, likeness, coins, several, strict=True)
    found = [decided(value, like, coin, plan, past, True, known) for value, like, coin, known in rows]
    asked, chances = np.array([one[0] for one in found]), np.array([one[1] for one in found])
    expected, probabilities = naive(certainty, likeness, coins, plan, several)
    np.testing.assert_array_equal(asked, expected)
    np.testing.assert_array_equal(chances, probabilities)
    assert past.counts.tolist()[:2] == [1000, asked.sum()]
    assert asked.sum() <= plan.limit
    assert asked.all() == (plan.rate == 1)


def test_after_the_limit_questions_count_as_refused_at_the_rate() -> None:
    """The plan does not fall behind for labels that it may not ask for, so it wants no more than before."""
    rng = np.random.default_rng(0)
    past = no_past()
    for value, coin in rng.random((3000, 2)):
        decided(value, 0.0, coin, Plan(0.1, 0.1, 0.1, 10, 30, 0.3, 60.0, 0.0), past, True, True)
    rows, asked, refused = past.counts.tolist()
    assert (rows, asked) == (3000, 60)
    assert 0.05 * 3000 < refused < 0.15 * 3000
