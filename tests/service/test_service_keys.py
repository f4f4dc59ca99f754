"""Keys of requests: the same request does nothing again, and nobody loses what is new."""

import pytest

from askance.service import messages
from askance.service.commands import reviews
from askance.service.errors import RequestError
from service_task import TaskRunner, settings


@pytest.fixture
def runner(tmp_path):
    made = settings("PAA-II", labels={"per_item": 2, "skips": 3}, budget={"rate": 1.0, "burst": 50})
    with TaskRunner(str(tmp_path / "a.db"), made) as found:
        found.decide(*(f"text {number}" for number in range(6)))
        yield found


def review(runner, item, label="ham", who="ann", key="k"):
    wish = messages.ReviewRequest(item=item, label=label, key=key)
    return runner.run(lambda transaction: reviews.review(transaction, wish, who))


def labelled(runner, item):
    for who in ("eve", "pat"):
        runner.label(item, "spam", who=who)
    return item


def flagged(runner, item, who):
    runner.flag(item, who)
    return runner.undo_flag(item, who, key="k")


# Each sends a request with the key k: who, the item and the label may differ from those of the first one.
REQUESTS = {
    "label": lambda runner, item, label, who: runner.label(item, label, who=who, key="k"),
    "skip": lambda runner, item, label, who: runner.skip(item, who, key="k"),
    "flag": lambda runner, item, label, who: runner.flag(item, who, key="k"),
    "undo a flag": lambda runner, item, label, who: flagged(runner, item, who),
    "review": lambda runner, item, label, who: review(runner, item, label, who),
    "correct": lambda runner, item, label, who: runner.correct(item, label, who, key="k"),
    "group": lambda runner, item, label, who: runner.label_group([item], label, who, key="k"),
    "undo": lambda runner, item, label, who: runner.undo(who, item=item, key="k"),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_another_request_needs_another_key(runner, name):
    send = REQUESTS[name]
    first, second = 1, 2
    if name == "correct":
        labelled(runner, first), labelled(runner, second)
    if name == "undo":
        for who in ("ann", "bob"):
            runner.label(first, "ham", who=who), runner.label(second, "ham", who=who)
    send(runner, first, "ham", "ann")
    if name not in ("group", "undo a flag"):
        assert send(runner, first, "ham", "ann").again
    others = [(first, "ham", "bob"), (second, "ham", "ann")]
    if name in ("label", "review", "correct", "group"):
        others.append((first, "spam", "ann"))
    for item, label, who in others:
        before = runner.task.fold.counts
        with pytest.raises(RequestError, match="'k' belongs to another") as caught:
            send(runner, item, label, who)
        assert caught.value.code == "key_reused"
        assert runner.task.fold.counts == before
