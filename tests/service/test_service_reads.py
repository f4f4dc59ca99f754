"""Reads that take long: nothing else waits for them, and there are never too many."""

import asyncio
import threading

import pytest

from askance.errors import StoreError
from askance.service.api import answers, reading
from askance.service.api.items import item_view
from askance.service.api.reading import ReadPool
from askance.service.errors import RequestError
from askance.service.messages import MOST_FIELDS
from askance.service.views import explain
from service_world import TASK, World, items

SOON = 60.0  # seconds: what waits for a blocked thread would wait for ever


@pytest.fixture
def world(tmp_path):
    world = World(tmp_path / "a.db")
    yield world
    world.close()


@pytest.fixture
def gate(world):
    """What blocks a thread until the end of the test, and in any case before the world ends."""
    gate = threading.Event()
    yield gate
    gate.set()


def together(world, scene):
    return world.client._loop.run_until_complete(asyncio.wait_for(scene, SOON))


def request(world, method, path, role="admin", **options):
    headers = {"authorization": f"Bearer {world.tokens[role]}"}
    return asyncio.create_task(world.client._client.request(method, path, headers=headers, **options))


async def later(condition):
    while not condition():
        await asyncio.sleep(0.005)


async def blocked(world, gate):
    """The writer of a task, when it waits for the gate: until then it could take reads together with it."""
    writer, waits = world.service.writers["spam"], threading.Event()
    writer.submit(lambda _: waits.set() or gate.wait())
    await later(waits.is_set)
    return writer


def test_nothing_waits_for_searches(world, gate, monkeypatch):
    world.post(f"{TASK}/items", items("win cash", "lunch"))
    started = []
    monkeypatch.setattr(
        item_view, "found", lambda *_: started.append(1) or gate.wait() or pytest.fail("it ran on")
    )
    monkeypatch.setattr(item_view, "everything_found", lambda *_: [])

    async def scene():
        searches = [request(world, "GET", f"{TASK}/items", "read") for _ in range(20)]
        await later(lambda: len(started) == reading.READERS)
        paths = ("/health", "/ready", "/metrics", f"{TASK}/figures", f"{TASK}/export/model?version=1")
        for path in paths:
            assert (await request(world, "GET", path)).status_code == 200, path
        label = {"labels": [{"item": 1, "label": "spam"}]}
        assert (await request(world, "POST", f"{TASK}/labels", json=label)).status_code == 200
        assert len(started) == reading.READERS, "the others wait"
        for search in searches:
            search.cancel()
        await asyncio.gather(*searches, return_exceptions=True)

    together(world, scene())


def test_reads_beyond_the_limit_are_refused(world, gate, monkeypatch):
    world.app.state.reading.reads = pool = ReadPool(1, most=3, most_each=2)
    monkeypatch.setattr(item_view, "found", lambda *_: gate.wait())

    async def scene():
        mine = [request(world, "GET", f"{TASK}/items", "read") for _ in range(2)]
        await later(lambda: pool._of.total() == 2)
        refused = await request(world, "GET", f"{TASK}/items", "read")
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "busy")
        assert refused.headers["retry-after"] == "2"
        others = request(world, "GET", f"{TASK}/items", "labeller")
        await later(lambda: pool._of.total() == 3)
        assert not others.done(), "the limit of one person leaves room for others"
        assert (await request(world, "GET", f"{TASK}/items", "ingest")).status_code == 503
        gate.set()
        await asyncio.gather(*mine, others, return_exceptions=True)
        again = await request(world, "GET", f"{TASK}/model", "read")
        assert again.status_code == 200

    together(world, scene())


def test_a_pool_gives_places_back_after_errors():
    async def scene():
        pool = ReadPool(1, most=1, most_each=1)
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                await pool.run("ann", lambda: 1 / 0)
        assert await pool.run(None, pow, 2, 3) == 8
        assert not pool._of

    asyncio.run(scene())


def test_labels_wait_for_few_reads_of_the_figures(world, gate):
    async def scene():
        writer = await blocked(world, gate)
        reads = [request(world, "GET", f"{TASK}/figures", "read") for _ in range(50)]
        await later(lambda: len(writer._people) == reading.AT_ONCE)
        label = request(world, "POST", f"{TASK}/skips", json={"item": 1})
        await later(lambda: len(writer._people) > reading.AT_ONCE)
        assert len(writer._people) == reading.AT_ONCE + 1
        gate.set()
        assert (await label).status_code == 404
        assert {(await read).status_code for read in reads} == {200}

    together(world, scene())


def test_looks_beyond_the_limit_are_refused(world, gate, monkeypatch):
    monkeypatch.setattr(reading, "MOST_LOOKS", 5)

    async def scene():
        await blocked(world, gate)
        reads = [request(world, "GET", f"{TASK}/figures", "read") for _ in range(8)]
        refused = [await read for read in reads[5:]]
        assert {answer.status_code for answer in refused} == {503}
        assert (await request(world, "GET", "/api/tasks/votes/figures")).status_code == 200, "of another task"
        gate.set()
        assert {(await read).status_code for read in reads[:5]} == {200}

    together(world, scene())


def test_exports_beyond_the_limit_are_refused(world, monkeypatch):
    monkeypatch.setattr(reading, "MOST_EXPORTS", 1)
    exports = world.app.state.reading.exports
    codes = []

    async def parts():
        yield b"one"
        codes.append((await request(world, "GET", f"{TASK}/export/labels")).status_code)

    async def scene():
        assert [part async for part in exports.sent(parts())] == [b"one"]
        return (await request(world, "GET", f"{TASK}/export/labels")).status_code

    assert (together(world, scene()), codes) == (200, [503])


