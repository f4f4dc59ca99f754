"""One-pass AUC optimisation (Gao, Jin, Zhu and Zhou 2013): gradient descent on the square loss of all pairs.

A row is compared with all rows of the other class by their mean c and their covariance S, so that no rows are
stored. S has d² numbers; for many features, its diagonal or a sketch with few columns can be used instead.
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

# The signs of a row in a sketch are the bits of one 64-bit number.
COLUMNS = Interval(0, 64, low_closed=True, whole=True)


class OPAUC(NamedTuple):
    """w ← w - η (λw + (x - c)((x - c)·w - y) + S w), with the mean c and the covariance S of the other class.

    Nothing changes until the other class has occurred. A round costs O(d²), O(d) with `diagonal`, or O(d · rank).

    Parameters
    ----------
    eta : float, default=0.05
        The learning rate η.
    lam : float, default=0.01
        The regularisation λ.
    diagonal : bool, default=False
        Keep only the diagonal of S.
    rank : int, default=0
        If not 0, keep S as a sketch with this many columns, at most 64: S ≈ ZZᵀ/n - ccᵀ.

    References
    ----------
    Gao, Jin, Zhu and Zhou 2013.
    """

    eta: float = 0.05
    lam: float = 0.01
    diagonal: bool = False
    rank: int = 0

    def start(self, width: int, dtype: DTypeLike) -> Any:  # noqa: ARG002
        """Return the state w = 0, without rows of either class."""
        common = np.zeros(width), np.zeros((2, width)), np.zeros(2)
        if self.diagonal:
            return DiagonalPairs(*common, np.zeros((2, width)))
        if self.rank:
            return SketchedPairs(*common, np.zeros((2, width, self.rank)))
        if 16.0 * width * width > free_bytes():
            raise ValueError(
                f"covariances of {width:,} features take {16 * width * width / 1e9:,.1f} GB, more memory than is "
                "free: use OPAUC(diagonal=True) or OPAUC(rank=50)"
            )
        return FullPairs(*common, np.zeros((2, width, width)))

    def step(self, seen: Seen, label: float) -> tuple[bool, tuple[float, float, float]]:
        """Return the label, η and λ, once the other class has occurred."""
        others = seen.n_labels - seen.n_positives if label > 0 else seen.n_positives
        return others > 0, (label, self.eta, self.lam)

    def constraints(self) -> Constraints:
        """η > 0, λ ≥ 0, up to 64 columns."""
        return {"eta": POSITIVE, "lam": NOT_NEGATIVE_AND_FINITE, "diagonal": YES_OR_NO, "rank": COLUMNS}

    def about(self) -> About:
        """Return the cost of a round."""
        return About(cost="O(d)" if self.diagonal else "O(d · rank)" if self.rank else "O(d²)")

    def check(self) -> None:
        """Raise ValueError if both `diagonal` and `rank` are set."""
        if self.diagonal and self.rank:
            raise ValueError("OPAUC: diagonal and rank exclude each other: set one of them")


class FullPairs(NamedTuple):
    """w; for each class the sum of its rows, their number, and Σ xxᵀ."""

    weights: NDArray[np.float64]
    sums: NDArray[np.float64]
    counts: NDArray[np.float64]
    moments: NDArray[np.float64]

    def form(self) -> Pairwise:
        """Return the form that compares pairs."""
        return form_for_pairs(len(self.weights))

    def covariance_product(self, side: int, mean_score: float, product: Any, shadow: Any) -> None:  # noqa: ARG002
        """S w = Σ x(x·w) / n - c (c·w)."""
        count, width = self.counts[side], self.weights.shape[0]
        for j in range(width):
            product[j] = (
                lane_dot(self.moments[side, j], 0, self.weights, width) - self.sums[side, j] * mean_score
            ) / count

    def accumulate(self, side: int, rows: Any, t: int) -> None:
        """Add the row to Σ xxᵀ."""
        for k in range(rows.size(t)):
            i, x = rows.entry(t, k)
            for other in range(rows.size(t)):
                j, z = rows.entry(t, other)
                self.moments[side, i, j] += np.float64(x) * z


class DiagonalPairs(NamedTuple):
    """w; for each class the sum of its rows, their number, and Σ x_j² of every feature."""

    weights: NDArray[np.float64]
    sums: NDArray[np.float64]
    counts: NDArray[np.float64]
    squares: NDArray[np.float64]

    def form(self) -> Pairwise:
        """Return the form that compares pairs."""
        return form_for_pairs(len(self.weights))

    def covariance_product(self, side: int, mean_score: float, product: Any, shadow: Any) -> None:  # noqa: ARG002
        """S_jj w_j."""
        count = self.counts[side]
        for j in range(product.shape[0]):
            mean = self.sums[side, j] / count
            product[j] = (self.squares[side, j] / count - mean * mean) * self.weights[j]

    def accumulate(self, side: int, rows: Any, t: int) -> None:
        """Add the row to Σ x_j²."""
        for k in range(rows.size(t)):
            j, x = rows.entry(t, k)
            self.squares[side, j] += np.float64(x) * x


class SketchedPairs(NamedTuple):
    """w; for each class the sum of its rows, their number, and Z = Σ x sᵀ with random signs s."""

    weights: NDArray[np.float64]
    sums: NDArray[np.float64]
    counts: NDArray[np.float64]
    sketch: NDArray[np.float64]

    def form(self) -> Pairwise:
        """Return the form that compares pairs."""
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
        """Z ← Z + x sᵀ. s has length 1, and its signs are a function of the number of the row."""
        bits = scrambled_bits(np.uint64(2 * self.counts[side] + side))
        columns = self.sketch.shape[2]
        length = math.sqrt(columns)
        for r in range(columns):
            is_set = (bits >> np.uint64(r)) & np.uint64(1)
            sign = (2.0 * is_set - 1.0) / length
            for k in range(rows.size(t)):
                j, x = rows.entry(t, k)
                self.sketch[side, j, r] += sign * x
