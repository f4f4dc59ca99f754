"""Cost-sensitive learning: a missed positive row costs ρ times as much as a false alarm.

As in Lu, Zhao and Hoi 2016, section 5; decision 75 applies their loss to adaptive subgradients.
`askance.rules.costs` computes ρ from class sizes or costs. Each rule takes one pass over the non-zeros of the row.
A row of zeros changes nothing.
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
from askance.jit.interop import inlined
from askance.jit.select import maximum, minimum, where
from askance.rules.rows import Seen
from askance.rules.state.weights import Weights
from askance.rules.update.passive_aggressive import full_step
from askance.rules.update.rule import About
from askance.rules.update.scaled_gradient import ScaledGradient
from askance.rules.update.subgradient import DELTA, Averaged, Descended, DualAveraging, MirrorDescent
from askance.rules.update.weights import zero_weights


@inlined
def uneven_hinge(seen: Seen, label: float, rho: float) -> float:
    """Return max(0, ρ_y - y p), where ρ_y is ρ for a positive label and 1 for a negative one."""
    loss: float = maximum(0.0, where(label > 0, rho, 1.0) - label * seen.score)
    return loss


class CostSensitivePA1(NamedTuple):
    """CSPA: PA-I with a cost-sensitive loss.

    A label with ℓ = max(0, ρ_y - y p) > 0, where ρ_y is ρ for a positive label and 1 for a negative one, gives
    w ← w + τ y x with τ = min(C, ℓ / x·x). The bounds of the paper assume C ≥ ρ ≥ 1.

    Parameters
    ----------
    C : float, default=2.0
        The largest step.
    rho : float, default=2.0
        The cost ρ of a missed positive row relative to a false alarm.
    literal : bool, default=False
        Use τ = min(C, ℓ) for rows of any length. The paper prints this formula; it assumes rows of length 1.

    References
    ----------
    Lu, Zhao and Hoi 2016, algorithm 4.
    """

    C: float = 2.0
    rho: float = 2.0
    literal: bool = False

    def start(self, width: int, dtype: DTypeLike) -> Weights:
        """w = 0."""
        return zero_weights(width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """τ y."""
        loss = uneven_hinge(seen, label, self.rho)
        wanted = where(self.literal, loss, full_step(loss, seen.squared_norm))
        return loss > 0, label * minimum(self.C, wanted)

    def weighted(self, weight: float) -> "CostSensitivePA1":
        """Return the rule for a label of this weight, which multiplies its loss and so C."""
        return self._replace(C=self.C * weight)

    def constraints(self) -> Constraints:
        """C > 0, ρ > 0."""
        return {"C": POSITIVE, "rho": POSITIVE, "literal": YES_OR_NO}


class CostSensitiveDA(NamedTuple):
    """`DualAveraging` with a cost-sensitive loss.

    A label with ℓ = max(0, ρ_y - y p) > 0, where ρ_y is ρ for a positive label and 1 for a negative one, has the
    subgradient g = -y x. With ρ = 1, it is `DualAveraging`.

    Parameters
    ----------
    delta : float, default=1.0
        The initial value δ of the diagonal of H. Larger values make the first steps of a feature smaller.
    eta : float, default=1.0
        The step size η.
    rho : float, default=2.0
        The cost ρ of a missed positive row relative to a false alarm.

    References
    ----------
    Zhai et al. 2022, algorithm 1, with the loss of Lu, Zhao and Hoi 2016, algorithm 4; decision 75.
    """

    delta: float = 1.0
    eta: float = 1.0
    rho: float = 2.0

    def start(self, width: int, dtype: DTypeLike) -> Averaged:
        """w = 0, H = δ."""
        return DualAveraging(self.delta, self.eta).start(width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """η y."""
        return uneven_hinge(seen, label, self.rho) > 0, label * self.eta

    def weighted(self, weight: float) -> ScaledGradient:
        """Return the rule for a label of this weight, which multiplies the subgradient: g = -weight · y x."""
        return ScaledGradient(self, weight)

    def constraints(self) -> Constraints:
        """δ > 0, η > 0, ρ > 0."""
        return {"delta": DELTA, "eta": POSITIVE, "rho": POSITIVE}

    def about(self) -> About:
        """For two classes; its spread is x·H⁻¹x."""
        return About(has_spread=True)


class CostSensitiveMD(NamedTuple):
    """`MirrorDescent` with a cost-sensitive loss.

    A label with ℓ = max(0, ρ_y - y p) > 0, where ρ_y is ρ for a positive label and 1 for a negative one, has the
    subgradient g = -y x. With ρ = 1, it is `MirrorDescent`.

    Parameters
    ----------
    delta : float, default=1.0
        The initial value δ of the diagonal of H. Larger values make the first steps of a feature smaller.
    eta : float, default=1.0
        The step size η.
    rho : float, default=2.0
        The cost ρ of a missed positive row relative to a false alarm.

    References
    ----------
    Zhai et al. 2022, algorithm 1, with the loss of Lu, Zhao and Hoi 2016, algorithm 4; decision 75.
    """

    delta: float = 1.0
    eta: float = 1.0
    rho: float = 2.0

    def start(self, width: int, dtype: DTypeLike) -> Descended:
        """w = 0, H = δ."""
        return MirrorDescent(self.delta, self.eta).start(width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """η y."""
        return uneven_hinge(seen, label, self.rho) > 0, label * self.eta

    def weighted(self, weight: float) -> ScaledGradient:
        """Return the rule for a label of this weight, which multiplies the subgradient: g = -weight · y x."""
        return ScaledGradient(self, weight)

    def constraints(self) -> Constraints:
        """δ > 0, η > 0, ρ > 0."""
        return {"delta": DELTA, "eta": POSITIVE, "rho": POSITIVE}

    def about(self) -> About:
        """For two classes; its spread is x·H⁻¹x."""
        return About(has_spread=True)


class PAUM(NamedTuple):
    """The Perceptron with uneven margins: if y p ≤ τ_y, w ← w + η y x.

    τ_y is `tau_pos` for a positive label and `tau_neg` for a negative one. There is no bias.

    Parameters
    ----------
    tau_pos : float, default=2.0
        The margin of positive rows.
    tau_neg : float, default=1.0
        The margin of negative rows.
    eta : float, default=1.0
        The step size η.

    References
    ----------
    Li, Zaragoza, Herbrich, Shawe-Taylor and Kandola 2002.
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

    def weighted(self, weight: float) -> "PAUM":
        """Return the rule for a label of this weight, which multiplies the step."""
        return self._replace(eta=self.eta * weight)

    def constraints(self) -> Constraints:
        """Both margins ≥ 0, η > 0."""
        return {"tau_pos": NOT_NEGATIVE_AND_FINITE, "tau_neg": NOT_NEGATIVE_AND_FINITE, "eta": POSITIVE}


class CPA(NamedTuple):
    """The prediction-based passive-aggressive rule: on a mistake, ℓ = √c - y p and w ← w + τ y x.

    c is ρ for a positive label and 1 for a negative one. τ = min(C, ℓ / x·x) as in PA-I, and as in PA for C = ∞;
    if `squared`, τ = ℓ / (x·x + 1/(2C)) as in PA-II. A correct prediction changes nothing, however small its
    margin.

    Parameters
    ----------
    C : float, default=2.0
        The largest step, or the aggressiveness of PA-II. It may be infinite.
    rho : float, default=2.0
        The cost ρ of a missed positive row relative to a false alarm.
    squared : bool, default=False
        Use the step of PA-II.

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006, section 8.
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

    def weighted(self, weight: float) -> "CPA":
        """Return the rule for a label of this weight, which multiplies its loss and so C."""
        return self._replace(C=self.C * weight)

    def constraints(self) -> Constraints:
        """C > 0, ρ > 0."""
        return {"C": POSITIVE_OR_INFINITE, "rho": POSITIVE, "squared": YES_OR_NO}
