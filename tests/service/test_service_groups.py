"""One label for many items: labels, corrections, repeats, undo, and what is left out."""

from concurrent.futures import Future

import pytest

from askance.service import messages
from askance.service.commands import groups
from askance.service.errors import RequestError
from askance.service.settings import Asking, Budget
from askance.service.state import journal
from askance.service.task import Job
from service_task import TaskRunner, settings


@pytest.fixture
def runner(store_url):
    with TaskRunner(store_url, settings("PA-I")) as runner:
        yield runner


@pytest.fixture
def leasing(store_url):
    with TaskRunner(store_url, settings("PA-I", questions=Asking("lease"))) as runner:
        yield runner


def asked(runner, *texts):
    return [decision.item for decision in runner.decide(*texts)]


def labels_of(runner, items):
    return [runner.detail(item).label for item in items]


def test_a_group_is_labelled_and_corrected_by_one_request(runner):
    new, same, other = asked(runner, "a", "b", "c")
    runner.label(same, "ham", "bob")
    runner.label(other, "spam", "bob")
    found = runner.label_group([new, same, other], "ham")
    assert (list(found.label), list(found.correct), found.unchanged, found.refused) == ([new], [other], [same], [])
    assert labels_of(runner, [new, same, other]) == ["ham"] * 3
    assert [vote.by for vote in runner.detail(other).corrections] == ["ann"]


def test_a_group_that_is_sent_again_does_nothing(runner):
    first, second = asked(runner, "a", "b")
    runner.label(second, "spam", "bob")
    runner.label_group([first, second], "ham")
    before = runner.everything()
    again = runner.label_group([first, second], "ham")
    assert (again.label, again.correct, again.unchanged) == ({}, {}, [])
    assert (groups.done_before(again, journal.LABEL), groups.done_before(again, journal.CORRECTION)) == (
        [first],
        [second],
    )
    assert runner.everything() == before


def test_the_key_of_another_group_is_refused(runner):
    first, second = asked(runner, "a", "b")
    runner.label_group([first], "ham")
    with pytest.raises(RequestError, match="the key 'group' belongs to another group: choose another key"):
        runner.label_group([second], "ham")
    with pytest.raises(RequestError, match="named twice"):
        runner.label_group([second, second], "ham", key="other")
    with pytest.raises(RequestError, match="unknown class 'eggs'"):
        runner.label_group([second], "eggs", key="other")


@pytest.mark.slow
def test_many_corrections_are_replayed_once_and_give_the_same_model_as_one_after_the_other(runner, new_store_url):
    words = [f"w{place} w{place % 3}" for place in range(12)]
    items = asked(runner, *words)
    for item in items:
        runner.label(item, "spam")
    runner.label_group(items[::2], "ham")
    with TaskRunner(new_store_url("sqlite"), settings("PA-I")) as other:
        for item in asked(other, *words):
            other.label(item, "spam")
        for item in items[::2]:
            other.correct(item, "ham", "ann")
        assert other.model() == runner.model()
    model = runner.model()
    with runner.reopened() as again:
        assert again.model() == model


def test_the_automatic_learner_corrects_a_group_in_place(store_url):
    """And what cannot be corrected any more is left out, without harm to the others."""
    with TaskRunner(store_url, settings("auto", bits=10, questions=Asking("lease"))) as runner:
        asked(runner, *(f"w{place} w{place % 3}" for place in range(40)))
        items = list(runner.task.fold.candidates.waiting)[:4]
        for item in items:
            runner.label(item, "spam")
        runner.undo(item=items[1])
        group = dict(zip(items, groups.group_keys("g"), strict=False))
        refused = []
        runner.run(lambda transaction: refused.extend(corrected(transaction, group)), alone=True)
        assert [one.item for one in refused] == [items[1]]
        assert labels_of(runner, items) == ["ham", None, "ham", "ham"]
        everything = runner.everything()
        with runner.reopened() as again:
            assert again.everything() == everything


def corrected(transaction, group):
    change, refused = groups.correct_group(transaction, "ham", group, "boss")
    assert change is None, "nothing has to be replayed"
    return refused


def test_what_cannot_be_labelled_is_left_out_with_the_reason(runner):
    runner.change(budget=Budget(total=2))
    first, leased, unasked = asked(runner, "a", "b", "c")
    runner.lease("bob", items=[leased])
    found = runner.label_group([first, leased, unasked, 999], "ham")
    assert list(found.label) == [first]
    assert [(one.item, one.message.partition(":")[0]) for one in found.refused] == [
        (leased, f"item {leased} is leased by another labeller"),
        (unasked, f"item {unasked} was not asked about"),
        (999, "there is no item 999"),
    ]


