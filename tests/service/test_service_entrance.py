"""What every request leaves behind: an id, a line in the log and a count; and the path of a proxy."""

import json
import logging
import re
from urllib.parse import urlsplit

import pytest

from askance import __version__
from askance.service.api.app import application
from askance.service.api.entrance import HSTS
from askance.service.api.guard import ServerOptions
from askance.service.auth.sessions import csrf_of
from askance.service.json_logging import JsonLines
from service_world import TASK, Caller, World, items

HTML = {"accept": "text/html"}


@pytest.fixture
def world(tmp_path):
    world = World(tmp_path / "a.db", ServerOptions(wrong_tokens_per_second=1000))
    yield world
    world.close()


# ---------------------------------------------------------------------- ids

SANE = ("a", "0af7651916cd43dd8448eb211c80319c", "A-b_c.d:1", "x" * 64)
INSANE = ("", "x" * 65, "a b", "a\tb", '"', "<script>", "é")


@pytest.mark.parametrize("given", SANE + INSANE, ids=range(len(SANE + INSANE)))
def test_a_request_keeps_its_id_if_it_is_sane(world, given):
    answer = world.call("GET", "/health", headers={"x-request-id": given.encode("latin-1")})
    got = answer.headers["x-request-id"]
    assert got == given if given in SANE else re.fullmatch("[0-9a-f]{16}", got)


def test_ids_are_new_each_time(world):
    assert len({world.call("GET", "/health").headers["x-request-id"] for _ in range(20)}) == 20


def test_errors_name_the_request(world):
    for path in (f"{TASK}/items/7", "/api/nothing", "/api/tokens"):
        answer = world.call("GET", path, role="read", headers={"x-request-id": "mine"})
        assert answer.status_code >= 400
        assert (answer.json()["error"]["request_id"], answer.headers["x-request-id"]) == ("mine", "mine")
    page = world.call("GET", "/nothing", headers={"x-request-id": "mine", **HTML})
    assert "Request mine" in page.text
    lines = world.call(
        "POST",
        f"{TASK}/stream",
        headers={"x-request-id": "mine", "content-type": "application/x-ndjson"},
        content="{",
    )
    assert lines.json()["error"]["request_id"] == "mine"


def test_log_lines_name_the_request(world, monkeypatch, caplog):
    monkeypatch.setattr(world.service.tokens, "known", lambda: 1 / 0)
    written = []
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    handler.emit = lambda record: written.append(json.loads(handler.format(record)))
    logging.getLogger("askance.service").addHandler(handler)
    try:
        assert world.call("GET", "/api/tokens", headers={"x-request-id": "mine"}).status_code == 500
    finally:
        logging.getLogger("askance.service").removeHandler(handler)
    line = next(line for line in written if line["event"] == "a request failed")
    assert (line["request_id"], line["route"]) == ("mine", "list_tokens")
    assert "ZeroDivisionError" in line["traceback"]


# ---------------------------------------------------------------------- the log


def lines_of(caplog):
    shown = ("method", "path", "route", "status", "who", "address")
    return [tuple(getattr(line, name) for name in shown) for line in caplog.records if line.message == "request"]


def test_every_request_has_a_line(world, caplog):
    caplog.set_level(logging.INFO, "askance.service")
    world.call("POST", f"{TASK}/items", items("a"), "ingest")
    world.call("GET", "/first?code=secret", role=None)
    world.call("GET", f"{TASK}/figures", role="askance_wrong")
    world.call("GET", "/wp-login.php", role=None)
    cookie = {"cookie": f"askance_session={world.service.sessions.begin(person(world, 'read'), '')[0]}"}
    world.call("GET", "/tasks", role=None, headers=cookie)
    assert lines_of(caplog) == [
        ("POST", f"{TASK}/items", "decide_items", 200, "ingest", "127.0.0.1"),
        ("GET", "/first", "first_page", 200, None, "127.0.0.1"),
        ("GET", f"{TASK}/figures", "show_figures", 401, None, "127.0.0.1"),
        ("GET", "/wp-login.php", "unknown", 404, None, "127.0.0.1"),
        ("GET", "/tasks", "tasks_page", 200, "read", "127.0.0.1"),
    ]
    assert "secret" not in " ".join(str(vars(line)) for line in caplog.records if line.name == "askance.service")


def person(world, name):
    return world.service.tokens.named(name)


def test_usually_requests_have_no_line(world, caplog):
    caplog.set_level(logging.WARNING, "askance.service")
    world.call("GET", "/health")
    assert lines_of(caplog) == []


# ---------------------------------------------------------------------- metrics


def test_unknown_paths_are_counted_under_one_name(world):
    for path in ("/a", "/b", "/api/c", "/d.php"):
        world.call("GET", path, role=None)
    world.call("DELETE", "/health", role=None)
    told = world.call("GET", "/metrics").text
    assert 'askance_requests_total{route="unknown",status="404"} 4.0' in told
    assert 'askance_requests_total{route="unknown",status="405"} 1.0' in told
    assert "/a" not in re.findall('route="([^"]*)"', told)


