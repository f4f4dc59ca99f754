"""ROMMA, ALMA and Pegasos: all weights are written out, and every norm is computed anew."""

import math
from collections.abc import Callable, Mapping

from naive.first_order import Steps
from naive.loop import CLOSE, Query, Twin, dot
from naive.queries import always


class ROMMA(Steps):
    """w ← c w + d x, on a mistake or on a margin below 1. PA's step where x and w are parallel."""

    def __init__(self, aggressive: bool = False) -> None:
        self.aggressive = aggressive

    def gap(self, x: list[float], p: float) -> float:
        """1 - cos² of the angle of x and w; 0 if one of them is 0."""
        both = dot(x, x) * dot(self.w, self.w)
        return (both - p * p) / both if both else 0.0

    def close(self, x: list[float], y: float, p: float, v: float) -> bool:
        # Errors grow by the inverse of the gap, which divides.
        return super().close(x, y, p, v) or 1e-15 < abs(self.gap(x, p)) < 1e-3

    def learn(self, x: list[float], y: float, p: float, v: float, guess: float) -> bool:
        fires = y * p < 1 if self.aggressive else guess != y
        if not fires:
            return False
        X, W = dot(x, x), dot(self.w, self.w)
        if self.gap(x, p) > 1e-6:
            c, d = (X * W - y * p) / (X * W - p * p), W * (y - p) / (X * W - p * p)
            self.w = [c * w_j + d * x_j for w_j, x_j in zip(self.w, x, strict=True)]
        elif X:
            self.move(x, y * max(0.0, 1 - y * p) / X)
        shorten(self, 1e12)
        return True


class ALMA(Steps):
    """w ← w + η_k y x̂ where y w·x̂ ≤ (1 - α) γ_k, then back to a length of 1."""

    def __init__(self, alpha: float = 0.9, b: float = math.sqrt(8), C: float = math.sqrt(2)) -> None:
        self.alpha, self.B, self.C = alpha, b / alpha, C

    def begin(self, width: int) -> None:
        super().begin(width)
        self.k = 1

    def wanted(self) -> float:
        """(1 - α) γ_k."""
        return (1 - self.alpha) * self.B / math.sqrt(self.k)

    def close(self, x: list[float], y: float, p: float, v: float) -> bool:
        return 0 < abs(p) < CLOSE or 0 < abs(self.wanted() * math.sqrt(dot(x, x)) - y * p) < CLOSE

    def distances(self, y: float, p: float, v: float) -> list[float]:
        return [abs(p), abs(self.wanted() * self.length - y * p)]

    def look(self, x: list[float]) -> tuple[float, float]:
        self.length = math.sqrt(dot(x, x))
        return super().look(x)

    def learn(self, x: list[float], y: float, p: float, v: float, guess: float) -> bool:
        if not any(x):
            return True  # a mistake or none, there is nothing to learn
        fires = y * p / self.length <= self.wanted()
        if fires:
            self.move(x, self.C / math.sqrt(self.k) * y / self.length)
            shorten(self, 1.0)
            self.k += 1
        return fires


class Pegasos(Steps):
    """w ← (1 - 1/t) w + y x/(λ t) where y p < 1; then, if projected, back into the ball of radius 1/√λ."""

    def __init__(self, lam: float = 1e-3, projected: bool = True) -> None:
        self.lam, self.projected = lam, projected

    def begin(self, width: int) -> None:
        super().begin(width)
        self.t = 0

    def learn(self, x: list[float], y: float, p: float, v: float, guess: float) -> bool:
        self.t += 1
        eta = 1 / (self.lam * self.t)
        self.w = [(1 - eta * self.lam) * w_j for w_j in self.w]
        if y * p < 1:
            self.move(x, eta * y)
        if self.projected:
            shorten(self, 1 / math.sqrt(self.lam))
        return True


def shorten(twin: Twin, radius: float) -> None:
    """Bring w back to length `radius` if it is longer."""
    length = math.sqrt(dot(twin.w, twin.w))
    if length > radius:
        twin.w = [w_j * radius / length for w_j in twin.w]


UPDATES: Mapping[str, Callable[..., Twin]] = {"ROMMA": ROMMA, "ALMA": ALMA, "Pegasos": Pegasos}

ALGORITHMS: Mapping[str, Callable[..., tuple[Twin, Query, float]]] = {
    "ROMMA": lambda sgn0=1: (ROMMA(), always(), sgn0),
    "aROMMA": lambda sgn0=1: (ROMMA(True), always(), sgn0),
    "ALMA": lambda alpha=0.9, b=8**0.5, C=2**0.5, sgn0=1: (ALMA(alpha, b, C), always(), sgn0),
    "Pegasos": lambda lam=1e-3, projected=True, sgn0=1: (Pegasos(lam, projected), always(), sgn0),
}
