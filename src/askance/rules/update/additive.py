"""The general additive family (Grove, Littlestone and Schuurmans 2001), as in Cesa-Bianchi et al. 2006, section 3.

On a mistake, sgn(p) ≠ y: θ ← θ + η y x. The weights are w = f(θ), and the link f defines the algorithm: softmax
gives Winnow, the gradient of the p-norm gives the p-norm Perceptron, and the identity (p = 2) gives the
Perceptron. The first two do well if few of very many features matter.

A state stores w = raw · factor. A step changes `raw` for the features of the row, and one factor for all features,
so that a round costs one pass over the non-zeros. Only now and then is everything recomputed from θ.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from askance._util.parameters import POSITIVE, Constraints, Interval
from askance.jit.interop import inlined, like
from askance.jit.select import maximum, minimum, sign, where
from askance.rules.rows import Seen
from askance.rules.state.coupled import Coupled
from askance.rules.update.rule import About

# A sum that is updated by differences is trusted as long as it stays near 1, the value after a recomputation.
LEAST, MOST = 1 / 16, 16.0
# Beyond e^HIGHEST, plain Python raises OverflowError; values that large are recomputed at once.
HIGHEST = 700.0
# If the raw weight of a new feature would exceed e^FAR, recompute first: single precision ends at e^88.
FAR = 60.0
# Replaces 0 in a denominator if the numerator is 0.
TINY = 1e-300
# Whole exponents up to this one are multiplied out: the function for any exponent takes twenty times as long.
MULTIPLIED = 16.0


class Winnow(NamedTuple):
    """Winnow: w_j = e^θ_j / Σ e^θ. On a mistake, w_j ← w_j e^(η y x_j), divided by the new sum.

    The weights start at 1/d, are never negative and add up to 1. If the target may have negative weights, double
    the features of each row: (x, -x). Scores depend on the number of features, because a new feature takes its
    share of the weights.

    Parameters
    ----------
    eta : float, default=0.5
        The step size η.

    References
    ----------
    Cesa-Bianchi, Gentile and Zaniboni 2006, section 3; Grove, Littlestone and Schuurmans 2001.
    """

    eta: float = 0.5

    def start(self, width: int, dtype: DTypeLike) -> "Softmax":
        """w = 1/d."""
        scalars = (np.full(1, value, np.float64) for value in (0, width, 1 / max(width, 1)))
        return Softmax(np.zeros(width, dtype), np.ones(width, dtype), *scalars)

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """Return η y on a mistake."""
        return seen.prediction != label, self.eta * label

    def weighted(self, weight: float) -> "Winnow":
        """Return the rule for a label of this weight, which multiplies the step: θ ← θ + weight · η y x."""
        return self._replace(eta=self.eta * weight)

    def constraints(self) -> Constraints:
        """η > 0."""
        return {"eta": POSITIVE}

    def about(self) -> About:
        """The cost of a round."""
        return About(cost="O(d'), now and then O(d)")


class PNorm(NamedTuple):
    """The p-norm Perceptron: `w_j = sgn(θ_j) |θ_j|^(p-1) / ‖θ‖_p^(p-2)`, and w = 0 for θ = 0.

    Parameters
    ----------
    p : float, default=4.0
        The norm, 2 or more. p = 2 is the Perceptron; p near 2 ln d behaves much like Winnow, but weights can be
        negative.
    eta : float, default=1.0
        The step size η.

    References
    ----------
    Cesa-Bianchi, Gentile and Zaniboni 2006, section 3; Grove, Littlestone and Schuurmans 2001.
    """

    p: float = 4.0
    eta: float = 1.0

    def start(self, width: int, dtype: DTypeLike) -> "PowerNorm":
        """w = 0."""
        scalars = (np.full(1, value, np.float64) for value in (self.p, 1, 0, 0))
        return PowerNorm(np.zeros(width, dtype), np.zeros(width, dtype), *scalars)

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """Return η y on a mistake."""
        return seen.prediction != label, self.eta * label

    def weighted(self, weight: float) -> "PNorm":
        """Return the rule for a label of this weight, which multiplies the step: θ ← θ + weight · η y x."""
        return self._replace(eta=self.eta * weight)

    def constraints(self) -> Constraints:
        """2 ≤ p < ∞, η > 0."""
        return {"p": Interval(2, low_closed=True, high_closed=False), "eta": POSITIVE}

    def about(self) -> About:
        """The cost of a round."""
        return About(cost="O(d'), now and then O(d)")


class Softmax(NamedTuple):
    """The state of Winnow: θ; raw = e^(θ - reference), with a reference near ln Σ e^θ; its sum; factor = 1/sum.

    θ is stored because a weight may fall below the smallest float and must be able to rise again.
    """

    dual: NDArray[Any]
    raw: NDArray[Any]
    reference: NDArray[np.float64]
    total: NDArray[np.float64]
    factor: NDArray[np.float64]

    @property
    def weights(self) -> NDArray[Any]:
        """w."""
        return self.raw * self.raw.dtype.type(self.factor[0])

    def form(self) -> Coupled:
        """All features share one factor."""
        return Coupled()

    def add_features(self, first: int) -> None:
        """Include the new features from `first` on, which have θ = 0."""
        if self.reference[0] < -FAR:
            self.total[0] = math.inf
            self.refresh()
        else:
            self.raw[first:] = raised(-self.reference[0])
            self.total[0] += self.raw[first:].sum(dtype=np.float64)
            self.factor[0] = 1 / self.total[0]

    def terms(self, j: int, x: float) -> tuple[float, float]:
        """raw_j x_j, and no spread."""
        return self.raw[j] * x, self.raw.dtype.type(0)

    def margin(self, total: float, spread: float) -> float:  # noqa: ARG002
        """w·x."""
        return total * like(self.factor[0], total)

    def move(self, j: int, x: float, step: float) -> None:
        """θ_j ← θ_j + η y x_j; update the raw weight and the sum."""
        before = np.float64(self.raw[j])
        self.dual[j] += step * x
        self.raw[j] = raised(self.dual[j] - self.reference[0])
        # A single difference, so that it is exactly 0 if nothing has changed.
        self.total[0] += np.float64(self.raw[j]) - before

    def refresh(self) -> None:
        """Recompute the factor; if the sum is far from 1, choose a better reference first."""
        if not LEAST <= self.total[0] <= MOST:
            top = -math.inf
            for j in range(self.dual.shape[0]):
                top = maximum(top, self.dual[j])
            total = 0.0
            for j in range(self.dual.shape[0]):
                total += raised(self.dual[j] - top)
            self.reference[0] = top + math.log(total)
            self.total[0] = 0.0
            for j in range(self.dual.shape[0]):
                self.raw[j] = raised(self.dual[j] - self.reference[0])
                self.total[0] += self.raw[j]
        self.factor[0] = 1 / self.total[0]


class PowerNorm(NamedTuple):
    """The state of `PNorm`: θ; raw = f(θ/r) up to a factor; p; r near ‖θ‖_p; total = Σ |θ_j/r|^p; factor.

    w = sgn(θ) |θ/r|^(p-1) · r / total^((p-2)/p).
    """

    dual: NDArray[Any]
    raw: NDArray[Any]
    p: NDArray[np.float64]
    reference: NDArray[np.float64]
    total: NDArray[np.float64]
    factor: NDArray[np.float64]

    @property
    def weights(self) -> NDArray[Any]:
        """w."""
        return self.raw * self.raw.dtype.type(self.factor[0])

    def form(self) -> Coupled:
        """All features share one factor."""
        return Coupled()

    def terms(self, j: int, x: float) -> tuple[float, float]:
        """raw_j x_j, and no spread."""
        return self.raw[j] * x, self.raw.dtype.type(0)

    def margin(self, total: float, spread: float) -> float:  # noqa: ARG002
        """w·x."""
        return total * like(self.factor[0], total)

    def move(self, j: int, x: float, step: float) -> None:
        """θ_j ← θ_j + η y x_j; update the raw weight and the sum."""
        before = self.raw[j] * (self.dual[j] / self.reference[0])
        self.dual[j] += step * x
        self.raw[j] = signed_power(self.dual[j] / self.reference[0], self.p[0] - 1)
        # A single difference, so that it is exactly 0 if nothing has changed.
        self.total[0] += self.raw[j] * (self.dual[j] / self.reference[0]) - before

    def refresh(self) -> None:
        """Recompute the factor; if the sum is far from 1, choose a better reference first."""
        p = self.p[0]
        if not LEAST <= self.total[0] <= MOST:
            top = 0.0
            for j in range(self.dual.shape[0]):
                top = maximum(top, abs(self.dual[j]))
            total = 0.0
            for j in range(self.dual.shape[0]):
                if self.dual[j] != 0:  # most features have not occurred, and their raw weight is 0
                    total += power(abs(self.dual[j]) / maximum(top, TINY), p)
            self.reference[0] = where(top > 0, top * total ** (1 / p), 1.0)
            self.total[0] = 0.0
            for j in range(self.dual.shape[0]):
                if self.dual[j] != 0:
                    self.raw[j] = signed_power(self.dual[j] / self.reference[0], p - 1)
                    self.total[0] += self.raw[j] * (self.dual[j] / self.reference[0])
        scale = self.reference[0] / maximum(self.total[0], TINY) ** ((p - 2) / p)
        self.factor[0] = where(self.total[0] > 0, scale, 0.0)


@inlined
def raised(exponent: float) -> float:
    """Return e^exponent, for exponents up to HIGHEST."""
    return math.exp(minimum(exponent, HIGHEST))


@inlined
def signed_power(value: float, exponent: float) -> float:
    """Return sgn(value) |value|^exponent."""
    return sign(value, 0.0) * power(abs(value), exponent)


@inlined
def power(value: float, exponent: float) -> float:
    """Return value^exponent, for values from 0 and exponents from 1 on."""
    if exponent <= MULTIPLIED and exponent == math.floor(exponent):
        product = value
        for _ in range(int(exponent) - 1):
            product *= value
        return product
    return value**exponent
