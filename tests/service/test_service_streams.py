"""Streams: they end with what let them in, cost little, and a client that hangs up is not an error."""

import asyncio
import contextlib
import json
import logging
import socket
import time

import httpx
import pytest

from askance.service import start
from askance.service.api import events, items
from askance.service.api.guard import ServerOptions
from service_world import SPAM, TASK, World

pytestmark = pytest.mark.slow


def until(works, seconds=30.0):
    end = time.monotonic() + seconds
    while not (found := works()):
        assert time.monotonic() < end
        time.sleep(0.01)
    return found


class Desk:
    """A service behind a socket, an admin, and raw connections of somebody else."""

    def __init__(self, service):
        self.service = service
        token = httpx.post(f"{service.url}/api/first", json={"code": service.admin_code()}).json()["token"]
        self.admin = httpx.Client(base_url=service.url, headers={"authorization": f"Bearer {token}"})
        self.token = self.admin.post("/api/tokens", json={"name": "sensor", "role": "ingest"}).json()["token"]
        self.reading = self.admin.post("/api/tokens", json={"name": "reader", "role": "read"}).json()["token"]

    def open(self, head, token=None):
        """A connection with the headers of a request on it."""
        _, _, port = self.service.url.rpartition(":")
        connection = socket.create_connection(("127.0.0.1", int(port)), 30)
        given = f"\r\nauthorization: Bearer {token or self.token}\r\nhost: localhost\r\n"
        connection.sendall(f"{head} HTTP/1.1{given}".encode())
        return connection

    def stream(self):
        connection = self.open(f"POST {TASK}/stream")
        connection.sendall(b"content-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n")
        return connection

    def metric(self, name):
        lines = self.admin.get("/metrics").text.splitlines()
        return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines if line.startswith(name)}


@pytest.fixture
def desk(tmp_path):
    with start(tmp_path / "a.db", [SPAM], options=ServerOptions()) as service:
        desk = Desk(service)
        yield desk
        desk.admin.close()


def send_line(connection, text):
    line = json.dumps({"text": text}).encode() + b"\n"
    connection.sendall(b"%x\r\n%b\r\n" % (len(line), line))


def received(connection, wanted):
    """What came until these bytes, or until the end."""
    parts = b""
    while wanted not in parts and (part := connection.recv(2**16)):
        parts += part
    return parts


def test_a_stream_of_items_ends_when_its_token_is_revoked(desk):
    with desk.stream() as stream:
        send_line(stream, "win cash")
        assert b'"ask"' in received(stream, b'"again"')
        assert desk.admin.delete("/api/tokens/sensor").status_code == 200
        with contextlib.suppress(ConnectionError):
            for _ in range(5):
                send_line(stream, "lunch at nine")
        end = received(stream, b"0\r\n\r\n")
    assert b'"unknown_token"' in end
    assert b'"ask"' not in end
    assert desk.admin.get(f"{TASK}/figures").json()["items"] == 1, "nothing was decided after that"


def test_a_silent_stream_of_items_ends_too(desk, monkeypatch):
    monkeypatch.setattr(items, "ADMITTED_CHECK", 0.02)
    with desk.stream() as stream:
        send_line(stream, "win cash")
        received(stream, b'"again"')
        desk.admin.delete("/api/tokens/sensor")
        assert b'"unknown_token"' in received(stream, b"0\r\n\r\n")


def test_a_stream_that_is_silent_for_long_ends(desk, monkeypatch):
    monkeypatch.setattr(items, "ADMITTED_CHECK", 0.01)
    monkeypatch.setattr(items, "STREAM_IDLE", 5)
    with desk.stream() as stream:
        send_line(stream, "win cash")
        answer = received(stream, b"0\r\n\r\n")
    assert b'"ask"' in answer
    assert b'"too_slow"' in answer


def test_events_end_at_once_when_their_token_is_revoked(desk, monkeypatch):
    monkeypatch.setattr(events, "CHECK", 0.02)
    with desk.open(f"GET {TASK}/events", desk.reading) as stream:
        stream.sendall(b"\r\n")
        received(stream, b"event: figures")
        desk.admin.delete("/api/tokens/reader")
        received(stream, b"0\r\n\r\n")
        assert b"data" not in received(stream, b"no more")


