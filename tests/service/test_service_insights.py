"""Figures to act on: what is confused with what, how labellers agree and how fast they are, and drift."""

import random
from typing import Any

import numpy as np
import pytest

from askance.metrics.samples import SampleCounts, sample_estimate
from askance.service import messages
from askance.service.commands import labels, reviews
from askance.service.settings import Asking
from askance.service.state.audits import FEWEST
from askance.service.views import confusion as confusion_view
from askance.service.views import labellers as labellers_view
from askance.service.views import predictions
from askance.service.views import task as task_view
from service_task import TaskRunner, settings, texts


@pytest.fixture
def opened(tmp_path: Any) -> Any:
    runners: list[TaskRunner] = []

    def start(algorithm: str = "PA-I", **more: Any) -> TaskRunner:
        runners.append(TaskRunner(str(tmp_path / f"{len(runners)}.db"), settings(algorithm, **more)))
        return runners[-1]

    yield start
    for runner in runners:
        runner.close()


def confusion(runner: TaskRunner) -> messages.Confusion:
    sample = runner.run(confusion_view.sample)
    return confusion_view.confusion(runner.store, runner.task, sample)


def answered(runner: TaskRunner, truth: dict[int, str], count: int) -> None:
    questions = runner.lease("ann", count=count).questions
    given = [messages.Label(truth[one.item], one.item) for one in questions]
    runner.run(lambda transaction: labels.label(transaction, given, "ann"))


# ---------------------------------------------------------------------- what is confused with what


def test_the_matrix_is_that_of_the_current_model_on_answers_that_it_has_not_learned(opened: Any) -> None:
    runner = opened("PAA-II", questions=Asking("lease", audit=0.5, test=1.0), bits=10)
    made = list(texts(random.Random(2), 500))
    truth = {
        one.item: label for one, (_, label) in zip(runner.decide(*(text for text, _ in made)), made, strict=True)
    }
    answered(runner, truth, 40)
    before = confusion(runner)
    assert before.matrix == []
    assert before.note == f"Cannot tell yet: 20 of {FEWEST} questions at random that test the model are answered."
    answered(runner, truth, 60)
    found = confusion(runner)
    assert found.labels == 50
    assert found.version == runner.task.fold.version
    expected = [[0, 0], [0, 0]]
    names = runner.settings.classes
    for item, audit in runner.run(confusion_view.sample).audits:
        if audit.label is not None:
            text = runner.detail(item).text
            said = runner.task.predict([messages.Item(text=text)]).predictions[0].prediction
            expected[names.index(truth[item])][names.index(said)] += 1
    assert found.matrix == expected
    for place, one in enumerate(found.classes):
        assert one.labels == sum(expected[place])
        if one.recall.value is not None:
            assert one.recall.value == expected[place][place] / one.labels
            assert one.recall.low is not None
            assert one.recall.low < one.recall.value


def test_a_task_that_asks_on_arrival_says_why_there_is_no_matrix(opened: Any) -> None:
    found = confusion(opened())
    assert found.matrix == []
    assert "asks on arrival" in found.note


@pytest.mark.parametrize("missing", [0, 20])
def test_intervals_of_a_class_have_the_truth_often_enough(missing: int) -> None:
    chance = np.random.default_rng(3)
    # 20,000 items of four classes; the model is right on some classes more often than on others.
    label = chance.choice(4, 20_000, p=[0.4, 0.3, 0.2, 0.1])
    right = chance.random(20_000) < np.array([0.95, 0.8, 0.7, 0.6])[label]
    said = np.where(right, label, chance.integers(0, 4, 20_000))
    truth = {
        "precision": float(np.mean(label[said == 2] == 2)),
        "recall": float(np.mean(said[label == 2] == 2)),
    }
    covered: dict[str, list[bool]] = {"precision": [], "recall": []}
    for _ in range(300):
        drawn = chance.choice(20_000, 200, replace=False)
        hardest = drawn[np.argsort(right[drawn], kind="stable")[:missing]]  # those that nobody answers
        pairs: confusion_view.Pairs = confusion_view.Counter()
        for one in drawn:
            pairs[None if one in hardest else str(label[one]), str(said[one])] += 1
        quality = confusion_view._quality("c", "2", pairs, 20_000)
        for metric, figure in (("precision", quality.precision), ("recall", quality.recall)):
            if figure.low is not None and figure.high is not None:
                covered[metric].append(figure.low <= truth[metric] <= figure.high)
    assert all(len(held) > 250 and np.mean(held) >= 0.95 for held in covered.values())


