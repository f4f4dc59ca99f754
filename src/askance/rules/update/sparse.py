"""Rules with L1 regularization, which make weights of features that do not matter exactly 0.

Every label shrinks all weights, whether or not there was a loss. Each rule costs one pass over the non-zeros of
the row all the same: a weight is brought up to date when its feature occurs. `Learner.n_nonzero_` says how many
weights are left.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from askance._util.parameters import NOT_NEGATIVE, POSITIVE, POSITIVE_OR_INFINITE, Constraints, Interval
from askance.rules.rows import Seen
from askance.rules.state.timed import DualAverage, ShrunkAverage, ShrunkDescent, Truncated
from askance.rules.update.losses import Hinge, check_loss
from askance.rules.update.rule import About
from askance.rules.update.scaled_gradient import ScaledGradient
from askance.rules.update.subgradient import DELTA

COUNT = Interval(1, low_closed=True, high_closed=False, whole=True)


class TruncatedGradient(NamedTuple):
    """Truncated gradient: w ← T(w - η ∇ℓ), where T brings small weights closer to 0 at every K-th label.

        T(w_j) = max(0, w_j - K η g) for 0 ≤ w_j ≤ θ,   min(0, w_j + K η g) for -θ ≤ w_j ≤ 0,   else w_j.

    Parameters
    ----------
    loss : Loss, default=Hinge()
        Hinge, SquaredHinge, Logistic, ModifiedHuber or PerceptronLoss.
    eta : float, default=0.1
        The learning rate η.
    gravity : float, default=0.001
        g: the larger, the more weights are 0.
    every : int, default=10
        K, the number of labels from one truncation to the next.
    theta : float, default=inf
        θ. Larger weights stay as they are.

    References
    ----------
    Langford, Li and Zhang 2009, "Sparse online learning via truncated gradient", section 3.3.

    Examples
    --------
    >>> from askance import Learner, queries, updates
    >>> X, y = [[0.0, 1.0, 0.1], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]], [1, -1, 1]
    >>> learner = Learner(updates.TruncatedGradient(gravity=0.1, every=1), queries.Always()).fit(X, y)
    >>> learner.n_nonzero_
    2
    """

    loss: Any = Hinge()
    eta: float = 0.1
    gravity: float = 1e-3
    every: int = 10
    theta: float = math.inf

    def start(self, width: int, dtype: DTypeLike) -> Truncated:
        """w = 0."""
        amount, theta = (
            np.asarray(value, dtype)[()] for value in (self.every * self.eta * self.gravity, self.theta)
        )
        return Truncated(np.zeros((width, 2), dtype), np.zeros(2), amount, theta, self.every)

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """-η ℓ'(y p) y."""
        slope = self.loss.slope(label * seen.score)
        return slope > 0, label * self.eta * slope

    def weighted(self, weight: float) -> "TruncatedGradient":
        """Return the rule for a label of this weight, which multiplies the gradient, not the truncation."""
        return self._replace(eta=self.eta * weight)

    def constraints(self) -> Constraints:
        """η > 0, g ≥ 0, K ≥ 1, θ > 0."""
        return {"eta": POSITIVE, "gravity": NOT_NEGATIVE, "every": COUNT, "theta": POSITIVE_OR_INFINITE}

    def check(self) -> None:
        """Raise TypeError for a loss that is none."""
        check_loss(self)

    def about(self) -> About:
        """The cost of a round."""
        return About(cost="O(d'), now and then O(d)")


class AdaFOBOS(NamedTuple):
    """Ada-FOBOS with L1: a step of adaptive mirror descent, then all weights are brought closer to 0.

        w_j ← S(w_j - η g_j / H_j, λ η / H_j),   S(a, b) = sgn(a) max(0, abs(a) - b),   H_j = δ + √(Σ g_j²).

    g = ℓ'(y p) y x is the gradient. With λ = 0 and the hinge loss it is `MirrorDescent`.

    Parameters
    ----------
    loss : Loss, default=Hinge()
        Hinge, SquaredHinge, Logistic, ModifiedHuber or PerceptronLoss.
    delta : float, default=1.0
        The initial value δ of the diagonal of H. Larger values make the first steps of a feature smaller.
    eta : float, default=1.0
        The step size η.
    l1 : float, default=0.0001
        λ: the larger, the more weights are 0.

    References
    ----------
    Duchi, Hazan and Singer 2011, "Adaptive subgradient methods for online learning and stochastic optimization",
    section 5.1.
    """

    loss: Any = Hinge()
    delta: float = 1.0
    eta: float = 1.0
    l1: float = 1e-4

    def start(self, width: int, dtype: DTypeLike) -> ShrunkDescent:
        """w = 0, H = δ."""
        delta, eta = (np.asarray(value, dtype)[()] for value in (self.delta, self.eta))
        return ShrunkDescent(np.zeros((width, 2), dtype), np.zeros(2), delta, eta, float(self.eta * self.l1))

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """-ℓ'(y p) y."""
        slope = self.loss.slope(label * seen.score)
        return slope > 0, label * slope

    def weighted(self, weight: float) -> ScaledGradient:
        """Return the rule for a label of this weight, which multiplies the gradient."""
        return ScaledGradient(self, weight)

    def constraints(self) -> Constraints:
        """δ > 0, η > 0, λ ≥ 0."""
        return {"delta": DELTA, "eta": POSITIVE, "l1": NOT_NEGATIVE}

    def check(self) -> None:
        """Raise TypeError for a loss that is none."""
        check_loss(self)

    def about(self) -> About:
        """Its spread is x·H⁻¹x."""
        return About(cost="O(d'), now and then O(d)", has_spread=True)


