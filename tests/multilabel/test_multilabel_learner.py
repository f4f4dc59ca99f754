"""The learner of several labels: its twin, its budget, its answers to bad input."""

import re
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import askance
from askance import MultiLabelLearner, MultiLabelTrace
from askance._util.saving import sealed
from askance.multilabel.files import from_bytes
from askance.multilabel.questions import _coins
from naive.multilabel import NaiveMultiLabel

LABELS = ["east", "far", "north", "west"]


def points(count: int, random_state: int = 0) -> tuple[NDArray[np.float64], list[list[str]]]:
    """Points in the plane, and where they lie; "far" is rare."""
    X = np.random.default_rng(random_state).normal(size=(count, 2)) + 0.1
    sides = np.column_stack([X[:, 0] > 0, (X**2).sum(axis=1) > 5, X[:, 1] > 0, X[:, 0] < -0.5])
    return X, [[name for name, on in zip(LABELS, row, strict=True) if on] for row in sides]


def words(count: int) -> tuple[sp.csr_array, NDArray[np.bool_]]:
    """Counts of words, of which some go with labels."""
    random = np.random.default_rng(1)
    Y = random.random((count, 3)) < (0.5, 0.2, 0.1)
    X = random.poisson(0.3, (count, 20)) + np.hstack([2 * Y, np.zeros((count, 17), int)]) * random.integers(
        0, 2, (count, 20)
    )
    return sp.csr_array(X.astype(float)), Y


def same(one: MultiLabelTrace, other: MultiLabelTrace) -> bool:
    names = ("y", "predictions", "scores", "ask_probabilities", "asked")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


@pytest.mark.plain
@pytest.mark.compiled
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_learner_agrees_with_its_naive_twin(kind: str) -> None:
    if kind == "dense":
        X, sets = points(80)
        Y = np.array([[name in row for name in LABELS] for row in sets])
        rows: Any = X
    else:
        rows, Y = words(80)
        X = rows.toarray()
    labels = Y.shape[1]
    trace = MultiLabelLearner(0.3, audit=0.4, random_state=5, classes=range(labels)).run(rows, Y)
    twin = NaiveMultiLabel(labels, kind, 0.3, 0.4)
    for t in range(len(X)):
        coins = _coins(5, t, labels, by_pair=True)
        margins, chances, asked = twin.step(X[t], np.where(Y[t], 1.0, -1.0), coins)
        np.testing.assert_allclose(trace.scores[t], margins, atol=1e-9)
        np.testing.assert_array_equal(trace.ask_probabilities[t], chances)
        np.testing.assert_array_equal(trace.asked[t], asked)
    assert 0.25 < trace.asked.mean() < 0.45


@pytest.mark.parametrize("questions", ["pairs", "items"])
def test_chunks_and_single_rows_do_the_same_to_the_bit(questions: str) -> None:
    X, Y = points(120)
    parameters: dict[str, Any] = {"questions": questions, "classes": LABELS, "random_state": 3}
    at_once = MultiLabelLearner(0.2, **parameters).run(X, Y)
    learner = MultiLabelLearner(0.2, **parameters)
    pieces = [learner.run(X[start : start + 50], Y[start : start + 50]) for start in range(0, 120, 50)]
    assert same(MultiLabelTrace.join(pieces), at_once)
    learner = MultiLabelLearner(0.2, **parameters)
    for t in range(120):
        decision = learner.ask(X[t])
        assert list(decision.scores.values()) == at_once.scores[t].tolist()
        assert decision.predictions == at_once.classes[at_once.predictions[t]].tolist()
        assert decision.asked == at_once.classes[at_once.asked[t]].tolist()
        if questions == "items" and decision.ask:
            learner.tell(X[t], Y[t], decision.ask_probabilities)
        elif decision.ask:
            learner.tell(X[t], {name: name in Y[t] for name in decision.asked}, decision.ask_probabilities)
    assert learner.spending_.asked == at_once.asked.sum()


@pytest.mark.parametrize("questions", ["pairs", "items"])
@pytest.mark.parametrize("limit", [None, 70])
def test_budget_is_never_exceeded(questions: str, limit: int | None) -> None:
    X, Y = points(400)
    trace = MultiLabelLearner(0.1, questions=questions, limit=limit, audit=0.9).run(X, Y)
    spent = np.cumsum(trace.asked.sum(axis=1))
    assert (spent <= 4 * 10 + 0.1 * 4 * np.arange(1, 401)).all()
    assert limit is None or spent[-1] <= limit
    if questions == "items":
        assert (trace.asked.all(axis=1) == trace.asked.any(axis=1)).all()


def test_every_pair_may_be_asked_about() -> None:
    X, Y = points(600)
    trace = MultiLabelLearner(0.1, audit=0.5).run(X, Y)
    assert trace.ask_probabilities.min() == 0.1 * 0.5
    assert (trace.ask_probabilities[10:] == 1).mean() < 0.1


