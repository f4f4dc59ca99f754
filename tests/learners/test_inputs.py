"""Rows and labels in every form that people have them give the same decisions as plain arrays."""

import pathlib
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas
import polars
import pytest
import scipy.sparse as sp

import askance
import streams
from askance import queries, updates
from askance.learners.files import from_bytes, to_bytes

MADE = streams.sparse_units(rows=80, width=9, random_state=6)
# Values that single and half precision and whole numbers hold exactly.
X = np.round(MADE.X * 8)
Y = MADE.y
NAMES = list("abcdefghi")


def learner(**changes: Any) -> askance.Learner:
    options = {"dtype": "float64", "classes": (-1, 1)} | changes
    return askance.Learner(updates.PassiveAggressive1(0.5), queries.Margin(0.5), **options)


@pytest.fixture(scope="module")
def expected() -> tuple[askance.Trace, bytes]:
    model = learner()
    return model.run(X, Y), to_bytes(model)


def read_only(array: Any) -> Any:
    array = np.array(array)
    array.setflags(write=False)
    return array


def unaligned(array: Any) -> Any:
    raw = np.zeros(array.nbytes + 1, np.uint8)
    shifted = raw[1:].view(array.dtype).reshape(array.shape)
    shifted[:] = array
    assert not shifted.flags.aligned
    return shifted


def shuffled(matrix: Any) -> Any:
    """The same CSR matrix with the entries of each row in another order."""
    rng = np.random.default_rng(0)
    matrix = matrix.copy()
    for a, b in zip(matrix.indptr, matrix.indptr[1:], strict=False):
        order = a + rng.permutation(b - a)
        matrix.indices[a:b], matrix.data[a:b] = matrix.indices[order].copy(), matrix.data[order].copy()
    matrix.has_sorted_indices = False
    return matrix


def doubled(matrix: Any) -> Any:
    """The same CSR matrix with every entry in two halves."""
    indices, data = np.repeat(matrix.indices, 2), np.repeat(matrix.data / 2, 2)
    return sp.csr_array((data, indices, matrix.indptr * 2), shape=matrix.shape)


def wide_indices(matrix: Any) -> Any:
    matrix = matrix.copy()
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    return matrix


def with_zeros(matrix: Any) -> Any:
    """The same CSR matrix with some of its zeros written out."""
    filled = sp.csr_array(matrix.toarray() + 1000)
    filled.data -= 1000
    return filled


DENSE = {
    "a list of lists": lambda: X.tolist(),
    "read-only": lambda: read_only(X),
    "Fortran order": lambda: np.asfortranarray(X),
    "every second row of more": lambda: np.repeat(X, 2, axis=0)[::2],
    "backwards twice": lambda: X[::-1, ::-1].copy()[::-1, ::-1],
    "half precision": lambda: X.astype(np.float16),
    "single precision": lambda: X.astype(np.float32),
    "long double": lambda: X.astype(np.longdouble),
    "whole numbers": lambda: X.astype(np.int64),
    "small whole numbers": lambda: X.astype(np.int8),
    "big-endian": lambda: X.astype(">f8"),
    "unaligned": lambda: unaligned(X),
    "objects": lambda: X.astype(object),
    "a pandas frame": lambda: pandas.DataFrame(X, columns=NAMES),
    "a pandas frame of mixed types": lambda: pandas.DataFrame(X, columns=NAMES).astype(
        {"a": "int32", "b": "float32"}
    ),
    "a polars frame": lambda: polars.DataFrame(X, schema=NAMES),
}
SPARSE = {
    "a CSR array": lambda: sp.csr_array(X),
    "a CSR matrix": lambda: sp.csr_matrix(X),
    "read-only CSR": lambda: sp.csr_array(tuple(map(read_only, parts(sp.csr_array(X)))), shape=X.shape),
    "CSR with entries out of order": lambda: shuffled(sp.csr_array(X)),
    "CSR with doubled entries": lambda: doubled(sp.csr_array(X)),
    "CSR with zeros written out": lambda: with_zeros(sp.csr_array(X)),
    "CSR with 64-bit indices": lambda: wide_indices(sp.csr_array(X)),
    "CSR of whole numbers": lambda: sp.csr_array(X.astype(np.int32)),
    "CSR in single precision": lambda: sp.csr_array(X.astype(np.float32)),
    "CSC": lambda: sp.csc_array(X),
    "COO": lambda: sp.coo_array(X),
}


