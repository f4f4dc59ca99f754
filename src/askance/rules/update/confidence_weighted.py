"""Confidence-weighted learning: the smallest change of a Gaussian (μ, Σ) after which the label is likely.

With M = y μ·x and V = xᵀΣx, a label has the probability Φ(M / √V). If that is less than η, μ ← μ + α y Σx and
Σ⁻¹ ← Σ⁻¹ + c x xᵀ. The rules take φ = Φ⁻¹(η), which `deviations` computes. They trust every label, so wrong labels
do harm. A row of zeros changes nothing.
"""

import math
from statistics import NormalDist
from typing import Any, NamedTuple

from numpy.typing import DTypeLike

from askance._util.parameters import POSITIVE, YES_OR_NO, Constraints, Interval, check_parameters
from askance.jit.interop import inlined
from askance.jit.select import maximum, where
from askance.rules.rows import Seen
from askance.rules.update.passive_aggressive import SHORTEST
from askance.rules.update.rule import About
from askance.rules.update.second_order import about_second_order, initial_gaussian, shrinkage

# Φ⁻¹(0.9). The parameter of the rules is φ and not η, so that compiled steps need not compute it.
PHI = 1.2815515655446008


class Confidence(NamedTuple):
    """The wanted probability of a label."""

    eta: float


def deviations(eta: float) -> float:
    """Return φ = Φ⁻¹(η), the number of standard deviations that correspond to the confidence η.

    Parameters
    ----------
    eta : float
        The wanted probability of a label, greater than 0.5 and less than 1.

    Returns
    -------
    float
        φ, for `ConfidenceWeighted` and `ConfidenceWeightedStdev`.

    Raises
    ------
    ParameterError
        If `eta` is outside of its range.

    Examples
    --------
    >>> round(deviations(0.9), 4)
    1.2816
    """
    check_parameters(Confidence(eta), {"eta": Interval(0.5, 1.0, high_closed=False)})
    return NormalDist().inv_cdf(float(eta))


class ConfidenceWeighted(NamedTuple):
    """CW: if M < φV, the smallest change after which M = φV.

    α = (√((1 + 2φM)² - 8φ(M - φV)) - (1 + 2φM)) / (4φV), and c = 2αφ.

    Parameters
    ----------
    phi : float, default=1.2816
        φ = Φ⁻¹(η); the default is for η = 0.9. See `deviations`.
    full : bool, default=False
        Keep all of Σ, in O(d²) memory and time per row. Otherwise keep its diagonal, in O(d').
    inverse : bool, default=True
        If only the diagonal is kept: take it from the update of Σ⁻¹; otherwise from
        Σ ← Σ - Σx xᵀΣ c / (1 + c V).

    References
    ----------
    Dredze, Crammer and Pereira 2008.
    """

    phi: float = PHI
    full: bool = False
    inverse: bool = True

    def start(self, width: int, dtype: DTypeLike) -> Any:
        """μ = 0, Σ = I."""
        return initial_gaussian(self, width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, tuple[float, float, float]]:
        """Return α y, and how much Σ shrinks."""
        phi, margin, spread = self.phi, label * seen.score, maximum(seen.spread, SHORTEST)
        lacking, linear = phi * spread - margin, 1.0 + 2.0 * phi * margin
        difference = 1.0 - 2.0 * phi * margin
        root = math.sqrt(difference * difference + 8.0 * phi * phi * spread)
        # For linear > 0, root - linear would lose digits. Multiplied by root + linear, it is 8φ(φV - M).
        sum_ = root + abs(linear)
        alpha = maximum(0.0, where(linear > 0.0, 2.0 * lacking / sum_, sum_ / (4.0 * phi)) / spread)
        shrink = shrinkage(2.0 * alpha * phi, spread, self.inverse & (not self.full))
        return (lacking > 0.0) & (seen.spread > SHORTEST), (label * alpha, 0.0, shrink)

    def weighted(self, weight: float) -> "ConfidenceWeighted":  # noqa: ARG002
        """Return the same rule: a step fulfils a constraint, and there is no loss to multiply."""
        return self

    def constraints(self) -> Constraints:
        """φ > 0."""
        return {"phi": POSITIVE, "full": YES_OR_NO, "inverse": YES_OR_NO}

    def about(self) -> About:
        """Return the cost; the rule has a spread, and its diagonal is also for many classes."""
        return about_second_order(self, many=True)


