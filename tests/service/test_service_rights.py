"""Rights per task: every route by every role, in a task of the list and in one that is not in it."""

import itertools
import json

import pytest

from askance.service.api import events
from askance.service.api.guard import ServerOptions
from askance.service.api.openapi import statuses
from askance.service.api.route import PAGE
from askance.service.api.table import ROUTES
from askance.service.auth.rights import Person
from askance.service.auth.sessions import csrf_of
from askance.service.web.table import PAGES
from service_world import ROLES, World, address, items
from stores import content

COOKIE = "askance_session"
NEVER_ENDS = "watch_task"
# What somebody with rights in some tasks may use of the routes that are about no task, and with which role there.
ANYBODY = {"show_me", "list_sessions", "end_session", "list_tasks", "tasks_page", "sign_out"}
SOME = {"metrics": {"read", "admin"}}
ALL_TASKS_ONLY = {
    *("list_tokens", "create_token", "change_token", "rotate_token", "create_link", "revoke_token"),
    *("list_audit", "export_audit", "create_task", "people_page", "audit_page", "new_task_page"),
}


class Limited(World):
    """A service with a token of every role that is for the task spam only."""

    def __init__(self, path):
        super().__init__(path, ServerOptions(wrong_tokens_per_second=1e4))
        self.some = {}
        for role in ROLES:
            request = {"name": f"some-{role}", "tasks": {"spam": role}}
            self.some[role] = self.post("/api/tokens", request)["token"]
        self.secrets = {
            role: self.service.sessions.begin(Person(f"some-{role}", None, {"spam": role}), "")[0]
            for role in ROLES
        }

    def ways(self, role):
        """By token and by cookie."""
        secret = self.secrets[role]
        cookie = {"cookie": f"{COOKIE}={secret}", "x-askance-csrf": csrf_of(secret)}
        return ({"authorization": f"Bearer {self.some[role]}"}, cookie)

    def by(self, route, path, headers):
        self.client._client.cookies.clear()
        options = {"data": {"csrf": headers.get("x-askance-csrf", "")}} if route.takes_form else {}
        if route.body is not None and not route.takes_form:
            options = {"json": {}}
        return self.client.request(route.method, path, headers=headers, **options)


@pytest.fixture
def limited(tmp_path):
    world = Limited(tmp_path / "a.db")
    yield world
    world.close()


GUARDED = [route for route in (*ROUTES, *PAGES) if route.roles is not None]
OF_A_TASK = [route for route in GUARDED if "{task}" in route.path]
OF_NO_TASK = [route for route in GUARDED if "{task}" not in route.path]


def test_every_route_is_in_one_list_here():
    named = [route.name for route in OF_NO_TASK]
    assert sorted(named) == sorted([*ANYBODY, *SOME, *ALL_TASKS_ONLY])


def test_in_a_task_of_the_list_the_role_counts(limited):
    before = content(limited.store)["journal"]
    for route, role in itertools.product(OF_A_TASK, ROLES):
        if route.name == NEVER_ENDS:
            continue
        for headers in limited.ways(role):
            answer = limited.by(route, address(route), headers)
            may = role == "admin" or role in route.roles
            assert (answer.status_code == 403) is not may, (route.name, role, answer.text)
            assert answer.status_code not in (303, 401, 500)
            if route.media != PAGE:
                assert answer.status_code in {200, *statuses(route)}, (route.name, role, answer.text)
    assert content(limited.store)["journal"][: len(before)] == before


@pytest.mark.slow
def test_another_task_is_like_one_that_does_not_exist(limited):
    before, state = content(limited.store), limited.state()
    for route, role in itertools.product(OF_A_TASK, ROLES):
        for headers in limited.ways(role):
            same = headers | {"x-request-id": "the-same"}
            hidden = limited.by(route, address(route).replace("/spam", "/votes"), same)
            absent = limited.by(route, address(route).replace("/spam", "/nowhere"), same)
            assert hidden.status_code == absent.status_code == 404, (route.name, role)
            assert hidden.text.replace("votes", "nowhere").replace(csrf_of(limited.secrets[role]), "") == (
                absent.text.replace(csrf_of(limited.secrets[role]), "")
            )
            if route.media != PAGE:
                assert hidden.json()["error"]["code"] == "unknown_task"
    after = content(limited.store)
    assert {table: rows for table, rows in after.items() if table != "sessions"} == {
        table: rows for table, rows in before.items() if table != "sessions"
    }
    assert limited.state() == state


def test_routes_of_no_task(limited):
    for route, role in itertools.product(OF_NO_TASK, ROLES):
        if route.name == "sign_out":
            continue
        may = route.name in ANYBODY or role in SOME.get(route.name, ())
        for headers in limited.ways(role):
            answer = limited.by(route, address(route), headers)
            assert (answer.status_code == 403) is not may, (route.name, role, answer.text)
            assert answer.status_code not in (303, 401, 500)
            if not may and route.media != PAGE:
                assert answer.json()["error"]["code"] == "forbidden_role"


def test_a_token_for_all_tasks_has_them_all(limited):
    names = [task["name"] for task in limited.call("GET", "/api/tasks", role="read").json()["tasks"]]
    assert names == ["spam", "records", "votes"]
    limited.post("/api/tasks", {"name": "new", "classes": ["a", "b"], "hashing": {"bits": 8}})
    assert limited.call("GET", "/api/tasks/new", role="read").status_code == 200
    assert limited.call("GET", "/api/tasks/new", role=limited.some["read"]).status_code == 404


