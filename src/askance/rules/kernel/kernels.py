"""Kernels: inner products in a feature space, k(x, z) = φ(x)·φ(z), computed without φ.

Like rules, kernels are named tuples. Their parameters are those of scikit-learn. A function of two matrices that
returns their Gram matrix, as `sklearn.svm.SVC` accepts it, is a kernel too.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray

from askance._util.parameters import POSITIVE, Constraints, Interval, check_parameters

Numbers = NDArray[np.float64]
WHOLE_AND_POSITIVE = Interval(1, low_closed=True, high_closed=False)


class Kernel(Protocol):
    """A kernel that is a function of x·z, x·x and z·z."""

    def values(self, products: Numbers, squares: Numbers, square: np.float64) -> Numbers:
        """Return k(x_s, x) for every s, given x_s·x, x_s·x_s and x·x."""

    def own(self, square: np.float64) -> np.float64:
        """Return k(x, x), given x·x."""

    def constraints(self) -> Constraints:
        """Return the allowed values of the hyper-parameters, by name."""


class Linear(NamedTuple):
    """k(x, z) = x·z: the learner without a kernel, represented by its support vectors."""

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
    """k(x, z) = exp(-γ ‖x - z‖²): rows are similar if they are close to each other.

    Parameters
    ----------
    gamma : float, default=1.0
        γ. Rows count as close at a distance of about 1/√γ.

    Examples
    --------
    Two classes that no line separates:

    >>> from askance import Learner, kernels, queries, updates
    >>> X, y = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [1, 1, -1, -1]
    >>> rule = kernels.Kernelized(updates.PassiveAggressive(), kernels.RBF(gamma=2.0))
    >>> Learner(rule, queries.Always()).fit(X, y).predict(X)
    array([ 1,  1, -1, -1])
    """

    gamma: float = 1.0

    def values(self, products: Numbers, squares: Numbers, square: np.float64) -> Numbers:
        """Return exp(-γ (x_s·x_s + x·x - 2 x_s·x)). A distance below 0 is due to rounding."""
        return np.exp(-self.gamma * np.maximum(squares + square - 2.0 * products, 0.0))

    def own(self, square: np.float64) -> np.float64:  # noqa: ARG002
        """1."""
        return np.float64(1.0)

    def constraints(self) -> Constraints:
        """γ > 0."""
        return {"gamma": POSITIVE}


class Polynomial(NamedTuple):
    """k(x, z) = (γ x·z + c₀)^degree: all products of up to `degree` features; of exactly `degree` if c₀ = 0.

    Parameters
    ----------
    degree : int, default=3
        The degree, 1 or more.
    gamma : float, default=1.0
        γ, greater than 0.
    coef0 : float, default=1.0
        c₀, 0 or more.
    """

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
        """degree ≥ 1, γ > 0 and c₀ ≥ 0: otherwise it is not positive semi-definite."""
        return {
            "degree": WHOLE_AND_POSITIVE,
            "gamma": POSITIVE,
            "coef0": Interval(0, low_closed=True, high_closed=False),
        }


KERNELS: tuple[type, ...] = (Linear, RBF, Polynomial)
AnyKernel = Kernel | Callable[[Any, Any], Any]


def kernel_named(kernel: str | AnyKernel, **parameters: Any) -> AnyKernel:
    """Return the kernel that scikit-learn calls "linear", "rbf" or "poly"; a kernel is returned unchanged.

    The parameters `gamma`, `degree` and `coef0` default to those of the kernel if they are None. They are checked
    even if the kernel does not use them.
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
    """Return whether a kernel is one of those above, and not a function."""
    return isinstance(kernel, KERNELS)


def check_kernel(kernel: Any) -> None:
    """Raise ValueError or TypeError if `kernel` is not a kernel, or has invalid parameters."""
    if is_ours(kernel):
        check_parameters(kernel, kernel.constraints())
        check_whole(kernel, "degree")
    elif isinstance(kernel, type) or not callable(kernel):
        raise TypeError(
            f"kernel must be kernels.Linear(), kernels.RBF(…), kernels.Polynomial(…) or a function, not {kernel!r}"
        )


def check_whole(rule: Any, name: str) -> None:
    """Raise ValueError if the parameter `name` is neither None nor a whole number."""
    value = getattr(rule, name, None)
    if value is not None and value != int(value):
        raise ValueError(f"{type(rule).__name__}: {name} must be a whole number, not {value!r}")
