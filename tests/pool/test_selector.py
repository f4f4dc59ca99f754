"""Which rows of a pool to label next: as the twin chooses them, and when labels, features or rows are lacking."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import LinearSVC

from askance.pool import PrivilegedSelector
from askance.pool.ratio import kernel_blocks as blocks
from askance.pool.ratio.ranking import distinct
from askance.pool.ratio.solve import maximise_ratio
from askance.pool.uncertainty import AGGREGATES, COMBINATIONS
from examples import examples
from naive import pool as naive

UNKNOWN = {"uncertainty", "prediction", "correcting"}


class Stub(BaseEstimator):
    """Scores and correcting values that are sums of features, as SVM+ has them, and that no training changes."""

    def __init__(self, classes: int = 3) -> None:
        self.classes = classes

    def fit(self, X: Any, y: Any, privileged: Any = None) -> "Stub":
        self.classes_ = np.unique(y)
        self.privileged_ = privileged
        return self

    def decision_function(self, X: Any) -> Any:
        return self._seen(X, 1)

    def correcting(self, privileged: Any) -> Any:
        return self._seen(privileged, 2)

    def _seen(self, X: Any, random_state: int) -> Any:
        width = 1 if self.classes == 2 else self.classes
        scores = X @ np.random.default_rng(random_state).normal(size=(X.shape[1], width))
        return scores[:, 0] if self.classes == 2 else scores


def seed_rows(features: int, privileged: int = 2) -> tuple[Any, Any, Any]:
    random = np.random.default_rng(9)
    return random.normal(size=(6, features)), ["a", "b", "c"] * 2, random.normal(size=(6, privileged))


def pool_of(rows: int, features: int = 4, random_state: int = 0) -> Any:
    return np.random.default_rng(random_state).normal(size=(rows, features))


@st.composite
def pools(draw: st.DrawFn) -> tuple[Any, Any]:
    """Few rows, some of them the same, with privileged features for some."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = draw(st.integers(2, 8))
    X = random.normal(size=(rows, draw(st.integers(1, 4))))
    if draw(st.booleans()):
        X = X[random.integers(0, rows, rows)]
    X[0] += 1.0  # not all rows are the same
    privileged = random.normal(size=(rows, 2))
    privileged[random.uniform(size=rows) < draw(st.sampled_from([0.0, 0.5, 1.0]))] = np.nan
    return X, privileged


def twin_uncertainty(model: Stub, X: Any, privileged: Any, combine: str, aggregate: str) -> list[float]:
    scores = model.decision_function(X)
    scores = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
    known = ~np.isnan(privileged[:, 0])
    correcting = np.reshape(model.correcting(np.nan_to_num(privileged)), (len(X), -1))
    found = [
        naive.uncertainty(
            scores[i].tolist(), correcting[i].tolist() if known[i] else None, combine, aggregate, 1e-6
        )
        for i in range(len(X))
    ]
    if combine == "correcting" and known.any():
        mean = float(np.mean([value for value, is_known in zip(found, known, strict=True) if is_known]))
        found = [value if is_known else mean for value, is_known in zip(found, known, strict=True)]
    return found


@examples(120)
@given(
    pools(),
    st.sampled_from([2, 3]),
    st.sampled_from(list(COMBINATIONS)),
    st.sampled_from(AGGREGATES),
    st.integers(1, 9),
    st.sampled_from([1, 2, None]),
    st.booleans(),
)
def test_a_round_is_that_of_the_twin(
    pool: tuple[Any, Any], classes: int, combine: str, aggregate: str, n: int, times: int | None, sparse: bool
) -> None:
    X, privileged = pool
    if classes == 2 and aggregate == "top":
        aggregate = "mean"
    random_state, labels, seed_privileged = seed_rows(X.shape[1])
    selector = PrivilegedSelector(Stub(classes), combine=combine, aggregate=aggregate, candidates=times)
    selector.fit(random_state, labels, seed_privileged)
    found = selector.select(sp.csr_array(X) if sparse else X, n, privileged)
    p = twin_uncertainty(selector.model_, X, privileged, combine, aggregate)
    rows, r = naive.choose(X.tolist(), p, min(n, len(X)), times)
    np.testing.assert_allclose(found.parts["uncertainty"], np.array(p)[found.rows], rtol=1e-9)
    np.testing.assert_allclose(np.sort(found.scores), np.sort(np.array(r)[rows]), atol=1e-6)
    clear = np.diff(np.sort(r)[::-1])  # rows of nearly equal weight may change places
    if (np.abs(clear[np.sort(r)[::-1][1:] > 0]) > 1e-6).all():
        np.testing.assert_array_equal(found.rows, rows)


