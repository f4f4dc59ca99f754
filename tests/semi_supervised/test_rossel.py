"""ROSSEL: aggregation solves its problem, and the estimator is what the chapter describes."""

from typing import Any

import clarabel
import numpy as np
import pandas
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import BernoulliNB
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from askance.errors import DataWarning
from askance.semi_supervised import Rossel, aggregation
from askance.semi_supervised.aggregation import Aggregation, aggregate
from askance.semi_supervised.annotators import replicate
from examples import examples

PROBLEMS = st.fixed_dictionaries(
    {
        "rows": st.integers(2, 40),
        "width": st.integers(1, 8),
        "members": st.sampled_from([1, 2, 5, 17]),
        "labelled": st.sampled_from([0.1, 1.0, 10.0]),
        "unlabelled": st.sampled_from([0.01, 0.5, 5.0]),
        "random_state": st.integers(0, 10_000),
    }
)


def made(
    rows: int, width: int, members: int, labelled: float, unlabelled: float, random_state: int
) -> tuple[Any, Any, Any]:
    """Rows, some equal to others and one without features, with label vectors that differ in a fifth of them."""
    random = np.random.default_rng(random_state)
    X = random.normal(size=(rows, width)) * (random.random((rows, width)) < 0.7)
    X[rows // 2] = X[0]
    X[-1] = 0
    truth = np.where(X @ random.normal(size=width) > 0, 1, -1)
    signs = np.where(random.random((rows, members)) < 0.2, -truth[:, None], truth[:, None]).astype(np.int8)
    known = rows // 4
    signs[:known] = truth[:known, None]
    return X, signs, np.where(np.arange(rows) < known, labelled, unlabelled)


def primal_and_dual(X: Any, signs: Any, bounds: Any, found: Aggregation) -> tuple[float, float]:
    """The values of (3.8) and (3.7) as they are printed, for w_m = μ_m w̃_m and w̃_m = Σ α_i ỹ_mi x_i."""
    primal, norms, margins = 0.0, 0.0, np.zeros(len(X))
    for m, share in enumerate(found.used):
        w = sum(alpha * y * x for alpha, y, x in zip(found.dual, signs[:, m], X, strict=True))
        np.testing.assert_allclose(found.weights[:, m], w, atol=1e-9)
        norms += share * (w @ w)
        margins += share * signs[:, m] * (X @ w)
    primal = 0.5 * norms + bounds @ np.maximum(0, 1 - margins)
    return float(primal), float(found.dual.sum() - 0.5 * norms)


@given(problem=PROBLEMS)
@examples(60)
def test_the_aggregation_closes_the_duality_gap(problem: Any) -> None:
    X, signs, bounds = made(**problem)
    found = aggregate(X, signs, bounds, max_iter=100_000)
    primal, dual = primal_and_dual(X, signs, bounds, found)
    assert found.dual.min() >= 0
    assert (found.dual <= bounds).all()
    assert -1e-12 * primal <= primal - dual <= 1e-6 * primal
    np.testing.assert_allclose(found.values, [dual], rtol=1e-9)
    np.testing.assert_allclose(found.gaps, [(primal - dual) / primal], atol=1e-9)


def by_a_generic_solver(rows: Any, labels: Any, bounds: Any) -> Any:
    """ŵ of (3.9), the support vector machine: min ½‖ŵ‖² + Σ U_i ξ_i, y_i ŵ·x̂_i ≥ 1 - ξ_i, ξ_i ≥ 0."""
    n, d = rows.shape
    quadratic = sp.diags_array(np.append(np.ones(d), np.zeros(n))).tocsc()
    linear = np.append(np.zeros(d), bounds)
    conditions = sp.block_array([[-labels[:, None] * rows, -sp.eye_array(n)], [None, -sp.eye_array(n)]]).tocsc()
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-13
    limits, cones = np.append(-np.ones(n), np.zeros(n)), [clarabel.NonnegativeConeT(2 * n)]
    return np.array(clarabel.DefaultSolver(quadratic, linear, conditions, limits, cones, settings).solve().x)[:d]


@given(problem=PROBLEMS)
@examples(60)
def test_it_agrees_with_a_generic_solver_on_expanded_features(problem: Any) -> None:
    X, signs, bounds = made(**problem)
    members = signs.shape[1]
    expanded = np.hstack([signs[:, :1] * signs[:, m : m + 1] * X / np.sqrt(members) for m in range(members)])
    generic = by_a_generic_solver(expanded, signs[:, 0], bounds)
    found = aggregate(X, signs, bounds, tol=1e-13, max_iter=100_000)
    ours = (found.weights / np.sqrt(members)).T.ravel()  # ŵ_m = √μ_m w̃_m
    np.testing.assert_allclose(ours, generic, atol=1e-6 * max(1.0, np.abs(generic).max()))


@given(problem=PROBLEMS, sparse=st.booleans())
@examples(25)
def test_more_iterations_never_raise_the_objective_and_weigh_by_norms(problem: Any, sparse: bool) -> None:
    X, signs, bounds = made(**problem)
    found = aggregate(sp.csr_array(X) if sparse else X, signs, bounds, n_rounds=6, max_iter=100_000)
    assert len(found.values) == 6
    assert (np.diff(found.values) <= 1e-6 * np.abs(found.values[:-1])).all()
    norms = found.used * np.linalg.norm(found.weights, axis=0)
    expected = norms / norms.sum() if norms.sum() > 0 else np.full(len(norms), 1 / len(norms))
    np.testing.assert_allclose(found.shares, expected, rtol=1e-12)


def test_many_iterations_reach_the_joint_optimum() -> None:
    """No μ can lower (3.7) by more than ½ max ‖w̃_m‖² - ½ Σ μ_m ‖w̃_m‖², because it is convex in μ."""
    X, signs, bounds = made(40, 6, 5, 1.0, 0.5, 3)
    found = aggregate(X, signs, bounds, n_rounds=2000, tol=1e-9, max_iter=100_000)
    squares = (found.weights**2).sum(axis=0)
    assert 0.5 * (squares.max() - found.used @ squares) < 1e-3 * found.values[-1]
    assert found.values[-1] < 0.99 * found.values[0]


@pytest.mark.plain
@pytest.mark.compiled
def test_sparse_rows_and_dense_ones_give_the_same() -> None:
    X, signs, bounds = made(30, 5, 3, 1.0, 0.1, 0)
    dense, sparse = (aggregate(given, signs, bounds) for given in (X, sp.csr_array(X)))
    np.testing.assert_allclose(dense.weights, sparse.weights, atol=1e-12)


def test_it_goes_ahead_only_where_that_is_better(monkeypatch: pytest.MonkeyPatch) -> None:
    X, signs, bounds = made(200, 30, 5, 1e4, 1e3, 5)
    ahead = aggregate(X, signs, bounds, max_iter=100_000)
    monkeypatch.setattr(aggregation, "AHEAD", 10**9)
    slowly = aggregate(X, signs, bounds, max_iter=100_000)
    assert ahead.passes < slowly.passes
    np.testing.assert_allclose(ahead.values, slowly.values, rtol=2e-6)
    assert np.diff(primal_and_dual(X, signs, bounds, ahead)) <= 0


def test_too_few_passes_are_said() -> None:
    X, signs, bounds = made(40, 8, 5, 10.0, 5.0, 1)
    with pytest.warns(ConvergenceWarning, match=r"gap of .* instead of 1e-12: scale the rows"):
        aggregate(X, signs, bounds, tol=1e-12, max_iter=2)


# ---------------------------------------------------------------------- the estimator


def blobs(random_state: int = 0, classes: int = 3, rows: int = 150) -> tuple[Any, Any, Any]:
    """Rows of length 1 around as many centres, their classes, and the same with four labels a class only."""
    random = np.random.default_rng(random_state)
    y = np.arange(rows) % classes
    X = random.normal(size=(classes, 10))[y] + 1.2 * random.normal(size=(rows, 10))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X, y, np.where(np.arange(rows) < 4 * classes, y, -1)


# That check has a class -1, which means none here, as in scikit-learn's own semi-supervised classifiers.
UNLABELLED_CHECK = {"check_classifiers_classes": "-1 is no class"}


# Some of its rows are long and all alike.
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([Rossel()], expected_failed_checks=lambda _: UNLABELLED_CHECK)
def test_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


def test_unlabelled_rows_help() -> None:
    gains = []
    for random_state in range(8):
        X, y, partly = blobs(random_state, rows=400)
        known = partly >= 0
        svm = LinearSVC(loss="hinge", fit_intercept=False).fit(X[known], y[known])
        gains.append(
            Rossel(random_state=random_state).fit(X, partly).score(X[~known], y[~known])
            - svm.score(X[~known], y[~known])
        )
    assert np.mean(gains) > 0.01


@pytest.mark.slow
@pytest.mark.parametrize("annotation", [pytest.param("classes", marks=pytest.mark.soak), "one-vs-rest"])
def test_processes_and_kinds_of_matrices_change_nothing_but_seeds_do(annotation: str) -> None:
    X, _, partly = blobs()
    first = Rossel(annotation=annotation, n_estimators=3).fit(X, partly)
    again = Rossel(annotation=annotation, n_estimators=3, n_jobs=2).fit(X, partly)
    assert first.coef_.tobytes() == again.coef_.tobytes()
    sparse = Rossel(annotation=annotation, n_estimators=3).fit(sp.csr_matrix(X), partly)
    np.testing.assert_allclose(first.coef_, sparse.coef_, atol=1e-3)  # a gap of 1e-6 is about that in weights
    other = Rossel(annotation=annotation, n_estimators=3, random_state=1).fit(X, partly)
    assert np.abs(first.coef_ - other.coef_).max() > 1e-6


def test_without_unlabelled_rows_it_is_a_linear_svm() -> None:
    X, y, _ = blobs(classes=2)
    svm = LinearSVC(loss="hinge", C=2.0, fit_intercept=False, tol=1e-10, max_iter=100_000).fit(X, y)
    ours = Rossel(C1=2.0, tol=1e-12, max_iter=100_000).fit(X, y)
    np.testing.assert_allclose(ours.coef_, svm.coef_, atol=1e-5)


def test_unlabelled_rows_that_cost_nothing_are_ignored() -> None:
    X, y, partly = blobs()
    known = partly >= 0
    free, alone = Rossel(C2=0.0, tol=1e-12, max_iter=10_000), Rossel(tol=1e-12, max_iter=10_000)
    np.testing.assert_allclose(free.fit(X, partly).coef_, alone.fit(X[known], y[known]).coef_, atol=1e-5)


def test_the_three_ways_to_add_up_are_those_of_the_formulas() -> None:
    X, _, partly = blobs(classes=2)
    found = {how: Rossel(n_estimators=4, combine=how).fit(X, partly) for how in ("weighted", "primal", "literal")}
    # With μ = 1/M the literal score has the weighted one over M.
    np.testing.assert_allclose(found["literal"].coef_ * 4, found["weighted"].coef_, rtol=1e-12)
    assert np.abs(found["primal"].coef_ - found["weighted"].coef_).max() > 1e-9
    joint = [
        Rossel(n_estimators=4, combine=how, n_rounds=300).fit(X, partly).coef_ for how in ("weighted", "primal")
    ]
    np.testing.assert_allclose(*joint, atol=1e-3)


def test_a_constant_feature_is_the_intercept() -> None:
    X, _, partly = blobs(classes=2)
    wide = np.hstack([X, np.ones((len(X), 1))])
    one, other = Rossel(fit_intercept=True).fit(X, partly), Rossel().fit(wide, partly)
    np.testing.assert_allclose(np.append(one.coef_, one.intercept_), other.coef_[0], atol=1e-12)
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(wide), atol=1e-12)


