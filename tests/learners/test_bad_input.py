"""A mistake of the user's gets one sentence that names it, and nothing is lost: the learner is as before."""

import contextlib
import pathlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas
import pytest
import scipy.sparse as sp

import askance
import streams
from askance import queries, updates
from askance.learners.files import from_bytes, to_bytes
from askance.learners.learner import Learner
from processes import run_code
from refusals import refused
from thinning import also_compiled, rest_slow

X, Y, _ = streams.noisy(rows=30, width=4, random_state=8)


def trained(**options: Any) -> Learner:
    query = queries.Within(queries.AtRate(queries.Margin(), 0.5), 0.4, 3)
    learner = Learner(updates.PassiveAggressive1(0.5), query, **({"dtype": "float64"} | options))
    learner.run(X, Y)
    return learner


def with_value(value: Any, row: int = 3) -> Any:
    spoiled = X.copy()
    spoiled[row, 1] = value
    return spoiled


def csr(change: Callable[[Any], None]) -> Any:
    matrix = sp.csr_array(X)
    change(matrix)
    return matrix


def entry(name: str, place: int, value: int) -> Callable[[Any], None]:
    return lambda matrix: getattr(matrix, name).__setitem__(place, value)


def shortened(name: str, length: int) -> Callable[[Any], None]:
    return lambda matrix: setattr(matrix, name, getattr(matrix, name)[:length])


def far_index(matrix: Any) -> None:
    matrix.indptr, matrix.indices = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)
    matrix.indices[5] = 2**32 + 1


ROWS = [
    (with_value(np.nan), ["NaN", "row 3"]),
    (with_value(np.inf), ["infinity", "row 3"]),
    (with_value(-np.inf), ["infinity", "row 3"]),
    (with_value(1e200), ["row 3", "float64", "scale"]),
    (sp.csr_array(with_value(np.nan)), ["NaN", "row 3"]),
    (sp.csr_array(with_value(np.inf)), ["infinity", "row 3"]),
    (X[:, :3], ["3 features", "4"]),
    (sp.csr_array(X[:, :3]), ["3 features", "4"]),
    (X.astype(int)[:, :3], ["3 features", "4"]),
    (X[:0], ["0 sample"]),
    (X[:, :0], ["0 feature"]),
    (X[0], ["1D"]),
    (X.reshape(5, 6, 4), ["dim"]),
    (X + 1j, ["omplex"]),
    (np.full(X.shape, "a"), ["'a'"]),
    (None, ["2D"]),
    (pandas.DataFrame(with_value(np.nan)), ["NaN"]),
    (csr(entry("indptr", 10, 10**6)), ["row 9"]),
    (csr(entry("indptr", 10, -5)), ["row 9"]),
    (csr(entry("indptr", 10, 0)), ["row 9"]),
    (csr(entry("indptr", 0, 2)), ["index pointer"]),
    (csr(shortened("indptr", 10)), []),
    (csr(shortened("data", 40)), []),
    (csr(entry("indices", 5, 77)), ["row 1", "last column"]),
    (csr(entry("indices", 5, -1)), ["row 1"]),
    (csr(far_index), []),
]


VERBS = ("run", "partial_fit", "fit", "predict", "decision_function")


@pytest.mark.sampled(3)
@pytest.mark.plain
@pytest.mark.parametrize("verb", also_compiled(VERBS, {"run"}))
@pytest.mark.parametrize(("rows", "words"), ROWS)
def test_rows(rows: Any, words: list[str], verb: str) -> None:
    learner, control = trained(), trained()
    if verb == "fit" and getattr(rows, "shape", (0,))[1:] == (3,):
        pytest.skip("fit starts anew and takes any width")
    labels = () if verb in ("predict", "decision_function") else (np.resize(Y, np.shape(rows)[:1] or len(Y)),)
    with refused(*words):
        getattr(learner, verb)(rows, *labels)
    goes_on(learner, control)


