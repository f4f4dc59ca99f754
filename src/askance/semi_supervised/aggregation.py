"""Multiple label kernel learning: weigh several label vectors of the same rows while training a classifier.

    min_μ max_α  Σα_i - ½ Σ_m μ_m ‖w̃_m‖²,   w̃_m = Σ_i α_i ỹ_mi x_i,   0 ≤ α_i ≤ U_i,   μ on the simplex

(Yan 2017, eq. 3.7.) For a given μ this is the dual of a support vector machine, solved by coordinate descent. Then
μ_m ∝ ‖μ_m w̃_m‖ is the best μ for those weights. More rounds of both lower the value to the joint optimum.
"""

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.extmath import row_norms

from askance.engine.label_kernels import visit
from askance.jit.simd.aligned import aligned_zeros
from askance.jit.simd.vector import LANES
from askance.learners.inputs import as_rows
from askance.rules.state.weights import Weights
from askance.typing import FloatArray, IntArray


class AggregationProblem(NamedTuple):
    """Rows, as given and for compiled passes; their squared norms, signs per lane, and upper bounds of α."""

    X: Any
    rows: Any
    squares: FloatArray
    signs: NDArray[np.int8]
    bounds: FloatArray


class DualPoint(NamedTuple):
    """The state of the descent: α, w̃ with one lane per label vector, and the last slope of every α_i."""

    dual: FloatArray
    state: Weights
    slopes: FloatArray


class Aggregation(NamedTuple):
    """The result: w̃ (features × label vectors), α, the last μ (`used`) and the better one after it (`shares`).

    `values` are the dual values after each round, and `gaps` the duality gaps relative to the primal values.
    """

    weights: FloatArray
    dual: FloatArray
    used: FloatArray
    shares: FloatArray
    values: list[float]
    gaps: list[float]
    passes: int


