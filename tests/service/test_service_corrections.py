"""Corrections that take effect at their own place in the journal: the learner replaces the label in its memory."""

import random

import msgspec
import numpy as np
import pytest

from askance._util.sealed_file import arrays_of, seal
from askance.errors import StoreError
from askance.service import amending
from askance.service import task as task_module
from askance.service.commands import amendments
from askance.service.compaction import compact
from askance.service.errors import RequestError
from askance.service.messages import Correction, Item
from askance.service.replay import Replay
from askance.service.settings import Asking
from askance.service.state import journal, snapshots
from askance.service.task import Task
from askance.service.views import export
from live_task import Live
from service_task import TaskRunner, settings, texts

OTHER = {"ham": "spam", "spam": "ham"}
SPAM = {"win", "free", "cash", "prize"}


def on_lease(**more):
    asking = more.pop("questions", Asking("lease", audit=0.5, test=0.4))
    return settings("auto", questions=asking, bits=8, **more)


@pytest.fixture
def opened(tmp_path):
    runners = []

    def start(made=None, snapshot_every=25):
        runners.append(
            TaskRunner(str(tmp_path / f"{len(runners)}.db"), made or on_lease(), snapshot_every=snapshot_every)
        )
        return runners[-1]

    yield start
    for runner in runners:
        runner.close()


def taught(runner, count=40, labels=20, wrong=(), random_state=1):
    """Items of which some are labelled; those at places `wrong` get the wrong label. Return the right labels."""
    runner.decide(*(text for text, _ in texts(random.Random(random_state), count)))
    truth = {}
    for place in range(labels):
        [question] = runner.lease("ann").questions
        right = truth[question.item] = "spam" if SPAM & set(question.text.split()) else "ham"
        runner.label(question.item, OTHER[right] if place in wrong else right)
    return truth


def in_memory(runner):
    """The items that the learner remembers."""
    return runner.task.fold.model.learner.items


def is_what_the_journal_says(runner):
    """Restarted, and rebuilt from the first entry on, the fold is the same to the last bit."""
    before = runner.everything()
    again = Task(runner.store, 1, runner.settings, runner.clock)
    assert snapshots.content(again.fold) == before
    runner.task.settle()
    runner.store.drop_snapshots(1, runner.store.snapshot_seqs(1))
    runner.task.rebuild()
    assert runner.everything() == before


def forbid_replays(monkeypatch):
    """From now on, whatever replays the journal fails."""

    def fail(*_):
        raise AssertionError("the journal is replayed")

    monkeypatch.setattr(Replay, "entries", fail)


# ---------------------------------------------------------------- what a correction does


def test_nothing_is_replayed(opened, monkeypatch):
    runner = opened()
    truth = taught(runner, wrong={3})
    wrong = next(item for item, label in truth.items() if runner.detail(item).label != label)
    before, kept = runner.task.fold, runner.store.snapshot_seqs(1)
    forbid_replays(monkeypatch)
    corrected = runner.correct(wrong, truth[wrong])
    assert (corrected.label, corrected.replayed, corrected.again) == (truth[wrong], 0, False)
    assert runner.task.fold is before
    assert runner.store.snapshot_seqs(1) == kept, "snapshots stay valid"
    assert corrected.version == runner.store.last(1) == runner.task.fold.version


def test_no_other_thread_replays_either(tmp_path, monkeypatch):
    monkeypatch.setattr(amending, "FEW", 3)
    monkeypatch.setattr(task_module, "FEW", 3)
    with Live(str(tmp_path / "a.db"), on_lease()) as live:
        truth = taught(live.runner)
        forbid_replays(monkeypatch)
        for item in list(truth)[:3]:
            assert live.correct(item, OTHER[truth[item]]).result(60).replayed == 0
            assert not live.task.is_amending
        assert live.decide("win free cash")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("snapshot_every", [7, 10_000])
def test_a_rebuilt_task_is_the_same(opened, snapshot_every):
    runner = opened(snapshot_every=snapshot_every)
    truth = taught(runner, wrong=range(0, 20, 3))
    for item, label in truth.items():
        runner.correct(item, label)
    taught(runner, 15, 5, random_state=2)
    is_what_the_journal_says(runner)


