"""Budgets of labels hold for every vote: further ones on an item, on gold items, and without a lease."""

import contextlib
import random
from typing import Any

import pytest

from askance.service import messages
from askance.service.commands import items as item_commands
from askance.service.errors import RequestError
from askance.service.settings import Asking, Budget
from service_task import TaskRunner, settings
from thinning import rest_slow


def runner(tmp_path: Any, total: int, chosen: Any, per_item: int = 1, **labels: Any) -> TaskRunner:
    made = settings(
        "PA-I",
        labels={"per_item": per_item, "aggregate": "posterior", **labels},
        budget={"total": total},
        questions=Asking(chosen),
    )
    return TaskRunner(str(tmp_path / f"{chosen}.db"), made)


def add_gold(task: TaskRunner, count: int) -> list[int]:
    given = [messages.LabelledItem(text=f"gold {number}", label="spam", gold=True) for number in range(count)]
    start = task.task.fold.seq
    task.run(lambda transaction: item_commands.import_items(transaction, given, "boss"))
    return list(range(start + 1, start + 1 + count))


@pytest.mark.parametrize("chosen", ["lease", "arrival"])
def test_another_vote_needs_another_label(tmp_path: Any, chosen: str) -> None:
    with runner(tmp_path, 2, chosen, per_item=2) as task:
        task.decide("text")
        (item,) = [one.item for one in task.lease("ann").questions]
        task.lease("bob")
        task.label(item, "spam", "ann")
        task.label(item, "ham", "bob")
        assert task.figures().spend.asked == 2
        assert task.lease("cem").questions == [], "they disagree, but the budget is spent"
        with pytest.raises(RequestError, match="the budget has no label left"):
            task.label(item, "ham", "cem")
        with pytest.raises(RequestError, match="the budget has no label left"):
            task.lease("cem", items=[item])
        task.change(budget=Budget(total=3))
        assert [one.item for one in task.lease("cem").questions] == [item]
        assert task.figures().spend.asked == 3, "it is set aside with the lease"
        task.label(item, "ham", "cem")
        assert task.figures().spend.asked == 3
        assert task.detail(item).label == "ham"


@pytest.mark.parametrize("chosen", ["lease", "arrival"])
def test_gold_items_keep_to_the_budget(tmp_path: Any, chosen: str) -> None:
    with runner(tmp_path, 3, chosen, gold=0.5) as task:
        gold = add_gold(task, 20)
        task.decide(*(f"text {number}" for number in range(20)))
        leased = [one.item for who in ("ann", "bob") for one in task.lease(who, count=10).questions]
        assert len(leased) == 3
        with pytest.raises(RequestError, match="the budget has no label left"):
            task.label(next(item for item in gold if item not in leased), "spam", "cem")
        for item in leased:
            for who in ("ann", "bob"):
                with contextlib.suppress(RequestError):
                    task.label(item, "spam", who)
        assert task.figures().spend.asked <= 3


@pytest.mark.parametrize("chosen", rest_slow(["lease", "arrival"], ["lease"]))
def test_no_prefix_exceeds_the_budget_whatever_people_do(tmp_path: Any, chosen: str) -> None:
    """Random leases, votes with and without a lease, skips, returns and undone votes, in several orders."""
    for seed in range(4):
        chance = random.Random(seed)
        (tmp_path / str(seed)).mkdir()
        with runner(tmp_path / str(seed), 9, chosen, per_item=2, gold=0.3) as task:
            add_gold(task, 5)
            known = [one.item for one in task.decide(*(f"text {number}" for number in range(12)))]
            for _ in range(120):
                task.clock.now += chance.choice([0.0, 10.0, 400.0])
                who, item = chance.choice(["ann", "bob", "cem", "dee"]), chance.choice([1, 2, *known])
                work = chance.choice(["lease", "lease", "label", "label", "skip", "return_question", "undo"])
                more = {"lease": (), "undo": (), "label": (item, chance.choice(["ham", "spam"]))}.get(
                    work, (item,)
                )
                try:
                    if work in ("lease", "undo"):
                        getattr(task, work)(who)
                    else:
                        getattr(task, work)(*more, who)
                except RequestError:
                    pass
                assert task.figures().spend.asked <= 9, (seed, work)
            before = task.everything()
            task.task.rebuild()
            assert task.everything() == before
