"""The update rule of second-order online active learning (Hao, Lu, Zhao, Zhang and Hoi 2018).

Its query rule is `SpreadMargin`, which should have the same eta and gamma.
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

    Parameters
    ----------
    eta : float, default=1.0
        The step size η.
    gamma : float, default=1.0
        The regularisation γ: the larger it is, the more slowly Σ shrinks.
    full : bool, default=False
        Keep all of Σ, in O(d²) memory and time per row. Otherwise keep its diagonal, in O(d').
    inverse : bool, default=False
        If only the diagonal is kept: take it from the update of Σ⁻¹; otherwise from Σ ← Σ - Σx xᵀΣ / (γ + v).

    References
    ----------
    Hao, Lu, Zhao, Zhang and Hoi 2018.
    """

    eta: float = 1.0
    gamma: float = 1.0
    full: bool = False
    inverse: bool = False

    def start(self, width: int, dtype: DTypeLike) -> Any:
        """μ = 0, Σ = I."""
        return initial_gaussian(self, width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, tuple[float, float, float]]:
        """Return how far μ moves along the old Σx, how far along the new one, and how much Σ shrinks."""
        length, entrywise = label * self.eta, self.inverse & (not self.full)
        shrink = shrinkage(1.0 / self.gamma, seen.spread, entrywise)
        # With a full matrix, the new Σx is (1 - s v) times the old one.
        before = where(self.full, length * (1.0 - shrink * seen.spread), 0.0)
        after = where(self.full, 0.0, length)
        return label * seen.score < 1.0, (before, after, shrink)

    def weighted(self, weight: float) -> "SOAL":
        """Return the rule for a label of this weight: η ← weight · η and γ ← γ / weight."""
        return self._replace(eta=self.eta * weight, gamma=self.gamma / weight)

    def constraints(self) -> Constraints:
        """η > 0, γ > 0."""
        return {"eta": POSITIVE, "gamma": POSITIVE, "full": YES_OR_NO, "inverse": YES_OR_NO}

    def about(self) -> About:
        """Return the cost; the rule has a spread."""
        return about_second_order(self)