def test_without_corrections_labels_are_left_as_they_are(runner):
    items = asked(runner, "a", "b")
    runner.label(items[0], "spam", "bob")
    found = runner.label_group(items, "ham", correct=False)
    assert (list(found.label), found.correct) == ([items[1]], {})
    assert "already has its label" in found.refused[0].message
    assert labels_of(runner, items) == ["spam", "ham"]


def test_a_group_is_undone_by_its_key_as_one(runner):
    items = asked(runner, *"abcdef")
    runner.label(items[0], "ham")
    before = runner.model()
    runner.label_group(items[1:4], "spam", key="mine")
    runner.label_group(items[4:], "spam", "bob", key="bobs")
    runner.undo_group("bob", group="bobs", key="undo-bobs")
    answer = runner.undo_group(group="mine")
    assert answer.undone == items[1:4]
    assert runner.model() == before
    assert labels_of(runner, items) == ["ham", *[None] * 5]
    assert runner.undo_group(group="mine").undone == items[1:4], "the same key again"
    assert runner.undo_group("bob", group="mine", key="not mine").undone == []
    kinds = [entry.kind for batch in runner.store.entries(runner.task.number) for entry in batch]
    assert kinds.count(journal.UNDO) == 5


def test_own_labels_of_items_are_undone_and_others_are_left(runner):
    first, second, third = asked(runner, *"abc")
    runner.label(first, "ham")
    runner.label(second, "ham", "bob")
    runner.label(third, "ham")
    runner.correct(third, "spam")
    found = runner.undo_group(items=[first, second, third])
    assert found.undone == [first]
    assert [one.item for one in found.refused] == [second, third]
    assert labels_of(runner, [first, second, third]) == [None, "ham", "spam"]
    for wish in ({}, {"items": [first], "group": "x"}):
        with pytest.raises(RequestError, match="say which labels"):
            runner.undo_group(key="k", **wish)


def test_a_group_far_in_the_past_is_undone_in_the_background(store_url, monkeypatch):
    monkeypatch.setattr("askance.service.task.FEW", 0)
    woken = []
    with TaskRunner(store_url, settings("PA-I")) as runner:
        runner.task.amend_in_background(lambda: woken.append(True))
        items = asked(runner, *"abcdef")
        runner.label(items[0], "ham")
        before = runner.model()
        runner.label_group(items[1:], "spam")
        job = undo_job(runner, items[1:])
        runner.task.do([job])
        assert labels_of(runner, items[1:]) == [None] * 5, "at once, although the model does not know it yet"
        while not job.answer.done():
            runner.task.do([])
        assert runner.model() == before


def undo_job(runner, items):
    wish = messages.GroupUndo(key="u", items=items)
    return Job(lambda transaction: groups.undo_group(transaction, wish, "ann")[0], Future(), True, 0)


# ---------------------------------------------------------------------- figures


def test_items_of_a_random_sample_are_not_labelled_in_groups(leasing):
    """The sample tells how good the model is: labels that were given without a look would flatter it."""
    items = asked(leasing, *(f"word{place}" for place in range(60)))
    kept = set(leasing.task.fold.audits.kept)
    assert kept
    assert kept != set(items)
    found = leasing.label_group(items, "ham")
    assert set(found.label) == set(items) - kept
    assert {one.item for one in found.refused} == kept
    assert all("random sample" in one.message for one in found.refused)
    assert leasing.task.fold.audits.sample(60).labels == 0
    assert all(leasing.detail(item).reason == "given" for item in list(found.label)[:3])


def test_a_labelled_item_of_the_sample_can_be_corrected(leasing):
    asked(leasing, *(f"word{place}" for place in range(30)))
    audit = min(leasing.task.fold.audits.kept)
    leasing.lease(items=[audit])
    leasing.label(audit, "ham")
    assert list(leasing.label_group([audit], "spam").correct) == [audit]


def test_a_group_is_within_the_budget(store_url):
    made = settings("PA-I", questions=Asking("lease"), budget={"total": 3})
    with TaskRunner(store_url, made) as runner:
        items = asked(runner, *(f"word{place}" for place in range(30)))
        free = [item for item in items if item not in runner.task.fold.audits.kept]
        before = runner.everything()
        with pytest.raises(RequestError, match="the budget has no label left for these items"):
            runner.label_group(free[:4], "ham")
        assert runner.everything() == before
        assert list(runner.label_group(free[:3], "ham").label) == free[:3]
        assert runner.figures().spend.asked == 3