def test_the_model_counts_figures_and_exports_follow(opened):
    runner = opened()
    truth = taught(runner, 60, 36, wrong=range(0, 36, 3))
    wrong = [item for item, label in truth.items() if runner.detail(item).label != label]
    learner, before = runner.task.fold.model.learner, runner.model()
    assert len(wrong) == 12
    for item in wrong:
        runner.correct(item, truth[item])
    assert runner.model() != before
    known = learner.core.encoder.observed[learner.core.models.lanes.codes[: learner.core.remembered]]
    assert known.tolist() == [truth[item] for item in in_memory(runner)]
    names = list(truth.values())
    assert runner.task.fold.classes == {name: names.count(name) for name in ("ham", "spam")}
    audits = runner.task.fold.audits.kept
    assert {audits[item].label == truth[item] for item in truth if item in audits} == {True}
    assert runner.figures().corrected == 12
    labelled = [row for batch in export.label_rows(runner.store, runner.task) for row in batch]
    assert {row["item"]: row["label"] for row in labelled} == truth
    assert {row["item"] for row in labelled if row["corrected"]} == set(wrong)
    assert [one.by for one in runner.detail(wrong[0]).corrections] == ["boss"]


def test_predictions_are_those_of_right_labels(opened):
    """A twin that got right labels from the start is trusted for its predictions on right labels, so not quite."""
    asking = Asking("lease", audit=0.01)
    one, twin = opened(on_lease(questions=asking)), opened(on_lease(questions=asking))
    pairs = list(texts(random.Random(4), 60))
    for runner in (one, twin):
        decided = runner.decide(*(text for text, _ in pairs[:25]))
        for place, (decision, (_, label)) in enumerate(zip(decided, pairs, strict=False)):
            runner.label(decision.item, OTHER[label] if runner is one and place % 5 == 0 else label)
    for decision, (_, label) in zip(decided, pairs, strict=False):
        one.correct(decision.item, label)
    asked = [Item(text=text) for text, _ in pairs[25:]]
    said = [[found.prediction for found in runner.task.predict(asked).predictions] for runner in (one, twin)]
    assert np.mean([first == second for first, second in zip(*said, strict=True)]) > 0.95


def test_a_label_may_be_corrected_again_and_back(opened):
    runner = opened()
    truth = taught(runner)
    item = in_memory(runner)[3]
    counts = dict(runner.task.fold.classes)
    for label in (OTHER[truth[item]], truth[item]):
        assert runner.correct(item, label).label == label
        assert runner.correct(item, label).again
    assert runner.task.fold.classes == counts
    assert runner.figures().corrected == 1
    is_what_the_journal_says(runner)


def test_several_corrections_may_be_in_one_commit(opened):
    runner = opened()
    truth = taught(runner)
    first, second = in_memory(runner)[:2]
    wishes = [Correction(label=OTHER[truth[item]], item=item, key=f"k{item}") for item in (first, second, first)]
    works = [lambda t, wish=wish: amendments.correct(t, wish, "boss") for wish in wishes]
    for alone in (False, True):
        answers = [answer.result() for answer in runner.run_all(works, alone=alone)]
        assert [answer.again for answer in answers] == [alone, alone, True]
    is_what_the_journal_says(runner)


def test_an_imported_label_is_corrected(opened):
    runner = opened()
    runner.import_items(*texts(random.Random(5), 12))
    item = in_memory(runner)[4]
    before, right = runner.model(), runner.detail(item).label
    assert runner.correct(item, OTHER[right]).replayed == 0
    assert runner.model() != before
    assert runner.task.fold.classes[right] + runner.task.fold.classes[OTHER[right]] == 12
    is_what_the_journal_says(runner)


@pytest.mark.slow
def test_a_class_that_was_added_later(opened):
    runner = opened()
    truth = taught(runner)
    runner.change_classes(["offers"])
    item = in_memory(runner)[2]
    runner.correct(item, "offers")
    assert sorted(runner.task.fold.model.learner.classes_) == ["ham", "offers", "spam"]
    assert (runner.task.fold.classes["offers"], runner.detail(item).label) == (1, "offers")
    is_what_the_journal_says(runner)
    runner.change_classes(rename={"offers": "deals"})
    assert runner.correct(item, truth[item]).label == truth[item]
    assert runner.correct(item, "deals").label == "deals"
    is_what_the_journal_says(runner)


@pytest.mark.slow
@pytest.mark.parametrize("snapshot_every", [6, 10_000])
def test_records_are_learned_again_by_the_forest_too(opened, snapshot_every):
    runner = opened(msgspec.structs.replace(on_lease(), item="record"), snapshot_every)
    chance = random.Random(3)
    items = [Item(record={"a": chance.gauss(0, 1), "b": chance.gauss(5, 2), "c": "x"}) for _ in range(10)]
    for decision in runner.decide(*items):
        runner.label(decision.item, chance.choice(["ham", "spam"]))
    for item in in_memory(runner)[:2]:
        runner.correct(item, OTHER[runner.detail(item).label])
    assert runner.task.fold.model.learner.core.models.counts[3], "there is a forest"
    is_what_the_journal_says(runner)


