"""Connections: strangers who send slowly, too much, or nothing do not keep others out."""

import logging
import socket
import time
from contextlib import ExitStack, contextmanager

import httpx
import pytest

from askance.service import connections, start
from askance.service.api.bodies import SMALL, Bodies
from askance.service.api.guard import ServerOptions
from askance.service.api.proxies import Proxies
from askance.service.api.refusals import PAUSE, Refusals
from askance.service.connections import LINGER_BYTES, Connections
from askance.service.errors import RequestError
from service_world import SPAM

BODY = (
    b"POST /api/first HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n{"
)
HALVES = {
    "nothing": b"",
    "half a header": b"GET /health HTTP/1.1\r\nhost: loc",
    "half a body": BODY % 9000,
    "a request, then nothing": b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n",
}


@contextmanager
def served(tmp_path, **limits):
    with start(tmp_path / "a.db", [SPAM], options=ServerOptions(**limits)) as service:
        yield service


def connect(service):
    _, _, port = service.url.rpartition(":")
    return socket.create_connection(("127.0.0.1", int(port)), 30)


def answer_to(service, sent):
    """All that the service answers until it closes the connection."""
    with connect(service) as client:
        client.sendall(sent)
        return everything(client)


def everything(client):
    parts = []
    try:
        while part := client.recv(2**16):
            parts.append(part)
    except ConnectionError:
        pass
    return b"".join(parts)


def healthy(service):
    return httpx.get(f"{service.url}/health", timeout=30).status_code == 200


def crowd(service, stack, many, sent):
    for _ in range(many):
        client = stack.enter_context(connect(service))
        client.sendall(sent)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("sent", HALVES.values(), ids=HALVES)
def test_clients_that_send_slowly_do_not_keep_others_out(tmp_path, sent, caplog):
    with served(tmp_path, connections_per_address=20) as service, ExitStack() as stack:
        crowd(service, stack, 60, sent)
        assert healthy(service)
        assert "refused" in caplog.text, "and the operator learns of it"
        assert len(caplog.records) < 20, "without a flood"


@pytest.mark.slow
@pytest.mark.parametrize("sent", HALVES.values(), ids=HALVES)
@pytest.mark.parametrize("limits", [{}, {"connections": 200, "connections_per_address": 2000}])
def test_a_thousand_clients_that_send_slowly_do_not_keep_others_out(tmp_path, sent, limits):
    with served(tmp_path, **limits) as service, ExitStack() as stack:
        for _ in range(10):
            crowd(service, stack, 100, sent)
            assert healthy(service)


def test_clients_that_are_served_keep_their_places(tmp_path):
    """Those who have a place and are being served are not sent away: the next one is refused."""
    with served(tmp_path, connections_per_address=3) as service, ExitStack() as stack:
        token = httpx.post(f"{service.url}/api/first", json={"code": service.admin_code()}).json()["token"]
        events = b"GET /api/tasks/spam/events HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer %b\r\n\r\n"
        watching = [stack.enter_context(connect(service)) for _ in range(3)]
        for client in watching:
            client.sendall(events % token.encode())
            assert b"200 OK" in client.recv(4096)
        refused = answer_to(service, b"")
        assert refused.startswith(b"HTTP/1.1 503 ")
        assert b'"code":"too_many_connections"' in refused
        watching.pop().close()
        until(lambda: b"200 OK" in answer_to(service, b"GET /health HTTP/1.0\r\nhost: localhost\r\n\r\n"))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("sent", HALVES.values(), ids=HALVES)
def test_a_stop_does_not_wait_for_clients_that_send_slowly(tmp_path, sent):
    with ExitStack() as stack:
        with served(tmp_path, body_seconds=1e6) as service:
            crowd(service, stack, 5, sent)
            assert healthy(service)
            server = service._bound.server
            server.config.timeout_graceful_shutdown = None  # it would wait for ever
        assert not server.server_state.connections


class Fake:
    """A connection of which only its place counts."""

    waits = False

    def __init__(self):
        self.transport = self

    def abort(self):
        self.waits = False


def test_an_ipv6_network_is_one_sender():
    connections = Connections(ServerOptions(connections_per_address=2, proxies=["2001:db8:1::1"]), Refusals())
    taken = [connections.admit(Fake(), f"2001:db8::{number}") for number in range(1, 5)]
    assert taken == [True, True, False, False]
    assert connections.admit(Fake(), "2001:db8:0:1::1")
    assert all(connections.admit(Fake(), "2001:db8:1::1") for _ in range(5)), "a proxy speaks for many"


