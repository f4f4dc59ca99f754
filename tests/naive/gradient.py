"""Online gradient descent, without and with costs, on the hinge and the logistic loss."""

import math
from collections.abc import Callable, Mapping

from naive.first_order import Steps
from naive.loop import CLOSE, Query, Twin
from naive.queries import always

SCHEDULES = {"sqrt": True, "const": False}


def sigma(z: float) -> float:
    """1/(1 + e^-z), by that power of e which no z makes too large."""
    return 1 / (1 + math.exp(-z)) if z >= 0 else math.exp(z) / (1 + math.exp(z))


class OGD(Steps):
    """w -= η_t ℓ'(y p) y x, η_t = η/√t or η; t counts the labels told."""

    def __init__(self, eta: float = 1.0, logistic: bool = False, decaying: bool = True) -> None:
        self.eta, self.logistic, self.decaying = eta, logistic, decaying

    def begin(self, width: int) -> None:
        super().begin(width)
        self.told: list[float] = []

    def wanted(self, y: float) -> float:
        """The margin from which on the hinge loss is 0."""
        return 1.0

    def factor(self, y: float) -> float:
        """What the loss is multiplied by."""
        return 1.0

    def rate(self) -> float:
        """η_t."""
        return self.eta / math.sqrt(len(self.told) + 1) if self.decaying else self.eta

    def close(self, x: list[float], y: float, p: float, v: float) -> bool:
        return 0 < abs(p) < CLOSE or (not self.logistic and 0 < abs(self.wanted(y) - y * p) < CLOSE)

    def distances(self, y: float, p: float, v: float) -> list[float]:
        return [abs(p), math.inf if self.logistic else abs(self.wanted(y) - y * p)]

    def learn(self, x: list[float], y: float, p: float, v: float, guess: float) -> bool:
        if self.logistic:
            fires, slope = True, sigma(self.wanted(y) - 1 - y * p)
        else:
            fires, slope = self.wanted(y) - y * p > 0, 1.0
        if fires:
            self.move(x, self.rate() * self.factor(y) * slope * y)
        self.told.append(y)
        return fires


class Costly(OGD):
    """ρ for a positive label, given or (1 + negatives)/(1 + positives) among those told."""

    def __init__(
        self,
        rho: float = 2.0,
        eta: float = 0.1,
        running: bool = False,
        logistic: bool = False,
        decaying: bool = False,
    ) -> None:
        super().__init__(eta, logistic, decaying)
        self.rho, self.running = rho, running

    def of_class(self, y: float) -> float:
        """ρ_y."""
        if y < 0:
            return 1.0
        return (1 + self.told.count(-1)) / (1 + self.told.count(1)) if self.running else self.rho


class OCS1(Costly):
    """ℓ = max(0, ρ_y - y p), or log(1 + e^(ρ_y - 1 - y p))."""

    def wanted(self, y: float) -> float:
        return self.of_class(y)


class OCS2(Costly):
    """ℓ = ρ_y max(0, 1 - y p), or ρ_y log(1 + e^(-y p))."""

    def factor(self, y: float) -> float:
        return self.of_class(y)


UPDATES: Mapping[str, Callable[..., Twin]] = {"OGD": OGD, "OCS1": OCS1, "OCS2": OCS2}


def descent(logistic: bool) -> Callable[..., tuple[Twin, Query, float]]:
    return lambda eta=1.0, schedule="sqrt": (OGD(eta, logistic, SCHEDULES[schedule]), always(), -1)


def with_costs(twin: type[Costly], logistic: bool) -> Callable[..., tuple[Twin, Query, float]]:
    def build(rho: float | str = 2.0, eta: float = 0.1, schedule: str = "const") -> tuple[Twin, Query, float]:
        running = rho == "running"
        given = 1.0 if isinstance(rho, str) else rho
        return twin(given, eta, running, logistic, SCHEDULES[schedule]), always(), -1

    return build


ALGORITHMS: Mapping[str, Callable[..., tuple[Twin, Query, float]]] = {
    "OGD-h": descent(False),
    "OGD-l": descent(True),
    "OCS1-h": with_costs(OCS1, False),
    "OCS1-l": with_costs(OCS1, True),
    "OCS2-h": with_costs(OCS2, False),
    "OCS2-l": with_costs(OCS2, True),
}