def test_a_class_alone_is_estimated_as_two_classes_are() -> None:
    pairs = confusion_view.Counter({("a", "a"): 40, ("a", "b"): 10, ("b", "a"): 5, ("c", "c"): 45, (None, "a"): 3})
    found = confusion_view._quality("A", "a", pairs, 1000)
    counts = SampleCounts(40, 5, 45, 10, 3, 0)
    assert found.precision == task_view.figure_of(sample_estimate("precision", counts, 1000))
    assert found.recall == task_view.figure_of(sample_estimate("recall", counts, 1000))


# ---------------------------------------------------------------------- labellers


def test_speed_and_agreement_of_labellers(opened: Any) -> None:
    runner = opened(labels={"per_item": 2})
    items = [one.item for one in runner.decide(*(f"text {number}" for number in range(40)))]
    for place, item in enumerate(items):
        runner.clock.now += 600 if place == 20 else 4  # a pause that does not count
        runner.label(item, "ham" if place % 2 else "spam", "ann")
    for place, item in enumerate(items):
        runner.clock.now += 8
        runner.label(item, "ham" if place % 2 or place < 8 else "spam", "bob")
    tied = items[0]
    runner.run(lambda transaction: reviews.review(transaction, messages.ReviewRequest(tied, "ham"), "boss"))
    found = labellers_view.labellers(runner.store, runner.task)
    ann, bob, boss = found.labellers
    assert (ann.labels, ann.compared, ann.agreement) == (40, 40, 0.9)
    assert (ann.median_seconds, ann.labels_per_hour) == (4.0, 900.0)
    assert (bob.median_seconds, bob.labels_per_hour) == (8.0, 450.0)
    assert (boss.compared, boss.labels_per_hour) == (0, None)
    (pair,) = found.pairs
    assert (pair.first, pair.second, pair.items, pair.equal) == ("ann", "bob", 40, 0.9)
    assert pair.kappa.value == pytest.approx(0.8)
    assert pair.kappa.low is not None
    assert pair.kappa.low < 0.8
    assert found.looked_at == 81


def test_few_items_in_common_tell_nothing_and_undone_labels_do_not_count(opened: Any) -> None:
    runner = opened(labels={"per_item": 2})
    (item,) = (one.item for one in runner.decide("text"))
    runner.label(item, "ham", "ann")
    runner.label(item, "spam", "bob")
    (pair,) = labellers_view.labellers(runner.store, runner.task).pairs
    assert (pair.items, pair.equal, pair.kappa.value) == (1, 0.0, None)
    assert pair.kappa.note == "Cannot tell yet: 1 of 30 items in common."
    runner.undo("bob")
    assert labellers_view.labellers(runner.store, runner.task).pairs == []


def test_who_answers_always_the_same_tells_little(opened: Any) -> None:
    runner = opened(labels={"per_item": 3})
    items = [one.item for one in runner.decide(*(f"text {number}" for number in range(40)))]
    for place, item in enumerate(items):
        truth = "ham" if place % 2 else "spam"
        other = "spam" if place % 2 else "ham"
        runner.label(item, truth if place % 10 else other, "ann")
        runner.label(item, truth if (place + 5) % 10 else other, "bob")
        runner.label(item, "ham", "eve")
    found = labellers_view.labellers(runner.store, runner.task)
    ann, bob, eve = found.labellers
    assert [one.tells_little for one in found.labellers] == [False, False, True]
    for one in (ann, bob):
        assert one.reliability.labels == 40
        assert one.reliability.low is not None
        assert one.reliability.high is not None
        assert 0.7 < one.reliability.low < 0.9 < one.reliability.high
    assert eve.reliability.high is not None
    assert eve.reliability.high < ann.reliability.low
    assert found.alpha.value is not None
    assert found.alpha.low is not None
    assert found.alpha.low < found.alpha.value < 0.5
    with runner.reopened() as again:
        assert labellers_view.labellers(again.store, again.task) == found


