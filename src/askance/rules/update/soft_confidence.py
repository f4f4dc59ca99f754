"""Soft confidence-weighted learning (Wang, Zhao and Hoi 2012): it pays for a label that stays too uncertain.

Confidence-weighted learning makes M = φ√V after every label, however wrong that is. Here the loss
ℓ = max(0, φ√V - M) may remain, at a cost: C ℓ for SCW-I, and C ℓ² for SCW-II. Both keep a Gaussian (μ, Σ), with
M = y μ·x and V = xᵀΣx. A row of zeros changes nothing.
"""

import math
from typing import Any, NamedTuple

from numpy.typing import DTypeLike

from askance._util.parameters import POSITIVE, YES_OR_NO, Constraints
from askance.jit.select import maximum, minimum, where
from askance.rules.rows import Seen
from askance.rules.update.confidence_weighted import PHI, added_precision, is_too_uncertain, whole_step
from askance.rules.update.passive_aggressive import SHORTEST
from askance.rules.update.rule import About
from askance.rules.update.second_order import about_second_order, initial_gaussian, shrinkage


class SoftConfidence1(NamedTuple):
    """SCW-I: if M < φ√V, μ ← μ + α y Σx and Σ⁻¹ ← Σ⁻¹ + c x xᵀ, with steps of bounded length.

    α = min(C, (√(M²φ⁴/4 + Vφ²ζ) - Mψ) / (Vζ)), ψ = 1 + φ²/2, ζ = 1 + φ²; c = αφ/√U,
    √U = (√(α²V²φ² + 4V) - αVφ) / 2.

    Parameters
    ----------
    C : float, default=1.0
        The largest step. Smaller values limit the effect of a wrong label.
    phi : float, default=1.2816
        φ = Φ⁻¹(η); the default is for η = 0.9. See `deviations`.
    full : bool, default=False
        Keep all of Σ, in O(d²) memory and time per row. Otherwise keep its diagonal, in O(d').
    inverse : bool, default=True
        If only the diagonal is kept: take it from the update of Σ⁻¹; otherwise from
        Σ ← Σ - Σx xᵀΣ c / (1 + c V).

    References
    ----------
    Wang, Zhao and Hoi 2012, proposition 1.
    """

    C: float = 1.0
    phi: float = PHI
    full: bool = False
    inverse: bool = True

    def start(self, width: int, dtype: DTypeLike) -> Any:
        """μ = 0, Σ = I."""
        return initial_gaussian(self, width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, tuple[float, float, float]]:
        """Return α y, and how much Σ shrinks."""
        phi, margin, spread = self.phi, label * seen.score, maximum(seen.spread, SHORTEST)
        alpha = minimum(self.C, whole_step(phi, margin, spread))
        shrink = shrinkage(added_precision(alpha, phi, spread), spread, self.inverse & (not self.full))
        return is_too_uncertain(phi, margin, seen.spread), (label * alpha, 0.0, shrink)

    def weighted(self, weight: float) -> "SoftConfidence1":
        """Return the rule for a label of this weight, which multiplies its loss and so C."""
        return self._replace(C=self.C * weight)

    def constraints(self) -> Constraints:
        """C > 0, φ > 0."""
        return {"C": POSITIVE, "phi": POSITIVE, "full": YES_OR_NO, "inverse": YES_OR_NO}

    def about(self) -> About:
        """Return the cost; the rule has a spread, and its diagonal is also for many classes."""
        return about_second_order(self, many=True)


class SoftConfidence2(NamedTuple):
    """SCW-II: if M < φ√V, μ ← μ + α y Σx and Σ⁻¹ ← Σ⁻¹ + c x xᵀ, with steps that are all damped.

    α = (φ√(φ²M²V² + 4nV(n + Vφ²)) - M(2n + φ²V)) / (2n(n + Vφ²)), n = V + 1/(2C); c = αφ/√U,
    √U = (√(α²V²φ² + 4V) - αVφ) / 2.

    Parameters
    ----------
    C : float, default=1.0
        Aggressiveness. The smaller it is, the more a step is damped, most of all on rows with a small spread.
    phi : float, default=1.2816
        φ = Φ⁻¹(η); the default is for η = 0.9. See `deviations`.
    full : bool, default=False
        Keep all of Σ, in O(d²) memory and time per row. Otherwise keep its diagonal, in O(d').
    inverse : bool, default=True
        If only the diagonal is kept: take it from the update of Σ⁻¹; otherwise from
        Σ ← Σ - Σx xᵀΣ c / (1 + c V).

    References
    ----------
    Wang, Zhao and Hoi 2012, proposition 2.
    """

    C: float = 1.0
    phi: float = PHI
    full: bool = False
    inverse: bool = True

    def start(self, width: int, dtype: DTypeLike) -> Any:
        """μ = 0, Σ = I."""
        return initial_gaussian(self, width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, tuple[float, float, float]]:
        """Return α y, and how much Σ shrinks."""
        phi, margin, spread = self.phi, label * seen.score, maximum(seen.spread, SHORTEST)
        deviation, n = phi * math.sqrt(spread), spread + 1.0 / (2.0 * self.C)
        # Everything is divided by g = √(n(n + Vφ²)) = nρ, because products of two spreads may overflow.
        rho = math.sqrt(1.0 + phi * phi * spread / n)
        g = n * rho
        part = deviation * margin / g
        root = deviation * math.sqrt(part * part + 4.0)
        # For M > 0, root - M(ρ + 1/ρ) would lose digits. Multiplied by their sum, it is 4(φ²V - M²).
        sum_ = root + abs(margin) * (rho + 1.0 / rho)
        lacking = phi * phi * spread - margin * margin
        alpha = maximum(0.0, where(margin > 0.0, 2.0 * lacking / sum_, sum_ / 2.0) / g)
        shrink = shrinkage(added_precision(alpha, phi, spread), spread, self.inverse & (not self.full))
        return is_too_uncertain(phi, margin, seen.spread), (label * alpha, 0.0, shrink)

    def weighted(self, weight: float) -> "SoftConfidence2":
        """Return the rule for a label of this weight, which multiplies its loss and so C."""
        return self._replace(C=self.C * weight)

    def constraints(self) -> Constraints:
        """C > 0, φ > 0."""
        return {"C": POSITIVE, "phi": POSITIVE, "full": YES_OR_NO, "inverse": YES_OR_NO}

    def about(self) -> About:
        """Return the cost; the rule has a spread, and its diagonal is also for many classes."""
        return about_second_order(self, many=True)
