"""Several votes per item: the most probable label, its probability, and what becomes of both later."""

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from askance.service import messages
from askance.service.commands import reviews
from askance.service.connectors.events import OPEN, SETTLED, EventMaker
from askance.service.settings import Asking, Labelling, TaskSettings
from askance.service.state.voting import Voting
from askance.service.views import export, tables
from askance.service.views import items as items_view
from service_task import TaskRunner, settings

Opened = Callable[..., TaskRunner]


@pytest.fixture
def opened(tmp_path: Any) -> Iterator[Opened]:
    runners = []

    def start(algorithm: str = "PA-I", **more: Any) -> TaskRunner:
        labels = {"per_item": 2, "aggregate": "posterior"} | more.pop("labels", {})
        made = settings(algorithm, labels=labels, **more)
        runners.append(TaskRunner(str(tmp_path / f"{len(runners)}.db"), made))
        return runners[-1]

    yield start
    for runner in runners:
        runner.close()


def asked(runner: TaskRunner, count: int = 1) -> list[int]:
    items = [one.item for one in runner.decide(*(f"text {number}" for number in range(count)))]
    assert all(item in runner.task.fold.questions.open for item in items)
    return items


def vote(runner: TaskRunner, item: int, **votes: str) -> messages.ItemDetail:
    for who, label in votes.items():
        runner.label(item, label, who)
    found: messages.ItemDetail = runner.detail(item)
    return found


def known(runner: TaskRunner, rounds: int = 20) -> None:
    """Let ann and bob agree, and cem answer the contrary half of the time, so that they are known."""
    chance = random.Random(5)
    per_item = runner.task.settings.labels.per_item
    runner.change(labels=Labelling(per_item=3))
    for item in asked(runner, rounds):
        right, wrong = chance.sample(["ham", "spam"], 2)
        vote(runner, item, ann=right, bob=right, cem=chance.choice([right, wrong]))
    runner.change(labels=Labelling(per_item=per_item))


def replays(runner: TaskRunner) -> bool:
    before = runner.everything()
    runner.task.rebuild()
    return bool(runner.everything() == before)


def events(runner: TaskRunner, after: int) -> list[tuple[str, dict[str, Any]]]:
    maker = EventMaker(runner.store, 1, runner.task.first_settings)
    entries = [entry for batch in runner.store.entries(1, after=after) for entry in batch]
    return [(one.type, one.data) for _, some in maker.events(entries, {SETTLED, OPEN}) for one in some]


# ---------------------------------------------------------------------- labels and probabilities


def test_new_tasks_weigh_votes_and_those_of_earlier_versions_count_them() -> None:
    made = TaskSettings("a", ["ham", "spam"], labels=Labelling(per_item=2))
    assert not made.labels.weighs_votes  # as it was stored
    assert made.named.labels.weighs_votes
    counted = TaskSettings("a", ["ham", "spam"], labels=Labelling(per_item=2, aggregate="majority"))
    assert not counted.named.labels.weighs_votes
    assert not TaskSettings("a", ["ham", "spam"]).named.labels.weighs_votes


def test_equal_votes_settle_a_label_with_its_probability(opened: Opened) -> None:
    runner = opened()
    (item,) = asked(runner)
    assert vote(runner, item, ann="spam").label_probability is None
    detail = vote(runner, item, bob="spam")
    assert (detail.state, detail.label) == ("learned", "spam")
    odds = (0.49 / 0.09) ** (1 / 1.2)  # two people of whom nothing is known
    assert detail.label_probability == pytest.approx(odds / (1 + odds))
    assert replays(runner)


def test_a_tie_of_unknown_people_waits_and_one_of_known_people_is_broken(opened: Opened) -> None:
    runner = opened()
    (item,) = asked(runner)
    assert vote(runner, item, ann="spam", cem="ham").label is None
    assert vote(runner, item, bob="spam").label == "spam"
    known(runner)
    one, other = asked(runner, 2)
    for item, first, second in ((one, "spam", "ham"), (other, "ham", "spam")):
        detail = vote(runner, item, cem=second, ann=first)
        assert detail.label == first
        assert detail.label_probability is not None
        assert 0.6 < detail.label_probability < 1
    assert replays(runner)


