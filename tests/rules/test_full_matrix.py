"""A full matrix: right products from half of it, sound after a million rounds, refused where it cannot fit."""

import itertools
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import askance
from askance import queries, updates
from askance.jit.interop import COMPILING, compiled
from askance.jit.simd.blocked_dot import lane_dot
from askance.jit.simd.vector import LANES
from askance.learners.files import from_bytes, to_bytes
from askance.learners.inputs import as_rows
from askance.rules.state.matrix import PENDING, form_for_matrix
from askance.rules.state.triangle import base, identity, product_of_few, product_of_many, whole
from exact_learners import exact
from refusals import refused
from second_order_cases import ALL, MODES, gaussian_rows, sigma, state_of

# Compiling each rule would take minutes: one rule of either state there, all of them in plain Python.
OF_EITHER_STATE = [updates.AROW(0.5), updates.SecondOrderPerceptron()]
SOME = OF_EITHER_STATE if COMPILING else ALL
# And one of them in single precision.
IN_PRECISIONS = [
    (update, dtype)
    for update, dtype in itertools.product(SOME, ("float32", "float64"))
    if dtype == "float64" or not COMPILING or update is SOME[0]
]


def named(value: Any) -> str:
    return value if isinstance(value, str) else type(value).__name__


EXTREME = [
    (np.array([[1e8, 1e8], [1e8, -1e8], [1e8, 1e8 + 1]]), "long"),
    (np.array([[1.0, 1e8], [1.0, -1e8], [1e-8, 1.0]]), "uneven"),
    (np.array([[1e-12, 1e-12], [1e-19, 0.0], [0.0, 1e-22]]), "short"),
    (np.array([[1.0, 1.0], [1.0, 1.0 + 1e-9], [1e9, 1e9]]), "almost the same"),
    (np.array([[1e15, 1.0], [-1e15, 1.0], [1e15, 1e15]]), "very long"),
]


@pytest.mark.sampled(4)
@pytest.mark.filterwarnings("ignore::askance.errors.ScaleWarning")
@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize(("update", "dtype"), IN_PRECISIONS, ids=named)
@pytest.mark.parametrize(("X", "what"), EXTREME, ids=[what for _, what in EXTREME])
def test_extreme_rows_break_nothing(X: Any, what: str, update: Any, full: bool, dtype: str) -> None:
    rng = np.random.default_rng(0)
    rows, y = X[rng.integers(0, 3, 60)], rng.choice([-1, 1], 60)
    for inverse in MODES:
        rule = update._replace(full=full, **({"inverse": inverse} if "inverse" in update._fields else {}))
        learner = exact(rule, queries.Always(), dtype=dtype)
        trace = learner.run(rows, y)
        assert np.isfinite(trace.scores).all()
        assert np.isfinite(learner.coef_).all()
        found = sigma(learner)
        assert (np.diag(found) > 0).all()
        assert np.linalg.eigvalsh(found).min() > -1e-14 * np.linalg.eigvalsh(found).max()
        assert (np.diag(found) <= 1).all()


def long_run(update: Any, dtype: str, rounds: int) -> None:
    """Correlated rows: some directions are learned from in every round, others hardly ever."""
    rng = np.random.default_rng(3)
    mixing, w = rng.normal(size=(6, 6)) * np.logspace(0, -3, 6), rng.normal(size=6)
    learner = exact(update._replace(full=True), queries.Always(), dtype=dtype)
    smallest = 1.0
    for _ in range(10):
        X = rng.normal(size=(rounds // 10, 6)) @ mixing.T
        y = np.where(X @ w + rng.normal(size=len(X)) > 0, 1, -1)
        learner.run(X, y)
        found = sigma(learner)
        values = np.linalg.eigvalsh(found)
        assert np.array_equal(found, found.T)
        assert 0 < values.min() <= values.max() <= 1 + 1e-12  # eigvalsh rounds
        assert values.min() <= smallest
        smallest = values.min()
    assert smallest < 100 / rounds
    assert np.isfinite(learner.coef_).all()


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("update", "dtype"), IN_PRECISIONS, ids=named)
def test_sigma_stays_sound_for_long(update: Any, dtype: str) -> None:
    long_run(update, dtype, 3_000 if COMPILING else 300)


@pytest.mark.soak
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("update", ALL, ids=named)
def test_sigma_stays_sound_for_a_million_rounds(update: Any, dtype: str) -> None:
    long_run(update, dtype, 1_000_000)


def test_changes_that_wait_are_part_of_what_is_known() -> None:
    X, y = gaussian_rows(9, rows=3 * PENDING)
    learner = exact(updates.AROW(full=True), queries.Always())
    for t in range(len(y)):
        again = from_bytes(to_bytes(learner)) if t else learner
        learner.tell(X[t], int(y[t]))
        again.tell(X[t], int(y[t]))
        assert to_bytes(again) == to_bytes(learner)
    assert state_of(learner).learned[0] > PENDING
    assert state_of(learner).triangle.dtype == np.float64


def test_the_matrix_is_in_double_precision_in_both_modes() -> None:
    X, y = gaussian_rows(9)
    learner = exact(updates.AROW(full=True), queries.Always(), dtype="float32")
    learner.run(X, y)
    assert learner.coef_.dtype == np.float32
    assert state_of(learner).triangle.dtype == np.float64


# ---------------------------------------------------------------------- products


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 15, 16, 17, 31, 32, 33, 63, 70])
def test_products_are_right_and_the_same_for_sparse_and_dense_rows(width: int) -> None:
    rng = np.random.default_rng(width)
    matrix = rng.normal(size=(width, width))
    matrix += matrix.T
    triangle = matrix[np.tril_indices(width)]
    assert np.array_equal(whole(triangle, width), matrix)
    for density in (0.0, 0.1, 0.5, 1.0):
        x = rng.normal(size=(1, width)) * (rng.random((1, width)) < density)
        found = []
        for form in (np.asarray, sp.csr_array):
            rows, many, few = as_rows(form(x), np.dtype(float)), form_for_matrix(width), form_for_matrix(width)
            product_of_many(triangle, rows, 0, many.product, many.row)
            product_of_few(triangle, rows, 0, few.product, few.sums)
            found.extend([many.product, few.product])
        np.testing.assert_allclose(found[0], matrix @ x[0], atol=1e-12)
        assert len({product.tobytes() for product in found}) == 1


