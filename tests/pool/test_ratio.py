"""The largest rᵀp / rᵀAr on the simplex: as its twin and as other solvers find it, and where A is singular."""

from typing import Any

import clarabel
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics.pairwise import rbf_kernel

from askance.pool.ratio.active_set import Face, settled
from askance.pool.ratio.kernel_blocks import RBFBlocks
from askance.pool.ratio.problem import Ratio
from askance.pool.ratio.solve import maximise_ratio
from examples import examples
from naive import pool as naive

SEEDS = st.integers(0, 2**32 - 1)
EXACT = 1e-9


def problem(random_state: int, size: int) -> tuple[Any, Any]:
    """A kernel matrix, well or badly conditioned, and p of many sizes, some of them negative."""
    random = np.random.default_rng(random_state)
    X = random.normal(size=(size, random.choice([2, 3, 8, 20])))
    A = rbf_kernel(X, gamma=10 ** random.uniform(-1.5, 0.5))
    p = [
        random.uniform(0.1, 1, size),
        1 / (np.abs(random.normal(size=size)) + 1e-6),
        random.normal(size=size) + 1,
        1e6 * random.uniform(size=size) ** 20,
    ][random.integers(4)]
    p[random.integers(size)] = np.abs(p).max()  # at least one is above 0
    return A, p


def ratio_of(A: Any, p: Any, r: Any) -> float:
    return float(r @ p / (r @ A @ r))


def below_zero(A: Any, p: Any, value: float) -> float:
    """min over the simplex of λrᵀAr − rᵀp, beside the largest p: 0 at the largest λ (Theorem 2)."""
    largest = np.abs(p).max()
    r = quadratic_programme(value / largest * A, p / largest)
    return float(r @ (value / largest * A) @ r - r @ p / largest)


def quadratic_programme(A: Any, p: Any) -> Any:
    """arg min rᵀAr − rᵀp on the simplex, by an interior-point solver."""
    size = len(p)
    options = clarabel.DefaultSettings()
    options.verbose = False
    options.tol_gap_abs = options.tol_gap_rel = options.tol_feas = 1e-14
    options.max_iter = 200
    solver = clarabel.DefaultSolver(
        sp.csc_matrix(np.triu(2 * A)),
        -p,
        sp.csc_matrix(np.vstack([np.ones(size), -np.eye(size)])),
        np.concatenate([[1.0], np.zeros(size)]),
        [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(size)],
        options,
    )
    r = np.maximum(np.array(solver.solve().x), 0)
    return r / r.sum()


def check(found: Ratio, A: Any, p: Any) -> None:
    """What holds of every answer."""
    assert (found.r >= 0).all()
    assert found.r.sum() == pytest.approx(1, abs=1e-12)
    assert found.value == pytest.approx(ratio_of(A, p, found.r), rel=1e-12)
    assert found.value == found.values[-1]
    assert (np.diff(found.values) >= 0).all()
    assert found.rounds == len(found.values)
    np.testing.assert_allclose(
        found.gains, p + found.r @ p - 2 * found.value * A @ found.r, atol=1e-9 * np.abs(p).max()
    )


@examples(150)
@given(SEEDS, st.integers(1, 6))
def test_r_is_that_of_an_exact_search(random_state: int, size: int) -> None:
    A, p = problem(random_state, size)
    found = maximise_ratio(A, p)
    r, value = naive.ratio(A.tolist(), (p / p.max()).tolist())
    check(found, A, p)
    assert found.value == pytest.approx(value * p.max(), rel=1e-9)
    if np.linalg.cond(A) < 1e8:
        np.testing.assert_allclose(found.r, r, rtol=0, atol=1e-6)


@examples(100)
@given(SEEDS, st.integers(2, 60))
def test_it_is_an_optimum(random_state: int, size: int) -> None:
    A, p = problem(random_state, size)
    found = maximise_ratio(A, p)
    check(found, A, p)
    assert found.gains.max() <= EXACT * p.max()
    least = below_zero(A, p, found.value)
    assert -EXACT <= least <= 1e-6  # the other solver stops a little above the least value
    # With a λ that is too small or too large it is not 0.
    assert below_zero(A, p, 0.99 * found.value) < -1e-4
    assert below_zero(A, p, 1.01 * found.value) > 1e-4