# ---------------------------------------------------------------------- events


class Watched(World):
    """A service whose figures are counted."""

    def __init__(self, path):
        super().__init__(path)
        self.task = self.service.writers["spam"].task
        self.computed = 0
        self._figures = self.task.figures
        self.task.figures = self._counted

    def _counted(self, transaction):
        self.computed += 1
        return self._figures(transaction)

    async def watch(self, stop):
        """All events of one watcher until it is stopped."""
        sent = []

        async def send(message):
            sent.append(message.get("body", b""))

        async def receive():
            await stop.wait()
            return {"type": "http.disconnect"}

        headers = [(b"host", b"x"), (b"authorization", f"Bearer {self.tokens['read']}".encode())]
        path = f"{TASK}/events"
        scope = {"type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "query_string": b""}
        await self.app(scope | {"headers": headers, "scheme": "http", "client": ("1.1.1.1", 1)}, receive, send)
        return b"".join(sent)


def test_figures_are_computed_once_for_all_who_watch(tmp_path, monkeypatch):
    monkeypatch.setattr(events, "PAUSE", 0.01)
    world = Watched(tmp_path / "a.db")
    listeners = list(world.service._changed)

    def newest():
        watched = world.app.state.broadcasts._of.get("spam")
        return watched.newest if watched else b""

    async def scene():
        stop = asyncio.Event()
        watchers = [asyncio.create_task(world.watch(stop)) for _ in range(50)]
        for number in range(1, 4):
            headers = {"authorization": f"Bearer {world.tokens['ingest']}"}
            await world.client._client.post(f"{TASK}/items", json={"items": [{"text": "a"}]}, headers=headers)
            while b'"items":%d' % number not in newest():
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        stop.set()
        return await asyncio.gather(*watchers)

    try:
        told = world.client._loop.run_until_complete(scene())
        assert len(set(told)) == 1
        assert 3 <= told[0].count(b"event: figures") <= 4
        assert b'"items":3' in told[0]
        assert world.computed <= 4, "once for each change"
        assert not world.app.state.broadcasts._of, "nobody watches any more"
        assert world.service._changed == listeners, "nor listens to changes"
    finally:
        world.close()


def test_watchers_beyond_the_limit_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(events, "MOST_OF_A_TASK", 2)
    world = Watched(tmp_path / "a.db")

    async def scene():
        stop = asyncio.Event()
        watchers = [asyncio.create_task(world.watch(stop)) for _ in range(2)]
        await asyncio.sleep(0.1)
        headers = {"authorization": f"Bearer {world.tokens['read']}"}
        refused = await world.client._client.get(f"{TASK}/events", headers=headers)
        stop.set()
        await asyncio.gather(*watchers)
        return refused

    try:
        refused = world.client._loop.run_until_complete(scene())
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "too_many_watchers")
        assert refused.headers["retry-after"] == "5"
    finally:
        world.close()


# ---------------------------------------------------------------------- clients that hang up


def test_clients_that_hang_up_are_not_errors(desk, caplog):
    for _ in range(5):
        with desk.open(f"POST {TASK}/items") as half:
            half.sendall(b"content-type: application/json\r\ncontent-length: 1000\r\n\r\n{")
        with desk.stream() as stream:
            send_line(stream, "win cash")
            received(stream, b'"again"')
        with desk.stream() as stream:
            stream.sendall(b"1\r\n{\r\n")
        with desk.open(f"GET {TASK}/events", desk.reading) as watching:
            watching.sendall(b"\r\n")
            received(watching, b"event: figures")
    hung_up = 'askance_requests_total{route="%s",status="499"}'
    until(lambda: desk.metric("askance_requests_total").get(hung_up % "decide_items") == 5)
    until(lambda: desk.metric("askance_requests_total").get(hung_up % "stream_items") == 5)
    assert not [name for name in desk.metric("askance_requests_total") if 'status="5' in name]
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
