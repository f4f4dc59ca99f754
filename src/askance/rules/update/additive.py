"""The general additive family (Grove, Littlestone and Schuurmans 2001), as in Cesa-Bianchi et al. 2006, section 3.

On a mistake, sgn(p) ≠ y: θ ← θ + η y x. The weights are w = f(θ), and the link f makes the algorithm: softmax
gives Winnow, the gradient of the p-norm the p-norm Perceptron, and the identity, which is p = 2, the Perceptron.
The first two do well where few of very many features matter.

A state keeps w = raw · factor. A step changes `raw` on the row's own features, and one factor for all; so a round
costs one pass over the row's non-zeros, and all is worked out anew from θ only now and then.
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

# A sum that is kept up to date by differences is trusted as long as it stays near 1, to which it was settled.
LEAST, MOST = 1 / 16, 16.0
# Beyond e^HIGHEST, plain Python would refuse; all that has become as large is settled at once.
HIGHEST = 700.0
# A new feature with a raw weight of more than e^FAR has all settled first: single precision ends at e^88.
FAR = 60.0
# Instead of 0 in a denominator whose numerator is 0.
TINY = 1e-300


class Winnow(NamedTuple):
    """Winnow: w_j = e^θ_j / Σ e^θ, so w begins at 1/d, and w_j ← w_j e^(η y x_j), divided by the new sum.

    No weight is negative, and they add up to 1: for a target with negative weights, give it every row twice, as
    (x, -x). Scores depend on the number of features, because a new feature takes its share of the weights.
    """

    eta: float = 0.5

    def start(self, width: int, dtype: DTypeLike) -> "Softmax":
        """w = 1/d."""
        scalars = (np.full(1, value, np.float64) for value in (0, width, 1 / max(width, 1)))
        return Softmax(np.zeros(width, dtype), np.ones(width, dtype), *scalars)

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """η y on a mistake."""
        return seen.prediction != label, self.eta * label

    def constraints(self) -> Constraints:
        """η > 0."""
        return {"eta": POSITIVE}

    def about(self) -> About:
        """For two classes."""
        return About(cost="O(d'), now and then O(d)")


class PNorm(NamedTuple):
    """The p-norm Perceptron: `w_j = sgn(θ_j) |θ_j|^(p-1) / ‖θ‖_p^(p-2)`, and w = 0 for θ = 0.

    p = 2 is the Perceptron; p near 2 ln d does nearly as Winnow does, and knows negative weights.
    """

    p: float = 4.0
    eta: float = 1.0

    def start(self, width: int, dtype: DTypeLike) -> "PowerNorm":
        """w = 0."""
        scalars = (np.full(1, value, np.float64) for value in (self.p, 1, 0, 0))
        return PowerNorm(np.zeros(width, dtype), np.zeros(width, dtype), *scalars)

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """η y on a mistake."""
        return seen.prediction != label, self.eta * label

    def constraints(self) -> Constraints:
        """2 ≤ p < ∞, η > 0."""
        return {"p": Interval(2, low_closed=True, high_closed=False), "eta": POSITIVE}

    def about(self) -> About:
        """For two classes."""
        return About(cost="O(d'), now and then O(d)")


class Softmax(NamedTuple):
    """θ; raw = e^(θ - reference), with a reference near ln Σ e^θ; its sum `total`; and factor = 1/total.

    θ is kept because a weight may fall below the smallest float and must be able to rise again.
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
        """The factor is the same for all features."""
        return Coupled()

    def add_features(self, first: int) -> None:
        """Features from `first` on are new: θ = 0."""
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
        """θ_j ← θ_j + η y x_j, and what follows from it."""
        before = np.float64(self.raw[j])
        self.dual[j] += step * x
        self.raw[j] = raised(self.dual[j] - self.reference[0])
        # One difference: where nothing has changed, it is 0.
        self.total[0] += np.float64(self.raw[j]) - before

    def refresh(self) -> None:
        """The factor, and if the sum has gone far, a better reference first."""
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
    """θ; p; raw = f(θ/reference) up to a factor, with a reference near ‖θ‖_p; total = Σ |θ_j/reference|^p; factor.

    With r the reference, w = sgn(θ) |θ/r|^(p-1) · r / total^((p-2)/p).
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
        """The factor is the same for all features."""
        return Coupled()

    def terms(self, j: int, x: float) -> tuple[float, float]:
        """raw_j x_j, and no spread."""
        return self.raw[j] * x, self.raw.dtype.type(0)

    def margin(self, total: float, spread: float) -> float:  # noqa: ARG002
        """w·x."""
        return total * like(self.factor[0], total)

    def move(self, j: int, x: float, step: float) -> None:
        """θ_j ← θ_j + η y x_j, and what follows from it."""
        before = self.raw[j] * (self.dual[j] / self.reference[0])
        self.dual[j] += step * x
        self.raw[j] = signed_power(self.dual[j] / self.reference[0], self.p[0] - 1)
        # One difference: where nothing has changed, it is 0.
        self.total[0] += self.raw[j] * (self.dual[j] / self.reference[0]) - before

    def refresh(self) -> None:
        """The factor, and if the sum has gone far, a better reference first."""
        p = self.p[0]
        if not LEAST <= self.total[0] <= MOST:
            top = 0.0
            for j in range(self.dual.shape[0]):
                top = maximum(top, abs(self.dual[j]))
            total = 0.0
            for j in range(self.dual.shape[0]):
                total += (abs(self.dual[j]) / maximum(top, TINY)) ** p
            self.reference[0] = where(top > 0, top * total ** (1 / p), 1.0)
            self.total[0] = 0.0
            for j in range(self.dual.shape[0]):
                self.raw[j] = signed_power(self.dual[j] / self.reference[0], p - 1)
                self.total[0] += self.raw[j] * (self.dual[j] / self.reference[0])
        scale = self.reference[0] / maximum(self.total[0], TINY) ** ((p - 2) / p)
        self.factor[0] = where(self.total[0] > 0, scale, 0.0)


@inlined
def raised(exponent: float) -> float:
    """e to the power of `exponent`."""
    return math.exp(minimum(exponent, HIGHEST))


@inlined
def signed_power(value: float, exponent: float) -> float:
    """sgn(value) |value|^exponent."""
    return sign(value, 0.0) * abs(value) ** exponent
