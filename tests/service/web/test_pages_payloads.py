"""Whatever somebody writes into a field, pages show it as text."""

import json
import urllib.parse
from itertools import product

import pytest

from askance.service.auth.sessions import MOST as SESSIONS
from browser import Served
from payloads import ACTIONS, FILLED_IN, MARKUP, OURS, PAYLOADS, STRANGE
from watched_page import Watched

CLASSES = [text for text in PAYLOADS if len(text) <= 100 and text.isprintable()][-500:]  # as class names may be
TEXT, RECORD, MANY = "payload-texts", "payload-records", "payload-classes"
LABELLED = 120


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A service with payloads in every field that takes free text; compiled, because of its 500 classes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("NUMBA_DISABLE_JIT", raising=False)
        served = Served(tmp_path_factory.mktemp("payloads"), guarded=True)
    try:
        advice = "\n".join(PAYLOADS)[:4000]
        texts = served.task(name=TEXT, interface={"guidance": advice, "prediction": "shown"})
        records = served.task(name=RECORD, item="record")
        keys = dict(zip(CLASSES, "<>\"'&`{}$", strict=False))
        many = served.task(
            name=MANY, classes=CLASSES, interface={"prediction": "shown", "keys": keys}, hashing={"bits": 4}
        )
        served.items = {
            TEXT: fill(texts, text_item, ["ham", "spam"]),
            RECORD: fill(records, record_item, ["ham", "spam"]),
            MANY: fill(many, text_item, CLASSES),
        }
        yield served
    finally:
        served.running.kill()


def own_id(number):
    return f"{PAYLOADS[number]}{number}".replace("\t", " ")  # no tabs and the like in ids and keys


def text_item(number, payload):
    return {"text": payload, "id": own_id(number), "note": payload}


def record_item(number, payload):
    return {
        "record": {payload: payload, "nested": {payload: [payload]}},
        "id": own_id(number),
        "note": payload,
    }


def fill(task, item, labels):
    """Send items whose every field is a payload, and labels with payloads as their keys; the items' numbers."""
    sent = [item(number, payload) for number, payload in enumerate(PAYLOADS)]
    decisions = task.post("items", {"items": sent})["decisions"]
    assert all(decision["ask"] for decision in decisions)
    given = [
        {"id": one["id"], "label": labels[number % len(labels)], "key": own_id(number)}
        for number, one in enumerate(sent[:LABELLED])
    ]
    task.post("labels", {"labels": given})
    task.post("corrections", {"id": sent[0]["id"], "label": labels[1], "key": own_id(0)})
    task.post("undo", {"key": own_id(1)})
    return [decision["item"] for decision in decisions]


@pytest.fixture(scope="module")
def watched(browser, world):
    with browser.new_context() as context:
        yield Watched(context, world)


# ---------------------------------------------------------------------- the tests can fail


def test_there_are_enough_and_each_would_be_found_as_markup(browser):
    assert len(PAYLOADS) > 500
    assert len(CLASSES) == 500
    places = ("<body>", "<p title='", '<p title="', "<textarea>", "<title>", "<!-- ")
    with browser.new_context() as context:
        look = f"([ours, several]) => several.map((markup) => ({STRANGE})([ours, markup]))"
        found = context.new_page().evaluate(look, [OURS, [before + text for text in MARKUP for before in places]])
    tries = [any(found[start : start + len(places)]) for start in range(0, len(found), len(places))]
    assert [text for text, caught in zip(MARKUP, tries, strict=True) if not caught] == []


def test_a_page_that_writes_markup_would_be_caught(browser, world):
    with browser.new_context(bypass_csp=True) as context:
        watched = Watched(context, world)
        texts = [text for text in PAYLOADS if text.startswith(("<img src=x onerror", "<svg onload"))]
        watched.page.evaluate("texts => { document.body.innerHTML = texts.join('\\n'); }", texts)
        watched.page.wait_for_timeout(300)
        kinds = {fault.partition(":")[0] for fault in watched.faults}
        assert {"a dialog", "a request"} <= kinds
        assert any(found.startswith("ran: ") for found in watched.page.evaluate(STRANGE, [OURS]))


# ---------------------------------------------------------------------- fields that are kept


@pytest.mark.parametrize("task", [TEXT, RECORD, MANY])
def test_pages_of_a_task(watched, task):
    watched.open(f"/tasks/{task}", "#quality svg")
    watched.page.locator("#asked svg").hover()
    watched.check()
    watched.open(f"/tasks/{task}/model", "#words section")
    watched.open(f"/tasks/{task}/settings")
    if task == MANY:
        classes = watched.page.locator("#classes").input_value().split("\n")
        assert classes == CLASSES
        watched.open(f"/tasks/{task}", "#classes .bar-row")
        assert watched.page.locator("#classes .bar-name").first.get_attribute("title") in CLASSES


