"""Naive twins of the rules, written from the papers' formulas and from nothing else: askance is not imported here.

An update rule is a function (w, x, y, p, guess, parameters) → (fired, the new w). A query rule is a function that
takes its parameters and returns a function (p, coin) → probability. `run` is the loop over the stream.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

Update = Callable[..., tuple[bool, list[float]]]
Query = Callable[[float, float], float]


# ---------------------------------------------------------------------- update rules


def _moved(w: list[float], x: list[float], tau: float, y: float) -> list[float]:
    return [w_j + tau * y * x_j for w_j, x_j in zip(w, x, strict=True)]


def _hinge(y: float, p: float) -> float:
    return max(0.0, 1.0 - y * p)


def perceptron(w: list[float], x: list[float], y: float, p: float, guess: float) -> tuple[bool, list[float]]:
    """w += y x on a mistake."""
    return (True, _moved(w, x, 1.0, y)) if guess != y else (False, w)


def pa(w: list[float], x: list[float], y: float, p: float, guess: float) -> tuple[bool, list[float]]:
    """τ = ℓ/‖x‖², and 0 for x = 0."""
    norm = sum(value * value for value in x)
    loss = _hinge(y, p)
    return loss > 0, _moved(w, x, loss / norm if norm else 0.0, y)


def pa_1(
    w: list[float], x: list[float], y: float, p: float, guess: float, C: float = 1.0
) -> tuple[bool, list[float]]:
    """τ = min(C, ℓ/‖x‖²), and 0 for x = 0."""
    norm = sum(value * value for value in x)
    loss = _hinge(y, p)
    return loss > 0, _moved(w, x, min(C, loss / norm) if norm else 0.0, y)


def pa_2(
    w: list[float], x: list[float], y: float, p: float, guess: float, C: float = 1.0
) -> tuple[bool, list[float]]:
    """τ = ℓ/(‖x‖² + 1/(2C))."""
    norm = sum(value * value for value in x)
    loss = _hinge(y, p)
    return loss > 0, _moved(w, x, loss / (norm + 1.0 / (2.0 * C)), y)


# ---------------------------------------------------------------------- query rules


def always() -> Query:
    """Probability 1."""
    return lambda p, coin: 1.0


def random(ratio: float = 0.5, eagerness: float = 1.0) -> Query:
    """A constant probability."""
    return lambda p, coin: min(1.0, ratio * eagerness)


def margin(b: float = 1.0, offset: float = 0.0, eagerness: float = 1.0) -> Query:
    """b/(b + offset + |p|); b = ∞ gives 1."""
    b = b * eagerness
    return lambda p, coin: 1.0 if b == math.inf else b / (b + offset + abs(p))


class Within:
    """At most burst + rate·t questions after t rows, and at most `limit`: otherwise probability 0."""

    def __init__(self, inner: Query, rate: float = 1.0, burst: float = 1.0, limit: float = math.inf) -> None:
        self.inner, self.rate, self.burst, self.limit = inner, rate, burst, limit
        self.rows = self.spent = self.refused = 0

    def __call__(self, p: float, coin: float) -> float:
        self.rows += 1
        probability = self.inner(p, coin)
        if self.spent + 1 > self.burst + self.rate * self.rows or self.spent + 1 > self.limit:
            self.refused += coin < probability
            return 0.0
        self.spent += coin < probability
        return probability


class AtRate:
    """With s = 0.25 · (rate·t - Σ earlier probabilities), kept within ±30: that of `inner` made e^s times as
    eager, times min(1, e^(s + 8)).
    """

    def __init__(self, inner: Callable[[float], Query], rate: float = 0.1) -> None:
        self.inner, self.rate, self.s = inner, rate, 0.0

    def __call__(self, p: float, coin: float) -> float:
        probability = self.inner(math.exp(self.s))(p, coin) * min(1.0, math.exp(self.s + 8))
        self.s = min(30.0, max(-30.0, self.s + 0.25 * (self.rate - probability)))
        return probability


# ---------------------------------------------------------------------- the loop


@dataclass
class Run:
    """What a run returned, round by round, and the last weights."""

    labels: Any
    scores: Any
    probabilities: Any
    asked: Any
    updated: Any
    w: Any
    refused: int
    # The rounds before the first that hangs on the last bits: up to there, decisions must agree exactly.
    settled: int


CLOSE = 1e-9


def run(X: Any, y: Any, coins: Any, update: Update, query: Query, sgn0: float = 1.0) -> Run:
    """Predict each row, ask where coin < probability, learn where asked."""
    rows = np.asarray(X, float).tolist()
    w = [0.0] * np.shape(X)[1]
    rounds = []
    settled = None
    for t, (x, label, coin) in enumerate(zip(rows, np.asarray(y).tolist(), coins, strict=True)):
        p = sum(w_j * x_j for w_j, x_j in zip(w, x, strict=True))
        guess = sgn0 if p == 0 else math.copysign(1.0, p)
        probability = query(p, coin)
        asked = coin < probability
        fires, moved = update(w, x, label, p, guess)
        rounds.append((guess, p, probability, asked, asked and fires))
        if settled is None and (
            abs(coin - probability) < CLOSE or 0 < abs(p) < CLOSE or 0 < abs(1 - label * p) < CLOSE
        ):
            settled = t
        if asked and fires:
            w = moved
    columns = [np.array(column) for column in zip(*rounds, strict=True)]
    return Run(*columns, np.array(w), refused_by(query), len(rounds) if settled is None else settled)


def refused_by(query: Any) -> int:
    """What the budgets around a rule refused."""
    inner = getattr(query, "inner", None)
    return getattr(query, "refused", 0) + (0 if inner is None else refused_by(inner))


# ---------------------------------------------------------------------- rules and algorithms by name

UPDATES: Mapping[str, Update] = {
    "Perceptron": perceptron,
    "PassiveAggressive": pa,
    "PassiveAggressive1": pa_1,
    "PassiveAggressive2": pa_2,
}
QUERIES: Mapping[str, Callable[..., Query]] = {"Always": always, "Random": random, "Margin": margin}
WRAPPERS: Mapping[str, Callable[..., Query]] = {"Within": Within, "AtRate": AtRate}


def _with(update: Update, C: float) -> Update:
    return lambda w, x, y, p, guess: update(w, x, y, p, guess, C=C)


# Each as the table of names has it: its parameters with their defaults, and what they make.
ALGORITHMS: Mapping[str, Callable[..., tuple[Update, Query, float]]] = {
    "PE": lambda sgn0=1: (perceptron, always(), sgn0),
    "RPE": lambda ratio=0.5, sgn0=1: (perceptron, random(ratio), sgn0),
    "PEA": lambda delta=1, sgn0=1: (perceptron, margin(delta), sgn0),
    "LEPE": lambda delta=1, sgn0=1: (perceptron, margin(delta), sgn0),
    "SEL-P": lambda b=1, sgn0=-1: (perceptron, margin(b), sgn0),
    "SEL-P-FIXED": lambda ratio=0.5, sgn0=-1: (perceptron, random(ratio), sgn0),
    "PA": lambda C=1, sgn0=1: (pa, always(), sgn0),
    "PA-I": lambda C=1, sgn0=1: (_with(pa_1, C), always(), sgn0),
    "PA-II": lambda C=1, sgn0=1: (_with(pa_2, C), always(), sgn0),
    "RPA": lambda ratio=0.5, C=1, sgn0=1: (pa, random(ratio), sgn0),
    "RPA-I": lambda ratio=0.5, C=1, sgn0=1: (_with(pa_1, C), random(ratio), sgn0),
    "RPA-II": lambda ratio=0.5, C=1, sgn0=1: (_with(pa_2, C), random(ratio), sgn0),
    "PAA": lambda delta=1, C=1, sgn0=1: (pa, margin(delta), sgn0),
    "PAA-I": lambda delta=1, C=1, sgn0=1: (_with(pa_1, C), margin(delta), sgn0),
    "PAA-II": lambda delta=1, C=1, sgn0=1: (_with(pa_2, C), margin(delta), sgn0),
    "PAA(thm4)": lambda delta=1, C=1, sgn0=1: (pa, margin(delta, 1.0), sgn0),
    "PAA-I(thm4)": lambda delta=1, C=1, sgn0=1: (_with(pa_1, C), margin(delta, 1.0), sgn0),
    "PAA-II(thm4)": lambda delta=1, C=1, sgn0=1: (_with(pa_2, C), margin(delta, 1.0), sgn0),
}


def algorithm(name: str, X: Any, y: Any, coins: Any, **parameters: Any) -> Run:
    """The run of a paper's algorithm."""
    update, query, sgn0 = ALGORITHMS[name](**parameters)
    return run(X, y, coins, update, query, sgn0)


def update_twin(rule: Any) -> Update:
    """The twin of an update rule, found by the name of its class."""
    update = UPDATES[type(rule).__name__]
    return lambda w, x, y, p, guess: update(w, x, y, p, guess, **rule._asdict())


def query_twin(rule: Any, eagerness: float | None = None) -> Query:
    """The twin of a query rule, with twins for the rules that it wraps."""
    name = type(rule).__name__
    parameters = rule._asdict()
    if name in QUERIES:
        return QUERIES[name](**parameters, **({} if eagerness is None else {"eagerness": eagerness}))
    inner = parameters.pop("inner")
    if name == "AtRate":
        return WRAPPERS[name](lambda factor: query_twin(inner, factor), **parameters)
    return WRAPPERS[name](query_twin(inner), **parameters)
