"""Kernels: products in a space of features that is never written down.

k(x, z) = φ(x)·φ(z) for some φ. Kernels are named tuples as rules are, with the parameters of scikit-learn. A
function of two matrices that returns their Gram matrix, as `sklearn.svm.SVC` takes it, is a kernel too.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray

from askance._util.parameters import POSITIVE, Constraints, Interval, check_parameters

Numbers = NDArray[np.float64]
WHOLE_AND_POSITIVE = Interval(1, low_closed=True, high_closed=False)


class Kernel(Protocol):
    """A kernel that needs of two rows only x·z, x·x and z·z."""

    def values(self, products: Numbers, squares: Numbers, square: np.float64) -> Numbers:
        """k(x_s, x) for every s, from x_s·x, x_s·x_s and x·x."""

    def own(self, square: np.float64) -> np.float64:
        """k(x, x), from x·x."""

    def constraints(self) -> Constraints:
        """The allowed values of the hyper-parameters."""


class Linear(NamedTuple):
    """k(x, z) = x·z: the learner without a kernel, by its support vectors."""

    def values(self, products: Numbers, squares: Numbers, square: np.float64) -> Numbers:  # noqa: ARG002
        """x_s·x."""
        return products

    def own(self, square: np.float64) -> np.float64:
        """x·x."""
        return square

    def constraints(self) -> Constraints:
        """It has no hyper-parameters."""
        return {}


class RBF(NamedTuple):
    """k(x, z) = exp(-γ ‖x - z‖²): rows are alike if they are near; 1/√γ is what counts as near."""

    gamma: float = 1.0

    def values(self, products: Numbers, squares: Numbers, square: np.float64) -> Numbers:
        """exp(-γ (x_s·x_s + x·x - 2 x_s·x)); what is below 0 is so by rounding."""
        return np.exp(-self.gamma * np.maximum(squares + square - 2.0 * products, 0.0))

    def own(self, square: np.float64) -> np.float64:  # noqa: ARG002
        """1."""
        return np.float64(1.0)

    def constraints(self) -> Constraints:
        """γ > 0."""
        return {"gamma": POSITIVE}


class Polynomial(NamedTuple):
    """k(x, z) = (γ x·z + c₀)^degree: all products of up to `degree` features; with c₀ = 0, of just so many."""

    degree: int = 3
    gamma: float = 1.0
    coef0: float = 1.0

    def values(self, products: Numbers, squares: Numbers, square: np.float64) -> Numbers:  # noqa: ARG002
        """(γ x_s·x + c₀)^degree."""
        return (self.gamma * products + self.coef0) ** int(self.degree)

    def own(self, square: np.float64) -> np.float64:
        """(γ x·x + c₀)^degree."""
        return np.float64(self.gamma * square + self.coef0) ** int(self.degree)

    def constraints(self) -> Constraints:
        """A whole degree ≥ 1, γ > 0 and c₀ ≥ 0: others are no kernels."""
        return {
            "degree": WHOLE_AND_POSITIVE,
            "gamma": POSITIVE,
            "coef0": Interval(0, low_closed=True, high_closed=False),
        }


KERNELS: tuple[type, ...] = (Linear, RBF, Polynomial)
AnyKernel = Kernel | Callable[[Any, Any], Any]


def kernel_named(kernel: str | AnyKernel, **parameters: Any) -> AnyKernel:
    """What scikit-learn calls "linear", "rbf" or "poly"; a kernel is returned as it is.

    Of `gamma`, `degree` and `coef0`, those that the kernel has no use for are checked all the same, and those that
    are None are as the kernel has them.
    """
    polynomial = Polynomial()._replace(**{name: value for name, value in parameters.items() if value is not None})
    words: dict[str, Kernel] = {"linear": Linear(), "rbf": RBF(polynomial.gamma), "poly": polynomial}
    if isinstance(kernel, str) and kernel not in words:
        raise ValueError(f"kernel must be 'linear', 'rbf', 'poly' or a function of two matrices, not {kernel!r}")
    found = words[kernel] if isinstance(kernel, str) else kernel
    for each in (found, polynomial):
        check_kernel(each)
    return found


def is_ours(kernel: Any) -> TypeGuard[Kernel]:
    """Whether a kernel is one of those above, and not a function."""
    return isinstance(kernel, KERNELS)


def check_kernel(kernel: Any) -> None:
    """ValueError or TypeError, in one sentence, unless `kernel` is one with sound parameters."""
    if is_ours(kernel):
        check_parameters(kernel, kernel.constraints())
        check_whole(kernel, "degree")
    elif isinstance(kernel, type) or not callable(kernel):
        raise TypeError(
            f"kernel must be dual.Linear(), dual.RBF(…), dual.Polynomial(…) or a function, not {kernel!r}"
        )


def check_whole(rule: Any, name: str) -> None:
    """ValueError if the number called `name`, where there is one, is not a whole one."""
    value = getattr(rule, name, None)
    if value is not None and value != int(value):
        raise ValueError(f"{type(rule).__name__}: {name} must be a whole number, not {value!r}")