def test_two_labellers_alone_do_not_show_which_of_them_errs(opened: Any) -> None:
    runner = opened(labels={"per_item": 2})
    items = [one.item for one in runner.decide(*(f"text {number}" for number in range(40)))]
    for place, item in enumerate(items):
        runner.label(item, "ham" if place % 2 else "spam", "ann")
        runner.label(item, "ham" if place % 2 or place < 8 else "spam", "bob")
    for one in labellers_view.labellers(runner.store, runner.task).labellers:
        assert (one.reliability.value, one.reliability.low, one.reliability.high) == (None, None, None)
        assert one.reliability.labels == 40
        assert one.reliability.note.startswith("Cannot tell which of two labellers errs: add gold items")
        assert not one.tells_little
    for place, item in enumerate(items[8:38]):  # both were wrong
        runner.correct(item, "spam" if place % 2 else "ham")
    for one in labellers_view.labellers(runner.store, runner.task).labellers:
        assert one.reliability.high is not None
        assert one.reliability.high < 0.5


@pytest.mark.slow
def test_decisions_and_corrections_tell_who_is_reliable_where_items_have_one_label(opened: Any) -> None:
    runner = opened()
    items = [one.item for one in runner.decide(*(f"text {number}" for number in range(60)))]
    for place, item in enumerate(items):
        runner.label(item, "ham", ("ann", "bob")[place % 2])
    assert [one.reliability.note for one in labellers_view.labellers(runner.store, runner.task).labellers] == [
        "Cannot tell yet: 0 of 30 labels of items with other labels or a decision."
    ] * 2
    for item in items[1::2]:
        runner.correct(item, "spam")
    ann, bob = labellers_view.labellers(runner.store, runner.task).labellers
    assert ann.reliability.value is None
    assert bob.reliability.labels == 30
    assert bob.reliability.high is not None
    assert bob.reliability.high < 0.2


def test_only_admins_see_other_labellers(opened: Any) -> None:
    runner = opened()
    for one, who in zip(runner.decide("a", "b"), ("ann", "bob"), strict=True):
        runner.label(one.item, "ham", who)
    fold = runner.task.fold
    assert [one.name for one in task_view.history(fold).labellers] == ["ann", "bob"]
    assert [one.name for one in task_view.history(fold, "ann").labellers] == ["ann"]
    assert [one.name for one in task_view.history(fold, "eve").labellers] == []


# ---------------------------------------------------------------------- what is predicted, and what waits


def test_a_class_that_is_predicted_more_often_than_before_has_changed(
    opened: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(predictions, "RECENT", 40)
    monkeypatch.setattr(predictions, "BEFORE", 120)
    runner = opened()
    runner.import_items(*[("win prize", "spam"), ("lunch now", "ham")] * 5)
    few = predictions.over_time(runner.store, runner.task)
    assert (few.recent, few.before, few.classes) == (0, 0, [])
    runner.decide(*["lunch now"] * 60, *["lunch now", "win prize"] * 60)
    ham, spam = predictions.over_time(runner.store, runner.task).classes
    assert (ham.recent[0], ham.before[0], ham.changed) == (0.5, pytest.approx(80 / 120), False)
    runner.decide(*["win prize"] * 40)
    found = predictions.over_time(runner.store, runner.task)
    ham, spam = found.classes
    assert (found.recent, found.before) == (40, 120)
    assert (spam.recent[0], spam.before[0], spam.changed, ham.changed) == (1.0, 0.5, True, True)


def test_the_oldest_question_is_the_one_that_waits_longest(opened: Any) -> None:
    runner = opened()
    assert runner.figures().oldest_question is None
    first = runner.decide("a")[0].item
    asked_at = runner.clock.now
    runner.clock.now += 50
    runner.decide("b")
    assert runner.figures().oldest_question == asked_at
    runner.label(first, "ham")
    assert runner.figures().oldest_question == asked_at + 50
