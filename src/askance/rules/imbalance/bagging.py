"""Online bagging with another rate for each class (Wang, Minku and Yao 2015): iOOB and iUOB.

Each of several classifiers learns a label Poisson(λ) times in a row by gradient descent. How large the classes are
is judged by the last labels; oversampling takes λ > 1 for the smaller class, undersampling λ < 1 for the larger
one.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from askance._util.parameters import COUNT, POSITIVE, YES_OR_NO, Constraints
from askance.jit.interop import inlined
from askance.jit.select import maximum, minimum, where
from askance.jit.simd.aligned import aligned_zeros
from askance.jit.simd.exponential import exp
from askance.rules.rows import Seen
from askance.rules.state.ensemble import Ensemble, form_for_ensemble, lanes_for
from askance.rules.update.gradient import learning_rate, negative_slope
from askance.rules.update.rule import About

# How much of what is known of the classes' sizes a label leaves as it was.
MEMORY = 0.9

# λ is at most 10: no number of repetitions beyond this has a chance that a coin could tell from 0.
MOST_REPETITIONS = 100


class OnlineBagging(NamedTuple):
    """`members` classifiers that vote. λ = max(s)/s_y, or min(s)/s_y if `under`, with the classes' sizes s."""

    under: bool = False
    members: int = 5
    eta: float = 0.1
    logistic: bool = False
    decaying: bool = False

    def start(self, width: int, dtype: DTypeLike) -> "BaggingState":
        """All weights 0, both classes of one size."""
        weights = aligned_zeros(width * lanes_for(self.members), dtype)
        return BaggingState(weights, np.full(2, 0.5), int(self.members), self.under, self.logistic)

    def step(self, seen: Seen, label: float) -> tuple[bool, tuple[float, float]]:
        """The label, and η_t."""
        return True, (label, learning_rate(self.eta, self.decaying, seen.n_labels))

    def constraints(self) -> Constraints:
        """One member or more, η > 0."""
        flags = dict.fromkeys(("under", "logistic", "decaying"), YES_OR_NO)
        return {"members": COUNT, "eta": POSITIVE, **flags}

    def about(self) -> About:
        """It tosses a coin a member to learn a label."""
        return About(cost="O(members · d')", draws=self.members)


class BaggingState(NamedTuple):
    """Weights by feature and lane; the sizes of the negative and the positive class; how many members; which
    sampling, and which loss.
    """

    weights: NDArray[Any]
    sizes: NDArray[np.float64]
    members: int
    under: bool
    logistic: bool

    def form(self) -> Ensemble:
        """A panel."""
        return form_for_ensemble(self.members, self.weights.dtype)

    def combine(self, scores: Any, at_zero: float) -> tuple[float, float]:
        """The mean vote; a member whose score is 0 votes for the negative class."""
        votes = 0.0
        for i in range(self.members):
            votes += where(scores[i] > 0, 1.0, -1.0)
        mean = scores.dtype.type(votes / self.members)
        return mean, where(votes > 0, 1.0, where(votes < 0, -1.0, at_zero))

    def decision_value(self, score: float) -> float:
        """The mean vote."""
        return score

    def sample_member(self, scores: Any, at_zero: float, coin: float) -> tuple[float, float, float]:
        """The same, whatever the coin."""
        score, prediction = self.combine(scores, at_zero)
        return score, prediction, coin

    def fill_steps(
        self,
        scores: Any,
        steps: Any,
        numbers: Any,  # noqa: ARG002
        step: Any,
        squared_norm: float,
        draws: Any,
        label_number: int,
    ) -> bool:
        """Poisson(λ) steps of each member, each with the score that the one before has left."""
        label, eta = step
        own = where(label > 0, 1, 0)
        for side in range(2):
            self.sizes[side] = MEMORY * self.sizes[side] + (1.0 - MEMORY) * where(side == own, 1.0, 0.0)
        least, most = minimum(self.sizes[0], self.sizes[1]), maximum(self.sizes[0], self.sizes[1])
        rate = where(self.under, least, most) / self.sizes[own]
        for i in range(self.members):
            moved = 0.0
            for _ in range(repetitions(rate, draws[label_number, i])):
                short = 1.0 - label * (scores[i] + moved * squared_norm)
                moved += label * eta * negative_slope(short, self.logistic)
            steps[i] = moved
        return True

    def observe(self, scores: Any, places: Any, label: float, weight: float) -> None:
        """Nothing more."""


@inlined
def repetitions(rate: float, coin: float) -> int:
    """The least k at which the Poisson distribution of this rate has come to the coin."""
    chance = total = exp(-rate)
    times = 0
    while total < coin and times < MOST_REPETITIONS:
        times += 1
        chance *= rate / times
        total += chance
    return times
