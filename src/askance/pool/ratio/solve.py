"""Solve the ratio problem: check the inputs and choose a solver."""

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from askance.pool.ratio.active_set import climb
from askance.pool.ratio.augmented_lagrangian import dinkelbach
from askance.pool.ratio.problem import KernelMatrix, Ratio, Similarities
from askance.typing import FloatArray

Solver = Literal["exact", "alm"]
SOLVERS: tuple[Solver, ...] = ("exact", "alm")


def maximise_ratio(
    A: Any, p: ArrayLike, *, solver: Solver = "exact", tolerance: float = 1e-9, most: int | None = None
) -> Ratio:
    """Find the r ≥ 0 with Σr = 1 that maximises rᵀp / rᵀAr.

    Parameters
    ----------
    A : array-like or sparse matrix of shape (n_rows, n_rows), or Similarities
        A positive definite kernel matrix, or for large pools an object that computes parts of it on demand. If A
        is singular to working precision, as with identical rows, one of many equally good r is returned.
    p : array-like of shape (n_rows,)
        Uncertainties, at least one of them above 0.
    solver : {"exact", "alm"}, default: "exact"
        "exact" is an active-set method that ends at the optimum, where no gain exceeds `tolerance` times the
        largest p. "alm" is Algorithm 6 of the thesis, for comparison: it solves each subproblem to this tolerance
        and stops when the ratio no longer increases.
    tolerance : float, default: 1e-9
        Between 0 and 1.
    most : int or None, default: None
        With "exact", the largest number of rows with weight. The best weights among the rows found are returned.

    Returns
    -------
    ratio : Ratio

    Raises
    ------
    ValueError
        If A, p or a parameter cannot be used.

    Examples
    --------
    >>> from askance.pool.ratio.solve import maximise_ratio
    >>> maximise_ratio([[1.0, 0.0], [0.0, 1.0]], [1.0, 1.0]).r.round(3).tolist()
    [0.5, 0.5]
    """
    uncertainty = np.asarray(p, dtype=np.float64)
    similarities = _checked(A, uncertainty)
    if solver not in SOLVERS:
        raise ValueError(f"solver must be 'exact' or 'alm', not {solver!r}")
    if not 0 < tolerance < 1:
        raise ValueError(f"tolerance must be greater than 0 and less than 1, not {tolerance!r}")
    if most is not None and most < 1:
        raise ValueError(f"most must be a number of rows, 1 or more, not {most!r}")
    largest = float(uncertainty.max())
    shares = uncertainty / largest  # the same r, on a scale on which tolerances can be stated
    if solver == "exact":
        found = climb(similarities, shares, tolerance, most or similarities.size)
    else:
        found = dinkelbach(_whole(similarities), shares, tolerance)
    return found._replace(value=largest * found.value, values=largest * found.values, gains=largest * found.gains)


def _checked(A: Any, p: FloatArray) -> Similarities:
    similarities: Similarities = A if hasattr(A, "weighted") else KernelMatrix(_matrix(A))
    if p.shape != (similarities.size,):
        raise ValueError(f"p has the shape {p.shape} but A has {similarities.size} rows: lengths must match")
    if not np.isfinite(p).all():
        raise ValueError("p has NaN or infinity: every row needs an uncertainty")
    if not p.max() > 0:
        raise ValueError(f"the largest p is {p.max():g}, but one must be above 0: shift p, or set all to 1")
    return similarities


def _matrix(A: Any) -> FloatArray:
    whole: FloatArray = np.asarray(A.toarray() if sp.issparse(A) else A, dtype=np.float64)
    if whole.ndim != 2 or whole.shape[0] != whole.shape[1] or not whole.size:
        raise ValueError(f"A has the shape {whole.shape}: give a square matrix with one row per element of p")
    if not np.isfinite(whole).all():
        raise ValueError("A has NaN or infinity: give a kernel matrix")
    if not (whole.diagonal() > 0).all() or not np.allclose(whole, whole.T, rtol=1e-9, atol=1e-12):
        raise ValueError("A is not symmetric with a positive diagonal: give a kernel matrix")
    return whole


def _whole(similarities: Similarities) -> FloatArray:
    return similarities.block(np.arange(similarities.size))
