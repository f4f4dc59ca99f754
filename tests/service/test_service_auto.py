"""Tasks with the automatic learner, which is that of a task that names none."""

import random

import msgspec
import numpy as np
import pytest

import askance
from askance.learners.core import LearnerCore
from askance.persistence import model_of
from askance.service import settings as forms
from askance.service.compaction import compact
from askance.service.messages import Item
from askance.service.service import Service
from askance.service.settings import Asking, Budget, Hashing, TaskSettings
from askance.service.state import journal, snapshots
from askance.service.state.auto_model import AutoModel
from askance.service.state.models import encode
from askance.service.state.rows import stored_rows
from askance.service.store import open_store
from askance.service.task import Task
from askance.service.views import explain, model
from service_task import TaskRunner, settings, texts

HALF = {"rate": 0.5, "burst": 30}


@pytest.fixture
def runner(tmp_path):
    with TaskRunner(str(tmp_path / "a.db"), settings("auto", budget=HALF), snapshot_every=25) as opened:
        yield opened


def lived(runner, count=40, random_state=3, wrong=()):
    """Items that come one by one. Every third answer comes five items later; those at places `wrong` are wrong."""
    pairs, late, labels = list(texts(random.Random(random_state), count)), [], {}
    for place, (text, label) in enumerate(pairs):
        decision = runner.decide(text)[0]
        if decision.ask:
            labels[decision.item] = label
            late.append((place + 5 * (place % 3 == 0), decision.item, place in wrong))
        for due, item, is_wrong in list(late):
            if due <= place:
                right = labels[item]
                runner.label(item, {"ham": "spam", "spam": "ham"}[right] if is_wrong else right)
                late.remove((due, item, is_wrong))
    return labels


def twin(runner, labels):
    """What the journal makes of a new model, written out: ask about every item, learn every label when it came."""
    entries = [entry for batch in runner.store.entries(1) for entry in batch]
    contents = {entry.seq: journal.read(entry) for entry in entries if entry.kind in journal.ITEMS}
    rows, made = stored_rows(runner.settings, contents), runner.settings.learner()
    for entry in entries:
        if entry.kind in journal.ITEMS:
            made.ask(rows[entry.seq])
        elif entry.kind == journal.LABEL and entry.item in labels:
            made.tell(rows[entry.item], labels[entry.item], contents[entry.item].ask_probability)
    return encode(made)


# ---------------------------------------------------------------------- the default


def test_a_task_that_names_no_algorithm_has_this_one_and_says_so(tmp_path):
    with open_store(str(tmp_path / "a.db")) as store:
        service = Service(store)
        service.add_task(TaskSettings("mails", ["ham", "spam"], hashing=Hashing(bits=8), budget=Budget(rate=0.2)))
        made = service.writers["mails"].task
        assert (made.settings.algorithm, made.settings.method) == ("auto", "auto")
        assert isinstance(made.fold.model.learner, AutoModel)
        assert made.fold.model.learner.core.plan.rate == 0.2
        assert msgspec.json.decode(store.tasks()[0].settings)["algorithm"] == "auto"
        service.stop()


@pytest.mark.parametrize(("classes", "name"), [(["ham", "spam"], "PAA-II"), (["a", "b", "c"], "MPAA-II")])
def test_a_task_stored_without_an_algorithm_has_the_one_of_then(tmp_path, classes, name):
    # Such a task, its journal and its snapshot, as they were written before there was another default.
    before = TaskSettings("spam", classes, algorithm=name, hashing=Hashing(bits=8))
    with TaskRunner(str(tmp_path / "a.db"), before, snapshot_every=5) as runner:
        runner.decide(*(text for text, _ in texts(random.Random(1), 12)))
        runner.label(1, classes[0])
        runner.task.fold.settings = msgspec.structs.replace(before, algorithm=None)
        runner.task._take_snapshot()
        runner.task.settle()
        content, then = runner.model(), forms.to_json(msgspec.structs.replace(before, algorithm=None))
        assert b"algorithm" not in then
        task = Task(runner.store, 1, forms.from_json(then), runner.clock)
        assert isinstance(task.fold.model.learner, LearnerCore)
        assert task.settings.method == name
        assert encode(task.fold.model.learner) == content


