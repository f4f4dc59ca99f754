"""The automatic learner asks so that a part of the stream can be certified."""

import numpy as np
import pytest

import askance
from askance.auto.steering import widest
from askance.errors import ParameterError


def of_rows(rows: int) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(7).normal(size=(rows, 4))
    return X, np.where(X[:, 0] + 0.1 * X[:, 1] > 0, "yes", "no")


def test_a_learner_asks_so_that_confident_rows_are_certified() -> None:
    X, y = of_rows(3000)
    trace = askance.AutoLearner(certify=0.05).run(X, y)
    found = trace.certify(0.05)
    assert found.certified
    assert found.share > 0.6
    assert found.automatic is not None
    assert np.mean((trace.predictions != trace.y)[found.automatic]) < 0.05
    assert trace.asked.sum() <= 30 + 300
    assert trace.ask_probabilities.min() > 0
    plain = askance.AutoLearner().run(X, y).certify(0.05)
    assert not plain.certified  # with the usual questions, that takes longer


def test_a_learner_asks_the_same_in_a_pass_and_row_by_row() -> None:
    X, y = of_rows(1500)
    trace = askance.AutoLearner(certify=0.1).run(X, y)
    learner, asked = askance.AutoLearner(certify=0.1), []
    for row, label in zip(X, y, strict=True):
        decision = learner.ask(row)
        asked.append(decision.ask)
        if decision.ask:
            learner.tell(row, label, decision.ask_probability)
    assert asked == trace.asked.tolist()
    assert round(0.09 / widest(0.1), 6) in trace.ask_probabilities.round(6)
    kept, found = learner.certificate_, trace.certify(0.1)
    assert found.certified
    assert (kept.since, kept.members, kept.labels, kept.share) == (
        found.since, found.members, found.labels, found.share,
    ), "a trace has the thresholds of the learner"  # fmt: skip


def test_a_learner_that_asks_about_every_row_does_so_for_confident_ones_too() -> None:
    X, y = of_rows(600)
    assert askance.AutoLearner(rate=1, certify=0.1).run(X, y).asked.all()


def test_a_row_that_is_not_granted_had_no_chance_of_being_asked_about() -> None:
    """It is not in the set, as one that the budget refuses. Nobody waits for its label."""
    X, y = of_rows(2500)
    y[1500:] = np.where(y[1500:] == "yes", "no", "yes")
    learner = askance.AutoLearner(certify=0.1, forget=False)
    for row, label in zip(X, y, strict=True):
        before = learner.certificate_
        granted = before is None or not 1000 <= before.until < 1010
        decision = learner.ask(row, granted=granted)
        if granted and decision.ask:
            learner.tell(row, label, decision.ask_probability)
    assert learner.certificate_.until > 2400
    assert not learner.certificate_.certified, "the classes have changed places"


def test_the_set_leaves_room_in_the_budget() -> None:
    """Rows of the set are asked about as often as their share of the labels allows, and few are refused."""
    X, y = of_rows(3000)
    trace = askance.AutoLearner(certify=0.02).run(X, y)
    found = trace.certify(0.02)
    assert trace.widest == widest(0.02) == pytest.approx(0.8)
    assert found.certified
    assert round(0.09 / 0.8, 6) in trace.ask_probabilities.round(6)
    assert np.mean(trace.ask_probabilities == 0) < 0.02
    assert found.automatic is not None
    assert not found.automatic[trace.ask_probabilities == 0].any()


def test_the_fewer_mistakes_are_allowed_the_smaller_is_the_set() -> None:
    assert [round(widest(error), 3) for error in (0.001, 0.01, 0.02, 0.05, 0.5)] == [0.5, 0.6, 0.8, 0.92, 0.992]


def test_many_classes_can_be_certified() -> None:
    random = np.random.default_rng(8)
    y = random.integers(3, size=3000)
    X = np.eye(3)[y] * 8 + random.normal(size=(3000, 3))
    found = askance.AutoLearner(certify=0.05).run(X, y).certify(0.05)
    assert found.certified


def test_one_class_can_be_certified_alone() -> None:
    """Predictions of "no" are all right, of "yes" a third is wrong, and nobody can tell which."""
    random = np.random.default_rng(9)
    X = random.normal(size=(5000, 3))
    y = np.where((X[:, 0] > 0) & (random.random(5000) < 0.67), "yes", "no")
    trace = askance.AutoLearner(0.5, audit=0.5).run(X, y)
    found = trace.certify(0.1, predicted="no")
    assert found.certified
    assert found.automatic is not None
    assert set(trace.predictions[found.automatic]) == {"no"}
    assert np.mean((trace.y == "yes")[found.automatic]) < 0.1
    assert trace.predictions[found.since] == "no"
    assert found.until == len(trace)
    assert not trace.certify(0.1, predicted="yes").certified
    with pytest.raises(ParameterError, match="predicted must be one of 'no', 'yes', not 'maybe'"):
        trace.certify(predicted="maybe")


def test_a_learner_refuses_a_wrong_error() -> None:
    with pytest.raises(ParameterError, match="certify must be"):
        askance.AutoLearner(certify=2).run(*of_rows(50))