class AdaRDA(NamedTuple):
    """Ada-RDA with L1: adaptive dual averaging of a gradient from which λ is taken.

        w_j = -η t / H_j · S(ḡ_j, λ),   ḡ = Σ g / t over all t labels,   S(a, b) = sgn(a) max(0, abs(a) - b).

    H_j = δ + √(Σ g_j²), and g = ℓ'(y p) y x is the gradient. With λ = 0 and the hinge loss it is `DualAveraging`.

    Parameters
    ----------
    loss : Loss, default=Hinge()
        Hinge, SquaredHinge, Logistic, ModifiedHuber or PerceptronLoss.
    delta : float, default=1.0
        The initial value δ of the diagonal of H. Larger values make the first steps of a feature smaller.
    eta : float, default=1.0
        The step size η.
    l1 : float, default=0.0001
        λ: the larger, the more weights are 0.

    References
    ----------
    Duchi, Hazan and Singer 2011, "Adaptive subgradient methods for online learning and stochastic optimization",
    section 5.1.
    """

    loss: Any = Hinge()
    delta: float = 1.0
    eta: float = 1.0
    l1: float = 1e-4

    def start(self, width: int, dtype: DTypeLike) -> ShrunkAverage:
        """w = 0, H = δ."""
        delta, eta = (np.asarray(value, dtype)[()] for value in (self.delta, self.eta))
        return ShrunkAverage(np.zeros((width, 2), dtype), np.zeros(2), delta, eta, float(self.l1))

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """-ℓ'(y p) y."""
        slope = self.loss.slope(label * seen.score)
        return slope > 0, label * slope

    def weighted(self, weight: float) -> ScaledGradient:
        """Return the rule for a label of this weight, which multiplies the gradient."""
        return ScaledGradient(self, weight)

    def constraints(self) -> Constraints:
        """δ > 0, η > 0, λ ≥ 0."""
        return {"delta": DELTA, "eta": POSITIVE, "l1": NOT_NEGATIVE}

    def check(self) -> None:
        """Raise TypeError for a loss that is none."""
        check_loss(self)

    def about(self) -> About:
        """Its spread is x·H⁻¹x."""
        return About(has_spread=True)


class RDA(NamedTuple):
    """Regularized dual averaging with L1: w_j = -(√t/γ) S(ḡ_j, λ + γ ρ/√t), S(a, b) = sgn(a) max(0, abs(a) - b).

    ḡ is the mean of the gradients g = ℓ'(y p) y x over all t labels.

    Parameters
    ----------
    loss : Loss, default=Hinge()
        Hinge, SquaredHinge, Logistic, ModifiedHuber or PerceptronLoss.
    gamma : float, default=1.0
        γ: larger values make all steps smaller.
    l1 : float, default=0.0001
        λ: the larger, the more weights are 0.
    rho : float, default=0.0
        ρ: makes more weights 0 in the beginning (enhanced L1-RDA).

    References
    ----------
    Xiao 2010, "Dual averaging methods for regularized stochastic learning and online optimization", equation 10
    and algorithm 2.
    """

    loss: Any = Hinge()
    gamma: float = 1.0
    l1: float = 1e-4
    rho: float = 0.0

    def start(self, width: int, dtype: DTypeLike) -> DualAverage:
        """w = 0."""
        parameters = (float(value) for value in (self.l1, self.gamma, self.rho))
        return DualAverage(np.zeros(width, dtype), np.zeros(3), *parameters)

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """-ℓ'(y p) y."""
        slope = self.loss.slope(label * seen.score)
        return slope > 0, label * slope

    def weighted(self, weight: float) -> ScaledGradient:
        """Return the rule for a label of this weight, which multiplies the gradient."""
        return ScaledGradient(self, weight)

    def constraints(self) -> Constraints:
        """γ > 0, λ ≥ 0, ρ ≥ 0."""
        return {"gamma": POSITIVE, "l1": NOT_NEGATIVE, "rho": NOT_NEGATIVE}

    def check(self) -> None:
        """Raise TypeError for a loss that is none."""
        check_loss(self)
