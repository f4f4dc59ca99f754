"""The API: who may do what, what it says to bad input, and that a refused request changes nothing."""

import itertools
import json
import queue
import re
import time
from typing import Annotated, Literal

import pytest
from msgspec import UNSET, Meta, Struct, UnsetType

import askance
from askance.errors import StoreError
from askance.service.api.app import application
from askance.service.api.guard import ServerOptions
from askance.service.api.openapi import schema, statuses
from askance.service.api.route import Route
from askance.service.api.table import ROUTES
from askance.service.commands import items as item_commands
from askance.service.messages import Item
from askance.service.state import journal
from askance.service.store import open_store
from askance.service.web.table import PAGES
from service_world import ROLES, TASK, Caller, World, address, items


@pytest.fixture
def world(tmp_path):
    world = World(tmp_path / "a.db")
    yield world
    world.close()


# ---------------------------------------------------------------------- who may do what


def test_every_role_at_every_route(tmp_path):
    world = World(tmp_path / "a.db", ServerOptions(wrong_tokens_per_second=1000))
    for route, role in itertools.product(ROUTES, (*ROLES, "", "askance_wrong", "Bearer")):
        if route.name in ("watch_task", "revoke_token", "rotate_token"):
            continue
        answer = world.call(route.method, address(route), {} if route.method == "POST" else None, role)
        if route.roles is None:
            assert answer.status_code not in (401,), route
        elif role not in ROLES:
            assert answer.status_code == 401, (route, role)
            assert answer.headers["www-authenticate"] == "Bearer"
        elif role == "admin" or role in route.roles:
            assert answer.status_code not in (401, 403), (route, role)
        else:
            assert answer.status_code == 403, (route, role)
            assert answer.json()["error"]["code"] == "forbidden_role"
        assert answer.status_code in {200, *statuses(route)}, (route, role, answer.text)
    world.close()


SIGN_IN = ("/sign-in", "/sign-in/oidc", "/sign-in/oidc/back")


def test_only_these_need_no_token():
    free = {route.path for route in ROUTES if route.roles is None}
    assert free == {"/health", "/ready", "/api/openapi.json", "/api/first"}
    open_pages = {route.path for route in PAGES if route.roles is None}
    assert open_pages == {"/", "/assets/{digest}/{name}", "/first", "/enter", *SIGN_IN}


def test_a_revoked_token_is_worth_nothing(world):
    assert world.call("GET", TASK, role="read").status_code == 200
    assert world.call("DELETE", "/api/tokens/read", role="labeller").status_code == 403
    assert world.call("DELETE", "/api/tokens/read").json()["revoked"] is not None
    assert world.call("GET", TASK, role="read").status_code == 401
    assert world.call("DELETE", "/api/tokens/admin").json()["error"]["code"] == "last_admin"
    assert world.call("DELETE", "/api/tokens/nobody").status_code == 404
    taken = world.call("POST", "/api/tokens", {"name": "read", "role": "read"})
    assert (taken.status_code, taken.json()["error"]["code"]) == (409, "name_taken")


def test_tokens_are_stored_as_hashes_alone(world, tmp_path):
    world.post("/api/tokens", {"name": "eve", "role": "read"})
    for token in world.tokens.values():
        assert token.startswith("askance_")
        assert len(token) > 45
        for path in tmp_path.iterdir():
            assert token.encode() not in path.read_bytes()
            assert token.removeprefix("askance_").encode() not in path.read_bytes()
    assert "token" not in world.call("GET", "/api/tokens").text.replace('"tokens"', "")


def test_the_first_link_works_once(world):
    code = world.service.tokens.new_first_code()
    page = world.client.get("/first", params={"code": code + '"><script>'})
    assert "<script>" not in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert world.client.post("/api/first", json={"code": "wrong"}).status_code == 403
    shown = world.client.post("/first", data={"code": code})
    token = re.search(r"askance_[\w-]+", shown.text)[0]
    assert world.call("GET", "/api/tokens", role=token).status_code == 200
    assert world.client.post("/first", data={"code": code}).status_code == 403
    assert world.client.post("/api/first", json={"code": code}).status_code == 403


