"""Growing the rank: find the directions of steepest descent and start from a point along them."""

import numpy as np

from askance.ratings.conjugate_gradient import Iterate
from askance.ratings.manifold import LowRankPoint, added
from askance.ratings.problem import RatingProblem
from askance.typing import FloatArray

OVERSAMPLING = 6  # extra columns beyond the number of singular triplets
ROUNDS = 3  # of subspace iteration; the directions need not be exact
HALVINGS = 30


def grown(problem: RatingProblem, now: Iterate, by: int, random: np.random.Generator) -> LowRankPoint | None:
    """X - t X̄ (step 2a of Algorithm 2), X̄ being the leading `by` singular triplets of the gradient G.

    Fewer triplets are added if f rises with all of them: a triplet that vanishes, or lies in the span of X, leaves
    a singular value near 0, where the barrier is infinite. Returns None if f rises with one triplet, too.
    """
    left, values, right = steepest_triplets(problem, now.point, by, random)
    for count in range(by, 0, -1):
        point = _lowered(problem, now, left[:, :count], values[:count], right[:, :count])
        if point is not None:
            return point
    return None


def _lowered(
    problem: RatingProblem, now: Iterate, left: FloatArray, values: FloatArray, right: FloatArray
) -> LowRankPoint | None:
    """X - t X̄ with a smaller f than X; None if there is none.

    t starts at the exact step for the current curvature and is halved until f falls by t/2 ⟨X̄, X̄⟩. The barrier
    is infinite at t = 0, so there may be no such t; then the best of those tried is taken.
    """
    nothing = np.zeros_like(left), np.zeros_like(right)
    squared = float(values @ values)
    if not squared > 0:
        return None
    bend = problem.loss_curvature(left * values, right, *nothing)
    step = squared / (bend + problem.settings.regularization * squared)
    found: list[tuple[float, LowRankPoint]] = []
    for _ in range(HALVINGS):
        point = added(now.point, left, -step * values, right)
        problem.set_point(point)
        value = problem.value(point, now.thresholds, problem.losses(now.thresholds))
        found.append((value, point))
        if value <= now.value - 0.5 * step * squared:
            return point
        if len(found) > 1 and value > found[-2][0]:
            break  # the objective rises again, because of the barrier
        step /= 2
    least, best = min(found, key=lambda pair: pair[0])
    return best if least < now.value else None


def steepest_triplets(
    problem: RatingProblem, point: LowRankPoint, count: int, random: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The leading singular triplets of the current G, by randomised subspace iteration."""
    users, items = problem.observed.n_users, problem.observed.n_items
    width = min(count + OVERSAMPLING, users, items)
    empty = np.zeros((users, 0)), np.zeros((items, 0))
    slopes = problem.regularizer_slopes(point)
    right = np.linalg.qr(random.standard_normal((items, width)))[0]
    for _ in range(ROUNDS):
        ahead = problem.products(empty[0], right)[0] + point.left @ (slopes[:, None] * (point.right.T @ right))
        left = np.linalg.qr(ahead)[0]
        back = problem.products(left, empty[1])[1] + point.right @ (slopes[:, None] * (point.left.T @ left))
        right, core = np.linalg.qr(back)
    up, values, across = np.linalg.svd(core.T)
    return left @ up[:, :count], values[:count], right @ across[:count].T
