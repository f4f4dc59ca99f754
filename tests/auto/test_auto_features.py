"""Scales that are learned from a stream."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import StandardScaler

from askance import AutoLearner
from askance.auto.models import DENSE_INTERCEPT, SPARSE_INTERCEPT, new_scales, refresh
from askance.auto.rows import mixed, part, plain
from askance.data import MixedRows, TableEncoder
from askance.jit.interop import compiled
from askance.jit.kernels.labelling import observe_all
from askance.jit.kernels.mixed import Mixed, Scales, features_of, views_of
from askance.learners.inputs import as_rows
from askance.learners.scaling import TfIdf

set_features: Any = compiled(lambda *arguments: features_of(*arguments), exact=True, cache=False)


def features(X: Mixed, scales: Scales) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The dense features of rows, and by views, the values of their sparse entries and their squared norms."""
    count, columns = X.dense.shape
    views = views_of(columns, X.sparse_width)
    dense, values, norms = (
        np.empty((count, columns + 1)),
        np.empty((len(X.values), views)),
        np.empty((count, views)),
    )
    for t in range(count):
        set_features(X, t, scales, dense[t], values[X.starts[t] : X.starts[t + 1]], norms[t])
    return dense, values, norms


def test_columns_are_standardized() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 4)) * [1, 1e6, 1e-6, 0] + [0, 1e7, 0, 5]
    scales = new_scales(4, 0)
    for start, stop in ((0, 1), (1, 40), (40, 90)):
        observe_all(part(plain(X), start, stop), scales)
    refresh(scales)
    found, _, norms = features(plain(X), scales)
    expected = np.clip(StandardScaler().fit_transform(X), -4, 4) / 2
    np.testing.assert_allclose(found[:, :4], expected, atol=1e-8)
    assert (found[:, 3] == 0).all()
    assert (found[:, 4] == DENSE_INTERCEPT).all()
    np.testing.assert_allclose(norms[:, 0], (found**2).sum(axis=1))


def test_rows_of_length_1_stay_as_they_are() -> None:
    """They are embeddings. One row of another length is enough to know better."""
    X = np.random.default_rng(0).normal(size=(60, 9)) * np.arange(1, 10)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    scales = new_scales(9, 0)
    observe_all(plain(X.astype(np.float32).astype(float)), scales)
    refresh(scales)
    found, _, norms = features(plain(X), scales)
    np.testing.assert_allclose(found[:, :9], X)
    np.testing.assert_allclose(norms, 1.0 + DENSE_INTERCEPT**2)
    longer = np.vstack([X, 1.1 * X[:1]])
    observe_all(plain(longer[-1:]), scales)
    refresh(scales)
    expected = np.clip(StandardScaler().fit_transform(longer), -4, 4) / 3
    np.testing.assert_allclose(features(plain(longer), scales)[0][:, :9], expected, atol=1e-6)
    known = scales.from_unit[0]
    observe_all(plain(9 * X), scales)
    assert scales.from_unit[0] == known  # what is known needs no more measurements


def test_terms_are_weighted_as_scikit_learn_does() -> None:
    X = sp.csr_array(np.random.default_rng(0).poisson(0.4, (50, 12)).astype(float))
    scales = new_scales(0, 12)
    observe_all(part(plain(X), 0, 20), scales)
    observe_all(part(plain(X), 20, 50), scales)
    refresh(scales)
    dense, values, norms = features(plain(X), scales)
    expected = TfidfTransformer(sublinear_tf=True).fit_transform(X)
    np.testing.assert_allclose(values[:, 0], sp.csr_array(expected).data, atol=1e-12)
    assert (dense == SPARSE_INTERCEPT).all()
    np.testing.assert_allclose(norms, 1.0 + SPARSE_INTERCEPT**2)


@pytest.mark.parametrize("later", [False, True])
def test_values_up_to_1_keep_their_proportions(later: bool) -> None:
    """Also before any refresh has seen that they are not counts: 1 + log 0.25 would be negative."""
    X = plain(sp.csr_array(np.array([[0.5, 0.0, -1.0], [1.0, 0.25, 0.0]])))
    scales = new_scales(0, 3)
    if later:
        observe_all(X, scales)
        refresh(scales)
    values = features(X, scales)[1][:, 0]
    assert values[1] / values[0] == pytest.approx(-2.0 * scales.weights[2] / scales.weights[0])
    assert values[3] > 0


def test_both_learners_see_the_same_terms() -> None:
    """Counts, signed counts of hashing, and weights below 1."""
    rng = np.random.default_rng(1)
    X = sp.csr_array(rng.poisson(0.8, (40, 9)) * rng.choice([-1.0, 0.3, 1.0, 2.5], (40, 9)))
    scaling, scales = TfIdf(), new_scales(0, 9)
    scaling.scaled(as_rows(X, np.dtype(np.float64)), 9, observe=True)
    observe_all(plain(X), scales)
    refresh(scales)
    expected = scaling.scaled(as_rows(X, np.dtype(np.float64)), 9, observe=False).values
    np.testing.assert_array_equal(features(plain(X), scales)[1][:, 0], expected)