def test_without_tokens_pages_of_others_are_kept_out(tmp_path):
    world = World(
        tmp_path / "a.db", ServerOptions(hosts=("127.0.0.1", "localhost", "testserver")), open_to_all=True
    )
    try:
        assert world.call("GET", TASK, role="").status_code == 200
        for origin in ("http://evil.example", "null", "http://testserver:81"):
            answer = world.call("POST", f"{TASK}/items", items("a"), "", headers={"origin": origin})
            assert answer.json()["error"]["code"] == "foreign_origin"
        assert world.call("GET", TASK, role="", headers={"origin": "http://testserver"}).status_code == 200
        for host in ("evil.example", "127.0.0.1.evil.example", ""):
            assert world.call("GET", TASK, role="", headers={"host": host}).status_code == 421
        for host in ("LocalHost:8383", "127.0.0.1"):
            assert world.call("GET", TASK, role="", headers={"host": host}).status_code == 200
    finally:
        world.close()


def test_one_request_too_many(tmp_path):
    world = World(tmp_path / "a.db", ServerOptions(requests_per_second=0.001, wrong_tokens_per_second=0.001))
    try:
        for role, first in (("read", 200), ("wrong", 401)):
            answers = [world.call("GET", TASK, role=role) for _ in range(2)]
            assert [answer.status_code for answer in answers] == [first, 429]
            assert 900 < int(answers[-1].headers["retry-after"]) <= 1000
        assert world.call("GET", TASK, role="ingest").status_code == 200, "others are not held up"
    finally:
        world.close()


# ---------------------------------------------------------------------- bad input

