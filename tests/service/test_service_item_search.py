"""Lists of items: filters, orders, totals, pages, and the neighbours of an item."""

import random
import types

import pytest

from askance.service import messages
from askance.service.commands import items as item_commands
from askance.service.commands import reviews
from askance.service.errors import RequestError
from askance.service.settings import Asking
from askance.service.transaction import Transaction
from askance.service.views import item_index
from askance.service.views import items as item_view
from service_task import TaskRunner, settings, texts
from service_world import TASK, World, items
from thinning import rest_slow

STATES = (
    "all",
    "asked",
    "waiting",
    "open",
    "skipped",
    "flagged",
    "labelled",
    "imported",
    "corrected",
    "disagreement",
)
ORDERS = ("newest", "oldest", "doubtful", "certain")


def numbers(found):
    return [detail.item for detail in found.items]


def all_pages(runner, **wish):
    """The numbers of all items that a search finds, page by page, and the totals that were given."""
    items, totals, before = [], [], {}
    while True:
        page = runner.found(**wish, **before)
        items += numbers(page)
        totals.append((page.total, page.exact))
        if page.before is None:
            return items, totals
        before = {"before": page.before}


def neighbours(runner, item, **wish):
    return item_view.neighbours(runner.store, runner.task, item, messages.ItemPlace(**wish))


def lived(runner, seed=1, count=60):
    """A task with everything: imports, votes, corrections, skips, flags, undone labels, renamed classes."""
    chance = random.Random(seed)
    for text, label in texts(chance, 8):
        runner.import_items((text, label))
    runner.run(
        lambda transaction: import_from(transaction, "vendor words", "ham", "vendor"),
    )
    for text, _ in texts(chance, count):
        runner.clock.now += 100
        runner.decide(text)
    for who in ("ann", "bob", "eve"):
        for question in runner.lease(who, count=18).questions:
            runner.clock.now += 1
            if chance.random() < 0.2:
                runner.skip(question.item, who)
            elif chance.random() < 0.1:
                runner.flag(question.item, who)
            else:
                runner.label(question.item, chance.choice(["ham", "spam"]), who)
    for detail in runner.found(state="disagreement", count=200).items[:3]:
        decide(runner, detail.item, "ham")
    labelled = [detail.item for detail in runner.found(state="labelled", count=200).items]
    for item in chance.sample(labelled, min(6, len(labelled))):
        runner.correct(item, chance.choice(["ham", "spam"]), chance.choice(["ann", "boss"]))
    for who in ("ann", "bob"):
        try:
            runner.undo(who)
        except RequestError:  # that item was corrected
            continue
    runner.change_classes(rename={"spam": "junk"})
    runner.lease("bob", count=2)
    runner.clock.now += 7200  # whose leases end
    runner.lease("ann", count=2)


def decide(runner, item, label):
    """A lead settles a question on which labellers do not agree."""
    request = messages.ReviewRequest(item=item, label=label)
    if item in runner.task.fold.questions.open:
        runner.run(lambda transaction: reviews.review(transaction, request, "lead"))


def import_from(transaction, text, label, labeller):
    item = messages.LabelledItem(text=text, label=label, labeller=labeller)
    return item_commands.import_items(transaction, [item], "sender")


@pytest.fixture(params=["arrival", "lease"])
def runner(request, store_url):
    made = settings("PAA-II", labels={"per_item": 2}, questions=Asking(request.param))
    with TaskRunner(store_url, made) as runner:
        yield runner


def defined(runner, **wish):
    """The numbers of matching items by the definition, one after the other, the newest first."""
    request = messages.ItemExport(**wish)
    batches = item_view.everything_found(runner.store, runner.task, request)
    return sorted((detail.item for batch in batches for detail in batch), reverse=True)


@pytest.mark.sampled(2)
def test_the_index_finds_what_the_definition_of_a_filter_says(runner):
    lived(runner)
    times = sorted(detail.at for detail in runner.found(count=200).items)
    wishes = [{"state": state} for state in STATES]
    wishes += [{"state": state, "label": "junk"} for state in STATES]
    wishes += [{"predicted": name} for name in ("ham", "junk", "spam")]
    wishes += [{"labeller": who} for who in ("ann", "bob", "eve", "boss", "lead", "vendor", "nobody")]
    wishes += [{"min_score": -0.1}, {"max_score": 0.1}, {"min_score": -0.2, "max_score": 0.0, "state": "asked"}]
    wishes += [
        {"since": times[20]},
        {"until": times[20]},
        {"since": times[10], "until": times[30], "search": "win"},
    ]
    sizes = set()
    for wish in wishes:
        items, totals = all_pages(runner, **wish, count=7)
        assert items == defined(runner, **wish), wish
        assert totals[0] == (len(items), True), wish
        sizes.add(len(items))
    assert len(sizes) > 10  # the filters are not all the same