# ---------------------------------------------------------------- what the learner does not remember


def test_a_label_that_left_the_memory_changes_counts_only(opened):
    runner = opened(on_lease(parameters={"memory": 10.0}))
    truth = taught(runner)
    assert len(in_memory(runner)) == runner.task.fold.model.learner.core.remembered <= 10
    gone = next(item for item in truth if item not in in_memory(runner))
    before, counts = runner.model(), dict(runner.task.fold.classes)
    runner.correct(gone, OTHER[truth[gone]])
    assert runner.model() == before
    assert runner.detail(gone).label == OTHER[truth[gone]]
    assert runner.task.fold.classes == {
        truth[gone]: counts[truth[gone]] - 1,
        OTHER[truth[gone]]: counts[OTHER[truth[gone]]] + 1,
    }
    is_what_the_journal_says(runner)


def test_a_label_that_tests_the_model_is_not_learned(opened):
    runner = opened()
    truth = taught(runner)
    audits = runner.task.fold.audits.kept
    tested = next(item for item in truth if item in audits and audits[item].test)
    before = runner.model()
    runner.correct(tested, OTHER[truth[tested]])
    assert runner.model() == before
    assert audits[tested].label == OTHER[truth[tested]]
    is_what_the_journal_says(runner)


def test_a_forgotten_label_does_not_come_back(opened):
    runner = opened()
    taught(runner, 8, 8)
    version, kept = runner.task.fold.version, list(in_memory(runner))
    truth = taught(runner, labels=12, random_state=2)
    late = next(item for item in truth if item in in_memory(runner))
    early = kept[0]
    runner.correct(early, OTHER[runner.detail(early).label])
    rolled_back = runner.roll_back(version).number
    assert in_memory(runner) == kept
    core = runner.task.fold.model.learner.core
    assert core.encoder.label(int(core.models.lanes.codes[0])) == runner.detail(early).label, "it stays corrected"
    before = runner.model()
    runner.correct(late, OTHER[truth[late]])
    assert runner.model() == before
    assert runner.detail(late).label == OTHER[truth[late]]
    is_what_the_journal_says(runner)
    runner.undo_rollback(rolled_back)
    core = runner.task.fold.model.learner.core
    place = in_memory(runner).index(late)
    assert core.encoder.label(int(core.models.lanes.codes[place])) == OTHER[truth[late]]
    is_what_the_journal_says(runner)


def test_undo_replays_and_takes_corrections_in_order(opened):
    runner = opened(snapshot_every=10)
    truth = taught(runner)
    first, second, third = in_memory(runner)[:3]
    runner.correct(second, OTHER[truth[second]])
    with pytest.raises(RequestError, match="was corrected after that label"):
        runner.undo(item=second)
    assert runner.undo(item=first).replayed > 10
    assert first not in in_memory(runner)
    runner.correct(third, OTHER[truth[third]])
    is_what_the_journal_says(runner)


def test_a_question_that_was_reopened_meanwhile_gets_the_corrected_label(opened):
    """Until a vote that is undone has been replayed, its item counts as labelled, and may be corrected."""
    runner = opened(on_lease(labels={"per_item": 2}))
    [decision] = runner.decide("win a prize")
    for who in ("ann", "bob"):
        runner.label(decision.item, "ham", who)
    runner.undo("ann")
    seq, body = runner.store.last(1) + 1, journal.Correction("spam", "ham")
    runner.store.append(1, [journal.entry(journal.CORRECTION, seq, 1e6, body, item=decision.item, who="boss")])
    runner.task.rebuild()
    assert runner.task.fold.classes == {}
    runner.label(decision.item, "ham", "ann")
    assert runner.task.fold.classes == {"spam": 1}
    assert runner.detail(decision.item).label == "spam"
    is_what_the_journal_says(runner)


def test_an_item_that_was_given_up_has_no_label_to_correct(opened):
    """One vote of two is no label: a lead may decide about it in a review."""
    runner = opened(on_lease(labels={"per_item": 2, "skips": 1}))
    [decision] = runner.decide("win a prize")
    runner.label(decision.item, "ham", "ann")
    runner.lease("bob", items=[decision.item])
    runner.skip(decision.item, "bob")
    assert runner.detail(decision.item).label is None
    with pytest.raises(RequestError, match="has no label to correct"):
        runner.correct(decision.item, "spam")
    is_what_the_journal_says(runner)


