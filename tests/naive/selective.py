"""The general additive family: Winnow as its figure has it, and the p-norm Perceptron."""

from collections.abc import Callable, Mapping
from math import exp

from naive.first_order import Perceptron
from naive.loop import CLOSE, Query, Twin
from naive.queries import adaptive, margin


class Additive(Twin):
    """Twins that decide by the sign of p alone."""

    def close(self, x: list[float], y: float, p: float, v: float) -> bool:
        # Equal weights may cancel to 0 or nearly so, by the order of the roundings.
        terms = sum(abs(w_i * x_i) for w_i, x_i in zip(self.w, x, strict=True))
        return abs(p) < CLOSE * terms

    def distances(self, y: float, p: float, v: float) -> list[float]:
        return [abs(p)]


class Winnow(Additive):
    """w = 1/d; on a mistake w_i ← w_i e^(η y x_i), then divided by the sum."""

    def __init__(self, eta: float = 0.5) -> None:
        self.eta = eta

    def begin(self, width: int) -> None:
        self.w = [1 / width] * width

    def learn(self, x: list[float], y: float, p: float, v: float, guess: float) -> bool:
        if guess != y:
            grown = [w_i * exp(self.eta * y * x_i) for w_i, x_i in zip(self.w, x, strict=True)]
            self.w = [w_i / sum(grown) for w_i in grown]
        return guess != y


class PNorm(Additive):
    """θ = 0; on a mistake θ += η y x; w_i = sign(θ_i) |θ_i|^(p-1) / ‖θ‖_p^(p-2), w(0) = 0."""

    def __init__(self, p: float = 4.0, eta: float = 1.0) -> None:
        self.p, self.eta = p, eta

    def begin(self, width: int) -> None:
        super().begin(width)
        self.theta = [0.0] * width

    def learn(self, x: list[float], y: float, p: float, v: float, guess: float) -> bool:
        if guess != y:
            self.theta = [theta_i + self.eta * y * x_i for theta_i, x_i in zip(self.theta, x, strict=True)]
            norm = sum(abs(theta_i) ** self.p for theta_i in self.theta) ** (1 / self.p)
            self.w = [self.link(theta_i, norm) for theta_i in self.theta]
        return guess != y

    def link(self, theta: float, norm: float) -> float:
        """One weight."""
        return 0.0 if theta == 0 else theta / abs(theta) * abs(theta) ** (self.p - 1) / norm ** (self.p - 2)


UPDATES: Mapping[str, Callable[..., Twin]] = {"Winnow": Winnow, "PNorm": PNorm}

ALGORITHMS: Mapping[str, Callable[..., tuple[Twin, Query, float]]] = {
    "SEL-ADA": lambda beta=1, sgn0=-1: (Perceptron(), adaptive(beta), sgn0),
    "SEL-WINNOW": lambda b=0.1, eta=0.5, sgn0=-1: (Winnow(eta), margin(b), sgn0),
    "SEL-PNORM": lambda b=1, p=4, eta=1, sgn0=-1: (PNorm(p, eta), margin(b), sgn0),
}