def test_lists_and_metrics_show_what_one_may_see(limited):
    limited.post("/api/tokens", {"name": "two", "tasks": {"votes": "read", "spam": "labeller"}})
    token = limited.service.tokens.rotate("two").token
    told = limited.call("GET", "/api/tasks", role=token).json()["tasks"]
    assert [(task["name"], task["role"]) for task in told] == [("spam", "labeller"), ("votes", "read")]
    everything = limited.call("GET", "/metrics", role="read").text
    assert 'task="records"' in everything
    assert "askance_requests_total{" in everything
    told = limited.call("GET", "/metrics", role=token).text
    assert 'askance_task_items{task="votes"} 0.0' in told
    assert "records" not in told
    assert "spam" not in told, "a labeller may not read metrics there"
    assert "askance_requests" not in told
    me = limited.call("GET", "/api/me", role=token).json()
    assert (me["role"], me["tasks"]) == (None, {"spam": "labeller", "votes": "read"})
    assert "lease_questions" in me["may"]
    assert "export_labels" in me["may"]
    assert not {"create_task", "list_tokens", "people_page"} & set(me["may"])


def test_pages_have_the_role_of_their_task(limited):
    limited.service.tokens.create("two", None, {"votes": "read", "spam": "labeller"})
    secret, _ = limited.service.sessions.begin(limited.service.tokens.named("two"), "")
    shown = {}
    for task in ("spam", "votes"):
        limited.client._client.cookies.clear()
        shown[task] = limited.client.get(f"/tasks/{task}", headers={"cookie": f"{COOKIE}={secret}"}).text
    assert ("/tasks/spam/label" in shown["spam"], 'data-role="labeller"' in shown["spam"]) == (True, True)
    assert ("/tasks/votes/label" in shown["votes"], 'data-role="read"' in shown["votes"]) == (False, True)
    assert 'title="labeller, read"' in shown["spam"]


@pytest.mark.slow
def test_rights_change_at_once_and_with_them_open_streams(limited, monkeypatch):
    token = limited.some["read"]
    assert limited.call("PATCH", "/api/tokens/some-read", {"tasks": {"votes": "read"}}).status_code == 200
    assert limited.call("GET", "/api/tasks/spam", role=token).status_code == 404
    assert limited.call("GET", "/api/tasks/votes", role=token).status_code == 200

    wait = events._set

    async def change(news):
        if limited.app.state.broadcasts._of["votes"].newest:  # the first event was sent
            limited.service.tokens.change("some-read", role="", tasks='{"spam":"read"}')
        await wait(news)

    monkeypatch.setattr(events, "_set", change)
    answer = limited.call("GET", "/api/tasks/votes/events", role=token)
    assert answer.text.count("event: figures") == 1, "and no more after the change"


def test_names_of_the_author_stay(limited):
    limited.post("/api/tasks/spam/items", items("win cash"), limited.some["ingest"])
    limited.post("/api/tasks/spam/labels", {"labels": [{"item": 1, "label": "spam"}]}, limited.some["labeller"])
    line = limited.call("GET", "/api/tasks/spam/export/labels", role=limited.some["read"]).text
    assert "some-labeller" in line
    assert json.loads(line)["label"] == "spam"


BAD = {
    "neither": ({"name": "x"}, 422, "give either role"),
    "both": ({"name": "x", "role": "read", "tasks": {"spam": "read"}}, 422, "give either role"),
    "no task": ({"name": "x", "tasks": {}}, 422, "tasks must be an object of at least 1 entries"),
    "an unknown task": ({"name": "x", "tasks": {"spma": "read"}}, 404, "there is no task 'spma'"),
    "an unknown role": ({"name": "x", "tasks": {"spam": "boss"}}, 422, "boss"),
    "a list": ({"name": "x", "tasks": ["spam"]}, 422, "tasks must be an object"),
    "two ends": (
        {"name": "x", "role": "read", "expires_in": 1, "expires": 2e9},
        422,
        "either expires_in or expires",
    ),
    "an end in the past": ({"name": "x", "role": "read", "expires": 5}, 422, "1970-01-01"),
    "no time at all": ({"name": "x", "role": "read", "expires_in": 0}, 422, "expires_in must be a number"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_a_token_cannot_be(limited, name):
    before = content(limited.store)["tokens"]
    body, status, words = BAD[name]
    answer = limited.call("POST", "/api/tokens", body)
    assert (answer.status_code, words in answer.json()["error"]["message"]) == (status, True), answer.text
    assert content(limited.store)["tokens"] == before


def test_what_cannot_be_changed(limited):
    for body, words in (({}, "nothing is given"), (BAD["both"][0] | {"name": None}, "name")):
        assert words in limited.call("PATCH", "/api/tokens/read", body).json()["error"]["message"]
    for body in ({"role": "read"}, {"tasks": {"spam": "admin"}}, {"expires_in": 30}):
        answer = limited.call("PATCH", "/api/tokens/admin", body)
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "last_admin")
    assert limited.call("PATCH", "/api/tokens/nobody", {"role": "read"}).status_code == 404
    limited.call("DELETE", "/api/tokens/read")
    answer = limited.call("PATCH", "/api/tokens/read", {"role": "admin"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "token_revoked")