def test_unknown_labels_are_not_negative() -> None:
    X, Y = points(120)
    partly = [{name: name in row for name in LABELS[t % 2 :: 2]} for t, row in enumerate(Y)]
    learner = MultiLabelLearner().partial_fit(X, partly)
    wrong = learner.predict(X) != np.array([[name in row for name in LABELS] for row in Y])
    assert wrong[:, [0, 2, 3]].mean() < 0.05  # "far" is not linear
    alone = MultiLabelLearner().partial_fit(X[::2], [{"east": "east" in row} for row in Y[::2]])
    assert (alone.predict(X)[:, 0] == ["east" in row for row in Y]).mean() > 0.95


def test_labels_appear_as_they_come() -> None:
    X, Y = points(300)
    learner = MultiLabelLearner()
    assert learner.ask(X[0]).ask
    learner.tell(X[0], ["new"])
    learner.partial_fit(X, Y)
    assert learner.classes_.tolist() == ["east", "far", "new", "north", "west"]
    # All labels of the first row were told, so it does not carry those that came later.
    assert learner._core.models.lanes.sides[0].tolist() == [1, -1, -1, -1, -1]
    assert (learner.predict(X)[:, 0] == ["east" in row for row in Y]).mean() > 0.95


def test_oldest_rows_give_way() -> None:
    X, Y = points(200)
    learner = MultiLabelLearner(memory=60).fit(X, Y)
    assert 50 < learner._core.remembered <= 60
    assert (learner.predict(X)[:, 0] == ["east" in row for row in Y]).mean() > 0.9


def test_indicators_and_lists_are_the_same() -> None:
    X, Y = points(100)
    indicators = np.array([[name in row for name in LABELS] for row in Y])
    by_lists = MultiLabelLearner(classes=LABELS).fit(X, Y)
    for given in (indicators, indicators.astype(int), sp.csr_array(indicators.astype(float))):
        by_matrix = MultiLabelLearner(classes=LABELS).fit(X, given)
        assert np.array_equal(by_matrix.predict_proba(X), by_lists.predict_proba(X))
    assert by_lists.predict_labels(X[:1]) == [
        [n for n, on in zip(LABELS, by_lists.predict(X[:1])[0], strict=True) if on]
    ]
    numbered = MultiLabelLearner().fit(X, indicators)
    assert numbered.classes_.tolist() == [0, 1, 2, 3]


def test_probabilities_agree_with_predictions() -> None:
    X, Y = points(300)
    learner = MultiLabelLearner().fit(X, Y)
    assert np.array_equal(learner.predict_proba(X) > 0.5, learner.predict(X) == 1)
    assert np.array_equal(learner.decision_function(X) > 0, learner.predict(X) == 1)


def test_rare_labels_are_predicted() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(1000, 4))
    Y = X[:, :3] > (0, 1.3, 1.9)
    learner = MultiLabelLearner().fit(X[:600], Y[:600])
    predicted, truth = learner.predict(X[600:]).sum(axis=0), Y[600:].sum(axis=0)
    assert (np.abs(predicted - truth) < 0.5 * truth).all()


BAD = [
    ({"Y": ["east"] * 5}, "row 0 of Y must be a list of labels, not 'east': put a single label in a list"),
    ({"Y": [["east"]] * 4}, "X has 5 rows but Y has 4: lengths must match"),
    ({"Y": [["east", 1]] * 5}, "labels must all be text, or all whole numbers, not ['east', 1]"),
    ({"Y": [[7]] * 5}, "labels must all be text, or all whole numbers, not ['east', 7]"),
    (
        {"Y": np.full((5, 4), 2)},
        "an indicator matrix holds 0 and 1 alone: use a list of lists for names of labels",
    ),
    ({"Y": np.zeros((5, 3))}, "Y has 3 columns for 4 labels: they must match, so give classes"),
    ({"Y": np.zeros(5)}, "Y must be an indicator matrix or a list of lists of labels, not of shape (5,)"),
    ({"Y": [{"east": 1}] * 5}, "row 0 of Y must say True or False of every label, not {'east': 1}"),
    ({"Y": "east"}, "Y must hold the labels of every row: a list of lists, or an indicator matrix"),
    ({"X": np.full((5, 2), np.nan), "Y": [["east"]] * 5}, "contains NaN"),
    ({"X": np.zeros((5, 3)), "Y": [["east"]] * 5}, "X has 3 features"),
]


