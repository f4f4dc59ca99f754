"""Learning with many costs at once (Yan 2017, chapter 5, algorithm 7): OMCSL.

Which cost vector serves a measure such as F best is not known beforehand. So K classifiers learn side by side,
each by gradient descent with costs of its own, and in every round one of them is drawn to speak: the better its
measure so far, the more likely.
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

# Over so many last labels the thesis takes the mean of the costs that were the best as of then.
LAST = 5000


class ManyCosts(NamedTuple):
    """K classifiers with the costs c₊ = 1 - θ/2 and c₋ = θ/2, θ = 1/(K+1), …, K/(K+1).

    Each moves by w ← w - η_t c_y ℓ'(y p) y x. A round draws one by the chances e^(γM), where M is its `measure`.
    """

    measure: Any = F()
    K: int = 9
    gamma: float = 1.0
    eta: float = 1.0
    decaying: bool = True
    logistic: bool = False

    def start(self, width: int, dtype: DTypeLike) -> "ManyCostsState":
        """All weights 0, all measures 0, all chances equal."""
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
        """The label, and η_t: what each member makes of them is its own affair."""
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
        """What a round costs."""
        return About(cost="O(K d')" if isinstance(self.measure, F) else "O(K (d' + m))")

    def check(self) -> None:
        """ValueError or TypeError unless the measure is one that can be kept."""
        if not isinstance(self.measure, tuple(MEASURES.values())):
            raise TypeError(
                f"ManyCosts: measure must be one of imbalance.F(), AUROC() or AUPRC(), not {self.measure!r}"
            )
        measure: Any = self.measure
        check_parameters(measure, measure.constraints())


def costs(K: int) -> NDArray[np.float64]:
    """The costs of a missed positive and of a false alarm, a row a member."""
    half_theta = np.arange(1, K + 1) / (2 * (K + 1))
    return np.column_stack([1 - half_theta, half_theta])


class ManyCostsState(NamedTuple):
    """Weights by feature and lane; what the measure has noted; chances added up; the best member and the number of
    labels; which member was the best at the last labels; K; γ; which loss.
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
        """A panel."""
        return form_for_ensemble(self.members, self.weights.dtype)

    def combine(self, scores: Any, at_zero: float) -> tuple[float, float]:
        """The best member so far."""
        score = scores[self.best[0]]
        return score, sign(score, at_zero)

    def decision_value(self, score: float) -> float:
        """The score."""
        return score

    def sample_member(self, scores: Any, at_zero: float, coin: float) -> tuple[float, float, float]:
        """The first member whose chance, added to those before it, exceeds the coin.

        Where the coin lies within that chance is as uniform as the coin was, and decides about asking.
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
        """-η_t c_y ℓ'(y p) y of each member."""
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
        """Every member's measure, the chances e^(γM) added up, and the best member, the first of several."""
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