LONG = "x" * 200_001
BAD = {
    "wrong type": ("items", {"items": [{"text": 5}]}, 422, "items[0].text must be text, not a whole number"),
    "no list": ("items", {"items": {"text": "a"}}, 422, "items must be a list"),
    "an empty list": ("items", {"items": []}, 422, "items must be a list of at least 1 values"),
    "a misspelt field": ("items", {"items": [{"txt": "a"}]}, 422, "there is no field items[0].txt"),
    "a record for a text": (
        "items",
        {"items": [{"record": {"a": 1}}]},
        422,
        "the field 'text' and not 'record'",
    ),
    "nothing at all": ("items", {"items": [{}]}, 422, "must have the field 'text'"),
    "a long text": ("items", {"items": [{"text": LONG}]}, 422, "text of at most 200000 characters"),
    "too many": ("items", {"items": [{"text": "a"}] * 1001}, 422, "at most 1000 values"),
    "a control character in an id": (
        "items",
        {"items": [{"text": "a", "id": "a\x00b"}]},
        422,
        "items[0].id must be text without line breaks",
    ),
    "unknown class": ("labels", {"labels": [{"item": 1, "label": "eggs"}]}, 422, "unknown class 'eggs'"),
    "unknown item": ("labels", {"labels": [{"item": 999, "label": "ham"}]}, 404, "no item 999"),
    "unknown id": ("labels", {"labels": [{"id": "no", "label": "ham"}]}, 404, "no item with the id 'no'"),
    "a lease for an item": ("labels", {"labels": [{"item": 3, "label": "ham"}]}, 404, "no item 3"),
    "neither item nor id": ("labels", {"labels": [{"label": "ham"}]}, 422, "name the item"),
    "both item and id": (
        "labels",
        {"labels": [{"label": "ham", "item": 1, "id": "a"}]},
        422,
        "give exactly one",
    ),
    "twice the same": ("labels", {"labels": [{"label": "ham", "item": 1}] * 2}, 422, "item 1 has two labels"),
    "item 0": (
        "labels",
        {"labels": [{"label": "ham", "item": 0}]},
        422,
        "labels[0].item must be a whole number, at least 1",
    ),
    "one good, one bad": (
        "labels",
        {"labels": [{"label": "ham", "item": 2}, {"label": "ham", "item": 99}]},
        404,
        "no item 99",
    ),
    "no correction without label": ("corrections", {"item": 1, "label": "ham"}, 409, "has no label to correct"),
    "nothing to undo": ("undo", {}, 404, "no label from you that can be undone"),
    "a skip of nothing": ("skips", {"item": 77}, 404, "no item 77"),
    "a flag of nothing": ("flags", {"item": 77}, 404, "no item 77"),
    "an empty note": ("flags", {"item": 1, "note": ""}, 422, "note must be text of at least 1"),
    "a note without end": ("flags", {"item": 1, "note": "x" * 501}, 422, "at most 500"),
    "no flag to undo": ("flag-undo", {"item": 1}, 404, "item 1 has no open flag from you"),
    "too many leases": ("leases", {"count": 101}, 422, "at most 100"),
    "an endless lease": ("leases", {"seconds": 1e9}, 422, "at most 86400"),
    "a negative compaction": ("compact", {"keep_days": -1}, 422, "at least 0"),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", BAD)
def test_bad_input_gets_a_clear_error_and_changes_nothing(name, world):
    world.post(f"{TASK}/items", items("win cash", "hello"))
    world.post(f"{TASK}/leases", {"count": 1}, "labeller")
    before = world.state()
    path, body, status, sentence = BAD[name]
    answer = world.call("POST", f"{TASK}/{path}", body)
    assert answer.status_code == status, answer.text
    assert sentence in answer.json()["error"]["message"]
    assert world.state() == before
    assert world.store.check() == []


RAW = {
    "no JSON": (b"{", "application/json", 400),
    "nothing": (b"", "application/json", 400),
    "invalid UTF-8": (b'{"items": [{"text": "\xff\xfe"}]}', "application/json", 400),
    "half a surrogate pair": (b'{"items": [{"text": "\\ud800"}]}', "application/json", 400),
    "deep nesting": (b'{"items": [{"record": {"a": ' + b"[" * 100_000, "application/json", 400),
    "not said to be JSON": (b'{"items": [{"text": "a"}]}', "text/plain", 415),
    "a form": (b"items=a", "application/x-www-form-urlencoded", 415),
    "fifty megabytes": (b'{"items": [{"text": "' + b"x" * 50_000_000 + b'"}]}', "application/json", 413),
}


@pytest.mark.parametrize("name", RAW)
def test_bodies_that_are_no_messages(name, world):
    before = world.state()
    body, kind, status = RAW[name]
    answer = world.call("POST", f"{TASK}/items", content=body, headers={"content-type": kind})
    assert answer.status_code == status, answer.text
    assert len(answer.json()["error"]["message"]) < 300
    assert world.state() == before


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        ({"a": 1e300}, "too large"),
        ({"a": 10**400}, "too large"),
        ({"a": {"b": [[[1]]]}}, None),
        ({"a": None, "b": True, "c": "x", "d": -0.0}, None),
        ({"": 1, "\ud7ff": "\x00"}, None),
    ],
)
def test_records_of_every_kind(record, sentence, world):
    answer = world.call("POST", "/api/tasks/records/items", {"items": [{"record": record}]})
    assert answer.status_code == (422 if sentence else 200), answer.text
    if sentence:
        assert sentence in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"name": "a", "classes": ["x"]}, "at least 2 values"),
        ({"name": "a", "classes": ["x", "x"]}, "must be distinct"),
        ({"name": "a", "classes": ["x", "y"], "algorithm": "PAA-IV"}, "no algorithm 'PAA-IV'; did you mean PAA-I"),
        ({"name": "a", "classes": ["x", "y"], "algorithm": "MPAA-II"}, "MPAA-II is for many classes"),
        ({"name": "a", "classes": ["x", "y", "z"], "algorithm": "PAA-II"}, "PAA-II is for two classes"),
        ({"name": "a", "classes": ["x", "y"], "algorithm": "PAA-I", "parameters": {"C": -1}}, "C must be greater"),
        ({"name": "a", "classes": ["x", "y"], "parameters": {"B": 1}}, "no parameter 'B'"),
        ({"name": "a", "classes": ["x", "y"], "parameters": {"rate": 0.2}}, "set budget.rate"),
        ({"name": "a", "classes": ["x", "y"], "parameters": {"memory": 2.5}}, "memory must be a whole number"),
        ({"name": "a", "classes": ["x", "y"], "parameters": {"audit": "much"}}, "audit must be a number"),
        ({"name": "a", "classes": ["x", "y"], "dtype": "float32"}, "auto computes in double precision"),
        ({"name": "a", "classes": ["x", "y"], "algorithm": "PA-II", "budget": {"rate": 0.1}}, "always asks"),
        ({"name": "a", "classes": ["x", "y"], "algorithm": "AROW"}, "memory"),
        ({"name": "A b", "classes": ["x", "y"]}, "lower-case letters"),
        ({"name": "spam", "classes": ["x", "y"]}, "there is already a task 'spam'"),
    ],
)
def test_tasks_that_cannot_be(settings, sentence, world):
    answer = world.call("POST", "/api/tasks", settings)
    assert answer.status_code in (409, 422), answer.text
    assert sentence in answer.json()["error"]["message"]
    assert len(world.call("GET", "/api/tasks").json()["tasks"]) == 3


