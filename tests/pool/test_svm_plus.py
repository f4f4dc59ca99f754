"""SVM+: the optimum of the printed problem, by a general solver and by duality; a classifier of scikit-learn."""

import itertools
import pickle
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, example, given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import svm_plus_twin as twin
from askance.pool.svm_plus.estimator import SVMPlus
from askance.pool.svm_plus.intercepts import best_intercepts
from examples import examples

SEEDS = st.integers(0, 2**32)
MODEST = st.sampled_from([0.05, 0.3, 1.0, 4.0])
WIDE = st.integers(-5, 5).map(lambda power: 10.0**power)


class Made(NamedTuple):
    X: Any
    y: Any
    Z: Any  # privileged
    known: Any


def made(
    random_state: int, rows: int = 40, width: int = 4, other: int = 3, missing: float = 0.0, noise: float = 0.5
) -> Made:
    """Two overlapping classes, and privileged features that know about how far a row is on the wrong side."""
    random = np.random.default_rng(random_state)
    y = np.where(random.random(rows) < 0.4, 1.0, -1.0)
    y[:2] = 1, -1
    X = random.standard_normal((rows, width))
    X[:, 0] += 1.2 * y
    Z = random.standard_normal((rows, other))
    Z[:, 0] = np.maximum(0, 1 - y * X[:, 0]) + noise * random.standard_normal(rows)
    return Made(X, y, Z, random.random(rows) >= missing)


def holes(data: Made) -> Any:
    return np.where(data.known[:, None], data.Z, np.nan)


def fitted(data: Made, **parameters: Any) -> SVMPlus:
    return SVMPlus(**parameters).fit(data.X, data.y, holes(data))


def duality_gap(data: Made, model: SVMPlus) -> float:
    """By the printed primal and dual alone: what is between them, after checking that both points are allowed."""
    X, y, Z, known = data
    C, gamma, w, v = model.C, model.gamma, model.coef_[0], getattr(model, "correcting_coef_", np.zeros((1, 1)))[0]
    margins = y * (X @ w + model.intercept_[0])
    slacks = np.maximum(0, 1 - margins)
    if known.any():
        slacks = np.where(known, Z @ v + model.correcting_intercept_[0], slacks)
    size = max(1.0, abs(margins).max(), abs(slacks).max())
    assert (slacks >= -1e-9 * size).all()
    assert (margins + slacks >= 1 - 1e-9 * size).all()
    alpha = model.dual_coef_[0] * y
    both = np.full(len(y), C)
    if known.any():
        both[known] = gamma * model.correcting_dual_coef_[0] + C
    beta = both - alpha
    assert min(alpha.min(), beta.min()) >= -1e-9 * C
    assert abs(y @ alpha) <= 1e-6 * alpha.sum()
    assert abs((both - C).sum()) <= 1e-6 * both.sum()
    centred, others = X - X.mean(axis=0), Z - Z[known].mean(axis=0) if known.any() else Z
    u, t = centred.T @ (alpha * y), others.T @ np.where(known, both - C, 0) / gamma  # y·α is 0 only nearly
    primal = 0.5 * (w @ w + gamma * v @ v) + C * slacks.sum()
    dual = alpha.sum() - 0.5 * u @ u - 0.5 * gamma * t @ t
    assert model.objective_[0] == pytest.approx(primal, rel=1e-9)
    return (primal - dual) / primal


@examples(40)
@given(SEEDS, MODEST, MODEST, st.sampled_from([0.0, 0.4, 1.0]), st.booleans())
@example(406, 4.0, 4.0, 0.4, False)  # by normal equations alone, w is wrong by 2e-6
def test_the_optimum_is_that_of_a_general_solver(
    random_state: int, C: float, gamma: float, missing: float, wide: bool
) -> None:
    data = made(random_state, width=50 if wide else 4, other=45 if wide else 3, missing=missing)
    model = fitted(data, C=C, gamma=gamma)
    w, v, objective, sure = twin.primal(data.X, data.Z, data.y, data.known, C, gamma)
    assume(sure)
    np.testing.assert_allclose(model.coef_[0], w, atol=1e-6)
    assert model.objective_[0] == pytest.approx(objective, rel=1e-8)
    if data.known.any():
        np.testing.assert_allclose(model.correcting_coef_[0], v, atol=1e-6)
        intercepts = best_intercepts(data.X @ w, data.Z @ v, data.y, data.known)
        assert [model.intercept_[0], model.correcting_intercept_[0]] == pytest.approx(list(intercepts), abs=1e-6)


