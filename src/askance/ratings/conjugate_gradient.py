"""BNRCG: conjugate gradients on the manifold for X, in turn with gradient descent for the thresholds."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from askance.ratings.manifold import Numbers, Point, Tangent, inner, retracted, transported
from askance.ratings.problem import Problem, ThresholdLoss

ENOUGH_OF_A_STEP = 1e-4  # c₁ of eq. 2.12
ENOUGH_OF_THRESHOLDS = 1e-3  # c₂ of eq. 2.13
HALVINGS = 40
STEEPEST = 0.1  # the least cosine between a direction and the steepest one


class Move(NamedTuple):
    """Where a step began, the gradient there and the direction taken."""

    start: Point
    gradient: Tangent
    direction: Tangent


class Iterate(NamedTuple):
    """A point with its thresholds and the value of the objective, its gradients there and how it was reached."""

    point: Point
    thresholds: Numbers
    value: float
    gradient: Tangent
    threshold_slopes: Numbers
    move: Move | None

    @property
    def steepness(self) -> float:
        """The norm of the Riemannian gradient."""
        return float(np.sqrt(inner(self.gradient, self.gradient)))

    @property
    def threshold_steepness(self) -> float:
        """The norm of the gradient in the thresholds."""
        return float(np.linalg.norm(self.threshold_slopes))


def begun(problem: Problem, point: Point, thresholds: Numbers) -> Iterate:
    """The iterate at a point that no step has led to."""
    problem.look_at(point)
    return _iterate(problem, point, thresholds, problem.losses(thresholds), None)


def iterates(problem: Problem, now: Iterate) -> Iterator[Iterate]:
    """The iterates of Algorithm 1 after `now`, each of a smaller value; they end where no step is to be found."""
    while True:
        following = _after(problem, now)
        if following.value >= now.value:
            return
        now = following
        yield now


def _after(problem: Problem, now: Iterate) -> Iterate:
    steepest = now.gradient.times(-1.0)
    direction = _direction(now, steepest)
    found = _stepped(problem, now, direction)
    if found is None and direction is not steepest:
        direction, found = steepest, _stepped(problem, now, steepest)
    if found is None:
        # Rounding hides any gain in X: there may still be one in the thresholds.
        problem.look_at(now.point)
        found = now.point, problem.losses(now.thresholds)
    point, loss = found
    move = Move(now.point, now.gradient, direction)
    return _iterate(problem, point, *better_thresholds(problem, now.thresholds, loss), move)


def _iterate(
    problem: Problem, point: Point, thresholds: Numbers, loss: ThresholdLoss, move: Move | None
) -> Iterate:
    slopes = problem.pulled(loss, thresholds, thresholds.mean(0)).slopes
    problem.settle(thresholds)
    value = problem.value(point, thresholds, loss)
    return Iterate(point, thresholds, value, problem.gradient(point), slopes, move)


def _direction(now: Iterate, steepest: Tangent) -> Tangent:
    """-grad + β T(η) by Polak and Ribière's rule, β ≥ 0; the steepest one where the two are nearly orthogonal."""
    gradient, move = now.gradient, now.move
    squared_before = inner(move.gradient, move.gradient) if move else 0.0
    if move is None or not squared_before > 0:
        return steepest
    squared = inner(gradient, gradient)
    before = transported(move.gradient, move.start, now.point)
    beta = max(0.0, (squared - inner(gradient, before)) / squared_before)
    direction = steepest.plus(transported(move.direction, move.start, now.point).times(beta))
    along = -inner(gradient, direction)
    return direction if along >= STEEPEST * np.sqrt(squared * inner(direction, direction)) else steepest


def _stepped(problem: Problem, now: Iterate, direction: Tangent) -> tuple[Point, ThresholdLoss] | None:
    """The point after a step that satisfies eq. 2.12, and its loss; the first step tried is exact on a line."""
    slope = inner(now.gradient, direction)
    bend = problem.curvature(now.point, direction)
    if not slope < 0 or not bend > 0:
        return None
    step = -slope / bend
    for _ in range(HALVINGS):
        point = retracted(now.point, step, direction)
        problem.look_at(point)
        loss = problem.losses(now.thresholds)
        if problem.value(point, now.thresholds, loss) <= now.value + ENOUGH_OF_A_STEP * step * slope:
            return point, loss
        step /= 2
    return None


def better_thresholds(problem: Problem, thresholds: Numbers, loss: ThresholdLoss) -> tuple[Numbers, ThresholdLoss]:
    """θ - γg for each row of thresholds, γ such that eq. 2.13 holds; a row stays where no γ does."""
    centre = thresholds.mean(0)
    now = problem.pulled(loss, thresholds, centre)
    squared = np.sum(now.slopes**2, axis=1)
    bend = np.sum(now.slopes**2 * now.curvatures, axis=1)
    step = np.divide(squared, bend, out=np.zeros_like(bend), where=bend > 0)
    for _ in range(HALVINGS):
        tried = thresholds - step[:, None] * now.slopes
        found = problem.losses(tried)
        too_little = (
            problem.pulled(found, tried, centre).values > now.values - ENOUGH_OF_THRESHOLDS * step * squared
        )
        too_little &= step > 0
        if not too_little.any():
            return tried, found
        step[too_little] /= 2
    step[too_little] = 0
    tried = thresholds - step[:, None] * now.slopes
    return tried, problem.losses(tried)