def test_any_classifier_annotates_and_steps_are_told() -> None:
    X, _, partly = blobs()
    told: list[tuple[int, int, str]] = []
    Rossel(BernoulliNB(), n_estimators=3, watch=lambda *step: told.append(step)).fit(X, partly)
    assert told == [(m, 3, "annotators") for m in (1, 2, 3)] + [(k, 3, "aggregations") for k in (1, 2, 3)]


def test_labels_may_be_words_and_none() -> None:
    X, _, partly = blobs(classes=2)
    words = np.array([None if label < 0 else ["ham", "spam"][label] for label in partly], object)
    learned = Rossel().fit(X, words)
    assert learned.classes_.tolist() == ["ham", "spam"]
    assert (learned.predict(X) == np.array(["ham", "spam"])[Rossel().fit(X, partly).predict(X)]).all()


@pytest.mark.parametrize("kind", ["str", "string", "category", "object"])
def test_words_of_a_table_may_be_missing(kind: str) -> None:
    X, _, partly = blobs(classes=2)
    words = pandas.Series([None if label < 0 else ["ham", "spam"][label] for label in partly])
    learned = Rossel().fit(X, words.astype(kind))
    assert learned.classes_.tolist() == ["ham", "spam"]
    assert np.array_equal(learned.coef_, Rossel().fit(X, partly).coef_)


