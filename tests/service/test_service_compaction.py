"""Compaction of a task that chooses questions on lease: items that lose their content wait no more."""

import pytest

from askance.service.compaction import compact
from askance.service.errors import RequestError
from askance.service.settings import Asking, Certify
from service_task import TaskRunner, settings


@pytest.fixture(params=["sqlite"])
def runner(tmp_path):
    made = settings("auto", questions=Asking("lease"), certify=Certify(error=0.1, audit=0.1))
    with TaskRunner(str(tmp_path / "a.db"), made, snapshot_every=10) as found:
        yield found


def compacted(runner):
    """Forty items, of which ten are labelled and one came back, forty more, and what the compaction answers."""
    runner.decide(*(f"old {number} win cash" if number % 2 else f"old {number} see you" for number in range(40)))
    for item, _ in zip((one.item for one in runner.lease(count=11).questions), range(10), strict=False):
        runner.label(item, "spam" if "win" in runner.detail(item).text else "ham")
    (left,) = [item for item, question in runner.task.fold.questions.open.items() if not question.votes]
    runner.clock.now += 10_000.0
    runner.task.settle()
    done = compact(runner.task, 0.0, runner.clock.now)
    runner.decide(*(f"young {number} word" for number in range(40)))
    return left, done


def gone(runner):
    """The items whose content was dropped."""
    return [item for item in range(1, 41) if runner.detail(item).text is None]


def test_items_without_content_are_not_asked_about(runner):
    left, done = compacted(runner)
    without = gone(runner)
    assert len(without) == done.items > 10
    assert left not in without
    fold = runner.task.fold
    waiting = {one.item for one in runner.found(state="open", count=100).items}
    assert waiting.isdisjoint(without)
    assert waiting >= {left, *range(fold.seq - 5, fold.seq)}
    assert set(fold.automation.checks()).isdisjoint(without)
    asked = runner.lease(who="bob", count=100, why=True).questions
    assert {one.item for one in asked} == waiting
    assert all(one.text for one in asked)


def test_naming_one_says_that_it_cannot_be_asked_about(runner):
    compacted(runner)
    item = gone(runner)[0]
    for name_it in (runner.label, lambda item, label: runner.lease(items=[item])):
        before = runner.everything()
        with pytest.raises(RequestError) as caught:
            name_it(item, "spam")
        assert caught.value.code == "compacted"
        assert f"item {item}" in str(caught.value)
        assert runner.everything() == before


def test_a_replay_agrees(runner):
    compacted(runner)
    runner.label(runner.lease(count=1).questions[0].item, "spam")
    before = runner.everything()
    with runner.reopened() as again:
        assert again.everything() == before
        again.task.rebuild()
        assert again.everything() == before
