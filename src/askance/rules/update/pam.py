"""Passive-aggressive Mahalanobis learning (Nguyen, Chang and Hui 2011, algorithm 1).

With p = μ·x, v = xᵀΣx and ℓ = max(0, 1 - y p), a label with ℓ > 0 gives μ ← μ + τ y Σx and then Σ⁻¹ ← Σ⁻¹ + x xᵀ.
It is passive-aggressive learning with smaller steps in directions that many rows had; with Σ = I throughout, it
would be PA. A row of zeros changes nothing.
"""

from typing import Any, NamedTuple

from numpy.typing import DTypeLike

from askance._util.parameters import POSITIVE, YES_OR_NO, Constraints
from askance.jit.select import minimum
from askance.rules.rows import Seen
from askance.rules.update.passive_aggressive import full_step
from askance.rules.update.rule import About
from askance.rules.update.second_order import about_second_order, initial_gaussian, shrinkage
from askance.rules.update.weights import hinge


class PAM(NamedTuple):
    """PAM: take the step after which y p = 1, τ = ℓ / v.

    Parameters
    ----------
    full : bool, default=False
        Keep all of Σ, in O(d²) memory and time per row. Otherwise keep its diagonal, in O(d').
    inverse : bool, default=True
        If only the diagonal is kept: take it from Σ⁻¹ ← Σ⁻¹ + x xᵀ; otherwise from Σ ← Σ - Σx xᵀΣ / (1 + v).

    References
    ----------
    Nguyen, Chang and Hui 2011, algorithm 1.
    """

    full: bool = False
    inverse: bool = True

    def start(self, width: int, dtype: DTypeLike) -> Any:
        """μ = 0, Σ = I."""
        return initial_gaussian(self, width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, tuple[float, float, float]]:
        """Return τ y, and how much Σ shrinks."""
        loss = hinge(seen, label)
        entrywise = self.inverse & (not self.full)
        length = label * full_step(loss, seen.spread)
        return loss > 0, (length, 0.0, shrinkage(1.0, seen.spread, entrywise))

    def constraints(self) -> Constraints:
        """Both parameters are bools."""
        return {"full": YES_OR_NO, "inverse": YES_OR_NO}

    def about(self) -> About:
        """Return the cost; the rule has a spread, and its diagonal is also for many classes."""
        return about_second_order(self, many=True)


class PAM1(NamedTuple):
    """PAM-I: steps of bounded length, τ = min(C, ℓ / v).

    Parameters
    ----------
    C : float, default=1.0
        The largest step. Smaller values limit the effect of a wrong label.
    full : bool, default=False
        Keep all of Σ, in O(d²) memory and time per row. Otherwise keep its diagonal, in O(d').
    inverse : bool, default=True
        If only the diagonal is kept: take it from Σ⁻¹ ← Σ⁻¹ + x xᵀ; otherwise from Σ ← Σ - Σx xᵀΣ / (1 + v).

    References
    ----------
    Nguyen, Chang and Hui 2011, algorithm 1.
    """

    C: float = 1.0
    full: bool = False
    inverse: bool = True

    def start(self, width: int, dtype: DTypeLike) -> Any:
        """μ = 0, Σ = I."""
        return initial_gaussian(self, width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, tuple[float, float, float]]:
        """Return τ y, and how much Σ shrinks."""
        loss = hinge(seen, label)
        entrywise = self.inverse & (not self.full)
        length = label * minimum(self.C, full_step(loss, seen.spread))
        return loss > 0, (length, 0.0, shrinkage(1.0, seen.spread, entrywise))

    def constraints(self) -> Constraints:
        """C > 0."""
        return {"C": POSITIVE, "full": YES_OR_NO, "inverse": YES_OR_NO}

    def about(self) -> About:
        """Return the cost; the rule has a spread, and its diagonal is also for many classes."""
        return about_second_order(self, many=True)


class PAM2(NamedTuple):
    """PAM-II: steps that are all damped, τ = ℓ / (v + 1/(2C)).

    Parameters
    ----------
    C : float, default=1.0
        Aggressiveness. The smaller it is, the more a step is damped, most of all on rows with a small spread.
    full : bool, default=False
        Keep all of Σ, in O(d²) memory and time per row. Otherwise keep its diagonal, in O(d').
    inverse : bool, default=True
        If only the diagonal is kept: take it from Σ⁻¹ ← Σ⁻¹ + x xᵀ; otherwise from Σ ← Σ - Σx xᵀΣ / (1 + v).

    References
    ----------
    Nguyen, Chang and Hui 2011, algorithm 1.
    """

    C: float = 1.0
    full: bool = False
    inverse: bool = True

    def start(self, width: int, dtype: DTypeLike) -> Any:
        """μ = 0, Σ = I."""
        return initial_gaussian(self, width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, tuple[float, float, float]]:
        """Return τ y, and how much Σ shrinks."""
        loss = hinge(seen, label)
        entrywise = self.inverse & (not self.full)
        length = label * loss / (seen.spread + 1.0 / (2.0 * self.C))
        return loss > 0, (length, 0.0, shrinkage(1.0, seen.spread, entrywise))

    def constraints(self) -> Constraints:
        """C > 0."""
        return {"C": POSITIVE, "full": YES_OR_NO, "inverse": YES_OR_NO}

    def about(self) -> About:
        """Return the cost; the rule has a spread, and its diagonal is also for many classes."""
        return about_second_order(self, many=True)