def goes_on(learner: Learner, control: Learner) -> None:
    """The learner is, and goes on, as if the call had not been made."""
    assert to_bytes(learner) == to_bytes(control)
    for rows in (X, X.astype(int)):
        assert np.array_equal(learner.run(rows, Y).scores, control.run(rows, Y).scores)
        assert np.array_equal(learner.decision_function(rows), control.decision_function(rows))
    assert to_bytes(learner) == to_bytes(control)


@pytest.mark.plain
@pytest.mark.parametrize("verb", also_compiled(("ask", "tell"), {"ask"}))
@pytest.mark.parametrize(
    ("row", "words"),
    [
        (with_value(np.nan)[3], ["NaN"]),
        (with_value(np.inf)[3], ["infinity"]),
        (with_value(1e200)[3], ["scale"]),
        (X[0, :3], ["3 features", "4"]),
        (X[:2], ["features"]),
        (X[0].reshape(2, 2), []),
        ("a", ["'a'"]),
        (None, []),
        (X[0] + 1j, []),
        (sp.csr_array(with_value(np.nan))[[3]], ["NaN"]),
        (sp.csr_array(X[:1, :3]), ["3 features", "4"]),
        (askance.Row([0, 1], [1.0]), ["(2,)", "(1,)"]),
        (askance.Row([1, 0], [1.0, 2.0]), ["increasing"]),
        (askance.Row([1, 1], [1.0, 2.0]), ["increasing"]),
        (askance.Row([4], [1.0]), ["last column"]),
        (askance.Row([-1], [1.0]), []),
        (askance.Row([1], [np.nan]), ["NaN"]),
        (askance.Row(["a"], [1.0]), ["'a'"]),
        (askance.Row([0.5], [1.0]), []),
        (askance.Row(np.array([2**32 + 1]), [1.0]), []),
        (askance.Row([2**40], [1.0]), []),
    ],
)
def test_one_row(row: Any, words: list[str], verb: str) -> None:
    learner, control = trained(), trained()
    with refused(*words):
        learner.ask(row) if verb == "ask" else learner.tell(row, 1)
    goes_on(learner, control)


def test_a_value_too_large_for_single_precision() -> None:
    learner = trained(dtype="float32")
    state = to_bytes(learner)
    for value in (1e39, 1e30):
        with refused("float32"):
            learner.run(with_value(value), Y)
    with refused("float32"):
        learner.ask(with_value(1e30)[3])
    assert to_bytes(learner) == state


def test_one_value_too_large_for_single_precision() -> None:
    with refused("float32"):
        trained(dtype="float32").ask(with_value(1e39)[3])


def test_the_remedy_for_rows_too_long_for_double_precision() -> None:
    with pytest.raises(ValueError, match=r"scale it down$"):
        trained().run(with_value(1e200), Y)


LABELS = [
    (Y[:3], ["30 rows", "3 labels"]),
    (np.where(Y > 0, 2, Y), ["unknown class 2", "-1, 1"]),
    (np.arange(30), ["unknown class"]),
    (np.where(Y > 0, np.nan, -1.0), ["NaN", "row"]),
    (np.where(Y > 0, np.inf, -1.0), ["infinity", "row"]),
    (np.stack([Y, Y], axis=1), ["(30, 2)"]),
    (np.array([1, "a"] * 15, object), ["mixes"]),
    (np.array([1, None] * 15, object), ["mixes"]),
    ([1, "a"] * 15, ["'a'"]),
    (["ham", "spam"] * 15, ["'ham'", "'spam'"]),
    (np.array([b"ham", b"spam"] * 15), ["numbers, text or booleans"]),
    (np.array(["2020-01-01", "2021-01-01"] * 15, "datetime64[D]"), ["numbers, text or booleans"]),
    (np.where(Y > 0, "1", "-1"), []),
]


@pytest.mark.filterwarnings("ignore:The number of unique classes", "ignore:invalid value encountered in cast")
@pytest.mark.parametrize("verb", ["run", "partial_fit"])
@pytest.mark.parametrize(("labels", "words"), LABELS)
def test_labels(labels: Any, words: list[str], verb: str) -> None:
    learner, control = trained(), trained()
    with refused() if verb == "partial_fit" else refused(*words):  # scikit-learn looks first, and warns of some
        getattr(learner, verb)(X, labels)
    goes_on(learner, control)