@examples(40)
@given(SEEDS, MODEST, MODEST, st.floats(0.05, 2.0), st.floats(0.05, 2.0))
def test_kernels_are_products_of_features(
    random_state: int, C: float, gamma: float, near: float, far: float
) -> None:
    data, other = made(random_state, rows=25), made(random_state + 1, rows=10)
    names = {"kernel": "rbf", "privileged_kernel": "poly", "degree": 2, "coef0": 0.5}
    model = fitted(data, C=C, gamma=gamma, kernel_gamma=near, privileged_kernel_gamma=far, **names)
    rows = twin.features(rbf_kernel(data.X, gamma=near))
    others = twin.features(polynomial_kernel(data.Z, gamma=far, degree=2, coef0=0.5))
    w, v, objective, sure = twin.primal(rows, others, data.y, data.known, C, gamma)
    assume(sure)
    intercepts = best_intercepts(rows @ w, others @ v, data.y, data.known)
    np.testing.assert_allclose(model.decision_function(data.X), rows @ w + intercepts.main, atol=1e-6)
    np.testing.assert_allclose(model.correcting(data.Z), others @ v + intercepts.correcting, atol=1e-6)
    assert model.objective_[0] == pytest.approx(objective, rel=1e-8)
    by_hand = rbf_kernel(other.X, data.X, gamma=near) @ model.dual_coef_[0] + model.intercept_
    np.testing.assert_allclose(model.decision_function(other.X), by_hand, atol=1e-6)
    assert not hasattr(model, "coef_")


@examples(40)
@given(SEEDS, WIDE, st.integers(-3, 3), st.sampled_from([0.0, 0.3, 1.0]), st.booleans(), st.sampled_from([4, 60]))
@example(0, 1e3, 0, 0.3, True, 60)  # the same
@example(1, 1e2, -2, 0.3, False, 60)  # the matrix of the normal equations is not positive definite
@example(0, 1e5, -3, 0.0, True, 60)  # the largest gap found, 1.3e-6
def test_duality_says_that_there_is_nothing_better(
    random_state: int, C: float, power: int, missing: float, bad: bool, width: int
) -> None:
    data = made(random_state, width=width, other=width, missing=missing)
    if bad:  # constant features, equal rows, and equal rows of both classes
        data.X[:, -1], data.Z[:, -1] = 1e3, 7.0
        data.X[10:20], data.Z[10:20], data.y[10:20] = data.X[:10], data.Z[:10], data.y[:10]
        data.X[20:23], data.Z[20:23], data.y[20:23] = data.X[:3], data.Z[:3], -data.y[:3]
    assert duality_gap(data, fitted(data, C=C, gamma=10.0**power)) <= 2e-6


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_units_of_features_change_nothing_but_weights(unit: float) -> None:
    data = made(3)
    plain = fitted(data)
    scaled = fitted(data._replace(X=data.X * unit, Z=data.Z * unit), C=1 / unit**2)
    np.testing.assert_allclose(scaled.coef_ * unit, plain.coef_, atol=1e-8)
    np.testing.assert_allclose(scaled.intercept_, plain.intercept_, atol=1e-8)


@pytest.mark.parametrize("width", [4, 60])
def test_it_does_not_matter_where_the_origin_is(width: int) -> None:
    data = made(3, width=width, other=width)
    plain, moved = fitted(data), fitted(data._replace(X=data.X + 1e5, Z=data.Z - 1e5))
    np.testing.assert_allclose(moved.coef_, plain.coef_, atol=1e-8)
    np.testing.assert_allclose(moved.correcting_coef_, plain.correcting_coef_, atol=1e-8)
    np.testing.assert_allclose(moved.decision_function(data.X + 1e5), plain.decision_function(data.X), atol=1e-6)


