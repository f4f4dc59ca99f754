"""Second-order learning. Full matrices are kept as Σ⁻¹, and Σx is solved for; diagonals are kept as they are."""

import math
from collections.abc import Callable, Mapping
from statistics import NormalDist

from naive.loop import CLOSE, Query, Twin, dot
from naive.queries import always, margin, random, spread_margin

# Where less than this is left of a direction, double precision no longer gives nine digits of it.
LEFT = 1e-7


def solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """The solution z of matrix z = right, by Gauss's elimination; the matrix is positive definite."""
    n = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for i in range(n):
        for k in range(i + 1, n):
            share = rows[k][i] / rows[i][i]
            rows[k] = [a - share * b for a, b in zip(rows[k], rows[i], strict=True)]
    z = [0.0] * n
    for i in reversed(range(n)):
        z[i] = (rows[i][n] - sum(rows[i][k] * z[k] for k in range(i + 1, n))) / rows[i][i]
    return z


class Second(Twin):
    """Twins with Σ: full, or diagonal with one of two ways to keep a diagonal."""

    def __init__(self, full: bool = False, inverse: bool = True) -> None:
        self.full, self.inverse = full, inverse

    def begin(self, width: int) -> None:
        super().begin(width)
        self.precision = [[float(i == k) for k in range(width)] for i in range(width)]
        self.s = [1.0] * width

    def reach(self, x: list[float]) -> list[float]:
        """Σx."""
        return solved(self.precision, x) if self.full else [s * x_j for s, x_j in zip(self.s, x, strict=True)]

    def grow(self, x: list[float], c: float) -> None:
        """Σ⁻¹ += c x xᵀ, or what its diagonal makes of it."""
        v = dot(x, self.reach(x))
        if self.full:
            for i, x_i in enumerate(x):
                for k, x_k in enumerate(x):
                    self.precision[i][k] += c * x_i * x_k
        elif self.inverse:
            self.s = [s / (1 + c * s * x_j**2) for s, x_j in zip(self.s, x, strict=True)]
        else:
            self.s = [s - c / (1 + c * v) * (s * x_j) ** 2 for s, x_j in zip(self.s, x, strict=True)]

    def along(self, x: list[float], length: float) -> None:
        """μ += length Σx."""
        self.w = [w + length * r for w, r in zip(self.w, self.reach(x), strict=True)]

    def knows(self, x: list[float]) -> bool:
        """Whether the score is a sum; of a row that shares nothing with those learned from, it is 0 to the bit."""
        seen = [row[i] > 1 for i, row in enumerate(self.precision)] if self.full else self.w
        return any(known and r for known, r in zip(seen, self.reach(x), strict=True))

    def look(self, x: list[float]) -> tuple[float, float]:
        return dot(self.w, x), dot(x, self.reach(x))

    def close(self, x: list[float], y: float, p: float, v: float) -> bool:
        return (self.knows(x) and abs(p) < CLOSE) or abs(1 - y * p) < CLOSE or v < LEFT * self.norm(x)


class Hinge(Second):
    """Twins that fire where ℓ > 0."""

    def change(self, x: list[float], y: float, loss: float, v: float) -> None:
        """Learn a label of positive loss."""
        raise NotImplementedError

    def learn(self, x: list[float], y: float, p: float, v: float, guess: float) -> bool:
        loss = max(0.0, 1.0 - y * p)
        if loss > 0:
            self.change(x, y, loss, v)
        return loss > 0


class AROW(Hinge):
    """β = 1/(v + r): μ += ℓβ y Σx, then Σ⁻¹ += x xᵀ/r."""

    def __init__(self, r: float = 1.0, full: bool = False, inverse: bool = False) -> None:
        super().__init__(full, inverse)
        self.r = r

    def change(self, x: list[float], y: float, loss: float, v: float) -> None:
        self.along(x, y * loss / (v + self.r))
        self.grow(x, 1 / self.r)