def aggregate(
    X: Any,
    signs: NDArray[np.int8],
    bounds: FloatArray,
    *,
    n_rounds: int = 1,
    tol: float = 1e-6,
    max_iter: int = 10_000,
    random_state: int = 0,
) -> Aggregation:
    """Solve for μ = 1/M, then for each better μ, in `n_rounds` rounds, each to a relative gap of `tol`.

    `X` is an array or CSR matrix. `signs` has one row of labels -1 and +1 per row of `X`. `bounds` are U.
    """
    rows, width = as_rows(X, np.dtype(np.float64)), X.shape[1]
    members = signs.shape[1]
    lanes = -(-members // LANES) * LANES
    problem = AggregationProblem(X, rows, row_norms(X, squared=True), _widened(signs, lanes), bounds)
    point = DualPoint(
        np.zeros(len(signs)), Weights(aligned_zeros(width * lanes, np.float64)), np.zeros(len(signs))
    )
    weights = point.state.weights.reshape(width, lanes)
    shares, used = np.full(members, 1 / members), np.empty(0)
    values, gaps, passes = [], [], 0
    for _ in range(n_rounds):
        used = shares
        primal, value, more = solve(problem, point, _widened(shares, lanes), tol, max_iter, random_state)
        passes += more
        values.append(value)
        gaps.append((primal - value) / primal)
        shares = better_shares(used, weights[:, :members])
    return Aggregation(weights[:, :members], point.dual, used, shares, values, gaps, passes)


def better_shares(used: FloatArray, weights: FloatArray) -> FloatArray:
    """μ_m = ‖w_m‖ / Σ‖w_m'‖ with w_m = μ_m w̃_m, the best μ for these weights; uniform if all are 0."""
    norms: FloatArray = used * np.sqrt(np.einsum("jm,jm->m", weights, weights))
    total = norms.sum()
    return norms / total if total > 0 else np.full(len(used), 1 / len(used))


def solve(
    problem: AggregationProblem, point: DualPoint, shares: FloatArray, tol: float, max_iter: int, random_state: int
) -> tuple[float, float, int]:
    """Move `point` to the optimum for a μ; returns the primal and dual values and the number of passes.

    Rows whose α is at a bound, and would exceed it by more than any other row did in the last pass, are skipped
    until the others have converged (shrinking, as in LIBLINEAR). From time to time a step extrapolates the last
    passes.
    """
    random = np.random.default_rng(random_state)
    every = active = np.arange(len(problem.bounds))
    earlier = _copy(point)
    primal, value = _values(problem, point, shares)
    for passes in range(max_iter):
        if primal - value <= tol * primal:
            return primal, value, passes
        _visit(problem, point, shares, random.permutation(active))
        if passes % AHEAD == AHEAD - 1:
            _go_ahead(problem, point, earlier, shares)
            earlier = _copy(point)
        pushed = _pushed(problem, point, active)
        if pushed.any() and _gap(problem, point, active) > tol * primal:
            active = _shrunk(problem, point, active, pushed)
        else:
            primal, value = _values(problem, point, shares)
            active = every
    primal, value = _values(problem, point, shares)
    if primal - value > tol * primal:
        warnings.warn(
            f"the aggregation stopped at a gap of {(primal - value) / primal:.1e} instead of {tol:g}: "
            "scale the rows, for example to length 1, use smaller C1 and C2, or raise max_iter",
            ConvergenceWarning,
            stacklevel=2,
        )
    return primal, value, max_iter


AHEAD = 20  # passes between extrapolations; with C = 1000 on news they save two thirds of the time or more
_TINY = 1e-12


def _visit(
    problem: AggregationProblem, point: DualPoint, shares: FloatArray, order: IntArray, **how: bool
) -> None:
    _, rows, squares, signs, bounds = problem
    visit(rows, order, point.state, signs, shares, bounds, squares, point.dual, point.slopes, **how)


def _at_bounds(problem: AggregationProblem, point: DualPoint, active: IntArray) -> tuple[Any, Any]:
    return point.dual[active] == 0, point.dual[active] == problem.bounds[active]


def _pushed(problem: AggregationProblem, point: DualPoint, active: IntArray) -> FloatArray:
    """The slopes of rows that can move downhill, and 0 for the others."""
    at_zero, at_bound = _at_bounds(problem, point, active)
    slopes = point.slopes[active]
    return np.where(at_zero, np.minimum(slopes, 0), np.where(at_bound, np.maximum(slopes, 0), slopes))


def _shrunk(problem: AggregationProblem, point: DualPoint, active: IntArray, pushed: FloatArray) -> IntArray:
    """The rows that are not far beyond a bound, relative to the slopes of the others."""
    low, high = min(pushed.min(), -_TINY), max(pushed.max(), _TINY)
    at_zero, at_bound = _at_bounds(problem, point, active)
    slopes = point.slopes[active]
    return active[~((at_zero & (slopes > high)) | (at_bound & (slopes < low)))]


def _copy(point: DualPoint) -> DualPoint:
    return DualPoint(point.dual.copy(), Weights(point.state.weights.copy()), point.slopes)


def _go_ahead(problem: AggregationProblem, point: DualPoint, earlier: DualPoint, shares: FloatArray) -> None:
    """Extrapolate from the earlier point through this one if that increases the dual value.

    Along a line the dual value is a parabola. α is clipped at its bounds, so the result has to be checked.
    """
    weights, change = (one.weights.reshape(-1, len(shares)) for one in (point.state, earlier.state))
    change = weights - change
    moved = point.dual - earlier.dual
    bend, rise = _product(change, change, shares), moved.sum() - _product(weights, change, shares)
    if not (bend > 0 and rise > 0):
        return
    further = np.clip(point.dual + rise / bend * moved, 0, problem.bounds) - point.dual
    rows = np.flatnonzero(further)
    ahead = weights + problem.X[rows].T @ (further[rows, None] * problem.signs[rows])
    gain = further.sum() - 0.5 * (_product(ahead, ahead, shares) - _product(weights, weights, shares))
    if gain > 0:
        point.dual[:] += further
        weights[:] = ahead


def _product(one: FloatArray, other: FloatArray, shares: FloatArray) -> float:
    """Σ μ_m w̃_m·ṽ_m."""
    return float(shares @ np.einsum("jm,jm->m", one, other))


def _gap(problem: AggregationProblem, point: DualPoint, active: IntArray) -> float:
    """Primal less dual value, if the slopes are up to date: Σ α_i slope_i + U_i max(0, -slope_i)."""
    slopes = point.slopes[active]
    return float(point.dual[active] @ slopes + problem.bounds[active] @ np.maximum(-slopes, 0))


def _values(problem: AggregationProblem, point: DualPoint, shares: FloatArray) -> tuple[float, float]:
    """The primal and the dual value: ½ Σ μ_m ‖w̃_m‖² + Σ U_i max(0, -slope_i), and Σ α_i - ½ Σ μ_m ‖w̃_m‖²."""
    every = np.arange(len(problem.bounds))
    _visit(problem, point, shares, every, moving=False)
    lanes = point.state.weights.reshape(-1, len(shares))
    half = 0.5 * _product(lanes, lanes, shares)
    return half + float(problem.bounds @ np.maximum(-point.slopes, 0)), float(point.dual.sum()) - half


def _widened(array: NDArray[Any], lanes: int) -> NDArray[Any]:
    wide = np.zeros((*array.shape[:-1], lanes), array.dtype)
    wide[..., : array.shape[-1]] = array
    return wide
