"""The kernel forms: what was learned is a list of rows with coefficients, and every kernel is computed anew."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from naive import first_order
from naive.loop import CLOSE, Query, Twin, dot
from naive.queries import adaptive, margin

Kernel = Callable[[list[float], list[float]], float]


def linear() -> Kernel:
    """x·z."""
    return dot


def rbf(gamma: float = 1.0) -> Kernel:
    """exp(-γ ‖x - z‖²)."""
    return lambda x, z: math.exp(-gamma * sum((a - b) ** 2 for a, b in zip(x, z, strict=True)))


def polynomial(degree: int = 3, gamma: float = 1.0, coef0: float = 1.0) -> Kernel:
    """(γ x·z + c₀)^degree."""
    return lambda x, z: (gamma * dot(x, z) + coef0) ** degree


KERNELS: Mapping[str, Callable[..., Kernel]] = {"Linear": linear, "RBF": rbf, "Polynomial": polynomial}


class Supported(Twin):
    """Twins that keep rows and coefficients, at most `budget` of them."""

    def __init__(self, kernel: Kernel, budget: int | None = None) -> None:
        self.kernel, self.budget = kernel, budget

    def begin(self, width: int) -> None:
        self.rows: list[list[float]] = []
        self.coefficients: list[float] = []

    def norm(self, x: list[float]) -> float:
        return self.kernel(x, x)

    def keep(self, x: list[float], coefficient: float) -> None:
        """One more, for which the one of the smallest |c| √k(x, x) goes if there is no room.

        One that adds nothing to any score takes no room.
        """
        if self.budget is not None and not (coefficient and self.norm(x)):
            return
        if self.budget is not None and len(self.rows) == self.budget:
            lengths = self.lengths()
            least = lengths.index(min(lengths))
            del self.rows[least], self.coefficients[least]
        self.rows.append(x)
        self.coefficients.append(coefficient)

    def lengths(self) -> list[float]:
        """|c| √k(x, x) of each."""
        return [abs(c) * math.sqrt(self.norm(row)) for c, row in zip(self.coefficients, self.rows, strict=True)]

    def close(self, x: list[float], y: float, p: float, v: float) -> bool:
        """If p, a sum whose terms may cancel, is 0 or y but for rounding, or if that decides which row goes."""
        scale = sum(abs(c * self.kernel(row, x)) for c, row in zip(self.coefficients, self.rows, strict=True))
        cancels = scale > 0 and min(abs(p), abs(1 - y * p)) < CLOSE * (1 + scale)
        return cancels or (len(self.rows) == self.budget and not self.sure_of_least())

    def sure_of_least(self) -> bool:
        """Whether the row that goes next is known: ties of equal rows, or at a length of 1, hang on nothing."""
        lengths = self.lengths()
        least = min(lengths)
        near = [s for s, length in enumerate(lengths) if length - least <= CLOSE * length]
        alike = all(lengths[s] == 1 for s in near) or all(self.rows[s] == self.rows[near[0]] for s in near)
        return len(near) == 1 or (alike and all(abs(self.coefficients[s]) == 1 for s in near))

    def weights(self) -> Any:
        return np.array(self.coefficients)


class Kernelized(Supported):
    """p = Σ c_s k(x_s, x); the step of a first-order twin, with k(x, x) for x·x, is the next coefficient."""

    def __init__(self, rule: first_order.Steps, kernel: Kernel, budget: int | None = None) -> None:
        super().__init__(kernel, budget)
        self.rule = rule

    def look(self, x: list[float]) -> tuple[float, float]:
        return sum(c * self.kernel(row, x) for c, row in zip(self.coefficients, self.rows, strict=True)), 0.0

    def learn(self, x: list[float], y: float, p: float, v: float, guess: float) -> bool:
        if isinstance(self.rule, first_order.Perceptron):
            if guess != y:
                self.keep(x, y)
            return guess != y
        loss = max(0.0, 1.0 - y * p)
        if loss > 0:
            self.keep(x, y * self.rule.tau(loss, self.norm(x)))
        return loss > 0


class SecondOrder(Supported):
    """p = cᵀ(I + G)⁻¹ G e_last over the rows kept and the one in hand, whose c is 0: solved anew each time."""

    def look(self, x: list[float]) -> tuple[float, float]:
        rows = [*self.rows, x]
        gram = [[self.kernel(a, b) for b in rows] for a in rows]
        shifted = [[g + (i == j) for j, g in enumerate(line)] for i, line in enumerate(gram)]
        solution = solve(shifted, [line[-1] for line in gram])
        known = dot(self.coefficients, solution[:-1])
        # v = k(x, x) - gᵀ(I + G)⁻¹ g over the rows kept.
        last = gram[-1][:-1]
        inner = solve([line[:-1] for line in shifted[:-1]], last)
        return known, self.norm(x) - dot(last, inner)

    def learn(self, x: list[float], y: float, p: float, v: float, guess: float) -> bool:
        if guess != y:
            self.keep(x, y)
        return guess != y


def solve(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Gaussian elimination; the matrices here are positive definite, so no row need be exchanged."""
    lines = [[*line, value] for line, value in zip(matrix, right, strict=True)]
    for i, line in enumerate(lines):
        for other in lines[i + 1 :]:
            factor = other[i] / line[i]
            other[i:] = [b - factor * a for a, b in zip(line[i:], other[i:], strict=True)]
    solution = [0.0] * len(lines)
    for i in reversed(range(len(lines))):
        known = dot(lines[i][i + 1 : -1], solution[i + 1 :])
        solution[i] = (lines[i][-1] - known) / lines[i][i]
    return solution


def dual_twin(rule: Any) -> Supported:
    """The twin of a rule in dual form, found by the names of its parts."""
    kernel = KERNELS[type(rule.kernel).__name__](**rule.kernel._asdict())
    if type(rule).__name__ == "SecondOrder":
        return SecondOrder(kernel, rule.budget)
    inner: Any = first_order.UPDATES[type(rule.inner).__name__](**rule.inner._asdict())
    return Kernelized(inner, kernel, rule.budget)


UPDATES: Mapping[str, Callable[..., Twin]] = {}

PE, PA, PA1, PA2 = (
    first_order.Perceptron,
    first_order.PassiveAggressive,
    first_order.PassiveAggressive1,
    first_order.PassiveAggressive2,
)

ALGORITHMS: Mapping[str, Callable[..., tuple[Twin, Query, float]]] = {
    "K-SEL-P": lambda b=1, sgn0=-1: (Kernelized(PE(), linear()), margin(b), sgn0),
    "K-SEL-ADA": lambda beta=1, sgn0=-1: (Kernelized(PE(), linear()), adaptive(beta), sgn0),
    "K-SEL-2ND": lambda b=1, sgn0=-1: (SecondOrder(linear()), margin(b), sgn0),
    "K-PAA": lambda delta=1, C=1, sgn0=1: (Kernelized(PA(), linear()), margin(delta), sgn0),
    "K-PAA-I": lambda delta=1, C=1, sgn0=1: (Kernelized(PA1(C), linear()), margin(delta), sgn0),
    "K-PAA-II": lambda delta=1, C=1, sgn0=1: (Kernelized(PA2(C), linear()), margin(delta), sgn0),
}
