"""Rules with a step size for every feature that need no clock: FTRL-proximal and coin betting.

Each costs one pass over the non-zeros of the row. A row of zeros changes nothing.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from askance._util.parameters import NOT_NEGATIVE, POSITIVE, Constraints
from askance.jit.pairs import alone, first, pair, second, side_by_side
from askance.jit.select import maximum, where
from askance.rules.rows import Seen
from askance.rules.state.timed import all_shrunk, shrunk
from askance.rules.update.losses import Hinge, Logistic, check_loss
from askance.rules.update.scaled_gradient import ScaledGradient


class FTRL(NamedTuple):
    """FTRL-proximal: follow the regularized leader, with a step size per feature, and weights that are exactly 0.

    For the gradient g = ℓ'(y p) y x and every feature j of the row,

        σ = (√(n_j + g_j²) - √n_j) / α,   z_j ← z_j + g_j - σ w_j,   n_j ← n_j + g_j²,
        w_j = 0 if abs(z_j) ≤ λ₁, else -(z_j - sgn(z_j) λ₁) / ((β + √n_j) / α + λ₂).

    Parameters
    ----------
    loss : Loss, default=Logistic()
        Hinge, SquaredHinge, Logistic, ModifiedHuber or PerceptronLoss.
    alpha : float, default=0.1
        The step size α.
    beta : float, default=1.0
        β: larger values make the first steps of a feature smaller.
    l1 : float, default=1.0
        λ₁: the larger, the more weights are 0.
    l2 : float, default=0.0
        λ₂: the larger, the smaller all weights.

    References
    ----------
    McMahan et al. 2013, "Ad click prediction: a view from the trenches", algorithm 1.

    Examples
    --------
    >>> from askance import Learner, queries, updates
    >>> X, y = [[0.0, 1.0, 0.1], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]], [1, -1, 1]
    >>> learner = Learner(updates.FTRL(l1=0.1), queries.Always()).fit(X, y)
    >>> learner.predict([[0.0, 3.0, 0.0], [3.0, 0.0, 0.0]])
    array([ 1, -1])
    >>> learner.n_nonzero_
    2
    """

    loss: Any = Logistic()
    alpha: float = 0.1
    beta: float = 1.0
    l1: float = 1.0
    l2: float = 0.0

    def start(self, width: int, dtype: DTypeLike) -> "Proximal":
        """z = 0, n = 0."""
        parameters = (np.asarray(value, dtype)[()] for value in (self.alpha, self.beta, self.l1, self.l2))
        return Proximal(np.zeros((width, 2), dtype), *parameters)

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """-ℓ'(y p) y."""
        slope = self.loss.slope(label * seen.score)
        return slope > 0, label * slope

    def weighted(self, weight: float) -> ScaledGradient:
        """Return the rule for a label of this weight, which multiplies the gradient."""
        return ScaledGradient(self, weight)

    def constraints(self) -> Constraints:
        """α > 0, β > 0, λ₁ ≥ 0, λ₂ ≥ 0."""
        return {"alpha": POSITIVE, "beta": POSITIVE, "l1": NOT_NEGATIVE, "l2": NOT_NEGATIVE}

    def check(self) -> None:
        """Raise TypeError for a loss that is none."""
        check_loss(self)


class Proximal(NamedTuple):
    """z_j and √n_j of every feature, and the parameters of FTRL."""

    pairs: NDArray[Any]
    alpha: Any
    beta: Any
    l1: Any
    l2: Any

    @property
    def weights(self) -> NDArray[Any]:
        """w."""
        divisor = (self.beta + self.pairs[:, 1]) / self.alpha + self.l2
        found: NDArray[Any] = -all_shrunk(self.pairs[:, 0], self.l1) / divisor
        return found

    def terms(self, j: int, x: float) -> tuple[float, float]:
        """w_j x_j, and no spread."""
        # One division, where the formula has two.
        loaded = pair(self.pairs, j)
        slowed = self.alpha * x / (self.beta + second(loaded) + self.alpha * self.l2)
        return -shrunk(first(loaded), self.l1) * slowed, self.pairs.dtype.type(0)

    def margin(self, total: float, spread: float) -> float:  # noqa: ARG002
        """w·x."""
        return total

    def move(self, j: int, x: float, step: float) -> None:
        """Add g_j - σ w_j to z_j, and g_j² to n_j."""
        loaded, gradient = pair(self.pairs, j), -step * x
        total, before = first(loaded), second(loaded)
        weight = -shrunk(total, self.l1) / ((self.beta + before) / self.alpha + self.l2)
        after = math.sqrt(before * before + gradient * gradient)
        self.pairs[j, 0] = total + (gradient - (after - before) / self.alpha * weight)
        self.pairs[j, 1] = after


