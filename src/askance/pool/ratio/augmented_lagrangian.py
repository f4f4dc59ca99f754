"""Algorithm 6 of the thesis: Dinkelbach's rounds around augmented Lagrange multipliers.

A round takes λ ← rᵀp / rᵀAr and then r ← arg min λrᵀAr − rᵀp on the simplex, by

    r ← (2λA + μ11ᵀ + μI)⁻¹ (μv + μ1 + p − δ1 − γ),   v ← max(0, r + γ/μ),
    δ += μ(Σr − 1),   γ += μ(r − v),   μ ← min(ρμ, μ_max).

The thesis omits the updates of δ and γ and lets μ grow without limit, so that its iterates stop before they reach
the optimum. One decomposition of A serves every λ and μ.
"""

from typing import NamedTuple

import numpy as np

from askance.pool.ratio.problem import KernelMatrix, Ratio, gains_of
from askance.typing import FloatArray

GROWTH = 1.1
FIRST_PENALTY = 1.0
LARGEST_PENALTY = 10.0
MOST_STEPS = 20_000
MOST_ROUNDS = 100


class Spectrum(NamedTuple):
    """A = QEQᵀ, and Qᵀ1."""

    roots: FloatArray
    vectors: FloatArray
    ones: FloatArray

    def solved(self, twice: float, penalty: float, right: FloatArray) -> FloatArray:
        """(twice·A + penalty·(11ᵀ + I))⁻¹ times a vector, by the Sherman-Morrison formula."""
        inverse = 1 / (twice * self.roots + penalty)
        turned = inverse * (self.vectors.T @ right)
        ones = inverse * self.ones
        share = penalty * (self.ones @ turned) / (1 + penalty * (self.ones @ ones))
        return self.vectors @ (turned - share * ones)


class Multipliers(NamedTuple):
    """The state of the inner iterations; each round continues from the one before."""

    v: FloatArray
    delta: float
    gamma: FloatArray
    penalty: float


def dinkelbach(A: FloatArray, p: FloatArray, tolerance: float) -> Ratio:
    """Iterate until λ no longer increases. The largest p must be 1."""
    scale = float(A.diagonal().max())
    roots, vectors = np.linalg.eigh(A / scale)
    spectrum = Spectrum(np.maximum(roots, 0.0), vectors, vectors.sum(axis=0))
    best = np.where(np.arange(len(p)) == np.argmax(p), 1.0, 0.0)
    values, state = [_value(A, p, best)], None
    for _ in range(MOST_ROUNDS):
        state = _inner(spectrum, values[-1] * scale, p, tolerance, state or _start(best))
        r = state.v / state.v.sum()
        value = _value(A, p, r)
        if value <= values[-1]:
            break
        best = r
        values.append(value)
    return Ratio(best, values[-1], np.array(values), len(values), gains_of(KernelMatrix(A), p, best))


def _start(r: FloatArray) -> Multipliers:
    return Multipliers(r, 0.0, np.zeros(len(r)), FIRST_PENALTY)


def _inner(spectrum: Spectrum, value: float, p: FloatArray, tolerance: float, state: Multipliers) -> Multipliers:
    """min λrᵀAr − rᵀp on the simplex, until the constraints hold and v stops moving, to the tolerance."""
    v, delta, gamma, penalty = state
    for _ in range(MOST_STEPS):
        r = spectrum.solved(2 * value, penalty, penalty * (v + 1) + p - delta - gamma)
        before, v = v, np.maximum(0.0, r + gamma / penalty)
        excess, apart = r.sum() - 1, r - v
        delta += penalty * excess
        gamma = gamma + penalty * apart
        moved = penalty * np.abs(v - before).max()
        penalty = min(GROWTH * penalty, LARGEST_PENALTY)
        if max(abs(excess), np.abs(apart).max(), moved) <= tolerance:
            break
    return Multipliers(v, delta, gamma, penalty)


def _value(A: FloatArray, p: FloatArray, r: FloatArray) -> float:
    return float(r @ p) / float(r @ A @ r)
