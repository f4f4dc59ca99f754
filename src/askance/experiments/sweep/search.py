"""Search how eager a query rule must be for a wanted share of labels, and which setting is best at that share.

The share grows with the factor by which a rule is made more eager. A wide, coarse grid of factors is tried for
every setting, then finer ones around each wanted share. Between two factors of the last grid, the logarithm of the
share is interpolated linearly in the logarithm of the factor. In banks, a grid of sixteen costs as much as three
passes.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
# Takes setting numbers, one row of factors per setting, and a number of streams. Returns shares asked for and
# metrics, each by stream, setting and factor.
Measure = Callable[[list[int], Numbers, int], tuple[Numbers, Numbers]]

WIDEST = (-30.0, 30.0)  # powers of two
FINE = 16
LEAST = 1e-9  # smaller shares count as equal
# A rate that is missed by a larger part of it is out of reach.
NEAR = 0.1


class SearchStep(NamedTuple):
    """The number of factors that are tried at a time, and the number of streams."""

    points: int
    streams: int


def steps(streams: int, *, cheap: bool) -> tuple[SearchStep, ...]:
    """Return the steps of a search: many factors where they are cheap, or one stream until the last step."""
    if cheap:
        return SearchStep(FINE, streams), SearchStep(FINE, streams)
    return SearchStep(11, 1), SearchStep(6, 1), SearchStep(4, streams)


class ChosenSetting(NamedTuple):
    """The best setting at a rate, the factor that meets the rate, and the share and metric in tuning."""

    setting: int
    factor: float
    asked: float
    metric: float


def choose(
    settings: int, rates: Sequence[float], larger_is_better: bool, measure: Measure, plan: Sequence[SearchStep]
) -> list[ChosenSetting | None]:
    """Return the best setting for each rate, None if no setting can meet the rate."""
    everyone = list(range(settings))
    wide = np.tile(2.0 ** np.linspace(*WIDEST, plan[0].points), (settings, 1))
    shares, metrics = measure(everyone, wide, plan[0].streams)
    usual = shares.mean(axis=0)
    choices: list[ChosenSetting | None] = []
    for rate in rates:
        able = [number for number in everyone if _reaches(usual[number], rate)]
        if not able:
            choices.append(None)
            continue
        factors, found, values = wide[able], shares[:, able], metrics[:, able]
        for step in plan[1:]:
            rows = zip(factors, found.mean(axis=0), strict=True)
            factors = np.array([_around(rate, *row, step.points) for row in rows])
            found, values = measure(able, factors, step.streams)
        picked = [_on_streams(rate, factors[i], found[:, i], values[:, i]) for i in range(len(able))]
        scores = np.array([metric for _, _, metric in picked])
        best = int(np.argmax(scores) if larger_is_better else np.argmin(scores))
        choices.append(ChosenSetting(able[best], *picked[best]))
    return choices


def _reaches(shares: Numbers, rate: float) -> bool:
    return bool(shares.min() <= rate * (1 + NEAR) and shares.max() >= rate * (1 - NEAR))


def _around(rate: float, factors: Numbers, shares: Numbers, points: int) -> Numbers:
    """Return a finer grid around the interval of this one in which the rate lies."""
    below, _ = _place(rate, shares)
    low, high = np.log2(factors[below]), np.log2(factors[below + 1])
    more = 0.05 * (high - low)
    return np.asarray(2.0 ** np.linspace(low - more, high + more, points))


def _on_streams(rate: float, factors: Numbers, shares: Numbers, metrics: Numbers) -> tuple[float, float, float]:
    """Return the means of factor, share and metric over streams, each with its own factor."""
    each = [_at(rate, factors, *row) for row in zip(shares, metrics, strict=True)]
    powers, asked, metric = np.mean([(np.log2(factor), share, value) for factor, share, value in each], axis=0)
    return float(2.0**powers), float(asked), float(metric)


def _at(rate: float, factors: Numbers, shares: Numbers, metrics: Numbers) -> tuple[float, float, float]:
    """Return factor, share and metric where the rate is met."""
    below, part = _place(rate, shares)
    power, share, metric = (
        float(values[below] + part * (values[below + 1] - values[below]))
        for values in (np.log2(factors), shares, metrics)
    )
    return 2.0**power, share, metric


def meeting(rate: float, factors: Numbers, shares: Numbers) -> float:
    """Return the factor at which the rate is met."""
    return _at(rate, factors, shares, shares)[0]


def _place(rate: float, shares: Numbers) -> tuple[int, float]:
    """Return the interval of shares in which the rate lies, and the relative position in it."""
    # By chance a share may fall a little where it should rise, and a learner that asks too little to learn
    # anything asks about every row. So the last crossing of the rate counts.
    rising = np.log(np.maximum(np.minimum.accumulate(shares[::-1])[::-1], LEAST))
    above = int(np.clip(np.searchsorted(rising, np.log(rate)), 1, len(rising) - 1))
    span = rising[above] - rising[above - 1]
    part = float(np.clip((np.log(rate) - rising[above - 1]) / span, 0.0, 1.0)) if span > 0 else 0.0
    return above - 1, part
