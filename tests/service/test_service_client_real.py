"""The client and the real service: every verb, in the course of a task."""

import pytest

import askance
from askance.service.client import Client, Item
from askance.service.settings import TaskSettings
from service_errors import fault
from service_server import real_service
from service_twin import CLASSES

SETTINGS = TaskSettings("desk", CLASSES, algorithm="MPAA-II")
TEXTS = ["my invoice?", "it crashed", "great work?"]


def test_every_verb_of_the_real_service(tmp_path):
    with real_service(tmp_path, SETTINGS) as (url, code):
        with Client(url) as stranger:
            assert fault(lambda: stranger.tasks()).status == 401
            admin = stranger.first_token(code).token
        with Client(url, admin, "desk") as client:
            client.create({"name": "other", "classes": ["a", "b"], "item": "record"})
            assert [task.name for task in client.tasks()] == ["desk", "other"]
            assert client.task_detail().settings == SETTINGS.named
            decided = rows_arrive(client)
            with Client(url, client.create_token("anna", "labeller").token, "desk") as anna:
                questions_are_answered(anna)
                items_are_flagged_and_reviewed(anna, client, decided[0].item)
            figures = figures_are_shown(client, decided[0])
            settings_are_changed(client)
            model_is_looked_at(client, tmp_path / "m")
            assert client.compact(0).items == 6 - figures.asked
            assert client.revoke_token("anna").revoked
            assert {token.name for token in client.tokens()} >= {"anna"}


def rows_arrive(client):
    decided = client.decide([Item(text=text, id=text) for text in TEXTS])
    assert [one.again for one in client.decide([Item(text=text, id=text) for text in TEXTS])] == [True] * 3
    assert decided[0].ask  # nothing is known yet
    assert client.decide({"amount": 3.5, "tags": ["a"]}, task="other").prediction in "ab"
    shown = client.decide(Item(record={"amount": 2.5}, image_data=b"GIF89a and more"), task="other")
    assert client.item_detail(shown, task="other").image == f"/api/tasks/other/items/{shown.item}/image"
    assert client.predict("invoice").prediction in CLASSES
    assert client.import_items(["old invoice", "old crash"], ["billing", "bug"]).learned == 2
    return decided


def questions_are_answered(anna):
    question = anna.questions(1, 60)[0]
    assert question.text == TEXTS[0]
    assert anna.label(question, "bug", question.lease).state == "learned"
    undone = anna.undo()
    assert undone.item == question.item
    again = anna.questions(items=[question.item])[0]
    anna.return_question(again)
    anna.label(TEXTS[0], "bug", key="k")
    assert anna.label(TEXTS[0], "bug", key="k").again
    assert fault(lambda: anna.label(TEXTS[0], "praise", key="k")).code == "key_reused"
    anna.correct(question, "billing")
    assert fault(anna.tokens).status == 403


def items_are_flagged_and_reviewed(anna, client, item):
    assert anna.flag(item, "The guideline does not say").open == 1
    assert anna.flag(item).open == 2
    assert anna.undo_flag(item).open == 1
    assert fault(anna.reviews).status == 403, "for admins"
    (flagged,) = [case for case in client.reviews(count=5).cases if case.why == "flagged"]
    assert [(one.by, one.note, one.undone) for one in flagged.item.flags] == [
        ("anna", "The guideline does not say", False),
        ("anna", None, True),
    ]
    assert client.review(flagged.item).label == flagged.item.label
    assert client.review(item, flagged.item.label).again
    assert client.search(state="flagged").total == 0
    assert client.reviews(before=2).before is None


def figures_are_shown(client, first):
    client.decide([f"{word} and {word} again" for word in ("alpha", "beta", "gamma")])
    left = client.questions(5)
    client.skip(left[0])
    client.label_all([(question, "praise") for question in left[1:]])
    story = client.item_detail(first)
    assert (story.label, story.id) == ("billing", TEXTS[0])
    seen = client.watch()
    figures = next(seen)
    seen.close()
    assert figures.labelled == 1 + len(left) - 1
    assert figures.items == client.figures().items
    assert len(list(client.labels())) == figures.labelled + figures.imported
    assert len(list(client.decisions())) == figures.items == 6
    return figures


def settings_are_changed(client):
    changed = client.change(interface={"guidance": "Look twice."})
    assert changed.settings.interface.guidance == "Look twice."
    with pytest.raises(ValueError, match=r"not valid: budget\.total must be a whole number, at least 0"):
        client.change(budget={"total": -1})
    states = ["paused", "running"]
    assert [client.set_state(state).figures.state for state in states] == states


def model_is_looked_at(client, path):
    assert client.confusion().note, "questions on arrival are no sample"
    assert {one.name for one in client.labellers().labellers} == {"admin", "anna"}
    assert client.predicted_classes().classes == [], "there are too few items"
    assert client.history().classes == client.model_detail().labels
    assert [story.id for story in client.search("CRASHED").items] == [TEXTS[1]]
    assert client.search(count=2, before=client.search(count=2).before).items
    found = client.search(state="labelled", label="billing", order="oldest", min_score=-1e9)
    assert (len(found.items), found.exact) == (found.total, True)
    with pytest.raises(ValueError, match="the search is not valid: order"):
        client.search(order="best")
    assert client.similar(found.items[0], 3).compared > 0
    labelled = client.search(state="labelled", label="billing").items
    given = client.label_group(labelled, "bug", key="group")
    assert sorted(given.corrected) == sorted(detail.item for detail in labelled)
    client.label_group(labelled, "billing")
    assert client.undo_group("group").undone == []
    assert client.explain("invoice").pulls[0].feature == "invoice"
    version = client.figures().version
    assert client.roll_back(0).to == 0
    assert client.explain("invoice").pulls == []
    assert client.figures().version > version
    client.save_model(path)
    assert askance.load(path).classes_.tolist() == client.model().classes_.tolist() == CLASSES
