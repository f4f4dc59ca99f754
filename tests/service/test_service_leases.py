"""Leases: no item is with two people, whatever they do with it."""

import random

import pytest

from askance.service.errors import RequestError
from service_task import TaskRunner, settings
from stores import KINDS

PEOPLE = [f"desk-{number}" for number in range(20)]


def no_item_is_with_two_people(url, leases, random_state=1):
    """Twenty labellers lease, answer, skip, give back and forget; a notebook of our own says who has what."""
    chance, given, notebook = random.Random(random_state), 0, {}  # item: who has it, and until when
    runner = TaskRunner(url, settings("PA-I", bits=10, labels={"lease_seconds": 60.0, "skips": 3}))
    try:
        while given < leases:
            runner.clock.now += chance.expovariate(1 / 2)
            if len(runner.task.fold.questions.open) < 60:
                runner.decide(*(f"word{chance.randrange(500)}" for _ in range(100)))
            who = chance.choice(PEOPLE)
            for question in runner.lease(who, count=chance.randint(1, 5)).questions:
                owner, until = notebook.get(question.item, (who, 0.0))
                assert owner == who or until <= runner.clock.now, (question.item, owner, who)
                notebook[question.item] = (who, question.until)
                given += 1
            mine = [item for item, (owner, _) in notebook.items() if owner == who]
            for item in chance.sample(mine, min(len(mine), chance.randint(0, 4))):
                answer(runner, chance, item, who, notebook)
            if chance.random() < 0.02:
                runner = runner.reopened()
        votes = [story.votes for story in everything(runner)]
        assert max(map(len, votes)) == 1, "one label an item"
        assert runner.store.check() == []
    finally:
        runner.close()
    return given


def answer(runner, chance, item, who, notebook):
    until = notebook.pop(item)[1]
    try:
        match chance.choice(["label", "label", "label", "skip", "give back", "forget"]):
            case "label":
                runner.label(item, chance.choice(["ham", "spam"]), who)
            case "skip":
                runner.skip(item, who)
            case "give back":
                runner.return_question(item, who)
            case "forget":
                notebook[item] = (who, until)
    except RequestError:
        if until > runner.clock.now:  # only what ran out may have gone to somebody else
            raise


def everything(runner):
    before = {}
    while True:
        found = runner.found(state="asked", count=200, **before)
        yield from found.items
        if found.before is None:
            return
        before = {"before": found.before}


@pytest.mark.parametrize("kind", KINDS)
def test_no_item_is_with_two_people(kind, new_store_url):
    assert no_item_is_with_two_people(new_store_url(kind), 600) >= 600


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
def test_nor_in_a_hundred_thousand_leases(kind, new_store_url):
    print(f"{kind}: {no_item_is_with_two_people(new_store_url(kind), 100_000)} leases")


def test_an_undo_does_not_lend_a_question_beyond_its_room(tmp_path):
    """Two votes that disagree make room for one more; without one of them, there is room for the same one."""
    with TaskRunner(str(tmp_path / "a.db"), settings("PA-I", labels={"per_item": 2})) as runner:
        item = runner.decide("win free cash")[0].item
        runner.label(item, "ham", "ann")
        runner.label(item, "spam", "bob")
        assert [question.item for question in runner.lease("cleo").questions] == [item]
        runner.undo("ann")
        assert list(runner.task.fold.questions.open[item].loans) == ["cleo"]
        runner.label(item, "spam", "cleo")
        assert runner.detail(item).label == "spam"