def plan_of(runner):
    plan = runner.task.fold.model.learner.core.plan
    return plan.rate, plan.burst


def test_without_a_rate_it_asks_about_a_tenth(tmp_path):
    with TaskRunner(str(tmp_path / "a.db"), settings("auto")) as runner:
        assert runner.task.fold.model.learner.core.plan.rate == 0.1
        runner.change(budget=Budget(rate=0.5, burst=7))
        assert plan_of(runner) == (0.5, 7)
        before = runner.everything()
        with runner.reopened() as again:
            assert again.everything() == before
            assert plan_of(again) == (0.5, 7)
            again.change(budget=Budget())
            assert again.task.fold.model.learner.core.plan.rate == 0.1


# ---------------------------------------------------------------------- the same as the library, to the last bit


@pytest.mark.sampled(2)
@pytest.mark.parametrize("classes", [("ham", "spam"), ("eggs", "ham", "spam")])
def test_decisions_are_those_of_the_library(tmp_path, classes):
    task = settings("auto", budget=HALF, random_state=5, classes=classes)
    learner = askance.AutoLearner(0.5, audit=0.3, random_state=5, classes=list(classes))
    with TaskRunner(str(tmp_path / "a.db"), task) as runner:
        waiting = []
        for text, label in texts(random.Random(1), 50):
            x = askance.data.hash_texts([text], 8, unit=False, signed=False, dtype="float64")
            expected, (decision,) = learner.ask(x), runner.decide(text)
            assert (decision.score, decision.ask_probability, decision.ask) == expected[1:4]
            assert expected.prediction in (None, decision.prediction)
            if decision.ask:
                waiting.append((decision, x, label))
            if len(waiting) == 3:  # late, and the newest first
                for late, row, answer in reversed(waiting):
                    learner.tell(row, answer, late.ask_probability)
                    runner.label(late.item, answer)
                waiting = []
        assert 20 < runner.figures().asked < 45
        assert runner.figures().asked == learner.spending_.asked
        downloaded = model_of(runner.model())
        found = runner.task.predict([Item(text="win cash lunch"), Item(text="hello")]).predictions
    X = askance.data.hash_texts(["win cash lunch", "hello"], 8, unit=False, signed=False, dtype="float64")
    np.testing.assert_array_equal(downloaded.predict_proba(X), learner.predict_proba(X))
    assert [one.prediction for one in found] == learner.predict(X).tolist()
    scores = learner.decision_function(X)
    expected = scores if len(classes) == 2 else _leads(np.exp(scores))
    np.testing.assert_allclose([one.score for one in found], expected, rtol=1e-6)


def _leads(shares):
    best = np.sort(shares, axis=1)
    return best[:, -1] - best[:, -2]


def test_late_labels_are_learned_when_they_come(runner):
    labels = lived(runner)
    answered = {item: label for item, label in labels.items() if runner.detail(item).label}
    assert len(answered) > 15
    assert runner.model() == twin(runner, answered)


@pytest.mark.slow
def test_corrected_labels_are_learned_at_their_own_place(runner):
    labels = lived(runner, wrong={4, 20})
    wrong = runner.model()
    answered = {item: label for item, label in labels.items() if runner.detail(item).label}
    for item, label in answered.items():
        runner.correct(item, label)
    assert runner.model() == twin(runner, answered) != wrong
    with runner.reopened() as again:
        assert again.model() == twin(again, answered)


def test_an_undone_label_leaves_the_model_without_it(runner):
    labels = lived(runner)
    answered = {item: label for item, label in labels.items() if runner.detail(item).label}
    undone = runner.undo().item
    del answered[undone]
    assert runner.model() == twin(runner, answered)
    assert runner.detail(undone).state == "open"