@examples(15)
@given(SEEDS, MODEST, st.sampled_from(["linear", "rbf", "poly"]))
def test_without_privileged_features_it_is_the_ordinary_svm(random_state: int, C: float, kernel: str) -> None:
    data = made(random_state)
    model = SVMPlus(C, kernel=kernel, degree=2).fit(data.X, data.y)
    ordinary = SVC(C=C, kernel=kernel, degree=2, coef0=1.0, tol=1e-8).fit(data.X, data.y)
    np.testing.assert_allclose(
        model.decision_function(data.X), ordinary.decision_function(data.X), rtol=1e-4, atol=1e-4
    )


def test_slacks_that_cost_nothing_to_tell_apart_are_those_of_the_ordinary_svm() -> None:
    data = made(5)
    each = fitted(data._replace(Z=np.eye(40)), gamma=1e-9)
    ordinary = SVMPlus().fit(data.X, data.y)
    np.testing.assert_allclose(each.coef_, ordinary.coef_, atol=1e-6)
    hinges = np.maximum(0, 1 - data.y * ordinary.decision_function(data.X))
    np.testing.assert_allclose(each.correcting(np.eye(40)), hinges, atol=1e-5)


SCORES = st.lists(st.integers(-6, 6).map(lambda number: number / 2), min_size=6, max_size=6)


@examples(200)
@given(SCORES, SCORES, st.lists(st.sampled_from([-1.0, 1.0]), min_size=4, max_size=4), st.integers(0, 63))
def test_biases_are_the_middle_of_the_best(scores: Any, slacks: Any, signs: Any, which: int) -> None:
    f, c, y = np.array(scores), np.array(slacks), np.array([-1.0, 1.0, *signs])
    known = np.array([bool(which >> place & 1) for place in range(6)])

    def cost(b: float) -> tuple[float, float]:
        needs = np.maximum(0, 1 - y * (f + b))
        bias = (needs - c)[known].max() if known.any() else 0.0
        return needs[~known].sum() + known.sum() * bias, bias

    grid = np.arange(-20, 20.25, 0.25)  # all bends are on it
    costs = np.array([cost(b)[0] for b in grid])
    best = grid[costs == costs.min()]
    assert best_intercepts(f, c, y, known) == pytest.approx(
        ((best[0] + best[-1]) / 2, cost((best[0] + best[-1]) / 2)[1])
    )


def test_of_equally_good_intercepts_it_is_the_middle_one() -> None:
    model = SVMPlus(C=0.01).fit([[3.0], [1.0]], [1, 0])
    assert model.coef_[0, 0] == pytest.approx(0.02)
    # Both rows cost as long as -1 + w·1 ≤ -b ≤ 1 + w·3.
    assert model.intercept_[0] == pytest.approx(-0.02 * 2)


@pytest.mark.parametrize("missing", [0.0, 0.5])
def test_the_order_of_rows_does_not_matter(missing: float) -> None:
    data, order = made(7, missing=missing), np.random.default_rng(1).permutation(40)
    turned = Made(*(part[order] for part in data))
    for parameters in ({}, {"kernel": "rbf", "privileged_kernel": "rbf"}):
        one, two = fitted(data, **parameters), fitted(turned, **parameters)
        np.testing.assert_allclose(one.decision_function(data.X), two.decision_function(data.X), atol=1e-6)
        np.testing.assert_allclose(one.correcting(data.Z), two.correcting(data.Z), atol=1e-6)


