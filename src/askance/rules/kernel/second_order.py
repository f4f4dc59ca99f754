"""The second-order Perceptron in dual form (Cesa-Bianchi, Gentile and Zaniboni 2006, section 2 and figure 3).

With A = I + Σ φ(x_s) φ(x_s)ᵀ and v = Σ y_s φ(x_s), summed over the known mistakes, the score is
p = vᵀ(A + φ(x) φ(x)ᵀ)⁻¹ φ(x). In terms of the support set, with its Gram matrix G and g_s = k(x_s, x), that is

    p = cᵀ(I + G)⁻¹ g / (1 + k(x, x) - gᵀ(I + G)⁻¹ g),   c_s = y_s.

I + G is stored as its Cholesky factor L. A new vector extends L by the row z = L⁻¹ g and L⁻¹c by one number, and
p = (L⁻¹c)·z / (1 + k(x, x) - z·z). I + G has no eigenvalue below 1, so z stays accurate for any number of vectors.
A round costs O(|S| d' + |S|²); nothing is ever solved again from the start.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from askance._util.parameters import Constraints
from askance.jit.kernels.dual_sums import downdate, inner_product, solve
from askance.rules.kernel.comparison import Similarity, compare
from askance.rules.kernel.kernelized import Evaluation, budget_limits, weights
from askance.rules.kernel.kernels import AnyKernel, Linear, check_kernel, check_whole
from askance.rules.kernel.support_set import Point, Support, appended, deleted, no_support
from askance.rules.rows import Seen
from askance.rules.update.rule import About

Numbers = NDArray[np.float64]

# How negative a spread may be because of rounding, relative to k(x, x).
ROUNDING = 1e-6


class Factored(NamedTuple):
    """The state of `SecondOrder`: the support set, L with L Lᵀ = I + G, packed row by row, and L⁻¹c."""

    kernel: AnyKernel
    width: int
    support: Support
    factor: Numbers
    solved: Numbers

    def look(self, point: Point, scratch: Numbers) -> Evaluation:
        """Return p, and the spread φ(x)ᵀA⁻¹φ(x) = k(x, x) - z·z."""
        similarity = compare(self.kernel, self.support, point, scratch)
        row = solve(self.factor, similarity.values)
        spread = spread_of(similarity, row)
        return Evaluation(inner_product(self.solved, row) / (1.0 + spread), spread, similarity, solved_row=row)

    def learned(self, point: Point, evaluation: Evaluation, step: Any, budget: float) -> "Factored":
        """Return the state with the row as a new support vector; if there are `budget` already, one is removed."""
        if self.support.size < budget:
            return self._extended(point, evaluation.similarity, evaluation.solved_row, step)
        least = self.support.least()
        factor, solved = downdate(self.factor, self.solved, least)
        left = self._replace(support=self.support.without(least), factor=factor, solved=solved)
        similarity = evaluation.similarity._replace(
            values=deleted(evaluation.similarity.values, slice(least, least + 1))
        )
        return left._extended(point, similarity, solve(factor, similarity.values), step)

    def _extended(self, point: Point, similarity: Similarity, row: Numbers, step: Any) -> "Factored":
        corner = np.sqrt(1.0 + spread_of(similarity, row))
        number = (step - inner_product(self.solved, row)) / corner
        return self._replace(
            support=self.support.added(point, step, similarity.norm),
            factor=appended(appended(self.factor, row), corner),
            solved=appended(self.solved, number),
        )

    @property
    def weights(self) -> NDArray[Any]:
        """v; only the linear kernel has weights."""
        return weights(self.kernel, self.support, self.width)


def spread_of(similarity: Similarity, row: Numbers) -> np.float64:
    """Return k(x, x) - z·z, which is not negative for a valid kernel; else ValueError."""
    spread = similarity.norm - inner_product(row, row)
    if spread < -ROUNDING * (1.0 + similarity.norm):
        raise ValueError(
            f"the kernel is not positive semi-definite on these rows, with a squared norm of {spread:g}: "
            "use another kernel"
        )
    return np.maximum(spread, 0.0)


class SecondOrder(NamedTuple):
    """The second-order Perceptron with a kernel: on a mistake, v ← v + y φ(x) and A ← A + φ(x) φ(x)ᵀ.

    It discounts directions in which it has often been wrong.

    Parameters
    ----------
    kernel : Kernel or callable, default=Linear()
        A kernel, or a function of two matrices that returns their Gram matrix.
    budget : int, default=None
        The largest number of support vectors. Before a new one is added, the one with the smallest k(x_s, x_s) is
        removed, the oldest of several. None means no limit.

    References
    ----------
    Cesa-Bianchi, Gentile and Zaniboni 2006, section 2 and figure 3.
    """

    kernel: AnyKernel = Linear()
    budget: int | None = None

    def start(self, width: int, dtype: DTypeLike) -> Factored:
        """Return a state without support vectors."""
        return Factored(self.kernel, width, no_support(dtype), np.empty(0), np.empty(0))

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """Return y on a mistake."""
        return seen.prediction != label, label

    def constraints(self) -> Constraints:
        """budget ≥ 1, unless it is None."""
        return budget_limits(self.budget)

    def about(self) -> About:
        """Return the cost: kernels and a triangular system."""
        return About(cost="O(|S| d' + |S|²)", has_spread=True)

    def check(self) -> None:
        """Raise ValueError or TypeError if the kernel or the budget is not valid."""
        check_whole(self, "budget")
        check_kernel(self.kernel)
