"""A larger rank: the directions in which the objective falls most steeply, and a warm start along them."""

import numpy as np

from askance.ratings.conjugate_gradient import Iterate
from askance.ratings.manifold import Numbers, Point, added
from askance.ratings.problem import Problem

OVERSAMPLED = 6  # columns more than singular triplets are wanted
ROUNDS = 3  # of subspace iteration: a direction need not be exact
HALVINGS = 30


def grown(problem: Problem, now: Iterate, by: int, random: np.random.Generator) -> Point | None:
    """X - t X̄ (step 2a of Algorithm 2), X̄ being the leading `by` singular triplets of the gradient G.

    t is the first, beginning with the exact one for the curvature at hand and halved each time, for which f falls
    by at least t/2 ⟨X̄, X̄⟩. The barrier, infinite at t = 0, may leave none: then it is the best of those tried.
    None if the gradient vanishes: there is nowhere to go.
    """
    left, values, right = steepest_triplets(problem, now.point, by, random)
    nothing = np.zeros_like(left), np.zeros_like(right)
    squared = float(values @ values)
    if not squared > 0:
        return None
    bend = problem.loss_curvature(left * values, right, *nothing)
    step = squared / (bend + problem.settings.regularization * squared)
    found: list[tuple[float, Point]] = []
    for _ in range(HALVINGS):
        point = added(now.point, left, -step * values, right)
        problem.look_at(point)
        value = problem.value(point, now.thresholds, problem.losses(now.thresholds))
        found.append((value, point))
        if value <= now.value - 0.5 * step * squared:
            return point
        if len(found) > 1 and value > found[-2][0]:
            break  # it rises again: the barrier does
        step /= 2
    return min(found, key=lambda pair: pair[0])[1]


def steepest_triplets(
    problem: Problem, point: Point, count: int, random: np.random.Generator
) -> tuple[Numbers, Numbers, Numbers]:
    """The leading singular triplets of G where it was settled, by randomised subspace iteration."""
    users, items = problem.observed.users, problem.observed.width
    width = min(count + OVERSAMPLED, users, items)
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
