"""Passive-aggressive Mahalanobis learning (Nguyen, Chang and Hui 2011, algorithm 1).

With p = μ·x, v = xᵀΣx and ℓ = max(0, 1 - y p), a label with ℓ > 0 gives μ ← μ + τ y Σx and then Σ⁻¹ ← Σ⁻¹ + x xᵀ:
passive-aggressive learning in which directions that many rows had move less. Were Σ = I for ever, it would be PA.

With `full`, all of Σ is kept: O(d²) memory and time a row. Without, its diagonal: O(d'), that of the formula above
with `inverse`, or that of Σ ← Σ - Σx xᵀΣ / (1 + v). A row of zeros moves nothing.
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
    """PAM: τ = ℓ / v, after which y p = 1."""

    full: bool = False
    inverse: bool = True

    def start(self, width: int, dtype: DTypeLike) -> Any:
        """μ = 0, Σ = I."""
        return initial_gaussian(self, width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, tuple[float, float, float]]:
        """τ y, and how much smaller Σ becomes."""
        loss = hinge(seen, label)
        entrywise = self.inverse & (not self.full)
        length = label * full_step(loss, seen.spread)
        return loss > 0, (length, 0.0, shrinkage(1.0, seen.spread, entrywise))

    def constraints(self) -> Constraints:
        """It has switches alone."""
        return {"full": YES_OR_NO, "inverse": YES_OR_NO}

    def about(self) -> About:
        """It has a spread."""
        return about_second_order(self)


class PAM1(NamedTuple):
    """PAM-I: τ = min(C, ℓ / v); C bounds how much one label can do."""

    C: float = 1.0
    full: bool = False
    inverse: bool = True

    def start(self, width: int, dtype: DTypeLike) -> Any:
        """μ = 0, Σ = I."""
        return initial_gaussian(self, width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, tuple[float, float, float]]:
        """τ y, and how much smaller Σ becomes."""
        loss = hinge(seen, label)
        entrywise = self.inverse & (not self.full)
        length = label * minimum(self.C, full_step(loss, seen.spread))
        return loss > 0, (length, 0.0, shrinkage(1.0, seen.spread, entrywise))

    def constraints(self) -> Constraints:
        """C > 0."""
        return {"C": POSITIVE, "full": YES_OR_NO, "inverse": YES_OR_NO}

    def about(self) -> About:
        """It has a spread."""
        return about_second_order(self)


class PAM2(NamedTuple):
    """PAM-II: τ = ℓ / (v + 1/(2C)); every step is dampened, most those on rows that are known."""

    C: float = 1.0
    full: bool = False
    inverse: bool = True

    def start(self, width: int, dtype: DTypeLike) -> Any:
        """μ = 0, Σ = I."""
        return initial_gaussian(self, width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, tuple[float, float, float]]:
        """τ y, and how much smaller Σ becomes."""
        loss = hinge(seen, label)
        entrywise = self.inverse & (not self.full)
        length = label * loss / (seen.spread + 1.0 / (2.0 * self.C))
        return loss > 0, (length, 0.0, shrinkage(1.0, seen.spread, entrywise))

    def constraints(self) -> Constraints:
        """C > 0."""
        return {"C": POSITIVE, "full": YES_OR_NO, "inverse": YES_OR_NO}

    def about(self) -> About:
        """It has a spread."""
        return about_second_order(self)