@pytest.mark.parametrize("combine", COMBINATIONS)
def test_without_privileged_features_every_combination_is_the_margin(combine: str) -> None:
    X = pool_of(40)
    random_state, labels, privileged = seed_rows(4)
    margin = PrivilegedSelector(LinearSVC(), combine="prediction").fit(random_state, labels).select(X, 7)
    without = PrivilegedSelector(LinearSVC(), combine=combine).fit(random_state, labels).select(X, 7)
    np.testing.assert_array_equal(without.rows, margin.rows)
    nowhere = np.full((40, 2), np.nan)
    stub = PrivilegedSelector(Stub(), combine=combine).fit(random_state, labels, privileged)
    np.testing.assert_array_equal(
        stub.select(X, 7, nowhere).rows,
        PrivilegedSelector(Stub(), combine="prediction").fit(random_state, labels, privileged).select(X, 7).rows,
    )
    assert np.isnan(stub.select(X, 7).parts["correcting"]).all()


def test_uncertainty_alone_takes_the_largest() -> None:
    X, (random_state, labels, privileged) = pool_of(50), seed_rows(4)
    selector = PrivilegedSelector(Stub(), use="uncertainty").fit(random_state, labels, privileged)
    found = selector.select(X, 5, pool_of(50, 2, random_state=1))
    scores = selector.model_.decision_function(X)
    first, second = np.sort(scores, axis=1)[:, [-1, -2]].T
    correcting = selector.model_.correcting(pool_of(50, 2, random_state=1)).mean(axis=1)
    wanted = np.maximum(1 / (first - second + 1e-6), correcting)
    np.testing.assert_array_equal(found.rows, np.argsort(-wanted)[:5])
    np.testing.assert_allclose(found.scores, np.sort(wanted)[::-1][:5])
    np.testing.assert_allclose(found.parts["correcting"], correcting[found.rows])


def test_diversity_alone_needs_no_labels_and_minimises_similarity() -> None:
    X = pool_of(300, 3)
    found = PrivilegedSelector(use="diversity").select(X, 10)
    A = rbf_kernel(X, gamma=1 / X.var(axis=0).sum())
    r = maximise_ratio(A, np.ones(300)).r
    np.testing.assert_array_equal(np.sort(found.rows), np.sort(np.argsort(-r)[:10]))
    np.testing.assert_allclose(found.scores, np.sort(r)[::-1][:10], atol=1e-9)
    assert all(np.isnan(found.parts[part]).all() for part in UNKNOWN)
    chosen = A[np.ix_(found.rows, found.rows)] - 2 * np.eye(10)
    np.testing.assert_allclose(found.parts["similarity"], chosen.max(axis=0), rtol=1e-9)
    assert chosen[~np.eye(10, dtype=bool)].mean() < np.median(A) / 3  # for rows of the pool are much more alike


def test_a_large_pool_gets_the_same_without_a_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    X = pool_of(400, 5)
    usual = PrivilegedSelector(use="diversity").select(X, 30)
    monkeypatch.setattr(blocks, "LARGEST_MATRIX", 10)
    monkeypatch.setattr(blocks, "BLOCK_NUMBERS", 2000)
    for pool in (X, sp.csr_array(X)):
        found = PrivilegedSelector(use="diversity").select(pool, 30)
        np.testing.assert_array_equal(found.rows, usual.rows)
        np.testing.assert_allclose(found.scores, usual.scores, atol=1e-9)


def test_the_algorithm_of_the_thesis_chooses_the_same() -> None:
    X, (random_state, labels, privileged) = pool_of(60), seed_rows(4)
    usual = PrivilegedSelector(Stub()).fit(random_state, labels, privileged)
    thesis = clone(usual).set_params(solver="alm").fit(random_state, labels, privileged)
    np.testing.assert_array_equal(thesis.select(X, 6).rows, usual.select(X, 6).rows)


@pytest.mark.parametrize("use", ["both", "uncertainty", "diversity"])
def test_one_class_leaves_diversity_alone(use: str) -> None:
    X, (random_state, _, privileged) = pool_of(80), seed_rows(4)
    found = PrivilegedSelector(Stub(), use=use).fit(random_state, ["a"] * 6, privileged).select(X, 9)
    np.testing.assert_array_equal(found.rows, PrivilegedSelector(use="diversity").select(X, 9).rows)
    assert all(np.isnan(found.parts[part]).all() for part in UNKNOWN)


