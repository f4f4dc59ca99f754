"""Scales that are learned from a stream."""

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import StandardScaler

from askance.auto.features import DENSE_INTERCEPT, SPARSE_INTERCEPT, Columns, Terms
from askance.auto.rows import part, plain


def test_columns_are_standardized() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 4)) * [1, 1e6, 1e-6, 0] + [0, 1e7, 0, 5]
    columns = Columns(4)
    for start in (0, 1, 40):
        columns.observe(X[start : {0: 1, 1: 40, 40: 90}[start]])
    columns.refresh()
    found = columns.rows_of(X).values.reshape(90, 5)
    expected = np.clip(StandardScaler().fit_transform(X), -4, 4) / 2
    np.testing.assert_allclose(found[:, :4], expected, atol=1e-8)
    assert (found[:, 3] == 0).all()
    assert (found[:, 4] == DENSE_INTERCEPT).all()


def test_terms_are_weighted_as_scikit_learn_does() -> None:
    X = sp.csr_array(np.random.default_rng(0).poisson(0.4, (50, 12)).astype(float))
    terms = Terms(12)
    terms.observe(part(plain(X), 0, 20))
    terms.observe(part(plain(X), 20, 50))
    terms.refresh()
    rows = terms.rows_of(plain(X))
    found = sp.csr_array((rows.values, rows.indices, rows.starts), shape=(50, 13)).toarray()
    expected = TfidfTransformer(sublinear_tf=True).fit_transform(X).toarray()
    np.testing.assert_allclose(found[:, :12], expected, atol=1e-12)
    assert (found[:, 12] == SPARSE_INTERCEPT).all()


def test_values_that_are_no_counts_keep_their_proportions() -> None:
    X = sp.csr_array(np.array([[0.5, 0.0, -1.5], [1.0, 0.25, 0.0]]))
    terms = Terms(3)
    terms.observe(plain(X))
    terms.refresh()
    assert not terms.takes_logs
    rows = terms.rows_of(plain(X))
    assert rows.values[1] / rows.values[0] == -3.0 * terms.weights[2] / terms.weights[0]
