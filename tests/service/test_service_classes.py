"""Classes that are added and renamed while a task lives."""

import json
import random

import numpy as np
import pytest

from askance.metrics import AskedTally
from askance.persistence import model_of
from askance.service.errors import RequestError
from askance.service.messages import Item, LabelledItem
from askance.service.settings import Asking, Interface
from askance.service.state.models import encode_for_users
from askance.service.views import explain, export, model
from askance.service.views import task as task_view
from service_task import TaskRunner, settings, texts

pytestmark = pytest.mark.plain
HALF = {"rate": 0.5, "burst": 30}


def opened(tmp_path, algorithm="auto", classes=("ham", "spam"), snapshot_every=10, name="a", **more):
    made = settings(algorithm, budget=HALF, classes=classes, bits=10, **more)
    return TaskRunner(str(tmp_path / f"{name}.db"), made, snapshot_every=snapshot_every)


def lived(runner, pairs, names=None, who="ann"):
    decided = []
    for text, label in pairs:
        decision = runner.decide(text)[0]
        decided.append(decision)
        if decision.ask:
            runner.label(decision.item, (names or {}).get(label, label), who)
    return decided


def estimates(runner):
    """The current estimates; those of the figures may be some seconds old if the machine is busy."""
    fold = runner.task.fold
    return fold.figures.estimates(fold.questions.open.values())


def from_the_journal_alone(runner):
    before = runner.everything()
    runner.task.settle()
    runner.store.drop_snapshots(1, runner.store.snapshot_seqs(1))
    runner.task.rebuild()
    assert runner.everything() == before


# ---------------------------------------------------------------------- renaming


@pytest.mark.sampled(2)
@pytest.mark.parametrize("algorithm", ["auto", "PAA-II"])
def test_a_renamed_class_is_the_same_class(tmp_path, algorithm):
    pairs = list(texts(random.Random(1), 40))
    with opened(tmp_path, algorithm, name="plain") as twin, opened(tmp_path, algorithm) as runner:
        lived(twin, pairs)
        decided = lived(runner, pairs[:20])
        asked = next(one.item for one in decided if one.ask)
        was = runner.detail(asked).label
        changed = runner.change_classes(rename={was: "zebra"})
        assert "zebra" in changed.classes
        assert runner.detail(asked).label == runner.detail(asked).votes[0].label == "zebra"
        later = lived(runner, pairs[20:], {was: "zebra"})
        assert {one.prediction for one in later} <= set(changed.classes)
        assert runner.model() == twin.model(), "a name changes nothing that was learned"
        assert estimates(runner) == estimates(twin)
        history = runner.run(lambda transaction: task_view.history(transaction.fold))
        assert history.classes["zebra"] > 0
        from_the_journal_alone(runner)
        with runner.reopened() as again:
            assert again.task.settings == changed
            assert again.model() == twin.model()
            lines = b"".join(export.lines(export.labels(again.store, again.task))).splitlines()
            assert {json.loads(line)["label"] for line in lines} == set(changed.classes)
            lines = b"".join(export.lines(export.decisions(again.store, again.task))).splitlines()
            assert {json.loads(line)["prediction"] for line in lines} <= set(changed.classes)
            why = explain.explained(again.task.fold, Item(text="win cash lunch"))
            assert {why.prediction, *(pull.towards for pull in why.pulls)} <= set(changed.classes)
            assert set(model.detail(again.store, again.task).strongest) == set(changed.classes)
            assert again.task.predict([Item(text="win cash")]).predictions[0].prediction in changed.classes


def test_labels_under_the_earlier_name_count_under_the_new_one(tmp_path):
    with opened(tmp_path, labels={"per_item": 2}) as runner:
        item = runner.decide("win cash")[0].item
        runner.label(item, "spam", "ann")
        runner.change_classes(rename={"spam": "junk"})
        receipt = runner.label(item, "junk", "bob")
        assert (receipt.state, receipt.votes) == ("learned", {"junk": 2})
        assert runner.label(item, "spam", "bob").again, "the same label by its earlier name"
        other = runner.decide("free prize")[0].item
        runner.label(other, "spam", "ann"), runner.label(other, "spam", "bob")
        assert runner.detail(other).label == "junk"
        assert runner.correct(other, "ham").label == "ham"
        assert runner.correct(other, "spam").label == "junk"
        assert runner.correct(other, "junk").again


