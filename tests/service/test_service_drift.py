"""Alarms in the service when predictions become worse, and models that forget then."""

import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from askance.service.api.prometheus import Scrape
from askance.service.connectors.events import KINDS, EventMaker
from askance.service.settings import Asking
from askance.service.state import drifting, journal, snapshots
from askance.service.state.auto_model import AutoModel
from askance.service.state.drifting import Answer, Drifting, DriftState
from service_task import Clock, TaskRunner, settings, texts

SWAPPED = {"ham": "spam", "spam": "ham"}
WEEK = 7 * 24 * 3600


def worked(runner: TaskRunner, rounds: int, seed: int, *, swapped: bool = False) -> None:
    """Items come twenty at a time, and each question is answered at once. Later, the classes may be swapped."""
    chance = random.Random(seed)
    for _ in range(rounds):
        runner.clock.now += 60.0
        made = list(texts(chance, 20))
        decided = runner.decide(*(text for text, _ in made))
        truth = {
            one.item: SWAPPED[label] if swapped else label for one, (_, label) in zip(decided, made, strict=True)
        }
        if runner.settings.asks_on_lease:
            asked = [one.item for one in runner.lease(count=10).questions if one.item in truth]
        else:
            asked = [one.item for one in decided if one.ask]
        for item in asked:
            runner.label(item, truth[item])


def of_kind(runner: TaskRunner, *kinds: str) -> list[Any]:
    return [entry for batch in runner.store.entries(1, kinds=kinds) for entry in batch]


ON_LEASE = settings(questions=Asking("lease", audit=1.0, test=1.0))
ON_ARRIVAL = settings("PAA-II")


@pytest.fixture(scope="module", params=[ON_LEASE, ON_ARRIVAL], ids=["on lease", "on arrival"])
def prepared(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A store with a task whose classes were swapped after 20 minutes, and its settings."""
    path = tmp_path_factory.mktemp("drift") / "a.db"
    with TaskRunner(str(path), request.param, snapshot_every=150) as runner:
        worked(runner, 20, 1)
        assert not of_kind(runner, journal.DRIFT)
        assert runner.figures().drift is None
        for seed in range(2, 30):
            worked(runner, 1, seed, swapped=True)
            if of_kind(runner, journal.DRIFT):
                break
        return path, request.param, runner.clock


@pytest.fixture
def changed(prepared: Any, tmp_path: Path) -> Iterator[TaskRunner]:
    path, made, clock = prepared
    shutil.copy(path, tmp_path / "a.db")
    with TaskRunner(str(tmp_path / "a.db"), made, snapshot_every=150, clock=Clock(clock.now)) as runner:
        yield runner


@pytest.mark.sampled(2)
def test_the_journal_and_the_figures_say_it(changed: TaskRunner) -> None:
    (entry,) = of_kind(changed, journal.DRIFT)
    found = changed.figures().drift
    assert (found.at, found.since) == (entry.at, journal.read(entry).since)
    began = 1_000_000.0 + 20 * 60
    assert began - 5 * 60 <= found.since <= found.at
    changed.clock.now = entry.at + WEEK + 1
    assert changed.figures().drift is None


@pytest.mark.sampled(2)
def test_a_restart_and_a_replay_change_nothing(changed: TaskRunner) -> None:
    before = changed.everything()
    with changed.reopened() as again:
        assert again.everything() == before
        again.store.drop_snapshots(1, again.store.snapshot_seqs(1))
        with again.reopened() as rebuilt:
            assert rebuilt.everything() == before
            worked(rebuilt, 1, 99)
            assert len(of_kind(rebuilt, journal.DRIFT)) == 1, "it is said once"


def test_webhooks_and_prometheus_say_it(changed: TaskRunner) -> None:
    maker = EventMaker(changed.store, 1, changed.settings)
    entries = of_kind(changed, *KINDS)
    (event,) = [event for _, events in maker.events(entries, ("task.drift",)) for event in events]
    (entry,) = of_kind(changed, journal.DRIFT)
    assert (event.type, event.seq, event.data) == ("task.drift", entry.seq, {"since": journal.read(entry).since})
    scrape = Scrape(["spam"], {"spam": changed.figures()}, [], [], None, store_up=True)
    (gauge,) = [one for one in scrape.collect() if one.name == "askance_task_drift"]
    assert [(sample.labels, sample.value) for sample in gauge.samples] == [({"task": "spam"}, 1.0)]


def test_questions_that_are_chosen_for_doubt_do_not_count(tmp_path: Path) -> None:
    """Most of them are difficult, and which ones are depends on what else waits."""
    asking = Asking("lease", audit=0.0, test=0.0)
    with TaskRunner(str(tmp_path / "a.db"), settings(questions=asking)) as runner:
        worked(runner, 5, 1)
        assert runner.task.fold.counts.labelled
        assert runner.task.fold.drifting.state() == DriftState()


@pytest.mark.slow
def test_an_undone_label_no_longer_counts(tmp_path: Path) -> None:
    with TaskRunner(str(tmp_path / "a.db"), ON_ARRIVAL) as runner:
        worked(runner, 5, 1)
        before = len(runner.task.fold.drifting.state().answers)
        runner.undo()
        assert len(runner.task.fold.drifting.state().answers) == before - 1


def test_the_detector_goes_on_after_a_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drifting, "MOST", 200)
    chance, whole, restored = random.Random(6), Drifting(), Drifting()
    for seq in range(1, 451):
        rate = 0.1 if seq < 300 else 0.6
        answer = Answer(float(seq), chance.random() < rate, chance.choice([0.2, 1.0]))
        for one in (whole, restored):
            one.tell(seq, answer)
        if seq % 50 == 0:
            restored = Drifting(restored.state())
        assert restored.state() == whole.state()
    assert whole.alarm is not None
    assert whole.alarm.seq > 300


def test_alarms_are_rare_without_a_change() -> None:
    chance, alarms = random.Random(6), 0
    for _ in range(3):
        watched = Drifting()
        for seq in range(1, 501):
            watched.tell(seq, Answer(float(seq), chance.random() < 0.2, 1.0))
        alarms += watched.alarm is not None
    assert alarms <= 1


@pytest.mark.slow
def test_a_model_forgets_and_a_replay_forgets_the_same(tmp_path: Path) -> None:
    made = settings("auto", budget={"rate": 1.0, "burst": 1000}, questions=Asking("arrival"))
    with TaskRunner(str(tmp_path / "a.db"), made, snapshot_every=200) as runner:
        worked(runner, 7, 1)
        for seed in range(2, 40):
            worked(runner, 1, seed, swapped=True)
            assert isinstance(runner.task.fold.model.learner, AutoModel)
            if runner.task.fold.model.learner.core.forgetting.changes:
                break
        before = runner.everything()
        assert runner.task.fold.model.learner.core.forgetting.changes
        restored = snapshots.unpack(snapshots.pack(before), runner.settings)
        assert snapshots.content(restored) == before
        runner.store.drop_snapshots(1, runner.store.snapshot_seqs(1))
        with runner.reopened() as rebuilt:
            assert rebuilt.everything() == before
            rebuilt.undo()
            worked(rebuilt, 1, 99, swapped=True)
            after = rebuilt.everything()
            rebuilt.store.drop_snapshots(1, rebuilt.store.snapshot_seqs(1))
            with rebuilt.reopened() as again:
                assert again.everything() == after