class NHERD(Hinge):
    """Each w goes to Aw + b, A = (Σ⁻¹ + C x xᵀ)⁻¹Σ⁻¹; Σ becomes A Σ Aᵀ, or one of two diagonal forms of it."""

    def __init__(self, C: float = 1.0, full: bool = False, exact: bool = False) -> None:
        super().__init__(full)
        self.C, self.exact = C, exact

    def change(self, x: list[float], y: float, loss: float, v: float) -> None:
        self.along(x, y * loss / (v + 1 / self.C))
        if self.exact and not self.full:
            self.s = [s / (1 + self.C * x_j**2 * s) ** 2 for s, x_j in zip(self.s, x, strict=True)]
        else:
            self.grow(x, 2 * self.C + self.C**2 * v)


class PAM(Hinge):
    """τ = ℓ/v: μ += τ y Σx, then Σ⁻¹ += x xᵀ."""

    def tau(self, loss: float, v: float) -> float:
        return loss / v if v else 0.0

    def change(self, x: list[float], y: float, loss: float, v: float) -> None:
        self.along(x, y * self.tau(loss, v))
        self.grow(x, 1.0)


class PAM1(PAM):
    """τ = min(C, ℓ/v)."""

    def __init__(self, C: float = 1.0, full: bool = False, inverse: bool = True) -> None:
        super().__init__(full, inverse)
        self.C = C

    def tau(self, loss: float, v: float) -> float:
        return min(self.C, loss / v) if v else 0.0


class PAM2(PAM1):
    """τ = ℓ/(v + 1/(2C))."""

    def tau(self, loss: float, v: float) -> float:
        return loss / (v + 1 / (2 * self.C))


class SOAL(Hinge):
    """Σ⁻¹ += x xᵀ/γ first, then μ += η y Σx with the new Σ."""

    def __init__(self, eta: float = 1.0, gamma: float = 1.0, full: bool = False, inverse: bool = False) -> None:
        super().__init__(full, inverse)
        self.eta, self.gamma = eta, gamma

    def change(self, x: list[float], y: float, loss: float, v: float) -> None:
        self.grow(x, 1 / self.gamma)
        self.along(x, self.eta * y)


class ConfidenceWeighted(Second):
    """α = max(0, …), μ += α y Σx, Σ⁻¹ += 2αφ x xᵀ; after it M = φV."""

    def __init__(self, phi: float = NormalDist().inv_cdf(0.9), full: bool = False, inverse: bool = True) -> None:
        super().__init__(full, inverse)
        self.phi = phi

    def lacking(self, m: float, v: float) -> float:
        """How far the margin falls short."""
        return self.phi * v - m

    def alpha_and_c(self, m: float, v: float) -> tuple[float, float]:
        b = 1 + 2 * self.phi * m
        alpha = (-b + math.sqrt(b**2 - 8 * self.phi * (m - self.phi * v))) / (4 * self.phi * v)
        return alpha, 2 * alpha * self.phi

    def learn(self, x: list[float], y: float, p: float, v: float, guess: float) -> bool:
        fires = v > 0 and self.lacking(y * p, v) > 0
        if fires:
            alpha, c = self.alpha_and_c(y * p, v)
            self.along(x, y * alpha)
            self.grow(x, c)
        return fires

    def close(self, x: list[float], y: float, p: float, v: float) -> bool:
        unsure = v > 0 and abs(self.lacking(y * p, v)) < CLOSE
        return (self.knows(x) and abs(p) < CLOSE) or unsure or v < LEFT * self.norm(x)

    def distances(self, y: float, p: float, v: float) -> list[float]:
        return [abs(p), abs(self.lacking(y * p, v))]