def test_metrics_of_the_process_and_the_build(world):
    told = world.call("GET", "/metrics").text
    assert f'askance_build_info{{version="{__version__}"}} 1.0' in told
    assert re.search(r"^process_resident_memory_bytes [1-9]", told, re.MULTILINE)
    assert re.search(r"^process_open_fds [1-9]", told, re.MULTILINE)


def test_refusals_are_metrics(world):
    world.call("POST", "/api/first", {"code": "x" * 20_000}, role=None)
    assert 'askance_refused_total{reason="too_large"} 1.0' in world.call("GET", "/metrics").text


# ---------------------------------------------------------------------- hosts and TLS


def test_unknown_paths_are_checked_for_the_host(world):
    client = Caller(application(world.service, ServerOptions(hosts=("good.example",))))
    try:
        for path in ("/nothing", "/api/nothing", "/health"):
            assert client.get(path, headers={"host": "evil.example"}).status_code == 421
            assert client.get(path, headers={"host": "evil.example", **HTML}).status_code == 421
            assert client.get(path, headers={"host": "good.example"}).status_code in (200, 404)
    finally:
        client.close()


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_browsers_stay_with_tls(world, scheme):
    for path in ("/health", "/sign-in", "/nothing"):
        told = world.client.get(f"{scheme}://testserver{path}").headers
        assert (HSTS[0].decode() in told) == (scheme == "https")


# ---------------------------------------------------------------------- a path prefix


class Prefixed(World):
    """A service that a proxy serves under a path."""

    def __init__(self, path):
        super().__init__(path, ServerOptions(path_prefix="/labels/askance"))

    def sign_in(self, at, wanted="", scheme="http"):
        sent = {"token": self.tokens["admin"], "next": wanted}
        return self.client.post(f"{scheme}://testserver{at}/sign-in", data=sent)


@pytest.fixture
def prefixed(tmp_path):
    prefixed = Prefixed(tmp_path / "a.db")
    yield prefixed
    prefixed.close()


AT = "/labels/askance"


@pytest.mark.parametrize("at", ["", AT], ids=["removed by the proxy", "left by the proxy"])
def test_all_links_are_below_the_prefix(prefixed, at):
    answer = prefixed.sign_in(at)
    assert answer.headers["location"] == f"{AT}/tasks"
    secret = re.search("askance_session=([^;]*);", answer.headers["set-cookie"])[1]
    assert f"Path={AT};" in answer.headers["set-cookie"]
    prefixed.post(f"{TASK}/items", items("a"))
    pages = (
        "/tasks",
        "/people",
        "/audit",
        "/new-task",
        "/nothing",
        *(f"/tasks/spam{end}" for end in PAGES_OF_A_TASK),
    )
    for path in pages:
        headers = {"cookie": f"askance_session={secret}", **HTML}
        page = prefixed.client.get(f"{at}{path}", headers=headers)
        assert page.status_code == (404 if path == "/nothing" else 200), path
        links = re.findall(r'(?:href|src|action)="([^"#]+)"', page.text)
        assert len(links) > 5
        assert [link for link in links if not link.startswith(f"{AT}/")] == [], path
        assert f'<meta name="root" content="{AT}">' in page.text
        assert prefixed.client.get(links[0]).status_code == 200
    left = prefixed.client.post(f"{at}/sign-out", data={"csrf": csrf_of(secret)}, headers=headers)
    assert left.headers["location"] == f"{AT}/sign-in"
    assert f"Path={AT};" in left.headers["set-cookie"]


PAGES_OF_A_TASK = ("", "/label", "/upload", "/items", "/items/1", "/model", "/settings")


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/", "/tasks"),
        ("/people?x=1", "/sign-in?next=%2Fpeople%3Fx%3D1"),
        ("/tasks/", "/tasks"),
    ],
)
@pytest.mark.parametrize("at", ["", AT])
def test_redirects_are_below_the_prefix(prefixed, at, path, place):
    told = urlsplit(prefixed.client.get(f"{at}{path}").headers["location"])
    assert told.netloc in ("", "testserver")
    assert told._replace(scheme="", netloc="").geturl() == AT + place


def test_the_way_back_is_below_the_prefix(prefixed):
    for wanted in ("/people", f"{AT}/people"):
        assert prefixed.sign_in(AT, wanted).headers["location"] == f"{AT}/people"
    assert prefixed.sign_in(AT, "//evil.example").headers["location"] == f"{AT}/tasks"


def test_the_cookie_of_a_prefix_with_tls(prefixed):
    told = prefixed.sign_in(AT, scheme="https").headers["set-cookie"]
    assert told.startswith("__Secure-askance_session=")
    assert f"Path={AT};" in told
    assert "Secure" in told
    assert prefixed.client.get(f"https://testserver{AT}/tasks").status_code == 200


def test_the_schema_names_the_prefix(prefixed):
    assert prefixed.call("GET", f"{AT}/api/openapi.json").json()["servers"] == [{"url": AT}]


@pytest.mark.parametrize("prefix", ["askance", "/askance/", "/", "/a b", "/../x", "/.", "//x", "/api", "/tasks/x"])
def test_what_is_no_prefix_is_refused(world, prefix):
    with pytest.raises(ValueError, match="the path prefix"):
        application(world.service, ServerOptions(path_prefix=prefix))
