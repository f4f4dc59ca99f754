"""Items that are texts, records, vectors, or several of them together."""

import itertools
import json
import random

import msgspec
import numpy as np
import pytest

import askance
from askance.persistence import model_of
from askance.service import settings as forms
from askance.service.compaction import compact
from askance.service.errors import RequestError
from askance.service.given_settings import as_settings
from askance.service.messages import Item
from askance.service.state import journal
from askance.service.state.models import warm_up
from askance.service.state.vectors import packed, unpacked
from askance.service.views import explain, export, model
from askance.service.views import task as task_view
from service_task import TaskRunner, settings, texts
from thinning import rest_slow

pytestmark = pytest.mark.plain
LENGTH = 4
HALF = {"rate": 0.5, "burst": 30}


def task(item, algorithm="auto", **more):
    takes_vectors = item in ("vector", "mixed") or "vector" in item
    length = {"vector_length": LENGTH} if takes_vectors else {}
    made = settings(algorithm, bits=10, budget=HALF)
    return msgspec.structs.replace(made, item=item, **length, **more)


def contents(parts, count, random_state=0, gaps=False):
    """Items with these parts, each of which tells something about the class; with gaps, some lack a part."""
    chance = random.Random(random_state)
    for place, (text, label) in enumerate(texts(chance, count)):
        sign = 1.0 if label == "spam" else -1.0
        vector = np.array([chance.gauss(sign, 1.0), *(chance.gauss(0.0, 1.0) for _ in range(LENGTH - 1))])
        vector /= np.linalg.norm(vector)
        record = {"income": chance.gauss(30_000 + 3_000 * sign, 4_000), "city": chance.choice(["Oslo", "Rome"])}
        every = {"text": text, "record": record, "vector": vector.tolist()}
        kept = [part for at, part in enumerate(parts) if not (gaps and len(parts) > 1 and place % 5 == at + 1)]
        yield {part: every[part] for part in kept}, label


def lived(runner, pairs):
    decided = []
    for content, label in pairs:
        decision = runner.decide(Item(**content))[0]
        decided.append(decision)
        if decision.ask:
            runner.label(decision.item, label)
    return decided


# ---------------------------------------------------------------------- settings