@pytest.mark.parametrize(
    ("labels", "wrong"),
    [
        (["a", "b", None, "a"], "None"),
        ([None, "a", "b", "a"], "None"),
        (["a", np.nan, "b", "a"], "nan"),
        ([np.nan, "a", "b", "a"], "nan"),
        (["a", 1, "b", "a"], "1"),
        ([1, 2, "a", 1], "'a'"),
    ],
)
def test_the_label_that_is_wrong_is_named(labels: list[Any], wrong: str) -> None:
    with refused(f"such as {wrong}"):
        Learner().run(X[:4], np.array(labels, object))


@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
def test_labels_of_infinity_are_refused_without_a_warning(verb: str) -> None:
    with refused("infinity"):
        getattr(trained(), verb)(X, np.where(Y > 0, np.inf, -1.0))


@pytest.mark.parametrize(
    ("label", "words"), [(5, ["unknown class 5"]), (np.nan, ["NaN"]), (None, []), ("a", ["'a'"])]
)
def test_one_label(label: Any, words: list[str]) -> None:
    learner, control = trained(), trained()
    with refused(*words):
        learner.tell(X[0], label)
    goes_on(learner, control)


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (np.arange(30) % 3, ["3 classes", "0, 1, 2"]),
        (["spam"] * 30, ["'spam'", "classes="]),
        ([7] * 30, ["7", "classes="]),
        ([1, "a"] * 15, []),
    ],
)
def test_labels_of_a_new_learner(labels: Any, words: list[str]) -> None:
    learner, control = Learner(dtype="float64"), Learner(dtype="float64")
    with refused(*words):
        learner.run(X, labels)
    goes_on(learner, control)


def test_a_class_is_named_as_the_user_wrote_it() -> None:
    with pytest.raises(ValueError, match="only the class 'spam'"):
        Learner().tell(X[0], "spam")


def test_a_class_whose_sign_turns_out_otherwise() -> None:
    learner, control = Learner(dtype="float64"), Learner(dtype="float64")
    for one in (learner, control):
        one.run(X, np.ones(30, int))
    with refused("1", "other sign", "classes="):
        learner.run(X, np.full(30, 5))
    goes_on(learner, control)


@pytest.mark.parametrize("query", [queries.Margin(), queries.Random(0.3)], ids=str)
@pytest.mark.parametrize(
    ("coins", "words"),
    [
        ([0.5], ["30", "(1,)"]),
        (np.full((30, 1), 0.5), ["30", "(30, 1)"]),
        (np.ones(30), ["less than 1"]),
        (np.full(30, -0.1), ["at least 0"]),
        (np.full(30, np.nan), ["at least 0"]),
        (["a"] * 30, ["'a'"]),
    ],
)
def test_coins(coins: Any, words: list[str], query: Any) -> None:
    learners = [Learner(query=query, dtype="float64") for _ in range(2)]
    for learner in learners:
        learner.run(X, Y)
    with refused(*words):
        learners[0].run(X, Y, coins=coins)
    goes_on(*learners)


def test_rows_without_labels() -> None:
    class Unlabelled:
        name = "inbox.csv"

        def __iter__(self) -> Iterator[Any]:
            yield askance.data.Chunk(X, None, 1.0)

    learner, control = trained(), trained()
    with refused("inbox.csv", "labels"):
        learner.run(Unlabelled())
    goes_on(learner, control)


@pytest.mark.parametrize("rows", [X, sp.csr_array(X)], ids=["dense", "sparse"])
def test_an_array_without_labels(rows: Any) -> None:
    with refused("y"):
        trained().run(rows)


# ---------------------------------------------------------------------- what a refused call must leave alone


