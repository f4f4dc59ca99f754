"""The ellipsoid method of online learning (Yang, Jin and Ye 2009): weights that agree with all labels so far.

They lie in an ellipsoid with centre μ and matrix Σ. A mistake cuts it: the new centre is right about the row, with
a margin of 1. With v = xᵀΣx and p = μ·x, μ ← μ + ((1 - y p) / v) y Σx.
"""

import math
from typing import Any, NamedTuple

from numpy.typing import DTypeLike

from askance._util.parameters import (
    NOT_NEGATIVE_AND_FINITE,
    SHARE,
    YES_OR_NO,
    Constraints,
    Interval,
    check_parameters,
)
from askance.jit.select import maximum, where
from askance.jit.simd.exponential import exp
from askance.rules.rows import Seen
from askance.rules.update.passive_aggressive import SHORTEST, full_step
from askance.rules.update.rule import About
from askance.rules.update.second_order import about_second_order, initial_gaussian, shrinkage

# -ln 0.3. The parameter of the rule is not b itself, so that compiled steps need no logarithm.
DECAY = 1.2039728043259361
# A smaller c changes no variance any more. In single precision it would be denormal, which is slow.
NEGLIGIBLE = 1e-30


class Base(NamedTuple):
    """The base b of c_t = c bᵗ."""

    b: float


def decay_of(b: float) -> float:
    """Return -ln b, since c bᵗ = c e^(-decay t); ParameterError if b is not in (0, 1]."""
    check_parameters(Base(b), {"b": SHARE})
    return -math.log(b)


class IELLIP(NamedTuple):
    """IELLIP: on a mistake, sgn(p) ≠ y, μ moves as above and Σ ← (Σ - c_t Σx xᵀΣ / v) / (1 - c_t).

    c_t = c bᵗ after t labels, so the ellipsoid soon keeps its shape. Σ is stored without the factor 1 / (1 - c_t):
    neither μ nor later steps depend on it. The spread is without it, too.

    Parameters
    ----------
    c : float, default=0.1
        How much the first mistakes change the ellipsoid, less than 1.
    decay : float, default=1.204
        How soon that ends: -ln b. The default is for b = 0.3.
    full : bool, default=False
        Keep all of Σ, in O(d²) memory and time per row. Otherwise keep its diagonal, in O(d').
    inverse : bool, default=False
        If only the diagonal is kept: take it from the update of Σ⁻¹, instead of from the formula above.

    References
    ----------
    Yang, Jin and Ye 2009.
    """

    c: float = 0.1
    decay: float = DECAY
    full: bool = False
    inverse: bool = False

    def start(self, width: int, dtype: DTypeLike) -> Any:
        """μ = 0, Σ = I."""
        return initial_gaussian(self, width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, tuple[float, float, float]]:
        """Return how far μ moves along Σx, and how much Σ shrinks."""
        spread, c = maximum(seen.spread, SHORTEST), self.c * exp(-self.decay * seen.n_labels)
        c = where(self.full | (c > NEGLIGIBLE), c, 0.0)
        length = label * full_step(1.0 - label * seen.score, seen.spread)
        shrink = shrinkage(c / (1.0 - c) / spread, spread, self.inverse & (not self.full))
        return seen.prediction != label, (length, 0.0, shrink)

    def constraints(self) -> Constraints:
        """0 < c < 1, decay ≥ 0."""
        inside = Interval(0.0, 1.0, high_closed=False)
        return {"c": inside, "decay": NOT_NEGATIVE_AND_FINITE, "full": YES_OR_NO, "inverse": YES_OR_NO}

    def about(self) -> About:
        """Return the cost; the rule has a spread."""
        return about_second_order(self)