def test_imports_keep_their_ids_when_a_class_is_renamed(tmp_path):
    from askance.service.commands.items import import_items

    with opened(tmp_path) as runner:
        for label, learned in [("spam", 1), ("spam", 0), ("junk", 0)]:
            if label == "junk":
                runner.change_classes(rename={"spam": "junk"})
            wish = [LabelledItem(text="win", id="a", label=label)]
            done = runner.run(lambda transaction, wish=wish: import_items(transaction, wish, "sender"))
            assert done.learned == learned


def test_keys_and_the_positive_class_follow(tmp_path):
    made = {"positive": "ham", "interface": Interface(keys={"ham": "h"})}
    with opened(tmp_path, **made) as runner:
        lived(runner, texts(random.Random(2), 20))
        before, positive = estimates(runner), runner.figures().positive
        runner.change_classes(rename={"ham": "wanted"})
        assert (positive, runner.figures().positive) == ("ham", "wanted")
        assert estimates(runner) == before
        assert runner.task.settings.interface.keys == {"wanted": "h"}
    with opened(tmp_path, name="b") as runner:
        runner.change_classes(rename={"spam": "a last name that comes first"})
        assert runner.figures().positive == "a last name that comes first", "and not the last in the new order"


def test_names_come_back_but_are_never_those_of_two_classes(tmp_path):
    with opened(tmp_path) as runner:
        runner.change_classes(rename={"spam": "junk"})
        seq = runner.task.fold.seq
        runner.change_classes(rename={"spam": "junk"})
        assert runner.task.fold.seq == seq, "what is done is not done again"
        for rename, add in [({"ham": "spam"}, []), ({"ham": "junk"}, []), ({}, ["spam"]), ({"eggs": "x"}, [])]:
            with pytest.raises(RequestError, match=r"another class|not one of the classes"):
                runner.change_classes(rename=rename, add=add)
        assert runner.change_classes(rename={"junk": "spam"}).classes == ["ham", "spam"]
        assert runner.change_classes(rename={"spam": "rubbish"}).classes == ["ham", "rubbish"]
        item = runner.decide("win")[0].item
        runner.label(item, "junk")
        assert runner.detail(item).label == "rubbish"
        assert runner.task.fold.classes == {"spam": 1}


def test_a_downloaded_model_has_the_new_names(tmp_path):
    with opened(tmp_path) as runner:
        lived(runner, texts(random.Random(1), 20))
        runner.change_classes(rename={"ham": "wanted"})
        found = model_of(encode_for_users(runner.task.fold.model.learner, runner.task.settings))
        before = model_of(runner.model())
        import askance

        X = askance.data.hash_texts(["win cash", "lunch meeting"], 10, unit=False, signed=False, dtype="float64")
        names = {"ham": "wanted", "spam": "spam"}
        assert found.predict(X).tolist() == [names[label] for label in before.predict(X).tolist()]
        order = [found.classes_.tolist().index(names[label]) for label in before.classes_.tolist()]
        np.testing.assert_array_equal(found.predict_proba(X)[:, order], before.predict_proba(X))


# ---------------------------------------------------------------------- new classes

THIRD = [(f"invoice payment {word}", "bill") for word in ("due", "late", "amount", "total", "bank", "soon")]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("algorithm", "classes"), [("auto", ("ham", "spam")), ("MPAA-II", ("ham", "spam", "eggs"))]
)
def test_a_new_class_is_learned(tmp_path, algorithm, classes):
    with opened(tmp_path, algorithm, classes) as runner:
        lived(runner, texts(random.Random(1), 24))
        with pytest.raises(RequestError, match="unknown class 'bill'"):
            runner.label(1, "bill")
        assert runner.change_classes(add=["bill"]).classes == [*classes, "bill"]
        runner.import_items(*THIRD, *THIRD)
        lived(runner, THIRD)
        assert runner.task.predict([Item(text="payment due")]).predictions[0].prediction == "bill"
        assert set(model.detail(runner.store, runner.task).strongest) == {*classes, "bill"}
        from_the_journal_alone(runner)
        before = runner.everything()
        with runner.reopened() as again:
            assert again.everything() == before
            lived(again, texts(random.Random(3), 6))