@pytest.mark.parametrize("jobs", [None, 2])
def test_more_classes_are_learned_one_against_the_rest(jobs: int | None) -> None:
    data = made(11, rows=60, missing=0.2)
    y = np.array(["ash", "elm", "fir"])[np.arange(60) % 3]
    data.X[np.arange(60), np.arange(60) % 3] += 2
    model = SVMPlus(n_jobs=jobs).fit(data.X, y, holes(data))
    apart = [SVMPlus().fit(data.X, y == name, holes(data)) for name in model.classes_]
    scores = np.column_stack([one.decision_function(data.X) for one in apart])
    np.testing.assert_allclose(model.decision_function(data.X), scores, atol=1e-9)
    slacks = np.column_stack([one.correcting(data.Z) for one in apart])
    np.testing.assert_allclose(model.correcting(data.Z), slacks, atol=1e-9)
    assert model.predict(data.X).tolist() == model.classes_[scores.argmax(axis=1)].tolist()
    assert model.coef_.shape == (3, 4)
    assert model.intercept_.shape == model.correcting_intercept_.shape == (3,)
    assert model.dual_coef_.shape == (3, 60)
    assert model.score(data.X, y) > 0.8


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("width", [4, 60])
def test_sparse_rows_are_as_dense_ones(kernel: str, width: int) -> None:
    data = made(13, width=width, other=width)
    data.X[abs(data.X) < 0.5] = 0
    data.Z[abs(data.Z) < 0.5] = 0
    names = {"kernel": kernel, "privileged_kernel": kernel}
    dense = SVMPlus(**names).fit(data.X, data.y, data.Z)
    for kind in (sp.csr_array, sp.csr_matrix):
        sparse = SVMPlus(**names).fit(kind(data.X), data.y, kind(data.Z))
        np.testing.assert_allclose(
            sparse.decision_function(kind(data.X)), dense.decision_function(data.X), atol=1e-6
        )
        np.testing.assert_allclose(sparse.correcting(kind(data.Z)), dense.correcting(data.Z), atol=1e-6)


def test_a_function_is_a_kernel() -> None:
    data = made(17)
    named = fitted(data, kernel="rbf", kernel_gamma=0.3)
    function = fitted(data, kernel=lambda X, Z: rbf_kernel(X, Z, gamma=0.3))
    np.testing.assert_allclose(named.decision_function(data.X), function.decision_function(data.X), atol=1e-9)


def test_scale_is_that_of_scikit_learn() -> None:
    data = made(19)
    for X in (data.X, sp.csr_array(data.X)):
        scaled = SVMPlus(kernel="rbf").fit(X, data.y)
        given_ = SVMPlus(kernel="rbf", kernel_gamma=1 / (4 * data.X.var())).fit(data.X, data.y)
        np.testing.assert_allclose(scaled.decision_function(X), given_.decision_function(data.X), atol=1e-8)
    same = np.ones((4, 2))
    assert np.isfinite(SVMPlus(kernel="rbf").fit(same, [0, 1, 0, 1], same).decision_function(same)).all()


def test_a_row_without_privileged_features_has_no_correction() -> None:
    data = made(23, missing=0.5)
    model = fitted(data)
    assert np.isnan(model.correcting(holes(data))).tolist() == (~data.known).tolist()


def test_a_second_fit_forgets_the_first() -> None:
    data = made(29)
    model = fitted(data).fit(data.X, data.y)
    assert not [name for name in vars(model) if name.startswith("correcting")]
    assert not hasattr(model.set_params(kernel="rbf").fit(data.X, data.y), "coef_")


def test_copies_are_as_good() -> None:
    data = made(31)
    model = fitted(data, kernel="rbf")
    again = pickle.loads(pickle.dumps(model))
    assert again.decision_function(data.X).tolist() == model.decision_function(data.X).tolist()
    assert clone(model).get_params() == model.get_params()


def test_fit_leaves_what_it_was_given() -> None:
    data = made(37, missing=0.3)
    given_ = [data.X, data.y, holes(data)]
    before = [part.copy() for part in given_]
    SVMPlus().fit(*given_)
    for old, new in zip(before, given_, strict=True):
        np.testing.assert_array_equal(old, new)