def test_one_known_person_can_outvote_two_who_answer_at_random(opened: Opened) -> None:
    runner = opened(labels={"per_item": 4})
    chance = random.Random(1)
    for item in asked(runner, 30):
        right = chance.choice(["ham", "spam"])
        people = {who: chance.choice(["ham", "spam"]) for who in ("dee", "eve")}
        vote(runner, item, ann=right, bob=right, **people)
        if runner.detail(item).label is None:
            vote(runner, item, cem=right)
    runner.change(labels=Labelling(per_item=3))
    (item,) = asked(runner)
    assert vote(runner, item, dee="ham", ann="spam", eve="ham").label == "spam"


def test_exports_pages_searches_and_webhooks_have_the_label_and_its_probability(opened: Opened) -> None:
    runner = opened()
    known(runner)
    start = runner.task.fold.seq
    (item,) = asked(runner)
    detail = vote(runner, item, cem="ham", ann="spam")
    (row,) = [
        row for batch in export.label_rows(runner.store, runner.task) for row in batch if row["item"] == item
    ]
    assert (row["label"], row["label_probability"]) == ("spam", detail.label_probability)
    assert "label_probability" in [column.name for column in tables.ITEMS]
    (line,) = [one for batch in export.labels(runner.store, runner.task) for one in batch if one["item"] == item]
    assert (line["label"], line["label_probability"]) == ("spam", detail.label_probability)
    found = items_view.found(runner.store, runner.task, messages.ItemSearch(label="spam", count=1))
    assert [one.item for one in found.items] == [item]
    (_, (kind, data)) = events(runner, start)
    assert (kind, data["label"], data["label_probability"]) == (SETTLED, "spam", detail.label_probability)


def test_labels_that_nobody_voted_for_have_no_probability(opened: Opened) -> None:
    runner = opened()
    (item, other) = asked(runner, 2)
    vote(runner, item, ann="spam", bob="spam")
    runner.correct(item, "ham", "boss")
    assert (runner.detail(item).label, runner.detail(item).label_probability) == ("ham", None)
    vote(runner, other, ann="spam", bob="ham")
    runner.run(lambda one: reviews.review(one, messages.ReviewRequest(other, "ham"), "boss"))
    assert (runner.detail(other).label, runner.detail(other).label_probability) == ("ham", None)
    assert runner.task.fold.voting.state.decided == {item: "ham", other: "ham"}
    assert replays(runner)


# ---------------------------------------------------------------------- fewer votes


def test_a_sure_label_needs_no_further_vote(opened: Opened) -> None:
    runner = opened(labels={"per_item": 3})
    known(runner)
    runner.change(labels=Labelling(per_item=3, enough=0.999))
    (item, other) = asked(runner, 2)
    assert vote(runner, item, ann="spam").label is None, "one vote shows nothing about anybody"
    assert vote(runner, item, bob="spam").state == "learned"
    assert vote(runner, other, ann="spam", cem="ham").state == "open"
    assert vote(runner, other, bob="spam").state == "learned"
    assert replays(runner)


def test_the_budget_gets_back_votes_that_are_not_needed(opened: Opened) -> None:
    asking, budget = Asking("lease"), {"total": 6}
    runner = opened(labels={"per_item": 3, "enough": 0.8}, questions=asking, budget=budget)
    runner.decide("one", "two")
    for who in ("ann", "bob"):
        for question in runner.lease(who=who).questions:
            runner.label(question.item, "spam", who)
    assert runner.figures().spend.asked == 2


def test_no_third_person_is_asked_while_two_may_be_enough(opened: Opened) -> None:
    runner = opened(labels={"per_item": 3, "enough": 0.8})
    (item,) = asked(runner)
    assert [len(runner.lease(who=who).questions) for who in ("ann", "bob", "cem")] == [1, 1, 0]
    vote(runner, item, ann="spam", bob="ham")
    assert [one.item for one in runner.lease(who="cem").questions] == [item]