@examples(60)
@given(SEEDS, st.integers(2, 40))
def test_r_is_that_of_dinkelbach_around_another_solver(random_state: int, size: int) -> None:
    A, p = problem(random_state, size)
    A += 1e-3 * np.eye(size)  # or the other solver would not know r so well
    found = maximise_ratio(A, p)
    r = np.eye(size)[np.argmax(p)]
    for _ in range(30):
        value = ratio_of(A, p, r)
        r = quadratic_programme(A, p / value)
        if ratio_of(A, p, r) <= value * (1 + 1e-14):
            break
    assert found.value >= ratio_of(A, p, r) * (1 - 1e-12)
    assume(found.gains[found.r == 0].max(initial=-1.0) < -1e-3 * p.max())  # or it would give this row a little
    np.testing.assert_allclose(found.r, r, rtol=0, atol=1e-6)


@examples(40)
@given(SEEDS, st.integers(1, 30))
def test_the_algorithm_of_the_thesis_finds_the_same(random_state: int, size: int) -> None:
    A, p = problem(random_state, size)
    A += 1e-2 * np.eye(size)
    exact, alm = maximise_ratio(A, p), maximise_ratio(A, p, solver="alm")
    check(alm, A, p)
    assert alm.value == pytest.approx(exact.value, rel=1e-9)
    np.testing.assert_allclose(alm.r, exact.r, rtol=0, atol=1e-6)


@pytest.mark.parametrize("solver", ["exact", "alm"])
@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e6])
def test_scales_change_nothing(solver: Any, scale: float) -> None:
    A, p = problem(5, 12)
    usual = maximise_ratio(A, p, solver=solver)
    for other, value in (
        (maximise_ratio(A, scale * p, solver=solver), scale * usual.value),
        (maximise_ratio(scale * A, p, solver=solver), usual.value / scale),
    ):
        np.testing.assert_allclose(other.r, usual.r, rtol=0, atol=1e-8)
        assert other.value == pytest.approx(value, rel=1e-9)


def test_independent_rows_have_a_closed_form() -> None:
    p = np.array([3.0, 1.0, 4.0, 1.5])
    wanted = p + np.sqrt(np.mean(p**2))
    np.testing.assert_allclose(maximise_ratio(np.eye(4), p).r, wanted / wanted.sum(), rtol=1e-12)
    np.testing.assert_allclose(maximise_ratio(np.eye(4), [2.0] * 4).r, [0.25] * 4, rtol=1e-12)


def test_one_row() -> None:
    found = maximise_ratio([[2.0]], [3.0])
    assert found.r.tolist() == [1.0]
    assert found.value == 1.5
    assert found.gains.tolist() == [0.0]


@pytest.mark.parametrize("solver", ["exact", "alm"])
def test_identical_rows_count_as_one(solver: Any) -> None:
    X = np.random.default_rng(1).normal(size=(10, 4))
    A, p = rbf_kernel(X, gamma=0.3), np.linspace(0.5, 1, 10)
    alone = maximise_ratio(A, p)
    twice = np.repeat(np.arange(10), 3)
    found = maximise_ratio(A[np.ix_(twice, twice)], p[twice], solver=solver)
    assert found.value == pytest.approx(alone.value, rel=1e-9)
    np.testing.assert_allclose(found.r.reshape(10, 3).sum(axis=1), alone.r, rtol=0, atol=1e-6)


@examples(60)
@given(SEEDS)
def test_rows_that_are_alike_or_nearly_so(random_state: int) -> None:
    random = np.random.default_rng(random_state)
    X = random.normal(size=(15, 3))[random.integers(0, 15, 60)]
    X += random.choice([0, 1e-12, 1e-7, 1e-4]) * random.normal(size=X.shape)
    A = rbf_kernel(X, gamma=0.5)
    p = random.uniform(-0.5, 1, 60)
    found = maximise_ratio(A, p)
    check(found, A, p)
    assert found.gains.max() <= EXACT