def parts(matrix: Any) -> tuple[Any, Any, Any]:
    return matrix.data, matrix.indices, matrix.indptr


@pytest.mark.plain
@pytest.mark.compiled
@pytest.mark.parametrize("form", [*DENSE, *SPARSE])
def test_every_form_of_rows_gives_the_same_decisions(form: str, expected: tuple[askance.Trace, bytes]) -> None:
    rows = (DENSE | SPARSE)[form]()
    kept = [part.copy() for part in parts(rows)] if form.startswith(("a CSR", "CSR")) else None
    model = learner()
    trace = model.run(rows, Y)
    for field in ("predictions", "scores", "ask_probabilities", "asked", "updated"):
        np.testing.assert_array_equal(getattr(trace, field), getattr(expected[0], field))
    assert to_bytes(model) == expected[1]
    np.testing.assert_array_equal(model.decision_function(rows), scores_of(expected[1]))
    if kept is not None:
        assert all(np.array_equal(old, new) for old, new in zip(kept, parts(rows), strict=True))


def scores_of(content: bytes) -> Any:
    return from_bytes(content).decision_function(X)


def test_memory_mapped_rows(tmp_path: pathlib.Path, expected: tuple[askance.Trace, bytes]) -> None:
    np.save(tmp_path / "x.npy", X)
    matrix = sp.csr_array(X)
    for name, part in zip(("data", "indices", "indptr"), parts(matrix), strict=True):
        np.save(tmp_path / f"{name}.npy", part)
    mapped = [np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in ("data", "indices", "indptr")]
    for rows in (np.load(tmp_path / "x.npy", mmap_mode="r"), sp.csr_array(tuple(mapped), shape=X.shape)):
        model = learner()
        model.run(rows, Y)
        assert to_bytes(model) == expected[1]


@pytest.mark.plain
@pytest.mark.compiled
@pytest.mark.parametrize(
    "form",
    [
        lambda x: x,
        lambda x: x.tolist(),
        lambda x: tuple(x.astype(int).tolist()),
        lambda x: read_only(x),
        lambda x: unaligned(x),
        lambda x: x.astype(np.float16),
        lambda x: np.repeat(x, 3)[::3],
        lambda x: pandas.Series(x),
        lambda x: x[np.newaxis],
        lambda x: sp.csr_array(x[np.newaxis]),
        lambda x: sp.csr_matrix(x[np.newaxis]),
        lambda x: sp.coo_array(x[np.newaxis]),
        lambda x: sp.csc_array(x[np.newaxis]),
        lambda x: sp.coo_array(x),
        lambda x: shuffled(sp.csr_array(x[np.newaxis])),
        lambda x: doubled(sp.csr_array(x[np.newaxis])),
        lambda x: askance.Row(np.flatnonzero(x), x[x != 0]),
        lambda x: askance.Row(np.flatnonzero(x).astype(np.uint8), x[x != 0].astype(np.float32)),
        lambda x: askance.Row(np.flatnonzero(x).tolist(), x[x != 0].tolist()),
        lambda x: askance.Row(read_only(np.flatnonzero(x)), read_only(x[x != 0])),
    ],
)
def test_every_form_of_one_row(form: Any, expected: tuple[askance.Trace, bytes]) -> None:
    model = learner().resize(X.shape[1])
    for t, (x, label) in enumerate(zip(X, Y.tolist(), strict=True)):
        decision = model.ask(form(x))
        assert decision[:4] == (
            expected[0].predictions[t],
            expected[0].scores[t],
            expected[0].ask_probabilities[t],
            expected[0].asked[t],
        )
        if decision.ask:
            model.tell(form(x), label)
    assert to_bytes(model) == expected[1]