class ConfidenceWeightedStdev(ConfidenceWeighted):
    """The same with standard deviations; after it M = φ√V."""

    def lacking(self, m: float, v: float) -> float:
        return self.phi * math.sqrt(v) - m

    def alpha_and_c(self, m: float, v: float) -> tuple[float, float]:
        psi, zeta = 1 + self.phi**2 / 2, 1 + self.phi**2
        root = math.sqrt(m**2 * self.phi**4 / 4 + v * self.phi**2 * zeta)
        alpha = (-m * psi + root) / (v * zeta)
        part = alpha * v * self.phi
        # (√(part² + 4v) - part) / 2, which would be 0 where v is next to nothing.
        sqrt_u = 2 * v / (part + math.sqrt(part**2 + 4 * v))
        return alpha, alpha * self.phi / sqrt_u


class SoftConfidence1(ConfidenceWeightedStdev):
    """The same, with α ≤ C."""

    def __init__(
        self,
        C: float = 1.0,
        phi: float = NormalDist().inv_cdf(0.9),
        full: bool = False,
        inverse: bool = True,
    ) -> None:
        super().__init__(phi, full, inverse)
        self.C = C

    def alpha_and_c(self, m: float, v: float) -> tuple[float, float]:
        alpha = min(self.C, super().alpha_and_c(m, v)[0])
        part = alpha * v * self.phi
        sqrt_u = 2 * v / (part + math.sqrt(part**2 + 4 * v))
        return alpha, alpha * self.phi / sqrt_u


class SoftConfidence2(SoftConfidence1):
    """α from n = v + 1/(2C)."""

    def alpha_and_c(self, m: float, v: float) -> tuple[float, float]:
        n, square = v + 1 / (2 * self.C), self.phi**2
        gamma = self.phi * math.sqrt(square * m**2 * v**2 + 4 * n * v * (n + v * square))
        alpha = max(0.0, (-(2 * m * n + square * m * v) + gamma) / (2 * (n**2 + n * v * square)))
        part = alpha * v * self.phi
        sqrt_u = 2 * v / (part + math.sqrt(part**2 + 4 * v))
        return alpha, alpha * self.phi / sqrt_u


class SecondOrderPerceptron(Second):
    """v += y x and A += x xᵀ on a mistake; p = vᵀ(A + x xᵀ)⁻¹x, or one of two diagonal forms of it."""

    def __init__(self, full: bool = False, rank1: bool = False) -> None:
        super().__init__(full)
        self.rank1 = rank1

    def look(self, x: list[float]) -> tuple[float, float]:
        v = dot(x, self.reach(x))
        if self.full:
            with_x = [
                [a + x_i * x_k for a, x_k in zip(row, x, strict=True)]
                for row, x_i in zip(self.precision, x, strict=True)
            ]
            return dot(self.w, solved(with_x, x)), v
        if self.rank1:
            return dot(self.w, self.reach(x)) / (1 + v), v
        return sum(w * x_j / (1 / s + x_j**2) for w, x_j, s in zip(self.w, x, self.s, strict=True)), v

    def learn(self, x: list[float], y: float, p: float, v: float, guess: float) -> bool:
        if guess != y:
            self.w = [w + y * x_j for w, x_j in zip(self.w, x, strict=True)]
            self.grow(x, 1.0)
        return guess != y

    def close(self, x: list[float], y: float, p: float, v: float) -> bool:
        return (self.knows(x) and abs(p) < CLOSE) or v < LEFT * self.norm(x)