@pytest.mark.parametrize(("kind", "same"), [("Int64", np.int64), ("float64", np.float64), ("boolean", np.bool_)])
def test_numbers_of_a_table_may_be_missing(kind: str, same: type) -> None:
    X, _, partly = blobs(classes=2)
    learned = Rossel().fit(X, pandas.Series(np.where(partly < 0, np.nan, partly)).astype(kind))
    assert learned.classes_.dtype == same
    assert np.array_equal(learned.coef_, Rossel().fit(X, partly).coef_)


def test_minus_one_beside_missing_labels_may_be_a_class() -> None:
    X, y, _ = blobs()
    y = np.where(np.arange(len(y)) < 60, y - 1.0, np.nan)
    with pytest.warns(DataWarning, match="if -1 is a class, write it as another number"):
        assert Rossel(n_estimators=2).fit(X, y).classes_.tolist() == [0, 1]
    with (
        pytest.warns(DataWarning, match="y has -1 and missing labels"),
        pytest.raises(ValueError, match=r"only one class, 1\.0, .*if -1 is a class, write it as another number"),
    ):
        Rossel().fit(X, np.where(y == 0, np.nan, y))


@pytest.mark.parametrize("missing", [-1, np.nan, None])
def test_rows_without_a_label_do_not_count_in_the_score(missing: Any) -> None:
    X, y, partly = blobs()
    model = Rossel(n_estimators=2).fit(X, partly)
    known = np.arange(len(y)) % 3 > 0
    marked = np.array([label if one else missing for label, one in zip(y.tolist(), known, strict=True)])
    assert model.score(X, marked) == model.score(X[known], y[known])
    weights = np.arange(len(y))
    assert model.score(X, marked, weights) == model.score(X[known], y[known], weights[known])
    with pytest.raises(ValueError, match="label at least one row to score"):
        model.score(X, np.full(len(y), missing))


