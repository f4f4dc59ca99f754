"""Imported labels keep where they come from: in the journal, in the details of the item and in exports."""

import json

import pytest

import askance
from askance.service import messages
from askance.service.commands.items import provenance
from askance.service.state import journal
from askance.service.store.entries import Entry
from service_server import real_service
from service_world import SPAM, TASK, World


@pytest.fixture
def world(tmp_path):
    world = World(tmp_path / "a.db")
    yield world
    world.close()


VENDOR = {
    "text": "win",
    "label": "spam",
    "id": "v1",
    "source": "vendor 2024",
    "labeller": "Ann of Vendor & Co",
    "labelled_at": 1.7e9,
}


def test_the_origin_of_a_label_is_kept_and_shown(world):
    world.post(f"{TASK}/import", {"items": [VENDOR, {"text": "hello", "label": "ham"}]}, "ingest")
    told = [world.call("GET", f"{TASK}/items/{item}").json() for item in (1, 2)]
    assert told[0]["provenance"] == {
        "source": "vendor 2024",
        "labeller": "Ann of Vendor & Co",
        "labelled_at": 1.7e9,
        "imported_by": "ingest",
    }
    assert told[1]["provenance"] == {
        "source": None,
        "labeller": None,
        "labelled_at": None,
        "imported_by": "ingest",
    }


def test_items_that_were_asked_about_have_no_provenance(world):
    world.post(f"{TASK}/items", {"items": [{"text": "win"}]})
    assert world.call("GET", f"{TASK}/items/1").json()["provenance"] is None


def test_it_outlives_a_restart_and_a_correction(tmp_path):
    first = World(tmp_path / "a.db")
    first.post(f"{TASK}/import", {"items": [VENDOR]})
    first.post(f"{TASK}/corrections", {"item": 1, "label": "ham"})
    before = first.call("GET", f"{TASK}/items/1").json()
    task = first.service.writers["spam"].task
    task.rebuild()
    assert first.call("GET", f"{TASK}/items/1").json() == before
    assert before["label"] == "ham"
    assert before["provenance"]["source"] == "vendor 2024"
    first.close()


def test_the_same_id_again_keeps_the_first_origin(world):
    world.post(f"{TASK}/import", {"items": [VENDOR]})
    again = world.post(f"{TASK}/import", {"items": [VENDOR | {"source": "another"}]})
    assert (again["learned"], again["again"]) == (0, 1)
    assert world.call("GET", f"{TASK}/items/1").json()["provenance"]["source"] == "vendor 2024"


def test_the_model_does_not_depend_on_the_origin(tmp_path):
    models = []
    for number, extra in enumerate(({}, {"source": "a", "labeller": "b", "labelled_at": 5.0})):
        world = World(tmp_path / f"{number}.db")
        world.post(f"{TASK}/import", {"items": [{"text": "win", "label": "spam"} | extra]})
        models.append(world.call("GET", f"{TASK}/export/model").content)
        world.close()
    assert models[0] == models[1]


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        ({"source": ""}, "items[0].source"),
        ({"source": "x" * 201}, "items[0].source"),
        ({"labeller": "a\nb"}, "items[0].labeller"),
        ({"labelled_at": -1.0}, "items[0].labelled_at"),
        ({"labelled_at": "monday"}, "items[0].labelled_at"),
    ],
)
def test_an_origin_that_cannot_be_gets_a_sentence_and_changes_nothing(world, extra, said):
    before = world.state()
    answer = world.call("POST", f"{TASK}/import", {"items": [VENDOR | extra]})
    assert answer.status_code == 422
    assert said in answer.json()["error"]["message"]
    assert world.state() == before


def test_a_body_from_before_there_were_origins_is_read():
    old = Entry(1, 1.0, journal.IMPORTED, 1, None, None, b'{"text":"win","label":"spam"}')
    assert provenance(old) == messages.Provenance(None, None, None, None)
    assert journal.read(old).label == "spam"
    written = journal.entry(journal.IMPORTED, 1, 1.0, journal.ImportedItem(label="spam", text="win"))
    assert json.loads(written.body) == {"text": "win", "label": "spam"}, "what is not known takes no room"


def test_the_client_says_it_for_all_labels_and_an_item_for_itself(tmp_path):
    own = messages.LabelledItem(text="free", label="spam", source="the file itself")
    with real_service(tmp_path, SPAM) as (url, code):
        with askance.Client(url) as stranger:
            token = stranger.first_token(code).token
        with askance.Client(url, token, task="spam") as client:
            client.import_items(["win", own], ["spam", "spam"], source="vendor 2024", labelled_at=5.0)
            told = [client.item_detail(item).provenance for item in (1, 2)]
    assert [(one.source, one.labeller, one.labelled_at) for one in told] == [
        ("vendor 2024", None, 5.0),
        ("the file itself", None, 5.0),
    ]
