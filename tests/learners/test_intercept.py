"""An intercept is the weight of a constant feature, which users do not see."""

import pathlib
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import askance
import streams
from askance import Row
from askance.data.stream import Chunk
from askance.learners.files import from_bytes, to_bytes
from thinning import also_compiled

MADE = streams.sparse_units(rows=90, width=9)
SEVERAL = streams.several(rows=90, width=9)
CONSTANT = 0.3
FIELDS = ("predictions", "scores", "ask_probabilities", "asked", "updated")

# One name of each form of states, and what it is called with.
NAMES = {
    **dict.fromkeys(("PEA", "PAA-II", "D-ADA", "AROW-diag", "SOAL", "SEL-PNORM", "OPAUC", "OMCSL-F-h"), MADE),
    **dict.fromkeys(("MPAA-II", "MD-AMD"), SEVERAL),
}


def beside(X: Any) -> Any:
    """The rows with the constant written out, in the first column."""
    return np.column_stack([np.full(len(X), CONSTANT), X])


def same(one: askance.Trace, other: askance.Trace) -> bool:
    return all(np.array_equal(getattr(one, field), getattr(other, field)) for field in FIELDS)


def pair(name: str = "PAA-II", **options: Any) -> tuple[askance.Learner, askance.Learner]:
    """A learner with an intercept, and one without, for rows in which the constant is written out."""
    options = {"dtype": "float64", "random_state": 3} | options
    return askance.make(name, intercept=CONSTANT, **options), askance.make(name, **options)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("name", also_compiled(NAMES, {"PAA-II"}))
def test_it_is_a_constant_feature_to_the_last_bit(name: str, form: Any) -> None:
    made = NAMES[name]
    learner, written_out = pair(name, classes=np.unique(made.y).tolist())
    assert same(learner.run(form(made.X), made.y), written_out.run(form(beside(made.X)), made.y))
    assert learner.n_features_in_ == made.X.shape[1]
    np.testing.assert_array_equal(learner.coef_, written_out.coef_[:, 1:])
    np.testing.assert_array_equal(learner.intercept_, CONSTANT * written_out.coef_[:, 0])
    assert learner.intercept_.any()
    expected = written_out.decision_function(form(beside(made.X)))
    np.testing.assert_array_equal(learner.decision_function(form(made.X)), expected)
    np.testing.assert_array_equal(learner.predict(form(made.X)), written_out.predict(form(beside(made.X))))


def test_without_one_it_is_0() -> None:
    assert askance.make("PA-II").fit(MADE.X, MADE.y).intercept_.tolist() == [0.0]
    assert askance.make("MPA-II").fit(SEVERAL.X, SEVERAL.y).intercept_.tolist() == [0.0] * 4
    assert askance.make("OMCSL-F-h").fit(MADE.X, MADE.y).intercept_.tolist() == [0.0] * 9