def test_a_connection_that_waits_gives_way():
    connections = Connections(ServerOptions(connections_per_address=2), Refusals())
    idle, busy, late = Fake(), Fake(), Fake()
    assert connections.admit(idle, "192.0.2.1")
    assert connections.admit(busy, "192.0.2.1")
    idle.waits = busy.waits = True
    connections.served(idle)  # it is now the last one to go
    assert connections.admit(late, "192.0.2.1")
    assert (idle.waits, busy.waits, len(connections)) == (True, False, 2)
    for one in (idle, busy, late, late):
        connections.leave(one)
    assert not connections._of


def until(works, seconds=30.0):
    end = time.monotonic() + seconds
    while not works():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_headers_have_a_time(tmp_path):
    with served(tmp_path, header_seconds=0.2) as service:
        assert answer_to(service, b"") == b"", "nothing was asked, so nothing is answered"
        assert answer_to(service, HALVES["half a header"]).startswith(b"HTTP/1.1 408 ")
        request = HALVES["a request, then nothing"]
        both = answer_to(service, request + request[:20])
        assert both.startswith(b"HTTP/1.1 200 OK")
        assert b"HTTP/1.1 408 " in both


def test_bodies_have_a_time(tmp_path):
    with served(tmp_path, body_seconds=0.2) as service:
        answer = answer_to(service, (BODY % 9000).replace(b"\r\nhost", b"\r\nconnection: close\r\nhost"))
        assert answer.startswith(b"HTTP/1.1 408 ")
        assert b'"code":"too_slow"' in answer


def test_headers_have_a_size(tmp_path):
    with served(tmp_path) as service:
        answer = answer_to(service, b"GET / HTTP/1.1\r\nx: " + b"y" * (2 * connections.HEADER_BYTES))
        assert answer.startswith(b"HTTP/1.1 431 ")


def test_what_is_no_http_is_counted(tmp_path, caplog):
    with served(tmp_path) as service:
        for _ in range(30):
            assert answer_to(service, b"\x16\x03\x01 hello\r\n\r\n").startswith(b"HTTP/1.1 400 ")
    lines = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert [(record.reason, record.times) for record in lines] == [("invalid_http", 1)]


def test_a_body_that_is_too_large_is_answered_before_it_is_sent(tmp_path):
    with served(tmp_path) as service, connect(service) as client:
        client.sendall(BODY % 200_000_000)
        assert client.recv(4096).startswith(b"HTTP/1.1 413 ")
        with pytest.raises(ConnectionError):
            client.sendall(b"x" * (4 * LINGER_BYTES))


def test_after_a_refused_body_that_is_sent_whole_the_connection_goes_on(tmp_path):
    with served(tmp_path, stranger_bytes=100) as service, httpx.Client(base_url=service.url) as client:
        for _ in range(3):
            assert client.post("/api/first", json={"code": "x" * 100_000}).status_code == 413
            assert client.get("/health").status_code == 200


def test_a_client_that_dawdles_after_its_refusal_is_closed(tmp_path, monkeypatch):
    monkeypatch.setattr(connections, "LINGER_SECONDS", 0.1)
    with served(tmp_path) as service, connect(service) as client:
        client.sendall(BODY % 200_000_000)
        assert everything(client).startswith(b"HTTP/1.1 413 ")


def test_a_client_that_does_not_read_is_closed(tmp_path, monkeypatch):
    monkeypatch.setattr(connections, "WRITE_SECONDS", 0.1)
    with served(tmp_path) as service, connect(service) as client:
        request = b"GET /api/openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n"
        with pytest.raises(ConnectionError):
            until(lambda: not client.sendall(request * 100) and False)


def test_strangers_send_small_bodies_only(tmp_path):
    with served(tmp_path) as service, httpx.Client(base_url=service.url) as client:
        small, large = {"code": "x" * 1000}, {"code": "x" * 20_000}
        assert client.post("/api/first", json=small).status_code in (403, 422)
        assert client.post("/api/first", json=large).status_code == 413
        chunked = client.post("/api/first", content=iter([b"x" * 10_000] * 2))
        assert (chunked.status_code, chunked.json()["error"]["code"]) == (413, "too_large")
        for path in ("/sign-in", "/first"):
            assert client.post(path, data=large).status_code == 413


