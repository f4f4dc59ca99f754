"""Dual coordinate descent reaches the support vector machine of the labels, for every penalty and class."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

import streams
from askance.auto.core import AutoCore
from askance.auto.learner import AutoLearner
from askance.auto.models import (
    DENSE_INTERCEPT,
    MIXED_PENALTIES,
    TERM_PENALTIES,
    new_models,
    takes_roots,
    with_room,
    without_oldest,
)
from askance.auto.rows import mixed, plain
from askance.auto.settings import AutoSettings
from askance.jit.kernels import labelling
from askance.jit.kernels.labelling import PLACES, REMEMBERED, Models


def learned(X: Any, codes: Any, classes: int) -> Models:
    """Linear models that have learned rows as they are: without a forest, and without scales."""
    rows = plain(sp.csr_array(X) / abs(X).max())  # values up to 1 stay as they are
    models = new_models(0, X.shape[1], classes, 1000, 0)
    models = with_room(models, len(codes), len(rows.values))
    labelling.learn(rows, codes.astype(np.int64), np.zeros(len(codes)), models, 1)
    return models


def features(X: np.ndarray) -> np.ndarray:
    """What models see of rows: terms at length 1, an intercept, and a feature of its own for each row of zeros."""
    own = np.eye(len(X))[:, ~X.any(axis=1)]
    return np.hstack([normalize(X), np.full((len(X), 1), 0.3), own])


def weights(models: Models, width: int) -> np.ndarray:
    """Features × models × classes: first those of weighted terms, then those of square roots."""
    terms = models.lanes.weights[models.places]
    found = np.vstack([terms, models.lanes.dense_weights])
    return found.reshape(width + 1, 2 * len(TERM_PENALTIES), -1)


@pytest.mark.parametrize("classes", [2, 4])
def test_many_sweeps_reach_support_vector_machines(classes: int) -> None:
    made = streams.several(rows=60, width=5, classes=classes)
    assert features(made.X).shape[1] > 5 + 1, "some rows have no terms"
    models = learned(made.X, made.y, classes)
    labelling.retrain(models, False, 3000)
    for number, terms in ((0, made.X), (2, np.sign(made.X) * abs(made.X) ** 0.5)):
        machine = LinearSVC(C=TERM_PENALTIES[0], fit_intercept=False, tol=1e-10, max_iter=1_000_000)
        machine.fit(features(terms), made.y)
        np.testing.assert_allclose(weights(models, 5)[:, number].T, machine.coef_[:, :6], atol=1e-5)


def test_some_models_of_columns_and_terms_see_the_terms_alone() -> None:
    rng = np.random.default_rng(0)
    columns, terms, y = (
        rng.normal(size=(60, 3)),
        0.5 * rng.random((60, 5)) * (rng.random((60, 5)) < 0.5),
        np.arange(60) % 2,
    )
    terms[:, 0] += 0.1 * y + 0.1  # no row is without terms
    models = with_room(new_models(3, 5, 2, 1000, 0), 60, 300)
    models.scales.factors[:] = 1.0
    labelling.learn(mixed(columns, sp.csr_array(terms)), y, np.zeros(60), models, 1)
    labelling.retrain(models, False, 3000)
    constant = np.full((60, 1), DENSE_INTERCEPT)
    views = [
        np.hstack([columns.clip(-4, 4) / 3**0.5, normalize(terms), constant]),
        np.hstack([np.zeros((60, 3)), normalize(terms), constant]),
        np.hstack([np.zeros((60, 3)), normalize(terms**0.5), constant]),
    ]
    dense, sparse = models.lanes.dense_weights, models.lanes.weights[models.places]
    for view, X in enumerate(views):
        machine = LinearSVC(C=MIXED_PENALTIES[0], fit_intercept=False, tol=1e-10, max_iter=1_000_000).fit(X, y)
        model = view * len(MIXED_PENALTIES)
        found = np.concatenate([dense[:3, model], sparse[:, model], dense[3:, model]])
        np.testing.assert_allclose(found, machine.coef_[0], atol=1e-4)
        assert takes_roots(models, model) == (view == 2)


def test_columns_that_tell_nothing_do_not_hide_a_text() -> None:
    found = np.zeros(2)
    for random_state in range(3):
        rng = np.random.default_rng(random_state)
        topics = rng.integers(0, 2, 1500)
        texts = (rng.random((1500, 300)) < 0.02).astype(float)
        for row, topic in enumerate(topics):
            texts[row, topic * 40 + rng.integers(0, 40, 3)] = 1
        noise = rng.normal(size=(1500, 8))
        for place, columns in enumerate((noise[:, :0], noise)):
            trace = AutoCore(AutoSettings(rate=0.05)).run(mixed(columns, sp.csr_array(texts)), topics)
            found[place] += trace.summary().accuracy / 3
    assert found[1] > found[0] - 0.03


def test_a_row_without_terms_moves_the_others_little() -> None:
    """An empty text that is asked about must not turn the predictions of all other texts."""
    rng = np.random.default_rng(0)
    topics = rng.integers(0, 2, 300)
    texts = (rng.random((300, 300)) < 0.02).astype(float)
    for row, topic in enumerate(topics):
        texts[row, topic * 40 + rng.integers(0, 40, 4)] = 1
    X = sp.csr_array(texts)
    learner = AutoLearner(rate=1.0).fit(X[:20], topics[:20])
    before = learner.predict_proba(X[100:])
    learner.partial_fit(sp.csr_array((1, 300)), [1])
    assert np.abs(learner.predict_proba(X[100:]) - before).mean() < 0.05


def test_features_that_were_never_labelled_have_no_weights() -> None:
    X = sp.csr_array((np.ones(4), [7, 999_999, 7, 12], [0, 2, 4]), shape=(2, 1_000_000))
    models = learned(X, np.array([0, 1]), 20)
    assert models.counts[PLACES] == 1 + 3
    assert len(models.lanes.weights) < 100
    assert not models.lanes.weights[0].any()


def test_dropped_rows_are_forgotten() -> None:
    made = streams.several(rows=60, width=5, classes=3)
    one = without_oldest(learned(made.X, made.y, 3), 20)
    other = learned(made.X[20:], made.y[20:], 3)
    assert one.counts[REMEMBERED] == other.counts[REMEMBERED] == 40
    for models in (one, other):
        labelling.retrain(models, False, 3000)
    smaller = slice(2)  # with larger C it takes longer to settle
    np.testing.assert_allclose(weights(one, 5)[:, smaller], weights(other, 5)[:, smaller], atol=1e-5)


def test_terms_of_dropped_rows_lose_their_weights() -> None:
    X = sp.csr_array(np.eye(6))
    models = without_oldest(learned(X, np.arange(6) % 2, 2), 4)
    assert models.counts[PLACES] == 1 + 2
    assert sorted(models.vocabulary[1:3].tolist()) == [4, 5]
    assert np.flatnonzero(models.places).tolist() == [4, 5]
