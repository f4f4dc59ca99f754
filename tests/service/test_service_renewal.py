"""The end of tokens, new secrets and sign-in links, as programs and browsers meet them."""

import re
from urllib.parse import urlsplit

import pytest

from askance.service.api.guard import ServerOptions
from askance.service.auth.tokens import DAY
from service_world import TASK, World

COOKIE = "askance_session"


class Clock:
    """A clock that is set by hand."""

    def __init__(self):
        self.now = 1e9

    def __call__(self):
        return self.now


class Renewing(World):
    """A service with a clock."""

    def __init__(self, path):
        self.clock = Clock()
        super().__init__(path, ServerOptions(wrong_tokens_per_second=1e4), clock=self.clock)

    def browse(self, method, path, secret=None, **options):
        self.client._client.cookies.clear()
        headers = options.pop("headers", {}) | ({"cookie": f"{COOKIE}={secret}"} if secret else {})
        return self.client.request(method, path, headers=headers, **options)

    def code(self, name, **hours):
        url = self.post(f"/api/tokens/{name}/links", hours)["url"]
        assert url.startswith("http://testserver/enter?code=")
        return url.partition("code=")[2]

    def enter(self, code):
        return self.browse("POST", "/enter", data={"code": code})


@pytest.fixture
def world(tmp_path):
    world = Renewing(tmp_path / "a.db")
    yield world
    world.close()


def secret_of(answer):
    return re.search(rf"{COOKIE}=([^;]+)", answer.headers["set-cookie"])[1]


def test_a_token_ends(world):
    made = world.post("/api/tokens", {"name": "guest", "role": "read", "expires_in": 10})
    assert made["expires"] == 1e9 + 10 * DAY
    token = made["token"]
    secret = secret_of(world.browse("POST", "/sign-in", data={"token": token}))
    me = world.call("GET", "/api/me", role=token).json()
    assert me["expires"] == 1e9 + 10 * DAY
    assert "ends-soon" not in world.browse("GET", "/tasks", secret).text
    for _ in range(9):  # sessions end without use
        for _ in range(3):
            world.clock.now += DAY / 3
            world.browse("GET", "/tasks", secret)
    secret = secret_of(world.browse("POST", "/sign-in", data={"token": token}))
    shown = world.browse("GET", "/tasks", secret).text
    assert "Your token ends on 2001-09-19 01:46 UTC. Ask an admin to renew it." in shown
    told = world.call("GET", "/api/sessions").json()["sessions"]
    assert [session["until"] for session in told if session["name"] == "guest"] == [1e9 + 10 * DAY]
    world.clock.now = 1e9 + 10 * DAY
    answer = world.call("GET", TASK, role=token)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (401, "token_ended")
    assert error["message"] == "this token ended on 2001-09-19 01:46 UTC: ask an admin for another"
    assert world.browse("GET", "/tasks", secret).status_code == 303
    refused = world.browse("POST", "/sign-in", data={"token": token})
    assert (refused.status_code, "This token ended on 2001-09-19 01:46 UTC." in refused.text) == (403, True)


def test_ends_are_set_and_removed(world):
    for body, end in (({"expires_in": 1}, 1e9 + DAY), ({"expires": 2e9}, 2e9), ({"expires": None}, None)):
        assert world.call("PATCH", "/api/tokens/read", body).json()["expires"] == end
    known = {one["name"]: one for one in world.call("GET", "/api/tokens").json()["tokens"]}
    assert (known["read"]["expires"], known["read"]["role"], known["read"]["tasks"]) == (None, "read", None)


def test_a_new_secret_ends_the_old_one_its_sessions_and_links(world):
    secret = secret_of(world.browse("POST", "/sign-in", data={"token": world.tokens["read"]}))
    code = world.code("read")
    made = world.post("/api/tokens/read/rotate", {})
    assert made["token"] != world.tokens["read"]
    assert world.call("GET", TASK, role="read").status_code == 401
    assert world.call("GET", TASK, role=made["token"]).status_code == 200
    assert world.browse("GET", "/tasks", secret).status_code == 303
    assert "This link is not known" in world.enter(code).text