OK = made(41)
TORN = np.where(np.arange(120).reshape(40, 3) == 5, np.nan, OK.Z)
FAULTS = [
    ({"C": 0}, {}, "SVMPlus: C must be greater than 0 and finite, not 0"),
    ({"C": "1"}, {}, "SVMPlus: C must be a number, not '1'"),
    ({"gamma": -1.0}, {}, "SVMPlus: gamma must be greater than 0 and finite, not -1.0"),
    ({"gamma": float("inf")}, {}, "SVMPlus: gamma must be greater than 0 and finite, not inf"),
    ({"degree": 1.5}, {}, "SVMPlus: degree must be a whole number, 1 or more and finite, not 1.5"),
    ({"kernel": "rbq"}, {}, "kernel must be 'linear', 'rbf', 'poly' or a function of two matrices, not 'rbq'"),
    (
        {"privileged_kernel": 3},
        {},
        "privileged_kernel must be 'linear', 'rbf', 'poly' or a function of two .*not 3",
    ),
    ({"kernel_gamma": "auto"}, {}, "SVMPlus: kernel_gamma must be 'scale' or a number, not 'auto'"),
    (
        {"privileged_kernel_gamma": 0},
        {},
        "SVMPlus: privileged_kernel_gamma must be greater than 0 and finite, not 0",
    ),
    (
        {"kernel": lambda X, Z: X},
        {},
        "the kernel must return a matrix of 40 × 40 finite numbers, not of shape .40, 4.",
    ),
    ({"kernel": lambda X, Z: X @ Z.T + np.nan}, {}, "40 × 40 finite numbers, not of shape .40, 40. with NaN"),
    ({"kernel": lambda X, Z: -X @ Z.T}, {}, "the kernel is not positive semidefinite"),
    ({}, {"y": np.ones(40)}, "y has only one class, 1.0: an SVM needs two or more"),
    ({}, {"y": OK.y[:-1]}, "inconsistent numbers of samples"),
    ({}, {"privileged": OK.Z[:-1]}, "X has 40 rows but privileged has 39: lengths must match"),
    ({}, {"privileged": TORN}, "row 1 of privileged has NaN and numbers"),
    ({}, {"X": np.where(OK.X > 1, np.inf, OK.X)}, "X contains infinity"),
]


@pytest.mark.parametrize(("parameters", "changes", "sentence"), FAULTS)
def test_a_fault_is_named_and_nothing_changes(parameters: Any, changes: Any, sentence: str) -> None:
    sound = {"X": OK.X, "y": OK.y, "privileged": OK.Z}
    model = SVMPlus().fit(**sound)
    before = pickle.dumps(model.coef_), model.predict(OK.X).tolist()
    with pytest.raises((ValueError, TypeError), match=sentence):
        model.set_params(**parameters).fit(**{**sound, **changes})
    assert (pickle.dumps(model.coef_), model.predict(OK.X).tolist()) == before


def test_faults_after_fitting() -> None:
    with pytest.raises(ValueError, match="privileged has 2 features, but SVMPlus was fitted with 3"):
        fitted(OK).correcting(OK.Z[:, :2])
    with pytest.raises(ValueError, match="no correcting function: no training row had privileged features"):
        SVMPlus().fit(OK.X, OK.y).correcting(OK.Z)
    with pytest.raises(ValueError, match="X has 3 features, but SVMPlus is expecting 4"):
        fitted(OK).predict(OK.X[:, :3])


def test_it_says_when_it_cannot_come_near() -> None:
    with pytest.warns(ConvergenceWarning, match="SVMPlus stopped at a gap of"):
        fitted(OK, C=1e200)


@pytest.mark.slow
@parametrize_with_checks([SVMPlus(), SVMPlus(kernel="rbf")])
def test_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


def test_all_pairs_of_kernels_are_optimal() -> None:
    data = made(43, rows=20, missing=0.2)
    for kernel, other in itertools.product(["linear", "rbf", "poly"], repeat=2):
        assert fitted(data, kernel=kernel, privileged_kernel=other).gap_[0] < 1e-10
