"""One score, learned by comparing a row with all rows of the other class at once, of which means and spreads are
kept.
"""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from askance.jit.select import sign, where
from askance.jit.simd.blocked_dot import lane_dot
from askance.rules.state.form import with_defaults
from askance.rules.state.weights import Weights


class PairwiseState(Protocol):
    """Weights, with the number of rows of each class (`counts`) and their `sums`; 0 is the negative class."""

    def covariance_product(self, side: int, mean_score: float, product: Any, shadow: Any) -> None:
        """product ← S w, where S is the covariance of that class and c·w its mean score; `shadow` is scratch."""

    def accumulate(self, side: int, rows: Any, t: int) -> None:
        """Let row `t` count in what is kept of its class."""


@with_defaults
class Pairwise(NamedTuple):
    """The form of such states. A step is (y, η, λ): one of gradient descent on the square loss of all pairs.

    `product` and `shadow` are scratch, and so is `kept`, the score of the row in hand.
    """

    product: NDArray[np.float64]
    shadow: NDArray[np.float64]
    kept: NDArray[np.float64]

    def look(self, state: Any, rows: Any, t: int, width: int, at_zero: float) -> tuple[Any, ...]:
        """w·x."""
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
        """The row counts in the mean and in the covariance of its class."""
        side = where(label > 0, 1, 0)
        state.counts[side] += 1.0
        for k in range(rows.size(t)):
            j, x = rows.entry(t, k)
            state.sums[side, j] += x
        state.accumulate(side, rows, t)


def form_for_pairs(width: int, columns: int = 0) -> Pairwise:
    """The form for `width` features, and a sketch of so many columns."""
    return Pairwise(np.zeros(width), np.zeros(columns), np.zeros(1))
