"""Flags: a labeller asks for a review, with a note or without, and a decision settles it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from askance.service import messages
from askance.service.commands import reviews
from askance.service.connectors.events import EVENT_TYPES, KINDS, EventMaker
from askance.service.errors import RequestError
from askance.service.settings import Asking
from askance.service.state import snapshots
from askance.service.views import review as review_view
from service_task import TaskRunner, settings


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    runners = []

    def start(**more: Any) -> Any:
        runners.append(TaskRunner(str(tmp_path / f"{len(runners)}.db"), settings("PA-I", **more)))
        return runners[-1]

    yield start
    for runner in runners:
        runner.close()


def asked(runner: Any, count: int = 1) -> list[int]:
    return [one.item for one in runner.decide(*(f"text {number}" for number in range(count)))]


def cases(runner: Any, **wish: Any) -> list[tuple[int, str]]:
    queue = review_view.queue(runner.store, runner.task, messages.ReviewSearch(**wish))
    return [(case.item.item, case.why) for case in queue.cases]


def review(runner: Any, item: int, **label: str) -> Any:
    wish = messages.ReviewRequest(item, **label)
    return runner.run(lambda transaction: reviews.review(transaction, wish, "boss"))


def flags(runner: Any, item: int) -> list[tuple[str | None, str | None, str]]:
    """Who flagged an item, their note, and what became of it."""
    found = runner.detail(item).flags
    return [(one.by, one.note, "undone" if one.undone else "settled" if one.settled else "open") for one in found]


def replays(runner: Any) -> bool:
    """Whether the journal alone gives the same fold, and a snapshot of it too."""
    before = runner.everything()
    runner.task.rebuild()
    copied = snapshots.unpack(snapshots.pack(before), runner.settings)
    return bool(runner.everything() == before and snapshots.content(copied) == before)


def test_a_flag_leaves_the_question_where_it_is(opened: Any) -> None:
    runner = opened(labels={"per_item": 2})
    (item,) = asked(runner)
    lease = runner.lease("ann").questions[0]
    model = runner.model()
    assert runner.flag(item, note="I am not sure").open == 1
    assert runner.task.fold.questions.open[item].loan("ann", runner.clock.now).seq == lease.lease
    assert runner.model() == model
    assert flags(runner, item) == [("ann", "I am not sure", "open")]
    again = runner.lease("ann", items=[item]).questions[0]
    assert [one.note for one in again.flags] == ["I am not sure"]
    runner.label(item, "ham", lease=again.lease)
    assert flags(runner, item) == [("ann", "I am not sure", "open")], "a label of the labeller settles nothing"
    assert cases(runner) == [(item, "flagged")]
    assert runner.lease("bob").questions[0].flags == [], "others label it without a hint"
    assert replays(runner)


def test_the_same_flag_again_does_nothing_and_another_note_is_another_flag(opened: Any) -> None:
    runner = opened()
    first, second = asked(runner, 2)
    assert not runner.flag(first, key="a").again
    assert runner.flag(first, key="a").again
    assert runner.flag(first, key="b").again, "it is flagged already"
    assert runner.flag(first, note="The guideline does not say").open == 2
    assert runner.flag(first, "bob").open == 3
    with pytest.raises(RequestError, match="'a' belongs to another flag"):
        runner.flag(second, key="a")


def test_a_flag_can_be_undone_by_whoever_raised_it(opened: Any) -> None:
    runner = opened()
    (item,) = asked(runner)
    runner.flag(item, note="one")
    runner.flag(item, note="two")
    with pytest.raises(RequestError, match="item 1 has no open flag from you"):
        runner.undo_flag(item, "bob")
    assert runner.undo_flag(item, key="u").open == 1
    assert runner.undo_flag(item, key="u").again
    assert flags(runner, item) == [("ann", "one", "open"), ("ann", "two", "undone")]
    assert runner.undo_flag(item).open == 0
    assert runner.task.fold.flags == {}
    assert cases(runner) == []
    assert runner.flag(item, note="one").again is False
    assert replays(runner)


def test_each_decision_settles_it_until_the_next_flag(opened: Any) -> None:
    runner = opened(labels={"per_item": 2})
    kept, decided, corrected = asked(runner, 3)
    for item in (kept, corrected):
        runner.label(item, "ham", "ann")
        runner.label(item, "ham", "bob")
    for item in (kept, decided, corrected):
        runner.flag(item)
    assert cases(runner) == [(corrected, "flagged"), (decided, "flagged"), (kept, "flagged")]
    assert review(runner, kept).label == "ham"
    assert review(runner, decided, label="spam").label == "spam"
    runner.correct(corrected, "spam")
    assert [flags(runner, item)[0][2] for item in (kept, decided, corrected)] == ["settled"] * 3
    assert (cases(runner), runner.task.fold.flags) == ([], {})
    with pytest.raises(RequestError, match="no open flag"):
        runner.undo_flag(kept)
    assert review(runner, kept).again
    runner.flag(kept, "bob", note="Still wrong")
    assert cases(runner) == [(kept, "flagged")], "it comes back"
    assert not review(runner, kept).again
    assert cases(runner) == []
    assert replays(runner)


def test_an_undone_decision_opens_the_flag_again(opened: Any) -> None:
    runner = opened()
    (item,) = asked(runner)
    runner.flag(item, note="Which class is this?")
    review(runner, item, label="ham")
    runner.undo("boss", item=item)
    assert flags(runner, item) == [("ann", "Which class is this?", "open")]
    assert cases(runner) == [(item, "flagged")]
    assert replays(runner)


def test_disagreements_come_first_and_an_item_is_listed_once(opened: Any) -> None:
    runner = opened(labels={"per_item": 2, "skips": 5})
    tied, skipped, flagged = asked(runner, 3)
    runner.label(tied, "ham", "ann")
    runner.label(tied, "spam", "bob")
    runner.skip(skipped, "bob")
    for item in (tied, skipped, flagged):
        runner.flag(item)
    assert cases(runner) == [(tied, "disagreement"), (flagged, "flagged"), (skipped, "flagged")]
    review(runner, tied)
    assert cases(runner) == [(flagged, "flagged"), (skipped, "flagged")]
    runner.flag(tied)
    assert dict(cases(runner))[tied] == "flagged", "the disagreement is decided, the flag is not"


def test_old_items_are_listed_if_they_are_flagged(opened: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    runner = opened()
    first, *rest = asked(runner, 6)
    for item in (first, *rest):
        runner.label(item, "ham")
    runner.flag(first)
    monkeypatch.setattr(review_view, "LOOKED_AT", 2)
    assert cases(runner) == [(first, "flagged")]
    assert cases(runner, before=4) == [], "once, with the newest"


def test_a_lead_decides_about_an_item_that_waits_again(opened: Any) -> None:
    """Whoever flagged a question on lease may leave it; the lead can give it a label all the same."""
    runner = opened(questions=Asking("lease"))
    (item,) = asked(runner)
    runner.lease("ann")
    runner.flag(item)
    runner.return_question(item)
    assert item not in runner.task.fold.questions.open
    assert cases(runner) == [(item, "flagged")]
    assert review(runner, item, label="spam").label == "spam"
    assert (runner.detail(item).label, cases(runner)) == ("spam", [])
    assert replays(runner)


def test_imported_items_can_be_flagged_and_items_without_a_question_cannot(opened: Any) -> None:
    runner = opened(budget={"total": 1})
    runner.import_items(("some text", "ham"))
    runner.flag(1)
    assert cases(runner) == [(1, "flagged")]
    first, second = asked(runner, 2)
    assert runner.flag(first).open == 1
    with pytest.raises(RequestError, match="was not asked about"):
        runner.flag(second)


def test_flags_are_no_events_and_change_none(opened: Any) -> None:
    runner = opened()
    (item,) = asked(runner)
    runner.flag(item)
    runner.label(item, "ham")
    runner.undo_flag(item)
    maker = EventMaker(runner.store, runner.task.number, runner.settings)
    entries = [entry for batch in runner.store.entries(runner.task.number, item, kinds=KINDS) for entry in batch]
    assert [(seq, [one.type for one in found]) for seq, found in maker.events(entries, EVENT_TYPES)] == [
        (3, ["label.settled", "model.version"])
    ]
