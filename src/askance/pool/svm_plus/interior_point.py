"""Interior point method for the quadratic problem of SVM+, exact to nearly the last digit.

    min ½(‖w‖² + γ‖v‖²) + C Σ c_i   so that   y_i(w·x_i + b) + c_i ≥ 1   and   c_i ≥ 0,

where the slack c_i is v·z_i + a for a row with privileged features z_i, and free for a row without. This is
Mehrotra's predictor-corrector method (1992), started at a point that satisfies all inequalities, as all later ones
do. docs/explanation/decisions/0015 says why no existing solver is used.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError

from askance.pool.svm_plus.normal_equations import Cholesky, Orthogonal, Solver, SVMPlusProblem, System
from askance.typing import FloatArray

STEPS = 100
PATIENCE = 5  # steps without improvement after which only rounding errors are left
CLOSE = 1e-6  # gap to the optimum, relative to the objective, below which the result is accepted
CLOSER = 5e-7  # error of scores, in units of the margin, above which the slower solver is used
EXACT = 1e-8  # error of scores below which the search ends
STEP_FRACTION = 0.99


class Solution(NamedTuple):
    """The weights of both views, the dual variables α and β, and the gap to the optimum.

    `gap` is relative to the objective. α belongs to the margins and β to the signs of the slacks.
    """

    weights: FloatArray
    correcting_weights: FloatArray
    alpha: FloatArray
    beta: FloatArray
    gap: float


def solve(problem: SVMPlusProblem) -> Solution:
    """Find the optimum, with a slower and more exact solver if the fast one is not precise enough."""
    system = System(problem)
    with np.errstate(all="ignore"):  # a slack that rounds to 0 makes the next point NaN, which is noticed
        walk = _walked(system, _start(problem), Cholesky)
        if not system.error(walk.gap) <= CLOSER:
            walk = min(walk, _walked(system, walk.early, Orthogonal), key=lambda each: each.gap)
    width, best = problem.main.shape[1], walk.best
    gap = walk.gap / _objective(system, best)
    return Solution(best.x[:width], best.x[width + 1 : -1], *_corrected(problem, *best.dual), gap)


class _Walk(NamedTuple):
    """The best point on the way, its gap, and the last point that was not yet close."""

    best: "_Point"
    gap: float
    early: "_Point"


def _walked(system: System, point: "_Point", solver: type[Solver]) -> _Walk:
    """Take steps until they no longer help: at the end, rounding errors make the point worse again."""
    best = early = point
    best_gap, best_step = np.inf, 0
    for step in range(STEPS):
        residuals = _residuals(system, point)
        gap = _gap(system, point, residuals)
        if gap < best_gap:
            best, best_gap, best_step = point, gap, step
        is_close = best_gap < CLOSE * _objective(system, best)
        if not is_close:
            early = point
        if is_close and (system.error(best_gap) <= EXACT or step - best_step >= PATIENCE):
            break
        try:
            point = _stepped(system, point, residuals, solver)
        except (LinAlgError, ValueError):  # because of NaN
            break
    return _Walk(best, float(best_gap), early)


def _corrected(problem: SVMPlusProblem, alpha: FloatArray, beta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """α and β, whose sum is C where the slack is free: the smaller one has the smaller rounding error."""
    more, free = alpha > beta, ~problem.privileged
    return np.where(free & more, problem.C - beta, alpha), np.where(free & ~more, problem.C - alpha, beta)


class _Point(NamedTuple):
    """x = (w, b, v, a), the free slacks, and for both kinds of inequalities the distance (room) and the duals."""

    x: FloatArray
    free: FloatArray
    room: FloatArray
    dual: FloatArray


class _Residuals(NamedTuple):
    """The gradients in x and in the free slacks, which are 0 at the optimum."""

    x: FloatArray
    free: FloatArray


def _start(problem: SVMPlusProblem) -> _Point:
    """Weights of 0 and slacks of 2: all inequalities hold, and all products of distance and dual are equal."""
    one = np.ones(len(problem.signs))
    x = np.zeros(problem.main.shape[1] + 1 + problem.correcting.shape[1] + 1)
    x[-1] = 2.0 * problem.privileged.any()
    free = np.where(problem.privileged, 0.0, 2.0)
    return _Point(x, free, np.stack([one, 2 * one]), problem.C / 3 * np.stack([2 * one, one]))


def _residuals(system: System, point: _Point) -> _Residuals:
    free = np.where(system.is_free, system.C - point.dual.sum(axis=0), 0.0)
    return _Residuals(system.weight * point.x + system.cost - system.gradient(point.dual), free)


def _objective(system: System, point: _Point) -> float:
    return float(0.5 * system.weight @ (point.x * point.x) + system.cost @ point.x + system.C * point.free.sum())


def _gap(system: System, point: _Point, residuals: _Residuals) -> float:
    """An estimate of the gap to the optimum, from duality and from the residuals.

    Residuals of intercepts and free slacks count like the others: duals of rows at equality can correct them.
    """
    lost = (residuals.x**2 / np.where(system.weight > 0, system.weight, 1.0)).sum() + (residuals.free**2).sum()
    return float((point.room * point.dual).sum() + 0.5 * lost)


def _stepped(system: System, point: _Point, residuals: _Residuals, solver: type[Solver]) -> _Point:
    """The point after one predictor and one corrector step, strictly inside the inequalities."""
    pull = point.dual / point.room
    equations = solver(system, pull)
    products = point.room * point.dual

    def direction(target: FloatArray) -> _Point:
        wanted = target / point.room
        give = np.where(system.is_free, (wanted.sum(axis=0) - residuals.free) / pull.sum(axis=0), 0.0)
        x = equations.solve(system.gradient(wanted - pull * give) - residuals.x)
        margin = system.inequalities(x, np.zeros_like(give))[0]
        free = np.where(system.is_free, give - pull[0] / pull.sum(axis=0) * margin, 0.0)
        room = system.inequalities(x, free)
        return _Point(x, free, room, (target - point.dual * room) / point.room)

    straight = direction(-products)
    far = _longest(point, straight)
    after = (point.room + far * straight.room) * (point.dual + far * straight.dual)
    centre = (after.mean() / products.mean()) ** 3 * products.mean()
    bent = direction(centre - products - straight.room * straight.dual)
    length = min(1.0, STEP_FRACTION * _longest(point, bent))
    return _Point(*(old + length * new for old, new in zip(point, bent, strict=True)))


def _longest(point: _Point, direction: _Point) -> float:
    """The largest step, at most 1, before a distance or a dual becomes 0."""
    worst = min((direction.room / point.room).min(), (direction.dual / point.dual).min())
    return float(min(1.0, -1.0 / worst)) if worst < 0 else 1.0
