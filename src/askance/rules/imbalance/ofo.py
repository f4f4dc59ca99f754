"""Online F-measure optimisation (Busa-Fekete, Szörényi, Dembczyński and Hüllermeier 2015)."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from askance._util.parameters import Constraints
from askance.jit.interop import inlined
from askance.jit.select import maximum, where
from askance.jit.simd.exponential import FURTHEST, sigmoid
from askance.rules.rows import Seen
from askance.rules.state.ensemble import LEAST
from askance.rules.state.form import with_defaults
from askance.rules.state.weights import Weights
from askance.rules.update.gradient import COMMON, learning_rate, negative_slope

EARLIER_LANES = 16  # of an ensemble of one member, which OFO was in earlier model files


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
        return ThresholdState(np.zeros(width, dtype), np.zeros(1), np.zeros(1))

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """-η_t ℓ'(y p) y. It may be 0 where the threshold makes a mistake, which counts as an update."""
        slope = negative_slope(1.0 - label * seen.score, self.logistic)
        return True, label * learning_rate(self.eta, self.decaying, seen.n_labels) * slope

    def constraints(self) -> Constraints:
        """η > 0."""
        return COMMON


class ThresholdState(NamedTuple):
    """The state of `OFO`: w, the true positives a (`hits`), and the sum b of positives and predicted positives."""

    weights: NDArray[Any]
    hits: NDArray[np.float64]
    calls: NDArray[np.float64]

    def form(self) -> "Thresholded":
        """Return the form of a linear classifier with a threshold."""
        return Thresholded(np.zeros(2))

    def restored(self, found: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Return the arrays of a model file; earlier ones have w in the first of `EARLIER_LANES` lanes."""
        weights = found.get("state/weights", self.weights)
        if weights.shape == (len(self.weights) * EARLIER_LANES,):
            weights = weights[::EARLIER_LANES]
        return {**found, "state/weights": weights}


@with_defaults
class Thresholded(NamedTuple):
    """The form of a `ThresholdState`.

    `kept` has the score of the current row, and how many rows its label stands for.
    """

    kept: NDArray[np.float64]

    def look(self, state: Any, rows: Any, t: int, width: int, at_zero: float) -> tuple[Any, ...]:  # noqa: ARG002
        """Return p, and a positive prediction if σ(p) ≥ τ."""
        score, spread, squared_norm, sound = rows.sweep(t, Weights(state.weights), width)
        self.kept[0] = score
        return score, spread, squared_norm, predicted(state, score), sound

    def write_score(self, state: Any, score: float, scores: Any, t: int) -> None:
        """Write p minus the value at which σ(p) = τ."""
        tau = threshold(state)
        scores[t, 0] = score - maximum(math.log(tau / (1.0 - tau)) if tau > 0.0 else -FURTHEST, -FURTHEST)

    def as_binary(self, seen: Seen, label: float, probability: float) -> tuple[Seen, float]:
        """Return row and label unchanged. A label that was asked for with probability π counts as 1/π rows."""
        self.kept[1] = 1.0 / maximum(probability, LEAST)
        return seen, label

    def learn(self, state: Any, rows: Any, t: int, step: Any) -> None:
        """Move every feature of the row."""
        rows.shift(t, Weights(state.weights), step)

    def record_label(self, state: Any, rows: Any, t: int, label: float) -> None:  # noqa: ARG002
        """Update a and b with the prediction before the step."""
        weight = self.kept[1]
        called = where(predicted(state, self.kept[0]) > 0, weight, 0.0)
        state.hits[0] += where(label > 0, called, 0.0)
        state.calls[0] += where(label > 0, weight, 0.0) + called


@inlined
def predicted(state: Any, score: Any) -> Any:
    """Return 1 if σ(p) ≥ τ, else -1."""
    return where(sigmoid(score) >= threshold(state), 1.0, -1.0)


@inlined
def threshold(state: Any) -> Any:
    """Return τ = a / b, and 0 while b is 0."""
    return state.hits[0] / where(state.calls[0] > 0.0, state.calls[0], 1.0)
