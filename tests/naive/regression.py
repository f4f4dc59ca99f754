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

    def learn(self, x: list[float], e: float, unit: float, weight: float) -> bool:
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

    def learn(self, x: list[float], e: float, _unit: float, weight: float) -> bool:  # type: ignore[override]
        v, r = dot(x, self.reach(x)), self.r / weight
        self.along(x, e / (v + r))
        self.grow(x, 1 / r)
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
    inverse = 0.0
    for t, raw in enumerate(np.asarray(X, float).tolist()):
        x = ([intercept] if intercept else []) + (standard_row(X[: t + 1], raw) if scaled else raw)
        mean = math.fsum(known) / len(known) if known and targets else 0.0
        score, v = twin.look(x)
        left = 30 + rate * (t + 1) - len(known)
        unusual = min(10.0, v / (sum(spreads[-50:]) / min(t, 50))) if any(spreads[-50:]) else 1.0
        p = 1.0 if not known or rate == 1 else min(1.0, left / 10 * rate * (audit + (1 - audit) * unusual))
        p = p if left >= 1 else 0.0
        asked = bool(coins[t] < p)
        rounds.append(Round(mean + score if known else math.nan, p, asked))
        spreads.append(v)
        if asked:
            e = y[t] - mean - score if known or not targets else 0.0
            unit = float(np.std([*known, y[t]])) if targets else 1.0
            inverse += (1 / p - inverse) / min(len(known) + 1, 20)
            weight = 1 / p / inverse if twin.spreads and targets and v > 0 else 1.0
            twin.learn(x, e, unit or 1.0, weight)
            known.append(y[t])
    return rounds
