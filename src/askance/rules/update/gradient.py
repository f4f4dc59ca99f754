"""Online gradient descent (Zinkevich 2003), and cost-sensitive gradient descent (Wang, Zhao and Hoi 2014).

The loss is the hinge or the logistic loss. The learning rate η_t is η, or η/√t at label t if `decaying`. ρ_y is
the cost ρ for a positive label and 1 for a negative one; with `running`, ρ = (1 + negatives) / (1 + positives)
over the labels so far. Each rule costs one pass over the non-zeros of the row. A row of zeros changes nothing.
"""

import math
from typing import Any, NamedTuple

from numpy.typing import DTypeLike

from askance._util.parameters import POSITIVE, YES_OR_NO, Constraints
from askance.jit.interop import inlined
from askance.jit.select import where
from askance.jit.simd.exponential import sigmoid
from askance.rules.rows import Seen
from askance.rules.state.weights import Weights
from askance.rules.update.weights import zero_weights

# The schedules of the catalog, and whether the learning rate decays.
SCHEDULES = {"sqrt": True, "const": False}

RHO: Constraints = {"rho": POSITIVE, "running": YES_OR_NO}
COMMON: Constraints = {"eta": POSITIVE, "logistic": YES_OR_NO, "decaying": YES_OR_NO}


class OGD(NamedTuple):
    """Online gradient descent: w ← w - η_t ℓ'(y p) y x.

    The loss is max(0, 1 - y p) or, if `logistic`, log(1 + e^(-y p)).

    Parameters
    ----------
    eta : float, default=1.0
        The learning rate η.
    logistic : bool, default=False
        Use the logistic loss instead of the hinge loss.
    decaying : bool, default=True
        Let the learning rate fall as η/√t, where t counts labels.

    References
    ----------
    Zinkevich 2003.
    """

    eta: float = 1.0
    logistic: bool = False
    decaying: bool = True

    def start(self, width: int, dtype: DTypeLike) -> Weights:
        """w = 0."""
        return zero_weights(width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """-η_t ℓ'(y p) y."""
        slope = negative_slope(1.0 - label * seen.score, self.logistic)
        return slope > 0, label * learning_rate(self.eta, self.decaying, seen.n_labels) * slope

    def weighted(self, weight: float) -> "OGD":
        """Return the rule for a label of this weight, which multiplies the gradient and so η."""
        return OGD(self.eta * weight, self.logistic, self.decaying)

    def constraints(self) -> Constraints:
        """η > 0."""
        return COMMON


class OCS1(NamedTuple):
    """Cost-sensitive gradient descent: costs change the margin.

    The loss is max(0, ρ_y - y p) or, if `logistic`, log(1 + e^(ρ_y - 1 - y p)).

    Parameters
    ----------
    rho : float, default=2.0
        The cost ρ of a positive label relative to a negative one.
    eta : float, default=0.1
        The learning rate η.
    running : bool, default=False
        Take ρ from the labels so far, (1 + negatives) / (1 + positives), instead of `rho`.
    logistic : bool, default=False
        Use the logistic loss instead of the hinge loss.
    decaying : bool, default=False
        Let the learning rate fall as η/√t, where t counts labels.

    References
    ----------
    Wang, Zhao and Hoi 2014.
    """

    rho: float = 2.0
    eta: float = 0.1
    running: bool = False
    logistic: bool = False
    decaying: bool = False

    def start(self, width: int, dtype: DTypeLike) -> Weights:
        """w = 0."""
        return zero_weights(width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """-η_t ℓ' y."""
        slope = negative_slope(rho_of(self, seen, label) - label * seen.score, self.logistic)
        return slope > 0, label * learning_rate(self.eta, self.decaying, seen.n_labels) * slope

    def weighted(self, weight: float) -> "OCS1":
        """Return the rule for a label of this weight, which multiplies the gradient and so η."""
        return self._replace(eta=self.eta * weight)

    def constraints(self) -> Constraints:
        """ρ > 0, η > 0."""
        return {**RHO, **COMMON}


class OCS2(NamedTuple):
    """Cost-sensitive gradient descent: costs change the slope.

    The loss is ρ_y max(0, 1 - y p) or, if `logistic`, ρ_y log(1 + e^(-y p)).

    Parameters
    ----------
    rho : float, default=2.0
        The cost ρ of a positive label relative to a negative one.
    eta : float, default=0.1
        The learning rate η.
    running : bool, default=False
        Take ρ from the labels so far, (1 + negatives) / (1 + positives), instead of `rho`.
    logistic : bool, default=False
        Use the logistic loss instead of the hinge loss.
    decaying : bool, default=False
        Let the learning rate fall as η/√t, where t counts labels.

    References
    ----------
    Wang, Zhao and Hoi 2014.
    """

    rho: float = 2.0
    eta: float = 0.1
    running: bool = False
    logistic: bool = False
    decaying: bool = False

    def start(self, width: int, dtype: DTypeLike) -> Weights:
        """w = 0."""
        return zero_weights(width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """-η_t ℓ' y."""
        slope = rho_of(self, seen, label) * negative_slope(1.0 - label * seen.score, self.logistic)
        return slope > 0, label * learning_rate(self.eta, self.decaying, seen.n_labels) * slope

    def weighted(self, weight: float) -> "OCS2":
        """Return the rule for a label of this weight, which multiplies the gradient and so η."""
        return self._replace(eta=self.eta * weight)

    def constraints(self) -> Constraints:
        """ρ > 0, η > 0."""
        return {**RHO, **COMMON}


@inlined
def negative_slope(short: Any, logistic: bool) -> Any:
    """Return -ℓ' for a margin that falls `short` of its target: 1 or 0 (hinge), or σ(short - 1) (logistic)."""
    if logistic:
        return sigmoid(short - 1.0)
    return where(short > 0.0, 1.0, 0.0)


@inlined
def learning_rate(eta: Any, decaying: bool, n_labels: Any) -> Any:
    """Return η_t for the label that follows `n_labels` others."""
    if decaying:
        return eta / math.sqrt(n_labels + 1.0)
    return eta


@inlined
def rho_of(rule: Any, seen: Seen, label: float) -> Any:
    """Return ρ_y: ρ for a positive label, 1 for a negative one."""
    running = (1.0 + (seen.n_labels - seen.n_positives)) / (1.0 + seen.n_positives)
    return where(label > 0, where(rule.running, running, rule.rho), 1.0)
