"""Rows are scaled by what was seen of the stream up to and including themselves."""

import pickle
from collections.abc import Callable
from typing import Any

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import askance
import streams
from askance import Row, kernels, queries, updates
from askance._util.sealed_file import arrays_of, header_of, seal
from askance.errors import ModelFileError, ParameterError, ScaleWarning
from askance.learners.files import from_bytes, to_bytes
from naive import scaling as naive
from thinning import also_compiled

RNG = np.random.default_rng(4)
MADE = streams.noisy(rows=90, width=6)
SEVERAL = streams.several(rows=90, width=6)
# Columns of very different size and place; one is constant, and one becomes longer in the middle of the stream.
RAW = np.column_stack([MADE.X * [1e-4, 1.0, 1e5, 7.0, 1.0, 1.0] + [0, 3, 1e7, 0, 0, 0], np.full(90, 5.0)])
RAW[50:, 4] *= 100
# Counts of words, some of which come up late; one row has none.
COUNTS = RNG.poisson(0.5, (90, 12)).astype(float)
COUNTS[:60, 9:] = 0
COUNTS[30] = 0
LABELS = np.where(COUNTS @ RNG.normal(size=12) > 0, 1, -1)
STREAMS = {"standard": (RAW, MADE.y), "tfidf": (COUNTS, LABELS)}
FIELDS = ("predictions", "scores", "ask_probabilities", "asked", "updated")
both = pytest.mark.parametrize("scaling", STREAMS)


def make(scaling: str | None, name: str = "PAA-II", **options: Any) -> askance.Learner:
    return askance.make(name, scaling=scaling, **{"dtype": "float64", "random_state": 5} | options)


def same(one: Any, other: Any) -> bool:
    return all(np.array_equal(getattr(one, field), getattr(other, field)) for field in FIELDS)


NAMES = ("PAA-II", "AROW-diag", "K-PAA", "OMCSL-F-h", "MPAA-II")


@pytest.mark.parametrize("name", also_compiled(NAMES, {"PAA-II"}))
@both
def test_rows_are_scaled_as_the_definitions_say(scaling: str, name: str) -> None:
    X, y = STREAMS[scaling]
    y = SEVERAL.y if name == "MPAA-II" else y
    learner, plain = make(scaling, name), make(None, name)
    trace, expected = learner.run(X, y), plain.run(naive.ALL[scaling](X), y)
    np.testing.assert_array_equal(trace.asked, expected.asked)
    np.testing.assert_allclose(trace.scores, expected.scores, atol=1e-7)
    later = np.array([naive.ROW[scaling](X, x) for x in X[:20]])
    np.testing.assert_allclose(learner.decision_function(X[:20]), plain.decision_function(later), atol=1e-7)


def test_traces_name_what_was_made_of_rows() -> None:
    names = [
        make(scaling, intercept=c).run(COUNTS, LABELS).algorithm for scaling, c in ((None, 0.0), ("tfidf", 0.3))
    ]
    assert names[1] == f"{names[0]} with intercept 0.3 and tfidf scaling"
    assert names[0].endswith("offset=0.0)")


@both
def test_the_intercept_is_not_scaled(scaling: str) -> None:
    X, y = STREAMS[scaling]
    learner = make(scaling, intercept=0.4)
    by_hand = make(None).fit(np.column_stack([np.full(90, 0.4), naive.ALL[scaling](X)]), y)
    learner.fit(X, y)
    np.testing.assert_allclose(learner.coef_, by_hand.coef_[:, 1:], atol=1e-7)
    np.testing.assert_allclose(learner.intercept_, 0.4 * by_hand.coef_[:, 0], atol=1e-7)


def in_chunks(learner: askance.Learner, X: Any, y: Any, size: int) -> None:
    for start in range(0, len(y), size):
        learner.run(X[start : start + size], y[start : start + size])


def by_hand(learner: askance.Learner, X: Any, y: Any) -> None:
    for x, label in zip(X, y, strict=True):
        if learner.ask(x).ask:
            learner.tell(x, label)


