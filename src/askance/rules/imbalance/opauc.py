"""One-pass AUC optimisation (Gao, Jin, Zhu and Zhou 2013): gradient descent on the square loss of all pairs.

A row is compared with all rows of the other class by their mean c and their covariance S, so none is kept. S has
d² numbers; for many features there are its diagonal and a sketch of few columns.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from askance._util.memory import free_bytes
from askance._util.parameters import NOT_NEGATIVE_AND_FINITE, POSITIVE, YES_OR_NO, Constraints, Interval
from askance.jit.coins import scrambled_bits
from askance.jit.simd.blocked_dot import lane_dot
from askance.rules.rows import Seen
from askance.rules.state.pairwise import Pairwise, form_for_pairs
from askance.rules.update.rule import About

# The signs of a row in a sketch are the bits of one number.
COLUMNS = Interval(0, 64, low_closed=True, whole=True)


class OPAUC(NamedTuple):
    """w ← w - η (λw + (x - c)((x - c)·w - y) + S w), with the mean c and the covariance S of the other class.

    S is kept whole; or its `diagonal` alone; or, if `rank` is not 0, as a sketch of so many columns, S ≈ ZZᵀ/n -
    ccᵀ. Nothing moves until the other class has been seen. A round costs O(d²), O(d) or O(d · rank).
    """

    eta: float = 0.05
    lam: float = 0.01
    diagonal: bool = False
    rank: int = 0

    def start(self, width: int, dtype: DTypeLike) -> Any:  # noqa: ARG002
        """w = 0, and no row of either class."""
        common = np.zeros(width), np.zeros((2, width)), np.zeros(2)
        if self.diagonal:
            return DiagonalPairs(*common, np.zeros((2, width)))
        if self.rank:
            return SketchedPairs(*common, np.zeros((2, width, self.rank)))
        if 16.0 * width * width > free_bytes():
            raise ValueError(
                f"covariances of {width:,} features take {16 * width * width / 1e9:,.1f} GB, more than is free: "
                "take OPAUC(diagonal=True) or OPAUC(rank=50)"
            )
        return FullPairs(*common, np.zeros((2, width, width)))

    def step(self, seen: Seen, label: float) -> tuple[bool, tuple[float, float, float]]:
        """The label, η and λ, once the other class has been seen."""
        others = seen.n_labels - seen.n_positives if label > 0 else seen.n_positives
        return others > 0, (label, self.eta, self.lam)

    def constraints(self) -> Constraints:
        """η > 0, λ ≥ 0, up to 64 columns."""
        return {"eta": POSITIVE, "lam": NOT_NEGATIVE_AND_FINITE, "diagonal": YES_OR_NO, "rank": COLUMNS}

    def about(self) -> About:
        """What a round costs."""
        return About(cost="O(d)" if self.diagonal else "O(d · rank)" if self.rank else "O(d²)")

    def check(self) -> None:
        """ValueError unless one kind of covariance is chosen."""
        if self.diagonal and self.rank:
            raise ValueError("OPAUC: the covariance is kept by its diagonal or as a sketch: choose one of them")


class FullPairs(NamedTuple):
    """w; of each class the sum of its rows, their number, and Σ xxᵀ."""

    weights: NDArray[np.float64]
    sums: NDArray[np.float64]
    counts: NDArray[np.float64]
    moments: NDArray[np.float64]

    def form(self) -> Pairwise:
        """By pairs."""
        return form_for_pairs(len(self.weights))

    def covariance_product(self, side: int, mean_score: float, product: Any, shadow: Any) -> None:  # noqa: ARG002
        """S w = Σ x(x·w) / n - c (c·w)."""
        count, width = self.counts[side], self.weights.shape[0]
        for j in range(width):
            product[j] = (
                lane_dot(self.moments[side, j], 0, self.weights, width) - self.sums[side, j] * mean_score
            ) / count

    def accumulate(self, side: int, rows: Any, t: int) -> None:
        """Σ xxᵀ."""
        for k in range(rows.size(t)):
            i, x = rows.entry(t, k)
            for other in range(rows.size(t)):
                j, z = rows.entry(t, other)
                self.moments[side, i, j] += np.float64(x) * z


class DiagonalPairs(NamedTuple):
    """w; of each class the sum of its rows, their number, and Σ x_j² of every feature."""

    weights: NDArray[np.float64]
    sums: NDArray[np.float64]
    counts: NDArray[np.float64]
    squares: NDArray[np.float64]

    def form(self) -> Pairwise:
        """By pairs."""
        return form_for_pairs(len(self.weights))

    def covariance_product(self, side: int, mean_score: float, product: Any, shadow: Any) -> None:  # noqa: ARG002
        """S_jj w_j."""
        count = self.counts[side]
        for j in range(product.shape[0]):
            mean = self.sums[side, j] / count
            product[j] = (self.squares[side, j] / count - mean * mean) * self.weights[j]

    def accumulate(self, side: int, rows: Any, t: int) -> None:
        """Σ x_j²."""
        for k in range(rows.size(t)):
            j, x = rows.entry(t, k)
            self.squares[side, j] += np.float64(x) * x


class SketchedPairs(NamedTuple):
    """w; of each class the sum of its rows, their number, and Z = Σ x sᵀ with random signs s."""

    weights: NDArray[np.float64]
    sums: NDArray[np.float64]
    counts: NDArray[np.float64]
    sketch: NDArray[np.float64]

    def form(self) -> Pairwise:
        """By pairs."""
        return form_for_pairs(len(self.weights), self.sketch.shape[2])

    def covariance_product(self, side: int, mean_score: float, product: Any, shadow: Any) -> None:
        """S w ≈ Z(Zᵀw) / n - c (c·w)."""
        count, width, columns = self.counts[side], self.weights.shape[0], self.sketch.shape[2]
        for r in range(columns):
            shadow[r] = 0.0
        for j in range(width):
            for r in range(columns):
                shadow[r] += self.sketch[side, j, r] * self.weights[j]
        for j in range(width):
            along = lane_dot(self.sketch[side, j], 0, shadow, columns)
            product[j] = (along - self.sums[side, j] * mean_score) / count

    def accumulate(self, side: int, rows: Any, t: int) -> None:
        """Z ← Z + x sᵀ, with signs of length 1 together, which the number of the row decides."""
        bits = scrambled_bits(np.uint64(2 * self.counts[side] + side))
        columns = self.sketch.shape[2]
        length = math.sqrt(columns)
        for r in range(columns):
            is_set = (bits >> np.uint64(r)) & np.uint64(1)
            sign = (2.0 * is_set - 1.0) / length
            for k in range(rows.size(t)):
                j, x = rows.entry(t, k)
                self.sketch[side, j, r] += sign * x
