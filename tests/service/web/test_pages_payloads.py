"""Whatever somebody writes into a field, pages show it as text."""

import json
import urllib.parse
from itertools import cycle, product

import pytest

from askance.service.auth.sessions import MOST as SESSIONS
from browser import Served
from payloads import ACTIONS, FILLED_IN, MARKUP, OURS, PAYLOADS, STRANGE
from thinning import rest_slow
from watched_page import Watched

CLASSES = [text for text in PAYLOADS if len(text) <= 100 and text.isprintable()][-500:]  # as class names may be
TEXT, RECORD, MANY = "payload-texts", "payload-records", "payload-classes"
MARKDOWN = ("{0}", "[x]({0})", "**{0}**", "- {0}", "# [{0}]({0})", "`{0}`", "*[{0}](mailto:{0})*")
# A page with a decision that is still being sent would ask before the next test leaves it.
MAY_LEAVE = "() => dispatchEvent(new Event('beforeunload', {cancelable: true}))"
FEW = 10  # `make test` takes one payload in ten, each with the next action


@pytest.fixture(scope="module")
def world(tmp_path_factory, request):
    """A service with payloads in every field that takes free text."""
    every = 1 if request.config.getoption("--soak") else FEW
    served = Served(tmp_path_factory.mktemp("payloads"), guarded=True)
    try:
        advice = "\n".join(form.format(text) for form, text in zip(cycle(MARKDOWN), PAYLOADS))[:20_000]
        classes = CLASSES[::every]
        texts = served.task(name=TEXT, interface={"guidance": advice, "prediction": "shown"})
        records = served.task(name=RECORD, item="record")
        keys = dict(zip(classes, "<>\"'&`{}$", strict=False))
        many = served.task(
            name=MANY, classes=classes, interface={"prediction": "shown", "keys": keys}, hashing={"bits": 4}
        )
        served.every = every
        served.items = {
            TEXT: fill(texts, text_item, ["ham", "spam"], every),
            RECORD: fill(records, record_item, ["ham", "spam"], every),
            MANY: fill(many, text_item, classes, every),
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


def fill(task, item, labels, every):
    """Send items whose every field is a payload, and labels with payloads as their keys; payloads' items."""
    places = range(0, len(PAYLOADS), every)
    sent = [item(place, PAYLOADS[place]) for place in places]
    decisions = task.post("items", {"items": sent})["decisions"]
    assert all(decision["ask"] for decision in decisions)
    labelled = list(zip(sent, cycle(labels)))[: len(sent) // 5]
    given = [{"id": one["id"], "label": label, "key": one["id"]} for one, label in labelled]
    task.post("labels", {"labels": given})
    task.post("corrections", {"id": given[0]["id"], "label": labels[1], "key": given[0]["key"]})
    task.post("undo", {"key": given[1]["key"]})
    for place, decision in list(zip(places, decisions, strict=True))[-10:]:
        task.post("skips", {"item": decision["item"], "reason": PAYLOADS[place][:200]})
        task.post("flags", {"item": decision["item"], "note": PAYLOADS[place][:500]})
    return dict(zip(places, (decision["item"] for decision in decisions), strict=True))


@pytest.fixture(scope="module")
def watched(browser, world):
    with browser.new_context() as context:
        yield Watched(context, world)


# ---------------------------------------------------------------------- the tests can fail


@pytest.mark.slow
def test_there_are_enough_and_each_would_be_found_as_markup(browser):
    assert len(PAYLOADS) > 500
    assert len(CLASSES) == 500
    places = ("<body>", "<p title='", '<p title="', "<textarea>", "<title>", "<!-- ")
    with browser.new_context() as context:
        look = f"([ours, several]) => several.map((markup) => ({STRANGE})([ours, markup]))"
        found = context.new_page().evaluate(look, [OURS, [before + text for text in MARKUP for before in places]])
    tries = [any(found[start : start + len(places)]) for start in range(0, len(found), len(places))]
    assert [text for text, caught in zip(MARKUP, tries, strict=True) if not caught] == []


@pytest.mark.slow
def test_a_page_that_writes_markup_would_be_caught(browser, world):
    with browser.new_context(bypass_csp=True) as context:
        watched = Watched(context, world)
        texts = [text for text in PAYLOADS if text.startswith(("<img src=x onerror", "<svg onload"))]
        watched.page.evaluate("texts => { document.body.innerHTML = texts.join('\\n'); }", texts)
        watched.page.wait_for_function("() => window.pwned !== undefined")
        wanted = {"a dialog", "a request"}
        for _ in range(600):
            if wanted <= {fault.partition(":")[0] for fault in watched.faults}:
                break
            watched.page.wait_for_timeout(100)
        assert wanted <= {fault.partition(":")[0] for fault in watched.faults}
        assert any(found.startswith("ran: ") for found in watched.page.evaluate(STRANGE, [OURS]))


# ---------------------------------------------------------------------- fields that are kept


@pytest.mark.slow
@pytest.mark.parametrize("task", rest_slow([TEXT, RECORD, MANY], [MANY]))
def test_pages_of_a_task(watched, task):
    watched.open(f"/tasks/{task}", "#quality svg")
    watched.page.locator("#asked svg").hover()
    watched.check()
    watched.open(f"/tasks/{task}/model", "#words section")
    watched.open(f"/tasks/{task}/settings")
    if task == MANY:
        classes = watched.page.locator("#classes").input_value().split("\n")
        assert classes == CLASSES[:: watched.served.every]
        watched.open(f"/tasks/{task}", "#classes .bar-row")
        assert watched.page.locator("#classes .bar-name").first.get_attribute("title") in classes


@pytest.mark.slow
def test_figures_of_classes_and_people_with_payloads_as_names(watched):
    names = PAYLOADS[:: watched.served.every]
    figure = {"value": 0.5, "low": 0.4, "high": 0.6, "labels": 9, "note": names[0]}
    quality = [{"name": name, "labels": 1, "precision": figure, "recall": figure} for name in names]
    shares = [{"name": name, "recent": [0.5, 0, 1], "before": [0.5, 0, 1], "changed": True} for name in names]
    pairs = [{"first": name, "second": name, "items": 9, "equal": 0.5, "kappa": figure} for name in names]
    answers = {
        "confusion": {"labels": 9, "version": 1, "note": names[0], "classes": quality, "matrix": [[1]]},
        "forecast": {"advice": "".join(names), "basis": "".join(names)},
        "predicted": {"recent": 1, "before": 1, "classes": shares},
        "labellers": {"labellers": [], "pairs": pairs, "looked_at": 9, "guessers": [], "alpha": figure},
    }
    page = watched.page
    for path in answers:
        page.route(f"**/{path}", lambda route: route.fulfill(json=answers[route.request.url.rpartition("/")[2]]))
    watched.open(f"/tasks/{TEXT}", "#pairs td")
    shown = page.locator("main").text_content()
    assert [name for name in names if name not in shown] == []
    page.unroute_all()


@pytest.mark.slow
@pytest.mark.parametrize("task", rest_slow([TEXT, RECORD, MANY], [TEXT]))
def test_the_list_of_items_has_every_payload_as_text(watched, task):
    watched.open(f"/tasks/{task}/items", "#items th")
    while watched.page.locator("#more").is_visible():
        before = watched.page.locator("#items tr").count()
        watched.page.locator("#more").click()
        watched.page.wait_for_function("n => document.getElementById('items').children.length > n", arg=before)
    watched.check()
    shown = watched.text
    assert [text for text in PAYLOADS[:: watched.served.every] if text not in shown] == []
    assert FILLED_IN not in shown


@pytest.mark.parametrize("task", rest_slow([TEXT, RECORD, MANY], [RECORD]))
def test_the_labelling_page(watched, task):
    watched.open(f"/tasks/{task}/label", "#item[data-item]")
    watched.page.locator("#why summary").click()
    watched.page.keyboard.press("Escape")
    for _ in range(3):
        watched.page.wait_for_selector("#item[data-item][aria-busy=false]")
        watched.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 5)))")
        watched.page.locator(".answer, [role=option]").first.click()
        watched.check()
    watched.page.locator("#flag").click()
    watched.page.locator("#own-note").fill(MARKUP[0])
    watched.page.locator("#skip-dialog form button").click()
    watched.page.locator("#flagged").wait_for()
    assert MARKUP[0] in watched.page.locator("#flag-words").text_content()
    watched.check()
    watched.page.locator("#help").click()
    watched.page.locator("#help-dialog form").wait_for()
    watched.check()
    if task == TEXT:
        assert PAYLOADS[0] in watched.page.locator("#guideline").text_content()