@pytest.mark.parametrize("apart", [1e-3, 1e-6, 1e-7])
def test_rows_that_are_nearly_alike_have_weights_of_their_own(apart: float) -> None:
    A = np.array([[1.0, 1 - apart], [1 - apart, 1.0]])
    p = [1.0, 1 - apart]
    # A s = p + c with c about 1: s₁ − s₂ is 1 and s₁ + s₂ about 2, to a share of `apart`.
    np.testing.assert_allclose(maximise_ratio(A, p).r, naive.ratio(A.tolist(), p)[0], rtol=0, atol=1e-6)
    np.testing.assert_allclose(maximise_ratio(A, p).r, [0.75, 0.25], rtol=0, atol=apart)


@examples(100)
@given(SEEDS, st.integers(2, 30))
def test_rows_that_are_added_never_make_a_face_worse(random_state: int, size: int) -> None:
    A, p = problem(random_state, size)
    order = np.random.default_rng(random_state).permutation(size)
    order = order[np.argsort(p[order] <= 0, kind="stable")]  # the face begins with a row that is worth something
    few, rest = order[: (size + 1) // 2], size // 2
    before = maximise_ratio(A[np.ix_(few, few)], p[few])
    face = Face(order, A[np.ix_(order, order)], p[order], np.concatenate([before.r, np.zeros(rest)]))
    after, _ = settled(face)
    assert (after.r >= 0).all()
    assert set(after.rows) <= set(order)
    assert after.value(after.r) >= before.value * (1 - 1e-12)


def test_a_row_that_others_outdo_gets_nothing() -> None:
    A = np.array([[1.0, 1.0, 0.1], [1.0, 1.0, 0.1], [0.1, 0.1, 1.0]])  # the first two are identical
    found = maximise_ratio(A, [0.5, 1.0, 1.0])
    assert found.r[0] == 0
    np.testing.assert_allclose(found.r, [0, 0.5, 0.5], atol=1e-9)


def test_without_a_matrix_it_is_the_same() -> None:
    random = np.random.default_rng(3)
    X, p = random.normal(size=(500, 6)), random.uniform(0.5, 1, 500)
    whole, parts = maximise_ratio(rbf_kernel(X, gamma=0.2), p), maximise_ratio(RBFBlocks(X, 0.2), p)
    np.testing.assert_allclose(parts.r, whole.r, rtol=0, atol=1e-10)
    sparse = maximise_ratio(RBFBlocks(sp.csr_array(X), 0.2), p)
    np.testing.assert_allclose(sparse.r, whole.r, rtol=0, atol=1e-10)


def test_weight_on_few_rows_only() -> None:
    random = np.random.default_rng(3)
    A = rbf_kernel(random.normal(size=(100, 20)), gamma=0.1)
    whole, few = maximise_ratio(A, np.ones(100)), maximise_ratio(A, np.ones(100), most=10)
    assert np.count_nonzero(whole.r) > np.count_nonzero(few.r) == 10
    assert few.value < whole.value
    kept = np.flatnonzero(few.r)
    assert few.value == pytest.approx(maximise_ratio(A[np.ix_(kept, kept)], np.ones(10)).value, rel=1e-12)


@pytest.mark.parametrize(
    ("A", "p", "options", "said"),
    [
        (np.eye(3), [0.0, -1.0, 0.0], {}, "the largest p is 0"),
        (np.eye(3), [1.0, 2.0], {}, r"p has the shape \(2,\) but A has 3 rows"),
        (np.eye(2), [1.0, np.nan], {}, "p has NaN or infinity"),
        (np.ones((2, 3)), [1.0, 1.0], {}, r"A has the shape \(2, 3\)"),
        (np.zeros((0, 0)), [], {}, r"A has the shape \(0, 0\)"),
        ([[1.0, np.inf], [np.inf, 1.0]], [1.0, 1.0], {}, "A has NaN or infinity"),
        ([[1.0, 0.5], [0.0, 1.0]], [1.0, 1.0], {}, "A is not symmetric"),
        ([[1.0, -2.0], [-2.0, 1.0]], [1.0, 1.0], {}, "A is not positive definite"),
        (np.eye(2), [1.0, 1.0], {"solver": "magic"}, "solver must be 'exact' or 'alm', not 'magic'"),
        (np.eye(2), [1.0, 1.0], {"tolerance": 0.0}, "tolerance must be greater than 0"),
        (np.eye(2), [1.0, 1.0], {"most": 0}, "most must be a number of rows"),
    ],
)
def test_bad_input_gets_one_sentence(A: Any, p: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        maximise_ratio(A, p, **options)
