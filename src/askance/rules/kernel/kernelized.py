"""First-order rules in dual form (Cesa-Bianchi, Gentile and Zaniboni 2006, section 2).

w = Σ c_s φ(x_s), summed over the rows learned from, the support set S. With k(x, z) = φ(x)·φ(z), w itself is not
needed: p = Σ c_s k(x_s, x), and ‖φ(x)‖² = k(x, x) takes the place of x·x. A step τ y of the rule becomes the
coefficient of a new support vector. A round costs O(|S| d').
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
    """The score and spread of a row, its similarity to the support vectors, and L⁻¹g where a state needs it."""

    score: np.float64
    spread: np.float64
    similarity: Similarity
    solved_row: Any = None


class Expansion(NamedTuple):
    """The state of `Kernelized`: Σ c_s φ(x_s)."""

    kernel: AnyKernel
    width: int
    support: Support

    def look(self, point: Point, scratch: Numbers) -> Evaluation:
        """Return p = Σ c_s k(x_s, x), and no spread."""
        similarity = compare(self.kernel, self.support, point, scratch)
        return Evaluation(inner_product(self.support.coefficients, similarity.values), np.float64(0), similarity)

    def learned(self, point: Point, evaluation: Evaluation, step: Any, budget: float) -> "Expansion":
        """Return the state with the row as a new support vector; if there are `budget` already, one is removed."""
        support = self.support if self.support.size < budget else self.support.without(self.support.least())
        return self._replace(support=support.added(point, step, evaluation.similarity.norm))

    @property
    def weights(self) -> NDArray[Any]:
        """w; only the linear kernel has weights."""
        return weights(self.kernel, self.support, self.width)


class Kernelized(NamedTuple):
    """Apply a first-order rule in the feature space of a kernel.

    Rules that move w by a multiple of x can be kernelized, such as `Perceptron` and the passive-aggressive rules.

    Parameters
    ----------
    inner : UpdateRule
        The rule to apply.
    kernel : Kernel or callable, default=Linear()
        A kernel, or a function of two matrices that returns their Gram matrix.
    budget : int, default=None
        The largest number of support vectors. Before a new one is added, the one with the smallest
        `|c_s| √k(x_s, x_s)` is removed, the oldest of several. None means no limit.

    References
    ----------
    Cesa-Bianchi, Gentile and Zaniboni 2006, section 2.

    Examples
    --------
    >>> from askance import Learner, kernels, queries, updates
    >>> X, y = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [1, 1, -1, -1]
    >>> rule = kernels.Kernelized(updates.PassiveAggressive(), kernels.RBF(gamma=2.0), budget=4)
    >>> learner = Learner(rule, queries.Always()).fit(X, y)
    >>> learner.predict(X)
    array([ 1,  1, -1, -1])
    >>> learner.support_vectors_.shape
    (4, 2)
    """

    inner: UpdateRule
    kernel: AnyKernel = Linear()
    budget: int | None = None

    def start(self, width: int, dtype: DTypeLike) -> Expansion:
        """Return a state without support vectors."""
        return Expansion(self.kernel, width, no_support(dtype))

    def step(self, seen: Seen, label: float) -> tuple[bool, Any]:
        """Return the step of the inner rule: the coefficient of the new support vector."""
        return self.inner.step(seen, label)

    def constraints(self) -> Constraints:
        """budget ≥ 1, unless it is None."""
        return budget_limits(self.budget)

    def about(self) -> About:
        """Return the cost: one kernel evaluation per support vector."""
        return About(cost="O(|S| d')")

    def check(self) -> None:
        """Raise ValueError or TypeError if the inner rule cannot be kernelized or the kernel is not valid."""
        check_whole(self, "budget")
        check_kernel(self.kernel)
        if not has_kernel_form(self.inner):
            able = ", ".join(rule.__name__ for rule in RULES if has_kernel_form(rule()))
            raise ValueError(
                f"{type(self.inner).__name__} cannot be kernelized: use {able}, or kernels.SecondOrder instead"
            )


def has_kernel_form(rule: Any) -> bool:
    """Return whether the rule only moves weights, by a multiple of the row."""
    if type(rule.start(0, np.float64)) is not Weights:
        return False
    _fires, step = rule.step(Seen(np.float64(0), np.float64(0), np.float64(1), 1.0, 0, 0.0), -1.0)
    return not isinstance(step, tuple)


def budget_limits(budget: int | None) -> Constraints:
    """Return the constraint of a budget: at least one support vector, unless it is None."""
    return {} if budget is None else {"budget": AT_LEAST_ONE}


def weights(kernel: AnyKernel, support: Support, width: int) -> NDArray[Any]:
    """Return Σ c_s x_s; AttributeError if the kernel is not linear."""
    if not isinstance(kernel, Linear):
        raise AttributeError(f"the kernel {kernel} has no coef_: use dual_coef_ and support_vectors_ instead")
    return support.matrix(width).T @ support.coefficients
