"""The goal of a task, and what the service says of the labels that it takes."""

import random
from typing import Any

import pytest

from askance.metrics.forecast import Forecast
from askance.service import messages
from askance.service.settings import Asking, Goal
from askance.service.views import forecast as view
from service_task import TaskRunner, settings, texts


def evidence(mistakes: float, known: int = 400, goal: float | None = None, **more: Any) -> view.Evidence:
    """Every fifth label is at random, and the share of mistakes is the same from the start."""
    labels = list(range(10, known, 5))
    wrong = [int(mistakes * (place + 1)) > int(mistakes * place) for place in range(len(labels))]
    parts = {"version": 7, "unit": "labels", "note": "", "as_asked": wrong, **more}
    return view.Evidence(labels, wrong, known=known, goal=goal, **parts)


def falling(known: int = 400, goal: float | None = None) -> view.Evidence:
    """Mistakes become rare."""
    labels = list(range(10, known, 5))
    wrong = [place in (0, 1, 2, 4, 6, 9, 14, 22, 40) for place in range(len(labels))]
    return view.Evidence(labels, wrong, known, 7, goal, "labels", "", wrong)


def test_without_a_goal_it_says_what_100_labels_bring() -> None:
    found = view.forecast(falling())
    gain = found.outlooks[0].gain
    assert gain.value is not None
    words = f"100 more labels are expected to bring {100 * gain.value:.1f} points of accuracy ("
    assert found.advice.startswith(words)
    assert found.basis.startswith("A forecast as of 400 labels, for the model of version 7, if items stay alike.")
    assert [one.more for one in found.outlooks] == [100, 500]
    assert found.needed is None


def test_a_model_that_hardly_changes_is_a_reason_to_stop() -> None:
    found = view.forecast(evidence(0.0, known=3000))
    assert found.advice == "More labels hardly change the model: consider stopping."


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0, 0, "The model has reached 95 % accuracy: consider stopping."),
        (0, None, "The model may have reached 95 % accuracy, or need more than 500 more labels."),
        (0, 80, "Up to about 80 more labels for 95 % accuracy; the model may have reached it already."),
        (None, None, "More than 500 more labels for 95 % accuracy, or this learner cannot reach it."),
        (120, None, "At least about 120 more labels for 95 % accuracy, perhaps more than 500."),
        (120, 300, "About 120 to 300 more labels for 95 % accuracy."),
    ],
)
def test_a_goal_says_how_many_labels_it_takes(low: Any, high: Any, words: str) -> None:
    assert view._of_goal(view.LabelsNeeded(0.95, high, low, high, 0.8), "labels", [False] * 100) == words


def test_a_forecast_alone_is_not_a_reason_to_stop() -> None:
    """Ten answers at random of 50, all right: the forecast says 98.9 %, but chance would do the same with 70 %."""
    labels = list(range(10, 50, 4))
    right = [False] * 10
    found = view.forecast(view.Evidence(labels, right, 50, 7, 0.9, "labels", "", right))
    assert found.needed == messages.LabelsNeeded(0.9, 0, 0, 0)
    words = "The model may have reached 90 % accuracy, but the answers so far show only that it is at least 63 %."
    assert found.advice == words
    many = view.forecast(view.Evidence([50] * 60, [False] * 60, 70, 7, 0.9, "labels", "", [False] * 60))
    assert many.advice == "The model has reached 90 % accuracy: consider stopping."


def test_the_labels_that_a_goal_takes_are_those_of_the_library() -> None:
    given = falling(goal=0.9)
    found, needed = view.forecast(given), Forecast(given.labels, given.wrong, known=400).labels_for(0.9)
    assert found.needed == messages.LabelsNeeded(0.9, needed.value, needed.low, needed.high)
    assert "for 90 % accuracy" in found.advice or "reached 90 % accuracy" in found.advice


def test_nothing_is_said_with_too_few_labels() -> None:
    found = view.forecast(falling(known=45, goal=0.9))
    assert found.note == "Cannot tell yet: 45 labels are known, and it takes 50."
    assert (found.advice, found.basis, found.outlooks, found.needed) == ("", "", [], None)


