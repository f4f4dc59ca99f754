"""Tasks of several labels per item over the API: bodies, rights, exports, uploads, the client and its commands."""

import csv
import io
import json

import msgspec
import pytest

from askance.service.client import Client
from askance.service.settings import to_json
from command_line import answer, complaint
from service_server import real_service
from service_world import World
from several_labels import CLASSES, label_by_words, several, tickets
from uploading import Uploading, kinds_of

TASK = "/api/tasks/tickets"


@pytest.fixture
def world(tmp_path):
    world = World(tmp_path / "store.db")
    made = world.post("/api/tasks", json.loads(to_json(several())))
    assert made["settings"]["multilabel"] is True
    world.post(f"{TASK}/items", {"items": [{"text": text} for text, _ in tickets(60)]}, "ingest")
    yield world
    world.close()


def taught(world, count=20):
    """The labels of some questions, as a labeller gave them."""
    given = {}
    for _ in range(count):
        [question] = world.post(f"{TASK}/leases", {}, "labeller")["questions"]
        given[question["item"]] = label_by_words(question["text"])
        label = {"item": question["item"], "label": given[question["item"]], "lease": question["lease"]}
        [receipt] = world.post(f"{TASK}/labels", {"labels": [label]}, "labeller")["labels"]
        assert receipt["state"] == "learned"
    return given


def test_labels_go_in_and_out_as_lists(world):
    given = taught(world)
    found = {item: world.call("GET", f"{TASK}/items/{item}").json() for item in given}
    assert {item: one["label"] for item, one in found.items()} == given
    assert {item: [vote["label"] for vote in one["votes"]] for item, one in found.items()} == {
        item: [label] for item, label in given.items()
    }
    item = next(iter(given))
    corrected = world.post(f"{TASK}/corrections", {"item": item, "label": ["urgent"]})
    assert corrected["label"] == ["urgent"]
    undone = world.post(f"{TASK}/undo", {}, "labeller")
    assert undone["label"] is None
    [one] = world.post(f"{TASK}/predict", {"items": [{"text": "password"}]}, "read")["predictions"]
    assert set(one["probabilities"]) == set(CLASSES)
    assert isinstance(one["prediction"], list)


@pytest.mark.parametrize(
    "label",
    ["billing", ["cash"], ["billing", 3], {"billing": True}, [["billing"]], 1, None, ["billing"] * 1001, [""]],
    ids=lambda label: str(label)[:30],
)
def test_wrong_labels_change_nothing(world, label):
    [question] = world.post(f"{TASK}/leases", {}, "labeller")["questions"]
    before = world.state()
    for path, body, role in (
        ("labels", {"labels": [{"item": question["item"], "label": label}]}, "labeller"),
        ("corrections", {"item": question["item"], "label": label}, "admin"),
        ("import", {"items": [{"text": "now", "label": label}]}, "ingest"),
    ):
        refused = world.call("POST", f"{TASK}/{path}", body, role)
        assert refused.status_code == 422, (path, refused.text)
        assert refused.json()["error"]["message"]
    assert world.state() == before


def test_a_list_is_refused_where_items_have_one_label(world):
    refused = world.call("POST", "/api/tasks/spam/import", {"items": [{"text": "now", "label": ["spam"]}]})
    assert refused.status_code == 422
    assert "have one class each" in refused.json()["error"]["message"]


@pytest.mark.parametrize(("role", "allowed"), [("read", False), ("ingest", False), ("labeller", True)])
def test_who_may_answer(world, role, allowed):
    item = world.call("GET", f"{TASK}/items").json()["items"][0]["item"]
    before = world.state()
    answered = world.call("POST", f"{TASK}/labels", {"labels": [{"item": item, "label": []}]}, role)
    assert answered.status_code == (200 if allowed else 403)
    assert (world.state() == before) is not allowed


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "group-labels", {"items": [1], "label": "urgent", "key": "k"}),
        ("GET", "reviews", None),
        ("POST", "reviews", {"item": 1}),
        ("POST", "guesses", {"guesses": [{"item": 1, "label": "urgent", "name": "llm"}]}),
        ("POST", "explain", {"item": {"text": "now"}}),
    ],
)
def test_what_is_for_one_label_is_refused_in_a_sentence(world, method, path, body):
    before = world.state()
    refused = world.call(method, f"{TASK}/{path}", body)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "multilabel"), refused.text
    assert world.state() == before