@pytest.mark.slow
@pytest.mark.parametrize("width", [30, 60])
@pytest.mark.parametrize("density", [0.05, 0.3])
def test_sparse_and_dense_rows_teach_the_same(width: int, density: float) -> None:
    """Below one non-zero in ten features, sparse rows are multiplied otherwise than dense ones."""
    rng = np.random.default_rng(0)
    rows = 80 if COMPILING else 30
    X = rng.normal(size=(rows, width)) * (rng.random((rows, width)) < density)
    y = np.where(X @ rng.normal(size=width) + rng.normal(size=rows) > 0, 1, -1)
    for update, dtype in itertools.product(OF_EITHER_STATE, ("float32", "float64")):
        learners = [exact(update._replace(full=True), queries.Always(), dtype=dtype) for _ in range(2)]
        for learner, form in zip(learners, (np.asarray, sp.csr_array), strict=True):
            learner.run(form(X), y)
        if dtype == "float64":
            assert to_bytes(learners[0]) == to_bytes(learners[1])
        else:
            np.testing.assert_allclose(learners[0].coef_, learners[1].coef_, rtol=1e-3, atol=1e-3)


@pytest.mark.compiled
def test_a_dot_product_in_lanes_is_the_same_compiled() -> None:
    def call(a, b, count):  # type: ignore[no-untyped-def]
        return lane_dot(a, 0, b, count)

    rng = np.random.default_rng(0)
    strict, relaxed = (compiled(call, exact=exact, cache=False) for exact in (True, False))
    a, b = rng.normal(size=(2, 5 * LANES)) * 10 ** rng.uniform(-3, 3, (2, 5 * LANES))
    for count in range(5 * LANES):
        plain = lane_dot(a, 0, b, count)
        assert strict(a, b, count) == plain
        assert plain == pytest.approx(a[:count] @ b[:count], rel=1e-9, abs=1e-6)
        assert relaxed(a, b, count) == pytest.approx(plain, rel=1e-9, abs=1e-6)


def test_a_triangle_begins_as_the_identity_and_grows_at_its_end() -> None:
    assert np.array_equal(whole(identity(7), 7), np.eye(7))
    assert np.array_equal(identity(9)[: base(7)], identity(7))


# ---------------------------------------------------------------------- what is refused


@pytest.mark.parametrize("update", ALL, ids=lambda update: type(update).__name__)
def test_a_matrix_that_does_not_fit_is_refused(update: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = gaussian_rows(3)
    rule = update._replace(full=True)
    learner = exact(rule, queries.Always())
    monkeypatch.setattr("askance.rules.state.full.free_bytes", lambda: 50.0)
    with refused("4 features", type(update).__name__, "full=False", "diagonal"):
        learner.run(X, y)
    assert learner.spending_ == (0, 0, 0)
    exact(update._replace(full=False)).run(X, y)
    monkeypatch.undo()
    learner.run(X, y)
    state = to_bytes(learner)
    with refused("30,000,000 features", "GB", "full=False"):
        learner.resize(30_000_000)
    with refused("full=False"):
        askance.Learner(rule).run(sp.csr_array((2, 10**8)), [1, -1])
    assert to_bytes(learner) == state