# ---------------------------------------------------------------------- changes of the past


def test_an_undone_vote_opens_the_item_again_and_leaves_no_trace(opened: Opened) -> None:
    runner = opened()
    known(runner)
    before = copy.deepcopy(runner.task.fold.voting.state)
    (item,) = asked(runner)
    vote(runner, item, ann="spam", bob="spam")
    start = runner.task.fold.seq
    runner.undo("ann", item=item)
    detail = runner.detail(item)
    assert (detail.state, detail.label, detail.label_probability) == ("open", None, None)
    assert runner.task.fold.voting.state == before
    assert [kind for kind, _ in events(runner, start)] == [OPEN]
    runner.return_question(item, "ann")
    assert vote(runner, item, cem="ham").label == "spam", "bob is known to be right, and cem is not"
    assert replays(runner)


def test_deleted_items_say_nothing_about_labellers(opened: Opened) -> None:
    runner = opened()
    items = asked(runner, 3)
    for item in items:
        vote(runner, item, ann="spam", bob="spam")
    runner.delete(*items[:2])
    assert {one.item for one in runner.task.fold.voting.state.votes} == {items[2]}
    assert runner.task.fold.classes["spam"] == 1
    assert replays(runner)


def test_a_change_of_other_settings_keeps_how_votes_are_counted(opened: Opened) -> None:
    runner = opened()
    runner.change(labels=Labelling(per_item=3))
    assert runner.task.settings.labels.aggregate == "posterior"
    runner.change(labels=Labelling(per_item=3, aggregate="majority"))
    (item,) = asked(runner)
    detail = vote(runner, item, ann="spam", bob="ham", cem="ham")
    assert (detail.label, detail.label_probability) == ("ham", None)
    assert replays(runner)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("algorithm", ["PAA-II", "auto"])
def test_a_task_is_rebuilt_bit_for_bit(opened: Opened, algorithm: str) -> None:
    chance = random.Random(algorithm)
    asking = Asking("lease" if algorithm == "auto" else "arrival")
    runner = opened(algorithm, questions=asking, labels={"per_item": 3, "enough": 0.85, "skips": 2})
    runner.task.snapshot_every = 15
    for step in range(60):
        who = chance.choice(["ann", "bob", "cem", "dee"])
        if chance.random() < 0.3:
            runner.decide(f"text {chance.randint(0, 9)} {step}")
        for question in runner.lease(who=who).questions:
            runner.label(question.item, chance.choice(["ham", "spam", "spam"]), who)
        given = runner.task.fold.recent.get(who)
        corrected = runner.task.fold.amendments.corrected
        if given and given[-1][1] not in corrected and chance.random() < 0.1:
            runner.undo(who)
        item = given[0][1] if given else 0
        if item and chance.random() < 0.1 and runner.detail(item).label is not None:
            runner.correct(item, chance.choice(["ham", "spam"]), "boss")
    runner.task.settle()
    assert runner.store.snapshot_seqs(1)
    assert runner.task.fold.voting.state.votes
    assert replays(runner)
    runner.store.drop_snapshots(1, runner.store.snapshot_seqs(1))
    assert replays(runner)


# ---------------------------------------------------------------------- the state alone


def test_what_is_known_of_people_is_a_function_of_the_votes_in_their_order() -> None:
    chance, live = random.Random(2), Voting(most=60)
    for item in range(50):
        votes = {who: chance.choice("xy") for who in chance.sample("abcd", 3)}
        live.add(item, votes, decided=chance.choice(["x", None, None]))
        live.verdict({"a": "x", "b": "y"}, Labelling(per_item=2), ("x", "y"))
    live.forget({49, 48})
    live.decide(45, "y")
    again = Voting(live.state, most=60)
    asked_about = {"a": "x", "c": "x", "d": "y"}
    assert again.verdict(asked_about, Labelling(per_item=3), ("x", "y")) == live.verdict(
        asked_about, Labelling(per_item=3), ("x", "y")
    )
    assert 40 < len(live.state.votes) <= 66
    assert live.state.decided.keys() <= {one.item for one in live.state.votes}