def test_rolled_back_it_knows_what_it_knew(runner):
    labels = lived(runner, 20)
    version, answered = (
        runner.task.fold.version,
        {i: label for i, label in labels.items() if runner.detail(i).label},
    )
    lived(runner, 15, random_state=8)
    later = runner.model()
    rolled_back = runner.roll_back(version).number
    assert runner.model() == twin(runner, answered)
    runner.undo_rollback(rolled_back)
    assert runner.model() == later


def test_earlier_versions_can_be_had_again_and_a_compaction_changes_nothing(runner):
    lived(runner, 15)
    version, earlier = runner.task.fold.version, runner.model()
    lived(runner, 15, random_state=8)
    assert encode(runner.task.fold_at(version).model.learner) == earlier
    before = runner.everything()
    runner.task.settle()
    runner.clock.now += 1000.0
    assert compact(runner.task, 0.0, runner.clock.now).items > 0
    with runner.reopened() as again:
        assert again.everything() == before


def test_imported_labels_are_learned(runner):
    pairs = list(texts(random.Random(2), 12))
    runner.import_items(*pairs)
    runner.decide(*(text for text, _ in texts(random.Random(9), 5)))
    core = runner.task.fold.model.learner.core
    assert core.remembered == 12
    assert core.models.scales.rows[0] == 17, "each row was observed once"
    before = runner.everything()
    with runner.reopened() as again:
        assert again.everything() == before


def test_while_it_is_paused_no_question_is_counted(runner):
    runner.set_state("paused")
    assert not any(decision.ask for decision in runner.decide(*["word"] * 30))
    assert runner.task.fold.model.learner.core.spending[:2] == (30, 0)
    runner.set_state("running")
    assert all(decision.ask for decision in runner.decide(*["word"] * 10)), "the first ten are still to come"
    assert runner.figures().asked == runner.task.fold.model.learner.core.spending.asked == 10


@pytest.mark.sampled(3)
@pytest.mark.parametrize("budget", [{"rate": 0.1, "burst": 3}, {"total": 12}, {"rate": 1.0, "per_day": 5}])
def test_no_prefix_exceeds_a_budget(tmp_path, budget):
    limits, asked = Budget(**budget), 0
    with TaskRunner(str(tmp_path / "a.db"), settings("auto", budget=budget)) as runner:
        for rows, (text, label) in enumerate(texts(random.Random(4), 60), 1):
            decision = runner.decide(text)[0]
            asked += decision.ask
            assert limits.rate is None or asked <= limits.burst + limits.rate * rows
            assert asked <= (limits.total or limits.per_day or asked)
            if decision.ask and rows % 2:
                runner.label(decision.item, label)
        assert asked == {0.1: 9, None: 12, 1.0: 5}[limits.rate]


# ---------------------------------------------------------------------- what it says of itself


def test_it_explains_itself_before_the_first_label(runner):
    for text in ("win cash", "", "!?"):
        why = explain.explained(runner.task.fold, Item(text=text))
        assert (why.prediction, why.score, why.pulls) == ("ham", 0.0, [])
    assert model.detail(runner.store, runner.task).strongest == {"ham": [], "spam": []}
    assert runner.task.predict([Item(text="win cash")]).predictions[0].score == 0.0


@pytest.mark.sampled(2)
@pytest.mark.parametrize("classes", [("ham", "spam"), ("eggs", "ham", "spam")])
def test_words_that_it_learned_from_pull_and_others_do_not(tmp_path, classes):
    with TaskRunner(str(tmp_path / "a.db"), settings("auto", budget=HALF, bits=12, classes=classes)) as runner:
        lived(runner)
        for text in ("Hello! WIN the prize, hello", "nobody knows these", ""):
            why = explain.explained(runner.task.fold, Item(text=text))
            told = runner.task.predict([Item(text=text)]).predictions[0]
            assert (why.prediction, why.score) == (told.prediction, pytest.approx(told.score))
            pulls = {pull.feature: pull.towards for pull in why.pulls}
            assert pulls == ({"win": "spam", "prize": "spam", "hello": "ham"} if "WIN" in text else {})
        strongest = model.detail(runner.store, runner.task).strongest
        assert {"win", "free", "cash", "prize"} <= {one.feature for one in strongest["spam"]}
        assert {"lunch", "meeting", "hello"} & {one.feature for one in strongest["ham"]}
        assert not {one.feature for one in strongest["spam"]} & {one.feature for one in strongest["ham"]}


