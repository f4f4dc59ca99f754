"""The door: who comes in by token or cookie, what keeps strangers and other sites out, what the trail tells."""

import json
import re
import threading
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from askance.errors import StoreError
from askance.service.api import events
from askance.service.api.guard import ServerOptions
from askance.service.api.rate_limits import Attempts, RateLimiter
from askance.service.api.route import PAGE
from askance.service.api.table import ROUTES
from askance.service.auth.rights import Person
from askance.service.auth.sessions import IDLE, csrf_of
from askance.service.commands import amendments
from askance.service.errors import RequestError
from askance.service.messages import WebhookRequest
from askance.service.web.rendering import HEADERS
from askance.service.web.sign_in import local_path
from askance.service.web.table import PAGES
from service_server import real_service
from service_world import ROLES, TASK, Caller, World, address, items
from stores import content

COOKIE = "askance_session"
NEVER_ENDS, ENDS_THE_SESSION = "watch_task", "sign_out"


class Clock:
    """A clock that is set by hand."""

    def __init__(self):
        self.now = 1e9

    def __call__(self):
        return self.now


class Doors(World):
    """A service with somebody of every role signed in."""

    def __init__(self, path, limits=None, **options):
        self.clock = Clock()
        super().__init__(path, limits or ServerOptions(wrong_tokens_per_second=1e4), clock=self.clock, **options)
        self.secrets = {role: self.sign_in(role) for role in ROLES}

    def sign_in(self, role):
        return self.service.sessions.begin(Person(role, role), "a browser")[0]

    def by(self, method, path, *, cookie=None, csrf=None, token=None, **options):
        """A request with this cookie and these headers, and nothing that an earlier one left."""
        headers = options.pop("headers", {})
        headers |= {"cookie": f"{COOKIE}={cookie}"} if cookie else {}
        headers |= {"x-askance-csrf": csrf} if csrf else {}
        headers |= {"authorization": f"Bearer {token}"} if token else {}
        self.client._client.cookies.clear()
        return self.client.request(method, path, headers=headers, **options)

    def audit(self):
        return [
            (entry.who, entry.action, entry.task, entry.subject)
            for entry in reversed(self.store.audit_records(999))
        ]


@pytest.fixture
def doors(tmp_path):
    doors = Doors(tmp_path / "a.db")
    yield doors
    doors.close()


def body_of(route):
    if route.takes_form:
        return {"data": {"csrf": ""}}
    return {"json": {}} if route.body is not None or route.takes_lines else {}


def code_of(answer):
    return answer.json()["error"]["code"] if "json" in answer.headers["content-type"] else ""


# ---------------------------------------------------------------------- everybody at every door


def strangers(doors):
    """Ways to come that let nobody in."""
    ended = doors.sign_in("admin")
    doors.service.sessions.end(doors.service.sessions.find(ended).number)
    gone = doors.service.tokens.create("gone", "admin")
    of_gone, _ = doors.service.sessions.begin(Person("gone", "admin"), "")
    doors.service.tokens.revoke("gone")
    doors.clock.now += IDLE - 1
    for secret in doors.secrets.values():
        doors.service.sessions.find(secret)
    idle = doors.sign_in("admin")
    doors.clock.now += IDLE
    for role in ROLES:
        doors.secrets[role] = doors.sign_in(role)
    return {
        "nobody": {},
        "a wrong token": {"token": "askance_wrong"},
        "a wrong cookie": {"cookie": "wrong", "csrf": csrf_of("wrong")},
        "a token as a cookie": {"cookie": doors.tokens["admin"], "csrf": csrf_of(doors.tokens["admin"])},
        "a cookie as a token": {"token": doors.secrets["admin"]},
        "a wrong token beside a good cookie": {
            "token": "askance_wrong",
            "cookie": doors.secrets["admin"],
            "csrf": csrf_of(doors.secrets["admin"]),
        },
        "an ended session": {"cookie": ended, "csrf": csrf_of(ended)},
        "an expired session": {"cookie": idle, "csrf": csrf_of(idle)},
        "a revoked token": {"token": gone.token},
        "a session of a revoked token": {"cookie": of_gone, "csrf": csrf_of(of_gone)},
        "another cookie's name": {"headers": {"cookie": f"__Host-{COOKIE}={doors.secrets['admin']}"}},
    }


