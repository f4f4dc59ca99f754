"""Gold items: people label them like others, and only what is known of these people comes from them."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from askance.service import messages
from askance.service.client.naming import Origin, labelled_items
from askance.service.commands import items as item_commands
from askance.service.connectors.events import EVENT_TYPES, KINDS, EventMaker
from askance.service.settings import Asking, Labelling
from askance.service.views import export, labellers
from service_task import TaskRunner, settings
from service_world import World


@pytest.fixture(params=["lease", "arrival"])
def runner(request: Any, tmp_path: Any) -> Iterator[TaskRunner]:
    labels = {"aggregate": "posterior", "gold": 0.5}
    made = settings("PA-I", labels=labels, questions=Asking(request.param))
    with TaskRunner(str(tmp_path / "a.db"), made) as found:
        yield found


def add_gold(runner: TaskRunner, *pairs: tuple[str, str]) -> list[int]:
    given = [messages.LabelledItem(text=text, label=label, id=text, gold=True) for text, label in pairs]
    start = runner.task.fold.seq
    done = runner.run(lambda transaction: item_commands.import_items(transaction, given, "boss"))
    assert (done.learned, done.gold) == (0, len(pairs))
    return list(range(start + 1, start + 1 + len(pairs)))


def work(runner: TaskRunner, who: str, count: int, label: str = "spam") -> list[int]:
    """Let somebody lease and label; return the items."""
    found = []
    for _ in range(count):
        for question in runner.lease(who=who).questions:
            runner.label(question.item, label, who)
            found.append(question.item)
    return found


def replays(runner: TaskRunner) -> bool:
    before = runner.everything()
    runner.task.rebuild()
    return bool(runner.everything() == before)


def test_gold_items_are_mixed_in_and_teach_the_model_nothing(runner: TaskRunner) -> None:
    gold = add_gold(runner, ("gold one", "spam"), ("gold two", "ham"))
    runner.decide(*(f"text {number}" for number in range(30)))
    model, before = runner.model(), runner.figures()
    assert (before.items, before.imported, before.gold) == (30, 0, 2)
    for item in gold:
        runner.label(item, "spam", "bob")
    after = runner.figures()
    assert (runner.model(), after.version, after.labelled) == (model, before.version, 0)
    assert (after.estimates, after.labels, after.spend.asked) == (before.estimates, 2, before.spend.asked + 2)
    done = work(runner, "ann", 20)
    assert {item for item in done if item in gold} == set(gold), "each of them once"
    assert len(done) == len(set(done)) == 20
    assert runner.task.fold.counts.labelled == 18
    assert replays(runner)


def test_a_gold_question_looks_like_any_other(runner: TaskRunner) -> None:
    (gold,) = add_gold(runner, ("gold one", "spam"))
    runner.decide("text")
    shown = {question.item: question for question in runner.lease(who="ann", count=10).questions}
    while gold not in shown:
        runner.decide("text")
        shown |= {question.item: question for question in runner.lease(who="ann").questions}
    other = next(question for item, question in shown.items() if item != gold)
    assert shown[gold].text == "gold one"
    assert (shown[gold].reason is None) == (other.reason is None)
    if other.reason is None:
        assert (shown[gold].ask_probability, other.ask_probability) == (None, None)
        assert {shown[gold].asked_at, other.asked_at} == {1_000_000.0}, "when it came"
    assert (runner.detail(gold).label, runner.detail(gold).state) == (None, "open")
    assert runner.label(gold, "ham", "ann").state == "learned"
    assert runner.label(other.item, "ham", "ann").state == "learned"


def test_without_questions_there_are_no_gold_ones(runner: TaskRunner) -> None:
    add_gold(runner, *((f"gold {number}", "spam") for number in range(5)))
    assert work(runner, "ann", 10) == []
    runner.decide(*(f"text {number}" for number in range(20)))
    runner.change(labels=Labelling(gold=0.0))
    assert not set(work(runner, "ann", 10)) & set(range(1, 6))


def test_gold_items_are_known_by_their_ids_and_in_no_list(runner: TaskRunner) -> None:
    (gold,) = add_gold(runner, ("gold one", "spam"))
    again = [messages.LabelledItem(text="gold one", label="spam", id="gold one", gold=True)]
    done = runner.run(lambda transaction: item_commands.import_items(transaction, again, "boss"))
    assert (done.gold, done.again) == (0, 1)
    runner.decide("text")
    runner.label(gold, "ham", "ann")
    assert gold not in [one.item for one in runner.found().items]
    assert [list(batch) for batch in export.labels(runner.store, runner.task) if list(batch)] == []
    maker = EventMaker(runner.store, 1, runner.task.first_settings)
    entries = [entry for batch in runner.store.entries(1, kinds=KINDS) for entry in batch]
    events = [one.data for _, some in maker.events(entries, set(EVENT_TYPES)) for one in some]
    assert gold not in [data.get("item") for data in events]


def test_only_admins_add_them(tmp_path: Any) -> None:
    world = World(tmp_path / "a.db")
    body = {"items": [{"text": "gold one", "label": "yes", "gold": True}]}
    refused = world.call("POST", "/api/tasks/votes/import", body, "ingest")
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "forbidden_role")
    assert world.post("/api/tasks/votes/import", body)["gold"] == 1
    assert world.call("GET", "/api/tasks/votes/items/1", role="labeller").json()["label"] is None
    world.close()


def test_a_client_makes_gold_of_items_that_have_their_label() -> None:
    items = [messages.Item(text="a"), messages.LabelledItem(text="b", label="ham")]
    assert [one.gold for one in labelled_items(items, ["ham", "ham"], Origin(gold=True))] == [True, True]
    assert [one.gold for one in labelled_items(items, ["ham", "ham"])] == [False, False]


def test_they_show_who_is_right(runner: TaskRunner) -> None:
    chance = random.Random(3)
    truth = [(f"gold {number}", chance.choice(["ham", "spam"])) for number in range(40)]
    for item, (_, label) in zip(add_gold(runner, *truth), truth, strict=True):
        runner.label(item, label, "ann")
        runner.label(item, "spam", "eve")
    found = {one.name: one for one in labellers.labellers(runner.store, runner.task).labellers}
    right = sum(label == "spam" for _, label in truth)
    assert (found["ann"].gold, found["ann"].gold_right) == (40, 40)
    assert (found["eve"].gold, found["eve"].gold_right) == (40, right)
    assert not found["ann"].tells_little
    assert found["eve"].tells_little
    runner.change(labels=Labelling(per_item=2, gold=0.0))
    (item,) = [one.item for one in runner.decide("text")]
    runner.label(item, "spam", "eve")
    runner.label(item, "ham", "ann")
    assert runner.detail(item).label == "ham"
    assert replays(runner)


def test_skipped_undone_and_deleted_gold(runner: TaskRunner) -> None:
    gold = add_gold(runner, ("gold one", "spam"), ("gold two", "spam"))
    runner.decide("text")
    runner.skip(gold[0], "ann")
    assert runner.task.fold.people["ann"].skips == 1
    runner.label(gold[1], "ham", "ann")
    runner.undo("ann")
    assert runner.task.fold.voting.state.votes == []
    assert replays(runner)
    runner.label(gold[1], "spam", "ann")
    runner.flag(gold[1], "ann")
    runner.delete(gold[1])
    assert list(runner.task.fold.gold.labels) == gold[:1]
    assert runner.task.fold.voting.state.votes == []
    assert b"gold two" not in b"".join(entry.body for batch in runner.store.entries(1) for entry in batch)
    assert replays(runner)
