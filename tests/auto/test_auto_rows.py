"""Rows as users pass them: what is not sound is refused or repaired, and never reaches compiled code."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import askance
from askance.annotators import Oracle
from askance.data import MixedRows

D = np.random.default_rng(0).normal(size=(120, 3))
Y = np.where(D[:, 0] > 0, "a", "b")
S = sp.csr_array(sp.random_array((120, 50), density=0.1, rng=np.random.default_rng(1), format="csr"))
S.data[:] = np.ceil(S.data * 3)
MANY = [["a"] if label == "a" else ["b", "c"] for label in Y]


def learners():
    return [(askance.AutoLearner(0.3), Y), (askance.MultiLabelLearner(rate=0.3), MANY)]


def with_index(place, value):
    found = S.copy()
    found.indices = found.indices.copy()
    found.indices[place] = value
    return found


@pytest.mark.parametrize("index", [-7, 50, 500_000])
def test_columns_that_there_are_not_are_refused(index):
    bad = with_index(5, index)
    one_row = sp.csr_array((np.ones(2), np.array([3, index]), np.array([0, 2])), shape=(1, 50))
    for learner, y in learners():
        for call in (lambda one=learner, y=y: one.run(bad, y), lambda one=learner, y=y: one.fit(bad, y)):
            with pytest.raises(ValueError, match=r"row \d+ of X has a feature beyond the last column"):
                call()
        learner.fit(S, y)
        for call in (lambda one=learner: one.predict_proba(bad), lambda one=learner: one.ask(one_row)):
            with pytest.raises(ValueError, match=r"row \d+ of X has a feature beyond the last column"):
                call()


def test_torn_matrices_are_refused():
    shifted, torn = S.copy(), S.copy()
    shifted.indptr = shifted.indptr.copy()
    shifted.indptr[0] = 1
    torn.indptr = torn.indptr.copy()
    torn.indptr[3] = torn.indptr[-1] + 5
    for bad, said in ((shifted, "its index pointer starts with 1"), (torn, "its index pointer is wrong at row 2")):
        for learner, y in learners():
            with pytest.raises(ValueError, match=said):
                learner.fit(bad, y)


def test_unsorted_and_duplicate_entries_are_the_same_rows():
    twice = sp.csr_array((np.repeat(S.data / 2, 2), np.repeat(S.indices, 2), S.indptr * 2), shape=S.shape)
    turned = sp.csr_array(sp.vstack([row[:, ::-1][:, ::-1] for row in (S[[t]] for t in range(120))], format="csr"))
    turned.indices, turned.data = turned.indices.copy(), turned.data.copy()
    for start, stop in zip(turned.indptr[:-1], turned.indptr[1:], strict=True):
        turned.indices[start:stop] = turned.indices[start:stop][::-1].copy()
        turned.data[start:stop] = turned.data[start:stop][::-1].copy()
    turned.has_sorted_indices = False
    assert (twice != S).nnz == (turned != S).nnz == 0
    for place in range(2):
        learner, y = learners()[place]
        expected = learner.fit(S, y).predict_proba(S)
        for same in (twice, turned):
            before = same.indices.copy()
            found = learners()[place][0].fit(same, y).predict_proba(same)
            assert np.array_equal(np.asarray(found), np.asarray(expected))
            assert np.array_equal(same.indices, before), "what was passed stays as it was"


def test_a_matrix_has_the_dense_columns_of_mixed_rows_first():
    mixed = MixedRows(D, S)
    learner = askance.AutoLearner().fit(mixed, Y)
    expected = learner.predict_proba(mixed)
    joined = sp.csr_array(sp.hstack([sp.csr_array(D), S]))
    for X in (joined, joined.toarray()):
        assert np.array_equal(learner.predict_proba(X), expected)
    for row in range(50):
        learner.tell(joined[[row]], Y[row])
    with pytest.raises(ValueError, match="X has 52 features, but AutoLearner is expecting 53 features"):
        learner.predict(joined[:, :52])


@pytest.mark.parametrize(
    ("x", "said"),
    [
        (D[:2], r"x must be one row of features, not an array of shape \(2, 3\)"),
        (S[:2], "x must be one row of features, not 2 rows"),
        (MixedRows(D[:2], S[:2]), "x must be one row of features, not 2 rows"),
        (3.0, "x must be one row of features, not 3.0"),
        ({"a": 1}, "x must be one row of features, not {'a': 1}"),
        ("win a prize", "x must be one row of features, not 'win a prize'"),
        (D[0] * 1j, "Complex data not supported"),
        (D[0] * np.nan, "NaN"),
    ],
)
def test_ask_and_tell_take_one_row(x, said):
    for learner, y in learners():
        for call in (lambda one=learner: one.ask(x), lambda one=learner, y=y: one.tell(x, y[0])):
            with pytest.raises((ValueError, TypeError), match=said):
                call()
        assert not hasattr(learner, "n_features_in_")


def test_names_of_columns_are_checked_in_one_row_too():
    frame = pd.DataFrame(D, columns=list("abc"))
    learner = askance.AutoLearner().fit(frame, Y)
    assert learner.ask(frame.iloc[[0]]).score == pytest.approx(learner.decision_function(frame.iloc[[0]])[0])
    with pytest.raises(ValueError, match="feature names should match"):
        learner.ask(frame.iloc[[0]][["c", "b", "a"]])


def test_machines_are_not_paid_for_rows_that_are_not_finite():
    oracles = [Oracle("llm", "0.01", guess="g"), Oracle("human", "1.00")]
    guesses = {"g": (Y, np.full(120, 0.9))}
    for value in (np.nan, np.inf):
        bad = D.copy()
        bad[100, 0] = value
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            askance.OracleLearner(oracles, budget=20).run(bad, Y, guesses)
    live = askance.OracleLearner(oracles, budget=20, classes=["a", "b"], rows=120)
    for x in (bad[100], D[:2], "text"):
        with pytest.raises(ValueError, match=r"NaN|infinity|one row"):
            live.ask(x)