GUARDED = [route for route in (*ROUTES, *PAGES) if route.roles is not None]


def test_strangers_are_let_in_nowhere(doors):
    ways = strangers(doors)
    before, state = content(doors.store), doors.state()
    for route in GUARDED:
        for name, way in ways.items():
            answer = doors.by(route.method, address(route), **body_of(route), **way)
            if route.media == PAGE:
                assert (answer.status_code, answer.headers["location"][:8]) == (303, "/sign-in"), (
                    route.name,
                    name,
                )
            else:
                assert answer.status_code == 401, (route.name, name)
                assert code_of(answer) in ("no_token", "unknown_token", "session_ended")
    assert (content(doors.store), doors.state()) == (before, state)


def test_other_roles_are_refused_by_token_and_by_cookie(doors):
    before, state = content(doors.store), doors.state()
    for route in GUARDED:
        for role in (role for role in ROLES if not route.allows(role)):
            secret = doors.secrets[role]
            for way in ({"token": doors.tokens[role]}, {"cookie": secret, "csrf": csrf_of(secret)}):
                answer = doors.by(route.method, address(route), **body_of(route), **way)
                assert answer.status_code == 403, (route.name, role)
                if route.media == PAGE:
                    assert f'title="{role}"' in answer.text, "the person is known, so that the navigation is right"
                    assert "/people" not in answer.text
                else:
                    assert code_of(answer) == "forbidden_role"
    assert (content(doors.store), doors.state()) == (before, state)


FROM_ELSEWHERE = {
    "no value": ({}, "missing_csrf"),
    "another session's value": ({"csrf": csrf_of("another")}, "missing_csrf"),
    "a value that is no ASCII": ({"headers": {"x-askance-csrf": b"\xe9\xff"}}, "missing_csrf"),
    "another origin": ({"right": True, "headers": {"origin": "http://evil.example"}}, "foreign_origin"),
    "an origin that is hidden": ({"right": True, "headers": {"origin": "null"}}, "foreign_origin"),
    "another port": ({"right": True, "headers": {"origin": "http://testserver:81"}}, "foreign_origin"),
    "another site": ({"right": True, "headers": {"sec-fetch-site": "cross-site"}}, "foreign_origin"),
    "a sibling": ({"right": True, "headers": {"sec-fetch-site": "same-site"}}, "foreign_origin"),
}


def test_with_a_cookie_pages_of_others_change_nothing(doors):
    before, state = content(doors.store), doors.state()
    changing = [route for route in GUARDED if route.method != "GET"]
    secret = doors.secrets["admin"]
    for route in changing:
        for name, (given, code) in FROM_ELSEWHERE.items():
            way = {"csrf": csrf_of(secret) if given.get("right") else given.get("csrf")}
            way["headers"] = dict(given.get("headers", {}))
            answer = doors.by(route.method, address(route), cookie=secret, **body_of(route), **way)
            assert answer.status_code == 403, (route.name, name)
            assert code_of(answer) in (code, ""), (route.name, name)
    assert (content(doors.store), doors.state()) == (before, state)
    assert doors.service.sessions.find(secret)


@pytest.mark.slow
def test_who_may_is_let_in_by_token_and_by_cookie(doors):
    for route in GUARDED:
        if route.name in (NEVER_ENDS, ENDS_THE_SESSION):
            continue
        path = address(route).replace("/tokens/ingest", "/tokens/nobody")
        for role in (role for role in ROLES if route.allows(role)):
            secret = doors.secrets[role]
            for way in ({"token": doors.tokens[role]}, {"cookie": secret, "csrf": csrf_of(secret)}):
                answer = doors.by(route.method, path, **body_of(route), **way)
                assert answer.status_code not in (303, 401, 403, 500), (route.name, role, answer.text)
            if route.method == "GET":
                link = {"sec-fetch-site": "cross-site"}
                answer = doors.by("GET", path, cookie=secret, headers=link)
                assert answer.status_code not in (303, 401, 403, 500), "a link may be followed"


# ---------------------------------------------------------------------- signing in and out


