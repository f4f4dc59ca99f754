"""Deleted items: erased in the store, unlearned by the model, and left out of the figures from then on."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from askance.service import amending, messages
from askance.service import task as task_module
from askance.service.commands import items as commands
from askance.service.compaction import compact
from askance.service.connectors.events import EVENT_TYPES, KINDS, EventMaker
from askance.service.errors import RequestError
from askance.service.settings import Asking, Interface, Labelling, from_json
from askance.service.state import snapshots
from askance.service.store import StoreError
from askance.service.store.entries import image_name
from askance.service.views import confusion, export, labellers, review
from askance.service.views import task as task_view
from live_task import WAIT, Live
from service_task import TaskRunner, settings, texts
from service_world import World

ON_LEASE = settings("PA-I", questions=Asking("lease", audit=0.9, test=0.5))
SECRET = "Ludmilla"


@pytest.fixture
def runner(store_url: str) -> Iterator[Any]:
    with TaskRunner(store_url, settings("PA-I")) as runner:
        yield runner


@pytest.fixture
def leasing(tmp_path: Path) -> Iterator[Any]:
    with TaskRunner(str(tmp_path / "a.db"), ON_LEASE) as runner:
        yield runner


def sent(runner: Any, *words: str) -> list[int]:
    return [decision.item for decision in runner.decide(*words)]


def is_rebuilt(runner: Any) -> None:
    """Whether a restart, with snapshots or without, gives the same fold."""
    everything = runner.everything()
    assert snapshots.content(snapshots.unpack(snapshots.pack(everything), runner.settings)) == everything
    with runner.reopened() as again:
        assert again.everything() == everything
        again.store.drop_snapshots(1, [seq for seq in again.store.snapshot_seqs(1) if seq > again.task.horizon()])
        again.task.rebuild()
        assert again.everything() == everything
        assert again.store.check() == []


def exported(runner: Any) -> str:
    """All that the task tells anybody, as text."""
    store, task = runner.store, runner.task
    maker = EventMaker(store, 1, runner.settings)
    told = [
        *(one for batch in export.labels(store, task) for one in batch),
        *(one for batch in export.decisions(store, task) for one in batch),
        *(one for batch in export.item_rows(store, task, messages.ItemExport()) for one in batch),
        *(
            event
            for batch in store.entries(1, kinds=KINDS)
            for _, found in maker.events(batch, EVENT_TYPES)
            for event in found
        ),
        runner.found(),
        review.queue(store, task, messages.ReviewSearch()),
        labellers.labellers(store, task),
    ]
    return msgspec.json.encode(told).decode()


def test_a_deleted_item_is_gone_and_the_model_is_as_if_it_had_never_come(
    runner: Any, new_store_url: Callable[[str], str]
) -> None:
    words = [f"w{place} w{place % 3}" for place in range(9)]
    items = sent(runner, *words)
    labels = {word: "spam" if place % 2 else "ham" for place, word in enumerate(words)}
    for word, item in list(zip(words, items, strict=True))[:-1]:
        runner.label(item, labels[word])
    found = runner.delete(items[1], items[4], items[-1], 999)
    assert found.deleted == [items[1], items[4], items[-1]]
    assert [(one.item, one.message) for one in found.refused] == [(999, "there is no item 999")]
    with pytest.raises(RequestError, match="item 2 was deleted, with its content and its labels") as error:
        runner.detail(items[1])
    assert (error.value.status, error.value.code) == (404, "deleted_item")
    kept = [item for item in items if item not in found.deleted]
    assert [one.item for one in runner.found(order="oldest").items] == kept
    figures = runner.figures()
    assert (figures.items, figures.labelled, figures.labels, figures.deleted) == (6, 6, 8, 3)
    assert figures.asked == 9, "what was spent stays spent"
    with TaskRunner(new_store_url("sqlite"), settings("PA-I")) as other:
        rest = [word for word, item in zip(words, items, strict=True) if item in kept]
        for word, item in zip(rest, sent(other, *rest), strict=True):
            other.label(item, labels[word])
        assert other.model() == runner.model()
        assert other.task.fold.classes == runner.task.fold.classes
    is_rebuilt(runner)


def test_nothing_that_was_written_about_it_is_left_in_the_store(tmp_path: Path) -> None:
    url = str(tmp_path / "a.db")
    with TaskRunner(url, settings("auto", bits=10, questions=Asking("lease")), snapshot_every=5) as runner:
        for number in range(30):
            runner.decide(f"word{number} hello")
        item = messages.Item(text=f"from {SECRET}", id=f"{SECRET}@example.org", note=f"note of {SECRET}")
        (asked,) = sent(runner, item)
        runner.run(
            lambda transaction: commands.import_items(
                transaction,
                [messages.LabelledItem(text=SECRET, label="ham", labeller=f"{SECRET} M.", source=SECRET)],
                "sender",
            )
        )
        runner.flag(asked, note=f"is this {SECRET}?")
        runner.lease(items=[asked]) if asked in runner.task.fold.questions.open else None
        runner.label(asked, "ham")
        runner.task.settle()
        assert SECRET in exported(runner)
        imported = runner.found(state="imported").items[0].item
        assert runner.delete(asked, imported).deleted == [asked, imported]
        assert SECRET not in exported(runner)
        assert runner.found(search=SECRET).items == []
        assert runner.figures().imported == 0
        is_rebuilt(runner)
    for file in tmp_path.iterdir():
        assert SECRET.encode() not in file.read_bytes(), f"{file.name} has been overwritten"


def test_the_same_id_can_be_sent_again(runner: Any) -> None:
    """To replace a wrong row by a right one, or because a deletion was a mistake."""
    (first,) = runner.decide(messages.Item(text="wrong", id="row-1"))
    runner.delete(first.item)
    (again,) = runner.decide(messages.Item(text="right", id="row-1"))
    assert (again.item, again.again) == (first.item + 2, False)
    assert runner.detail(again.item).text == "right"


def test_the_same_request_again_does_nothing(runner: Any) -> None:
    first, second = sent(runner, "a", "b")
    assert runner.delete(first, 999, key="k").deleted == [first]
    before = runner.everything()
    assert runner.delete(first, 999, key="k").deleted == [first]
    assert [one.message for one in runner.delete(first, key="other").refused] == [
        f"item {first} was deleted, with its content and its labels"
    ]
    assert runner.everything() == before
    with pytest.raises(RequestError, match="the key 'k' belongs to another deletion: choose another key"):
        runner.delete(second, key="k")
    with pytest.raises(RequestError, match="named twice"):
        runner.delete(second, second)


def test_nothing_can_be_done_with_a_deleted_item(runner: Any) -> None:
    open_now, labelled = sent(runner, "a", "b")
    runner.lease(items=[open_now])
    runner.label(labelled, "ham")
    runner.delete(open_now, labelled)
    tries = (
        lambda: runner.label(open_now, "ham"),
        lambda: runner.lease(items=[open_now]),
        lambda: runner.skip(open_now),
        lambda: runner.flag(open_now),
        lambda: runner.correct(labelled, "spam"),
        lambda: runner.return_question(open_now),
    )
    for attempt in tries:
        with pytest.raises(RequestError, match="was deleted"):
            attempt()
    for who in ({"item": labelled}, {}):
        with pytest.raises(RequestError, match="no label from you that can be undone"):
            runner.undo(**who)
    assert runner.label_group([open_now], "ham").refused[0].message.startswith(f"item {open_now} was deleted")
    assert runner.undo_group(items=[labelled]).undone == []
    assert (runner.figures().waiting, runner.figures().leased) == (0, 0)
    is_rebuilt(runner)


@pytest.mark.parametrize("made", [settings("PA-I"), ON_LEASE], ids=["arrival", "lease"])
def test_open_questions_give_back_what_they_did_not_cost(tmp_path: Path, made: Any) -> None:
    made = msgspec.structs.replace(made, labels=Labelling(per_item=2))
    with TaskRunner(str(tmp_path / "a.db"), made) as runner:
        sent(runner, *(f"w{place}" for place in range(20)))
        first, second, third = (question.item for question in runner.lease(count=3).questions)
        runner.label(first, "ham")
        spent = runner.figures().spend.asked
        runner.delete(first, second)
        given_back = 3 if made.questions else 0  # on arrival, what was asked for is never given back
        assert spent - runner.figures().spend.asked == given_back
        assert list(runner.task.fold.questions.on_loan) == [third]
        is_rebuilt(runner)


@pytest.mark.slow
def test_the_random_sample_counts_deleted_questions_as_unanswered(leasing: Any) -> None:
    """Who deletes the items that the model got wrong does not make the figures better."""
    chance = random.Random(1)
    pairs = list(texts(chance, 500))
    items = sent(leasing, *(text for text, _ in pairs))
    truth = {item: label for item, (_, label) in zip(items, pairs, strict=True)}
    for _ in range(4):
        for question in leasing.lease(count=25).questions:
            leasing.label(question.item, truth[question.item])
    fold = leasing.task.fold
    before = estimated(leasing)
    wrong = [
        item
        for item, audit in fold.audits.kept.items()
        if audit.label is not None and audit.label != audit.prediction
    ][:4]
    assert len(wrong) == 4
    assert leasing.delete(*wrong).deleted == sorted(wrong)
    after = estimated(leasing)
    assert after.all["accuracy"].low <= before.all["accuracy"].low
    assert after.all["accuracy"].labels == before.all["accuracy"].labels - 4
    tests = sum(fold.audits.kept[item].test for item in wrong)
    assert tests, "so that the estimate of the current model depends on them"
    assert after.current["accuracy"].labels == before.current["accuracy"].labels - tests
    assert after.current["accuracy"].note.startswith(f"{tests} question")
    shown = confusion.confusion(
        leasing.store, leasing.task, leasing.run(lambda transaction: confusion.sample(transaction))
    )
    assert "the intervals allow for any answer" in shown.note
    never_asked = [item for item, audit in leasing.task.fold.audits.kept.items() if audit.said is None]
    others = [*never_asked[:20], *list(leasing.task.fold.candidates.waiting)[:20]]
    leasing.delete(*others)
    assert leasing.figures().items == 500 - len(wrong) - len(others)
    assert estimated(leasing).all["accuracy"].labels == after.all["accuracy"].labels, "they leave it, too"
    rows = [audit.row for _, audit in sorted(leasing.task.fold.audits.kept.items())]
    assert rows == sorted(rows)
    is_rebuilt(leasing)


def estimated(runner: Any) -> Any:
    """The current estimates: those of the figures may be some moments old."""
    return runner.run(task_view.estimates)


def test_on_arrival_too_a_deleted_question_counts_as_unanswered(runner: Any) -> None:
    items = sent(runner, *(f"w{place % 5}" for place in range(60)))
    for item in items:
        runner.label(item, "ham")
    wrong = [item for item in items if runner.detail(item).decision.prediction != "ham"][:2]
    before = estimated(runner).all["accuracy"]
    assert runner.delete(*wrong).deleted == wrong
    after = estimated(runner).all["accuracy"]
    assert after.low <= before.low
    assert after.labels == before.labels - 2


def test_images_go_unless_another_item_shows_them(tmp_path: Path) -> None:
    one, other = b"\x89PNG\r\n\x1a\n" + b"1" * 40, b"\x89PNG\r\n\x1a\n" + b"2" * 40
    with TaskRunner(str(tmp_path / "a.db"), settings("PA-I", interface=Interface())) as runner:
        first, second, third = sent(
            runner,
            messages.Item(text="a", image_data=one),
            messages.Item(text="b", image_data=one),
            messages.Item(text="c", image_data=other),
        )
        runner.delete(first, third)
        assert runner.store.image(1, image_name(one)) == one
        assert runner.store.image(1, image_name(other)) is None
        runner.delete(second)
        assert runner.store.image(1, image_name(one)) is None
        assert runner.store.check() == []


def test_a_failed_commit_deletes_nothing(runner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of it is one transaction of the store."""
    first, second = sent(runner, "a", "b")
    runner.label(first, "ham")
    before = runner.everything()

    def fails(*_: Any) -> None:
        raise StoreError("the disk is on fire")

    with monkeypatch.context() as patch:
        patch.setattr("askance.service.store.store._drop_images", fails)
        with pytest.raises(RequestError, match="on fire"):
            runner.delete(first, second)
    assert runner.detail(first).text == "a"
    runner.task.rebuild()
    assert runner.everything() == before
    is_rebuilt(runner)


