"""Finding how eager a query rule must be for a wanted share of labels, and which setting is best at that share.

The share grows with the factor by which a rule is made more eager. A wide and coarse grid of factors is tried for
every setting, then a fine one around each wanted share; between two factors of the fine grid, shares and metrics
are taken to be linear in the logarithm of the factor. In banks, a grid of sixteen costs as much as three passes.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
# For settings by their number and factors by their row: the shares that were asked for, and the metric.
Measure = Callable[[list[int], Numbers], tuple[Numbers, Numbers]]

WIDEST = 2.0 ** np.linspace(-30, 30, 16)
FINE = 16
# A share that is missed by more than this part of it counts as out of reach.
NEAR = 0.1


class Choice(NamedTuple):
    """The best setting at a rate, the factor that gives the rate, and what both gave when they were chosen."""

    setting: int
    factor: float
    asked: float
    metric: float


def choose(
    settings: int, rates: Sequence[float], larger_is_better: bool, measure: Measure
) -> tuple[list[Choice | None], Numbers]:
    """The best choice for each rate, None if no setting can ask so seldom or so often; and the widest shares."""
    everyone = list(range(settings))
    shares, _ = measure(everyone, np.tile(WIDEST, (settings, 1)))
    reachable = np.array([shares.min(), shares.max()])
    choices: list[Choice | None] = []
    for rate in rates:
        able = [number for number in everyone if _reaches(shares[number], rate)]
        if not able:
            choices.append(None)
            continue
        factors = np.array([_around(shares[number], rate) for number in able])
        found, metrics = measure(able, factors)
        picked = [_at(rate, *row) for row in zip(factors, found, metrics, strict=True)]
        values = np.array([metric for _, _, metric in picked])
        best = int(np.argmax(values) if larger_is_better else np.argmin(values))
        choices.append(Choice(able[best], *picked[best]))
    return choices, reachable


def _reaches(shares: Numbers, rate: float) -> bool:
    return bool(shares.min() <= rate * (1 + NEAR) and shares.max() >= rate * (1 - NEAR))


def _around(shares: Numbers, rate: float) -> Numbers:
    """A fine grid over the part of the wide one in which the rate lies, and a little more."""
    above = int(np.argmax(shares >= rate)) if (shares >= rate).any() else len(shares) - 1
    low, high = np.log2(WIDEST[max(above - 1, 0)]), np.log2(WIDEST[above])
    return 2.0 ** np.linspace(low - 0.2, high + 0.2, FINE)


def _at(rate: float, factors: Numbers, shares: Numbers, metrics: Numbers) -> tuple[float, float, float]:
    """Factor, share and metric where the rate is met."""
    below, part = _place(rate, shares)
    between = [float(v[below] + part * (v[below + 1] - v[below])) for v in (np.log2(factors), shares, metrics)]
    return float(2.0 ** between[0]), between[1], between[2]


def meeting(rate: float, factors: Numbers, shares: Numbers) -> float:
    """The factor at which the rate is met."""
    return _at(rate, factors, shares, shares)[0]


def _place(rate: float, shares: Numbers) -> tuple[int, float]:
    """Between which two shares the rate lies, and how far from the first to the second."""
    rising = np.maximum.accumulate(shares)  # chance may let a share fall a little where it should rise
    above = int(np.clip(np.searchsorted(rising, rate), 1, len(rising) - 1))
    span = rising[above] - rising[above - 1]
    part = float(np.clip((rate - rising[above - 1]) / span, 0.0, 1.0)) if span > 0 else 0.0
    return above - 1, part