def test_all_unfinished_bodies_together_have_a_size():
    bodies = Bodies(most=1000, seconds=60)
    with bodies.claim() as large, bodies.claim() as other:
        large.resize(SMALL + 600)
        large.resize(SMALL + 900)
        with pytest.raises(RequestError) as caught:
            other.resize(SMALL + 101)
        assert (caught.value.status, caught.value.retry_after) == (503, 1)
        other.resize(SMALL)
        other.resize(SMALL + 100)
        assert bodies.held == 1000
    assert bodies.held == 0


def test_unfinished_bodies_of_the_service_have_a_size(tmp_path):
    with served(tmp_path, unfinished_bytes=2_000_000) as service, ExitStack() as stack:
        token = httpx.post(f"{service.url}/api/first", json={"code": service.admin_code()}).json()["token"]
        head = (BODY[:-1] % 1_500_000).replace(b"/api/first", b"/api/tasks/spam/items")
        head = head.replace(b"\r\nhost", b"\r\nauthorization: Bearer " + token.encode() + b"\r\nhost")
        first = stack.enter_context(connect(service))
        first.sendall(head + b"x" * 1_400_000)
        with httpx.Client(base_url=service.url, headers={"authorization": f"Bearer {token}"}) as client:
            item = {"items": [{"text": "x" * 150_000}] * 9}
            until(lambda: client.post("/api/tasks/spam/items", json=item).status_code == 503)
            labels = client.post("/api/tasks/spam/labels", json={"labels": []})
            assert labels.status_code in (200, 422), "small bodies always find a place"
            first.close()
            until(lambda: client.post("/api/tasks/spam/items", json=item).status_code == 200)


def test_the_limit_is_below_that_of_open_files(monkeypatch):
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(resource, "getrlimit", lambda _: (512, 512))
    assert Connections(ServerOptions(), Refusals()).most == 512 - connections.KEPT_FILES
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert Connections(ServerOptions(), Refusals()).most == 1000


def test_one_line_about_many_refusals(caplog):
    clock = [0.0]
    refusals = Refusals(lambda: clock[0])
    for _ in range(5):
        refusals.note("busy", "192.0.2.1")
    refusals.note("too_slow", "192.0.2.2", route="x")
    clock[0] += PAUSE
    refusals.note("busy", "192.0.2.3")
    lines = [(line.reason, line.times, line.last_address) for line in caplog.records]
    assert lines == [("busy", 1, "192.0.2.1"), ("too_slow", 1, "192.0.2.2"), ("busy", 5, "192.0.2.3")]
    assert refusals.counts == {"busy": 6, "too_slow": 1}


FORWARDED = {
    "one proxy": ("10.0.0.1", ["192.0.2.9"], "192.0.2.9"),
    "what a client made up": ("10.0.0.1", ["1.1.1.1, 192.0.2.9"], "192.0.2.9"),
    "a chain of proxies": ("10.0.0.1", ["192.0.2.9, 10.0.0.2"], "192.0.2.9"),
    "two headers": ("10.0.0.1", ["1.1.1.1", "192.0.2.9"], "192.0.2.9"),
    "a port": ("10.0.0.1", ["192.0.2.9:4711"], "192.0.2.9"),
    "brackets": ("10.0.0.1", ["[2001:db8::1]:4711"], "2001:db8::1"),
    "a mapped address": ("::ffff:10.0.0.1", ["192.0.2.9"], "192.0.2.9"),
    "proxies alone": ("10.0.0.1", ["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
    "no address": ("10.0.0.1", ["unknown"], "10.0.0.1"),
    "nothing": ("10.0.0.1", [], "10.0.0.1"),
    "nobody we know": ("192.0.2.1", ["192.0.2.9"], "192.0.2.1"),
    "this machine": ("127.0.0.1", ["192.0.2.9"], "127.0.0.1"),
}


@pytest.mark.parametrize(("sender", "told", "address"), FORWARDED.values(), ids=FORWARDED)
def test_whom_a_proxy_speaks_for(sender, told, address):
    headers = [(b"x-forwarded-for", one.encode()) for one in told]
    scope = {"client": (sender, 1), "scheme": "http", "headers": [*headers, (b"x-forwarded-proto", b"https")]}
    proxies = Proxies(["10.0.0.0/8"])
    proxies.apply(scope)
    assert scope["client"][0] == address
    assert scope["scheme"] == ("https" if proxies.trusted(sender) else "http")


def test_a_proxy_that_is_no_address_is_refused():
    with pytest.raises(ValueError, match="'nginx' is not the address of a proxy"):
        Proxies(["nginx"])