# ---------------------------------------------------------------------- in a task


@pytest.fixture
def runner(tmp_path: Any) -> Any:
    asking = Asking("lease", audit=0.5, test=0.5)
    with TaskRunner(str(tmp_path / "labels.db"), settings("auto", bits=10, questions=asking)) as made:
        yield made


def answered(runner: TaskRunner, count: int) -> list[messages.Question]:
    """Push messages, and answer questions ten at a time."""
    made = list(texts(random.Random(2), 300))
    decided = runner.decide(*(text for text, _ in made))
    truth = {one.item: label for one, (_, label) in zip(decided, made, strict=True)}
    given: list[messages.Question] = []
    while len(given) < count:
        leased = runner.lease("ann", count=10).questions
        for question in leased:
            runner.label(question.item, truth[question.item])
        given += leased
    return given


def told(runner: TaskRunner) -> messages.Forecast:
    return view.forecast(runner.run(view.evidence))


@pytest.mark.slow
def test_questions_at_random_know_how_many_labels_there_were(runner: TaskRunner) -> None:
    runner.import_items(("win free cash", "spam"), ("see you at lunch", "ham"))
    given = answered(runner, 60)
    audits = runner.task.fold.audits.kept
    assert [audits[one.item].labels for one in given if one.item in audits] == [
        2 + 10 * (place // 10) for place, one in enumerate(given) if one.item in audits
    ]
    found, before = told(runner), runner.everything()
    assert (found.note, found.labels) == ("", 62)
    assert found.current is not None
    with runner.reopened() as again:
        assert again.everything() == before
        assert told(again) == found


def test_tests_count_for_the_current_model(runner: TaskRunner) -> None:
    answered(runner, 60)
    found = runner.run(view.evidence)
    audits = [one for one in runner.task.fold.audits.kept.values() if one.label is not None]
    assert found.labels.count(60) == sum(one.test for one in audits) > 0
    assert len(found.labels) == len(audits)
    assert found.as_asked == [one.said != one.label for one in sorted(audits, key=lambda one: one.turn)]


@pytest.mark.slow
def test_nothing_is_said_after_a_rollback_until_it_is_undone(runner: TaskRunner) -> None:
    answered(runner, 50)
    rolled = runner.roll_back(runner.task.fold.version - 1)
    assert told(runner).note == view.ROLLED_BACK
    runner.undo_rollback(rolled.number)
    assert told(runner).note == ""


def test_nothing_is_said_if_many_questions_at_random_have_no_answer(runner: TaskRunner) -> None:
    answered(runner, 50)
    audits = [one for one in runner.lease("bob", count=20).questions if one.item in runner.task.fold.audits.kept]
    assert told(runner).note == ""  # bob has them
    before = runner.run(view.evidence).as_asked
    for question in audits:
        runner.skip(question.item, "bob")
        runner.skip(question.item, "cid")
    assert (
        told(runner).note
        == f"Cannot tell: {len(audits)} of {25 + len(audits)} questions at random have no answer."
    )
    assert runner.run(view.evidence).as_asked == before + [True] * len(audits)


def test_nothing_is_said_of_learners_that_were_not_studied(tmp_path: Any) -> None:
    for place, (asking, words) in enumerate([("lease", view.OTHER_LEARNER), ("arrival", view.ON_ARRIVAL)]):
        made = settings("PAA-II", questions=Asking(asking))
        with TaskRunner(str(tmp_path / f"{place}.db"), made) as other:
            assert told(other).note == words


def test_the_goal_can_be_set_changed_and_removed(runner: TaskRunner) -> None:
    assert runner.task.settings.goal == Goal()
    assert runner.change(goal=Goal(0.95)).goal.accuracy == 0.95
    assert runner.change(labels=runner.task.settings.labels).goal.accuracy == 0.95
    assert told(runner).goal == 0.95
    assert runner.change(goal=Goal()).goal.accuracy is None
