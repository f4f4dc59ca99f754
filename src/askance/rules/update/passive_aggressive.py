"""Passive-aggressive learning (Crammer et al. 2006), as in Lu, Zhao and Hoi 2016, equation 1.

With the loss ℓ = max(0, 1 - y p), a label with ℓ > 0 gives w ← w + τ y x, whether the prediction was wrong or
right with too small a margin. Each rule costs one pass over the non-zeros of the row. A row of zeros changes
nothing.
"""

from typing import NamedTuple

from numpy.typing import DTypeLike

from askance._util.parameters import POSITIVE, Constraints
from askance.jit.interop import inlined
from askance.jit.select import maximum, minimum, where
from askance.rules.rows import Seen
from askance.rules.state.weights import Weights
from askance.rules.update.rule import About
from askance.rules.update.weights import hinge, zero_weights


class PassiveAggressive(NamedTuple):
    """PA: take the smallest step after which y p = 1, τ = ℓ / (x·x). It has no parameters.

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006, figure 1.
    """

    def start(self, width: int, dtype: DTypeLike) -> Weights:
        """w = 0."""
        return zero_weights(width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """τ y."""
        loss = hinge(seen, label)
        return loss > 0, label * full_step(loss, seen.squared_norm)

    def weighted(self, weight: float) -> "PassiveAggressive":  # noqa: ARG002
        """Return the same rule: ℓ = 0 after each step, so that there is nothing to multiply."""
        return self

    def constraints(self) -> Constraints:
        """It has no hyper-parameters."""
        return {}

    def about(self) -> About:
        """For two classes and for many."""
        return About(many_classes=True)


class PassiveAggressive1(NamedTuple):
    """PA-I: passive-aggressive steps of bounded length, τ = min(C, ℓ / (x·x)).

    Parameters
    ----------
    C : float, default=1.0
        The largest step. Smaller values limit the effect of a wrong label.

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006, figure 1.

    Examples
    --------
    >>> from askance import Learner, queries, updates
    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [0.0, 2.0]], [1, -1, 1]
    >>> learner = Learner(updates.PassiveAggressive1(C=0.5), queries.Always()).fit(X, y)
    >>> learner.predict([[0.0, 3.0], [3.0, 0.0]])
    array([ 1, -1])
    """

    C: float = 1.0

    def start(self, width: int, dtype: DTypeLike) -> Weights:
        """w = 0."""
        return zero_weights(width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """τ y."""
        loss = hinge(seen, label)
        return loss > 0, label * minimum(self.C, full_step(loss, seen.squared_norm))

    def dual_after(self, margin: float, dual: float, squared_norm: float) -> float:
        """Return the dual variable of a row after a visit, given its margin y p: at most C. See `Replay`."""
        step = where(squared_norm > SHORTEST, (1.0 - margin) / maximum(squared_norm, SHORTEST), 0.0)
        return minimum(self.C, maximum(0.0, dual + step))

    def weighted(self, weight: float) -> "PassiveAggressive1":
        """Return the rule for a label of this weight, which multiplies its loss and so C."""
        return PassiveAggressive1(self.C * weight)

    def constraints(self) -> Constraints:
        """C > 0."""
        return {"C": POSITIVE}

    def about(self) -> About:
        """For two classes and for many."""
        return About(many_classes=True)


class PassiveAggressive2(NamedTuple):
    """PA-II: passive-aggressive steps that are all damped, τ = ℓ / (x·x + 1/(2C)).

    Parameters
    ----------
    C : float, default=1.0
        Aggressiveness. The smaller it is, the more a step is damped, most of all on short rows.

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006, figure 1.

    Examples
    --------
    >>> from askance import Learner, queries, updates
    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [0.0, 2.0]], [1, -1, 1]
    >>> learner = Learner(updates.PassiveAggressive2(C=0.5), queries.Always()).fit(X, y)
    >>> learner.predict([[0.0, 3.0], [3.0, 0.0]])
    array([ 1, -1])
    """

    C: float = 1.0

    def start(self, width: int, dtype: DTypeLike) -> Weights:
        """w = 0."""
        return zero_weights(width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """τ y."""
        loss = hinge(seen, label)
        return loss > 0, label * loss / (seen.squared_norm + 1.0 / (2.0 * self.C))

    def dual_after(self, margin: float, dual: float, squared_norm: float) -> float:
        """Return the dual variable of a row after a visit, given its margin y p. See `Replay`."""
        damping = 1.0 / (2.0 * self.C)
        return maximum(0.0, dual + (1.0 - margin - damping * dual) / (squared_norm + damping))

    def weighted(self, weight: float) -> "PassiveAggressive2":
        """Return the rule for a label of this weight, which multiplies its loss and so C."""
        return PassiveAggressive2(self.C * weight)

    def constraints(self) -> Constraints:
        """C > 0."""
        return {"C": POSITIVE}

    def about(self) -> About:
        """For two classes and for many."""
        return About(many_classes=True)


# Shorter rows are treated as rows of zeros: a full step along them would overflow single precision.
SHORTEST = 1e-30


@inlined
def full_step(loss: float, squared_norm: float) -> float:
    """Return ℓ / (x·x), and 0 for a row of zeros."""
    step: float = where(squared_norm > SHORTEST, loss / maximum(squared_norm, SHORTEST), 0.0)
    return step
