"""Online bagging with a different rate for each class (Wang, Minku and Yao 2015): iOOB and iUOB.

Each of several classifiers learns a label Poisson(λ) times in a row, by gradient descent. The class sizes are
estimated from recent labels. Oversampling uses λ > 1 for the smaller class, undersampling λ < 1 for the larger
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

# The decay of the estimated class sizes per label.
MEMORY = 0.9

# λ is at most 10, so that larger numbers of repetitions have a negligible probability.
MOST_REPETITIONS = 100


class OnlineBagging(NamedTuple):
    """Online bagging: `members` classifiers that vote, with λ = max(s)/s_y, or min(s)/s_y if `under`.

    s are the estimated sizes of the two classes.

    Parameters
    ----------
    under : bool, default=False
        Undersample the larger class (iUOB) instead of oversampling the smaller one (iOOB).
    members : int, default=5
        The number of classifiers.
    eta : float, default=0.1
        The learning rate η.
    logistic : bool, default=False
        Use the logistic loss instead of the hinge loss.
    decaying : bool, default=False
        Let the learning rate fall as η/√t, where t counts labels.

    References
    ----------
    Wang, Minku and Yao 2015.
    """

    under: bool = False
    members: int = 5
    eta: float = 0.1
    logistic: bool = False
    decaying: bool = False

    def start(self, width: int, dtype: DTypeLike) -> "BaggingState":
        """Return weights of 0, and equal class sizes."""
        weights = aligned_zeros(width * lanes_for(self.members), dtype)
        return BaggingState(weights, np.full(2, 0.5), int(self.members), self.under, self.logistic)

    def step(self, seen: Seen, label: float) -> tuple[bool, tuple[float, float]]:
        """Return the label, and η_t."""
        return True, (label, learning_rate(self.eta, self.decaying, seen.n_labels))

    def constraints(self) -> Constraints:
        """One member or more, η > 0."""
        flags = dict.fromkeys(("under", "logistic", "decaying"), YES_OR_NO)
        return {"members": COUNT, "eta": POSITIVE, **flags}

    def about(self) -> About:
        """Return the cost; learning a label takes one coin per member."""
        return About(cost="O(members · d')", draws=self.members)


class BaggingState(NamedTuple):
    """The weights by feature and lane, the class sizes (negative first), and parameters of the rule."""

    weights: NDArray[Any]
    sizes: NDArray[np.float64]
    members: int
    under: bool
    logistic: bool

    def form(self) -> Ensemble:
        """Return the form of an ensemble."""
        return form_for_ensemble(self.members, self.weights.dtype)

    def combine(self, scores: Any, at_zero: float) -> tuple[float, float]:
        """Return the mean vote. A member with a score of 0 votes for the negative class."""
        votes = 0.0
        for i in range(self.members):
            votes += where(scores[i] > 0, 1.0, -1.0)
        mean = scores.dtype.type(votes / self.members)
        return mean, where(votes > 0, 1.0, where(votes < 0, -1.0, at_zero))

    def decision_value(self, score: float) -> float:
        """Return the mean vote."""
        return score

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
        squared_norm: float,
        draws: Any,
        label_number: int,
    ) -> bool:
        """Compute Poisson(λ) consecutive steps of each member, and return True."""
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
        """Do nothing."""


@inlined
def repetitions(rate: float, coin: float) -> int:
    """Return the smallest k at which the cumulative Poisson distribution of this rate reaches the coin."""
    chance = total = exp(-rate)
    times = 0
    while total < coin and times < MOST_REPETITIONS:
        times += 1
        chance *= rate / times
        total += chance
    return times
