"""Confidence-weighted learning: the smallest change of the Gaussian (μ, Σ) after which the label is likely.

With M = y μ·x and V = xᵀΣx, a label whose probability Φ(M / √V) falls short gives μ ← μ + α y Σx and
Σ⁻¹ ← Σ⁻¹ + c x xᵀ. φ = Φ⁻¹(η), for the probability η that is wanted; `deviations` gives it. Wrong labels are
believed as much as others.

With `full`, all of Σ is kept: O(d²) memory and time a row. Without, its diagonal: O(d'), that of the formula above
with `inverse`, or that of Σ ← Σ - Σx xᵀΣ c / (1 + c V). A row of zeros moves nothing.
"""

import math
from statistics import NormalDist
from typing import Any, NamedTuple

from numpy.typing import DTypeLike

from askance._util.parameters import POSITIVE, YES_OR_NO, Constraints, Interval, check_parameters
from askance.jit.select import maximum, where
from askance.rules.rows import Seen
from askance.rules.update.passive_aggressive import SHORTEST
from askance.rules.update.rule import About
from askance.rules.update.second_order import about_second_order, initial_gaussian, shrinkage

# Φ⁻¹(0.9). The rules have φ and not η for a parameter, because compiled steps then have nothing to derive.
PHI = 1.2815515655446008


class Confidence(NamedTuple):
    """The probability with which a label should be right."""

    eta: float


def deviations(eta: float) -> float:
    """φ = Φ⁻¹(η): how many standard deviations a margin must be above 0 for the confidence η, ½ < η < 1."""
    check_parameters(Confidence(eta), {"eta": Interval(0.5, 1.0, high_closed=False)})
    return NormalDist().inv_cdf(float(eta))


class ConfidenceWeighted(NamedTuple):
    """CW (Dredze, Crammer and Pereira 2008): if M < φV, the change after which M = φV; c = 2αφ.

    α = (√((1 + 2φM)² - 8φ(M - φV)) - (1 + 2φM)) / (4φV).
    """

    phi: float = PHI
    full: bool = False
    inverse: bool = True

    def start(self, width: int, dtype: DTypeLike) -> Any:
        """μ = 0, Σ = I."""
        return initial_gaussian(self, width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, tuple[float, float, float]]:
        """α y, and how much smaller Σ becomes."""
        phi, margin, spread = self.phi, label * seen.score, maximum(seen.spread, SHORTEST)
        lacking, linear = phi * spread - margin, 1.0 + 2.0 * phi * margin
        difference = 1.0 - 2.0 * phi * margin
        root = math.sqrt(difference * difference + 8.0 * phi * phi * spread)
        # For linear > 0, root - linear would lose digits; their product with root + linear is 8φ(φV - M).
        sum_ = root + abs(linear)
        alpha = maximum(0.0, where(linear > 0.0, 2.0 * lacking / sum_, sum_ / (4.0 * phi)) / spread)
        shrink = shrinkage(2.0 * alpha * phi, spread, self.inverse & (not self.full))
        return (lacking > 0.0) & (seen.spread > SHORTEST), (label * alpha, 0.0, shrink)

    def constraints(self) -> Constraints:
        """φ > 0."""
        return {"phi": POSITIVE, "full": YES_OR_NO, "inverse": YES_OR_NO}

    def about(self) -> About:
        """It has a spread."""
        return about_second_order(self)


class ConfidenceWeightedStdev(NamedTuple):
    """CW with standard deviations (Crammer, Dredze and Pereira 2008): if M < φ√V, the change after which M = φ√V.

    α = (√(M²φ⁴/4 + Vφ²ζ) - Mψ) / (Vζ), ψ = 1 + φ²/2, ζ = 1 + φ²; c = αφ/√U, √U = (√(α²V²φ² + 4V) - αVφ) / 2.
    """

    phi: float = PHI
    full: bool = False
    inverse: bool = True

    def start(self, width: int, dtype: DTypeLike) -> Any:
        """μ = 0, Σ = I."""
        return initial_gaussian(self, width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, tuple[float, float, float]]:
        """α y, and how much smaller Σ becomes."""
        phi, margin, spread = self.phi, label * seen.score, maximum(seen.spread, SHORTEST)
        square = phi * phi
        root = math.sqrt(margin * margin * square * square / 4.0 + spread * square * (1.0 + square))
        # For M > 0, root - Mψ would lose digits; their product with root + Mψ is ζ(φ²V - M²).
        sum_ = root + abs(margin) * (1.0 + square / 2.0)
        lacking = spread * square - margin * margin
        alpha = maximum(0.0, where(margin > 0.0, lacking / sum_, sum_ / (1.0 + square)) / spread)
        part = alpha * spread * phi
        c = alpha * phi * (part + math.sqrt(part * part + 4.0 * spread)) / (2.0 * spread)
        shrink = shrinkage(c, spread, self.inverse & (not self.full))
        fires = (margin < phi * math.sqrt(spread)) & (seen.spread > SHORTEST)
        return fires, (label * alpha, 0.0, shrink)

    def constraints(self) -> Constraints:
        """φ > 0."""
        return {"phi": POSITIVE, "full": YES_OR_NO, "inverse": YES_OR_NO}

    def about(self) -> About:
        """It has a spread."""
        return about_second_order(self)
