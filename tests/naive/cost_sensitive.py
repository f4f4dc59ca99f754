"""Cost-sensitive learning: PA-I and subgradients with ρ, uneven margins, and prediction-based PA."""

import math
from collections.abc import Callable, Mapping

from naive import subgradient
from naive.first_order import Steps
from naive.loop import CLOSE, Query, Twin
from naive.queries import always, cost_sensitive_discrimination, decaying, margin, random


class Uneven(Steps):
    """A rule with a threshold of y p for each class."""

    def threshold(self, y: float) -> float:
        """Below it, the rule fires."""
        raise NotImplementedError

    def close(self, x: list[float], y: float, p: float, v: float) -> bool:
        return 0 < abs(p) < CLOSE or 0 < abs(self.threshold(y) - y * p) < CLOSE

    def distances(self, y: float, p: float, v: float) -> list[float]:
        return [abs(p), abs(self.threshold(y) - y * p)]


class CostSensitivePA1(Uneven):
    """ℓ = max(0, ρ_t - y p), ρ_t = ρ if y = +1 else 1; w += min(C, ℓ/‖x‖²) y x, or min(C, ℓ) y x as printed."""

    def __init__(self, C: float = 2.0, rho: float = 2.0, literal: bool = False) -> None:
        self.C, self.rho, self.literal = C, rho, literal

    def threshold(self, y: float) -> float:
        return self.rho if y == 1 else 1.0

    def learn(self, x: list[float], y: float, p: float, v: float, guess: float) -> bool:
        loss = max(0.0, self.threshold(y) - y * p)
        if loss > 0 and any(x):
            self.move(x, y * min(self.C, loss if self.literal else loss / self.norm(x)))
        return loss > 0


class PAUM(Uneven):
    """If y p ≤ τ_y: w += η y x."""

    def __init__(self, tau_pos: float = 2.0, tau_neg: float = 1.0, eta: float = 1.0) -> None:
        self.tau_pos, self.tau_neg, self.eta = tau_pos, tau_neg, eta

    def threshold(self, y: float) -> float:
        return self.tau_pos if y == 1 else self.tau_neg

    def learn(self, x: list[float], y: float, p: float, v: float, guess: float) -> bool:
        fires = y * p <= self.threshold(y)
        if fires:
            self.move(x, self.eta * y)
        return fires


class CPA(Steps):
    """On a mistake ℓ = √c(y, guess) - y p, and a step of PA-I, or of PA-II if `squared`."""

    def __init__(self, C: float = 2.0, rho: float = 2.0, squared: bool = False) -> None:
        self.C, self.rho, self.squared = C, rho, squared

    def learn(self, x: list[float], y: float, p: float, v: float, guess: float) -> bool:
        if guess == y:
            return False
        loss = math.sqrt(self.rho if y == 1 else 1.0) - y * p
        if any(x):
            soft = loss / (self.norm(x) + 1 / (2 * self.C))
            self.move(x, y * (soft if self.squared else min(self.C, loss / self.norm(x))))
        return True


class CostSensitiveDA(subgradient.DualAveraging):
    """g = -y x where ρ_t - y p > 0."""

    def __init__(self, delta: float = 1.0, eta: float = 1.0, rho: float = 2.0) -> None:
        super().__init__(delta, eta)
        self.rho = rho

    def threshold(self, y: float) -> float:
        return self.rho if y == 1 else 1.0


class CostSensitiveMD(subgradient.MirrorDescent):
    """g = -y x where ρ_t - y p > 0."""

    def __init__(self, delta: float = 1.0, eta: float = 1.0, rho: float = 2.0) -> None:
        super().__init__(delta, eta)
        self.rho = rho

    def threshold(self, y: float) -> float:
        return self.rho if y == 1 else 1.0


UPDATES: Mapping[str, Callable[..., Twin]] = {
    "CostSensitivePA1": CostSensitivePA1,
    "CostSensitiveDA": CostSensitiveDA,
    "CostSensitiveMD": CostSensitiveMD,
    "PAUM": PAUM,
    "CPA": CPA,
}

CS = CostSensitivePA1
VARIANTS: Mapping[str, Callable[[float, float], Twin]] = {
    "PA": lambda C, rho: CPA(math.inf, rho),
    "PA-I": CPA,
    "PA-II": lambda C, rho: CPA(C, rho, True),
}

ALGORITHMS: Mapping[str, Callable[..., tuple[Twin, Query, float]]] = {
    "CSPA": lambda C=2, rho=2, sgn0=1: (CS(C, rho), always(), sgn0),
    "CSPAA": lambda delta=1, C=2, rho=2, sgn0=1: (CS(C, rho), margin(delta), sgn0),
    "CSPAA(a)": lambda delta0=2.0**14, C=2, rho=2, sgn0=1: (CS(C, rho), decaying(delta0), sgn0),
    "CSRND": lambda ratio=0.5, C=2, rho=2, sgn0=1: (CS(C, rho), random(ratio), sgn0),
    "CSD-ADA": lambda delta=1, eta=1, b=1, rho=2, sgn0=1: (
        CostSensitiveDA(delta, eta, rho),
        cost_sensitive_discrimination(b, eta, rho),
        sgn0,
    ),
    "CSD-AMD": lambda delta=1, eta=1, b=1, rho=2, sgn0=1: (
        CostSensitiveMD(delta, eta, rho),
        cost_sensitive_discrimination(b, eta, rho),
        sgn0,
    ),
    "PAUM": lambda tau_pos=2, tau_neg=1, eta=1, sgn0=1: (PAUM(tau_pos, tau_neg, eta), always(), sgn0),
    "CPA": lambda C=2, rho=2, variant="PA-I", sgn0=1: (VARIANTS[variant](C, rho), always(), sgn0),
}