def test_scores_are_those_of_coef_and_intercept() -> None:
    learner = askance.make("AROW-diag", intercept=0.5, dtype="float64").fit(MADE.X, MADE.y)
    expected = MADE.X @ learner.coef_[0] + learner.intercept_[0]
    np.testing.assert_allclose(learner.decision_function(MADE.X), expected, rtol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_fit_and_partial_fit(form: Any) -> None:
    learner, written_out = pair("PA-II")
    learner.partial_fit(form(MADE.X[:40]), MADE.y[:40]).partial_fit(form(MADE.X[40:]), MADE.y[40:])
    written_out.fit(form(beside(MADE.X)), MADE.y)
    np.testing.assert_array_equal(learner.coef_, written_out.coef_[:, 1:])
    again = clone(learner).fit(form(MADE.X), MADE.y)
    np.testing.assert_array_equal(again.coef_, learner.coef_)
    np.testing.assert_array_equal(again.intercept_, learner.intercept_)


ROWS = {
    "lists": lambda x: x.tolist(),
    "sparse": lambda x: sp.csr_array(x[np.newaxis]),
    "Row": lambda x: Row(np.flatnonzero(x), x[x != 0]),
}


@pytest.mark.parametrize("form", ROWS)
def test_ask_and_tell(form: str) -> None:
    learner, written_out = pair(classes=[-1, 1])
    trace = written_out.run(beside(MADE.X), MADE.y)
    for t, (x, y) in enumerate(zip(MADE.X, MADE.y, strict=True)):
        decision = learner.ask(ROWS[form](x))
        assert (decision.score, decision.ask) == (trace.scores[t], trace.asked[t])
        if decision.ask:
            learner.tell(ROWS[form](x), y)
    assert learner.n_features_in_ == 9
    np.testing.assert_array_equal(learner.coef_, written_out.coef_[:, 1:])


def narrow_chunks() -> Iterator[tuple[Any, Any]]:
    """Chunks that are no wider than their last feature; later ones have features that earlier ones do not."""
    for start in range(0, 90, 7):
        X = MADE.X[start : start + 7].copy()
        X[:, 2 + start // 13 :] = 0.0
        yield sp.csr_array(X[:, : 2 + start // 13]), MADE.y[start : start + 7]


@pytest.mark.parametrize("name", ["PAA-II", "AROW-diag", "SOAL"])
def test_rows_may_become_wider(name: str, tmp_path: pathlib.Path) -> None:
    learner, written_out = pair(name, classes=[-1, 1])
    for number, (X, y) in enumerate(narrow_chunks()):
        learner.resize(X.shape[1])
        written_out.resize(X.shape[1] + 1)
        assert same(learner.run(X, y), written_out.run(sp.csr_array(beside(X.toarray())), y))
        assert learner.coef_.shape[1] == X.shape[1]
        if number == 5:
            learner.save(tmp_path / "model")
            learner = askance.load(tmp_path / "model")
    np.testing.assert_array_equal(learner.coef_, written_out.coef_[:, 1:])


class Growing:
    """A stream of the narrow chunks."""

    name = "growing"

    def __iter__(self) -> Iterator[Chunk]:
        for X, y in narrow_chunks():
            yield Chunk(X, y, 0.5)


def test_streams_whose_chunks_become_wider() -> None:
    learner, written_out = pair(classes=[-1, 1])
    X = np.vstack([np.pad(X.toarray(), [(0, 0), (0, 9 - X.shape[1])]) for X, _ in narrow_chunks()])
    assert same(learner.run(Growing()), written_out.run(sp.csr_array(beside(X)), MADE.y))


@pytest.mark.parametrize("name", ["PAA-II", "MPAA-II", "AROW-diag"])
def test_model_files_pickles_and_clones(name: str) -> None:
    made = NAMES[name]
    learner, _ = pair(name, classes=np.unique(made.y).tolist())
    learner.run(made.X[:50], made.y[:50])
    copies = [from_bytes(to_bytes(learner)), pickle.loads(pickle.dumps(learner))]
    traces = [one.run(made.X[50:], made.y[50:]) for one in (learner, *copies)]
    for copy, trace in zip(copies, traces[1:], strict=True):
        assert same(trace, traces[0])
        assert copy.get_params()["intercept"] == CONSTANT
        np.testing.assert_array_equal(copy.intercept_, learner.intercept_)
    assert clone(learner).intercept == CONSTANT


def test_files_without_one_have_not_changed() -> None:
    """Learners without the new parameters write what they wrote before there were any."""
    content = to_bytes(askance.make("PAA-II").fit(MADE.X, MADE.y))
    assert b"intercept" not in content
    assert b"scaling" not in content


def test_coef_and_intercept_cannot_be_used_to_change_the_learner() -> None:
    learner = askance.make("PA-II", intercept=CONSTANT).fit(MADE.X, MADE.y)
    with pytest.raises(ValueError, match="read-only"):
        learner.coef_[0, 0] = 99
    learner.intercept_[:] = 99
    assert learner.intercept_[0] != 99


@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf"), "0.3", True, None])
def test_bad_values(value: Any) -> None:
    with pytest.raises(askance.errors.ParameterError, match=r"Learner: intercept must be (a number|0 or more)"):
        askance.Learner(intercept=value).fit(MADE.X, MADE.y)


def test_kernel_rules_have_none() -> None:
    with pytest.raises(ValueError, match="has no intercept, because it has no weights of features: choose a k"):
        askance.make("K-PAA", intercept=0.3)


def test_auto_has_its_own() -> None:
    with pytest.raises(ValueError, match="auto has an intercept and scales of its own: leave"):
        askance.make("auto", intercept=0.3)  # type: ignore[call-overload]


def test_bad_rows_change_nothing() -> None:
    learner, _ = pair(classes=[-1, 1])
    learner.run(MADE.X, MADE.y)
    before = to_bytes(learner)
    bad = MADE.X.copy()
    bad[80, 3] = np.nan
    for X in (bad, sp.csr_array(bad)):
        with pytest.raises(
            ValueError, match="contains NaN, infinity or a value too large for float64, first in row"
        ):
            learner.run(X, MADE.y)
    with pytest.raises(ValueError, match="x has 10 features, but this learner has 9"):
        learner.ask([0.0] * 10)
    with pytest.raises(ValueError, match=r"9 columns|9 features"):
        learner.predict(np.ones((2, 10)))
    with pytest.raises(ValueError, match="has 9 features, which cannot become 8"):
        learner.resize(8)
    assert to_bytes(learner) == before


def test_rare_positives_need_it() -> None:
    """3 % of rows are positive, by words of their own. Without an intercept, rows of new words score 0."""
    rng = np.random.default_rng(0)
    y = rng.random(1000) < 0.03
    own = (rng.random((1000, 5)) < 0.5) & y[:, np.newaxis]
    words = np.where(own, rng.integers(0, 20, own.shape), rng.integers(20, 3000, own.shape))
    X = sp.coo_array((np.ones(words.size), (np.arange(5000) // 5, words.ravel())), shape=(1000, 3000)).tocsr()
    X = sp.csr_array(X.multiply(1.0 / sp.linalg.norm(X, axis=1)[:, np.newaxis]))
    without, with_it = (
        askance.make("PAA-II", intercept=value, dtype="float64").run(X, y).summary().accuracy
        for value in (0.0, 0.3)
    )
    assert without < np.mean(~y) - 0.02
    assert with_it > np.mean(~y) + 0.005