# ---------------------------------------------------------------------- explanations of leases


def leased(world, **more):
    return world.post(f"{TASK}/leases", {"count": 3, "why": True, "seconds": 0.1, **more}, "labeller")["questions"]


def test_explanations_of_a_lease_do_not_keep_the_writer(world, monkeypatch):
    world.post(f"{TASK}/items", items("win cash", "lunch", "now"))
    threads, explained = [], explain.why_asked

    def noted(*args):
        threads.append(threading.current_thread().name)
        return explained(*args)

    monkeypatch.setattr(explain, "why_asked", noted)
    shown = leased(world)
    assert [question["text"] for question in shown] == ["win cash", "lunch", "now"]
    assert all("reason" in question["why"] for question in shown)
    assert len(threads) == 3
    assert "askance-spam" not in threads


def test_explanations_of_a_lease_end_in_time(world, monkeypatch):
    world.post(f"{TASK}/items", items("win cash", "lunch", "now"))
    monkeypatch.setattr(answers, "EXPLAINING", 0.0)
    assert [question["why"] for question in leased(world)] == [None] * 3


def test_a_busy_service_leases_without_explanations(world):
    world.post(f"{TASK}/items", items("win cash"))
    world.app.state.reading.reads = ReadPool(1, most=0, most_each=0)
    assert [question["why"] for question in leased(world)] == [None]


# ---------------------------------------------------------------------- sizes and numbers


def test_a_record_has_a_limited_number_of_fields(world):
    path = "/api/tasks/records"
    for fields, status in ((MOST_FIELDS, 200), (MOST_FIELDS + 1, 422)):
        record = {f"field{number}": 1 for number in range(fields)}
        assert world.call("POST", f"{path}/predict", {"items": [{"record": record}]}).status_code == status
    assert world.call("POST", f"{path}/items", {"items": [{"record": record}]}).status_code == 422
    known = {"items": [{"record": record, "label": "no"}]}
    assert world.call("POST", f"{path}/import", known).status_code == 422


NUMBERS = ("0", "01", "0" * 19 + "1" + "9" * 30, "9" * 17, str(2**53), "9" * 5000, "-1", "+1", "1.0", "1e3", "١")


@pytest.mark.parametrize("number", NUMBERS, ids=range(len(NUMBERS)))
def test_numbers_in_addresses_are_found_or_not(world, number, tmp_path):
    world.post(f"{TASK}/items", items("win cash"))
    for method, path in (
        ("GET", f"{TASK}/items/{number}"),
        ("DELETE", f"{TASK}/leases/{number}"),
        ("DELETE", f"{TASK}/rollbacks/{number}"),
        ("DELETE", f"/api/sessions/{number}"),
        ("GET", f"/tasks/spam/items/{number}"),
    ):
        answer = world.call(method, path)
        assert answer.status_code == 404, path
        assert str(tmp_path) not in answer.text
    for path in (
        f"{TASK}/export/model?version={number}",
        f"{TASK}/items?before={number}",
        f"/api/audit?before={number}",
    ):
        answer = world.call("GET", path)
        assert answer.status_code < 500, path
        assert str(tmp_path) not in answer.text


# ---------------------------------------------------------------------- without a store


def failing(*_):
    raise StoreError("/secret/place.db: the database is away")


def test_metrics_survive_an_outage(world, monkeypatch):
    monkeypatch.setattr(world.service.store, "reachable", failing)
    monkeypatch.setattr(world.service.writers["spam"].task, "figures", failing)
    told = world.call("GET", "/metrics", role="read")
    assert told.status_code == 200
    lines = told.text.splitlines()
    assert "askance_store_up 0.0" in lines
    assert 'askance_task_up{task="spam"} 0.0' in lines
    assert 'askance_task_up{task="votes"} 1.0' in lines
    assert 'askance_task_items{task="votes"} 0.0' in lines
    assert not [line for line in lines if line.startswith('askance_task_items{task="spam"}')]
    monkeypatch.undo()
    assert "askance_store_up 1.0" in world.call("GET", "/metrics", role="read").text.splitlines()
    assert 'askance_requests_total{route="metrics",status="200"} 2.0' in world.call("GET", "/metrics").text


def test_metrics_leave_out_a_task_that_is_busy(world, gate, monkeypatch):
    monkeypatch.setattr("askance.service.api.prometheus.WAIT", 0.2)
    world.service.writers["spam"].submit(lambda _: gate.wait())
    assert 'askance_task_up{task="spam"} 0.0' in world.call("GET", "/metrics", role="read").text


def test_readiness_does_not_say_where_the_store_is(world, monkeypatch, caplog):
    monkeypatch.setattr(world.service.store, "reachable", failing)
    answer = world.call("GET", "/ready", role=None)
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "store_unavailable")
    assert "/secret" not in answer.text
    assert "/secret/place.db: the database is away" in {getattr(line, "cause", None) for line in caplog.records}


def test_a_store_that_does_not_answer_is_not_ready(world, gate, monkeypatch):
    monkeypatch.setattr("askance.service.api.health.PATIENCE", 0.05)
    asked = []
    monkeypatch.setattr(world.service.store, "reachable", lambda: asked.append(1) or gate.wait())
    for _ in range(3):
        assert world.call("GET", "/ready", role=None).status_code == 503
    assert len(asked) == 1, "one thread waits, not three"


def test_errors_of_a_read_are_those_of_the_caller(world):
    with pytest.raises(RequestError, match="too many reads"):
        asyncio.run(ReadPool(1, most=0, most_each=0).run(None, pow, 1, 1))