@pytest.mark.slow
def test_questions_on_lease_have_the_current_names(tmp_path):
    pairs = list(texts(random.Random(1), 240))
    with opened(tmp_path, questions=Asking("lease", audit=1.0, test=0.0)) as runner:
        labels = {
            one.item: label for one, (_, label) in zip(runner.decide(*(t for t, _ in pairs)), pairs, strict=True)
        }
        for names in ({}, {"ham": "wanted"}):
            if names:
                runner.change_classes(rename=names, add=["bill"])
            for question in runner.lease(count=18).questions:
                assert question.prediction in runner.task.settings.classes
                runner.label(question.item, names.get(labels[question.item], labels[question.item]))
        found = task_view.estimates(runner.task._transaction()).all
        assert set(found) == {"accuracy"}
        assert found["accuracy"].value is not None
        from_the_journal_alone(runner)
    with opened(tmp_path, name="b", questions=Asking("lease", audit=1.0, test=0.0)) as runner:
        runner.decide(*(text for text, _ in pairs))
        for question in runner.lease(count=36).questions:
            runner.label(question.item, labels[question.item])
        before = task_view.estimates(runner.task._transaction()).all
        runner.change_classes(rename={"spam": "a"})
        assert task_view.estimates(runner.task._transaction()).all == before


@pytest.mark.slow
def test_an_earlier_label_can_be_corrected_to_a_class_that_came_later(tmp_path):
    pairs = list(texts(random.Random(1), 24))
    with opened(tmp_path, name="a") as runner:
        decided = lived(runner, pairs)
        runner.change_classes(add=["bill"], rename={"ham": "wanted"})
        asked = [one.item for one in decided if one.ask]
        assert runner.correct(asked[0], "bill").label == "bill"
        assert runner.correct(asked[1], "wanted").label == "wanted"
        assert runner.detail(asked[0]).votes[0].label in {"wanted", "spam"}
        wrong = sum(
            runner.detail(one.item).label != runner.detail(one.item).decision.prediction
            for one in decided
            if one.ask
        )
        estimate = estimates(runner)
        assert list(estimate) == ["accuracy"]
        assert estimate["accuracy"].labels == len(asked)
        from_the_journal_alone(runner)
        assert wrong >= 1


def test_the_figures_of_two_classes_become_those_of_many(tmp_path):
    with opened(tmp_path, positive="ham") as runner:
        lived(runner, texts(random.Random(1), 30))
        before = estimates(runner)
        runner.change_classes(add=["bill"])
        after = estimates(runner)
        assert set(before) > {"accuracy", "f"}
        assert set(after) == {"accuracy"}
        assert runner.figures().positive is None
        assert after["accuracy"].labels == before["accuracy"].labels
        assert after["accuracy"].value == pytest.approx(before["accuracy"].value, abs=0.02)


def test_a_tally_of_two_classes_is_one_of_many_if_only_right_and_wrong_count():
    random_ = np.random.default_rng(0)
    truth, predicted = (np.where(random_.random(400) < share, 1, -1) for share in (0.4, 0.5))
    asked, scores = random_.random(400) < 0.3, random_.normal(size=400)
    two, many = AskedTally(), AskedTally(many=True)
    two.add(truth, predicted, asked, np.full(400, 0.3), scores)
    many.add(np.ones(400), np.where(truth == predicted, 1, -1), asked, np.full(400, 0.3), scores)
    for anytime in (False, True):
        found = two.as_many().estimate("accuracy", anytime=anytime)
        expected = many.estimate("accuracy", anytime=anytime)
        for one, other in zip(found[:3], expected[:3], strict=True):
            assert one == pytest.approx(other)


def test_an_algorithm_for_two_classes_gets_no_third(tmp_path):
    with opened(tmp_path, "PAA-II") as runner:
        before = runner.everything()
        with pytest.raises(RequestError, match="PAA-II is for two classes: create another task"):
            runner.change_classes(add=["bill"])
        assert runner.everything() == before
