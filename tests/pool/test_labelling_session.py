"""Labelling sessions: which row is asked about, with which probability, and what answers leave behind."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

from askance.auto.codec import encode
from askance.data import MixedRows
from askance.errors import ParameterError
from askance.pool.labelling import checks, session
from askance.pool.labelling.row_view import quality
from askance.pool.labelling.session import FIRST, Answer, LabellingSession, Question


def rows(count=60, seed=0):
    return np.random.default_rng(seed).normal(size=(count, 2))


def side(X, row):
    return "right" if X[row, 0] > 0 else "left"


def answered(X, number, **options):
    found = LabellingSession(X, **options)
    for _ in range(number):
        found.answer(side(X, found.question().row))
    return found


def state_of(found):
    """All that the next question, the estimate and the model file follow from."""
    return (
        encode(found.core),
        found.question(),
        dict(found.labels),
        list(found.checks),
        found.estimate(),
        found.advice(),
    )


# ---------------------------------------------------------------------- which row


class StubCore:
    """A model that learns nothing and is least certain of the rows with the largest first column."""

    def tell(self, *_args):
        pass


@pytest.fixture
def stub(monkeypatch):
    """A session whose doubt does not depend on answers, so that thousands of them are quick."""
    monkeypatch.setattr(session, "new_core", lambda *_: StubCore())
    monkeypatch.setattr(session, "leads", lambda _core, X: -X.dense[:, 0])
    monkeypatch.setattr(session, "predictions", lambda _core, X: [None] * len(X.dense))


def test_the_first_questions_are_at_random_and_others_are_about_the_greatest_doubt(stub):
    X = np.arange(100.0).reshape(-1, 1)
    found = LabellingSession(X, audit=0.25, random_state=3)
    asked = [found.answer("a").question for _ in range(100)]
    assert found.question() is None
    assert all(question.audit for question in asked[:FIRST])
    assert sorted(question.row for question in asked) == list(range(100))
    doubtful = [question.row for question in asked if not question.audit]
    assert all(one > two for one, two in pairwise(doubtful))
    assert 5 < sum(question.audit for question in asked[FIRST:]) < 35
    with pytest.raises(ValueError, match="there is no question"):
        found.answer("a")


def test_an_audit_is_the_next_row_of_one_random_order(stub):
    """Rows that were answered before their turn are passed over, and count as drawn."""
    found = LabellingSession(np.arange(40.0).reshape(-1, 1), audit=0.5, random_state=1)
    asked = [found.answer("a").question for _ in range(40)]
    order, before, place = found.draws.order.tolist(), set(), 0
    for number, question in enumerate(asked):
        if found._is_audit(number):
            drawn = order[place] if place < len(order) else None
            place += 1
            assert question.audit == (drawn is not None and drawn not in before)
            assert not question.audit or question.row == drawn
        else:
            assert not question.audit
        before.add(question.row)


def test_probabilities_are_those_of_all_that_could_have_happened(stub):
    """The twin: draw each undrawn row in turn, with and without an audit, and see which row is asked about."""
    X = np.arange(12.0).reshape(-1, 1)
    found = LabellingSession(X, audit=0.3, random_state=5)
    for _ in range(12):
        question = found.question()
        share = 1.0 if len(found.answers) < FIRST else 0.3
        open_rows = [row for row in range(12) if row not in found.labels]
        drawn = sum(found._is_audit(number) for number in range(len(found.answers)))
        undrawn = found.draws.order[drawn:].tolist()
        chances = Counter({max(open_rows): 1 - share})
        for row in undrawn:
            chances[row if row in open_rows else max(open_rows)] += share / len(undrawn)
        assert sum(chances.values()) == pytest.approx(1) or not undrawn
        assert question.probability == pytest.approx(chances[question.row] if undrawn else 1.0)
        found.answer("a")


def test_audited_rows_are_a_random_sample_whatever_else_is_asked_about(stub):
    """Each row is among those from which the accuracy is estimated equally often, doubtful or not."""
    times = Counter()
    runs, asked = 300, 16
    for seed in range(runs):
        found = LabellingSession(np.arange(20.0).reshape(-1, 1), audit=0.5, random_state=seed)
        for _ in range(asked):
            found.answer("a")
        times.update(found.audited())
    shares = np.array([times[row] for row in range(20)]) / runs
    mean = shares.mean()
    assert 0.5 < mean < 0.75
    deviation = np.sqrt(mean * (1 - mean) / runs)
    assert np.abs(shares - mean).max() < 4 * deviation


def test_of_many_rows_some_are_ranked(stub, monkeypatch):
    monkeypatch.setattr(session, "MOST_CANDIDATES", 30)
    found = LabellingSession(np.arange(100.0).reshape(-1, 1), audit=0.1)
    asked = [found.answer("a").question for _ in range(100)]
    assert sorted(question.row for question in asked) == list(range(100))
    ranked = set(found.draws.candidates.tolist())
    assert len(ranked) == 30
    assert all(question.audit or question.row in ranked for question in asked[:25])


def test_a_share_that_is_none():
    with pytest.raises(ParameterError, match="audit must be greater than 0"):
        LabellingSession(rows(), audit=0)


# ---------------------------------------------------------------------- undo and repetition


@pytest.mark.parametrize("kind", ["dense", "sparse", "mixed"])
def test_after_an_undo_all_is_as_before(kind):
    X = rows(40)
    given = {"dense": X, "sparse": sp.csr_array(np.abs(X)), "mixed": MixedRows(X, sp.csr_array(np.abs(X)))}[kind]
    found, states = LabellingSession(given), []
    for number in range(24):
        states.append(state_of(found))
        row = found.question().row
        found.answer(None if number % 7 == 5 else side(X, row))
    for number in range(23, -1, -1):
        undone = found.undo()
        assert undone.question == states[number][1]
        assert state_of(found) == states[number]
    assert found.undo() is None


def test_other_answers_after_an_undo_count_instead():
    X = rows()
    found = answered(X, 20)
    for _ in range(10):
        found.undo()
    straight = answered(X, 10)
    for both in (found, straight):
        both.answer(None)
        for _ in range(9):
            both.answer("up" if X[both.question().row, 1] > 0 else "down")
    assert state_of(found) == state_of(straight)
    assert set(found.classes[:2]) == {"left", "right"}
    assert set(found.classes[2:]) == {"up", "down"}


def test_repeated_answers_lead_to_the_same_state():
    X = rows()
    first = answered(X, 25, random_state=2)
    again = LabellingSession(X, random_state=2)
    again.repeat(first.answers)
    assert state_of(again) == state_of(first)


@pytest.mark.parametrize("row", [-1, 60, "asked"])
def test_answers_that_cannot_be(row):
    found = answered(rows(), 3)
    asked = found.answers[0].question.row if row == "asked" else row
    before = state_of(found)
    with pytest.raises(ValueError, match=f"row {asked} was not asked about"):
        found.repeat([Answer(Question(asked, True, 0.5, None), "left")])
    assert state_of(found) == before


# ---------------------------------------------------------------------- labels that are known


def test_known_labels_are_learned_and_not_asked_about():
    X = rows()
    known = {row: side(X, row) for row in range(20)}
    found = LabellingSession(X, known=known)
    assert sum(one == side(X, row) for row, one in enumerate(found.predictions(range(60)))) > 50
    for _ in range(40):
        assert found.answer(side(X, found.question().row)).question.row >= 20
    assert found.question() is None
    assert len(found.labels) == 60
    assert found.checks[-1].labels == 40


# ---------------------------------------------------------------------- accuracy and advice


def test_the_estimate_is_what_was_predicted_before_the_answers():
    """The twin: rows that audits drew in the later half of the questions, or ten of the last three quarters."""
    X = rows(300)
    found = LabellingSession(X, audit=0.5, random_state=4)
    before = {}
    for number in range(100):
        row = found.question().row
        before[row] = found.predictions([row])[0]
        found.answer(None if number % 10 == 9 else side(X, row))
        known = [
            [row for row in drawn if row in found.labels and before[row] is not None]
            for share in (2, 4)
            for drawn in [found.audited()[sum(map(found._is_audit, range((number + 1) // share))) :]]
        ]
        recent = known[0] if len(known[0]) >= 10 else known[1][-10:]
        estimate = found.estimate()
        assert estimate.labels == (len(recent) if len(found.counts) > 1 else 0)
        if estimate.value is not None:
            assert estimate.value == pytest.approx(np.mean([before[row] == found.labels[row] for row in recent]))
            assert estimate.low < estimate.value <= estimate.high
    assert estimate.value > 0.8


def test_labels_at_random_are_predicted_by_chance():
    X, chance = rows(400), np.random.default_rng(1)
    found = LabellingSession(X, audit=1.0)
    for _ in range(150):
        found.answer("ab"[chance.integers(2)])
    assert 0.3 < found.estimate().value < 0.7


def test_few_labels_or_one_class_give_no_estimate_and_never_a_width_of_zero():
    X = rows()
    assert answered(X, 13, audit=1.0).estimate().value is not None
    assert answered(X, 12, audit=1.0).estimate().value is None
    alone = LabellingSession(X, audit=1.0)
    for _ in range(30):
        alone.answer("left")
    assert alone.estimate().value is None
    sure = LabellingSession(np.repeat([[-1.0], [1.0]], 50, axis=0), audit=1.0)
    for _ in range(40):
        sure.answer("ab"[sure.question().row // 50])
    assert sure.estimate().value == 1.0
    assert sure.estimate().low < 0.9


def test_a_skipped_row_is_not_asked_about_again_and_tells_nothing():
    X = rows()
    found = LabellingSession(X, audit=1.0)
    skipped = {found.answer(None).question.row for _ in range(20)}
    assert found.skipped == 20
    assert found.estimate().labels == 0
    for _ in range(40):
        assert found.answer("left").question.row not in skipped
    assert found.question() is None


def test_checks_become_rarer():
    """The twin: again after ten labels more, or a tenth more if that is more."""
    assert [checks.next_check(labels) for labels in (0, 10, 90, 100, 110, 500)] == [10, 20, 100, 110, 121, 550]


def check(labels, changed):
    return checks.Check(labels, [], changed)


def test_advice_needs_three_checks_that_change_little():
    steady = [check(100, 0.2), check(110, 0.004), check(121, 0.0), check(133, 0.005)]
    counts = {"a": 120, "b": 10, "c": 3}
    assert checks.advice(steady, counts) == (
        "the last 33 labels have changed few predictions (at most 0.5% in each of 3 checks)"
    )
    assert checks.advice(steady[:3], counts) == ""
    assert checks.advice([*steady, check(146, 0.006)], counts) == ""
    assert checks.advice([check(10, None), *steady[2:]], counts) == ""
    assert checks.advice([], {}) == ""


@pytest.mark.parametrize("counts", [{}, {"a": 133}, {"a": 124, "b": 9}, {"b": 9, "a": 115, "c": 9}])
def test_a_model_that_knows_one_class_does_not_change_and_is_not_done(counts):
    assert checks.advice([check(100, 0.0), check(110, 0.0), check(121, 0.0), check(133, 0.0)], counts) == ""


def test_changes_are_counted():
    first = checks.checked([], 9, ["a", "b", None, "a"])
    assert first.changed is None
    assert checks.checked([first], 19, ["a", "a", "a", "a"]).changed == 0.5


# ---------------------------------------------------------------------- rare classes


def rarely(X, row):
    return "relevant" if X[row, 0] > 1.5 and row % 7 else "other"  # some cannot be told apart


def with_a_rare_class(number, **options):
    X = rows(1500)
    found = LabellingSession(X, random_state=1, **options)
    for _ in range(number):
        found.answer(rarely(X, found.question().row))
    return found


def test_f_of_a_rare_class_is_estimated_from_audits_about_it():
    """The twin: of the audits in the later half, those that are of the class or were predicted to be."""
    found = with_a_rare_class(400, audit=0.9)
    assert found.rare_class == "relevant"
    drawn = set(found.audited(200))
    late = [answer for answer in found.answers if answer.question.row in drawn]
    about = [answer for answer in late if "relevant" in (answer.label, answer.question.prediction)]
    hits = sum(answer.label == answer.question.prediction for answer in about)
    figure = found.figure()
    assert (figure.metric, figure.labels) == ("f", len(about))
    assert len(about) >= 10
    assert figure.value == pytest.approx(2 * hits / (hits + len(about)))
    assert figure.low < figure.value < figure.high


def test_without_labels_about_a_rare_class_nothing_is_advised():
    found = with_a_rare_class(150)
    assert found.rare_class == "relevant"
    assert found.estimate().value > 0.9
    assert checks.advice(found.checks, found.counts)
    assert found.figure().value is None
    assert found.advice() == ""
    said = f"it takes 10 labels at random about it, and there are {found.figure().labels}"
    assert quality(found) == f"F of relevant not yet known: {said}"


def test_classes_of_similar_size_are_judged_by_accuracy():
    found = answered(rows(300), 120)
    assert found.rare_class is None
    assert found.figure() == found.estimate()
    assert quality(found).startswith("accuracy ")