def test_it_says_why_it_asks(runner):
    assert runner.decide("win cash")[0].ask
    first = runner.lease(why=True).questions[0].why.reason
    assert first.startswith("It is one of the first items, or the model was less certain")
    question = runner.task.fold.questions.open[1]
    question.ask_probability = 0.05
    reason = explain.why_asked(runner.task.fold, Item(text="win cash"), question).reason
    assert reason.startswith("It was drawn at random")
    assert "5 % are asked" in reason


# ---------------------------------------------------------------------- records


def of_records(**more):
    return msgspec.structs.replace(settings("auto", bits=12, budget=HALF, **more), item="record")


def customers(count, random_state=0):
    """Records of very different numbers, one of which is now and then null or not there, and a category."""
    chance = random.Random(random_state)
    for place in range(count):
        label = chance.choice(["ham", "spam"])
        record = {"income": chance.gauss(30_000, 5_000), "ratio": chance.gauss(0.001 * (label == "spam"), 0.0003)}
        record |= {"city": chance.choice(["Oslo", "Rome", None]), "age": None if place == 2 else place % 7 + 20}
        if place % 11 == 4:
            del record["income"]
        if place > 30:
            record["later"] = 1.5  # which none of the first records had
        yield record, label


def answered(runner, pairs):
    decided = []
    for record, label in pairs:
        decision = runner.decide(Item(record=record))[0]
        decided.append(decision)
        if decision.ask:
            runner.label(decision.item, label)
    return decided


@pytest.mark.slow
def test_numbers_of_records_are_columns_with_scales_as_in_the_library(tmp_path):
    learner = askance.AutoLearner(0.5, audit=0.3, classes=["ham", "spam"])
    with TaskRunner(str(tmp_path / "a.db"), of_records()) as runner:
        for record, label in customers(38):
            numbers = [record.get("income", 0.0), record["ratio"], record["age"]]
            if numbers[2] is None:  # the mean so far
                numbers[2] = 20.5
            words = [name for name in (f"city={record['city']}",) if record["city"]]
            sparse = askance.data.hash_records([dict.fromkeys(words, 1.0)], 12, dtype="float64")
            later = askance.data.hash_records([{"later": record.get("later", 0.0)}], 12, dtype="float64")
            x = askance.data.MixedRows(np.array([numbers], float), abs(sparse) + abs(later))
            expected, decision = learner.ask(x), runner.decide(Item(record=record))[0]
            assert (decision.score, decision.ask_probability, decision.ask) == expected[1:4]
            if decision.ask:
                runner.label(decision.item, label)
                learner.tell(x, label, decision.ask_probability)
        assert list(runner.task.fold.model.learner.columns) == ["income", "ratio", "age"]
        assert runner.task.fold.model.learner.core.remembered > 15


@pytest.mark.parametrize("snapshot_every", [4, pytest.param(30, marks=pytest.mark.slow)])
def test_records_are_replayed_bit_for_bit(tmp_path, snapshot_every):
    with TaskRunner(str(tmp_path / "a.db"), of_records(), snapshot_every=snapshot_every) as runner:
        answered(runner, [({"ratio": 0.5, "x.y": 1}, "ham"), ({"city": "Bern"}, "spam"), *customers(25)])
        assert set(runner.task.fold.model.learner.columns) == {"ratio", "x.y", "income", "age"}
        before = runner.everything()
        with runner.reopened() as again:
            assert again.everything() == before
            again.store.drop_snapshots(1, again.store.snapshot_seqs(1))
            again.task.rebuild()
            assert again.everything() == before, "from the first entry on"


