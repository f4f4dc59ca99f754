"""Online gradient descent (Zinkevich 2003) on the hinge or the logistic loss, and with costs (Wang, Zhao and Hoi
2014).

ρ says how many times as much a positive label counts as a negative one; `running` takes (1 + negatives) / (1 +
positives) of the labels so far. The pace is η, or η/√t at the t-th label if it is `decaying`. Each rule costs one
pass over the row's non-zeros. A row of zeros moves nothing.
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

# Whether the pace falls, as the catalog calls it.
SCHEDULES = {"sqrt": True, "const": False}

RHO: Constraints = {"rho": POSITIVE, "running": YES_OR_NO}
COMMON: Constraints = {"eta": POSITIVE, "logistic": YES_OR_NO, "decaying": YES_OR_NO}


class OGD(NamedTuple):
    """w ← w - η_t ℓ'(y p) y x, with the loss max(0, 1 - y p) or, if `logistic`, log(1 + e^(-y p))."""

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

    def constraints(self) -> Constraints:
        """η > 0."""
        return COMMON


class OCS1(NamedTuple):
    """Cost-sensitive gradient descent by the margin: the loss max(0, ρ_y - y p), or log(1 + e^(ρ_y - 1 - y p))."""

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

    def constraints(self) -> Constraints:
        """ρ > 0, η > 0."""
        return {**RHO, **COMMON}


class OCS2(NamedTuple):
    """Cost-sensitive gradient descent by the slope: the loss ρ_y max(0, 1 - y p), or ρ_y log(1 + e^(-y p))."""

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

    def constraints(self) -> Constraints:
        """ρ > 0, η > 0."""
        return {**RHO, **COMMON}


@inlined
def negative_slope(short: Any, logistic: bool) -> Any:
    """-ℓ' where a margin falls `short` of what it should be: 1 or 0 by the hinge, σ(short - 1) by the logistic
    loss.
    """
    if logistic:
        return sigmoid(short - 1.0)
    return where(short > 0.0, 1.0, 0.0)


@inlined
def learning_rate(eta: Any, decaying: bool, n_labels: Any) -> Any:
    """η_t, of the label after `n_labels` others."""
    if decaying:
        return eta / math.sqrt(n_labels + 1.0)
    return eta


@inlined
def rho_of(rule: Any, seen: Seen, label: float) -> Any:
    """ρ_y: ρ for a positive label, 1 for a negative one."""
    running = (1.0 + (seen.n_labels - seen.n_positives)) / (1.0 + seen.n_positives)
    return where(label > 0, where(rule.running, running, rule.rho), 1.0)