def test_an_overlap_keeps_all_of_them_for_a_while(world):
    secret = secret_of(world.browse("POST", "/sign-in", data={"token": world.tokens["read"]}))
    made = world.post("/api/tokens/read/rotate", {"overlap": 2, "expires_in": 90})
    assert made["expires"] == 1e9 + 90 * DAY
    for token in (world.tokens["read"], made["token"]):
        assert world.call("GET", TASK, role=token).status_code == 200
    assert world.browse("GET", "/tasks", secret).status_code == 200
    assert world.call("GET", "/api/tokens").json()["tokens"][3]["old_secret_until"] == 1e9 + 7200
    world.clock.now += 7200
    answer = world.call("GET", TASK, role="read")
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "token_ended")
    assert world.call("GET", TASK, role=made["token"]).status_code == 200


def test_an_admin_who_renews_their_own_secret_stays_signed_in(world):
    answer = world.browse("POST", "/sign-in", data={"token": world.tokens["admin"]})
    secret = secret_of(answer)
    page = world.browse("GET", "/people", secret).text
    csrf = re.search(r'name="csrf" content="(\w+)"', page)[1]
    made = world.browse("POST", "/api/tokens/admin/rotate", secret, json={}, headers={"x-askance-csrf": csrf})
    assert made.status_code == 200
    assert world.browse("GET", "/people", secret).status_code == 200
    assert world.call("GET", "/api/me").status_code == 401


def test_a_link_signs_in_once(world):
    code = world.code("labeller")
    before = world.browse("GET", f"/enter?code={code}")
    assert (before.status_code, "Sign in as labeller" in before.text, code in before.text) == (200, True, True)
    assert world.browse("GET", f"/enter?code={code}").status_code == 200, "a preview does not use it"
    answer = world.enter(code)
    assert (answer.status_code, answer.headers["location"]) == (303, "/tasks")
    me = world.browse("GET", "/api/me", secret_of(answer)).json()
    assert (me["name"], me["role"]) == ("labeller", "labeller")
    for again in (world.enter(code), world.browse("GET", f"/enter?code={code}")):
        assert (again.status_code, "set-cookie" in again.headers) == (403, False)
        assert "This link was used on 2001-09-09 01:46 UTC: ask an admin for a new one." in again.text
    entry = world.store.audit_records(9)[0]
    assert (entry.who, entry.action, entry.detail) == ("labeller", "sign_in", "link, 127.0.0.1")
    assert code not in str(world.store.audit_records(99))


def test_a_link_ends_after_a_day_or_what_was_asked_for(world):
    for hours, seconds in (({}, DAY), ({"hours": 0.5}, 1800.0)):
        code = world.code("labeller", **hours)
        start = world.clock.now
        world.clock.now = start + seconds - 1
        assert world.browse("GET", f"/enter?code={code}").status_code == 200
        world.clock.now = start + seconds
        assert "This link ended on" in world.enter(code).text
    for hours in (0, -1, 721, "1"):
        assert world.call("POST", "/api/tokens/labeller/links", {"hours": hours}).status_code == 422


def test_another_site_cannot_use_a_link(world):
    code = world.code("labeller")
    for site in ({"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}):
        answer = world.browse("POST", "/enter", data={"code": code}, headers=site)
        assert (answer.status_code, "set-cookie" in answer.headers) == (403, False)
    assert world.enter(code).status_code == 303


def test_codes_and_addresses_are_texts_in_pages(world):
    shown = world.browse("GET", "/enter", params={"code": "'\"><script>alert(1)</script>"})
    assert shown.status_code == 403
    assert "<script>alert" not in shown.text
    url = world.call("POST", "/api/tokens/read/links", {}, headers={"host": "labels.example:8000"}).json()["url"]
    assert urlsplit(url)[:3] == ("http", "labels.example:8000", "/enter")


def test_the_code_is_stored_as_a_hash(world, tmp_path):
    code = world.code("labeller")
    for path in tmp_path.iterdir():
        assert code.encode() not in path.read_bytes()