@pytest.mark.parametrize("task", [TEXT, RECORD, MANY])
def test_the_list_of_items_has_every_payload_as_text(watched, task):
    watched.open(f"/tasks/{task}/items", "#items th")
    while watched.page.locator("#more").is_visible():
        before = watched.page.locator("#items tr").count()
        watched.page.locator("#more").click()
        watched.page.wait_for_function("n => document.getElementById('items').children.length > n", arg=before)
    watched.check()
    shown = watched.text
    assert [text for text in PAYLOADS if text not in shown] == []
    assert FILLED_IN not in shown


@pytest.mark.parametrize("task", [TEXT, RECORD, MANY])
def test_the_labelling_page(watched, task):
    watched.open(f"/tasks/{task}/label", "#item[data-item]")
    watched.page.locator("#why summary").click()
    watched.page.keyboard.press("Escape")
    for _ in range(8):
        watched.page.wait_for_selector("#item[data-item][aria-busy=false]")
        watched.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 5)))")
        watched.page.locator(".answer, [role=option]").first.click()
        watched.check()
    watched.page.locator("#help").click()
    watched.page.locator("#help-dialog form").wait_for()
    watched.check()
    if task == TEXT:
        assert PAYLOADS[0] in watched.page.locator(".guidance").text_content()


def test_item_pages(watched):
    look_at_items(watched, range(0, len(PAYLOADS), 110))


@pytest.mark.soak
def test_all_item_pages(watched):
    look_at_items(watched, range(len(PAYLOADS)))


def look_at_items(watched, places):
    for task, place in product((TEXT, RECORD, MANY), places):
        watched.open(f"/tasks/{task}/items/{watched.served.items[task][place]}", "#why p")
        assert PAYLOADS[place] in watched.page.locator("#content").text_content()
        assert PAYLOADS[place] in watched.page.locator("#note").text_content()
        assert own_id(place) in watched.page.locator("#known").text_content()


def test_people_and_audit(watched, browser, world):
    """Whoever signs in says what browser they have; whatever it is, it is kept and shown."""
    token = world.post("/api/tokens", {"name": "wanderer", "role": "read"})["token"]
    for number in range(0, 20 * SESSIONS, 20):
        agent = PAYLOADS[number].encode("ascii", "replace").decode()
        with browser.new_context(extra_http_headers={"user-agent": agent.replace("\t", " ")}) as context:
            form = {"token": token, "next": "/tasks"}
            assert context.request.post(f"{world.address}/sign-in", form=form, max_redirects=0).status == 303
    watched.open("/people", "#sessions th")
    assert (
        watched.page.locator("#sessions td.agent")
        .evaluate_all("all => all.map((one) => one.title)")
        .count(PAYLOADS[0])
        == 1
    )
    watched.open("/audit", "#entries td.when")
    watched.open("/tasks", "#tasks section")


# ---------------------------------------------------------------------- addresses and answers

ADDRESSES = (
    f"/tasks/{TEXT}/items?search=",
    f"/tasks/{TEXT}/items?state=",
    "/audit?who=",
    "/audit?task=",
    "/first?code=",
    "/tasks/",
    f"/tasks/{TEXT}/items/",
    f"/api/tasks/{TEXT}/items?state=",
    "/api/tasks/",
)


def test_payloads_in_addresses(watched):
    look_at_addresses(watched, 170)


@pytest.mark.soak
def test_all_forms_of_payloads_in_addresses(watched):
    look_at_addresses(watched, len(ACTIONS))  # one deed a form: there are six thousand pages else


def look_at_addresses(watched, every):
    for address, text in product(ADDRESSES, PAYLOADS[::every]):
        watched.open(address + urllib.parse.quote(text, safe=""))
    for text in PAYLOADS[::every]:
        watched.open(f"/tasks/{TEXT}/items?search={urllib.parse.quote(text[:200], safe='')}", "#items th")
        assert watched.page.locator("#search").input_value() == text


def test_the_api_tells_payloads_as_json_alone(watched):
    for path in ("items?count=200", "export/items", "export/labels", "model", "history", ""):
        answer = watched.page.request.get(f"{watched.served.address}/api/tasks/{TEXT}/{path}".rstrip("/"))
        assert answer.status == 200
        assert answer.headers["content-type"].partition(";")[0] in ("application/json", "application/x-ndjson")
        assert answer.headers["x-content-type-options"] == "nosniff"
    watched.open(f"/api/tasks/{TEXT}/items?count=200")
    assert json.loads(watched.page.locator("pre").text_content())["items"]
