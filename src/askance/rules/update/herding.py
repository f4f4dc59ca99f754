"""Gaussian herding (Crammer and Lee 2010): every weight vector of a Gaussian moves to where the label asks it to.

With p = μ·x, v = xᵀΣx and ℓ = max(0, 1 - y p), a label with ℓ > 0 moves each w by the linear map that minimises
½(w' - w)ᵀΣ⁻¹(w' - w) + C/2 ℓ². The mean moves as in AROW with r = 1/C, but Σ shrinks faster.
"""

from typing import Any, NamedTuple

from numpy.typing import DTypeLike

from askance._util.parameters import POSITIVE, YES_OR_NO, Constraints
from askance.jit.select import maximum, minimum, where
from askance.rules.rows import Seen
from askance.rules.state.diagonal import HerdedDiagonal, InverseDiagonal, unit_variances
from askance.rules.state.full import full_gaussian
from askance.rules.update.passive_aggressive import SHORTEST, full_step
from askance.rules.update.rule import About
from askance.rules.update.second_order import MOST, about_second_order, shrinkage
from askance.rules.update.weights import hinge

# What a row adds to Σ⁻¹ at most: of a very long row, the square of v would leave nothing of Σ in single precision.
FULLEST = 1e36


class NHERD(NamedTuple):
    """NHERD: if ℓ > 0, μ ← μ + (ℓ / (v + 1/C)) y Σx and Σ ← Σ - Σx xᵀΣ (C²v + 2C) / (1 + Cv)².

    Parameters
    ----------
    C : float, default=1.0
        Aggressiveness: the larger it is, the larger the effect of one row.
    full : bool, default=False
        Keep all of Σ, in O(d²) memory and time per row. Otherwise keep its diagonal, in O(d').
    exact : bool, default=False
        If only the diagonal is kept: Σ_jj ← Σ_jj / (1 + C x_j² Σ_jj)², the solution among maps that are diagonal.
        Otherwise take the diagonal from Σ⁻¹ ← Σ⁻¹ + (C²v + 2C) x xᵀ, which the paper calls project.

    References
    ----------
    Crammer and Lee 2010.
    """

    C: float = 1.0
    full: bool = False
    exact: bool = False

    def start(self, width: int, dtype: DTypeLike) -> Any:
        """μ = 0, Σ = I."""
        if self.full:
            return full_gaussian(width, dtype, self)
        return unit_variances(HerdedDiagonal if self.exact else InverseDiagonal, width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, tuple[float, float, float]]:
        """Return how far μ moves along Σx, and how much Σ shrinks, or C if that depends on the feature."""
        loss, C = hinge(seen, label), minimum(self.C, MOST)
        length = label * full_step(loss, seen.spread + 1.0 / self.C)
        c = minimum(C * (C * seen.spread + 2.0), FULLEST / maximum(seen.squared_norm, SHORTEST))
        shrink = shrinkage(c, seen.spread, not self.full)
        return loss > 0, (length, 0.0, where(self.exact & (not self.full), C, shrink))

    def weighted(self, weight: float) -> "NHERD":
        """Return the rule for a label of this weight, which multiplies its loss and so C."""
        return self._replace(C=self.C * weight)

    def constraints(self) -> Constraints:
        """C > 0."""
        return {"C": POSITIVE, "full": YES_OR_NO, "exact": YES_OR_NO}

    def about(self) -> About:
        """Return the cost; the rule has a spread."""
        return about_second_order(self)