class COCOB(NamedTuple):
    """COCOB, continuous coin betting: no learning rate. Every weight is a bet on the sign of the next gradient.

    For g = -ℓ'(y p) y x, the negative gradient, and every feature j of the row,

        L_j ← max(L_j, abs(g_j)),   G_j ← G_j + abs(g_j),   R_j ← max(R_j + w_j g_j, 0),   θ_j ← θ_j + g_j,
        w_j = θ_j / (L_j max(G_j + L_j, α L_j)) (L_j + R_j).

    R_j is what the bets have won, and L_j what they began with.

    Parameters
    ----------
    loss : Loss, default=Hinge()
        Hinge, SquaredHinge, Logistic, ModifiedHuber or PerceptronLoss.
    alpha : float, default=100.0
        α: the first bets are at most the share 1/α. It needs no tuning: the paper has 100 for everything.

    References
    ----------
    Orabona and Tommasi 2017, "Training deep networks without learning rates through coin betting", algorithm 2
    with w₁ = 0.

    Examples
    --------
    >>> from askance import Learner, queries, updates
    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [0.0, 2.0]], [1, -1, 1]
    >>> learner = Learner(updates.COCOB(), queries.Always()).fit(X, y)
    >>> learner.predict([[0.0, 3.0], [3.0, 0.0]])
    array([ 1, -1])
    """

    loss: Any = Hinge()
    alpha: float = 100.0

    def start(self, width: int, dtype: DTypeLike) -> "Bets":
        """Nothing bet, nothing won."""
        return Bets(np.zeros((width, 5), dtype), np.asarray(self.alpha, dtype)[()])

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """-ℓ'(y p) y."""
        slope = self.loss.slope(label * seen.score)
        return slope > 0, label * slope

    def weighted(self, weight: float) -> ScaledGradient:
        """Return the rule for a label of this weight, which multiplies the gradient."""
        return ScaledGradient(self, weight)

    def constraints(self) -> Constraints:
        """α > 0."""
        return {"alpha": POSITIVE}

    def check(self) -> None:
        """Raise TypeError for a loss that is none."""
        check_loss(self)


class Bets(NamedTuple):
    """w_j, θ_j, L_j, G_j and R_j of every feature, and α."""

    numbers: NDArray[Any]
    alpha: Any

    @property
    def weights(self) -> NDArray[Any]:
        """w."""
        return self.numbers[:, 0]

    def terms(self, j: int, x: float) -> tuple[float, float]:
        """w_j x_j, and no spread."""
        return alone(self.numbers, j, 0, 5) * x, self.numbers.dtype.type(0)

    def margin(self, total: float, spread: float) -> float:  # noqa: ARG002
        """w·x."""
        return total

    def move(self, j: int, x: float, step: float) -> None:
        """Settle the bet on feature j, and place the next one."""
        one, zero = self.numbers.dtype.type(1), self.numbers.dtype.type(0)
        gradient = step * x
        bet, sums = side_by_side(self.numbers, j, 0, 5), side_by_side(self.numbers, j, 2, 5)
        theta = second(bet) + gradient
        largest = maximum(first(sums), abs(gradient))
        total = second(sums) + abs(gradient)
        reward = maximum(alone(self.numbers, j, 4, 5) + first(bet) * gradient, zero)
        known = where(largest > zero, largest, one)
        self.numbers[j, 0] = theta / known * ((largest + reward) / maximum(total + known, self.alpha * known))
        self.numbers[j, 1] = theta
        self.numbers[j, 2] = largest
        self.numbers[j, 3] = total
        self.numbers[j, 4] = reward
