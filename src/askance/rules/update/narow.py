"""NAROW (Orabona and Crammer 2010): second-order information that stops growing where enough is known."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from askance._util.parameters import POSITIVE, YES_OR_NO, Constraints
from askance.jit.select import maximum, where
from askance.rules.rows import Seen
from askance.rules.state.full import identity_covariance
from askance.rules.state.narrow import FullNarrow, NarrowDiagonal
from askance.rules.update.passive_aggressive import SHORTEST
from askance.rules.update.rule import About
from askance.rules.update.second_order import about_second_order, shrinkage
from askance.rules.update.weights import hinge


class NAROW(NamedTuple):
    """NAROW: if ℓ > 0, θ ← θ + y x and A ← A + x xᵀ / r, where p = θᵀ(A + x xᵀ / r)⁻¹x and ℓ = max(0, 1 - y p).

    With χ = xᵀA⁻¹x, r = χ / (bχ - 1) if bχ > 1, and infinite otherwise: then A stays as it is. So χ = 1/b after a
    row of which less was known, and p = θᵀA⁻¹x / max(1, bχ). `coef_` of the learner is A⁻¹θ.

    Parameters
    ----------
    b : float, default=1.0
        How much is to be known about a row: A grows until xᵀA⁻¹x = 1/b. Rows with x·x ≤ 1/b leave it as it is, so
        take b > 1 for rows of unit length.
    full : bool, default=False
        Keep all of A⁻¹, in O(d²) memory and time per row. Otherwise keep the diagonal of A, in O(d').

    References
    ----------
    Orabona and Crammer 2010.
    """

    b: float = 1.0
    full: bool = False

    def start(self, width: int, dtype: DTypeLike) -> Any:
        """θ = 0, A = I."""
        if self.full:
            return FullNarrow(np.zeros(width, dtype), *identity_covariance(width, self), np.float64(self.b))
        pairs = np.tile(np.array([0, 1], dtype), (width, 1))
        return NarrowDiagonal(pairs, np.asarray(self.b, dtype)[()])

    def step(self, seen: Seen, label: float) -> tuple[bool, tuple[float, float, float]]:
        """Return how far A⁻¹θ moves along A⁻¹x, y, and how much A⁻¹ shrinks."""
        spread = maximum(seen.spread, SHORTEST)
        known = maximum(1.0, self.b * seen.spread)
        # 1/r, so that A⁻¹ shrinks by s = 1/(χ + r) = 1/r / known.
        c = (known - 1.0) / spread
        shrink = shrinkage(c, spread, False)
        # The new A⁻¹θ is A⁻¹θ + (y - s (θᵀA⁻¹x + y χ)) A⁻¹x, and θᵀA⁻¹x = p known.
        along = label / known - shrink * seen.score * known
        return hinge(seen, label) > 0, (along, label, where(self.full, shrink, shrinkage(c, spread, True)))

    def constraints(self) -> Constraints:
        """b > 0."""
        return {"b": POSITIVE, "full": YES_OR_NO}

    def about(self) -> About:
        """Return the cost; the spread is xᵀA⁻¹x."""
        return about_second_order(self)