def test_settings_of_earlier_tasks_are_stored_as_before():
    assert forms.to_json(forms.TaskSettings("a", ["x", "y"])) == b'{"name":"a","classes":["x","y"]}'
    with_records = forms.TaskSettings("a", ["x", "y"], item="record")
    assert forms.to_json(with_records) == b'{"name":"a","classes":["x","y"],"item":"record"}'
    assert journal.entry("imported", 1, 0.0, journal.ImportedItem(text="a", label="x")).body == (
        b'{"text":"a","label":"x"}'
    )


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"item": "vector"}, "vector_length is missing"),
        ({"item": "mixed"}, "vector_length is missing"),
        ({"item": ["text", "text"]}, "names a part twice"),
        ({"vector_length": 3}, "vector_length is for items with vectors"),
    ],
)
def test_settings_that_do_not_fit_together_are_refused(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        as_settings({"name": "a", "classes": ["x", "y"], **given}).learner()


# ---------------------------------------------------------------------- vectors


@pytest.mark.parametrize("numbers", [[0.5, -2.0, 0.0], np.float32([0.1, 1e-3]).tolist(), [0.1, 1e300], [1 / 3]])
def test_vectors_are_kept_to_the_last_bit(numbers):
    assert unpacked(packed(numbers)).tolist() == numbers
    in_json = msgspec.json.decode(
        msgspec.json.encode(journal.Content(vector=packed(numbers))), type=journal.Content
    )
    assert unpacked(in_json.vector).tolist() == numbers


@pytest.mark.slow
def test_decisions_about_vectors_are_those_of_the_library(tmp_path):
    learner = askance.AutoLearner(0.5, audit=0.3, classes=["ham", "spam"])
    with TaskRunner(str(tmp_path / "a.db"), task("vector")) as runner:
        for content, label in contents(["vector"], 40):
            x = askance.data.MixedRows(np.array([content["vector"]]), _no_words())
            expected, decision = learner.ask(x), runner.decide(Item(**content))[0]
            assert (decision.score, decision.ask_probability, decision.ask) == expected[1:4]
            if decision.ask:
                learner.tell(x, label, decision.ask_probability)
                runner.label(decision.item, label)
        scales = runner.task.fold.model.learner.core.models.scales
        assert (scales.centres == 0).all(), "vectors of length 1 stay as they are"
        exported = model_of(runner.model())
    np.testing.assert_array_equal(exported.predict_proba(x), learner.predict_proba(x))


def _no_words():
    import scipy.sparse as sp

    return sp.csr_array((1, 1 << 10))


@pytest.mark.slow
def test_vectors_of_length_1_stay_as_they_are_beside_numbers(tmp_path):
    with TaskRunner(str(tmp_path / "a.db"), task("mixed")) as runner:
        lived(runner, contents(["text", "record", "vector"], 25, gaps=True))
        learner = runner.task.fold.model.learner
        scales = learner.core.models.scales
        assert (scales.centres[:LENGTH] == 0).all()
        assert (scales.factors[:LENGTH] == np.sqrt(LENGTH + 1)).all()
        assert learner.columns == {"income": LENGTH}
        assert abs(scales.centres[LENGTH] - 30_000) < 5_000
        again = model_of(runner.model())
        assert again._core.unit_columns == LENGTH
        runner.decide(Item(vector=[3.0, 0.0, 0.0, 0.0]))
        assert learner.core.unit_columns == 0, "one vector of another length, and they are columns like others"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"vector": [1.0, 2.0]}, "the vector has 2 numbers, but must have 4 in this task"),
        ({"vector": [1.0, 2.0, 3.0, 1e200]}, "a number that is infinite or too large"),
        ({"vector": [1.0, 2.0, 3.0, float("nan")]}, "a number that is infinite or too large"),
        (
            {"vector": [0.0] * 4, "record": {"a": 1}},
            "at least one of the fields 'text', 'vector', and not 'record'",
        ),
        ({}, "at least one of the fields"),
    ],
)
@pytest.mark.parametrize("algorithm", ["auto", "PAA-II"])
def test_items_of_another_form_are_refused_and_nothing_changes(tmp_path, content, sentence, algorithm):
    with TaskRunner(str(tmp_path / "a.db"), task(["text", "vector"], algorithm)) as runner:
        before = runner.everything()
        for call in (runner.decide, lambda item: runner.task.predict([item])):
            with pytest.raises(RequestError, match=sentence):
                call(Item(**content))
        assert runner.everything() == before


# ---------------------------------------------------------------------- all together

FORMS = ["text", "record", "vector", "mixed", ["record", "text"], ["vector", "text"], ["record", "vector"]]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("item", "algorithm"),
    rest_slow(
        itertools.product(FORMS, ["auto", "PAA-II"]),
        [("mixed", "auto"), (["record", "text"], "auto"), ("mixed", "PAA-II")],
    ),
    ids=str,
)
def test_a_task_learns_from_all_parts_and_is_the_same_after_a_restart(tmp_path, item, algorithm):
    made = task(item, algorithm)
    warm_up(made)
    pairs = list(contents(made.parts, 30, gaps=True))
    with TaskRunner(str(tmp_path / "a.db"), made, snapshot_every=12) as runner:
        decided = lived(runner, pairs)
        before, wrong = runner.everything(), next(one.item for one in decided if one.ask)
        right = runner.detail(wrong).label
        corrected = runner.correct(wrong, {"ham": "spam", "spam": "ham"}[right])
        assert corrected.replayed > 10
        assert runner.everything() != before
        runner.correct(wrong, right)
        model_before = runner.model()
        with runner.reopened() as again:
            assert again.model() == model_before
            for batch in again.store.snapshot_seqs(1):
                again.store.drop_snapshots(1, [batch])
            again.task.rebuild()
            assert again.model() == model_before, "from the journal alone"
            told = again.task.predict([Item(**content) for content, _ in pairs]).predictions
    right = sum(one.prediction == label for one, (_, label) in zip(told, pairs, strict=True))
    assert right > 19 or algorithm != "auto", "others do not scale numbers"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("algorithm", ["auto", "PAA-II"])