@pytest.mark.parametrize(("given", "message"), BAD)
def test_bad_input_gets_one_sentence_and_changes_nothing(given: dict[str, Any], message: str) -> None:
    X, Y = points(100)
    learner, twin = (MultiLabelLearner(0.3, classes=LABELS) for _ in range(2))
    learner.run(X[:50], Y[:50])
    twin.run(X[:50], Y[:50])
    for method in (learner.run, learner.partial_fit):
        with pytest.raises(ValueError, match=re.escape(message)) as refused:
            method(given.get("X", X[50:55]), given["Y"])
        assert "\n" not in str(refused.value)
    assert same(learner.run(X[50:], Y[50:]), twin.run(X[50:], Y[50:]))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rate": 0}, "rate"),
        ({"rate": 1.5}, "rate"),
        ({"questions": "rows"}, "'pairs' or 'items'"),
        ({"limit": -1}, "limit"),
        ({"audit": 0}, "audit"),
        ({"C": 0}, "C"),
        ({"memory": 0}, "memory"),
        ({"random_state": -1}, "random_state"),
        ({"classes": ["a", "a"]}, "classes must be different"),
        ({"classes": ["a", 1]}, "labels must all be text"),
    ],
)
def test_bad_parameters_are_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MultiLabelLearner(**parameters).fit([[0.0], [1.0]], [["a"], []])


def test_a_label_that_could_not_be_asked_about_is_refused() -> None:
    learner = MultiLabelLearner(classes=["a", "b"])
    with pytest.raises(askance.errors.ParameterError, match="ask_probability"):
        learner.tell([1.0], {"a": True}, {"a": 0.0})
    with pytest.raises(NotFittedError, match="no labels yet"):
        learner.predict([[1.0]])


def test_run_needs_all_labels_of_every_row() -> None:
    with pytest.raises(ValueError, match="run needs all labels of every row"):
        MultiLabelLearner().run([[1.0]], [{"a": True}])
    with pytest.raises(ValueError, match="there are no labels"):
        MultiLabelLearner().run([[1.0]], [[]])


def test_clones_have_the_same_parameters() -> None:
    learner = MultiLabelLearner(0.2, questions="items", C=3.0)
    assert clone(learner).get_params() == learner.get_params()


def test_parameters_set_after_the_start_wait_for_the_next_fit(tmp_path: Any) -> None:
    X, Y = points(160)
    learner = MultiLabelLearner(0.2, random_state=1)
    learner.run(X[:80], Y[:80])
    learner.set_params(rate=1.0, audit=1.0, questions="items", random_state=9).save(tmp_path / "topics.model")
    loaded = askance.load(tmp_path / "topics.model")
    assert (loaded.rate, loaded.audit, loaded.questions, loaded.random_state) == (0.2, 0.5, "pairs", 1)
    again, trace = loaded.run(X[80:], Y[80:]), learner.run(X[80:], Y[80:])
    assert same(again, trace)
    assert not trace.by_row


@pytest.mark.parametrize("rows", ["dense", "sparse"])
def test_a_saved_learner_goes_on_as_before(rows: str, tmp_path: Any) -> None:
    X, Y = points(160) if rows == "dense" else words(160)
    learner = MultiLabelLearner(0.2, memory=30)
    learner.run(X[:80], Y[:80])
    learner.save(tmp_path / "topics.model")
    loaded = askance.load(tmp_path / "topics.model")
    assert loaded.get_params() == learner.get_params()
    assert np.array_equal(loaded.predict_proba(X), learner.predict_proba(X))
    assert same(loaded.run(X[80:], Y[80:]), learner.run(X[80:], Y[80:]))
    assert loaded.spending_ == learner.spending_


FORGED = [
    ("labelled/sides", lambda array: array * 0 + 2, "sides of labels other than"),
    ("labelled/sides", lambda array: array[:, 1:], "wrong type or shape"),
    ("linear/duals", lambda array: array * np.nan, "NaN"),
    ("linear/weights", lambda array: array + 1, "a place without a term"),
    ("linear/terms", lambda array: array[::-1] * 0, "weights of other terms"),
    ("counts", lambda array: array + 1, "other counts than rows"),
    ("questions/counts", lambda array: array - 1000, "negative numbers"),
    ("thresholds/values", lambda array: array[:2], "wrong type or shape"),
]


@pytest.mark.parametrize(("name", "change", "message"), FORGED)
def test_a_forged_file_is_refused(name: str, change: Any, message: str) -> None:
    X, Y = words(30)
    header, arrays = MultiLabelLearner(0.3).fit(X, Y)._to_file()
    assert np.array_equal(
        from_bytes(sealed(header, arrays)).predict(X), MultiLabelLearner(0.3).fit(X, Y).predict(X)
    )
    with pytest.raises(askance.errors.ModelFileError, match=message) as refused:
        from_bytes(sealed(header, {**arrays, name: change(arrays[name])}))
    assert "\n" not in str(refused.value)


def test_a_file_with_other_labels_is_refused() -> None:
    X, Y = points(30)
    header, arrays = MultiLabelLearner(classes=LABELS).fit(X, Y)._to_file()
    with pytest.raises(askance.errors.ModelFileError, match="other labels than its parameters"):
        from_bytes(sealed({**header, "names": header["names"][::-1]}, arrays))
