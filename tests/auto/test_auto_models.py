"""Dual coordinate descent reaches the support vector machine of the labels, for every penalty and class."""

import numpy as np
import pytest
from sklearn.svm import LinearSVC

import streams
from askance.auto.models import PENALTIES, LinearModels
from askance.jit.kernels.descent import Rows


def rows_of(X: np.ndarray) -> Rows:
    count, width = X.shape
    return Rows(np.arange(count + 1) * width, np.tile(np.arange(width, dtype=np.int32), count), X.ravel())


@pytest.mark.parametrize("classes", [2, 4])
def test_many_sweeps_reach_support_vector_machines(classes: int) -> None:
    made = streams.several(rows=60, width=5, classes=classes)
    models = LinearModels(5)
    models.add(rows_of(made.X), made.y.astype(np.int64), classes)
    models.sweep(3000)
    weights = models.weights.reshape(5, len(PENALTIES), -1)
    for number, C in enumerate(PENALTIES[:2]):
        machine = LinearSVC(C=C, fit_intercept=False, tol=1e-10, max_iter=1_000_000).fit(made.X, made.y)
        np.testing.assert_allclose(weights[:, number].T, machine.coef_, atol=1e-5)


def test_features_that_were_never_labelled_have_no_weights() -> None:
    models = LinearModels(1_000_000)
    rows = Rows(np.array([0, 2, 4]), np.array([7, 999_999, 7, 12], np.int32), np.ones(4))
    models.add(rows, np.array([0, 1]), 20)
    assert models.learned()["weights"].shape == (1 + 3, 20 * len(PENALTIES))
    other = Rows(np.array([0, 1]), np.array([500], np.int32), np.ones(1))
    assert not models.scores(other).any()


def test_dropped_rows_are_forgotten() -> None:
    made = streams.several(rows=60, width=5, classes=3)
    codes = made.y.astype(np.int64)
    one, other = LinearModels(5), LinearModels(5)
    one.add(rows_of(made.X), codes, 3)
    one.drop(20)
    other.add(rows_of(made.X[20:]), codes[20:], 3)
    for models in (one, other):
        models.sweep(3000)
    width = 2 * 3  # the smaller penalties: the others take longer to settle
    np.testing.assert_allclose(one.weights[:, :width], other.weights[:, :width], atol=1e-5)


def test_other_features_of_the_same_rows() -> None:
    made = streams.several(rows=40, width=5, classes=2)
    models = LinearModels(5)
    models.add(rows_of(made.X), made.y.astype(np.int64), 2)
    models.refresh(rows_of(2 * made.X))
    sides = np.where(made.y == 1, 1.0, -1.0)[:, np.newaxis] * models.duals.view
    np.testing.assert_allclose(models.weights, 2 * made.X.T @ sides, atol=1e-9)
    scores = models.scores(rows_of(made.X))
    np.testing.assert_allclose(scores[:, :, 0], made.X @ models.weights, atol=1e-9)