@pytest.mark.parametrize(
    ("negative", "positive"),
    [(-1, 1), (0, 1), (False, True), (3, 7), (-0.5, 2.5), ("ham", "spam"), ("a", "b")],
)
@pytest.mark.parametrize("kind", [np.array, list, pandas.Series, polars.Series, lambda y: np.array(y, object)])
def test_any_two_classes_of_which_the_larger_is_positive(kind: Any, negative: Any, positive: Any) -> None:
    y = kind([positive if label > 0 else negative for label in Y])
    model, plain = learner(classes=None), learner()
    trace, wanted = model.run(X, y), plain.run(X, Y)
    assert model.classes_.tolist() == [negative, positive]
    assert trace.predictions.tolist() == [positive if label > 0 else negative for label in wanted.predictions]
    assert trace.y.tolist() == list(y)
    np.testing.assert_array_equal(model.coef_, plain.coef_)
    decision = model.ask(X[0])
    assert decision.prediction == (positive if decision.score >= 0 else negative)
    model.tell(X[0], positive if Y[0] > 0 else negative)
    plain.tell(X[0], int(Y[0]))
    np.testing.assert_array_equal(model.coef_, plain.coef_)
    assert set(model.predict(X).tolist()) == {negative, positive}


LABELS = {
    "array": np.array,
    "list": list,
    "pandas": pandas.Series,
    "category": lambda y: pandas.Series(y, dtype="category"),
    "polars": polars.Series,
    "objects": lambda y: np.array(y, object),
    "column": lambda y: [[label] for label in y],
    "scalars": lambda y: [np.array(label) for label in y],
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("second", LABELS)
@pytest.mark.parametrize("first", LABELS)
@pytest.mark.parametrize("classes", [(0, 1), ("ham", "spam")], ids=str)
def test_labels_may_come_in_another_form_each_time(classes: tuple[Any, Any], first: str, second: str) -> None:
    y = [classes[int(label > 0)] for label in Y]
    for given in (None, classes):
        mixed, plain = learner(classes=given), learner()
        mixed.run(X, LABELS[first](y))
        mixed.run(X, LABELS[second](y))
        plain.run(X, Y)
        plain.run(X, Y)
        assert np.array_equal(mixed.coef_, plain.coef_)
        assert mixed.classes_.tolist() == list(classes)


@pytest.mark.parametrize("label", [1.0, True, np.int64(1), np.float32(1), np.bool_(True)])
def test_a_label_told_may_be_any_kind_of_number(label: Any) -> None:
    told, plain = learner(classes=(0, 1)), learner(classes=(0, 1))
    told.tell(X[0], label)
    plain.tell(X[0], 1)
    assert to_bytes(told) == to_bytes(plain)


@pytest.mark.parametrize("form", [lambda label: [label], lambda label: (label,), np.array, np.atleast_1d])
@pytest.mark.parametrize("classes", [(0, 1), ("ham", "spam")], ids=str)
def test_a_label_told_may_be_alone_in_an_array(classes: tuple[Any, Any], form: Any) -> None:
    told, plain = learner(classes=[[label] for label in classes]), learner(classes=classes)
    told.tell(X[0], form(classes[1]))
    plain.tell(X[0], classes[1])
    assert told.classes_.tolist() == list(classes)
    assert np.array_equal(told.coef_, plain.coef_)


@pytest.mark.parametrize("missing", [{}, {"na_object": None}, {"na_object": np.nan}])
@pytest.mark.parametrize("verb", ["run", "fit"])
def test_text_of_any_length_as_labels(verb: str, missing: dict[str, Any]) -> None:
    y = np.where(Y > 0, "spam", "ham")
    model, plain = learner(classes=None), learner(classes=None)
    getattr(model, verb)(X, y.astype(np.dtypes.StringDType(**missing)))
    getattr(plain, verb)(X, y)
    assert to_bytes(model) == to_bytes(plain)


def test_rows_that_grow_from_nothing_are_learned_as_if_all_had_been_wide() -> None:
    wide, grown = learner(), learner()
    wide.run(X, Y)
    for x, label in zip(X, Y.tolist(), strict=True):
        row = askance.Row(np.flatnonzero(x), x[x != 0])
        if grown.ask(row).ask:
            grown.tell(row, label)
        grown = from_bytes(to_bytes(grown))
    width = grown.coef_.shape[1]
    assert width <= X.shape[1]
    assert np.array_equal(grown.coef_[0], wide.coef_[0, :width])
    assert not wide.coef_[0, width:].any()
    assert grown.spending_ == wide.spending_


def test_a_learner_can_be_made_wider() -> None:
    whole, widened = learner(), learner()
    narrow = X.copy()
    narrow[:40, 5:] = 0
    whole.run(narrow, Y)
    widened.run(narrow[:40, :5], Y[:40])
    widened.resize(9).run(narrow[40:], Y[40:])
    assert to_bytes(widened) == to_bytes(whole)
    assert to_bytes(widened.resize(9)) == to_bytes(whole)


def test_an_array_may_be_wider_than_the_rows_before_it() -> None:
    model = learner()
    model.tell(askance.Row([2], [1.0]), 1)
    assert len(model.predict(X)) == len(X)
    assert len(model.run(X, Y)) == len(X)


def test_labels_as_a_column_of_an_array(expected: tuple[askance.Trace, bytes]) -> None:
    model = learner()
    model.run(X, Y[:, np.newaxis])
    assert to_bytes(model) == expected[1]


def test_which_class_comes_first_does_not_matter() -> None:
    for first, second in ((0, 1), (1, 0)):
        model = learner(classes=None)
        model.run(X[:5], [first] * 5)
        assert model.classes_[1] == 1
        model.run(X[5:10], [second] * 5)
        assert model.classes_.tolist() == [0, 1]


def test_names_of_columns_are_kept_and_checked() -> None:
    frame = pandas.DataFrame(X, columns=NAMES)
    model = learner().fit(frame, Y)
    assert model.feature_names_in_.tolist() == NAMES
    np.testing.assert_array_equal(model.predict(frame), learner().fit(X, Y).predict(X))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[NAMES[::-1]])
    assert model.ask(frame[:1]).score == learner().fit(X, Y).ask(X[0]).score
    for call in (model.ask, lambda x: model.tell(x, Y[0])):
        with pytest.raises(ValueError, match="feature names"):
            call(frame[:1][NAMES[::-1]])


