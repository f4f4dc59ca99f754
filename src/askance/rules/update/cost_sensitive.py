"""Learning where a missed positive row costs more than a false alarm, as in Lu, Zhao and Hoi 2016, section 5.

ρ says how many times as much; `askance.rules.costs` finds it from counts or costs. Each rule costs one pass over
the row's non-zeros. A row of zeros moves nothing.
"""

import math
from typing import NamedTuple

from numpy.typing import DTypeLike

from askance._util.parameters import (
    NOT_NEGATIVE_AND_FINITE,
    POSITIVE,
    POSITIVE_OR_INFINITE,
    YES_OR_NO,
    Constraints,
)
from askance.jit.select import maximum, minimum, where
from askance.rules.rows import Seen
from askance.rules.state.weights import Weights
from askance.rules.update.passive_aggressive import full_step
from askance.rules.update.weights import zero_weights


class CostSensitivePA1(NamedTuple):
    """CSPA: PA-I with ℓ = max(0, ρ_y - y p), where ρ_y is ρ for a positive label and else 1: τ = min(C, ℓ / x·x).

    Lu, Zhao and Hoi 2016, algorithm 4, which supposes rows of length 1; `literal` takes τ = min(C, ℓ), as printed
    there, for rows of any length. The bounds want C ≥ ρ ≥ 1.
    """

    C: float = 2.0
    rho: float = 2.0
    literal: bool = False

    def start(self, width: int, dtype: DTypeLike) -> Weights:
        """w = 0."""
        return zero_weights(width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """τ y."""
        loss = maximum(0.0, where(label > 0, self.rho, 1.0) - label * seen.score)
        wanted = where(self.literal, loss, full_step(loss, seen.squared_norm))
        return loss > 0, label * minimum(self.C, wanted)

    def constraints(self) -> Constraints:
        """C > 0, ρ > 0."""
        return {"C": POSITIVE, "rho": POSITIVE, "literal": YES_OR_NO}


class PAUM(NamedTuple):
    """The Perceptron with uneven margins (Li et al. 2002): if y p ≤ τ_y, w ← w + η y x.

    τ_y is `tau_pos` for a positive label and else `tau_neg`. There is no bias.
    """

    tau_pos: float = 2.0
    tau_neg: float = 1.0
    eta: float = 1.0

    def start(self, width: int, dtype: DTypeLike) -> Weights:
        """w = 0."""
        return zero_weights(width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """η y."""
        return label * seen.score <= where(label > 0, self.tau_pos, self.tau_neg), label * self.eta

    def constraints(self) -> Constraints:
        """Margins ≥ 0, η > 0."""
        return {"tau_pos": NOT_NEGATIVE_AND_FINITE, "tau_neg": NOT_NEGATIVE_AND_FINITE, "eta": POSITIVE}


class CPA(NamedTuple):
    """The prediction-based passive-aggressive rule (Crammer et al. 2006, section 8): on a mistake, ℓ = √c - y p.

    c is ρ for a positive label and else 1. τ = min(C, ℓ / x·x) as in PA-I, which C = ∞ makes PA; or, if `squared`,
    τ = ℓ / (x·x + 1/(2C)) as in PA-II. A right prediction changes nothing, however close it was.
    """

    C: float = 2.0
    rho: float = 2.0
    squared: bool = False

    def start(self, width: int, dtype: DTypeLike) -> Weights:
        """w = 0."""
        return zero_weights(width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """τ y."""
        loss = math.sqrt(where(label > 0, self.rho, 1.0)) - label * seen.score
        hard = minimum(self.C, full_step(loss, seen.squared_norm))
        soft = full_step(loss, seen.squared_norm + 1.0 / (2.0 * self.C))
        return seen.prediction != label, label * where(self.squared, soft, hard)

    def constraints(self) -> Constraints:
        """C > 0, ρ > 0."""
        return {"C": POSITIVE_OR_INFINITE, "rho": POSITIVE, "squared": YES_OR_NO}