@pytest.mark.sampled(2)
def test_orders(runner):
    lived(runner)
    scores = {
        detail.item: abs(detail.decision.score)
        for detail in runner.found(count=200).items
        if detail.decision is not None
    }
    imported = [detail.item for detail in runner.found(state="imported", count=200).items]
    newest = all_pages(runner, count=9)[0]
    assert all_pages(runner, order="oldest", count=9)[0] == newest[::-1]
    by_doubt = sorted(scores, key=lambda item: (scores[item], -item))
    assert all_pages(runner, order="doubtful", count=9)[0] == by_doubt + imported
    certain = sorted(scores, key=lambda item: (-scores[item], -item))
    assert all_pages(runner, order="certain", count=9)[0] == certain + imported


@pytest.mark.sampled(4)
@pytest.mark.parametrize("order", rest_slow(ORDERS, ["newest", "doubtful"]))
def test_neighbours_are_those_of_the_list(runner, order):
    lived(runner, count=20)
    for wish in ({}, {"state": "labelled"}, {"search": "win"}):
        items = all_pages(runner, order=order, **wish)[0]
        padded = [None, *items, None]
        for place, item in enumerate(items, 1):
            found = neighbours(runner, item, order=order, **wish)
            assert (found.previous, found.next) == (padded[place - 1], padded[place + 1])


def test_an_item_that_no_longer_matches_has_neighbours(runner):
    """Somebody goes on from an item that they have just labelled."""
    items = [decision.item for decision in runner.decide(*"abcde")]
    for who in ("ann", "bob"):
        runner.lease(who, items=[items[2]])
        runner.label(items[2], "ham", who)
    found = neighbours(runner, items[2], state="open", order="oldest")
    assert (found.previous, found.next) == (items[1], items[3])
    page = runner.found(state="open", order="doubtful", before=items[2])
    assert items[2] not in numbers(page)


def test_pages_go_on_while_items_come_and_go(runner):
    items = [decision.item for decision in runner.decide(*(f"word{place}" for place in range(12)))]
    first = runner.found(state="open", count=4)
    runner.decide("one more")
    for who in ("ann", "bob"):
        runner.lease(who, items=[first.before])
        runner.label(first.before, "ham", who)  # the last one of the page does not match any more
    second = runner.found(state="open", count=4, before=first.before)
    assert numbers(first) + numbers(second) == items[:3:-1]


def test_totals_of_a_bounded_search_are_never_wrong(runner, monkeypatch):
    monkeypatch.setattr(item_view, "BATCH", 4)
    monkeypatch.setattr(item_view, "MOST_SEARCHED", 8)
    runner.decide(*(["needle"] * 3 + ["straw"] * 9 + ["needle"] * 2))
    found = runner.found(search="needle")
    assert (len(found.items), found.total, found.exact) == (2, 2, False)
    items, totals = all_pages(runner, search="needle")
    assert len(items) == 5
    assert all(total <= 5 and not exact for total, exact in totals)
    assert runner.found(search="straw", state="labelled").exact


def test_a_long_journal_is_read_step_by_step(runner, monkeypatch):
    monkeypatch.setattr(item_index, "STEP", 5)
    items = [decision.item for decision in runner.decide(*(f"word{place}" for place in range(12)))]
    first = runner.found(order="oldest", count=4)
    assert (first.items, first.exact) == ([], False)
    with pytest.raises(RequestError, match="being read for the first time"):
        neighbours(runner, items[0])
    found, totals = all_pages(runner, order="oldest", count=5)
    assert found == items
    assert totals[-1] == (12, True)


def test_of_very_many_items_the_oldest_are_left_out_and_the_total_says_so(runner, monkeypatch):
    monkeypatch.setattr(item_index, "MOST", 10)
    for place in range(4):
        runner.decide(*(f"word{place}{one}" for one in range(5)))
        found = runner.found(count=200)
    assert (len(found.items), found.total, found.exact) == (10, 10, False)
    assert len(defined(runner)) == 20  # an export has them all


def test_a_class_that_is_not_one_is_refused(runner):
    for name in ("label", "predicted"):
        with pytest.raises(RequestError, match="unknown class 'eggs': this task has 'ham', 'spam'"):
            runner.found(**{name: "eggs"})
        with pytest.raises(RequestError, match="unknown class 'eggs'"):
            item_view.everything_found(runner.store, runner.task, messages.ItemExport(**{name: "eggs"}))


