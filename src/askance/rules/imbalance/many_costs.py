"""Online multiple cost-sensitive learning, OMCSL (Yan 2017, chapter 5, algorithm 7).

The costs that optimise a measure such as F are not known in advance. K classifiers therefore learn side by side by
gradient descent, each with its own costs. In every round one of them is drawn at random to predict; the better its
measure so far, the more likely it is drawn.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from askance._util.parameters import (
    COUNT,
    NOT_NEGATIVE_AND_FINITE,
    POSITIVE,
    YES_OR_NO,
    Constraints,
    check_parameters,
)
from askance.jit.select import maximum, sign, where
from askance.jit.simd.aligned import aligned_zeros
from askance.jit.simd.arithmetic import any_of
from askance.jit.simd.exponential import exp
from askance.jit.simd.vector import at, blocks, first_lanes, sixteen
from askance.rules.imbalance.measures import MEASURES, F
from askance.rules.rows import Seen
from askance.rules.state.ensemble import Ensemble, form_for_ensemble, lanes_for
from askance.rules.update.gradient import learning_rate, negative_slope
from askance.rules.update.rule import About

LARGEST_COIN = 1 - 2.0**-53

# The number of recent labels over which the thesis averages the costs of the best member.
LAST = 5000


class ManyCosts(NamedTuple):
    """K classifiers with the costs c₊ = 1 - θ/2 and c₋ = θ/2 for θ = 1/(K+1), …, K/(K+1).

    Each is updated by w ← w - η_t c_y ℓ'(y p) y x. In each round one is drawn with a probability proportional to
    e^(γM), where M is its measure so far.

    Parameters
    ----------
    measure : F, AUROC or AUPRC, default=F()
        The measure to optimise.
    K : int, default=9
        The number of classifiers.
    gamma : float, default=1.0
        γ: the larger it is, the more the draw prefers good classifiers.
    eta : float, default=1.0
        The learning rate η.
    decaying : bool, default=True
        Let the learning rate fall as η/√t, where t counts labels.
    logistic : bool, default=False
        Use the logistic loss instead of the hinge loss.

    References
    ----------
    Yan 2017, chapter 5, algorithm 7.
    """

    measure: Any = F()
    K: int = 9
    gamma: float = 1.0
    eta: float = 1.0
    decaying: bool = True
    logistic: bool = False

    def start(self, width: int, dtype: DTypeLike) -> "ManyCostsState":
        """Return weights and measures of 0, and equal probabilities."""
        return ManyCostsState(
            aligned_zeros(width * lanes_for(self.K), dtype),
            self.measure.start(lanes_for(self.K)),
            np.arange(1.0, lanes_for(self.K) + 1),
            np.zeros(2, np.int64),
            np.zeros(LAST, np.int32),
            int(self.K),
            float(self.gamma),
            self.logistic,
        )

    def step(self, seen: Seen, label: float) -> tuple[bool, tuple[float, float]]:
        """Return the label, and η_t; `fill_steps` computes the step of each member from them."""
        return True, (label, learning_rate(self.eta, self.decaying, seen.n_labels))

    def constraints(self) -> Constraints:
        """K ≥ 1, γ ≥ 0, η > 0."""
        return {
            "K": COUNT,
            "gamma": NOT_NEGATIVE_AND_FINITE,
            "eta": POSITIVE,
            "decaying": YES_OR_NO,
            "logistic": YES_OR_NO,
        }

    def about(self) -> About:
        """Return the cost of a round."""
        return About(cost="O(K d')" if isinstance(self.measure, F) else "O(K (d' + m))")

    def check(self) -> None:
        """Raise ValueError or TypeError if the measure is not valid."""
        if not isinstance(self.measure, tuple(MEASURES.values())):
            raise TypeError(
                f"ManyCosts: measure must be F(), AUROC() or AUPRC() from rules.imbalance, not {self.measure!r}"
            )
        measure: Any = self.measure
        check_parameters(measure, measure.constraints())


def costs(K: int) -> NDArray[np.float64]:
    """Return the costs of a missed positive row and of a false alarm, one row per member."""
    half_theta = np.arange(1, K + 1) / (2 * (K + 1))
    return np.column_stack([1 - half_theta, half_theta])


class ManyCostsState(NamedTuple):
    """The state of `ManyCosts`.

    It has the weights by feature and lane, the statistics of the measure, the cumulative sums of e^(γM), the best
    member and the number of labels, the best members at recent labels, and parameters of the rule.
    """

    weights: NDArray[Any]
    observed: Any
    chances: NDArray[np.float64]
    best: NDArray[np.int64]
    recent: NDArray[np.int32]
    members: int
    gamma: Any
    logistic: bool

    def form(self) -> Ensemble:
        """Return the form of an ensemble."""
        return form_for_ensemble(self.members, self.weights.dtype)

    def combine(self, scores: Any, at_zero: float) -> tuple[float, float]:
        """Return the score and the prediction of the best member so far."""
        score = scores[self.best[0]]
        return score, sign(score, at_zero)

    def decision_value(self, score: float) -> float:
        """Return the score."""
        return score

    def sample_member(self, scores: Any, at_zero: float, coin: float) -> tuple[float, float, float]:
        """Select the first member whose cumulative probability exceeds the coin.

        The position of the coin within the probability of that member is uniform again, and decides about asking.
        """
        target = coin * self.chances[self.members - 1]
        member = 0
        for i in range(self.members - 1):
            member += where(self.chances[i] <= target, 1, 0)
        low = where(member > 0, self.chances[maximum(member - 1, 0)], 0.0)
        left = (target - low) / (self.chances[member] - low)
        score = scores[member]
        return score, sign(score, at_zero), where(left < LARGEST_COIN, left, LARGEST_COIN)

    def fill_steps(
        self,
        scores: Any,
        steps: Any,
        numbers: Any,
        step: Any,
        squared_norm: float,  # noqa: ARG002
        draws: Any,  # noqa: ARG002
        label_number: int,  # noqa: ARG002
    ) -> bool:
        """Compute -η_t c_y ℓ'(y p) y of each member; return whether any is not 0."""
        label, eta = step
        zero, moving = sixteen(scores.dtype.type(0)), False
        for lane in blocks(scores.shape[0], zero):
            here = at(lane, zero)
            half_theta = numbers[here] / (2.0 * (self.members + 1.0))
            cost = where(label > 0, 1.0 - half_theta, half_theta)
            wanted = cost * negative_slope(1.0 - label * scores[here], self.logistic)
            wanted = where(first_lanes(self.members - lane, zero), wanted, 0.0)
            steps[here] = (label * eta) * wanted
            moving = moving | any_of(wanted > 0.0)
        return moving

    def observe(self, scores: Any, places: Any, label: float, weight: float) -> None:
        """Update the measures, the cumulative sums of e^(γM), and the best member, the first of several."""
        values = self.observed.values
        self.observed.record(scores, places, self.members, label, weight)
        best, most = 0, values[0]
        for i in range(1, self.members):
            best = where(values[i] > most, i, best)
            most = maximum(values[i], most)
        self.best[0] = best
        self.recent[self.best[1] % LAST] = best
        self.best[1] += 1
        zero = sixteen(np.float64(0))
        for lane in blocks(values.shape[0], zero):
            here = at(lane, zero)
            self.chances[here] = exp(self.gamma * (values[here] - most))
        for i in range(1, self.members):
            self.chances[i] += self.chances[i - 1]
