"""Adaptive subgradient learning (Duchi, Hazan and Singer 2011), as in Zhai et al. 2022, algorithm 1.

With ℓ = max(0, 1 - y p), a label with ℓ > 0 has the subgradient g = -y x; other labels have none. Every feature
has its own learning rate: H = δ + s, where s_j = √(Σ g_j²) over the labels so far, so that rare features take
large steps and frequent ones small steps. The spread v = x·H⁻¹x says how rare the features of a row are. Each rule
costs one pass over the non-zeros of the row. A row of zeros changes nothing.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from askance._util.parameters import POSITIVE, Constraints, Interval
from askance.jit.pairs import first, pair, second
from askance.rules.rows import Seen
from askance.rules.update.rule import About
from askance.rules.update.scaled_gradient import ScaledGradient
from askance.rules.update.weights import hinge

# For smaller δ, 1/δ comes close to the largest number in single precision.
DELTA = Interval(1e-30, low_closed=True, high_closed=False)


class DualAveraging(NamedTuple):
    """Dual averaging: w = η H⁻¹ Σ y x, summed over all labels with a loss. H includes the last of them.

    Parameters
    ----------
    delta : float, default=1.0
        The initial value δ of the diagonal of H. Larger values make the first steps of a feature smaller.
    eta : float, default=1.0
        The step size η.

    References
    ----------
    Duchi, Hazan and Singer 2011; Zhai et al. 2022, algorithm 1.
    """

    delta: float = 1.0
    eta: float = 1.0

    def start(self, width: int, dtype: DTypeLike) -> "Averaged":
        """w = 0, H = δ."""
        return Averaged(np.zeros((width, 2), dtype), np.asarray(self.delta, dtype)[()])

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """η y."""
        return hinge(seen, label) > 0, label * self.eta

    def weighted(self, weight: float) -> ScaledGradient:
        """Return the rule for a label of this weight, which multiplies the subgradient: g = -weight · y x."""
        return ScaledGradient(self, weight)

    def constraints(self) -> Constraints:
        """δ > 0, η > 0."""
        return {"delta": DELTA, "eta": POSITIVE}

    def about(self) -> About:
        """For two classes and for many; its spread is x·H⁻¹x."""
        return About(has_spread=True, many_classes=True)


class MirrorDescent(NamedTuple):
    """Mirror descent: w ← w + η H⁻¹ y x. H includes the current label.

    Parameters
    ----------
    delta : float, default=1.0
        The initial value δ of the diagonal of H. Larger values make the first steps of a feature smaller.
    eta : float, default=1.0
        The step size η.

    References
    ----------
    Duchi, Hazan and Singer 2011; Zhai et al. 2022, algorithm 1.
    """

    delta: float = 1.0
    eta: float = 1.0

    def start(self, width: int, dtype: DTypeLike) -> "Descended":
        """w = 0, H = δ."""
        return Descended(np.zeros((width, 2), dtype), np.asarray(self.delta, dtype)[()])

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """η y."""
        return hinge(seen, label) > 0, label * self.eta

    def weighted(self, weight: float) -> ScaledGradient:
        """Return the rule for a label of this weight, which multiplies the subgradient: g = -weight · y x."""
        return ScaledGradient(self, weight)

    def constraints(self) -> Constraints:
        """δ > 0, η > 0."""
        return {"delta": DELTA, "eta": POSITIVE}

    def about(self) -> About:
        """For two classes and for many; its spread is x·H⁻¹x."""
        return About(has_spread=True, many_classes=True)


# Both states store the two numbers of a feature side by side: on wide rows, where memory is the bottleneck, two
# arrays took twice as long. They divide by H for every row, because storing H⁻¹ as well, or recomputing s from it,
# took longer.


class Averaged(NamedTuple):
    """η Σ y x_j and s_j of every feature, and δ."""

    pairs: NDArray[Any]
    delta: Any

    @property
    def weights(self) -> NDArray[Any]:
        """w."""
        return self.pairs[:, 0] / (self.delta + self.pairs[:, 1])

    def terms(self, j: int, x: float) -> tuple[float, float]:
        """w_j x_j and x_j² / H_j."""
        loaded = pair(self.pairs, j)
        slowed = x / (self.delta + second(loaded))
        return first(loaded) * slowed, x * slowed

    def margin(self, total: float, spread: float) -> float:  # noqa: ARG002
        """w·x."""
        return total

    def move(self, j: int, x: float, step: float) -> None:
        """s_j ← √(s_j² + x_j²), and η y x_j is added to the sum. No other weight changes."""
        self.pairs[j, 1] = math.sqrt(self.pairs[j, 1] * self.pairs[j, 1] + x * x)
        self.pairs[j, 0] += step * x


class Descended(NamedTuple):
    """w_j and s_j of every feature, and δ."""

    pairs: NDArray[Any]
    delta: Any

    @property
    def weights(self) -> NDArray[Any]:
        """w."""
        return self.pairs[:, 0]

    def terms(self, j: int, x: float) -> tuple[float, float]:
        """w_j x_j and x_j² / H_j."""
        loaded = pair(self.pairs, j)
        return first(loaded) * x, x * x / (self.delta + second(loaded))

    def margin(self, total: float, spread: float) -> float:  # noqa: ARG002
        """w·x."""
        return total

    def move(self, j: int, x: float, step: float) -> None:
        """s_j ← √(s_j² + x_j²), then w_j ← w_j + η y x_j / H_j."""
        self.pairs[j, 1] = math.sqrt(self.pairs[j, 1] * self.pairs[j, 1] + x * x)
        self.pairs[j, 0] += step * x / (self.delta + self.pairs[j, 1])