def through_files(learner: askance.Learner, X: Any, y: Any) -> None:
    learner.run(X[:40], y[:40])
    other = from_bytes(to_bytes(learner))
    other.run(X[40:], y[40:])
    learner.__dict__.update(other.__dict__)


WAYS: dict[str, Callable[[askance.Learner, Any, Any], None]] = {
    "chunks of 1": lambda learner, X, y: in_chunks(learner, X, y, 1),
    "chunks of 7": lambda learner, X, y: in_chunks(learner, X, y, 7),
    "ask and tell": by_hand,
    "a file between": through_files,
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("way", WAYS)
@both
def test_chunks_change_nothing(scaling: str, way: str, dtype: str) -> None:
    X, y = STREAMS[scaling]
    whole, other = (make(scaling, dtype=dtype, classes=[-1, 1], intercept=0.3) for _ in range(2))
    whole.run(X, y)
    WAYS[way](other, X, y)
    assert to_bytes(other) == to_bytes(whole)


@both
def test_every_way_to_learn_all_labels_observes_each_row_once(scaling: str) -> None:
    X, y = STREAMS[scaling]
    fitted, told, partly = (make(scaling, "PA-II", classes=[-1, 1]) for _ in range(3))
    fitted.fit(X, y)
    for x, label in zip(X, y, strict=True):
        told.tell(x, label)
    partly.partial_fit(X[:13], y[:13]).partial_fit(X[13:], y[13:])
    assert to_bytes(told) == to_bytes(partly) == to_bytes(fitted)
    again = clone(fitted)
    assert again.scaling == scaling
    assert to_bytes(again.fit(X, y)) == to_bytes(fitted)


@both
def test_labels_that_come_later_do_not_observe_their_rows_again(scaling: str) -> None:
    X, y = STREAMS[scaling]
    learner, never_told = make(scaling, classes=[-1, 1]), make(scaling, classes=[-1, 1])
    for x in X:
        learner.ask(x, granted=False)
        never_told.ask(x, granted=False)
    for x, label in zip(X, y, strict=True):
        learner.tell(x, label)
    scales, expected = (one._core.features.learned() for one in (learner, never_told))
    assert scales["scaling/rows"] == 90
    assert all(np.array_equal(scales[name], expected[name]) for name in expected)


@both
def test_predictions_change_nothing(scaling: str) -> None:
    X, y = STREAMS[scaling]
    learner = make(scaling).fit(X, y)
    before = to_bytes(learner)
    scores = learner.decision_function(X)
    for x, score in zip(X, scores, strict=True):
        assert learner.decision_function([x]) == score
    learner.predict(X)
    assert to_bytes(learner) == before


def test_counts_may_be_dense_or_sparse() -> None:
    rows = {
        "sparse": lambda x: sp.csr_array(x[np.newaxis]),
        "Row": lambda x: Row(np.flatnonzero(x), x[x != 0]),
    }
    dense, sparse = make("tfidf", classes=[-1, 1]), make("tfidf", classes=[-1, 1])
    expected = dense.run(COUNTS, LABELS)
    assert same(sparse.run(sp.csr_array(COUNTS), LABELS), expected)
    assert to_bytes(sparse) == to_bytes(dense)
    for form in rows.values():
        learner = make("tfidf", classes=[-1, 1])
        by_hand(learner, [form(x) for x in COUNTS], LABELS)
        np.testing.assert_array_equal(learner.coef_, dense.coef_)


@pytest.mark.parametrize("intercept", [0.0, 0.3])
def test_new_words_get_room(intercept: float) -> None:
    """Rows without a width grow; a label may bring words that no row had, also just before a file is written."""
    wide, grown = (make("tfidf", intercept=intercept, classes=[-1, 1]) for _ in range(2))
    expected = wide.run(COUNTS, LABELS)
    for t, (x, label) in enumerate(zip(COUNTS, LABELS, strict=True)):
        row = Row(np.flatnonzero(x), x[x != 0])
        assert grown.ask(row).score == expected.scores[t]
        if expected.asked[t]:
            grown.tell(row, label)
        if t % 20 == 0:
            grown = from_bytes(to_bytes(grown))
    np.testing.assert_array_equal(grown.coef_, wide.coef_)
    late = grown.tell(Row(np.array([20]), np.ones(1)), 1)
    assert late.n_features_in_ == 21
    assert to_bytes(from_bytes(to_bytes(late))) == to_bytes(late)


def test_words_that_no_row_had_are_the_rarest() -> None:
    learner = make("tfidf", classes=[-1, 1])
    learner.tell(Row(np.array([0]), np.ones(1)), 1).resize(2)
    late = learner.decision_function(sp.csr_array([[1.0, 1.0]]))
    alone = learner.decision_function(sp.csr_array([[1.0, 0.0]]))
    rarity = np.log(2.0) + 1.0  # of a word in none of 1 rows; that of the other word is 1
    np.testing.assert_allclose(late / alone, 1.0 / np.sqrt(1.0 + rarity**2))


def test_what_is_no_count_keeps_its_sign_and_its_size_up_to_1() -> None:
    """Hashing may change signs. Values between 0 and 1 have no logarithm that could be added to 1."""
    X = np.array([[0.5, 0.0, -1.0], [np.e, -np.e, 0.25]])
    learner = make("tfidf", "PA-II", classes=[-1, 1]).fit(np.vstack([X, np.eye(3)]), [1, -1, 1, -1, 1])
    rarity = np.log(6 / np.array([4, 3, 4])) + 1
    expected = np.array([[0.5, 0.0, -1.0], [2.0, -2.0, 0.25]]) * rarity
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(learner.decision_function(X), expected @ learner.coef_[0], rtol=1e-12)


def test_large_numbers_that_differ_little_are_scaled_in_double_precision() -> None:
    """Dates as seconds: in single precision, neighbours within a minute are the same number."""
    seconds = 1.7e9 + RNG.permutation(90).astype(float)
    learner = askance.make("PA-II", scaling="standard").fit(seconds[:, np.newaxis], seconds > 1.7e9 + 45)
    assert (learner.predict(seconds[:, np.newaxis]) == (seconds > 1.7e9 + 45)).mean() > 0.9


def test_a_learner_can_be_made_wider() -> None:
    learner = make("standard", "PA-II").fit(RAW[:, :3], MADE.y).resize(7)
    learner.partial_fit(RAW, MADE.y)
    X = np.vstack([np.pad(RAW[:, :3], [(0, 0), (0, 4)]), RAW])
    found = learner._core.features.learned()
    np.testing.assert_allclose(found["scaling/means"], X.mean(axis=0))
    np.testing.assert_allclose(found["scaling/squares"], X.var(axis=0) * len(X), rtol=1e-6)
    assert to_bytes(from_bytes(to_bytes(learner))) == to_bytes(learner)


@both
def test_pickles_may_come_as_read_only_memory(scaling: str, tmp_path: Any) -> None:
    X, y = STREAMS[scaling]
    learner = make(scaling).fit(X, y)
    joblib.dump(learner, tmp_path / "learner")
    mapped = joblib.load(tmp_path / "learner", mmap_mode="r")
    copied = pickle.loads(pickle.dumps(learner))
    learner.run(X, y)
    assert to_bytes(mapped.run(X, y) and mapped) == to_bytes(copied.run(X, y) and copied) == to_bytes(learner)


# ---------------------------------------------------------------------- what is refused changes nothing


@pytest.mark.parametrize("value", ["", "Standard", "idf", 1, True, ["standard"]])
def test_bad_values(value: Any) -> None:
    with pytest.raises(ParameterError, match="Learner: scaling must be None, 'standard' or 'tfidf', not"):
        askance.Learner(scaling=value).fit(RAW, MADE.y)


def test_auto_has_its_own() -> None:
    with pytest.raises(ValueError, match="auto has an intercept and scales of its own: leave"):
        askance.make("auto", scaling="standard")  # type: ignore[call-overload]


def test_sparse_rows_are_not_standardized() -> None:
    learner = make("standard", classes=[-1, 1])
    for work in (
        lambda: learner.run(sp.csr_array(RAW), MADE.y),
        lambda: learner.ask(Row(np.array([2]), np.ones(1))),
    ):
        with pytest.raises(ValueError, match="is for dense rows, but these are sparse: choose scaling='tfidf'"):
            work()
    assert to_bytes(learner) == to_bytes(make("standard", classes=[-1, 1]))


def bad_row(learner: askance.Learner, X: Any, y: Any) -> None:
    X = X.copy()
    X[70, 2] = np.inf
    learner.run(X, y)


def bad_labels(learner: askance.Learner, X: Any, y: Any) -> None:
    learner.run(X, np.arange(len(y)))


def bad_coins(learner: askance.Learner, X: Any, y: Any) -> None:
    learner.run(X, y, coins=[2.0] * len(y))


FAULTS = {"a bad row": bad_row, "bad labels": bad_labels, "bad coins": bad_coins}


@pytest.mark.parametrize("fault", FAULTS)
@both
def test_a_call_that_fails_observes_nothing(scaling: str, fault: str) -> None:
    X, y = STREAMS[scaling]
    learner = make(scaling, classes=[-1, 1])
    learner.run(X, y)
    before = to_bytes(learner)
    with pytest.raises(ValueError, match=r"^(?!.*observe)"):
        FAULTS[fault](learner, X, y)
    assert to_bytes(learner) == before


@both
def test_a_rule_that_fails_observes_nothing(scaling: str) -> None:
    """A kernel may refuse rows that scaling let through. Of new words, nothing stays either."""
    update = kernels.Kernelized(updates.Perceptron(), kernels.Polynomial(degree=2000))
    cases = {
        "standard": (RAW[0], RAW[1], RAW),  # the first row has no deviations
        "tfidf": (Row(np.array([], int), np.array([])), Row(np.array([3]), np.ones(1)), COUNTS),
    }
    learner = askance.Learner(update, queries.Always(), scaling=scaling, classes=[-1, 1])
    first, second, X = cases[scaling]
    before = to_bytes(learner.tell(first, 1))
    for work in (
        lambda: learner.ask(second),
        lambda: learner.tell(second, 1),
        lambda: learner.run(X, MADE.y),
    ):
        with pytest.raises(ValueError, match="too long for this kernel"):
            work()
        assert to_bytes(learner) == before


def test_numbers_whose_squares_are_infinite_are_refused() -> None:
    learner = make("standard", classes=[-1, 1])
    X = np.tile([[1.0, 1e154], [1.0, -1e154]], (20, 1))
    with pytest.raises(ValueError, match="column 1 of X varies too much for float64: scale it down"):
        learner.run(X, [1, -1] * 20)
    assert to_bytes(learner) == to_bytes(make("standard", classes=[-1, 1]))


@pytest.mark.parametrize(
    ("scaling", "name", "change"),
    [
        ("standard", "squares", lambda array: -array),
        ("standard", "squares", lambda array: array / 0),
        ("standard", "means", lambda array: array[1:]),
        ("standard", "rows", lambda array: -array),
        ("tfidf", "frequencies", lambda array: array + 90),
        ("tfidf", "frequencies", lambda array: array.astype(float)),
        ("tfidf", "rows", lambda array: array - 80),
    ],
)
def test_impossible_scales_in_a_file_are_refused(scaling: str, name: str, change: Any) -> None:
    content = to_bytes(make(scaling).fit(*STREAMS[scaling]))
    arrays, path = arrays_of(content), f"scaling/{name}"
    with np.errstate(all="ignore"):
        content = seal({**arrays, path: change(arrays[path])}, header_of(content))
    with pytest.raises(ModelFileError):
        from_bytes(content)


# ---------------------------------------------------------------------- what it is for


def test_raw_columns_are_learned() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1500, 5))
    y = X @ [1.0, -1.0, 0.5, 1.0, 0.0] > 0
    raw = X * [1e4, 1.0, 1e-2, 10.0, 1e3] + [5e4, 0, 0, -30, 0]
    rule = updates.PassiveAggressive2(), queries.Random(0.2)
    unscaled, scaled = (askance.Learner(*rule, scaling=scaling, dtype="float64") for scaling in (None, "standard"))
    with pytest.warns(ScaleWarning):
        assert unscaled.run(raw, y).summary().accuracy < 0.7
    assert scaled.run(raw, y).summary().accuracy > 0.9