class NAROW(Second):
    """θ += y x and A += x xᵀ/r where ℓ > 0; p = θᵀ(A + x xᵀ/r)⁻¹x, with r = χ/(bχ - 1), or ∞ where χ ≤ 1/b."""

    def __init__(self, b: float = 1.0, full: bool = False) -> None:
        super().__init__(full)
        self.b = b

    def begin(self, width: int) -> None:
        super().begin(width)
        self.theta = [0.0] * width

    def inverse_r(self, v: float) -> float:
        """1/r."""
        return (self.b * v - 1) / v if v > 1 / self.b else 0.0

    def look(self, x: list[float]) -> tuple[float, float]:
        v = dot(x, self.reach(x))
        if self.full:
            c = self.inverse_r(v)
            with_x = [
                [a + c * x_i * x_k for a, x_k in zip(row, x, strict=True)]
                for row, x_i in zip(self.precision, x, strict=True)
            ]
            return dot(self.theta, solved(with_x, x)), v
        return dot(self.theta, self.reach(x)) / (1 + v * self.inverse_r(v)), v

    def learn(self, x: list[float], y: float, p: float, v: float, guess: float) -> bool:
        fires = 1 - y * p > 0
        if fires:
            self.theta = [t + y * x_j for t, x_j in zip(self.theta, x, strict=True)]
            self.grow(x, self.inverse_r(v))
            self.w = self.reach(self.theta)
        return fires


class IELLIP(Second):
    """On a mistake, with g = y x/√v: μ += (1 - y p)/√v Σg, Σ ← (Σ - c_t Σg gᵀΣ)/(1 - c_t); c_t = c e^(-decay t).

    Σ - c Σg gᵀΣ has the inverse Σ⁻¹ + c/(1 - c) g gᵀ. Σ is divided by `left` = Π (1 - c_t), the spread is not.
    """

    def __init__(
        self,
        c: float = 0.1,
        decay: float = -math.log(0.3),
        full: bool = False,
        inverse: bool = False,
    ) -> None:
        super().__init__(full, inverse)
        self.c, self.decay, self.labels = c, decay, 0

    def begin(self, width: int) -> None:
        super().begin(width)
        self.left = 1.0

    def reach(self, x: list[float]) -> list[float]:
        return [one / self.left for one in super().reach(x)]

    def look(self, x: list[float]) -> tuple[float, float]:
        p, v = super().look(x)
        return p, v * self.left

    def learn(self, x: list[float], y: float, p: float, v: float, guess: float) -> bool:
        c = self.c * math.exp(-self.decay * self.labels)
        self.labels += 1
        if guess != y and v > 0:
            self.along(x, y * (1 - y * p) / dot(x, self.reach(x)))
            self.grow(x, c / (1 - c) / v)
            self.left *= 1 - c
        return guess != y

    def grow(self, x: list[float], c: float) -> None:
        left, self.left = self.left, 1.0
        super().grow(x, c)
        self.left = left

    def close(self, x: list[float], y: float, p: float, v: float) -> bool:
        return (self.knows(x) and abs(p) < CLOSE) or v < LEFT * self.norm(x)

    def distances(self, y: float, p: float, v: float) -> list[float]:
        return [abs(p)]


UPDATES: Mapping[str, Callable[..., Twin]] = {
    "SecondOrderPerceptron": SecondOrderPerceptron,
    "ConfidenceWeighted": ConfidenceWeighted,
    "ConfidenceWeightedStdev": ConfidenceWeightedStdev,
    "SoftConfidence1": SoftConfidence1,
    "SoftConfidence2": SoftConfidence2,
    "AROW": AROW,
    "NHERD": NHERD,
    "NAROW": NAROW,
    "IELLIP": IELLIP,
    "PAM": PAM,
    "PAM1": PAM1,
    "PAM2": PAM2,
    "SOAL": SOAL,
}


def phi(eta: float) -> float:
    """Φ⁻¹(η)."""
    return NormalDist().inv_cdf(eta)


SOP, CW, STDEV = SecondOrderPerceptron, ConfidenceWeighted, ConfidenceWeightedStdev
FORM = {"var": CW, "stdev": STDEV}
HERDS = {"exact": True, "project": False}
INV = {"inv": True, "drop": False}
RANK1 = {"entry": False, "rank1": True}

