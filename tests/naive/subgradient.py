"""Adaptive subgradient learning: every gradient is kept, and H is added up anew from all of them."""

import math
from collections.abc import Callable, Mapping

from naive.loop import CLOSE, Query, Twin, dot
from naive.queries import always, discrimination, margin, random


class Adaptive(Twin):
    """H_j = δ + √(Σ g_j²), g = -y x where 1 - y p > 0, or ρ_t - y p > 0 if costs say so."""

    def __init__(self, delta: float = 1.0, eta: float = 1.0) -> None:
        self.delta, self.eta = delta, eta

    def begin(self, width: int) -> None:
        super().begin(width)
        self.gradients: list[list[float]] = []

    def diagonal(self) -> list[float]:
        """The diagonal of H."""
        return [self.delta + math.sqrt(sum(g[j] ** 2 for g in self.gradients)) for j in range(len(self.w))]

    def look(self, x: list[float]) -> tuple[float, float]:
        return dot(self.w, x), sum(x_j**2 / H_j for x_j, H_j in zip(x, self.diagonal(), strict=True))

    def threshold(self, y: float) -> float:
        """Below it, y p leaves a loss."""
        return 1.0

    def close(self, x: list[float], y: float, p: float, v: float) -> bool:
        return 0 < abs(p) < CLOSE or 0 < abs(self.threshold(y) - y * p) < CLOSE

    def distances(self, y: float, p: float, v: float) -> list[float]:
        return [abs(p), abs(self.threshold(y) - y * p)]

    def learn(self, x: list[float], y: float, p: float, v: float, guess: float) -> bool:
        fires = self.threshold(y) - y * p > 0
        if fires:
            self.gradients.append([-y * x_j for x_j in x])
            self.follow(self.gradients[-1])
        return fires

    def follow(self, g: list[float]) -> None:
        """Move w."""
        raise NotImplementedError


class DualAveraging(Adaptive):
    """w = -η H⁻¹ Σ g."""

    def follow(self, g: list[float]) -> None:
        totals = [sum(column) for column in zip(*self.gradients, strict=True)]
        self.w = [-self.eta * total / H_j for total, H_j in zip(totals, self.diagonal(), strict=True)]


class MirrorDescent(Adaptive):
    """w ← w - η H⁻¹ g."""

    def follow(self, g: list[float]) -> None:
        self.w = [w_j - self.eta * g_j / H_j for w_j, g_j, H_j in zip(self.w, g, self.diagonal(), strict=True)]


UPDATES: Mapping[str, Callable[..., Twin]] = {"DualAveraging": DualAveraging, "MirrorDescent": MirrorDescent}

DA, MD = DualAveraging, MirrorDescent

ALGORITHMS: Mapping[str, Callable[..., tuple[Twin, Query, float]]] = {
    "DA": lambda delta=1, eta=1, sgn0=1: (DA(delta, eta), always(), sgn0),
    "MD": lambda delta=1, eta=1, sgn0=1: (MD(delta, eta), always(), sgn0),
    "R-ADA": lambda delta=1, eta=1, ratio=0.5, sgn0=1: (DA(delta, eta), random(ratio), sgn0),
    "M-ADA": lambda delta=1, eta=1, b=1, sgn0=1: (DA(delta, eta), margin(b), sgn0),
    "D-ADA": lambda delta=1, eta=1, b=1, sgn0=1: (DA(delta, eta), discrimination(b, eta, True), sgn0),
    "D-ADA-I": lambda delta=1, eta=1, b=1, sgn0=1: (DA(delta, eta), discrimination(b, eta, False), sgn0),
    "R-AMD": lambda delta=1, eta=1, ratio=0.5, sgn0=1: (MD(delta, eta), random(ratio), sgn0),
    "M-AMD": lambda delta=1, eta=1, b=1, sgn0=1: (MD(delta, eta), margin(b), sgn0),
    "D-AMD": lambda delta=1, eta=1, b=1, sgn0=1: (MD(delta, eta), discrimination(b, eta, True), sgn0),
    "D-AMD-I": lambda delta=1, eta=1, b=1, sgn0=1: (MD(delta, eta), discrimination(b, eta, False), sgn0),
}
