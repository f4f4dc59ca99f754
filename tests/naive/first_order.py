"""The Perceptron and passive-aggressive learning."""

from collections.abc import Callable, Mapping
from typing import Any

from naive.loop import Query, Twin, dot
from naive.queries import adaptive, always, margin, random


class Steps(Twin):
    """Twins that move w by τ y x."""

    def tau(self, loss: float, norm: float) -> float:
        """The length of a step."""
        raise NotImplementedError

    def move(self, x: list[float], step: float) -> None:
        """w += step x."""
        self.w = [w_j + step * x_j for w_j, x_j in zip(self.w, x, strict=True)]

    def learn(self, x: list[float], y: float, p: float, v: float, guess: float) -> bool:
        loss = max(0.0, 1.0 - y * p)
        if loss > 0:
            self.move(x, y * self.tau(loss, self.norm(x)))
        return loss > 0


class Perceptron(Steps):
    """w += y x on a mistake."""

    def learn(self, x: list[float], y: float, p: float, v: float, guess: float) -> bool:
        if guess != y:
            self.move(x, y)
        return guess != y


class PassiveAggressive(Steps):
    """τ = ℓ/‖x‖², and 0 for x = 0."""

    def tau(self, loss: float, norm: float) -> float:
        return loss / norm if norm else 0.0


class PassiveAggressive1(Steps):
    """τ = min(C, ℓ/‖x‖²), and 0 for x = 0."""

    def __init__(self, C: float = 1.0) -> None:
        self.C = C

    def tau(self, loss: float, norm: float) -> float:
        return min(self.C, loss / norm) if norm else 0.0


class PassiveAggressive2(Steps):
    """τ = ℓ/(‖x‖² + 1/(2C))."""

    def __init__(self, C: float = 1.0) -> None:
        self.C = C

    def tau(self, loss: float, norm: float) -> float:
        return loss / (norm + 1.0 / (2.0 * self.C))


class Replay(Twin):
    """Dual coordinate descent: maximise Σ α - ‖Σ α y x‖²/2 - Σ α²/(4C) over α ≥ 0, or without the last sum over
    0 ≤ α ≤ C, along one α after the other: that of the new row, then of some others in turn.
    """

    def __init__(self, inner: Twin | None = None, memory: int = 1000, visits: int = 1000) -> None:
        self.inner, self.memory, self.visits = inner or PassiveAggressive2(), memory, visits

    def begin(self, width: int) -> None:
        self.w = [0.0] * width
        self.remembered: list[list[Any]] = []  # x, y and α of each row
        self.turn = 0

    def visit(self, entry: list[Any]) -> None:
        x, y, alpha = entry
        C, norm = self.inner.C, self.norm(x)
        slope = 1.0 - y * dot(self.w, x)
        if isinstance(self.inner, PassiveAggressive1):
            wanted = min(C, max(0.0, alpha + slope / norm))
        else:
            wanted = max(0.0, alpha + (slope - alpha / (2 * C)) / (norm + 1 / (2 * C)))
        self.w = [w_j + (wanted - alpha) * y * x_j for w_j, x_j in zip(self.w, x, strict=True)]
        entry[2] = wanted

    def learn(self, x: list[float], y: float, p: float, v: float, guess: float) -> bool:
        if not any(x):
            return 1.0 - y * p > 0
        if len(self.remembered) == self.memory:
            self.remembered.pop(0)
            self.turn -= 1
        self.remembered.append([x, y, 0.0])
        self.visit(self.remembered[-1])
        for _ in range(min(self.visits, len(self.remembered) - 1)):
            if not 0 <= self.turn < len(self.remembered) - 1:
                self.turn = 0
            self.visit(self.remembered[self.turn])
            self.turn += 1
        return 1.0 - y * p > 0


UPDATES: Mapping[str, Callable[..., Twin]] = {
    "Perceptron": Perceptron,
    "PassiveAggressive": PassiveAggressive,
    "PassiveAggressive1": PassiveAggressive1,
    "PassiveAggressive2": PassiveAggressive2,
    "Replay": Replay,
}

PA, PA1, PA2 = PassiveAggressive, PassiveAggressive1, PassiveAggressive2

# Each as the table of names has it: its parameters with their defaults, and what they make.
ALGORITHMS: Mapping[str, Callable[..., tuple[Twin, Query, float]]] = {
    "PE": lambda sgn0=1: (Perceptron(), always(), sgn0),
    "RPE": lambda ratio=0.5, sgn0=1: (Perceptron(), random(ratio), sgn0),
    "PEA": lambda delta=1, sgn0=1: (Perceptron(), margin(delta), sgn0),
    "LEPE": lambda delta=1, sgn0=1: (Perceptron(), margin(delta), sgn0),
    "SEL-P": lambda b=1, sgn0=-1: (Perceptron(), margin(b), sgn0),
    "SEL-P-FIXED": lambda ratio=0.5, sgn0=-1: (Perceptron(), random(ratio), sgn0),
    "PA": lambda C=1, sgn0=1: (PA(), always(), sgn0),
    "PA-I": lambda C=1, sgn0=1: (PA1(C), always(), sgn0),
    "PA-II": lambda C=1, sgn0=1: (PA2(C), always(), sgn0),
    "RPA": lambda ratio=0.5, C=1, sgn0=1: (PA(), random(ratio), sgn0),
    "RPA-I": lambda ratio=0.5, C=1, sgn0=1: (PA1(C), random(ratio), sgn0),
    "RPA-II": lambda ratio=0.5, C=1, sgn0=1: (PA2(C), random(ratio), sgn0),
    "PAA": lambda delta=1, C=1, sgn0=1: (PA(), margin(delta), sgn0),
    "PAA-I": lambda delta=1, C=1, sgn0=1: (PA1(C), margin(delta), sgn0),
    "PAA-II": lambda delta=1, C=1, sgn0=1: (PA2(C), margin(delta), sgn0),
    "PAA-I-ada": lambda beta=1, C=1, sgn0=1: (PA1(C), adaptive(beta, False), sgn0),
    "PAA(thm4)": lambda delta=1, C=1, sgn0=1: (PA(), margin(delta, 1.0), sgn0),
    "PAA-I(thm4)": lambda delta=1, C=1, sgn0=1: (PA1(C), margin(delta, 1.0), sgn0),
    "PAA-II(thm4)": lambda delta=1, C=1, sgn0=1: (PA2(C), margin(delta, 1.0), sgn0),
}