def test_records_with_many_labels_are_sound_after_a_restart(tmp_path):
    """From 100 labels on, models that know only recent labels compete, each with a forest of its own."""
    rng = random.Random(1)
    values = [{"x": rng.random(), "z": rng.random()} for _ in range(120)]
    with TaskRunner(str(tmp_path / "a.db"), of_records()) as runner:
        runner.import_items(*((value, "ham" if value["x"] > 0.5 else "spam") for value in values))
        assert runner.task.fold.model.learner.core.forgetting.competing
        before = runner.everything()
        with runner.reopened() as again:
            assert again.everything() == before
            again.task.rebuild()
            assert again.task.predict([Item(record=values[0])]).predictions
            assert not again.task.fold.model.diverged


@pytest.mark.slow
def test_a_number_of_any_size_does_no_harm(tmp_path):
    with TaskRunner(str(tmp_path / "a.db"), of_records()) as runner:
        sizes = [{"a": 1e150, "b": -1e150}, {"a": -1e150, "b": 1e-300}, {"a": 3, "b": 1}] * 8
        answered(runner, zip(sizes, ["ham", "spam", "spam"] * 8, strict=True))
        before = runner.everything()
        with runner.reopened() as again:
            assert again.everything() == before
        assert np.isfinite(runner.task.predict([Item(record=sizes[0])]).predictions[0].score)


def test_records_are_explained_by_their_fields(tmp_path):
    with TaskRunner(str(tmp_path / "a.db"), of_records()) as runner:
        for place in range(12):
            spam = place % 2
            record = {"country": "xy" if spam else "ab", "amount": 100.0 + 50 * spam + place, "same": 7}
            answered(runner, [(record, "spam" if spam else "ham")])
        record = {"country": "xy", "amount": 160.0, "same": 7, "new": 3, "gone": None, "other": "never seen"}
        why = explain.explained(runner.task.fold, Item(record=record))
        assert {(pull.feature, pull.towards) for pull in why.pulls} == {("country=xy", "spam"), ("amount", "spam")}
        assert why.score == runner.task.predict([Item(record=record)]).predictions[0].score
        assert explain.explained(runner.task.fold, Item(record={"same": 7})).pulls == []
        strongest = model.detail(runner.store, runner.task).strongest
        assert [[one.feature for one in strongest[name]] for name in ("ham", "spam")] == [
            ["country=ab"],
            ["country=xy"],
        ]


def test_items_that_a_replay_shows_to_the_model_together_leave_it_as_one_by_one(tmp_path):
    made = settings("auto", questions=Asking("lease"))
    with TaskRunner(str(tmp_path / "lease.db"), made) as runner:
        right = {}
        for part in range(6):  # scales are refreshed within the parts, and between them
            pairs = list(texts(random.Random(part), 15))
            for (_, label), decision in zip(pairs, runner.decide(*(text for text, _ in pairs)), strict=True):
                right[decision.item] = label
            for question in runner.lease("ann", count=4).questions:
                runner.label(question.item, right[question.item], "ann")
        lived = snapshots.content(runner.task.fold)
        assert runner.task.rebuild() == runner.task.fold.seq
        assert snapshots.content(runner.task.fold) == lived


def test_many_labels_make_a_snapshot_before_many_entries_do(tmp_path, monkeypatch):
    monkeypatch.setattr("askance.service.task.SNAPSHOT_LABELS", 20)
    with TaskRunner(str(tmp_path / "a.db"), settings("auto")) as runner:
        runner.import_items(*texts(random.Random(0), 12))
        runner.import_items(*texts(random.Random(1), 12))
        runner.import_items(*texts(random.Random(2), 12))
        runner.task.settle()
        assert runner.store.snapshot_seqs(1) == [24]
        lived = snapshots.content(runner.task.fold)
        assert runner.task.rebuild() == 12
        assert snapshots.content(runner.task.fold) == lived
