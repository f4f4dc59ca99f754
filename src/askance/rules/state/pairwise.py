"""The form of rules that compare a row with all rows of the other class, by their mean and covariance."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from askance.jit.select import sign, where
from askance.jit.simd.blocked_dot import lane_dot
from askance.rules.state.form import with_defaults
from askance.rules.state.weights import Weights


class PairwiseState(Protocol):
    """Weights, and for each class the number of rows (`counts`) and their `sums`. Class 0 is the negative one."""

    def covariance_product(self, side: int, mean_score: float, product: Any, shadow: Any) -> None:
        """product ← S w, where S is the covariance and c·w the mean score of class `side`. `shadow` is scratch."""

    def accumulate(self, side: int, rows: Any, t: int) -> None:
        """Add row `t` to the statistics of its class."""


@with_defaults
class Pairwise(NamedTuple):
    """The form of a `PairwiseState`. A step is (y, η, λ): gradient descent on the square loss of all pairs.

    `kept` holds the score of the current row. `product` and `shadow` are scratch arrays.
    """

    product: NDArray[np.float64]
    shadow: NDArray[np.float64]
    kept: NDArray[np.float64]

    def look(self, state: Any, rows: Any, t: int, width: int, at_zero: float) -> tuple[Any, ...]:
        """Return w·x."""
        total, spread, squared_norm, sound = rows.sweep(t, Weights(state.weights), width)
        self.kept[0] = total
        return total, spread, squared_norm, sign(total, at_zero), sound

    def learn(self, state: Any, rows: Any, t: int, step: Any) -> None:
        """w ← w - η (λw + (x - c)((x - c)·w - y) + S w), with mean c and covariance S of the other class."""
        label, eta, lam = step
        other = where(label > 0, 0, 1)
        weights, sums, count = state.weights, state.sums[other], state.counts[other]
        mean_score = lane_dot(sums, 0, weights, weights.shape[0]) / count
        state.covariance_product(other, mean_score, self.product, self.shadow)
        gap = self.kept[0] - mean_score - label
        for j in range(weights.shape[0]):
            weights[j] -= eta * (lam * weights[j] - gap * sums[j] / count + self.product[j])
        for k in range(rows.size(t)):
            j, x = rows.entry(t, k)
            weights[j] -= eta * gap * x

    def record_label(self, state: Any, rows: Any, t: int, label: float) -> None:
        """Add the row to the mean and the covariance of its class."""
        side = where(label > 0, 1, 0)
        state.counts[side] += 1.0
        for k in range(rows.size(t)):
            j, x = rows.entry(t, k)
            state.sums[side, j] += x
        state.accumulate(side, rows, t)


def form_for_pairs(width: int, columns: int = 0) -> Pairwise:
    """Return the form for `width` features, and a sketch with that many columns."""
    return Pairwise(np.zeros(width), np.zeros(columns), np.zeros(1))