class ConfidenceWeightedStdev(NamedTuple):
    """CW with standard deviations: if M < φ√V, the smallest change after which M = φ√V.

    This is exact convex confidence-weighted learning, which other libraries call ECCW.

    α = (√(M²φ⁴/4 + Vφ²ζ) - Mψ) / (Vζ), ψ = 1 + φ²/2, ζ = 1 + φ²; c = αφ/√U, √U = (√(α²V²φ² + 4V) - αVφ) / 2.

    Parameters
    ----------
    phi : float, default=1.2816
        φ = Φ⁻¹(η); the default is for η = 0.9. See `deviations`.
    full : bool, default=False
        Keep all of Σ, in O(d²) memory and time per row. Otherwise keep its diagonal, in O(d').
    inverse : bool, default=True
        If only the diagonal is kept: take it from the update of Σ⁻¹; otherwise from
        Σ ← Σ - Σx xᵀΣ c / (1 + c V).

    References
    ----------
    Crammer, Dredze and Pereira 2008.
    """

    phi: float = PHI
    full: bool = False
    inverse: bool = True

    def start(self, width: int, dtype: DTypeLike) -> Any:
        """μ = 0, Σ = I."""
        return initial_gaussian(self, width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, tuple[float, float, float]]:
        """Return α y, and how much Σ shrinks."""
        phi, margin, spread = self.phi, label * seen.score, maximum(seen.spread, SHORTEST)
        alpha = whole_step(phi, margin, spread)
        shrink = shrinkage(added_precision(alpha, phi, spread), spread, self.inverse & (not self.full))
        return is_too_uncertain(phi, margin, seen.spread), (label * alpha, 0.0, shrink)

    def weighted(self, weight: float) -> "ConfidenceWeightedStdev":  # noqa: ARG002
        """Return the same rule: a step fulfils a constraint, and there is no loss to multiply."""
        return self

    def constraints(self) -> Constraints:
        """φ > 0."""
        return {"phi": POSITIVE, "full": YES_OR_NO, "inverse": YES_OR_NO}

    def about(self) -> About:
        """Return the cost; the rule has a spread, and its diagonal is also for many classes."""
        return about_second_order(self, many=True)


# The parts of a step with standard deviations, which soft confidence-weighted learning shares.


@inlined
def is_too_uncertain(phi: float, margin: float, spread: float) -> bool:
    """Return whether M < φ√V; false for a row of zeros."""
    fires: bool = (margin < phi * math.sqrt(maximum(spread, SHORTEST))) & (spread > SHORTEST)
    return fires


@inlined
def whole_step(phi: float, margin: float, spread: float) -> float:
    """Return the α after which M = φ√V, and 0 if M is larger."""
    square = phi * phi
    root = math.sqrt(margin * margin * square * square / 4.0 + spread * square * (1.0 + square))
    # For M > 0, root - Mψ would lose digits. Multiplied by root + Mψ, it is ζ(φ²V - M²).
    sum_ = root + abs(margin) * (1.0 + square / 2.0)
    lacking = spread * square - margin * margin
    alpha: float = maximum(0.0, where(margin > 0.0, lacking / sum_, sum_ / (1.0 + square)) / spread)
    return alpha


@inlined
def added_precision(alpha: float, phi: float, spread: float) -> float:
    """Return c = αφ/√U."""
    part = alpha * spread * phi
    c: float = alpha * phi * (part + math.sqrt(part * part + 4.0 * spread)) / (2.0 * spread)
    return c
