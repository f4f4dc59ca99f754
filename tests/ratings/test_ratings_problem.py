"""Maximum-margin factorisation: objective, gradients and geometry as the formulas have them for whole matrices."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import naive.ratings as naive
from askance.ratings.conjugate_gradient import begun, iterates
from askance.ratings.manifold import LowRankPoint, Tangent, inner, projected, retracted, transported
from askance.ratings.problem import RatingProblem, Settings
from askance.ratings.rank_growth import grown, steepest_triplets
from askance.ratings.rank_search import is_flat
from askance.ratings.rating_matrix import RatingMatrix
from examples import examples

EXACT = 1e-9

PROBLEMS = st.fixed_dictionaries(
    {
        "shape": st.tuples(st.integers(2, 12), st.integers(2, 9)),
        "rank": st.integers(1, 3),
        "levels": st.integers(2, 6),
        "count": st.integers(1, 60),
        "together": st.booleans(),
        "own": st.booleans(),
        "threads": st.integers(1, 3),
        "random_state": st.integers(0, 10_000),
    }
)


class Made(NamedTuple):
    problem: RatingProblem
    point: LowRankPoint
    thresholds: Any
    entries: list[tuple[int, int, int]]

    @property
    def dense(self) -> Any:
        return self.point.scaled @ self.point.right.T

    @property
    def whole_gradient(self) -> Any:
        own = self.problem.settings
        model = self.dense, self.point.rank, self.thresholds
        return naive.euclidean_gradient(*model, self.entries, own.together, own.regularization, own.barrier)

    def naive_value(self, X: Any, thresholds: Any) -> float:
        own = self.problem.settings
        value = naive.loss(X, thresholds, self.entries, own.together)
        if own.own_thresholds:
            value += 0.5 * own.threshold_regularization * float(np.sum((thresholds - thresholds.mean(0)) ** 2))
        return value + naive.regularizer(X, self.point.rank, own.regularization, own.barrier)


def made(
    shape: tuple[int, int],
    rank: int,
    levels: int,
    count: int,
    together: bool,
    own: bool,
    threads: int,
    random_state: int,
    regularization: float = 0.3,
) -> Made:
    """A problem with duplicate and contradictory ratings, users without any, and a point of full rank."""
    random = np.random.default_rng(random_state)
    rank = min(rank, *shape)
    users, items = (random.integers(0, size, count).astype(np.int32) for size in shape)
    ratings = random.integers(0, levels, count).astype(np.uint8)
    users[count // 2 :: 7], items[count // 2 :: 7] = users[0], items[0]
    observed = RatingMatrix.grouped(users, items, ratings, shape)
    left, right = (np.linalg.qr(random.normal(size=(size, rank)))[0] for size in shape)
    point = LowRankPoint(left, np.sort(random.uniform(0.5, 8, rank))[::-1].copy(), right)
    rows = shape[0] if own else 1
    thresholds = np.sort(random.normal(size=(rows, levels - 1)), axis=1)
    settings_ = Settings(regularization, 0.05, together, own, 2.0)
    entries = list(zip(users.tolist(), items.tolist(), (ratings + 1).tolist(), strict=True))
    return Made(RatingProblem(observed, levels, settings_, threads), point, thresholds, entries)


def tangent_of(case: Made, random_state: int) -> Tangent:
    random = np.random.default_rng(random_state + 1)
    Z = random.normal(size=case.dense.shape)
    return projected(case.point, Z @ case.point.right, Z.T @ case.point.left)


def as_matrix(tangent: Tangent, point: LowRankPoint) -> Any:
    return point.left @ tangent.core @ point.right.T + tangent.left @ point.right.T + point.left @ tangent.right.T


def derivative(function: Any, step: float = 1e-4) -> float:
    """At 0, by four values: exact up to the fourth power of the step."""
    near, far = function(step) - function(-step), function(2 * step) - function(-2 * step)
    return (8 * near - far) / (12 * step)


def no_kink_near(case: Made, change: Any, thresholds: Any, by: Any, step: float = 3e-4) -> bool:
    """Whether no hinge turns on or off within a step, so that differences are those of a smooth function."""
    for i, j, _rating in case.entries:
        row = i if len(thresholds) > 1 else 0
        for z in range(thresholds.shape[1]):
            for side in (1, -1):
                at = 1 - side * (thresholds[row, z] - case.dense[i, j])
                if abs(at) <= step * (abs(change[i, j]) + abs(by[row, z])) * 1.5:
                    return False
    return True


@pytest.mark.plain
@pytest.mark.compiled
@given(problem=PROBLEMS)
@examples(60)
def test_objective_and_gradients_are_those_of_the_formulas(problem: Any) -> None:
    case = made(**problem)
    now = begun(case.problem, case.point, case.thresholds)
    own = case.problem.settings
    assert now.value == pytest.approx(case.naive_value(case.dense, case.thresholds), rel=EXACT)
    in_scores, in_thresholds = naive.slopes(case.dense, case.thresholds, case.entries, own.together)
    if own.own_thresholds:
        in_thresholds += own.threshold_regularization * (case.thresholds - case.thresholds.mean(0))
    np.testing.assert_allclose(now.threshold_slopes, in_thresholds, rtol=EXACT, atol=EXACT)
    ahead, back = case.problem.products(case.point.left, case.point.right)
    np.testing.assert_allclose(ahead, in_scores @ case.point.right, rtol=EXACT, atol=EXACT)
    np.testing.assert_allclose(back, in_scores.T @ case.point.left, rtol=EXACT, atol=EXACT)
    riemannian = naive.projected(case.whole_gradient, case.point.left, case.point.right)
    np.testing.assert_allclose(as_matrix(now.gradient, case.point), riemannian, rtol=EXACT, atol=EXACT)


@pytest.mark.plain
@pytest.mark.compiled
@given(problem=PROBLEMS)
@examples(60)
def test_gradients_are_those_of_finite_differences(problem: Any) -> None:
    case = made(**problem)
    now = begun(case.problem, case.point, case.thresholds)
    tangent = tangent_of(case, problem["random_state"])
    tangent = tangent.times(0.1 / (1e-9 + np.sqrt(inner(tangent, tangent))))
    by = np.random.default_rng(problem["random_state"] + 2).normal(size=case.thresholds.shape)
    assume(no_kink_near(case, as_matrix(tangent, case.point), case.thresholds, by))

    def along(step: float) -> float:
        point = retracted(case.point, step, tangent)
        return case.naive_value(point.scaled @ point.right.T, case.thresholds)

    scale = 1 + abs(now.value)
    assert derivative(along) == pytest.approx(inner(now.gradient, tangent), rel=EXACT, abs=EXACT * scale)
    moved = derivative(lambda step: case.naive_value(case.dense, case.thresholds + step * by))
    assert moved == pytest.approx(float(np.sum(now.threshold_slopes * by)), rel=EXACT, abs=EXACT * scale)


@pytest.mark.plain
@pytest.mark.compiled
@given(problem=PROBLEMS)
@examples(60)
def test_the_curvature_is_that_of_a_line(problem: Any) -> None:
    case = made(**problem)
    begun(case.problem, case.point, case.thresholds)
    tangent = tangent_of(case, problem["random_state"])
    change = as_matrix(tangent, case.point)
    assume(no_kink_near(case, change, case.thresholds, np.zeros_like(case.thresholds), 1e-3))
    own = case.problem.settings

    def along(step: float) -> float:
        X = case.dense + step * change
        return naive.loss(X, case.thresholds, case.entries, own.together) + 0.5 * own.regularization * np.sum(X**2)

    bend = (along(1e-3) - 2 * along(0.0) + along(-1e-3)) / 1e-6
    assert case.problem.curvature(case.point, tangent) == pytest.approx(bend, rel=1e-6, abs=1e-6 * along(0.0))


@given(problem=PROBLEMS)
@examples(60)
def test_the_geometry_is_that_of_whole_matrices(problem: Any) -> None:
    case = made(**problem)
    point, tangent = case.point, tangent_of(case, problem["random_state"])
    Z = np.random.default_rng(problem["random_state"]).normal(size=case.dense.shape)
    flat = projected(point, Z @ point.right, Z.T @ point.left)
    dense = naive.projected(Z, point.left, point.right)
    np.testing.assert_allclose(as_matrix(flat, point), dense, atol=EXACT)
    np.testing.assert_allclose(point.left.T @ flat.left, 0, atol=EXACT)
    np.testing.assert_allclose(point.right.T @ flat.right, 0, atol=EXACT)
    assert inner(flat, tangent) == pytest.approx(float(np.sum(dense * as_matrix(tangent, point))), abs=1e-8)
    step = 0.3
    there = retracted(point, step, tangent)
    wanted = naive.best_of_rank(case.dense + step * as_matrix(tangent, point), point.rank)
    np.testing.assert_allclose(there.scaled @ there.right.T, wanted, atol=EXACT)
    np.testing.assert_allclose(there.left.T @ there.left, np.eye(point.rank), atol=EXACT)
    np.testing.assert_allclose(there.right.T @ there.right, np.eye(point.rank), atol=EXACT)
    carried = transported(tangent, point, there)
    wanted = naive.projected(as_matrix(tangent, point), there.left, there.right)
    np.testing.assert_allclose(as_matrix(carried, there), wanted, atol=EXACT)


@pytest.mark.slow
@given(problem=PROBLEMS)
@examples(10)
def test_the_objective_falls_until_both_gradients_are_flat(problem: Any) -> None:
    case = made(**problem)
    now = begun(case.problem, case.point, case.thresholds)
    size = case.problem.observed.n_ratings
    fall = np.inf
    for _, following in zip(range(300), iterates(case.problem, now), strict=False):
        assert following.value < now.value
        fall, now = now.value - following.value, following
        if is_flat(now, 1e-7, size):
            break
    np.testing.assert_allclose(now.point.left.T @ now.point.left, np.eye(now.point.rank), atol=EXACT)
    # The literal loss has kinks, where the value rests and its gradient does not vanish. Without them, a minimum
    # may be as flat as a fourth power: the gradient takes thousands of steps to vanish, while the value rests.
    assert problem["together"] or is_flat(now, 1e-6, size) or fall < 1e-4 * now.value


@pytest.mark.plain
@pytest.mark.compiled
@given(problem=PROBLEMS, by=st.integers(1, 3))
@examples(40)
def test_the_steepest_triplets_are_those_of_the_whole_gradient(problem: Any, by: int) -> None:
    case = made(**problem)
    begun(case.problem, case.point, case.thresholds)
    whole = case.whole_gradient
    left, values, right = steepest_triplets(case.problem, case.point, by, np.random.default_rng(0))
    wanted = np.linalg.svd(whole, compute_uv=False)[:by]
    # As many columns as there are rows or items make subspace iteration exact; fewer come near.
    exact = by + 6 >= min(whole.shape)
    np.testing.assert_allclose(values, wanted, rtol=1e-9 if exact else 0.05, atol=1e-9)
    if exact:
        np.testing.assert_allclose(np.diag(left.T @ whole @ right), wanted, rtol=1e-9, atol=1e-9)


@given(problem=PROBLEMS, by=st.integers(1, 2))
@examples(40)
def test_a_grown_point_has_the_rank_and_goes_down_the_gradient(problem: Any, by: int) -> None:
    case = made(**problem)
    by = min(by, min(problem["shape"]) - case.point.rank)
    assume(by > 0)
    now = begun(case.problem, case.point, case.thresholds)
    point = grown(case.problem, now, by, np.random.default_rng(0))
    assume(point is not None)  # the random singular values of X are so small that f may rise
    assert case.point.rank < point.rank <= case.point.rank + by
    case.problem.set_point(point)
    assert case.problem.value(point, case.thresholds, case.problem.losses(case.thresholds)) < now.value
    np.testing.assert_allclose(point.left.T @ point.left, np.eye(point.rank), atol=EXACT)
    difference = point.scaled @ point.right.T - case.dense
    assert np.sum(difference * case.whole_gradient) <= 1e-9


@given(problem=PROBLEMS)
@examples(30)
def test_threads_share_the_users(problem: Any) -> None:
    observed = made(**problem).problem.observed
    shares = observed.shares(problem["threads"])
    assert [user for first, last in shares for user in range(first, last)] == list(range(observed.n_users))
    entries = [observed.starts[last] - observed.starts[first] for first, last in shares]
    most = int(np.diff(observed.starts).max())
    assert max(entries) <= observed.n_ratings / problem["threads"] + most