def test_a_search_scores_the_labelled_rows() -> None:
    X, y, partly = blobs(rows=300)
    partly = np.where(np.arange(300) < 60, y, -1)
    found = GridSearchCV(Rossel(n_estimators=2), {"C2": [0.1, 1.0]}, cv=3).fit(X, partly)
    assert found.best_score_ > 0.6  # unlabelled rows are four fifths


def test_a_replicate_has_a_row_of_every_class() -> None:
    classes = np.array([0] * 50 + [1, 2])
    for random_state in range(20):
        drawn = replicate(classes, 10, np.random.default_rng(random_state))
        assert set(classes[drawn]) == {0, 1, 2}
        assert 10 <= len(drawn) <= 12


@pytest.mark.parametrize(
    ("changed", "labels", "sentence"),
    [
        ({}, [-1] * 6, "y has only -1, None or NaN"),
        ({}, [1, 1, -1, -1, -1, -1], "the labelled rows have only one class, 1, and -1 means no label"),
        ({}, [0, 1], "X has 6 rows but y has 2 labels"),
        ({"C1": 0.0}, [0, 1, -1, -1, -1, -1], "Rossel: C1 must be greater than 0"),
        ({"C2": -1.0}, [0, 1, -1, -1, -1, -1], "Rossel: C2 must be 0 or more"),
        ({"n_estimators": 0}, [0, 1, -1, -1, -1, -1], "Rossel: n_estimators must be 1 or more"),
        ({"max_samples": 1.5}, [0, 1, -1, -1, -1, -1], "Rossel: max_samples must be greater than 0 and at most 1"),
        ({"combine": "mean"}, [0, 1, -1, -1, -1, -1], "combine must be 'weighted' or 'primal' or 'literal'"),
        ({"annotation": "all"}, [0, 1, -1, -1, -1, -1], "annotation must be 'classes' or 'one-vs-rest'"),
    ],
)
def test_one_sentence_for_what_cannot_be_learned(changed: Any, labels: Any, sentence: str) -> None:
    X = np.arange(12.0).reshape(6, 2)
    with pytest.raises(ValueError, match=sentence):
        Rossel(**changed).fit(X, labels)


def test_what_cannot_be_learned_changes_nothing() -> None:
    X, _, partly = blobs()
    model = Rossel(n_estimators=2).fit(X, partly)
    before = {name: np.array(value) for name, value in vars(model).items() if name.endswith("_")}
    for wrong in ([1] * 6, [-1] * 6, [0, 1]):
        with pytest.raises(ValueError, match=r"label"):
            model.fit(np.ones((6, 2)), wrong)
    for name, value in before.items():
        assert np.array_equal(getattr(model, name), value)


def test_constant_features_and_copies_are_no_trouble() -> None:
    X, y, partly = blobs(classes=2)
    X = np.hstack([X, np.full((len(X), 1), 3.0), np.zeros((len(X), 1))])
    X, y, partly = (np.concatenate([part, part[:40]]) for part in (X, y, partly))
    model = Rossel().fit(X, partly)
    assert np.isfinite(model.coef_).all()
    assert model.coef_[0, -1] == 0
    assert model.gaps_.max() <= 1e-6
    assert model.score(X, y) > 0.8