# Each as the table of names has it: its parameters with their defaults, and what they make.
ALGORITHMS: Mapping[str, Callable[..., tuple[Twin, Query, float]]] = {
    "SEL-2ND": lambda b=1, sgn0=-1: (SOP(True), margin(b), sgn0),
    "SEL-2ND-FIXED": lambda ratio=0.5, sgn0=-1: (SOP(True), random(ratio), sgn0),
    "SEL-2ND-diag": lambda b=1, sgn0=-1, rule="entry": (SOP(False, RANK1[rule]), margin(b), sgn0),
    "SOP": lambda sgn0=-1: (SOP(True), always(), sgn0),
    "SOP-diag": lambda sgn0=-1, rule="entry": (SOP(False, RANK1[rule]), always(), sgn0),
    "CW": lambda eta=0.9, form="var", sgn0=1: (FORM[form](phi(eta), True), always(), sgn0),
    "CW-diag": lambda eta=0.9, form="var", mode="inv", sgn0=1: (
        FORM[form](phi(eta), False, INV[mode]),
        always(),
        sgn0,
    ),
    "CW-stdev": lambda eta=0.9, sgn0=1: (STDEV(phi(eta), True), always(), sgn0),
    "SCW-I": lambda eta=0.9, C=1, sgn0=1: (SoftConfidence1(C, phi(eta), True), always(), sgn0),
    "SCW-II": lambda eta=0.9, C=1, sgn0=1: (SoftConfidence2(C, phi(eta), True), always(), sgn0),
    "SCW-I-diag": lambda eta=0.9, C=1, mode="inv", sgn0=1: (
        SoftConfidence1(C, phi(eta), False, INV[mode]),
        always(),
        sgn0,
    ),
    "SCW-II-diag": lambda eta=0.9, C=1, mode="inv", sgn0=1: (
        SoftConfidence2(C, phi(eta), False, INV[mode]),
        always(),
        sgn0,
    ),
    "AROW": lambda r=1, sgn0=1: (AROW(r, True), always(), sgn0),
    "AROW-diag": lambda r=1, mode="drop", sgn0=1: (AROW(r, False, INV[mode]), always(), sgn0),
    "NHERD": lambda C=1, sgn0=1: (NHERD(C, True), always(), sgn0),
    "NHERD-diag": lambda C=1, mode="project", sgn0=1: (NHERD(C, False, HERDS[mode]), always(), sgn0),
    "NAROW": lambda b=1, sgn0=1: (NAROW(b, True), always(), sgn0),
    "NAROW-diag": lambda b=1, sgn0=1: (NAROW(b), always(), sgn0),
    "IELLIP": lambda c=0.1, b=0.3, sgn0=1: (IELLIP(c, -math.log(b), True), always(), sgn0),
    "IELLIP-diag": lambda c=0.1, b=0.3, mode="drop", sgn0=1: (
        IELLIP(c, -math.log(b), False, INV[mode]),
        always(),
        sgn0,
    ),
    "PAM": lambda C=1, sgn0=1: (PAM(True), always(), sgn0),
    "PAM-I": lambda C=1, sgn0=1: (PAM1(C, True), always(), sgn0),
    "PAM-II": lambda C=1, sgn0=1: (PAM2(C, True), always(), sgn0),
    "PAM-diag": lambda C=1, mode="inv", sgn0=1: (PAM(False, INV[mode]), always(), sgn0),
    "PAM-I-diag": lambda C=1, mode="inv", sgn0=1: (PAM1(C, False, INV[mode]), always(), sgn0),
    "PAM-II-diag": lambda C=1, mode="inv", sgn0=1: (PAM2(C, False, INV[mode]), always(), sgn0),
    "SOAL": lambda delta=1, eta=1, gamma=1, sgn0=1: (
        SOAL(eta, gamma, True),
        spread_margin(delta, eta, gamma),
        sgn0,
    ),
    "SOAL-diag": lambda delta=1, eta=1, gamma=1, mode="drop", sgn0=1: (
        SOAL(eta, gamma, False, INV[mode]),
        spread_margin(delta, eta, gamma),
        sgn0,
    ),
}