@pytest.mark.parametrize("task", rest_slow([TEXT, RECORD, MANY], [MANY]))
def test_the_review_page(watched, task):
    watched.open(f"/tasks/{task}/review", "#item[data-item][aria-busy=false]")
    assert int(watched.page.locator("#flags").text_content()) >= 10, "they were skipped too"
    listed = int(watched.page.locator("#item-name").text_content().rpartition(" ")[2])
    for place in range(listed - 1):
        watched.page.locator(f"#item-name:text-matches('· {place + 1} of')").wait_for()
        watched.check()
        watched.page.keyboard.press("ArrowRight")
    watched.page.locator(".answer, [role=option]").first.click()
    watched.page.get_by_role("heading", name="This is the end of the list").wait_for()
    watched.page.wait_for_function(MAY_LEAVE)
    watched.check()


@pytest.mark.slow
def test_item_pages(watched):
    look_at_items(watched, range(0, len(PAYLOADS), 31 * FEW))


@pytest.mark.soak
def test_all_item_pages(watched):
    look_at_items(watched, range(len(PAYLOADS)))


def look_at_items(watched, places):
    for task, place in product((TEXT, RECORD, MANY), places):
        watched.open(f"/tasks/{task}/items/{watched.served.items[task][place]}", "#why p")
        assert PAYLOADS[place] in watched.page.locator("#content").text_content()
        assert PAYLOADS[place] in watched.page.locator("#note").text_content()
        assert own_id(place) in watched.page.locator("#known").text_content()