def test_after_a_compaction_the_content_is_erased_and_the_model_keeps_what_it_learned(tmp_path: Path) -> None:
    with TaskRunner(str(tmp_path / "a.db"), settings("PA-I")) as runner:
        old, also_old = sent(runner, "win a prize", "hello you")
        runner.label(old, "spam")
        runner.clock.now += 10
        assert compact(runner.task, 0.0, runner.clock.now).before == 3
        model = runner.model()
        runner.label(also_old, "ham")
        assert runner.delete(old, also_old).deleted == [old, also_old]
        assert runner.model() == model
        figures = runner.figures()
        assert (figures.items, figures.labelled, figures.labels) == (0, 0, 2)
        assert runner.task.fold.classes["spam"] == runner.task.fold.classes["ham"] == 0
        is_rebuilt(runner)


def test_a_change_tells_others_what_was_deleted(runner: Any) -> None:
    first, second = sent(runner, "a", "b")
    runner.label(first, "ham")
    runner.delete(first)
    maker = EventMaker(runner.store, 1, from_json(runner.store.tasks()[0].settings))
    found = [
        (event.type, event.data)
        for batch in runner.store.entries(1, kinds=KINDS)
        for _, events in maker.events(batch, EVENT_TYPES)
        for event in events
    ]
    assert [kind for kind, _ in found] == ["question.open", "item.deleted", "model.version"]
    assert found[0][1]["item"] == second
    assert found[1][1] == {"items": [first]}


