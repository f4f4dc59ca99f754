"""The quadratic problem of SVM+, solved to nearly the last digit by an interior point method.

    min ½(‖w‖² + γ‖v‖²) + C Σ c_i   so that   y_i(w·x_i + b) + c_i ≥ 1   and   c_i ≥ 0,

where the slack c_i is v·z_i + a for a row with privileged features z_i, and free for a row without. Mehrotra's
predictor and corrector (1992) with dense normal equations: one Cholesky factor of all features a step, and about
fifteen steps. Why not a solver from the shelf: docs/decisions/0015.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

STEPS = 100
PATIENCE = 3  # steps that make nothing better before rounding errors are taken to be all that is left
CLOSE = 1e-6  # a gap to the optimum, of the objective, below which that is believed
EXACT = 1e-15
SHORT_OF_THE_WALL = 0.99


class Problem(NamedTuple):
    """Rows of both views, each with mean 0, their signs, and which have privileged features."""

    main: Array
    correcting: Array
    signs: Array
    privileged: Mask
    C: float
    gamma: float


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
    """The best of the points on the way: when rounding errors are all that is left, steps make it worse again."""
    system, point = _System(problem), _start(problem)
    best, best_gap, best_step = point, np.inf, 0
    with np.errstate(all="ignore"):  # a slack that rounds to 0 makes the next point no number, which is noticed
        for step in range(STEPS):
            residuals = system.residuals(point)
            gap = system.gap(point, residuals)
            if gap < best_gap:
                best, best_gap, best_step = point, gap, step
            if not gap > EXACT or (best_gap < CLOSE and step - best_step >= PATIENCE):
                break
            try:
                point = _stepped(system, point, residuals)
            except (LinAlgError, ValueError):  # of numbers that are none
                break
    width = problem.main.shape[1]
    return Solution(best.x[:width], best.x[width + 1 : -1], *_mended(problem, *best.dual), float(best_gap))


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
    """What is missing to equality: in the inequalities, in the gradient by x and in that by the free slacks."""

    room: Array
    x: Array
    free: Array


def _start(problem: Problem) -> _Point:
    """Weights of 0 and slacks of 2: all inequalities hold, and all products of room and dual are the same."""
    one = np.ones(len(problem.signs))
    x = np.zeros(problem.main.shape[1] + 1 + problem.correcting.shape[1] + 1)
    x[-1] = 2.0 * problem.privileged.any()
    free = np.where(problem.privileged, 0.0, 2.0)
    return _Point(x, free, np.stack([one, 2 * one]), problem.C / 3 * np.stack([2 * one, one]))


class _System:
    """The matrices of a problem: rows with a 1 for the bias, the main ones times their sign."""

    def __init__(self, problem: Problem) -> None:
        ones = np.ones((len(problem.signs), 1))
        self.main = problem.signs[:, None] * np.hstack([problem.main, ones])
        self.slack = np.where(problem.privileged[:, None], np.hstack([problem.correcting, ones]), 0.0)
        self.is_free = ~problem.privileged
        self.C = problem.C
        none = float(not problem.privileged.any())  # then nothing else would hold the bias of the slacks
        gammas = np.full(problem.correcting.shape[1], problem.gamma)
        self.weight = np.concatenate([np.ones(problem.main.shape[1]), [0.0], gammas, [none]])
        self.cost = np.concatenate([np.zeros(self.main.shape[1]), problem.C * self.slack.sum(axis=0)])

    def inequalities(self, x: Array, free: Array) -> Array:
        """y_i(w·x_i + b) + c_i, and c_i."""
        width = self.main.shape[1]
        slacks = self.slack @ x[width:] + free
        return np.stack([self.main @ x[:width] + slacks, slacks])

    def gradient(self, dual: Array) -> Array:
        """What the inequalities, weighted by their duals, have as gradient by x."""
        return np.concatenate([dual[0] @ self.main, (dual[0] + dual[1]) @ self.slack])

    def residuals(self, point: _Point) -> _Residuals:
        room = self.inequalities(point.x, point.free) - point.room
        room[0] -= 1
        free = np.where(self.is_free, self.C - point.dual.sum(axis=0), 0.0)
        return _Residuals(room, self.weight * point.x + self.cost - self.gradient(point.dual), free)

    def gap(self, point: _Point, residuals: _Residuals) -> float:
        """How far the objective is from its optimum, as a share of it: by duality, and by what residuals cost.

        Those of biases and free slacks cost as little as others: duals of rows with no room to spare mend them.
        """
        objective = 0.5 * self.weight @ (point.x * point.x) + self.cost @ point.x + self.C * point.free.sum()
        lost = (residuals.x**2 / np.where(self.weight > 0, self.weight, 1.0)).sum() + (residuals.free**2).sum()
        return ((point.room * point.dual).sum() + 0.5 * lost) / objective

    def normal(self, pull: Array) -> Array:
        """The matrix of the normal equations; a free slack gives way, so that its row pulls less."""
        width = self.main.shape[1]
        margin = np.where(self.is_free, pull[0] * pull[1] / (pull[0] + pull[1]), pull[0])
        main, slack = np.sqrt(margin)[:, None] * self.main, np.sqrt(margin + pull[1])[:, None] * self.slack
        matrix = np.diag(self.weight)
        matrix[:width, :width] += main.T @ main
        matrix[:width, width:] = self.main.T @ (margin[:, None] * self.slack)
        matrix[width:, :width] = matrix[:width, width:].T
        matrix[width:, width:] += slack.T @ slack
        return matrix


def _stepped(system: _System, point: _Point, residuals: _Residuals) -> _Point:
    """The point after one predictor and one corrector, a little short of where an inequality would be equal."""
    pull = point.dual / point.room
    factor = _Factor(system.normal(pull))
    products = point.room * point.dual

    def direction(target: Array) -> _Point:
        wanted = (target - point.dual * residuals.room) / point.room
        give = np.where(system.is_free, (wanted.sum(axis=0) - residuals.free) / pull.sum(axis=0), 0.0)
        x = factor.solve(system.gradient(wanted - pull * give) - residuals.x)
        margin = system.inequalities(x, np.zeros_like(give))[0]
        free = np.where(system.is_free, give - pull[0] / pull.sum(axis=0) * margin, 0.0)
        room = system.inequalities(x, free) + residuals.room
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


class _Factor:
    """The Cholesky factor of a matrix, whose diagonal is made 1 so that the units of features do not matter."""

    def __init__(self, matrix: Array) -> None:
        self.scale = 1 / np.sqrt(np.diagonal(matrix))
        self.factor = cho_factor(matrix * self.scale[:, None] * self.scale, overwrite_a=True)

    def solve(self, right: Array) -> Array:
        return self.scale * cho_solve(self.factor, self.scale * right)