def test_columns_beside_terms_are_seen_in_the_first_view_alone() -> None:
    rng = np.random.default_rng(0)
    dense, counts = rng.normal(size=(30, 3)), sp.csr_array(rng.poisson(0.5, (30, 6)).astype(float))
    X, terms, scales, own = mixed(dense, counts), plain(counts), new_scales(3, 6), new_scales(0, 6)
    for rows, observing in ((X, scales), (terms, own)):
        observe_all(rows, observing)
        refresh(observing)
    found, values, norms = features(X, scales)
    expected, squares = features(terms, own)[1], (found[:, :3] ** 2).sum(axis=1)
    np.testing.assert_array_equal(values, expected[:, [0, 0, 1]])
    of_terms = (np.diff(X.starts) > 0) + DENSE_INTERCEPT**2
    np.testing.assert_allclose(norms, np.column_stack([of_terms + squares, of_terms, of_terms]))


def test_signed_counts_are_damped_like_counts() -> None:
    X = plain(sp.csr_array(np.array([[-3.0, 3.0, 1.0]])))
    scales = new_scales(0, 3)
    observe_all(X, scales)
    refresh(scales)
    values = features(X, scales)[1][:, 0]
    np.testing.assert_allclose(values / values[2], [-1 - np.log(3), 1 + np.log(3), 1.0])


def test_square_roots_of_counts_know_no_rarity() -> None:
    """Their length is 1 too, and a factor of all counts of a row changes nothing."""
    counts = np.array([[4.0, -9.0, 0.0, 1.0], [0.0, 0.5, 2.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    for factor in (1.0, 1e-3):
        X = plain(sp.csr_array(factor * counts))
        scales = new_scales(0, 4)
        observe_all(X, scales)
        refresh(scales)
        _, values, norms = features(X, scales)
        expected = [2 / 14**0.5, -3 / 14**0.5, 1 / 14**0.5, (0.5 / 2.5) ** 0.5, (2 / 2.5) ** 0.5]
        np.testing.assert_allclose(values[:, 1], expected)
        expected = [[1.0 + SPARSE_INTERCEPT**2]] * 2 + [[SPARSE_INTERCEPT**2]]
        np.testing.assert_allclose(norms, np.tile(expected, 2))


def mixed_rows(rows: int = 500) -> tuple[MixedRows, np.ndarray]:
    """A number and words decide together."""
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(rows, 3)) * [1, 1e5, 1e-5]
    words = rng.poisson(0.5, (rows, 40)).astype(float)
    return MixedRows(dense, sp.csr_array(words)), (dense[:, 0] + words[:, 0] - words[:, 1] > 0).astype(int)


def rows_of(X: MixedRows, rows: Any) -> MixedRows:
    return MixedRows(X.dense[rows], X.sparse[rows])


def test_dense_and_sparse_parts_are_learned_together() -> None:
    X, y = mixed_rows(1500)
    learner = AutoLearner(0.2)
    learner.run(rows_of(X, slice(1000)), y[:1000])
    both = learner.score(rows_of(X, slice(1000, None)), y[1000:])
    for alone in (X.dense, X.sparse):
        single = AutoLearner(0.2)
        single.run(alone[:1000], y[:1000])
        assert both > single.score(alone[1000:], y[1000:]) + 0.05
    with pytest.raises(ValueError, match="2 dense and 40 sparse features, but AutoLearner is expecting 3 and 40"):
        learner.predict(MixedRows(X.dense[:, :2], X.sparse))


def test_chunks_of_rows_with_both_parts_change_nothing() -> None:
    X, y = mixed_rows()
    whole, learner = AutoLearner(0.2).run(X, y), AutoLearner(0.2)
    parts = [learner.run(rows_of(X, rows), y[rows]) for rows in (slice(0, 7), slice(7, 300), slice(300, 500))]
    np.testing.assert_array_equal(np.concatenate([part.asked for part in parts]), whole.asked)
    np.testing.assert_array_equal(parts[-1].scores, whole.scores[300:])


def test_words_are_weighted_by_how_rare_they_are_beside_other_columns() -> None:
    """Numbers and a second text do not change the weight of a word: 1 + log of rows per row that has it."""
    texts = [f"the {'win' if row % 4 == 0 else 'see'} {'rare' if row == 7 else 'the'}" for row in range(40)]
    alone = [{"body": text} for text in texts]
    beside = [
        {"title": f"hello {text}", "body": text, "price": 1000.0 * row % 77, "plan": "ab"[row % 2]}
        for row, text in enumerate(texts)
    ]
    labels = np.arange(40) % 2
    found = []
    for records, columns in ((alone, ["body"]), (beside, ["title", "body"])):
        encoder = TableEncoder(text=columns, bits=12).fit(records)
        learner = AutoLearner(rate=1.0).fit(encoder.transform(records), labels)
        refresh(learner._core.models.scales)
        terms = encoder.transform([{"body": word} for word in ("the", "win", "rare")])
        sparse = terms.sparse if isinstance(terms, MixedRows) else terms
        found.append(learner._core.models.scales.weights[sparse.indices])
    frequencies = np.array([sum(word in text.split() for text in texts) for word in ("the", "win", "rare")])
    np.testing.assert_allclose(found[0], 1 + np.log((1 + 40) / (1 + frequencies)))
    np.testing.assert_allclose(found[1], found[0])