# ---------------------------------------------------------------------- long journals, replays and random lives


@pytest.mark.slow
def test_a_long_journal_is_replayed_in_another_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(amending, "FEW", 3)
    monkeypatch.setattr(task_module, "FEW", 3)
    with Live(str(tmp_path / "a.db")) as live:
        asked = live.taught(60)
        answers = [live.delete(*asked[place : place + 3], key=f"k{place}") for place in (0, 3, 6)]
        corrected = live.correct(asked[10], "ham" if live.detail(asked[10]).label == "spam" else "spam")
        live.taught(20, 2)
        for answer in (*answers, corrected):
            answer.result(WAIT)
        assert live.task.fold.counts.deleted == 9
        live.is_what_the_journal_says()


def test_a_random_life_with_deletions_is_rebuilt_bit_for_bit(tmp_path: Path) -> None:
    is_lived_and_rebuilt(str(tmp_path / "a.db"), 1, "auto")


@pytest.mark.soak
@pytest.mark.parametrize("random_state", range(40))
def test_so_are_many_of_them(store_url: str, random_state: int) -> None:
    is_lived_and_rebuilt(store_url, random_state, "auto" if random_state % 4 else "PA-I")


def is_lived_and_rebuilt(url: str, random_state: int, algorithm: str) -> None:
    made = settings(
        algorithm, bits=8, random_state=random_state, questions=Asking("lease"), labels={"per_item": 1, "skips": 2}
    )
    with TaskRunner(url, made, snapshot_every=9) as runner:
        lived_through(runner, random.Random(random_state), 80)
        is_consistent(runner)
        is_rebuilt(runner)


