"""A task that is damaged is served as broken, with its reason; the others are served as ever."""

import threading

import pytest

from askance.errors import StoreError
from askance.service.api.app import application
from askance.service.service import Service
from askance.service.settings import to_json
from askance.service.store import open_store
from askance.service.store.schema import unsealed_name
from service_world import SPAM, VOTES, World, items
from stores import all_entries, limit_pages

OTHER = "/api/tasks/votes"


@pytest.fixture
def world(tmp_path):
    """A service whose task `spam` was damaged while it was stopped."""
    first = World(tmp_path / "a.db")
    first.post("/api/tasks/spam/items", items("win free cash", "lunch at nine"))
    first.post(f"{OTHER}/items", items("win free cash"))
    tokens = first.tokens
    first.client.close()
    first.service.stop()
    with open_store(str(tmp_path / "a.db")) as store, store.writing() as connection:
        damage(connection)
    made = World.__new__(World)
    made.store = open_store(str(tmp_path / "a.db"))
    made.service, made.tokens = Service(made.store), tokens
    made.app = application(made.service)
    made.client = type(first.client)(made.app)
    yield made
    made.close()


def damage(connection):
    """What a score that is not a number left behind: null instead of a number."""
    body = connection.rows("SELECT body FROM journal WHERE task = 1 AND seq = 2")[0][0]
    start = body.index(b'"score":') + len(b'"score":')
    bad = body[:start] + b"null" + body[body.index(b",", start) :]
    connection.run("UPDATE journal SET body = ?, checksum = NULL WHERE task = 1 AND seq = 2", (bad,))
    connection.insert("settings", ("name", "value"), [(unsealed_name(1), "2")])  # as an earlier version wrote it


def test_a_damaged_task_does_not_keep_the_others_down(world):
    assert list(world.service.broken) == ["spam"]
    assert set(world.service.writers) == {"records", "votes"}
    world.post(f"{OTHER}/items", items("hello"))
    assert world.call("GET", "/ready").status_code == 200


def test_its_requests_get_the_reason(world):
    for method, path, body in (
        ("GET", "/api/tasks/spam", None),
        ("POST", "/api/tasks/spam/items", items("hello")),
        ("GET", "/api/tasks/spam/export/labels", None),
        ("GET", "/tasks/spam", None),
    ):
        answer = world.call(method, path, body)
        assert (answer.status_code, "entry 2" in answer.text) == (503, True), answer.text
    assert world.call("GET", "/api/tasks/spam").json()["error"]["code"] == "task_broken"
    before = all_entries(world.store)
    assert world.call("POST", "/api/tasks", {"name": "spam", "classes": ["a", "b"]}).status_code == 409
    assert all_entries(world.store) == before


def test_the_list_of_tasks_and_the_metrics_tell(world):
    summary = {task["name"]: task for task in world.call("GET", "/api/tasks").json()["tasks"]}
    assert (summary["spam"]["state"], summary["spam"]["classes"]) == ("broken", ["ham", "spam"])
    assert "entry 2 is damaged" in summary["spam"]["problem"]
    assert (summary["votes"]["state"], summary["votes"]["problem"]) == ("running", None)
    metrics = world.call("GET", "/metrics").text
    assert 'askance_task_broken{task="spam"} 1.0' in metrics
    assert 'askance_task_broken{task="votes"} 0.0' in metrics


def test_settings_that_cannot_be_read(tmp_path):
    with open_store(str(tmp_path / "a.db")) as store:
        store.add_task("bad", b'{"name": "bad"}', 1.0)
        store.add_task("votes", to_json(VOTES), 1.0)
        service = Service(store)
        try:
            assert (service.broken["bad"].settings, list(service.writers)) == (None, ["votes"])
            assert "its settings are damaged" in service.broken["bad"].reason
        finally:
            service.stop()


def test_a_start_that_fails_leaves_no_thread_behind(tmp_path, monkeypatch):
    """A thread would keep the process alive, and whoever watches it would not start it again."""
    with open_store(str(tmp_path / "a.db")) as store:
        store.add_task("spam", to_json(SPAM), 1.0)
        store.add_task("votes", b"", 1.0)

        def away():
            raise StoreError("the store is away")

        monkeypatch.setattr(store, "reachable", away)
        before = set(threading.enumerate())
        with pytest.raises(StoreError, match="the store is away"):
            Service(store)
    assert [thread.name for thread in threading.enumerate() if thread not in before] == []


def test_a_full_disk_is_told_and_exports_go_on(tmp_path):
    world = World(tmp_path / "a.db")
    try:
        world.post("/api/tasks/spam/items", items("win free cash"))
        assert world.call("GET", "/ready").status_code == 200
        limit_pages(world.store, 1)  # no page more than there are
        answer = world.call("POST", "/api/tasks/spam/items", items(*["many words " * 500] * 50))
        assert (answer.status_code, answer.json()["error"]["code"]) == (507, "store_full")
        told = world.call("GET", "/ready")
        assert (told.status_code, "the disk is full" in told.text) == (503, True)
        exported = world.call("GET", "/api/tasks/spam/export/decisions")
        assert (exported.status_code, exported.text.count("\n")) == (200, 1)
        limit_pages(world.store, 2**30)
        assert world.call("GET", "/ready").status_code == 200
        world.post("/api/tasks/spam/items", items("hello"))
    finally:
        world.close()


def test_an_export_that_cannot_be_noted_for_want_of_room_goes_on(world, monkeypatch, caplog):
    def full(record):
        raise StoreError("the disk is full", full=True)

    monkeypatch.setattr(world.store, "add_audit_record", full)
    assert world.call("GET", f"{OTHER}/export/decisions").status_code == 200
    assert "an export is not in the audit log" in caplog.text
    assert world.call("PATCH", OTHER, {"costs": {"c_p": 2.0}}).status_code == 507
    monkeypatch.setattr(world.store, "add_audit_record", lambda record: (_ for _ in ()).throw(StoreError("away")))
    assert world.call("GET", f"{OTHER}/export/decisions").status_code == 503
