"""Adaptive regularisation of weights (Crammer, Kulesza and Dredze 2009).

With p = μ·x, v = xᵀΣx and ℓ = max(0, 1 - y p), a label with ℓ > 0 moves the mean along Σx and makes Σ smaller
along the row: what is known well moves little. A wrong label does less harm than in confidence-weighted learning,
because r bounds what one row can settle.
"""

from typing import Any, NamedTuple

from numpy.typing import DTypeLike

from askance._util.parameters import POSITIVE, YES_OR_NO, Constraints
from askance.rules.rows import Seen
from askance.rules.update.passive_aggressive import full_step
from askance.rules.update.rule import About
from askance.rules.update.second_order import about_second_order, initial_gaussian, shrinkage
from askance.rules.update.weights import hinge


class AROW(NamedTuple):
    """AROW: μ ← μ + (ℓ / (v + r)) y Σx, Σ ← Σ - Σx xᵀΣ / (v + r), if ℓ > 0.

    With `full`, all of Σ is kept: O(d²) memory and time a row. Without, its diagonal: O(d'), either that of the
    formula above or, with `inverse`, that of Σ⁻¹ ← Σ⁻¹ + x xᵀ / r.
    """

    r: float = 1.0
    full: bool = False
    inverse: bool = False

    def start(self, width: int, dtype: DTypeLike) -> Any:
        """μ = 0, Σ = I."""
        return initial_gaussian(self, width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, tuple[float, float, float]]:
        """How far along Σx, and how much smaller Σ becomes."""
        loss = hinge(seen, label)
        entrywise = self.inverse & (not self.full)
        length = label * full_step(loss, seen.spread + self.r)
        return loss > 0, (length, 0.0, shrinkage(1.0 / self.r, seen.spread, entrywise))

    def constraints(self) -> Constraints:
        """r > 0."""
        return {"r": POSITIVE, "full": YES_OR_NO, "inverse": YES_OR_NO}

    def about(self) -> About:
        """It has a spread."""
        return about_second_order(self)
