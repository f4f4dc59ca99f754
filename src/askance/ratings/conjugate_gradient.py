"""BNRCG: conjugate gradients on the manifold for X, alternating with gradient descent for the thresholds."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from askance.ratings.manifold import LowRankPoint, Tangent, inner, retracted, transported
from askance.ratings.problem import RatingProblem, ThresholdLoss
from askance.typing import FloatArray

ARMIJO_STEP = 1e-4  # c₁ of eq. 2.12
ARMIJO_THRESHOLDS = 1e-3  # c₂ of eq. 2.13
HALVINGS = 40
LEAST_COSINE = 0.1  # between a direction and the steepest descent


class Move(NamedTuple):
    """The start of a step, the gradient there and the direction taken."""

    start: LowRankPoint
    gradient: Tangent
    direction: Tangent


class Iterate(NamedTuple):
    """A point and its thresholds, the objective and its gradients there, and the step that led to it."""

    point: LowRankPoint
    thresholds: FloatArray
    value: float
    gradient: Tangent
    threshold_slopes: FloatArray
    move: Move | None

    @property
    def steepness(self) -> float:
        """The norm of the Riemannian gradient."""
        return float(np.sqrt(inner(self.gradient, self.gradient)))

    @property
    def threshold_steepness(self) -> float:
        """The norm of the gradient in the thresholds."""
        return float(np.linalg.norm(self.threshold_slopes))


def begun(problem: RatingProblem, point: LowRankPoint, thresholds: FloatArray) -> Iterate:
    """The first iterate, at a given point."""
    problem.set_point(point)
    return _iterate(problem, point, thresholds, problem.losses(thresholds), None)


def iterates(problem: RatingProblem, now: Iterate) -> Iterator[Iterate]:
    """The iterates of Algorithm 1 after `now`, each with a smaller objective, until no step decreases it."""
    while True:
        following = _after(problem, now)
        if following.value >= now.value:
            return
        now = following
        yield now


def _after(problem: RatingProblem, now: Iterate) -> Iterate:
    steepest = now.gradient.times(-1.0)
    direction = _direction(now, steepest)
    found = _stepped(problem, now, direction)
    if found is None and direction is not steepest:
        direction, found = steepest, _stepped(problem, now, steepest)
    if found is None:
        # Rounding hides any decrease in X, but the thresholds may still improve.
        problem.set_point(now.point)
        found = now.point, problem.losses(now.thresholds)
    point, loss = found
    move = Move(now.point, now.gradient, direction)
    return _iterate(problem, point, *better_thresholds(problem, now.thresholds, loss), move)


def _iterate(
    problem: RatingProblem, point: LowRankPoint, thresholds: FloatArray, loss: ThresholdLoss, move: Move | None
) -> Iterate:
    slopes = problem.pulled(loss, thresholds, thresholds.mean(0)).slopes
    problem.update_derivatives(thresholds)
    value = problem.value(point, thresholds, loss)
    return Iterate(point, thresholds, value, problem.gradient(point), slopes, move)


def _direction(now: Iterate, steepest: Tangent) -> Tangent:
    """-grad + β T(η) by Polak and Ribière's rule, β ≥ 0; steepest descent if the two are nearly orthogonal."""
    gradient, move = now.gradient, now.move
    squared_before = inner(move.gradient, move.gradient) if move else 0.0
    if move is None or not squared_before > 0:
        return steepest
    squared = inner(gradient, gradient)
    before = transported(move.gradient, move.start, now.point)
    beta = max(0.0, (squared - inner(gradient, before)) / squared_before)
    direction = steepest.plus(transported(move.direction, move.start, now.point).times(beta))
    along = -inner(gradient, direction)
    return direction if along >= LEAST_COSINE * np.sqrt(squared * inner(direction, direction)) else steepest


def _stepped(
    problem: RatingProblem, now: Iterate, direction: Tangent
) -> tuple[LowRankPoint, ThresholdLoss] | None:
    """The point after a step that satisfies eq. 2.12, and its loss. The first step tried is exact on a line."""
    slope = inner(now.gradient, direction)
    bend = problem.curvature(now.point, direction)
    if not slope < 0 or not bend > 0:
        return None
    step = -slope / bend
    for _ in range(HALVINGS):
        point = retracted(now.point, step, direction)
        problem.set_point(point)
        loss = problem.losses(now.thresholds)
        if problem.value(point, now.thresholds, loss) <= now.value + ARMIJO_STEP * step * slope:
            return point, loss
        step /= 2
    return None


def better_thresholds(
    problem: RatingProblem, thresholds: FloatArray, loss: ThresholdLoss
) -> tuple[FloatArray, ThresholdLoss]:
    """θ - γg for each row of thresholds, γ such that eq. 2.13 holds; without such a γ the row stays."""
    centre = thresholds.mean(0)
    now = problem.pulled(loss, thresholds, centre)
    squared = np.sum(now.slopes**2, axis=1)
    bend = np.sum(now.slopes**2 * now.curvatures, axis=1)
    step = np.divide(squared, bend, out=np.zeros_like(bend), where=bend > 0)
    for _ in range(HALVINGS):
        tried = thresholds - step[:, None] * now.slopes
        found = problem.losses(tried)
        too_little = problem.pulled(found, tried, centre).values > now.values - ARMIJO_THRESHOLDS * step * squared
        too_little &= step > 0
        if not too_little.any():
            return tried, found
        step[too_little] /= 2
    step[too_little] = 0
    tried = thresholds - step[:, None] * now.slopes
    return tried, problem.losses(tried)
