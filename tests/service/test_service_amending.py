"""Amendments of the distant past: another thread replays, and the task goes on meanwhile."""

import itertools
import random
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askance.errors import StoreError
from askance.service import amending, messages
from askance.service import task as task_module
from askance.service.commands.items import import_items
from askance.service.compaction import compact
from askance.service.errors import RequestError
from askance.service.replay import Replay
from askance.service.settings import Asking
from askance.service.state.snapshots import KEPT, thinned
from live_task import WAIT, Live
from service_task import settings as made

# ---------------------------------------------------------------------- which snapshots are kept


def kept_after(entries, every, horizon=0):
    kept = []
    for seq in range(every, entries + 1, every):
        kept.append(seq)
        surplus = thinned(kept, horizon)
        kept = [one for one in kept if one not in surplus]
        yield kept


def test_one_snapshot_is_kept_for_each_doubling():
    """A label of any age is then replayed from a snapshot at most twice as old, and a few thousand entries."""
    every = 10_000
    for kept in kept_after(2_000_000, every):
        newest = kept[-1]
        distances = [newest - seq for seq in reversed([0, *kept])]
        assert distances[:KEPT] == [0, every, 2 * every][: len(distances) - 1] + [newest][: KEPT - len(kept)]
        for nearer, further in itertools.pairwise(distances):
            assert further <= max(2 * nearer, nearer + every)
        assert len(kept) <= KEPT + 2 * (newest // every).bit_length()
    assert kept[0] <= 1_000_000


@given(st.lists(st.integers(1, 50_000), min_size=1, max_size=300), st.integers(0, 300))
@settings(max_examples=100)
def test_uneven_snapshots_are_thinned_as_well(steps, place):
    kept, seq, horizon = [], 0, 0
    for number, step in enumerate(steps):
        seq += step
        kept.append(seq)
        if number == place:
            horizon = seq
        surplus = thinned(kept, horizon)
        assert horizon not in surplus
        assert not set(surplus) & set(kept[-KEPT:])
        kept = [one for one in kept if one not in surplus]
        distances = [seq - one for one in reversed([*([] if horizon else [0]), *kept])]
        for nearer, further in zip(distances[KEPT - 1 :], distances[KEPT:], strict=False):
            assert further <= max(2 * nearer, nearer + max(steps))


# ---------------------------------------------------------------------- a replay in another thread


class Gate:
    """Holds replays of other threads until it is opened."""

    def __init__(self, monkeypatch):
        self.open, self.reached = threading.Event(), threading.Event()
        entries = Replay.entries

        def held(replay, fold, upto=None):
            for _ in entries(replay, fold, upto):
                yield
                if threading.current_thread().name == "askance-replay":
                    self.reached.set()
                    assert self.open.wait(WAIT)

        monkeypatch.setattr(Replay, "entries", held)


@pytest.fixture
def gate(monkeypatch):
    monkeypatch.setattr(amending, "FEW", 3)
    monkeypatch.setattr(task_module, "FEW", 3)
    return Gate(monkeypatch)


def test_items_are_decided_while_an_old_label_is_corrected(tmp_path, gate):
    with Live(str(tmp_path / "a.db")) as live:
        asked = live.taught(60)
        before = live.task.store.last(1)
        answer = live.correct(asked[0], "spam" if live.detail(asked[0]).label == "ham" else "ham", key="k")
        assert gate.reached.wait(WAIT)
        assert live.task.store.last(1) == before + 1, "the correction is on disk at once"
        more = live.taught(20, 2)
        assert more
        assert live.detail(asked[0]).corrections, "those who look see the correction"
        assert not answer.done()
        gate.open.set()
        amended = answer.result(WAIT)
        assert (amended.item, amended.again) == (asked[0], False)
        assert amended.replayed >= before
        live.is_what_the_journal_says()
        assert live.correct(asked[0], amended.label, key="k").result(WAIT).again
        live.taught(5, 3)
        live.is_what_the_journal_says()


@pytest.mark.slow
def test_amendments_that_come_during_a_replay_get_one_of_their_own(tmp_path, gate):
    with Live(str(tmp_path / "a.db")) as live:
        asked = live.taught(60)
        truth = live.detail(asked[1]).label
        first = live.correct(asked[0], "spam" if live.detail(asked[0]).label == "ham" else "ham")
        assert gate.reached.wait(WAIT)
        late = [
            live.correct(asked[1], "spam" if truth == "ham" else "ham"),
            live.undo(item=asked[2]),
            live.undo(),
            live.undo(),
            live.roll_back(live.detail(asked[-5]).item + 1),
        ]
        live.taught(10, 2)
        assert not any(answer.done() for answer in (first, *late))
        with pytest.raises(RequestError, match="a correction is being applied"):
            live.submit(lambda t: compact(live.task, 0.0, t.now), alone=True).result(WAIT)
        gate.open.set()
        assert first.result(WAIT).item == asked[0]
        answers = [answer.result(WAIT) for answer in late]
        assert len({answer.item for answer in answers[1:4]}) == 3, "one label is not undone twice"
        live.is_what_the_journal_says()


def test_a_vote_that_is_undone_does_not_count_during_the_replay(tmp_path, gate):
    with Live(str(tmp_path / "a.db"), made(labels={"per_item": 2})) as live:
        item = live.decide("win free cash")[0].item
        live.label(item, "spam")
        live.taught(40)
        answer = live.undo(item=item)
        assert gate.reached.wait(WAIT)
        assert live.label(item, "ham", "bob").state == "waiting"
        gate.open.set()
        answer.result(WAIT)
        assert [question.item for question in live.lease("ann", items=[item])] == [item]
        live.is_what_the_journal_says()


def test_a_label_of_a_gold_item_that_is_undone_can_be_given_again_during_the_replay(tmp_path, gate):
    with Live(str(tmp_path / "a.db"), made(labels={"per_item": 2, "aggregate": "posterior"})) as live:
        gold = messages.LabelledItem(text="win free cash", label="spam", gold=True)
        live.submit(lambda transaction: import_items(transaction, [gold], "boss")).result(WAIT)
        live.label(1, "ham")
        live.taught(40)
        answer = live.undo(item=1)
        assert gate.reached.wait(WAIT)
        live.label(1, "spam")
        item = live.decide("win free cash")[0].item
        for who in ("bob", "ann"):
            live.label(item, "spam", who)
        gate.open.set()
        answer.result(WAIT)
        assert [one.label for one in live.task.fold.voting.state.votes if one.item == 1] == ["spam"]
        live.is_what_the_journal_says()


def test_a_replay_that_fails_is_made_up_for(tmp_path, gate, monkeypatch, caplog):
    with Live(str(tmp_path / "a.db")) as live:
        asked = live.taught(40)
        newest, failed = Replay.newest, threading.Event()

        def fail(replay, upto=None):
            if threading.current_thread().name == "askance-replay":
                failed.set()
                raise StoreError("the disk is gone")
            return newest(replay, upto)

        monkeypatch.setattr(Replay, "newest", fail)
        live.correct(asked[0], "spam" if live.detail(asked[0]).label == "ham" else "ham").result(WAIT)
        assert failed.is_set()
        assert "a replay failed" in caplog.text
        live.is_what_the_journal_says()


def test_a_service_that_stops_keeps_the_amendment(tmp_path, gate):
    live = Live(str(tmp_path / "a.db"))
    asked = live.taught(40)
    other = "spam" if live.detail(asked[0]).label == "ham" else "ham"
    answer = live.correct(asked[0], other)
    assert gate.reached.wait(WAIT)
    threading.Timer(0.05, gate.open.set).start()
    live.writer.stop()
    with pytest.raises(RequestError, match="takes effect at the next start"):
        answer.result(WAIT)
    again = live.runner.reopened()
    assert again.detail(asked[0]).label == other
    again.close()


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("algorithm", "on_lease"), [("PAA-II", False), ("PAA-II", True), ("auto", True)])
@pytest.mark.parametrize("random_state", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_random_life_with_replays_in_another_thread(tmp_path, monkeypatch, random_state, algorithm, on_lease):
    monkeypatch.setattr(amending, "FEW", 3)
    monkeypatch.setattr(task_module, "FEW", 3)
    chance = random.Random(random_state)
    questions = {"questions": Asking("lease")} if on_lease else {}
    task = made(algorithm, labels={"per_item": chance.randint(1, 2)}, **questions)
    with Live(str(tmp_path / "a.db"), task, snapshot_every=15) as live:
        waiting = []
        live.taught(30)
        for _ in range(40):
            live.runner.clock.now += chance.choice([1, 200])
            labelled = [item for _, item in live.task.fold.recent.get("ann", [])] or [1]
            match chance.choice(["teach", "answer", "answer", "lease", "correct", "undo", "roll back"]):
                case "teach":
                    live.taught(10, chance.random())
                case "answer" | "lease" as what:
                    who = chance.choice(["ann", "bob"])
                    for question in live.lease(who, count=3):
                        if what == "answer":
                            live.label(question.item, chance.choice(["ham", "spam"]), who)
                case "correct":
                    waiting.append(live.correct(chance.choice(labelled), chance.choice(["ham", "spam"])))
                case "undo":
                    waiting.append(live.undo(chance.choice(["ann", "bob"])))
                case "roll back":
                    waiting.append(live.roll_back(chance.randrange(live.task.fold.version + 1)))
        found = [answer.exception(WAIT) for answer in waiting]
        assert all(isinstance(error, RequestError | None) for error in found), found
        assert None in found
        live.is_what_the_journal_says()
