"""Rows as coordinates in the feature space of a kernel, where every kernel is linear."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf
from sklearn.metrics.pairwise import pairwise_kernels

from askance.pool.views import AnyMatrix
from askance.typing import BoolArray, FloatArray

Indices = NDArray[np.intp]

NOT_ROUNDING = 1e-8
NAMES = ("linear", "rbf", "poly")


class Space:
    """The feature space of a kernel: "linear", "rbf", "poly", or a function of two matrices.

    With `gamma="scale"`, γ is 1 / (number of features × variance of all values in `rows`).
    """

    def __init__(self, kernel: Any, gamma: Any, degree: int, coef0: float, rows: AnyMatrix) -> None:
        self.is_linear = isinstance(kernel, str) and kernel == "linear"
        self.function: Callable[..., Any] | None = None if isinstance(kernel, str) else kernel
        self.kernel, self.degree, self.coef0 = kernel, degree, coef0
        self.gamma: float = _scale(rows) if isinstance(gamma, str) and gamma == "scale" else gamma

    def gram(self, X: AnyMatrix, Z: AnyMatrix) -> FloatArray:
        """The kernel between the rows of X and those of Z."""
        if self.function is None:
            others = {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
            return np.asarray(pairwise_kernels(X, Z, metric=self.kernel, filter_params=True, **others))
        products = np.asarray(self.function(X, Z), np.float64)
        if products.shape != (X.shape[0], Z.shape[0]) or not np.isfinite(products).all():
            raise ValueError(
                f"the kernel must return a matrix of {X.shape[0]} × {Z.shape[0]} finite numbers, "
                f"not of shape {products.shape}" + " with NaN or infinity" * (products.ndim == 2)
            )
        return products


class Functions(NamedTuple):
    """Linear functions in a feature space, one per line: combinations of rows, or of features without rows."""

    space: Space
    rows: AnyMatrix | None
    lines: FloatArray

    def values(self, X: AnyMatrix) -> FloatArray:
        """Their values on the rows of X, one column per function."""
        return np.asarray(X @ self.lines.T if self.rows is None else self.space.gram(X, self.rows) @ self.lines.T)

    def weights(self) -> FloatArray | None:
        """Their weights of the features if they are linear in the features, else None."""
        return self.lines if self.rows is None else None


class View:
    """The known rows of a view as coordinates in their feature space.

    The coordinates have mean 0, reproduce the kernel between centred rows, and have at most as many columns as
    rows.
    """

    def __init__(self, space: Space, rows: AnyMatrix, known: BoolArray) -> None:
        self.space, self.rows, self.known = space, rows[known], known
        self._basis: Indices | None = None
        if not known.any():
            self._coordinates = np.zeros((0, 0))
            return
        rows, narrow = self.rows, self.rows.shape[1] <= self.rows.shape[0]
        if space.is_linear and sp.issparse(rows) and narrow:
            rows = rows.toarray()
        if space.is_linear and not sp.issparse(rows):
            # Centre before computing products, which would otherwise be large and nearly equal.
            rows = rows - rows.mean(axis=0)
        if space.is_linear and narrow:
            self._coordinates = rows
        else:
            self._coordinates, self._basis = _root(_centred(space.gram(rows, rows)))

    def coordinates(self) -> FloatArray:
        """The coordinates of all rows, with zeros for unknown ones."""
        coordinates = np.zeros((len(self.known), self._coordinates.shape[1]))
        coordinates[self.known] = self._coordinates
        return coordinates

    def functions(self, duals: FloatArray, weights: FloatArray) -> Functions:
        """Σ_i duals_i k(x_i, ·) per line of duals; `weights` give the same in coordinates, and more precisely."""
        if self._basis is None:
            return Functions(self.space, None, weights)
        exact = duals[:, self.known]
        missing = (weights - exact @ self._coordinates).T
        exact[:, self._basis] += solve_triangular(self._coordinates[self._basis], missing, trans=1, lower=True).T
        exact -= exact.mean(axis=1, keepdims=True)  # so that the mean row, which the coordinates lack, cancels
        if self.space.is_linear:
            return Functions(self.space, None, np.asarray(exact @ self.rows))
        return Functions(self.space, self.rows, exact)


def check_kernel(name: str, kernel: Any) -> None:
    """Raise ValueError or TypeError unless it is the name of a kernel or a function."""
    if isinstance(kernel, str) and kernel not in NAMES:
        raise ValueError(f"{name} must be 'linear', 'rbf', 'poly' or a function of two matrices, not {kernel!r}")
    if not isinstance(kernel, str) and not callable(kernel):
        raise TypeError(f"{name} must be 'linear', 'rbf', 'poly' or a function of two matrices, not {kernel!r}")


def _scale(rows: AnyMatrix) -> float:
    if not rows.shape[0]:
        return 1.0
    mean = rows.mean()
    variance = (rows * rows).mean() - mean**2 if sp.issparse(rows) else rows.var()
    return float(1 / (rows.shape[1] * variance)) if variance > 0 else 1.0


def _centred(gram: FloatArray) -> FloatArray:
    """The Gram matrix of the same rows after centring."""
    means = gram.mean(axis=0)
    return gram - means - gram.mean(axis=1)[:, None] + means.mean()


def _root(gram: FloatArray) -> tuple[FloatArray, Indices]:
    """F with F Fᵀ = the matrix, and the indices of rows that form a triangle of F.

    By pivoted Cholesky factorisation, which stops where only rounding errors are left.
    """
    factor, pivots, rank, _ = dpstrf(gram, lower=1)
    places = pivots - 1
    root = np.empty((len(gram), rank))
    root[places] = np.tril(factor)[:, :rank]
    if abs(root @ root.T - gram).max() > NOT_ROUNDING * abs(gram).max():
        raise ValueError("the kernel is not positive semidefinite: its Gram matrix has a negative eigenvalue")
    return root, places[:rank]