def lived_through(runner: Any, chance: random.Random, steps: int) -> None:
    """People who lease, label, skip, flag, undo and correct, and somebody who deletes items meanwhile."""
    for _ in range(steps):
        runner.clock.now += chance.random() * 400
        item, who = chance.randint(1, runner.task.fold.seq + 1), chance.choice(["ann", "bob"])
        label = chance.choice(["ham", "spam"])
        try:
            match chance.choice(["items", "lease", "label", "label", "skip", "flag", "undo", "correct", "delete"]):
                case "items":
                    runner.decide(*(text for text, _ in texts(chance, 4)))
                    runner.import_items(*texts(chance, 1))
                case "lease":
                    runner.lease(who, count=2)
                case "label":
                    runner.label(chance.choice(list(runner.task.fold.questions.open) or [item]), label, who)
                case "skip":
                    runner.skip(chance.choice(list(runner.task.fold.questions.open) or [item]), who)
                case "flag":
                    runner.flag(item, who, note="hm")
                case "undo":
                    runner.undo(who)
                case "correct":
                    runner.correct(item, label)
                case "delete":
                    runner.delete(*{item, chance.randint(1, runner.task.fold.seq + 1)})
        except RequestError:
            pass


def is_consistent(runner: Any) -> None:
    """Whether what the fold counts is what can be seen of the items that are left."""
    fold = runner.task.fold
    shown = runner.found(count=200).items
    figures = runner.figures()
    assert len(shown) == figures.items + figures.imported
    labelled = [one for one in shown if one.label is not None]
    assert len(labelled) == figures.labelled + figures.imported
    assert {name: sum(one.label == name for one in labelled) for name in ("ham", "spam")} == {
        name: fold.classes.get(name, 0) for name in ("ham", "spam")
    }
    numbers = {one.item for one in shown}
    assert fold.questions.open.keys() | fold.questions.given_up.keys() | fold.flags.keys() <= numbers
    assert fold.candidates.waiting.keys() <= numbers
    assert all(audit.state == "deleted" for item, audit in fold.audits.kept.items() if item not in numbers)
    assert figures.corrected == sum(bool(one.corrections) for one in shown)


# ---------------------------------------------------------------------- over HTTP


def test_leads_delete_and_others_do_not(tmp_path: Path) -> None:
    world = World(tmp_path / "a.db")
    try:
        path = "/api/tasks/spam"
        world.post(f"{path}/items", {"items": [{"text": "win"}, {"text": "lunch"}]})
        for role in ("labeller", "ingest", "read"):
            refused = world.call("POST", f"{path}/deletions", {"items": [1], "key": "k"}, role)
            assert refused.status_code == 403
        body = {"items": [1, 7], "key": "k"}
        first = world.post(f"{path}/deletions", body)
        assert (first["deleted"], first["version"]) == ([1], 3)
        assert world.post(f"{path}/deletions", body)["deleted"] == [1]
        gone = world.call("GET", f"{path}/items/1")
        assert (gone.status_code, gone.json()["error"]["code"]) == (404, "deleted_item")
        assert world.call("GET", f"{path}/items/2/similar").json()["items"] == []
        record = world.call("GET", "/api/audit").json()["entries"][0]
        assert (record["action"], record["task"], record["who"]) == ("delete_items", "spam", "admin")
        assert 'askance_task_deleted{task="spam"} 1.0' in world.call("GET", "/metrics").text
        figures = world.call("GET", f"{path}/figures").json()
        assert (figures["items"], figures["deleted"]) == (1, 1)
    finally:
        world.close()