def test_a_small_pool_is_ranked_whole() -> None:
    X, (random_state, labels, privileged) = pool_of(5), seed_rows(4)
    selector = PrivilegedSelector(Stub()).fit(random_state, labels, privileged)
    found = selector.select(X, 50)
    assert sorted(found.rows) == [0, 1, 2, 3, 4]
    assert (np.diff(found.scores) <= 0).all()
    one = selector.select(X[:1], 3)
    assert one.rows.tolist() == [0]
    assert one.scores.tolist() == [1.0]
    assert np.isnan(one.parts["similarity"]).all()


def test_identical_rows_are_asked_about_once() -> None:
    X, (random_state, labels, privileged) = pool_of(12), seed_rows(4)
    thrice = np.tile(X, (3, 1))
    selector = PrivilegedSelector(Stub(), candidates=None).fit(random_state, labels, privileged)
    found = selector.select(thrice, 12)
    assert sorted(found.rows) == list(range(12))
    np.testing.assert_array_equal(found.rows, selector.select(X, 12).rows)
    every = selector.select(thrice, 36)
    np.testing.assert_array_equal(every.rows[:12], found.rows)
    assert sorted(every.rows) == list(range(36))


def test_of_identical_rows_the_one_whose_privileged_features_are_hard_stands_for_all() -> None:
    X, (random_state, labels, privileged) = pool_of(6), seed_rows(4)
    twice = np.tile(X, (2, 1))
    selector = PrivilegedSelector(Stub(), combine="sum").fit(random_state, labels, privileged)
    known = np.vstack([pool_of(6, 2, random_state=3), 5 * pool_of(6, 2, random_state=4)])
    harder = selector.model_.correcting(known).mean(axis=1).reshape(2, 6).argmax(axis=0) * 6 + np.arange(6)
    assert {0, 1} == set(harder // 6)  # or the first would do
    assert sorted(selector.select(twice, 6, known).rows) == sorted(harder)


def test_which_rows_differ() -> None:
    X = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, -0.0], [0.0, 2.0], [3.0, 0.0]])
    p = np.array([1.0, 1.0, 1.0, 2.0, 0.0])
    assert distinct(X, p).tolist() == [0, 3, 4]
    assert distinct(sp.csr_array(X), p).tolist() == [0, 3, 4]
    explicit = sp.csr_array((np.array([1.0, 0.0, 1.0]), np.array([0, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    assert distinct(explicit, np.ones(2)).tolist() == [0]
    assert explicit.nnz == 3  # the caller's matrix stays as it is


@pytest.mark.parametrize("value", [0.0, -3.0])
def test_a_pool_whose_rows_are_all_equal(value: float) -> None:
    random_state, labels, privileged = seed_rows(4)
    selector = PrivilegedSelector(Stub()).fit(random_state, labels, privileged)
    assert selector.select(np.full((20, 4), value), 3).rows.tolist() == [0, 1, 2]
    assert PrivilegedSelector(use="diversity").select(np.full((20, 4), value), 3).rows.tolist() == [0, 1, 2]


def test_features_far_from_0_and_constant_ones_change_nothing() -> None:
    X = pool_of(100, 3)
    shifted = np.column_stack([X + 1e7, np.full(100, 5e8)])
    usual = PrivilegedSelector(use="diversity").select(X, 8)
    found = PrivilegedSelector(use="diversity").select(shifted, 8)
    np.testing.assert_array_equal(found.rows, usual.rows)
    np.testing.assert_allclose(found.scores, usual.scores, atol=1e-6)


def test_where_nothing_is_uncertain_differences_still_count() -> None:
    X, (random_state, labels, privileged) = pool_of(40), seed_rows(4)
    selector = PrivilegedSelector(Stub(2), combine="correcting").fit(random_state, labels, privileged)
    known = pool_of(40, 2, random_state=1)
    direction = selector.model_.correcting(np.eye(2))
    easy = known - direction * (1 + (known @ direction).max() / (direction @ direction))
    assert selector.model_.correcting(easy).max() < 0
    shifted = selector.model_.correcting(easy) - selector.model_.correcting(easy).min()
    candidates = np.sort(np.argsort(-shifted)[:24])
    r = maximise_ratio(rbf_kernel(X[candidates], gamma=1 / X.var(axis=0).sum()), shifted[candidates]).r
    found = selector.select(X, 4, easy)
    np.testing.assert_array_equal(np.sort(found.rows), np.sort(candidates[np.argsort(-r)[:4]]))


@pytest.mark.parametrize("size", [0.0, 1e-15, -1e-15])
def test_a_correcting_function_that_says_nothing_leaves_diversity(size: float) -> None:
    X, (random_state, labels, privileged) = pool_of(40), seed_rows(4)
    selector = PrivilegedSelector(Stub(2), combine="correcting", candidates=None).fit(
        random_state, labels, privileged
    )
    found = selector.select(X, 4, size * pool_of(40, 2, random_state=1))
    np.testing.assert_array_equal(found.rows, PrivilegedSelector(use="diversity").select(X, 4).rows)


def test_it_trains_what_it_was_given_and_keeps_it_as_it_was() -> None:
    random_state, labels, privileged = seed_rows(4)
    model = Stub()
    selector = PrivilegedSelector(model).fit(random_state, labels, privileged)
    assert selector.model_ is not model
    assert not hasattr(model, "classes_")
    assert selector.model_.privileged_ is privileged
    assert PrivilegedSelector(Stub()).fit(random_state, labels, np.full((6, 2), np.nan)).model_.privileged_ is None
    assert selector.get_params()["combine"] == "max"
    assert PrivilegedSelector(model, use="diversity").fit(random_state, labels).model_ is None


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        (
            {"combine": "mean"},
            "combine must be 'sum' or 'max' or 'min' or 'product' or 'distance' or 'prediction' or 'correcting'",
        ),
        ({"use": "all"}, "use must be 'both' or 'uncertainty' or 'diversity', not 'all'"),
        ({"aggregate": "min"}, "aggregate must be 'mean' or 'max' or 'top'"),
        ({"solver": "osqp"}, "solver must be 'exact' or 'alm'"),
        ({"candidates": 0}, "candidates must be 1 or more"),
        ({"candidates": 1.5}, "candidates must be a whole number"),
        ({"kernel_gamma": -1.0}, "kernel_gamma must be greater than 0"),
        ({"epsilon": 0.0}, "epsilon must be greater than 0"),
    ],
)
def test_a_wrong_parameter_gets_one_sentence(parameters: dict[str, Any], said: str) -> None:
    random_state, labels, _ = seed_rows(4)
    with pytest.raises(ValueError, match=f"PrivilegedSelector: {said}"):
        PrivilegedSelector(Stub(), **parameters).fit(random_state, labels)


def test_bad_input_gets_one_sentence() -> None:
    X, (random_state, labels, privileged) = pool_of(10), seed_rows(4)
    selector = PrivilegedSelector(Stub())
    with pytest.raises(NotFittedError):
        selector.select(X, 2)
    with pytest.raises(ValueError, match="X has 6 rows but y has 5 labels"):
        selector.fit(random_state, labels[:5])
    with pytest.raises(ValueError, match="X has 6 rows but privileged has 3"):
        selector.fit(random_state, labels, privileged[:3])
    with pytest.raises(ValueError, match="LinearSVC has no correcting function: leave privileged out"):
        PrivilegedSelector(LinearSVC()).fit(random_state, labels, privileged)
    selector.fit(random_state, labels)
    with pytest.raises(ValueError, match="fit was given no privileged features"):
        selector.select(X, 2, pool_of(10, 2))
    with pytest.raises(ValueError, match="X has 3 features, but fit was given 4"):
        selector.select(X[:, :3], 2)
    with pytest.raises(ValueError, match="NaN"):
        selector.select(np.where(np.arange(4) == 2, np.nan, X), 2)
    for n in (0, -1, 1.0, True):
        with pytest.raises(ValueError, match="n must be a whole number, 1 or more, not"):
            selector.select(X, n)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="solver='alm' needs the whole kernel matrix of 5,001 rows"):
        PrivilegedSelector(use="diversity", solver="alm").select(pool_of(5001, 2), 3)


def test_gamma_is_that_of_the_features_variances() -> None:
    X = pool_of(500, 3) * [1.0, 2.0, 0.0] + [5.0, -3.0, 7.0]
    wanted = 1 / X.var(axis=0).sum()
    assert blocks.gamma_of(X) == pytest.approx(wanted, rel=1e-12)
    assert blocks.gamma_of(sp.csr_array(X)) == pytest.approx(wanted, rel=1e-9)
    assert blocks.gamma_of(np.ones((3, 2))) == 1.0