class Page(Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a list."""

    before: Annotated[int, Meta(ge=1, le=100)] | UnsetType = UNSET
    state: Literal["open", "learned"] | UnsetType = UNSET


async def show_page(call):
    """What was said after the question mark."""
    return call.query


@pytest.mark.parametrize(
    ("query", "status", "said"),
    [
        ("", 200, "{}"),
        ("?before=7&state=open", 200, '{"before":7,"state":"open"}'),
        ("?before=x", 422, "before must be a whole number"),
        ("?before=101", 422, "at most 100"),
        ("?state=shut", 422, "Invalid enum value"),
        ("?befor=7", 422, "there is no field befor"),
        ("?before=7&before=8", 422, "given twice"),
        ("?before=%ff", 422, "before must be a whole number"),
    ],
)
def test_what_stands_after_the_question_mark(query, status, said, world):
    route = Route("GET", "/page", show_page, None, "A page", query=Page)
    client = Caller(application(world.service, routes=[route]))
    answer = client.get(f"/page{query}")
    client.close()
    assert (answer.status_code, said in answer.text) == (status, True), answer.text
    operation = json.loads(schema([route]))["paths"]["/page"]["get"]
    assert [(one["name"], one["in"], one["required"]) for one in operation["parameters"]] == [
        ("before", "query", False),
        ("state", "query", False),
    ]
    assert "422" in operation["responses"]


def test_addresses_and_methods_that_are_not_there(world):
    for method, path, status in (
        ("GET", "/api/tasks/eggs", 404),
        ("POST", "/api/tasks/eggs/items", 404),
        ("GET", f"{TASK}/items/abc", 404),
        ("GET", f"{TASK}/items/99999999999999999999999", 404),
        ("GET", "/nothing", 404),
        ("PUT", TASK, 405),
        ("GET", f"{TASK}/labels", 405),
    ):
        answer = world.call(method, path, items("a") if method == "POST" else None)
        assert answer.status_code == status
        assert answer.json()["error"]["message"]
    assert "GET" in world.call("PUT", TASK).headers["allow"]


# ---------------------------------------------------------------------- the loop


def test_the_loop(world):
    first, second = world.post(f"{TASK}/items", items("win cash", "hello you"), "ingest")["decisions"]
    assert (first["item"], first["ask"], second["ask_probability"]) == (1, True, 1.0)
    lent = world.post(f"{TASK}/leases", {"count": 5}, "labeller")
    assert [question["text"] for question in lent["questions"]] == ["win cash", "hello you"]
    assert lent["waiting"] == 0
    assert world.post(f"{TASK}/leases", {"count": 5}, "admin")["questions"] == [], "nobody else gets them"
    lease = lent["questions"][0]["lease"]
    label = {"labels": [{"item": 1, "label": "spam", "key": "k1", "lease": lease}]}
    noted = world.post(f"{TASK}/labels", label, "labeller")["labels"][0]
    assert (noted["state"], noted["votes"], noted["again"]) == ("learned", {"spam": 1}, False)
    for _ in range(2):
        again = world.post(f"{TASK}/labels", label, "labeller")["labels"][0]
        assert (again["again"], again["version"]) == (True, noted["version"])
    reused = world.call("POST", f"{TASK}/labels", {"labels": [{"item": 2, "label": "ham", "key": "k1"}]})
    assert reused.json()["error"]["code"] == "key_reused"
    assert world.post(f"{TASK}/predict", items("cash"), "read")["predictions"][0]["prediction"] == "spam"
    mended = world.post(f"{TASK}/corrections", {"item": 1, "label": "ham", "key": "c"}, "labeller")
    assert (mended["label"], mended["replayed"]) == ("ham", 6)
    assert world.post(f"{TASK}/corrections", {"item": 1, "label": "ham", "key": "c"}, "labeller")["again"]
    story = world.call("GET", f"{TASK}/items/1", role="read").json()
    assert (story["state"], story["label"], story["votes"][0]["by"]) == ("learned", "ham", "labeller")
    assert (story["corrections"][0]["label"], story["corrections"][0]["by"]) == ("ham", "labeller")
    late = world.call("POST", f"{TASK}/undo", {}, "labeller")
    assert (late.status_code, late.json()["error"]["code"]) == (409, "corrected")
    world.post(f"{TASK}/labels", {"labels": [{"item": 2, "label": "ham"}]}, "labeller")
    assert world.post(f"{TASK}/undo", {"key": "u"}, "labeller")["item"] == 2
    assert world.post(f"{TASK}/undo", {"key": "u"}, "labeller")["again"]
    figures = world.call("GET", f"{TASK}/figures", role="read").json()
    assert (figures["items"], figures["asked"], figures["labelled"], figures["leased"]) == (2, 2, 1, 1)


def test_an_expired_lease(world):
    world.post(f"{TASK}/items", items("a"))
    lease = world.post(f"{TASK}/leases", {"seconds": 0.1}, "labeller")["questions"][0]["lease"]
    time.sleep(0.15)
    label = {"item": 1, "label": "ham", "lease": lease}
    late = world.call("POST", f"{TASK}/labels", {"labels": [label]}, "labeller")
    assert (late.status_code, late.json()["error"]["code"]) == (409, "lease_expired")
    anew = world.post(f"{TASK}/leases", {"items": [1]}, "labeller")["questions"][0]["lease"]
    taken = world.call("POST", f"{TASK}/labels", {"labels": [{"item": 1, "label": "ham"}]}, "admin")
    assert taken.json()["error"]["code"] == "leased_by_another"
    assert world.post(f"{TASK}/labels", {"labels": [label | {"lease": anew}]}, "labeller")["labels"]


def test_an_item_that_was_not_asked_for(world):
    records = "/api/tasks/records"
    body = {"items": [{"record": {"a": 1}}, {"record": {"a": 2}}]}
    asked = [decision["ask"] for decision in world.post(f"{records}/items", body)["decisions"]]
    assert asked == [True, False], "the budget is one label"
    refused = world.call("POST", f"{records}/labels", {"labels": [{"item": 2, "label": "yes"}]})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "not_asked")
    spend = world.call("GET", f"{records}/figures").json()["spend"]
    assert (spend["asked"], spend["refused"], spend["left"]) == (1, 1, 0)


def test_several_labels_an_item(world):
    votes = "/api/tasks/votes"
    world.post(f"{votes}/items", items("a"))
    for role, label, state in (("labeller", "yes", "waiting"), ("admin", "no", "waiting")):
        noted = world.post(f"{votes}/labels", {"labels": [{"item": 1, "label": label}]}, role)["labels"][0]
        assert noted["state"] == state
    third = world.post("/api/tokens", {"name": "carl", "role": "labeller"})["token"]
    noted = world.post(f"{votes}/labels", {"labels": [{"item": 1, "label": "yes"}]}, third)["labels"][0]
    assert (noted["state"], noted["votes"]) == ("learned", {"yes": 2, "no": 1})
    story = world.call("GET", f"{votes}/items/1").json()
    assert (story["label"], story["agreement"]) == ("yes", pytest.approx(1 / 3))
    assert world.call("GET", f"{votes}/figures").json()["agreement"] == pytest.approx(1 / 3)


def test_skips(world):
    world.post(f"{TASK}/items", items("a"))
    assert world.post(f"{TASK}/skips", {"item": 1, "key": "s"}, "labeller")["state"] == "open"
    assert world.post(f"{TASK}/skips", {"item": 1, "key": "s"}, "labeller")["again"]
    assert world.post(f"{TASK}/leases", {}, "labeller")["questions"] == [], "not shown to the same labeller again"
    assert world.post(f"{TASK}/leases", {}, "admin")["questions"][0]["item"] == 1
    assert world.call("DELETE", f"{TASK}/leases/1").json() == {"questions": [], "waiting": 1}
    assert world.post(f"{TASK}/skips", {"item": 1}, "admin")["state"] == "given up"
    assert world.call("GET", f"{TASK}/items/1").json()["state"] == "given up"


def test_skips_have_reasons_and_are_listed(world):
    world.post(f"{TASK}/items", items("a", "b", "c"))
    world.post(f"{TASK}/skips", {"item": 1, "reason": "in another language"}, "labeller")
    world.post(f"{TASK}/skips", {"item": 3}, "labeller")
    listed = world.call("GET", f"{TASK}/items?state=skipped").json()["items"]
    assert [(one["item"], [skip["reason"] for skip in one["skips"]]) for one in listed] == [
        (3, [None]),
        (1, ["in another language"]),
    ]
    assert world.call("GET", f"{TASK}/items/2").json()["skips"] == []
    assert world.call("POST", f"{TASK}/skips", {"item": 2, "reason": "x" * 201}).status_code == 422
    assert world.call("POST", f"{TASK}/skips", {"item": 2, "reason": ""}).status_code == 422
    world.post(f"{TASK}/leases", {"items": [1]}, "labeller")
    world.post(f"{TASK}/labels", {"labels": [{"item": 1, "label": "ham"}]}, "labeller")
    listed = world.call("GET", f"{TASK}/items?state=skipped").json()["items"]
    assert [one["item"] for one in listed] == [3], "the first has been answered after all"


def test_flags_are_kept_listed_and_undone(world):
    world.post(f"{TASK}/items", items("a", "b"))
    world.post(f"{TASK}/leases", {"count": 2}, "labeller")
    body = {"item": 1, "note": "The guideline does not say", "key": "f"}
    assert world.post(f"{TASK}/flags", body, "labeller") == {"item": 1, "open": 1, "again": False}
    assert world.post(f"{TASK}/flags", body, "labeller")["again"]
    assert world.post(f"{TASK}/labels", {"labels": [{"item": 1, "label": "ham"}]}, "labeller")
    (listed,) = world.call("GET", f"{TASK}/items?state=flagged").json()["items"]
    (flag,) = listed["flags"]
    assert (listed["item"], flag["note"], flag["undone"], flag["settled"]) == (1, body["note"], False, False)
    for who in ("read", "ingest"):
        assert world.call("POST", f"{TASK}/flags", {"item": 2}, who).status_code == 403
    assert world.post(f"{TASK}/flag-undo", {"item": 1, "key": "u"}, "labeller")["open"] == 0
    assert world.post(f"{TASK}/flag-undo", {"item": 1, "key": "u"}, "labeller")["again"]
    assert world.call("GET", f"{TASK}/items?state=flagged").json()["items"] == []
    assert world.call("GET", f"{TASK}/items/1").json()["flags"][0]["undone"]


def test_a_skip_of_an_older_store_has_no_reason():
    written = journal.entry(journal.SKIP, 2, 0.0, journal.Nothing(), item=1, who="ann")
    assert written.body == b"{}"
    assert journal.read(written) == journal.Skip()


def test_a_guideline_has_at_most_twenty_thousand_characters(world):
    longest = {"interface": {"guidance": "é" * 20_000}}
    assert world.call("PATCH", TASK, longest).json()["settings"]["interface"]["guidance"] == "é" * 20_000
    refused = world.call("PATCH", TASK, {"interface": {"guidance": "é" * 20_001}})
    assert refused.status_code == 422
    assert "20000" in refused.json()["error"]["message"].replace(",", "")
    assert world.call("GET", TASK).json()["settings"]["interface"]["guidance"] == "é" * 20_000


def test_the_same_id_is_the_same_item(world):
    sent = {"items": [{"text": "a", "id": "x"}, {"text": "b"}, {"text": "a", "id": "x"}]}
    first, _, same = world.post(f"{TASK}/items", sent)["decisions"]
    assert same == first | {"again": True}
    assert world.post(f"{TASK}/items", {"items": [{"text": "a", "id": "x"}]})["decisions"] == [same]
    other = world.call("POST", f"{TASK}/items", {"items": [{"text": "c", "id": "x"}]})
    assert (other.status_code, other.json()["error"]["code"]) == (409, "id_reused")
    assert world.call("GET", f"{TASK}/figures").json()["items"] == 2
    assert world.post(f"{TASK}/labels", {"labels": [{"id": "x", "label": "ham"}]})["labels"][0]["item"] == 1


def test_imported_labels_are_learned_and_not_counted(world):
    body = {"items": [{"text": "cash", "label": "spam", "id": "a"}, {"text": "hello", "label": "ham"}]}
    assert world.post(f"{TASK}/import", body, "ingest")["learned"] == 2
    assert world.post(f"{TASK}/import", {"items": body["items"][:1]}, "ingest")["again"] == 1
    figures = world.call("GET", f"{TASK}/figures").json()
    assert (figures["imported"], figures["items"], figures["estimates"]["accuracy"]["labels"]) == (2, 0, 0)
    assert world.post(f"{TASK}/predict", items("cash"))["predictions"][0]["prediction"] == "spam"
    assert world.post(f"{TASK}/corrections", {"id": "a", "label": "ham"})["label"] == "ham"
    assert world.post(f"{TASK}/predict", items("cash"))["predictions"][0]["prediction"] == "ham"


def test_a_stream_of_lines(world):
    lines = b'{"text": "a", "id": "1"}\n\n{"text": "b"}\n{"text": 5}\n{"text": "c"}'
    answer = world.call(
        "POST", f"{TASK}/stream", content=lines, headers={"content-type": "application/x-ndjson"}, role="ingest"
    )
    told = [json.loads(line) for line in answer.text.splitlines()]
    assert [line.get("item") for line in told] == [1, 2, None]
    assert told[-1]["error"]["message"].startswith("line 4: Expected `str`"), "blank lines count too"


@pytest.mark.parametrize(
    ("content", "number"),
    [
        (b'\n\n{"text": "a"}\nnot json\n', 4),
        (b'\n\n{"text": "a"}\n \nnot json', 5),
        (b'{"text": "a"}\n\n' * 300 + b"not json\n", 601),
    ],
)
def test_a_wrong_line_of_a_stream_is_named_by_its_number_in_what_was_sent(world, content, number):
    async def parts():
        for start in range(0, len(content), 100):
            yield content[start : start + 100]

    headers = {"content-type": "application/x-ndjson"}
    answer = world.call("POST", f"{TASK}/stream", content=parts(), headers=headers, role="ingest")
    *decided, refused = map(json.loads, answer.text.splitlines())
    assert len(decided) == content.count(b"{")
    assert refused["error"]["message"].startswith(f"line {number}: JSON is malformed")


def test_exports(world, tmp_path):
    world.post(f"{TASK}/items", items("win cash", "hello", "free"))
    world.post(f"{TASK}/labels", {"labels": [{"item": 1, "label": "spam"}, {"item": 2, "label": "spam"}]})
    world.post(f"{TASK}/corrections", {"item": 2, "label": "ham"})
    labels = [
        json.loads(line) for line in world.call("GET", f"{TASK}/export/labels", role="read").text.splitlines()
    ]
    assert [(line["item"], line["text"], line["label"]) for line in labels] == [
        (1, "win cash", "spam"),
        (2, "hello", "ham"),
    ]
    decisions = world.call("GET", f"{TASK}/export/decisions", role="read").text.splitlines()
    assert [json.loads(line)["coin"] < 1 for line in decisions] == [True] * 3
    path = tmp_path / "spam.model"
    path.write_bytes(world.call("GET", f"{TASK}/export/model", role="read").content)
    learner = askance.load(path)
    x = askance.data.hash_texts(["cash"], 8, dtype="float64")
    assert learner.predict(x).tolist() == ["spam"]


def test_compaction_keeps_labels_and_decisions(world):
    world.post("/api/tasks/records/items", {"items": [{"record": {"a": n}, "id": str(n)} for n in range(1, 9)]})
    world.post("/api/tasks/records/labels", {"labels": [{"item": 1, "label": "yes"}]})
    path = "/api/tasks/records"
    model = world.call("GET", f"{path}/export/model").content
    assert world.post(f"{path}/compact", {"keep_days": 1}) == {"items": 0, "before": 0}
    assert world.post(f"{path}/compact", {"keep_days": 0}) == {"items": 7, "before": 9}
    assert world.call("GET", f"{path}/items/1").json()["record"] == {"a": 1}
    assert world.call("GET", f"{path}/items/2").json()["record"] is None
    again = world.post(f"{path}/items", {"items": [{"record": {"a": 2}, "id": "2"}]})["decisions"][0]
    assert (again["again"], again["item"]) == (True, 2)
    refused = world.call("POST", f"{path}/corrections", {"item": 1, "label": "no"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "compacted")
    world.post(f"{path}/items", {"items": [{"record": {"a": 9}}]})
    task = world.service.writers["records"].task
    assert task.rebuild() == 1
    assert world.call("GET", f"{path}/export/model").content != model, "the round has moved on"
    assert world.store.check() == []


def test_metrics_and_health(world):
    world.post(f"{TASK}/items", items("a", "b"))
    text = world.call("GET", "/metrics", role="read").text
    assert 'askance_task_items{task="spam"} 2.0' in text
    assert 'askance_requests_total{route="decide_items",status="200"} 1.0' in text
    assert 'askance_task_budget{part="left",task="records"} 1.0' in text
    assert world.client.get("/health").json() == {"status": "alive"}
    assert world.client.get("/ready").json() == {"status": "ready"}
    world.service.stopping.set()
    assert world.client.get("/ready").status_code == 503


def test_the_schema_names_every_route():
    told = json.loads(schema(ROUTES))
    for route in ROUTES:
        if route.media != "text/html":
            assert told["paths"][route.path][route.method.lower()]["operationId"] == route.name
    assert "text" in told["components"]["schemas"]["Item"]["properties"]


# ---------------------------------------------------------------------- a store that fails


@pytest.mark.parametrize(("full", "status"), [(True, 507), (False, 503)])
def test_a_commit_that_fails_is_not_acknowledged(full, status, world, monkeypatch):
    world.post(f"{TASK}/items", items("win cash", "hello"))
    before = world.state()

    def fail(*_, **__):
        raise StoreError("no room", full=full)

    for path, body in (
        ("items", items("more")),
        ("labels", {"labels": [{"item": 1, "label": "spam", "key": "k"}]}),
        ("leases", {}),
        ("corrections", {"item": 1, "label": "spam"}),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(world.store, "append", fail)
            answer = world.call("POST", f"{TASK}/{path}", body)
        if path != "corrections":
            assert answer.status_code == status, answer.text
            sentence = "nothing was changed" if full else "the store is not available"
            assert sentence in answer.json()["error"]["message"]
        world.call("GET", f"{TASK}/figures")
        assert world.state() == before
    assert world.post(f"{TASK}/labels", {"labels": [{"item": 1, "label": "spam", "key": "k"}]})["labels"][0][
        "version"
    ]


def test_a_store_that_cannot_be_read_either(world, monkeypatch):
    world.post(f"{TASK}/items", items("win cash"))

    def fail(*_, **__):
        raise StoreError("gone")

    with monkeypatch.context() as patch:
        for verb in ("append", "entries", "at", "by_key", "snapshot", "reachable"):
            patch.setattr(world.store, verb, fail)
        for _ in range(2):
            label = world.call("POST", f"{TASK}/labels", {"labels": [{"item": 1, "label": "spam"}]})
            assert (label.status_code, label.headers["retry-after"]) == (503, "1")
        assert world.client.get("/ready").status_code == 503
    assert (
        world.post(f"{TASK}/labels", {"labels": [{"item": 1, "label": "spam"}]})["labels"][0]["state"] == "learned"
    )
    assert world.client.get("/ready").status_code == 200


def test_answers_come_when_the_entries_are_on_disk(world, tmp_path):
    writer = world.service.writers["spam"]
    seen = queue.Queue()

    def look(future):
        with open_store(str(tmp_path / "a.db"), own=False) as other:
            number = future.result().decisions[0].item
            seen.put(number in other.at(writer.task.number, [number]))

    for number in range(20):
        item = Item(text=f"word {number}")
        future = writer.submit(
            lambda transaction, item=item: item_commands.decide(transaction, [item], None), size=1
        )
        future.add_done_callback(look)
    assert [seen.get(timeout=10) for _ in range(20)] == [True] * 20