def test_signing_in_and_out(doors):
    shown = doors.by("GET", "/people?x=1")
    assert (shown.status_code, shown.headers["location"]) == (303, "/sign-in?next=%2Fpeople%3Fx%3D1")
    form = doors.by("GET", shown.headers["location"])
    assert 'name="next" value="/people?x=1"' in form.text
    sent = {"token": f" {doors.tokens['admin']}\n", "next": "/people?x=1"}
    answer = doors.by("POST", "/sign-in", data=sent, headers={"user-agent": "Firefox"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/people?x=1")
    secret = flags(answer)[COOKIE]
    page = doors.by("GET", "/people", cookie=secret)
    assert f'<meta name="csrf" content="{csrf_of(secret)}">' in page.text
    assert doors.by("GET", "/sign-in?next=/audit", cookie=secret).headers["location"] == "/audit"
    told = doors.by("GET", "/api/sessions", cookie=secret).json()["sessions"]
    assert [(one["name"], one["agent"]) for one in told if one["current"]] == [("admin", "Firefox")]
    left = doors.by("POST", "/sign-out", cookie=secret, data={"csrf": csrf_of(secret)})
    assert (left.status_code, left.headers["location"], flags(left)[COOKIE]) == (303, "/sign-in", '""')
    assert doors.by("GET", "/people", cookie=secret).status_code == 303
    assert doors.audit() == [("admin", "sign_in", None, None), ("admin", "sign_out", None, None)]


def test_signing_in_anew_ends_the_session_before(doors):
    old = doors.secrets["read"]
    answer = doors.by("POST", "/sign-in", cookie=old, data={"token": doors.tokens["labeller"]})
    assert answer.headers["location"] == "/tasks"
    assert doors.service.sessions.find(old) is None
    assert doors.service.sessions.find(flags(answer)[COOKIE]).person.name == "labeller"


@pytest.mark.parametrize("site", [{"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}])
def test_nobody_is_signed_in_by_another_site(doors, site):
    for path, data in (("/sign-in", {"token": doors.tokens["read"]}), ("/first", {"code": "x"})):
        answer = doors.by("POST", path, data=data, headers=site)
        assert (answer.status_code, "set-cookie" in answer.headers) == (403, False)
    assert doors.audit() == []


def flags(answer):
    """The parts of the cookie that was set, in lower case, without the time of its end."""
    parts = [part.partition("=") for part in answer.headers["set-cookie"].split("; ")]
    return {name if name.endswith(COOKIE) else name.lower(): value for name, _, value in parts}


@pytest.mark.parametrize("tls", [False, True])
def test_flags_of_the_cookie(doors, tls):
    client = Caller(doors.app)
    client._client.base_url = "https://testserver" if tls else "http://testserver"
    answer = client.post("/sign-in", data={"token": doors.tokens["read"]})
    set_ = flags(answer)
    name = f"__Host-{COOKIE}" if tls else COOKIE
    assert set_.keys() == {name, "max-age", "path", "httponly", "samesite"} | ({"secure"} if tls else set())
    assert (set_["path"], set_["samesite"], set_["max-age"]) == ("/", "lax", "604800")
    assert client.get("/tasks").status_code == 200
    session = set_[name]
    left = client.post("/sign-out", data={"csrf": csrf_of(session)})
    assert (flags(left)[name], flags(left)["max-age"]) == ('""', "0")
    client.close()


@pytest.mark.parametrize("proxies", [(), ("127.0.0.1",)])
def test_only_a_named_proxy_tells_of_tls_and_of_the_address(tmp_path, proxies):
    told = {"x-forwarded-proto": "https", "x-forwarded-for": "192.0.2.9", "host": "localhost"}
    with (
        real_service(tmp_path, options=ServerOptions(proxies=proxies)) as (url, code),
        httpx.Client(base_url=url, headers=told) as client,
    ):
        made = client.post("/first", data={"code": code}, headers={"origin": "https://localhost"})
        assert made.status_code == 200
        set_ = flags(made)
        name = f"__Host-{COOKIE}" if proxies else COOKIE
        assert (name in set_, "secure" in set_) == (True, bool(proxies))
        assert ("strict-transport-security" in made.headers) == bool(proxies)
        entry = client.get("/api/audit", headers={"cookie": f"{name}={set_[name]}"}).json()["entries"][0]
        assert (entry["action"], entry["detail"]) == ("first_sign_in", "192.0.2.9" if proxies else "127.0.0.1")


LOCAL = ["/", "/tasks", "/tasks/a/items?state=open&search=%2F%2Fx", "/people#a", "/é"]
ELSEWHERE = [
    "",
    "tasks",
    "http://evil.example/",
    "https:evil.example",
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "\t//evil.example",
    " //evil.example",
    "/a\r\nset-cookie: x=y",
    "javascript:alert(1)",
    "/\x00/evil.example",
]


@pytest.mark.parametrize("wanted", LOCAL + ELSEWHERE)
def test_the_way_back_leads_to_this_service_alone(doors, wanted):
    assert local_path(wanted) == (wanted if wanted in LOCAL else "/tasks")
    answer = doors.by("POST", "/sign-in", data={"token": doors.tokens["read"], "next": wanted})
    place = urlsplit(answer.headers["location"])
    assert (place.scheme, place.netloc, place.path[:1]) == ("", "", "/")
    shown = doors.by("GET", "/sign-in", params={"next": wanted}, cookie=doors.secrets["read"])
    assert urlsplit(shown.headers["location"])[:2] == ("", "")


def test_the_way_to_the_sign_in_is_local_too(doors):
    for path in ("//evil.example", "/%2f/evil.example", "/tasks?next=//evil.example"):
        answer = doors.client.get(f"http://testserver{path}")
        if answer.status_code == 303:
            wanted = parse_qs(urlsplit(answer.headers["location"]).query)["next"][0]
            assert local_path(wanted) == wanted


def test_wrong_tokens_are_slowed_down(doors):
    clock = Clock()
    doors.app.state.attempts = Attempts(clock)
    answers = [doors.by("POST", "/sign-in", data={"token": "askance_no"}) for _ in range(6)]
    assert [answer.status_code for answer in answers] == [403] * 5 + [429]
    assert "Unknown token" in answers[0].text
    assert "Too many wrong tokens came from this address: try again in 12 seconds." in answers[5].text
    assert answers[5].headers["retry-after"] == "12"
    good = {"token": doors.tokens["read"]}
    assert doors.by("POST", "/sign-in", data=good).status_code == 429, "or it could be guessed all the same"
    clock.now += 12
    assert doors.by("POST", "/sign-in", data=good).status_code == 303
    failed = ("sign_in_failed", None, None)
    assert [entry[1:] for entry in doors.audit() if entry[0] is None] == [failed] * 5, "the trail is not flooded"


def test_strangers_everywhere_do_not_keep_others_out():
    clock = Clock()
    attempts = Attempts(clock)
    for n in range(30):
        attempts.check(f"10.0.0.{n}")
        attempts.failed(f"10.0.0.{n}")
    attempts.check("10.0.1.1")
    with pytest.raises(RequestError, match="from all addresses: try again in 5 seconds"):
        attempts.failed("10.0.1.1")
    clock.now += 5
    attempts.failed("10.0.1.2")


def test_a_pacer_lets_so_many_at_once_and_then_so_many_a_second():
    clock = Clock()
    pacer = RateLimiter(0.5, 3, clock)
    for _ in range(3):
        pacer.check("a")
    assert (pacer.wait("a"), pacer.wait("b")) == (2, 0)
    clock.now += 2
    pacer.check("a")
    with pytest.raises(RequestError, match=r"more than 0\.5 requests per second"):
        pacer.check("a")


def test_the_first_visit_signs_in(doors):
    code = doors.service.tokens.new_first_code()
    answer = doors.by("POST", "/first", data={"code": code})
    secret, token = flags(answer)[COOKIE], re.search(r"askance_[\w-]{43}", answer.text)[0]
    assert f'name="csrf" value="{csrf_of(secret)}"' in answer.text, "whoever has it can sign out at once"
    assert answer.headers["cache-control"] == "no-store"
    assert doors.by("GET", "/api/me", cookie=secret).json()["name"] == "admin-2"
    assert doors.by("GET", "/api/me", token=token).json()["role"] == "admin"
    assert doors.audit() == [("admin-2", "first_sign_in", None, None)]


def test_without_tokens_there_is_nothing_to_sign_in_to(tmp_path):
    world = World(tmp_path / "a.db", open_to_all=True)
    try:
        assert world.client.get("/people").status_code == 200
        assert "Sign out" not in world.client.get("/people").text
        assert world.client.get("/sign-in").headers["location"] == "/tasks"
        site = {"sec-fetch-site": "cross-site"}
        assert (
            world.client.post("/api/tokens", json={"name": "a", "role": "read"}, headers=site).status_code == 403
        )
    finally:
        world.close()


# ---------------------------------------------------------------------- people, sessions, me


def test_what_i_may(doors):
    for role in ROLES:
        me = doors.by("GET", "/api/me", token=doors.tokens[role]).json()
        assert (me["name"], me["role"]) == (role, role)
        assert set(me["may"]) == {route.name for route in (*ROUTES, *PAGES) if route.allows(role)}


def test_sessions_of_others_are_for_admins(doors):
    admin, read = (
        {"cookie": doors.secrets[role], "csrf": csrf_of(doors.secrets[role])} for role in ("admin", "read")
    )
    shown = doors.by("GET", "/api/sessions", **read).json()["sessions"]
    assert [(one["name"], one["current"]) for one in shown] == [("read", True)]
    everybody = {
        one["name"]: one["number"] for one in doors.by("GET", "/api/sessions", **admin).json()["sessions"]
    }
    assert everybody.keys() == set(ROLES)
    for number in (everybody["labeller"], 0, 10**30, "abc"):
        assert code_of(doors.by("DELETE", f"/api/sessions/{number}", **read)) == "unknown_session"
    assert doors.by("DELETE", f"/api/sessions/{everybody['labeller']}", **admin).json()["name"] == "labeller"
    assert doors.by("GET", "/tasks", cookie=doors.secrets["labeller"]).status_code == 303
    assert doors.by("DELETE", f"/api/sessions/{everybody['read']}", **read).status_code == 200
    assert code_of(doors.by("GET", "/api/me", **read)) == "session_ended"


def test_a_revoked_token_ends_its_sessions(doors):
    assert doors.by("DELETE", "/api/tokens/labeller", token=doors.tokens["admin"]).status_code == 200
    assert doors.by("GET", "/api/me", cookie=doors.secrets["labeller"]).status_code == 401
    assert "labeller" not in [session.name for session in doors.store.sessions()]


@pytest.mark.parametrize("way", ["token", "cookie"])
def test_a_stream_of_events_ends_with_what_let_it_in(doors, way, monkeypatch):
    monkeypatch.setattr(events, "CHECK", 0.05)
    given = {"token": doors.tokens["read"]} if way == "token" else {"cookie": doors.secrets["read"]}
    publish = events.Broadcast._publish

    def publish_and_revoke(broadcast, event):
        publish(broadcast, event)
        revoking.start()

    monkeypatch.setattr(events.Broadcast, "_publish", publish_and_revoke)
    revoking = threading.Timer(0.1, lambda: doors.service.tokens.revoke("read"))
    answer = doors.by("GET", f"{TASK}/events", **given)
    revoking.join()
    assert answer.text.startswith("event: figures")
    assert answer.text.count("\n\n") < 5, "it ends at once"
    assert doors.by("GET", f"{TASK}/events", **given).status_code == 401


def test_listening_is_no_use_of_a_session(doors):
    visit = doors.service.sessions.find(doors.secrets["read"])
    doors.clock.now += IDLE - 1
    assert doors.service.sessions.holds(visit.number)
    doors.clock.now += 1
    assert not doors.service.sessions.holds(visit.number)


def test_a_browser_at_a_wrong_address_is_shown_a_page(doors):
    browser = {"accept": "text/html,*/*"}
    shown = doors.by("GET", "/nothing", cookie=doors.secrets["read"], headers=dict(browser))
    assert (shown.status_code, "go back to the tasks" in shown.text) == (404, True)
    assert {name: shown.headers[name] for name in HEADERS} == HEADERS
    assert code_of(doors.by("GET", "/api/nothing", headers=dict(browser))) == "unknown_path"


def test_tokens_tell_when_they_were_seen(doors):
    doors.service.tokens.create("idle", "read")
    doors.clock.now += 100
    doors.by("GET", "/api/me", cookie=doors.secrets["read"])
    told = doors.by("GET", "/api/tokens", cookie=doors.secrets["admin"]).json()["tokens"]
    seen = {token["name"]: token["seen"] for token in told}
    assert (seen["read"], seen["ingest"], seen["idle"]) == (1e9 + 100, 1e9, None)


def test_a_store_that_cannot_be_told_of_use_keeps_nobody_out(doors, monkeypatch):
    def fail(*_):
        raise StoreError("gone")

    monkeypatch.setattr(doors.store, "touch_session", fail)
    doors.clock.now += 3600
    assert doors.by("GET", "/api/me", cookie=doors.secrets["read"]).status_code == 200


# ---------------------------------------------------------------------- the trail

NEW = {"name": "new", "classes": ["a", "b"], "hashing": {"bits": 8}}
# A request for every route that leaves a entry, and whom or what it names.
ACTIONS = {
    "create_token": ("POST", "/api/tokens", {"name": "eve", "role": "read"}, (None, "eve")),
    "change_token": ("PATCH", "/api/tokens/ingest", {"role": "read"}, (None, "ingest")),
    "rotate_token": ("POST", "/api/tokens/ingest/rotate", {"overlap": 2.0}, (None, "ingest")),
    "create_link": ("POST", "/api/tokens/labeller/links", {"hours": 2.0}, (None, "labeller")),
    "revoke_token": ("DELETE", "/api/tokens/ingest", None, (None, "ingest")),
    "end_session": ("DELETE", "/api/sessions/{number}", None, (None, "labeller")),
    "export_audit": ("GET", "/api/audit/export?who=ann", None, (None, None)),
    "create_task": ("POST", "/api/tasks", NEW, ("new", None)),
    "change_task": ("PATCH", TASK, {"budget": {"total": 5}}, ("spam", None)),
    "change_classes": ("POST", f"{TASK}/classes", {"rename": {"ham": "wanted"}}, ("spam", None)),
    "set_columns": ("POST", "/api/tasks/records/columns", {"columns": {"age": "number"}}, ("records", None)),
    "set_state": ("POST", f"{TASK}/state", {"state": "paused"}, ("spam", None)),
    "roll_back": ("POST", f"{TASK}/rollbacks", {"to": 0}, ("spam", None)),
    "undo_rollback": ("DELETE", f"{TASK}/rollbacks/{{rollback}}", None, ("spam", "3")),
    "export_items": ("GET", f"{TASK}/export/items", None, ("spam", None)),
    "correct_label": ("POST", f"{TASK}/corrections", {"item": 1, "label": "ham"}, ("spam", "1")),
    "review_item": ("POST", f"{TASK}/reviews", {"item": 1}, ("spam", "1")),
    "label_group": (
        "POST",
        f"{TASK}/group-labels",
        {"label": "ham", "items": [1], "key": "group-1"},
        ("spam", None),
    ),
    "delete_items": ("POST", f"{TASK}/deletions", {"items": [1], "key": "deletion-1"}, ("spam", None)),
    "export_labels": ("GET", f"{TASK}/export/labels", None, ("spam", None)),
    "export_decisions": ("GET", f"{TASK}/export/decisions", None, ("spam", None)),
    "export_card": ("GET", f"{TASK}/export/card", None, ("spam", None)),
    "export_model": ("GET", f"{TASK}/export/model", None, ("spam", None)),
    "compact_task": ("POST", f"{TASK}/compact", {"keep_days": 1}, ("spam", None)),
    "add_webhook": ("POST", f"{TASK}/webhooks", {"url": "https://hooks.invalid/a", "after": 0}, ("spam", None)),
    "remove_webhook": ("DELETE", f"{TASK}/webhooks/1", None, ("spam", "1")),
    "replay_webhook": ("POST", f"{TASK}/webhooks/1/replay", {"after": 0}, ("spam", "1")),
}


def prepare(doors, name):
    """An item with a label, and what stands in the addresses of audit."""
    doors.post(f"{TASK}/items", items("win cash"))
    doors.post(f"{TASK}/labels", {"labels": [{"item": 1, "label": "spam"}]}, "labeller")
    places = {"number": doors.service.sessions.open("labeller")[0].number}
    if name in ("remove_webhook", "replay_webhook"):
        doors.service.webhooks.add("spam", WebhookRequest("https://hooks.invalid/a"))
    if name == "undo_rollback":
        writer = doors.service.writer("spam")
        gone = writer.submit(
            lambda transaction: amendments.roll_back(transaction, 0, "admin"), alone=True
        ).result()
        places["rollback"] = gone.number
    return places


def test_every_deed_has_a_request_here():
    assert ACTIONS.keys() == {route.name for route in (*ROUTES, *PAGES) if route.audited}


def test_bodies_with_secrets_are_not_written_down():
    for route in (route for route in (*ROUTES, *PAGES) if route.audited):
        assert route.roles is not None, (
            "who comes without a token brings a secret: such a route notes its own entry"
        )
        assert not {"token", "code", "csrf"} & set(route.body.__struct_fields__ if route.body else ())


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ACTIONS)
def test_a_deed_is_written_down(doors, name):
    places = prepare(doors, name)
    assert doors.audit() == [], "items and labels have their authors in the journal"
    method, path, body, named = ACTIONS[name]
    answer = doors.call(method, path.format(**places), body)
    assert answer.status_code == 200, answer.text
    assert doors.audit() == [("admin", name, *named)]
    told = doors.call("GET", "/api/audit").json()["entries"][0]
    assert (told["who"], told["action"], told["task"], told["subject"]) == ("admin", name, *named)
    if body:
        assert json.loads(told["detail"]) == body
    assert not [secret for secret in (*doors.tokens.values(), *doors.secrets.values()) if secret in str(told)]


@pytest.mark.parametrize(("full", "status"), [(True, 507), (False, 503)])
@pytest.mark.parametrize("name", ["create_token", "correct_label"])
def test_a_deed_that_cannot_be_written_down_is_not_acknowledged(doors, name, full, status, monkeypatch):
    prepare(doors, name)

    def fail(*_):
        raise StoreError("no room", full=full)

    monkeypatch.setattr(doors.store, "add_audit_record", fail)
    method, path, body, _ = ACTIONS[name]
    answer = doors.call(method, path, body)
    assert answer.status_code == status
    assert "this was done, but not written to the audit log" in answer.json()["error"]["message"]
    assert "askance_" not in answer.text
    sign_in = doors.by("POST", "/sign-in", data={"token": doors.tokens["read"]})
    assert (sign_in.status_code, "set-cookie" in sign_in.headers) == (status, False)


def test_refused_requests_leave_no_deed(doors):
    doors.call("POST", "/api/tokens", {"name": "read", "role": "read"})
    doors.call("POST", "/api/tokens", {"name": "eve", "role": "read"}, "labeller")
    doors.call("GET", "/api/tasks/nothing/export/labels")
    assert doors.audit() == []


def test_the_trail_by_person_and_task(doors):
    for role in ("admin", "read"):
        doors.call("GET", f"{TASK}/export/labels", role=role)
        doors.call("GET", "/api/tasks/votes/export/labels", role=role)
    told = doors.call("GET", "/api/audit?who=read&task=votes").json()
    assert [(entry["who"], entry["task"]) for entry in told["entries"]] == [("read", "votes")]
    assert told["more"] is False
    before = told["entries"][0]["seq"]
    assert len(doors.call("GET", f"/api/audit?before={before}").json()["entries"]) == before - 1
    lines = doors.call("GET", "/api/audit/export?who=read").text.splitlines()
    assert [json.loads(line)["task"] for line in lines] == ["votes", "spam"]
    for wrong in ("who=", "task=A", "before=0", "after=1"):
        assert doors.call("GET", f"/api/audit?{wrong}").status_code == 422


# ---------------------------------------------------------------------- headers


def test_headers_of_every_answer(doors):
    for route in (*ROUTES, *PAGES):
        if route.name == NEVER_ENDS:
            continue
        for cookie in (None, doors.secrets["read"]):
            answer = doors.by(route.method, address(route), cookie=cookie, **body_of(route))
            assert answer.headers["x-content-type-options"] == "nosniff", route.name
            assert answer.headers["cache-control"] == "no-store", route.name
            if route.media == PAGE:
                assert {name: answer.headers[name] for name in HEADERS} == HEADERS, route.name
    assert doors.by("GET", "/nothing").headers["x-content-type-options"] == "nosniff"


def test_the_policy_leaves_no_hole(doors):
    told = doors.by("GET", "/sign-in").headers["content-security-policy"]
    assert "unsafe" not in told
    assert "*" not in told
    assert {"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"} <= set(
        told.split("; ")
    )


def test_texts_in_pages_are_texts(doors):
    nasty = "'\"><script>alert(1)</script>"
    for path in ("/sign-in", "/first"):
        shown = doors.by("GET", path, params={"next": "/" + nasty, "code": nasty})
        assert "<script>alert" not in shown.text
