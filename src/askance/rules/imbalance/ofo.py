"""Online F-measure optimisation (Busa-Fekete, Szörényi, Dembczyński and Hüllermeier 2015)."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from askance._util.parameters import Constraints
from askance.jit.interop import inlined
from askance.jit.select import maximum, where
from askance.jit.simd.aligned import aligned_zeros
from askance.jit.simd.exponential import FURTHEST, sigmoid
from askance.rules.rows import Seen
from askance.rules.state.ensemble import Ensemble, form_for_ensemble, lanes_for
from askance.rules.update.gradient import COMMON, learning_rate, negative_slope


class OFO(NamedTuple):
    """Gradient descent as in `OGD`, with a threshold: a row is positive if σ(p) ≥ τ, where τ is half of F so far.

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
    Busa-Fekete, Szörényi, Dembczyński and Hüllermeier 2015.
    """

    eta: float = 1.0
    logistic: bool = False
    decaying: bool = True

    def start(self, width: int, dtype: DTypeLike) -> "ThresholdState":
        """w = 0, τ = 0."""
        return ThresholdState(
            aligned_zeros(width * lanes_for(1), dtype), np.zeros(1), np.zeros(1), 1, self.logistic
        )

    def step(self, seen: Seen, label: float) -> tuple[bool, tuple[float, float]]:
        """Return the label, and η_t."""
        return True, (label, learning_rate(self.eta, self.decaying, seen.n_labels))

    def constraints(self) -> Constraints:
        """η > 0."""
        return COMMON


class ThresholdState(NamedTuple):
    """The state of `OFO`.

    w is in the first lane. `hits` are the true positives a, `calls` the sum b of positives and predicted
    positives.
    """

    weights: NDArray[Any]
    hits: NDArray[np.float64]
    calls: NDArray[np.float64]
    members: int
    logistic: bool

    def form(self) -> Ensemble:
        """Return the form of an ensemble of one member."""
        return form_for_ensemble(self.members, self.weights.dtype)

    def combine(self, scores: Any, at_zero: float) -> tuple[float, float]:  # noqa: ARG002
        """Return p, and a positive prediction if σ(p) ≥ τ."""
        return scores[0], where(sigmoid(scores[0]) >= threshold(self.hits[0], self.calls[0]), 1.0, -1.0)

    def decision_value(self, score: float) -> float:
        """Return p minus the value at which σ(p) = τ."""
        tau = threshold(self.hits[0], self.calls[0])
        return score - maximum(math.log(tau / (1.0 - tau)) if tau > 0.0 else -FURTHEST, -FURTHEST)

    def sample_member(self, scores: Any, at_zero: float, coin: float) -> tuple[float, float, float]:
        """Return the same as `combine`, and the coin unchanged."""
        score, prediction = self.combine(scores, at_zero)
        return score, prediction, coin

    def fill_steps(
        self,
        scores: Any,
        steps: Any,
        numbers: Any,  # noqa: ARG002
        step: Any,
        squared_norm: float,  # noqa: ARG002
        draws: Any,  # noqa: ARG002
        label_number: int,  # noqa: ARG002
    ) -> bool:
        """Compute the step -η_t ℓ'(y p) y; return whether it is not 0."""
        label, eta = step
        slope = negative_slope(1.0 - label * scores[0], self.logistic)
        steps[0] = label * eta * slope
        return slope > 0.0

    def observe(self, scores: Any, places: Any, label: float, weight: float) -> None:  # noqa: ARG002
        """Update a and b with the prediction before the step."""
        _score, prediction = self.combine(scores, 1.0)
        positive, called = where(label > 0, weight, 0.0), where(prediction > 0, weight, 0.0)
        self.hits[0] += where(label > 0, called, 0.0)
        self.calls[0] += positive + called


@inlined
def threshold(hits: float, calls: float) -> float:
    """Return τ = a / b, and 0 while b is 0."""
    tau: float = hits / where(calls > 0.0, calls, 1.0)
    return tau
