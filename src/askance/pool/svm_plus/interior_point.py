"""The quadratic problem of SVM+, solved to nearly the last digit by an interior point method.

    min ½(‖w‖² + γ‖v‖²) + C Σ c_i   so that   y_i(w·x_i + b) + c_i ≥ 1   and   c_i ≥ 0,

where the slack c_i is v·z_i + a for a row with privileged features z_i, and free for a row without. Mehrotra's
predictor and corrector (1992), from a point that satisfies all inequalities and so does every later one. Why not
a solver from the shelf: docs/decisions/0015.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError

from askance.pool.svm_plus.normal_equations import Cholesky, Orthogonal, Problem, Solver, System

Array = NDArray[np.float64]

STEPS = 100
PATIENCE = 5  # steps that make nothing better before rounding errors are taken to be all that is left
CLOSE = 1e-6  # a gap to the optimum, of the objective, below which that is believed
CLOSER = 5e-7  # errors of scores, whose unit is the margin, above which better arithmetic is worth its time
EXACT = 1e-8  # and below which there is nothing left to do
SHORT_OF_THE_WALL = 0.99


class Solution(NamedTuple):
    """The weights of both views, the dual variables α and β, and how far the objective is from its optimum.

    `gap` is a share of the objective. α belongs to the margins and β to the signs of the slacks.
    """

    weights: Array
    correcting_weights: Array
    alpha: Array
    beta: Array
    gap: float


def solve(problem: Problem) -> Solution:
    """The optimum; by slower and more exact arithmetic if the fast one does not come near enough."""
    system = System(problem)
    with np.errstate(all="ignore"):  # a room that rounds to 0 makes the next point no number, which is noticed
        walk = _walked(system, _start(problem), Cholesky)
        if not system.error(walk.gap) <= CLOSER:
            walk = min(walk, _walked(system, walk.early, Orthogonal), key=lambda each: each.gap)
    width, best = problem.main.shape[1], walk.best
    gap = walk.gap / _objective(system, best)
    return Solution(best.x[:width], best.x[width + 1 : -1], *_mended(problem, *best.dual), gap)


class _Walk(NamedTuple):
    """The best of the points on the way, its gap, and the last one that was not yet close."""

    best: "_Point"
    gap: float
    early: "_Point"


def _walked(system: System, point: "_Point", solver: type[Solver]) -> _Walk:
    """Where the steps lead to; when only rounding errors are left, they make the point worse again."""
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
        except (LinAlgError, ValueError):  # of numbers that are none
            break
    return _Walk(best, float(best_gap), early)


def _mended(problem: Problem, alpha: Array, beta: Array) -> tuple[Array, Array]:
    """α and β, which make C together where the slack is free: the smaller has the smaller rounding error."""
    more, free = alpha > beta, ~problem.privileged
    return np.where(free & more, problem.C - beta, alpha), np.where(free & ~more, problem.C - alpha, beta)


class _Point(NamedTuple):
    """x = (w, b, v, a), the free slacks, and of both kinds of inequalities the room to equality and the duals."""

    x: Array
    free: Array
    room: Array
    dual: Array


class _Residuals(NamedTuple):
    """What the gradients are by x and by the free slacks, which is 0 at the optimum."""

    x: Array
    free: Array


def _start(problem: Problem) -> _Point:
    """Weights of 0 and slacks of 2: all inequalities hold, and all products of room and dual are the same."""
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
    """How far the objective is from its optimum: by duality, and by what residuals cost.

    Those of biases and free slacks cost as little as others: duals of rows with no room to spare mend them.
    """
    lost = (residuals.x**2 / np.where(system.weight > 0, system.weight, 1.0)).sum() + (residuals.free**2).sum()
    return float((point.room * point.dual).sum() + 0.5 * lost)


def _stepped(system: System, point: _Point, residuals: _Residuals, solver: type[Solver]) -> _Point:
    """The point after one predictor and one corrector, a little short of where an inequality would be equal."""
    pull = point.dual / point.room
    equations = solver(system, pull)
    products = point.room * point.dual

    def direction(target: Array) -> _Point:
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
    length = min(1.0, SHORT_OF_THE_WALL * _longest(point, bent))
    return _Point(*(old + length * new for old, new in zip(point, bent, strict=True)))


def _longest(point: _Point, direction: _Point) -> float:
    """How far to go until a room or a dual is 0; no more than the whole way."""
    worst = min((direction.room / point.room).min(), (direction.dual / point.dual).min())
    return float(min(1.0, -1.0 / worst)) if worst < 0 else 1.0
