"""Passive-aggressive regression (Crammer et al. 2006).

With the residual e = y - p and the ε-insensitive loss ℓ = max(0, abs(e) - ε), a label with ℓ > 0 gives
w ← w + sign(e) τ x. Each rule costs one pass over the non-zeros of the row. A row of zeros changes nothing.
"""

from typing import NamedTuple

from numpy.typing import DTypeLike

from askance._util.parameters import NOT_NEGATIVE_AND_FINITE, POSITIVE, Constraints
from askance.jit.interop import inlined
from askance.jit.select import maximum, minimum, sign
from askance.rules.rows import Seen
from askance.rules.state.weights import Weights
from askance.rules.update.passive_aggressive import full_step
from askance.rules.update.weights import zero_weights


class PARegression(NamedTuple):
    """PA: take the smallest step after which abs(e) ≤ ε, τ = ℓ / (x·x).

    Parameters
    ----------
    epsilon : float, default=0.1
        ε, the size of residuals that are ignored. In standard deviations of the target if the learner scales it.

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006, "Online passive-aggressive algorithms", the section on
    regression.
    """

    epsilon: float = 0.1

    def start(self, width: int, dtype: DTypeLike) -> Weights:
        """w = 0."""
        return zero_weights(width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """sign(e) τ."""
        loss = insensitive(seen, label, self.epsilon)
        return loss > 0, sign(label - seen.score, 1.0) * full_step(loss, seen.squared_norm)

    def weighted(self, weight: float) -> "PARegression":  # noqa: ARG002
        """Return the same rule: ℓ = 0 after each step, so that there is nothing to multiply."""
        return self

    def constraints(self) -> Constraints:
        """ε ≥ 0."""
        return {"epsilon": NOT_NEGATIVE_AND_FINITE}


class PA1Regression(NamedTuple):
    """PA-I: passive-aggressive steps of bounded length, τ = min(C, ℓ / (x·x)).

    Parameters
    ----------
    C : float, default=1.0
        The largest step. Smaller values limit the effect of an outlier. In standard deviations of the target if
        the learner scales it.
    epsilon : float, default=0.1
        ε, as in `PARegression`.

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006, the section on regression.
    """

    C: float = 1.0
    epsilon: float = 0.1

    def start(self, width: int, dtype: DTypeLike) -> Weights:
        """w = 0."""
        return zero_weights(width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """sign(e) τ."""
        loss = insensitive(seen, label, self.epsilon)
        return loss > 0, sign(label - seen.score, 1.0) * minimum(self.C, full_step(loss, seen.squared_norm))

    def weighted(self, weight: float) -> "PA1Regression":
        """Return the rule for a label of this weight, which multiplies its loss and so C."""
        return self._replace(C=self.C * weight)

    def constraints(self) -> Constraints:
        """C > 0, ε ≥ 0."""
        return {"C": POSITIVE, "epsilon": NOT_NEGATIVE_AND_FINITE}


class PA2Regression(NamedTuple):
    """PA-II: passive-aggressive steps that are all damped, τ = ℓ / (x·x + 1/(2C)).

    Parameters
    ----------
    C : float, default=0.1
        Aggressiveness. The smaller it is, the more a step is damped.
    epsilon : float, default=0.1
        ε, as in `PARegression`.

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006, the section on regression.

    Examples
    --------
    >>> from askance import StreamRegressor, regression
    >>> model = StreamRegressor(regression.PA2Regression(C=1.0))
    >>> model = model.fit([[1.0], [2.0], [3.0], [4.0]], [2.0, 4.0, 6.0, 8.0])
    >>> bool(model.predict([[4.0]])[0] > model.predict([[1.0]])[0])
    True
    """

    C: float = 0.1
    epsilon: float = 0.1

    def start(self, width: int, dtype: DTypeLike) -> Weights:
        """w = 0."""
        return zero_weights(width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """sign(e) τ."""
        loss = insensitive(seen, label, self.epsilon)
        return loss > 0, sign(label - seen.score, 1.0) * loss / (seen.squared_norm + 1.0 / (2.0 * self.C))

    def weighted(self, weight: float) -> "PA2Regression":
        """Return the rule for a label of this weight, which multiplies its loss and so C."""
        return self._replace(C=self.C * weight)

    def constraints(self) -> Constraints:
        """C > 0, ε ≥ 0."""
        return {"C": POSITIVE, "epsilon": NOT_NEGATIVE_AND_FINITE}


@inlined
def insensitive(seen: Seen, label: float, epsilon: float) -> float:
    """Return the loss ℓ = max(0, abs(y - p) - ε)."""
    loss: float = maximum(0.0, abs(label - seen.score) - epsilon)
    return loss
