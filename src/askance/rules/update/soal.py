"""Second-order online active learning (Hao, Lu, Zhao, Zhang and Hoi 2018): the learning half.

Its other half is the query rule `SpreadMargin`, which should be given the same eta and gamma.
"""

from typing import Any, NamedTuple

from numpy.typing import DTypeLike

from askance._util.parameters import POSITIVE, YES_OR_NO, Constraints
from askance.jit.select import where
from askance.rules.rows import Seen
from askance.rules.update.rule import About
from askance.rules.update.second_order import about_second_order, initial_gaussian, shrinkage


class SOAL(NamedTuple):
    """SOAL: if y p < 1, first Σ⁻¹ ← Σ⁻¹ + x xᵀ / γ, then μ ← μ + η y Σx with the new Σ.

    With `full`, all of Σ is kept: O(d²) memory and time a row. Without, its diagonal: O(d'), that of the formula
    above with `inverse`, or that of Σ ← Σ - Σx xᵀΣ / (γ + v).
    """

    eta: float = 1.0
    gamma: float = 1.0
    full: bool = False
    inverse: bool = False

    def start(self, width: int, dtype: DTypeLike) -> Any:
        """μ = 0, Σ = I."""
        return initial_gaussian(self, width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, tuple[float, float, float]]:
        """How far along the old Σx, or the new one, and how much smaller Σ becomes."""
        length, entrywise = label * self.eta, self.inverse & (not self.full)
        shrink = shrinkage(1.0 / self.gamma, seen.spread, entrywise)
        # Of a full matrix, the new Σx is (1 - s v) times the old one.
        before = where(self.full, length * (1.0 - shrink * seen.spread), 0.0)
        after = where(self.full, 0.0, length)
        return label * seen.score < 1.0, (before, after, shrink)

    def constraints(self) -> Constraints:
        """η > 0, γ > 0."""
        return {"eta": POSITIVE, "gamma": POSITIVE, "full": YES_OR_NO, "inverse": YES_OR_NO}

    def about(self) -> About:
        """It has a spread."""
        return about_second_order(self)
