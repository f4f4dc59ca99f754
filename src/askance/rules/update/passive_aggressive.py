"""Passive-aggressive learning (Crammer et al. 2006), as in Lu, Zhao and Hoi 2016, equation 1.

With ℓ = max(0, 1 - y p), a label with ℓ > 0 moves w ← w + τ y x, whether the prediction was wrong or only close.
Each costs one pass over the row's non-zeros. A row of zeros moves nothing.
"""

from typing import NamedTuple

from numpy.typing import DTypeLike

from askance._util.parameters import POSITIVE, Constraints
from askance.jit.interop import inlined
from askance.jit.select import maximum, minimum, where
from askance.rules.rows import Seen
from askance.rules.state.weights import Weights
from askance.rules.update.rule import About
from askance.rules.update.weights import hinge, zero_weights


class PassiveAggressive(NamedTuple):
    """PA: τ = ℓ / (x·x), the smallest step after which y p = 1."""

    def start(self, width: int, dtype: DTypeLike) -> Weights:
        """w = 0."""
        return zero_weights(width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """τ y."""
        loss = hinge(seen, label)
        return loss > 0, label * full_step(loss, seen.squared_norm)

    def constraints(self) -> Constraints:
        """It has no hyper-parameters."""
        return {}

    def about(self) -> About:
        """For two classes and for many."""
        return About(many_classes=True)


class PassiveAggressive1(NamedTuple):
    """PA-I: τ = min(C, ℓ / (x·x)); C bounds how much one label can do."""

    C: float = 1.0

    def start(self, width: int, dtype: DTypeLike) -> Weights:
        """w = 0."""
        return zero_weights(width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """τ y."""
        loss = hinge(seen, label)
        return loss > 0, label * minimum(self.C, full_step(loss, seen.squared_norm))

    def constraints(self) -> Constraints:
        """C > 0."""
        return {"C": POSITIVE}

    def about(self) -> About:
        """For two classes and for many."""
        return About(many_classes=True)


class PassiveAggressive2(NamedTuple):
    """PA-II: τ = ℓ / (x·x + 1/(2C)); every step is dampened, most those on short rows."""

    C: float = 1.0

    def start(self, width: int, dtype: DTypeLike) -> Weights:
        """w = 0."""
        return zero_weights(width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """τ y."""
        loss = hinge(seen, label)
        return loss > 0, label * loss / (seen.squared_norm + 1.0 / (2.0 * self.C))

    def constraints(self) -> Constraints:
        """C > 0."""
        return {"C": POSITIVE}

    def about(self) -> About:
        """For two classes and for many."""
        return About(many_classes=True)


# Shorter rows count as rows of zeros: a full step along them would overflow single precision.
SHORTEST = 1e-30


@inlined
def full_step(loss: float, squared_norm: float) -> float:
    """ℓ / (x·x), and 0 for a row of zeros, which no step can help."""
    step: float = where(squared_norm > SHORTEST, loss / maximum(squared_norm, SHORTEST), 0.0)
    return step