@pytest.mark.slow
@pytest.mark.parametrize("task", rest_slow([TEXT, RECORD, MANY], [MANY]))
def test_similar_items_and_groups(watched, task):
    """Contents and classes are shown in the list, in the question before a group, and in what is said after it."""
    item = watched.served.items[task][max(watched.served.items[task])]
    watched.open(f"/tasks/{task}/items/{item}/similar", "#items .group-row")
    watched.page.keyboard.press("a")
    watched.check()
    watched.page.locator("#answers .answer, #answers [role=option]").first.click()
    watched.page.locator("#last-group:not([hidden])").wait_for()
    watched.check()
    watched.page.locator("#last-group button").click()
    watched.page.locator("#last-group").wait_for(state="hidden")
    watched.open(f"/tasks/{task}/items", "#items th")
    watched.page.locator("#select-all").check()
    watched.page.locator("#new-label").select_option(index=1)
    watched.page.locator("#relabel button").click()
    watched.page.locator("dialog[open]").wait_for()
    watched.check()
    watched.page.locator("dialog[open] button").last.click()


@pytest.mark.slow
def test_people_and_audit(watched, browser, world):
    """Whoever signs in says what browser they have; whatever it is, it is kept and shown."""
    token = world.post("/api/tokens", {"name": "wanderer", "role": "read"})["token"]
    form, address = {"token": token, "next": "/tasks"}, f"{world.address}/sign-in"
    with browser.new_context() as context:
        for number in range(0, 20 * SESSIONS, 20):
            agent = {"user-agent": PAYLOADS[number].encode("ascii", "replace").decode().replace("\t", " ")}
            assert context.request.post(address, form=form, headers=agent, max_redirects=0).status == 303
            context.clear_cookies()
    watched.open("/people", "#sessions th")
    assert (
        watched.page.locator("#sessions td.agent")
        .evaluate_all("all => all.map((one) => one.title)")
        .count(PAYLOADS[0])
        == 1
    )
    watched.open("/audit", "#entries td.when")
    watched.open("/tasks", "#tasks section")


def test_an_uploaded_file(watched):
    """Names of files and columns, cells, labels and problems are all from outside."""
    task = watched.served.task(classes=["ham", "spam", "other"], item=["text", "record"])
    texts = PAYLOADS[:: watched.served.every][:200]
    name = next(text for text in MARKUP if text.isprintable() and len(text) < 150)
    record = {text: text for text in texts}
    content = "".join(json.dumps(record | {"text": text, "label": text}) + "\n" for text in texts[:5])
    watched.open(f"/tasks/{task.name}/upload", "#choose-file:enabled")
    file = watched.page.locator("#file")
    file.set_input_files({"name": f"{name}.jsonl", "mimeType": "", "buffer": content.encode()})
    watched.page.locator("#columns select").first.wait_for()
    watched.page.locator("#unknown button").wait_for()
    watched.check()
    shown = watched.text
    assert [text for text in [name, *texts] if text.strip() not in shown] == []
    watched.page.locator("#cancel").click()
    watched.page.locator("#choose").wait_for()
    for payload in (f'{{"text": "a"}}\n{texts[0]}', f"{name},b\n1\n"):
        file.set_input_files({"name": f"{name}.jsonl", "mimeType": "", "buffer": payload.encode()})
        watched.page.locator("#file-wrong:not(:empty)").wait_for()
        assert name in watched.page.locator("#file-wrong").text_content()
        watched.check()


# ---------------------------------------------------------------------- addresses and answers

ADDRESSES = (
    f"/tasks/{TEXT}/items?search=",
    f"/tasks/{TEXT}/items?state=",
    f"/tasks/{TEXT}/items?label=",
    f"/tasks/{TEXT}/items?labeller=",
    f"/tasks/{TEXT}/items?since=",
    f"/tasks/{TEXT}/items/1?order=",
    "/audit?who=",
    "/audit?task=",
    "/first?code=",
    "/tasks/",
    f"/tasks/{TEXT}/items/",
    f"/api/tasks/{TEXT}/items?state=",
    "/api/tasks/",
)


@pytest.mark.slow
def test_payloads_in_addresses(watched):
    look_at_addresses(watched, zip(ADDRESSES, PAYLOADS[:: len(PAYLOADS) // len(ADDRESSES)], strict=False))
    look_at_searches(watched, PAYLOADS[100::300])


@pytest.mark.soak
def test_all_forms_of_payloads_in_addresses(watched):
    forms = PAYLOADS[:: len(ACTIONS)]  # one deed a form: there are six thousand pages else
    look_at_addresses(watched, product(ADDRESSES, forms))
    look_at_searches(watched, forms)


def look_at_addresses(watched, addresses):
    for address, text in addresses:
        watched.open(address + urllib.parse.quote(text, safe=""))


def look_at_searches(watched, texts):
    for text in texts:
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