@pytest.mark.slow
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("spoil", rest_slow(["value", "index"], ["value"]))
def test_a_fault_far_down_a_long_stream_changes_nothing(form: Any, spoil: str) -> None:
    """Long rows are checked on the way, after others have been learned from."""
    rng = np.random.default_rng(2)
    rows, y = form(rng.normal(size=(40_000, 4))), rng.choice([-1, 1], 40_000)
    if spoil == "value":
        (rows.data.ravel() if sp.issparse(rows) else rows.reshape(-1))[-1] = np.nan
    elif sp.issparse(rows):
        rows.indices[-1] = 9
    else:
        rows = rows[:, :3]
    learner, control = trained(), trained()
    weights = learner.coef_.copy()
    with refused():
        learner.run(rows, y)
    assert np.array_equal(learner.coef_, weights)
    goes_on(learner, control)


@pytest.mark.parametrize(
    ("rows", "labels"),
    [
        (np.ones((5, 7), int), np.arange(5)),
        (pandas.DataFrame(with_value(np.nan), columns=list("efgh")), Y),
    ],
    ids=["width", "names"],
)
def test_a_refused_fit_leaves_width_and_names(rows: Any, labels: Any) -> None:
    frame = pandas.DataFrame(X, columns=list("abcd"))
    learner = Learner(dtype="float64").fit(frame, Y)
    guesses = learner.predict(frame)
    with pytest.raises(ValueError, match=r"classes|NaN"):
        learner.fit(rows, labels)
    assert learner.n_features_in_ == 4
    assert np.array_equal(learner.predict(frame), guesses)


@pytest.mark.slow
def test_a_broken_matrix_out_of_order_does_not_end_the_process() -> None:
    script = """
        import numpy as np, scipy.sparse as sp
        from askance import Learner
        for wrong in (10**9, -(10**9)):
            matrix = sp.csr_array(np.ones((20, 4)))
            matrix.indices[:2] = [1, 0]
            matrix.indptr[10] = wrong
            try:
                Learner().run(matrix, [0, 1] * 10)
            except ValueError as error:
                print(error)
    """
    assert ["row 9" in line for line in run_code(script).splitlines()] == [True, True]


def test_coef_cannot_be_used_to_change_the_learner() -> None:
    learner, control = trained(), trained()
    with contextlib.suppress(ValueError):
        learner.coef_[0, 0] = 99
    goes_on(learner, control)


def test_classes_cannot_be_used_to_change_the_learner() -> None:
    learner, control = trained(), trained()
    for classes in (learner.classes_, learner.run(X, Y).classes):
        with contextlib.suppress(ValueError):
            classes[0] = 99
    control.run(X, Y)
    assert learner.classes_.tolist() == [-1, 1]
    goes_on(learner, control)


def test_a_parameter_set_later_counts_everywhere_or_nowhere() -> None:
    learner = Learner(dtype="float64", sgn0=1, classes=(-1, 1))
    learner.run(X, Y)
    learner.set_params(sgn0=-1)
    zeros = np.zeros((1, 4))
    loaded = from_bytes(to_bytes(learner))
    guesses = [(one.predict(zeros)[0], one.run(zeros, [1]).predictions[0]) for one in (learner, loaded)]
    assert guesses[0] == guesses[1]
    assert guesses[0][0] == guesses[0][1]


@pytest.mark.parametrize(
    ("width", "words"), [(3, ["4", "3"]), (0, ["4", "0"]), (-1, ["-1"]), (4.5, []), ("x", [])]
)
def test_widths_that_cannot_be(width: Any, words: list[str]) -> None:
    learner, control = trained(), trained()
    with refused(*words):
        learner.resize(width)
    goes_on(learner, control)


def test_sparse_rows_may_grow_after_a_cold_start() -> None:
    learner = Learner(dtype="float64", classes=(-1, 1))
    for row in ([], [2], [5]):
        assert learner.ask(askance.Row(row, [1.0] * len(row))).score == 0
    assert learner.n_features_in_ == 6
    learner.tell(askance.Row([7], [1.0]), 1)
    assert learner.n_features_in_ == 8
    assert np.flatnonzero(learner.coef_[0]).tolist() == [7]


def test_whatever_dtype_is_accepted_can_be_saved(tmp_path: pathlib.Path) -> None:
    learner = Learner(dtype=np.dtype("float64")).fit(X, Y)
    learner.save(tmp_path / "model")
    assert to_bytes(askance.load(tmp_path / "model")) == to_bytes(learner)