def test_what_is_shown_of_a_vector_is_its_length(tmp_path, algorithm):
    with TaskRunner(str(tmp_path / "a.db"), task("mixed", algorithm)) as runner:
        pairs = list(contents(["text", "record", "vector"], 20))
        decided = lived(runner, pairs)
        runner.decide(Item(text="once upon", vector=[0.6, 0.8, 0.0, 0.0], id="one"))
        waiting = runner.decide(*(Item(**content) for content, _ in contents(["vector"], 10, random_state=8)))
        asked = runner.lease(why=True, items=[one.item for one in waiting if one.ask]).questions
        assert {question.vector_length for question in asked} == {LENGTH}
        detail = runner.detail(decided[0].item)
        assert (detail.vector_length, detail.text) == (LENGTH, pairs[0][0]["text"])
        lines = b"".join(export.lines(export.labels(runner.store, runner.task))).splitlines()
        assert {json.loads(line)["vector_length"] for line in lines} == {LENGTH}
        lines = b"".join(export.lines(export.decisions(runner.store, runner.task))).splitlines()
        assert all("vector" not in json.loads(line) for line in lines)
        assert json.loads(lines[0])["vector_length"] == LENGTH
        assert [item.id for item in runner.found(search="once upon").items] == ["one"]
        body = runner.run(lambda transaction: task_view.content(transaction, decided[0].item))
        why = explain.explained(runner.task.fold, body, stored=True)
        names = {pull.feature for pull in why.pulls}
        assert names <= {"a vector of 4 numbers", "income", "city=Oslo", "city=Rome"} | {
            f"text:{word}" for word in pairs[0][0]["text"].split()
        }
        assert "a vector of 4 numbers" in names
        assert any(pull.spans for pull in why.pulls if pull.feature.startswith("text:"))
        strongest = model.detail(runner.store, runner.task).strongest
        assert {one.feature for each in strongest.values() for one in each} & {
            "text:win",
            "text:cash",
            "text:free",
        }
        assert "a vector of 4 numbers" not in {one.feature for each in strongest.values() for one in each}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("algorithm", ["auto", "PAA-II"])
@pytest.mark.parametrize("item", ["vector", "mixed"])
def test_questions_on_lease_are_chosen_among_items_with_several_parts(tmp_path, item, algorithm):
    made = task(item, algorithm, questions=forms.Asking("lease"))
    with TaskRunner(str(tmp_path / "a.db"), made, snapshot_every=12) as runner:
        pairs = list(contents(made.parts, 30, gaps=True))
        decided = runner.decide(*(Item(**content) for content, _ in pairs))
        labels = {one.item: label for one, (_, label) in zip(decided, pairs, strict=True)}
        for _ in range(8):
            for question in runner.lease(count=2, why=True).questions:
                runner.label(question.item, labels[question.item])
        assert runner.figures().labelled == 16
        before = runner.everything()
        with runner.reopened() as again:
            assert again.everything() == before
            assert again.lease(count=2).questions


def test_an_id_stands_for_one_vector(tmp_path):
    with TaskRunner(str(tmp_path / "a.db"), task("vector")) as runner:
        first = runner.decide(Item(vector=[0.1, 0.2, 0.3, 0.4], id="a"))[0]
        again = runner.decide(Item(vector=[0.1, 0.2, 0.3, 0.4], id="a"))[0]
        assert (again.item, again.again) == (first.item, True)
        with pytest.raises(RequestError, match="belongs to other content"):
            runner.decide(Item(vector=[0.1, 0.2, 0.3, 0.5], id="a"))


def test_a_compaction_drops_vectors(tmp_path):
    with TaskRunner(str(tmp_path / "a.db"), task("vector"), snapshot_every=5) as runner:
        runner.set_state("paused")
        runner.decide(*(Item(**content) for content, _ in contents(["vector"], 12)))
        runner.task.settle()
        runner.clock.now += 1000.0
        assert compact(runner.task, 0.0, runner.clock.now).items > 5
        assert runner.detail(2).vector_length is None
        with pytest.raises(RequestError, match="was dropped by a compaction"):
            runner.run(lambda transaction: task_view.content(transaction, 2))
