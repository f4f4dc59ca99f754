"""Multiple label kernel learning: many label vectors for the same rows, weighted while a classifier is learned.

    min_μ max_α  Σα_i - ½ Σ_m μ_m ‖w̃_m‖²,   w̃_m = Σ_i α_i ỹ_mi x_i,   0 ≤ α_i ≤ U_i,   μ on the simplex

(Yan 2017, eq. 3.7.) For a given μ it is the dual of a support vector machine, solved by coordinate descent; then
μ_m ∝ ‖μ_m w̃_m‖ is the best for those weights. More rounds of the two lower the value to the joint optimum.
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

Numbers = NDArray[np.float64]


class Problem(NamedTuple):
    """Rows, as given and for passes; their squared norms, signs in each lane, and largest multipliers."""

    X: Any
    rows: Any
    squares: Numbers
    signs: NDArray[np.int8]
    bounds: Numbers


class Point(NamedTuple):
    """Where the descent is: α, w̃ with a lane a label vector, and the slope of every α_i when last seen."""

    dual: Numbers
    state: Weights
    slopes: Numbers


class Aggregation(NamedTuple):
    """What came of it: w̃ (features × label vectors), α, the μ that it was solved for and the better one after.

    `values` has the dual value of each round, `gaps` how far below the primal value it is, relative to that.
    """

    weights: Numbers
    dual: Numbers
    used: Numbers
    shares: Numbers
    values: list[float]
    gaps: list[float]
    passes: int


def aggregate(
    X: Any,
    signs: NDArray[np.int8],
    bounds: Numbers,
    *,
    iterations: int = 1,
    tol: float = 1e-6,
    max_iter: int = 10_000,
    random_state: int = 0,
) -> Aggregation:
    """Solve for μ = 1/M, and again for each better μ, `iterations` times in all, each to a relative gap of `tol`.

    `X` is an array or CSR matrix; `signs` has a row of labels -1 and +1 for each of its rows; `bounds` are U.
    """
    rows, width = as_rows(X, np.dtype(np.float64)), X.shape[1]
    members = signs.shape[1]
    lanes = -(-members // LANES) * LANES
    problem = Problem(X, rows, row_norms(X, squared=True), _widened(signs, lanes), bounds)
    point = Point(np.zeros(len(signs)), Weights(aligned_zeros(width * lanes, np.float64)), np.zeros(len(signs)))
    weights = point.state.weights.reshape(width, lanes)
    shares, used = np.full(members, 1 / members), np.empty(0)
    values, gaps, passes = [], [], 0
    for _ in range(iterations):
        used = shares
        primal, value, more = solve(problem, point, _widened(shares, lanes), tol, max_iter, random_state)
        passes += more
        values.append(value)
        gaps.append((primal - value) / primal)
        shares = better_shares(used, weights[:, :members])
    return Aggregation(weights[:, :members], point.dual, used, shares, values, gaps, passes)


def better_shares(used: Numbers, weights: Numbers) -> Numbers:
    """μ_m = ‖w_m‖ / Σ‖w_m'‖ with w_m = μ_m w̃_m: the best μ for these weights; even if all of them are 0."""
    norms: Numbers = used * np.sqrt(np.einsum("jm,jm->m", weights, weights))
    total = norms.sum()
    return norms / total if total > 0 else np.full(len(used), 1 / len(used))


def solve(
    problem: Problem, point: Point, shares: Numbers, tol: float, max_iter: int, random_state: int
) -> tuple[float, float, int]:
    """Move the point to the optimum for a μ; the primal and dual values reached, and how many passes it took.

    Rows whose multiplier is at a bound, and would go beyond it by more than any other row went last time, are left
    out until all others are done (shrinking, as in LIBLINEAR). Now and then all go on at once, as they last went.
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
            f"the label vectors are aggregated to a gap of {(primal - value) / primal:.1e} only, not {tol:g}: "
            "scale the rows, for example to length 1, take smaller C1 and C2, or raise max_iter",
            ConvergenceWarning,
            stacklevel=2,
        )
    return primal, value, max_iter


AHEAD = 20  # passes; with C = 1000 on news, a gap of 1e-6 then takes a third of the time or less
_TINY = 1e-12


def _visit(problem: Problem, point: Point, shares: Numbers, order: NDArray[np.int64], **how: bool) -> None:
    _, rows, squares, signs, bounds = problem
    visit(rows, order, point.state, signs, shares, bounds, squares, point.dual, point.slopes, **how)


def _at_bounds(problem: Problem, point: Point, active: NDArray[np.int64]) -> tuple[Any, Any]:
    return point.dual[active] == 0, point.dual[active] == problem.bounds[active]


def _pushed(problem: Problem, point: Point, active: NDArray[np.int64]) -> Numbers:
    """The slopes along which there is room to go down, and 0 for the others."""
    at_zero, at_bound = _at_bounds(problem, point, active)
    slopes = point.slopes[active]
    return np.where(at_zero, np.minimum(slopes, 0), np.where(at_bound, np.maximum(slopes, 0), slopes))


def _shrunk(problem: Problem, point: Point, active: NDArray[np.int64], pushed: Numbers) -> NDArray[np.int64]:
    """Those rows that are not far beyond a bound; what is far, the others say."""
    low, high = min(pushed.min(), -_TINY), max(pushed.max(), _TINY)
    at_zero, at_bound = _at_bounds(problem, point, active)
    slopes = point.slopes[active]
    return active[~((at_zero & (slopes > high)) | (at_bound & (slopes < low)))]


def _copy(point: Point) -> Point:
    return Point(point.dual.copy(), Weights(point.state.weights.copy()), point.slopes)


def _go_ahead(problem: Problem, point: Point, earlier: Point, shares: Numbers) -> None:
    """Go on from the earlier point through this one, as far as the dual value wants, if that makes it larger.

    Along a line it is a parabola. Multipliers stop at their bounds, so what comes of it must be looked at.
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


def _product(one: Numbers, other: Numbers, shares: Numbers) -> float:
    """Σ μ_m w̃_m·ṽ_m."""
    return float(shares @ np.einsum("jm,jm->m", one, other))


def _gap(problem: Problem, point: Point, active: NDArray[np.int64]) -> float:
    """Primal less dual value, if the slopes are still those of now: Σ α_i slope_i + U_i max(0, -slope_i)."""
    slopes = point.slopes[active]
    return float(point.dual[active] @ slopes + problem.bounds[active] @ np.maximum(-slopes, 0))


def _values(problem: Problem, point: Point, shares: Numbers) -> tuple[float, float]:
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
