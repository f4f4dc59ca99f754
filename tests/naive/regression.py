"""Twins of regression: the papers' formulas row by row, and the whole loop with its scales and questions."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from naive.loop import dot
from naive.scaling import standard_row
from naive.second_order import Second


class FirstOrder:
    """w ← w + step(e, x·x, t) x."""

    spreads = False

    def __init__(self, kind: str, parameters: dict[str, Any]) -> None:
        self.kind, self.parameters = kind, parameters

    def begin(self, width: int) -> None:
        self.w = [0.0] * width
        self.labels = 0

    def look(self, x: list[float]) -> tuple[float, float]:
        return dot(self.w, x), 0.0

    def learn(self, x: list[float], e: float, unit: float) -> bool:
        """Learn a residual in units of `unit`."""
        self.labels += 1
        length = unit * self.length(e / unit, dot(x, x))
        self.w = [w + length * x_j for w, x_j in zip(self.w, x, strict=True)]
        return length != 0

    def length(self, e: float, norm: float) -> float:
        if self.kind == "SGD":
            rate = self.parameters["eta"] / self.labels ** self.parameters["power"]
            return rate * pull(e, *self.parameters["loss"])  # type: ignore[no-any-return]
        loss = max(0.0, abs(e) - self.parameters["epsilon"])
        if self.kind == "PA-II":
            tau = loss / (norm + 1 / (2 * self.parameters["C"]))
        else:
            tau = loss / norm if norm else 0.0
            tau = min(tau, self.parameters.get("C", math.inf))
        return math.copysign(tau, e)


def pull(e: float, kind: str, parameter: float = 0.0) -> float:
    """ℓ'(e)."""
    if kind == "squared":
        return e
    if kind == "insensitive":
        return math.copysign(1.0, e) if abs(e) > parameter else 0.0
    return parameter if e > 0 else parameter - 1 if e < 0 else 0.0


class AROW(Second):
    """Σ⁻¹ ← Σ⁻¹ + x xᵀ/r, and μ moves along the Σx before."""

    spreads = True

    def __init__(self, r: float, full: bool, inverse: bool) -> None:
        super().__init__(full, inverse)
        self.r = r

    def learn(self, x: list[float], e: float, unit: float) -> bool:  # type: ignore[override]
        v = dot(x, self.reach(x))
        self.along(x, e / (v + self.r))
        self.grow(x, 1 / self.r)
        return any(x)


class Round(NamedTuple):
    """What a round predicts and decides."""

    prediction: float
    probability: float
    asked: bool


def run(
    X: Any,
    y: Sequence[float],
    coins: Sequence[float],
    twin: Any,
    *,
    rate: float,
    audit: float,
    intercept: float = 0.3,
    scaled: bool = True,
    targets: bool = True,
) -> list[Round]:
    """The labelling loop. Predictions before the first label are NaN."""
    audit = audit if twin.spreads else 1.0
    twin.begin(len(X[0]) + bool(intercept))
    rounds: list[Round] = []
    spreads: list[float] = []
    known: list[float] = []
    for t, raw in enumerate(np.asarray(X, float).tolist()):
        x = ([intercept] if intercept else []) + (standard_row(X[: t + 1], raw) if scaled else raw)
        mean = math.fsum(known) / len(known) if known and targets else 0.0
        score, v = twin.look(x)
        left = 30 + rate * (t + 1) - len(known)
        larger = sum(one > v for one in spreads[-50:])
        certain = left >= 3 and audit < 1 and larger <= left / 10 * rate * (1 - audit) * min(t, 50)
        p = 1.0 if certain or not known or rate == 1 else min(1.0, left / 10 * rate * audit)
        p = p if left >= 1 else 0.0
        asked = bool(coins[t] < p)
        rounds.append(Round(mean + score if known else math.nan, p, asked))
        spreads.append(v)
        if asked:
            e = y[t] - mean - score if known or not targets else 0.0
            unit = float(np.std([*known, y[t]])) if targets else 1.0
            twin.learn(x, e, unit or 1.0)
            known.append(y[t])
    return rounds
