"""Gradient rules on any loss: every gradient is kept, every weight is written out after every label."""

import math
from collections.abc import Callable, Mapping

from naive.first_order import Steps
from naive.loop import CLOSE, Query, Twin
from naive.losses import LOSSES, Loss
from naive.queries import always

HINGE, LOGISTIC = LOSSES["Hinge"](), LOSSES["Logistic"]()


class Descent(Steps):
    """A twin that follows the gradients g of a loss; t counts labels, and every label changes the weights."""

    loss: Loss

    def begin(self, width: int) -> None:
        super().begin(width)
        self.gradients: list[list[float]] = []

    def close(self, x: list[float], y: float, p: float, v: float) -> bool:
        return 0 < abs(p) < CLOSE or 0 < abs(self.loss.kink - y * p) < CLOSE

    def distances(self, y: float, p: float, v: float) -> list[float]:
        return [abs(p), abs(self.loss.kink - y * p)]

    def learn(self, x: list[float], y: float, p: float, v: float, guess: float) -> bool:
        slope = self.loss.slope(y * p)
        self.gradients.append([-slope * y * x_j for x_j in x])
        self.follow(self.gradients[-1])
        return slope > 0

    def follow(self, g: list[float]) -> None:
        """Move w."""
        raise NotImplementedError

    def column(self, j: int) -> list[float]:
        """All gradients of a feature."""
        return [g[j] for g in self.gradients]


def soft(a: float, b: float) -> float:
    """sgn(a) max(0, |a| - b)."""
    return math.copysign(max(0.0, abs(a) - b), a)


class SGD(Descent):
    """w ← w - η/t^power g."""

    def __init__(self, loss: Loss = HINGE, eta: float = 1.0, power: float = 0.5) -> None:
        self.loss, self.eta, self.power = loss, eta, power

    def follow(self, g: list[float]) -> None:
        self.move(g, -self.eta / len(self.gradients) ** self.power)


class TruncatedGradient(Descent):
    """w ← w - η g; at every K-th label, weights up to θ come closer to 0 by K η gravity."""

    def __init__(
        self,
        loss: Loss = HINGE,
        eta: float = 0.1,
        gravity: float = 1e-3,
        every: int = 10,
        theta: float = math.inf,
    ) -> None:
        self.loss, self.eta, self.gravity, self.every, self.theta = loss, eta, gravity, every, theta

    def close(self, x: list[float], y: float, p: float, v: float) -> bool:
        return super().close(x, y, p, v) or any(abs(abs(w_j) - self.theta) < CLOSE for w_j in self.w)

    def follow(self, g: list[float]) -> None:
        self.move(g, -self.eta)
        if len(self.gradients) % self.every == 0:
            cut = self.every * self.eta * self.gravity
            self.w = [soft(w_j, cut) if abs(w_j) <= self.theta else w_j for w_j in self.w]


class FTRL(Descent):
    """z and n of every feature, and w from them."""

    def __init__(
        self, loss: Loss = LOGISTIC, alpha: float = 0.1, beta: float = 1.0, l1: float = 1.0, l2: float = 0.0
    ) -> None:
        self.loss, self.alpha, self.beta, self.l1, self.l2 = loss, alpha, beta, l1, l2

    def begin(self, width: int) -> None:
        super().begin(width)
        self.z, self.n = [0.0] * width, [0.0] * width

    def follow(self, g: list[float]) -> None:
        for j, g_j in enumerate(g):
            sigma = (math.sqrt(self.n[j] + g_j**2) - math.sqrt(self.n[j])) / self.alpha
            self.z[j] += g_j - sigma * self.w[j]
            self.n[j] += g_j**2
            rate = (self.beta + math.sqrt(self.n[j])) / self.alpha + self.l2
            self.w[j] = (
                -(self.z[j] - math.copysign(self.l1, self.z[j])) / rate if abs(self.z[j]) > self.l1 else 0.0
            )


class Adaptive(Descent):
    """H_j = δ + √(Σ g_j²)."""

    def __init__(self, loss: Loss = HINGE, delta: float = 1.0, eta: float = 1.0, l1: float = 1e-4) -> None:
        self.loss, self.delta, self.eta, self.l1 = loss, delta, eta, l1

    def diagonal(self) -> list[float]:
        """The diagonal of H."""
        return [self.delta + math.sqrt(sum(g**2 for g in self.column(j))) for j in range(len(self.w))]

    def look(self, x: list[float]) -> tuple[float, float]:
        return super().look(x)[0], sum(x_j**2 / H_j for x_j, H_j in zip(x, self.diagonal(), strict=True))


class AdaFOBOS(Adaptive):
    """w_j ← S(w_j - η g_j/H_j, λ η/H_j)."""

    def follow(self, g: list[float]) -> None:
        rates = [self.eta / H_j for H_j in self.diagonal()]
        self.w = [soft(w_j - r * g_j, self.l1 * r) for w_j, g_j, r in zip(self.w, g, rates, strict=True)]


class AdaRDA(Adaptive):
    """w_j = -η t/H_j S(ḡ_j, λ)."""

    def follow(self, g: list[float]) -> None:
        t, H = len(self.gradients), self.diagonal()
        self.w = [-self.eta * t / H[j] * soft(sum(self.column(j)) / t, self.l1) for j in range(len(g))]


class COCOB(Descent):
    """L, G, R and θ of every feature, and w from them."""

    def __init__(self, loss: Loss = HINGE, alpha: float = 100.0) -> None:
        self.loss, self.alpha = loss, alpha

    def begin(self, width: int) -> None:
        super().begin(width)
        self.reward = [0.0] * width

    def follow(self, g: list[float]) -> None:
        for j, g_j in enumerate(g):
            past = [-gradient for gradient in self.column(j)]
            L, G, theta = max(map(abs, past)), sum(map(abs, past)), sum(past)
            self.reward[j] = max(0.0, self.reward[j] - self.w[j] * g_j)
            if L:
                self.w[j] = theta / (L * max(G + L, self.alpha * L)) * (L + self.reward[j])


class RDA(Descent):
    """w_j = -√t/γ S(ḡ_j, λ + γ ρ/√t)."""

    def __init__(self, loss: Loss = HINGE, gamma: float = 1.0, l1: float = 1e-4, rho: float = 0.0) -> None:
        self.loss, self.gamma, self.l1, self.rho = loss, gamma, l1, rho

    def follow(self, g: list[float]) -> None:
        t = len(self.gradients)
        threshold = self.l1 + self.gamma * self.rho / math.sqrt(t)
        means = [sum(self.column(j)) / t for j in range(len(g))]
        self.w = [-math.sqrt(t) / self.gamma * soft(mean, threshold) for mean in means]


UPDATES: Mapping[str, Callable[..., Twin]] = {
    "SGD": SGD,
    "TruncatedGradient": TruncatedGradient,
    "FTRL": FTRL,
    "AdaFOBOS": AdaFOBOS,
    "AdaRDA": AdaRDA,
    "COCOB": COCOB,
    "RDA": RDA,
}

# The vectors have the defaults of the catalog.
ALGORITHMS: Mapping[str, Callable[..., tuple[Twin, Query, float]]] = {
    "SGD": lambda: (SGD(), always(), 1),
    "TG": lambda: (TruncatedGradient(), always(), 1),
    "FTRL": lambda: (FTRL(), always(), 1),
    "Ada-FOBOS": lambda: (AdaFOBOS(), always(), 1),
    "Ada-RDA": lambda: (AdaRDA(), always(), 1),
    "COCOB": lambda: (COCOB(), always(), 1),
    "RDA": lambda: (RDA(), always(), 1),
}