def test_named_items_are_exported(runner):
    items = [decision.item for decision in runner.decide(*"abcd")]
    assert defined(runner, items=f"{items[2]},{items[0]},{items[2]},999999") == [items[2], items[0]]
    assert defined(runner, items=f"{items[2]},{items[0]}", search="c") == [items[2]]


def test_a_search_is_no_work_of_the_writer(runner):
    """It reads the fold of the task and the store alone."""
    runner.decide("a")
    quiet = types.SimpleNamespace(
        index=runner.task.index, fold=runner.task.fold, settings=runner.task.settings, number=runner.task.number
    )
    assert item_view.found(runner.store, quiet, messages.ItemSearch()).total == 1
    assert Transaction(quiet.fold, runner.store, quiet.number, 0.0).entries == []


# ---------------------------------------------------------------------- over HTTP


@pytest.fixture
def world(tmp_path):
    world = World(tmp_path / "store.db")
    yield world
    world.close()


def test_lists_groups_and_exports_over_http(world):
    world.post(f"{TASK}/items", items("win cash", "win a prize", "lunch at nine", "win nothing"))
    group = {"label": "spam", "items": [1, 2, 3, 4], "key": "g"}
    answer = world.post(f"{TASK}/group-labels", group, "labeller")
    assert (answer["labelled"], answer["refused"]) == ([1, 2, 3, 4], [])
    fixed = world.post(f"{TASK}/group-labels", {"label": "ham", "items": [3, 4], "key": "h"})
    assert (fixed["corrected"], fixed["labelled"]) == ([3, 4], [])
    found = world.call("GET", f"{TASK}/items?label=ham&order=oldest&count=1").json()
    assert ([one["item"] for one in found["items"]], found["total"], found["exact"]) == ([3], 2, True)
    by = world.call("GET", f"{TASK}/items?labeller=labeller&min_score=-1e9&max_score=1e9&since=1&until=9e9").json()
    assert by["total"] == 4
    near = world.call("GET", f"{TASK}/items/1/neighbours?label=spam").json()
    assert near == {"previous": 2, "next": None}
    alike = world.call("GET", f"{TASK}/items/1/similar?count=1").json()
    assert [one["item"]["item"] for one in alike["items"]] == [4]
    lines = world.call("GET", f"{TASK}/export/items?items=1,3&format=csv", role="read").text.splitlines()
    assert [line.partition(",")[0] for line in lines] == ["item", "3", "1"]
    filtered = world.call("GET", f"{TASK}/export/items?label=ham&format=csv", role="read").text.splitlines()
    assert len(filtered) == 3
    undone = world.post(f"{TASK}/group-undo", {"group": "g", "key": "u"}, "labeller")
    assert (undone["undone"], [one["item"] for one in undone["refused"]]) == ([1, 2], [3, 4])


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("label=eggs", "unknown class 'eggs'"),
        ("order=best", "best"),
        ("min_score=low", "min_score"),
        ("min_score=nan", "min_score"),
        ("until=1e400", "until"),
        ("labeller=", "labeller"),
        ("count=0", "count"),
    ],
)
def test_bad_filters_are_refused_in_a_sentence(world, query, words):
    for path in ("items", "export/items"):
        if path == "export/items" and query.startswith(("order", "count")):
            continue
        answer = world.call("GET", f"{TASK}/{path}?{query}")
        assert answer.status_code == 422
        assert words in answer.json()["error"]["message"]


@pytest.mark.parametrize("named", ["", "a", "1,,2", "1,2,", "0", "-1", "1;2", ",".join(["1"] * 1001)])
def test_numbers_of_items_are_checked(world, named):
    assert world.call("GET", f"{TASK}/export/items?items={named}").status_code == 422


def test_groups_are_for_labellers_and_their_size_is_limited(world):
    group = {"label": "spam", "items": [1], "key": "g"}
    for role in ("read", "ingest"):
        assert world.call("POST", f"{TASK}/group-labels", group, role).status_code == 403
        assert world.call("POST", f"{TASK}/group-undo", {"group": "g", "key": "u"}, role).status_code == 403
    for wrong in ({"items": []}, {"items": list(range(1, 1002))}, {"items": [0]}, {"key": ""}, {"label": "eggs"}):
        assert world.call("POST", f"{TASK}/group-labels", group | wrong).status_code == 422
    assert world.call("GET", f"{TASK}/items/9/similar").status_code == 404
    assert world.call("GET", f"{TASK}/items/x/neighbours").status_code == 404
