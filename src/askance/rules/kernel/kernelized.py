"""First-order rules in dual form (Cesa-Bianchi, Gentile and Zaniboni 2006, section 2).

w = Σ c_s φ(x_s) over the rows learned from, the support set S; with k(x, z) = φ(x)·φ(z), w is never needed:
p = Σ c_s k(x_s, x), and ‖φ(x)‖² = k(x, x) stands for x·x. A step τ y of the rule becomes the coefficient of a new
support vector. A round costs O(|S| d').
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from askance._util.parameters import Constraints, Interval
from askance.jit.kernels.dual_sums import inner_product
from askance.rules.kernel.comparison import Similarity, compare
from askance.rules.kernel.kernels import AnyKernel, Linear, check_kernel, check_whole
from askance.rules.kernel.support_set import Point, Support, no_support
from askance.rules.rows import Seen
from askance.rules.state.weights import Weights
from askance.rules.update import RULES, UpdateRule
from askance.rules.update.rule import About

Numbers = NDArray[np.float64]
AT_LEAST_ONE = Interval(1, low_closed=True, high_closed=False)


class Evaluation(NamedTuple):
    """What a state says of a row: score, spread, how like it is to the support vectors, and notes of its own."""

    score: np.float64
    spread: np.float64
    similarity: Similarity
    solved_row: Any = None


class Expansion(NamedTuple):
    """The state Σ c_s φ(x_s)."""

    kernel: AnyKernel
    width: int
    support: Support

    def look(self, point: Point, scratch: Numbers) -> Evaluation:
        """p = Σ c_s k(x_s, x), and no spread."""
        similarity = compare(self.kernel, self.support, point, scratch)
        return Evaluation(inner_product(self.support.coefficients, similarity.values), np.float64(0), similarity)

    def learned(self, point: Point, evaluation: Evaluation, step: Any, budget: float) -> "Expansion":
        """With the row just looked at as a support vector; if there are `budget` already, one goes first."""
        support = self.support if self.support.size < budget else self.support.without(self.support.least())
        return self._replace(support=support.added(point, step, evaluation.similarity.norm))

    @property
    def weights(self) -> NDArray[Any]:
        """w, which only the linear kernel has."""
        return weights(self.kernel, self.support, self.width)


class Kernelized(NamedTuple):
    """Any rule that moves w by a multiple of x, learning in the kernel's space of features instead.

    With a `budget`, there are never more support vectors: the one of the smallest `|c_s| √k(x_s, x_s)`, and of
    these the oldest, goes before a new one comes.
    """

    inner: UpdateRule
    kernel: AnyKernel = Linear()
    budget: int | None = None

    def start(self, width: int, dtype: DTypeLike) -> Expansion:
        """No support vectors."""
        return Expansion(self.kernel, width, no_support(dtype))

    def step(self, seen: Seen, label: float) -> tuple[bool, Any]:
        """That of the inner rule: the coefficient of the new support vector."""
        return self.inner.step(seen, label)

    def constraints(self) -> Constraints:
        """budget ≥ 1, if there is one."""
        return budget_limits(self.budget)

    def about(self) -> About:
        """It costs a kernel for every support vector."""
        return About(cost="O(|S| d')")

    def check(self) -> None:
        """ValueError or TypeError unless the inner rule has a kernel form, and the kernel is one."""
        check_whole(self, "budget")
        check_kernel(self.kernel)
        if not has_kernel_form(self.inner):
            able = ", ".join(rule.__name__ for rule in RULES if has_kernel_form(rule()))
            raise ValueError(
                f"{type(self.inner).__name__} cannot be kernelized: take {able}, or dual.SecondOrder by itself"
            )


def has_kernel_form(rule: Any) -> bool:
    """Whether the rule moves weights, and nothing else, by a multiple of the row."""
    if type(rule.start(0, np.float64)) is not Weights:
        return False
    _fires, step = rule.step(Seen(np.float64(0), np.float64(0), np.float64(1), 1.0, 0, 0.0), -1.0)
    return not isinstance(step, tuple)


def budget_limits(budget: int | None) -> Constraints:
    """At least one support vector, if their number is limited at all."""
    return {} if budget is None else {"budget": AT_LEAST_ONE}


def weights(kernel: AnyKernel, support: Support, width: int) -> NDArray[Any]:
    """Σ c_s x_s; AttributeError for a kernel other than the linear one."""
    if not isinstance(kernel, Linear):
        raise AttributeError(
            f"with the kernel {kernel} there are no weights coef_: see dual_coef_ and support_vectors_ instead"
        )
    return support.matrix(width).T @ support.coefficients