def test_exports(world):
    given = taught(world)
    lines = world.call("GET", f"{TASK}/export/labels", role="read").text.splitlines()
    assert {one["item"]: one["label"] for one in map(json.loads, lines)} == given
    table = world.call("GET", f"{TASK}/export/labels?format=csv", role="read").text
    assert {int(row["item"]): json.loads(row["label"]) for row in csv.DictReader(io.StringIO(table))} == given


def test_figures_and_history(world):
    given = taught(world, 40)
    figures = world.call("GET", f"{TASK}/figures").json()
    assert set(figures["estimates"]) == {"accuracy", "micro_f", "macro_f"}
    history = world.call("GET", f"{TASK}/history").json()
    assert history["classes"] == {name: sum(name in label for label in given.values()) for name in CLASSES}


def test_an_uploaded_file_may_have_labels(tmp_path):
    world = Uploading(tmp_path / "a.db")
    try:
        world.service.add_task(several())
        rows = [{"text": text, "tags": labels} for text, labels in tickets(20)]
        rows += [{"text": "hello", "tags": ["cash", "urgent"]}, {"text": "please"}]
        content = "\n".join(map(json.dumps, rows))
        found = world.send(content, "rows.jsonl", task="tickets")
        assert kinds_of(found) == {"text": "text", "tags": "label"}
        assert (found["rows"], found["labelled"], found["unknown"]) == (22, 20, {"cash": 1})
        done = world.add_all(found["upload"], task="tickets")
        assert (done["state"], done["learned"]) == ("done", 20)
        known = {one["text"]: one["label"] for one in world.items("tickets") if one["state"] == "imported"}
        assert known == dict(tickets(20))
    finally:
        world.close()


def test_the_client_and_the_commands(tmp_path, monkeypatch):
    file = tmp_path / "tickets.csv"
    with file.open("w") as out:
        writer = csv.writer(out)
        writer.writerow(["text", "labels"])
        writer.writerows([text, json.dumps(labels)] for text, labels in tickets(30))
    with real_service(tmp_path, several()) as (url, code):
        with Client(url) as stranger:
            token = stranger.first_token(code).token
        monkeypatch.setenv("ASKANCE_URL", url)
        monkeypatch.setenv("ASKANCE_TOKEN", token)
        assert answer("push", file, "--task", "tickets", "--labelled")["learned"] == 30
        with Client(url, token, "tickets") as client:
            client.decide("please refund now")
            [question] = client.questions()
            assert client.label(question, ["billing", "urgent"]).state == "learned"
            assert client.correct(question.item, ["urgent"]).label == ["urgent"]
            assert client.item_detail(question.item).label == ["urgent"]
        assert "tickets is a multilabel task" in complaint("label", "--task", "tickets")
        bad = tmp_path / "bad.csv"
        bad.write_text('text,labels\nnow,"[""cash""]"\n')
        assert "a label is 'cash'" in complaint("push", bad, "--task", "tickets", "--labelled")


def test_settings_survive_the_store():
    made = several()
    assert msgspec.json.decode(to_json(made), type=type(made)) == made


def test_every_view_and_export_knows_lists(world):
    given = taught(world, 40)
    for path in ("", "/figures", "/history", "/model", "/confusion", "/forecast", "/labellers", "/predicted"):
        assert world.call("GET", f"{TASK}{path}").status_code == 200, path
    for what in ("labels", "decisions", "items"):
        for kind in ("jsonl", "csv", "parquet", "hf"):
            answered = world.call("GET", f"{TASK}/export/{what}?format={kind}")
            assert answered.status_code == 200, (what, kind, answered.text)
            assert answered.content
    assert world.call("GET", "/metrics").status_code == 200
    card = world.call("GET", f"{TASK}/export/card").text
    for name in CLASSES:
        assert f"| {name} | {sum(name in label for label in given.values())} |" in card


def test_events_have_lists(world):
    given = taught(world, 5)
    item = next(iter(given))
    world.post(f"{TASK}/corrections", {"item": item, "label": []})
    events = world.call("GET", f"{TASK}/changes?after=0&count=1000").json()["changes"]
    settled = [(one["data"]["item"], one["data"]["label"]) for one in events if one["type"] == "label.settled"]
    assert settled == [*given.items(), (item, [])]
    asked = [one["data"]["prediction"] for one in events if one["type"] == "question.open"]
    assert asked
    assert all(isinstance(prediction, list) for prediction in asked)