@pytest.mark.slow
def test_long_rows_checked_on_the_way_decide_as_short_ones() -> None:
    """Rows that do not fit the cache are checked by the pass itself, block after block."""
    rng = np.random.default_rng(9)
    long = rng.normal(size=(6000, 50))
    y = np.where(long[:, 0] + rng.normal(size=6000) > 0, 1, -1)
    out_of_order = sp.csr_array(long)
    for places in (slice(-2, None), slice(0, 2)):
        out_of_order.indices[places] = out_of_order.indices[places][::-1].copy()
        out_of_order.data[places] = out_of_order.data[places][::-1].copy()
    pieces = learner()
    for start in range(0, 6000, 500):
        pieces.run(long[start : start + 500], y[start : start + 500])
    for rows in (long, sp.csr_array(long), out_of_order):
        whole = learner()
        whole.run(rows, y)
        assert to_bytes(whole) == to_bytes(pieces)


def test_following_a_stream_holds_one_chunk_at_a_time() -> None:
    alive: list[weakref.ref[Any]] = []
    most = 0

    class Source:
        name = "source"

        def __iter__(self) -> Iterator[Any]:
            nonlocal most
            for _ in range(20):
                chunk = X.copy()
                alive.append(weakref.ref(chunk))
                most = max(most, sum(reference() is not None for reference in alive))
                yield askance.data.Chunk(chunk, Y, 0.5)
                del chunk

    model = learner()
    assert sum(len(trace) for trace in model.iter_run(Source())) == 20 * len(Y)
    assert most <= 2
