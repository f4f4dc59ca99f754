"""Query rules and the wrappers around them: functions of parameters that return (view, coin) → probability."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

from naive.density import CognitiveWindow, LocalDensity
from naive.iwal import IWAL
from naive.loop import CLOSE, Query, View
from naive.uncertainty import FixedUncertainty, RandomVariableUncertainty, Split, VariableUncertainty


def always() -> Query:
    """Probability 1."""
    return lambda view, coin: 1.0


def random(ratio: float = 0.5, eagerness: float = 1.0) -> Query:
    """A constant probability."""
    return lambda view, coin: min(1.0, ratio * eagerness)


def margin(b: float = 1.0, offset: float = 0.0, eagerness: float = 1.0) -> Query:
    """b/(b + offset + |p|); b = ∞ gives 1."""
    b = b * eagerness
    return lambda view, coin: 1.0 if b == math.inf else b / (b + offset + abs(view.p))


def spread_margin(b: float = 1.0, eta: float = 1.0, gamma: float = 1.0, eagerness: float = 1.0) -> Query:
    """c = -(η/2)/(1/v + 1/γ), q = |p| + c: for sure if q ≤ 0, else b/(b + q); b = ∞ gives 1."""
    b = b * eagerness

    def ask(view: View, coin: float) -> float:
        q = abs(view.p) - (eta / 2 / (1 / view.v + 1 / gamma) if view.v else 0.0)
        return 1.0 if q <= 0 or b == math.inf else b / (b + q)

    return ask


def discrimination(b: float = 1.0, eta: float = 1.0, damped: bool = True, eagerness: float = 1.0) -> Query:
    """b/(b + max(q, 0)), q = |p| - (η/2) a v, a = 1/max(1, x·x) or 1; b = ∞ gives 1."""
    b = b * eagerness

    def probability(view: View, coin: float) -> float:
        a = 1 / max(1.0, view.norm) if damped else 1.0
        q = abs(view.p) - eta / 2 * a * view.v
        return 1.0 if b == math.inf or q <= 0 else b / (b + q)

    return probability


def cost_sensitive_discrimination(
    b: float = 1.0, eta: float = 1.0, rho: float = 2.0, damped: bool = True, eagerness: float = 1.0
) -> Query:
    """That with ρb for b where the guess is -1. A score of 0 is always asked about, whatever its guess."""
    of_alarm, of_miss = (discrimination(b * cost, eta, damped, eagerness) for cost in (1.0, rho))
    return lambda view, coin: (of_miss if view.p < 0 else of_alarm)(view, coin)


def adaptive(beta: float = 1.0, by_length: bool = True, eagerness: float = 1.0) -> Query:
    """b/(b + |p|) with b = β max(X², x·x) √(1 + K), or β √(1 + K); 0 if b = 0, and 1 if b = ∞."""

    def ask(view: View, coin: float) -> float:
        length = max(view.longest, view.norm) if by_length else 1.0
        b = beta * eagerness * length * math.sqrt(1 + view.mistakes)
        if b == math.inf:
            return 1.0
        return b / (b + abs(view.p)) if b > 0 else 0.0

    return ask


def decaying(delta0: float = 2.0**14, after: bool = False, eagerness: float = 1.0) -> Query:
    """δ/(δ + |p|), where δ has been multiplied by 1/2, 2/3, …, t/(t + 1), or one time less; δ = ∞ gives 1."""

    def ask(view: View, coin: float) -> float:
        delta = delta0 * eagerness
        for k in range(1, view.t + (0 if after else 1)):
            delta *= k / (k + 1)
        return 1.0 if delta == math.inf else delta / (delta + abs(view.p))

    return ask


class LeastCertain:
    """1 where at most a share rate·(1 - audit) of the `recent` rows before have a smaller margin, else audit·rate.

    With b = burst + rate·t - Σ earlier probabilities, at most 60: the share is 1 + 0.3 b times as large where
    b > 0, and no row has probability 1 where b ≤ -1. Rows that a budget forbids leave b as it is. At rate 1, every
    row has probability 1.
    """

    def __init__(self, rate: float = 0.1, audit: float = 0.1, burst: float = 20.0, recent: int = 400) -> None:
        self.rate, self.audit, self.recent, self.b = rate, audit, recent, burst
        self.margins: list[float] = []
        self.close = False  # whether the last decision hangs on the last bits

    def __call__(self, view: View, coin: float) -> float:
        before = self.margins[-self.recent :]
        share = self.rate * (1 - self.audit) * (1 + 0.3 * max(0.0, self.b))
        smaller = sum(other < abs(view.p) for other in before)
        most = share * len(before)
        certain = self.rate >= 1 or (self.audit < 1 and smaller <= most and self.b > -1)
        near = any(0 < abs(other - abs(view.p)) < CLOSE for other in before)  # only exact ties are sure
        self.close = near or (len(before) > 0 and abs(smaller - most) < CLOSE) or abs(self.b + 1) < CLOSE
        probability = 1.0 if certain else self.audit * self.rate
        if view.counts:
            self.b = min(60.0, self.b + self.rate - probability)
        self.margins.append(abs(view.p))
        return probability


class Within:
    """At most burst + rate·t questions after t rows, and at most `limit`: otherwise probability 0."""

    def __init__(self, inner: Query, rate: float = 1.0, burst: float = 1.0, limit: float = math.inf) -> None:
        self.inner, self.rate, self.burst, self.limit = inner, rate, burst, limit
        self.rows = self.spent = self.refused = 0

    def __call__(self, view: View, coin: float) -> float:
        self.rows += 1
        granted = self.spent + 1 <= self.burst + self.rate * self.rows and self.spent + 1 <= self.limit
        probability = self.inner(replace(view, counts=view.counts and granted), coin)
        if not granted:
            self.refused += coin < probability
            return 0.0
        self.spent += coin < probability
        return probability


class AtRate:
    """With s = 0.25 · (rate·t - Σ earlier probabilities), kept within ±30: that of `inner` made e^s times as
    eager, times min(1, e^(s + 8)). Rows that a budget forbids leave s as it is.
    """

    def __init__(self, inner: Callable[[float], Query], rate: float = 0.1) -> None:
        self.inner, self.rate, self.s, self.close = inner, rate, 0.0, False

    def __call__(self, view: View, coin: float) -> float:
        inner, less = self.inner(math.exp(self.s)), min(1.0, math.exp(self.s + 8))
        probability = inner(view, coin / less) * less  # so that the inner rule sees which labels are asked for
        self.close = getattr(inner, "close", False)
        if view.counts:
            self.s = min(30.0, max(-30.0, self.s + 0.25 * (self.rate - probability)))
        return probability


QUERIES: Mapping[str, Callable[..., Query]] = {
    "Always": always,
    "Random": random,
    "Margin": margin,
    "SpreadMargin": spread_margin,
    "Discrimination": discrimination,
    "Adaptive": adaptive,
    "CostSensitiveDiscrimination": cost_sensitive_discrimination,
    "Decaying": decaying,
    "LeastCertain": LeastCertain,
    "FixedUncertainty": FixedUncertainty,
    "VariableUncertainty": VariableUncertainty,
    "RandomVariableUncertainty": RandomVariableUncertainty,
    "Split": Split,
    "IWAL": IWAL,
}
WRAPPERS: Mapping[str, Callable[..., Query]] = {
    "Within": Within,
    "AtRate": AtRate,
    "LocalDensity": LocalDensity,
    "CognitiveWindow": CognitiveWindow,
}