def test_after_a_compaction_labels_can_still_be_corrected(opened):
    runner = opened(snapshot_every=10)
    truth = taught(runner)
    runner.task.settle()
    runner.clock.now += 1000.0
    last = runner.task.fold.seq
    assert compact(runner.task, 0.0, runner.clock.now).before == last
    item = in_memory(runner)[0]
    before = runner.model()
    assert runner.correct(item, OTHER[truth[item]]).label == OTHER[truth[item]]
    assert runner.model() != before
    with pytest.raises(RequestError, match="older than the last compaction"):
        runner.undo(item=in_memory(runner)[1])
    before = runner.everything()
    with runner.reopened() as again:
        assert again.everything() == before


# ---------------------------------------------------------------- faults, and stores of earlier versions


def test_a_correction_that_was_not_committed_did_not_happen(opened, monkeypatch):
    runner = opened()
    truth = taught(runner)
    item = in_memory(runner)[0]
    before = runner.everything()

    def fail(*_, **__):
        raise StoreError("the disk is gone")

    with monkeypatch.context() as patch:
        patch.setattr(runner.store, "append", fail)
        with pytest.raises(RequestError, match="the disk is gone"):
            runner.correct(item, OTHER[truth[item]])
    assert runner.detail(item).label == truth[item]
    assert runner.everything() == before


def as_an_earlier_version(runner, monkeypatch):
    """From now on corrections are replayed, and snapshots do not say which items the learner remembers."""
    content = snapshots.content

    def old_content(fold):
        sealed = content(fold)
        arrays = arrays_of(sealed)
        state = msgspec.msgpack.decode(arrays["state"].tobytes())
        del state["items"]
        return seal(
            {**arrays, "state": np.frombuffer(msgspec.msgpack.encode(state), np.uint8)}, {"kind": "snapshot"}
        )

    monkeypatch.setattr(snapshots, "content", old_content)
    monkeypatch.setattr(type(runner.settings), "corrects_in_place", property(lambda _: False))


@pytest.mark.slow
def test_a_store_of_an_earlier_version_has_the_same_model(opened, monkeypatch, caplog):
    runner = opened(snapshot_every=10)
    with monkeypatch.context() as patch:
        as_an_earlier_version(runner, patch)
        truth = taught(runner)
        item = in_memory(runner)[2]
        assert runner.correct(item, OTHER[truth[item]]).replayed > 5
        taught(runner, 15, 5, random_state=2)
        runner.task.settle()
        kept, model, figures = runner.store.snapshot_seqs(1), runner.model(), runner.figures()
    assert kept
    with runner.reopened() as again:
        assert again.model() == model
        assert again.figures().estimates == figures.estimates
        assert again.detail(item).label == OTHER[truth[item]]
        assert f"snapshot {kept[-1]} was written by an earlier version" in caplog.text
        assert 0 not in in_memory(again)
        assert again.correct(item, truth[item]).replayed == 0
        assert again.model() != model
        is_what_the_journal_says(again)


def test_a_compacted_store_of_an_earlier_version_keeps_what_it_learned(opened, monkeypatch):
    runner = opened(snapshot_every=10)
    with monkeypatch.context() as patch:
        as_an_earlier_version(runner, patch)
        truth = taught(runner)
        runner.task.settle()
        runner.clock.now += 1000.0
        compact(runner.task, 0.0, runner.clock.now)
        model = runner.model()
    with runner.reopened() as again:
        assert again.model() == model
        item = next(iter(truth))
        again.correct(item, OTHER[truth[item]])
        assert again.detail(item).label == OTHER[truth[item]]
        assert again.model() == model, "which row it was is not known"
        later = taught(again, 15, 5, random_state=2)
        again.correct(in_memory(again)[-1], OTHER[later[in_memory(again)[-1]]])
        again.task.settle()
        before, kept = again.everything(), again.store.snapshot_seqs(1)
        with again.reopened() as third:
            assert third.everything() == before
            assert Replay(third.store, 1, third.settings).newest().seq == kept[-1] > kept[0], (
                "later ones are valid"
            )


def test_what_a_correction_writes(opened):
    runner = opened()
    truth = taught(runner, labels=3)
    item = next(iter(truth))
    runner.correct(item, OTHER[truth[item]])
    [entry] = [entry for batch in runner.store.entries(1, kinds=[journal.CORRECTION]) for entry in batch]
    assert msgspec.json.decode(entry.body) == {"label": OTHER[truth[item]], "instead_of": truth[item]}
