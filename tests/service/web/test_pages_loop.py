"""The whole loop through the pages: a task made, fed, labelled, watched, mended, paused and archived."""

import json
import re
import time
from itertools import islice
from pathlib import Path

import pytest

from askance.service.client import Client, Item
from askance.service.demo.world import synthetic_messages
from browser import Served

CLASSES = ("billing", "bug", "praise", "spam")
MESSAGES = list(islice(synthetic_messages(3), 120))
RIGHT = dict(MESSAGES)
ANSWERS = 20
# A key counts when its question has been painted.
PAINTED = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 5)))"


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    served = Served(tmp_path_factory.mktemp("loop"), guarded=True)
    yield served
    served.running.kill()


class Visitor:
    """Somebody with a browser of their own, who signed in; an error in a script fails the test."""

    def __init__(self, browser, served, token):
        self.faults = []
        self.context = browser.new_context(base_url=served.address)
        self.context.set_default_timeout(20_000)
        self.context.on("weberror", lambda fault: self.faults.append(str(fault.error)))
        self.page = self.tab("/tasks")
        self.page.get_by_label("Your token").fill(token)
        self.page.keyboard.press("Enter")
        self.page.get_by_role("heading", name="Tasks", exact=True).wait_for()

    def tab(self, path):
        page = self.context.new_page()
        page.on("console", lambda line: self.faults.append(line.text) if "Policy" in line.text else None)
        page.goto(path)
        return page

    def leave(self):
        self.context.close()
        assert self.faults == []


@pytest.mark.slow
def test_the_whole_loop(served, browser, capsys):
    admin = Visitor(browser, served, served.running.token)
    page = admin.page
    create_with_the_form(page)
    with Client(served.address, served.running.token, "support") as client:
        send(client, MESSAGES[:60])
        dashboard = admin.tab("/tasks/support")
        dashboard.get_by_text("60 items").wait_for()
        ready = answer_with_the_keyboard(page)
        with capsys.disabled():
            print(f" labelling page: first question can be answered {1000 * ready:.0f} ms after the click")
        send(client, MESSAGES[60:])
        watch_it_move(dashboard)
        item = undo_and_correct(page, client)
        export_what_is_shown(page, served, item)
        roll_back_and_forth(page, client)
    try_a_text(page)
    change_its_state(dashboard, page)
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/sign-in")
    page.goto("/tasks/support")
    page.wait_for_url("**/sign-in?next=*")
    admin.leave()


def send(client, messages):
    client.decide([Item(text=text, note=f"in {len(text)} letters") for text, _ in messages])


def create_with_the_form(page):
    page.get_by_role("link", name="Create a task").click()
    page.get_by_label("Name", exact=True).fill("Support")
    page.get_by_label("Classes", exact=True).fill("\n".join(CLASSES))
    page.get_by_text("More settings", exact=True).click()
    page.get_by_label("Labelling guidelines").fill("Money is billing.")
    page.get_by_label("Keys").fill("\n".join(f"{name} = {key}" for key, name in enumerate(CLASSES, 1)))
    page.get_by_role("button", name="Create the task").click()
    assert "lower-case letters" in page.get_by_role("alert").inner_text()
    page.get_by_label("Name", exact=True).fill("support")
    page.get_by_text("Advanced", exact=True).click()
    page.get_by_label("Hash bits").fill("12")
    page.keyboard.press("Enter")
    page.wait_for_url("**/tasks/support/upload")
    page.get_by_role("link", name="Dashboard").click()
    page.get_by_role("heading", name="There are no items yet").wait_for()
    page.get_by_text("Nobody has labelled anything yet.").wait_for()


def answer_with_the_keyboard(page):
    """Answer, and tell how long the first question took to come."""
    start = time.perf_counter()
    page.bring_to_front()
    page.get_by_role("link", name="Label", exact=True).click()
    took = None
    for _ in range(ANSWERS):
        page.wait_for_selector("#item[data-item][aria-busy=false]")
        took = took or time.perf_counter() - start
        before = page.locator("#item").get_attribute("data-item")
        right = RIGHT[page.locator("#content .text").text_content()]
        page.evaluate(PAINTED)
        page.keyboard.press(str(1 + CLASSES.index(right)))
        page.wait_for_function("before => document.getElementById('item').dataset.item !== before", arg=before)
    until_sent(page)
    return took


def until_sent(page):
    page.wait_for_function("() => !Object.keys(localStorage).some((key) => key.includes('outbox'))")


def figure(page, name):
    place = page.locator(".figure").filter(has=page.get_by_text(name, exact=True))
    return place.locator(".value").inner_text()


def watch_it_move(dashboard):
    """Figures, curve, classes and labellers change by themselves."""
    dashboard.bring_to_front()
    dashboard.wait_for_function("() => document.getElementById('asked-words').textContent.includes('120 items')")
    assert figure(dashboard, "Items") == "120"
    assert figure(dashboard, "Labels") == str(ANSWERS)
    assert figure(dashboard, "Accuracy, current model") == "–"
    assert "of 30 questions at random answered" in dashboard.locator("#figures").inner_text()
    counts = [int(text) for text in dashboard.locator("#classes .number").all_inner_texts()]
    assert sum(counts) == ANSWERS
    assert dashboard.locator("#labellers tr").inner_text().split()[:2] == ["admin", str(ANSWERS)]


def look_at_the_curve(dashboard):
    dashboard.locator("#quality-table summary").click()
    rows = dashboard.locator("#quality-table tbody tr").all_inner_texts()
    assert len(rows) > 5, "the curve as numbers"
    assert f"after {rows[-1].split()[0]} labels" in dashboard.locator("#quality").get_attribute("aria-label")
    assert dashboard.locator("#quality path.line").get_attribute("d").count("L") == len(rows) - 1
    dashboard.locator("#quality svg.plot").hover()
    assert dashboard.locator("#tip").inner_text().startswith("labels ")


def undo_and_correct(page, client):
    """Take the last answer back at the desk, give it anew and wrong, and mend it on the item's page."""
    page.bring_to_front()
    page.keyboard.press("u")
    page.wait_for_function("() => document.getElementById('announcement').textContent.startsWith('Undone')")
    page.wait_for_selector("#item[data-item][aria-busy=false]")
    until_sent(page)
    assert client.figures().labelled == ANSWERS - 1
    item = int(page.locator("#item").get_attribute("data-item"))
    right = RIGHT[page.locator("#content .text").text_content()]
    wrong = next(name for name in CLASSES if name != right)
    page.locator(".answer", has_text=wrong).click()
    until_sent(page)
    page.goto("/tasks/support/items?state=labelled")
    page.get_by_role("link", name=str(item), exact=True).click()
    page.get_by_label("Correct label").select_option(right)
    page.get_by_role("button", name="Correct the label").click()
    page.get_by_text(f"Item {item} is now {right}").wait_for()
    story = client.item_detail(item)
    assert story.label == right
    assert [(vote.label, vote.undone) for vote in story.votes] == [(right, True), (wrong, False)]
    page.get_by_text(f"admin corrected the label to {right}").wait_for()
    return item


def export_what_is_shown(page, served, item):
    """The file has what the list shows, as the API has it."""
    page.get_by_role("link", name="All items").click()
    page.get_by_label("State").select_option("corrected")
    page.get_by_text("1 item shown.").wait_for()
    assert [line["item"] for line in downloaded(page)] == [item]
    page.get_by_label("State").select_option("labelled")
    page.get_by_role("searchbox").fill("refund")
    page.keyboard.press("Enter")
    page.wait_for_function("() => /^[0-9]+ items? shown[.]$/.test(document.getElementById('found').textContent)")
    shown = [int(text) for text in page.locator("#items th").all_inner_texts()]
    lines = downloaded(page)
    assert sorted(line["item"] for line in lines) == sorted(shown) != []
    assert all("refund" in line["text"].lower() for line in lines)
    answer = page.request.get("/api/tasks/support/items?state=labelled&search=refund").json()
    found = {story["item"]: story["label"] for story in answer["items"]}
    assert {line["item"]: line["label"] for line in lines} == found


def downloaded(page):
    with page.expect_download() as got:
        page.get_by_role("link", name="Export these items").click()
    return [json.loads(line) for line in Path(got.value.path()).read_text().splitlines()]


def roll_back_and_forth(page, client):
    """The model forgets and learns again; what it says of a text shows it."""
    before = client.predict([text for text, _ in MESSAGES[:20]])
    page.get_by_role("link", name="Model", exact=True).click()
    page.get_by_role("button", name="Show all versions").click()
    page.get_by_role("button", name=re.compile("^Roll back to version")).last.click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    assert client.predict([text for text, _ in MESSAGES[:20]]) == before, "nothing happened yet"
    page.get_by_role("button", name=re.compile("^Roll back to version")).last.click()
    page.get_by_role("dialog").get_by_role("button", name="Roll back").click()
    page.get_by_role("heading", name="Roll-backs").wait_for()
    back = client.predict([text for text, _ in MESSAGES[:20]])
    assert [one.score for one in back] != [one.score for one in before]
    page.get_by_role("button", name="Undo roll-back").click()
    page.get_by_role("heading", name="Roll-backs").wait_for(state="hidden")
    again = client.predict([text for text, _ in MESSAGES[:20]])
    assert [(one.prediction, one.score) for one in again] == [(one.prediction, one.score) for one in before]


def try_a_text(page):
    page.get_by_label("A text").fill("please refund my invoice")
    page.get_by_role("button", name="Predict").click()
    page.locator("#tried b").wait_for()
    assert page.locator("#tried b").inner_text() in CLASSES
    assert page.locator("#tried .text").inner_text() == "please refund my invoice"


def change_its_state(dashboard, page):
    """Pause it, start it again and archive it."""
    dashboard.bring_to_front()
    dashboard.get_by_role("button", name="Pause support").click()
    dashboard.get_by_role("button", name="Start support").click()
    dashboard.get_by_role("button", name="Archive support").click()
    dashboard.get_by_role("button", name="Archive task").click()
    dashboard.locator("#state").get_by_text("archived").wait_for()
    page.bring_to_front()
    page.goto("/tasks")
    page.get_by_text("Archived tasks").click()
    card = page.get_by_role("region", name="support")
    assert "archived" in card.inner_text()
    assert card.get_by_role("link", name="Label").count() == 0


# ---------------------------------------------------------------------- who sees what

SEEN = {  # a role's sections of a task, and the pages that are shut
    "labeller": (["Dashboard", "Label", "Items", "Model"], ["upload", "settings"]),
    "read": (["Dashboard", "Items", "Model"], ["label", "upload", "settings"]),
    "ingest": (["Dashboard", "Add items", "Items", "Model"], ["label", "settings"]),
}


@pytest.fixture(scope="module")
def guarded_task(served):
    task = served.task(name="guarded", interface={"prediction": "shown"})
    task.ask(4)
    task.post("labels", {"labels": [{"item": 1, "label": "ham"}, {"item": 2, "label": "spam"}]})
    return task


@pytest.mark.slow
@pytest.mark.parametrize("role", SEEN)
def test_a_role_sees_only_what_it_may(served, browser, guarded_task, role):
    sections, shut = SEEN[role]
    token = served.post("/api/tokens", {"name": f"one-who-{role}", "role": role})["token"]
    visitor = Visitor(browser, served, token)
    page = visitor.page
    assert page.get_by_role("navigation", name="Main").get_by_role("link").all_inner_texts() == ["Tasks"]
    page.get_by_role("region", name="guarded").wait_for()
    assert page.get_by_role("link", name="Create a task").count() == 0
    assert page.get_by_role("button", name=re.compile("^(Pause|Archive|Start)")).count() == 0
    assert (page.get_by_role("link", name="Label", exact=True).count() > 0) == (role == "labeller")
    page.goto("/tasks/guarded")
    page.locator("#labellers").get_by_text(
        "You have not labelled anything yet."
    ).wait_for()  # others' work is theirs
    tabs = page.get_by_role("navigation", name="Task").get_by_role("link").all_inner_texts()
    assert tabs == sections
    assert page.locator("#actions button").count() == 0
    page.goto("/tasks/guarded/items")
    page.get_by_text("4 items shown.").wait_for()
    assert page.get_by_role("link", name="Export these items").count() == (role == "read")
    page.goto("/tasks/guarded/items/1")
    page.get_by_text("admin gave the label ham").wait_for()
    assert page.get_by_role("button", name="Correct the label").is_visible() == (role == "labeller")
    page.goto("/tasks/guarded/model")
    page.locator("#versions th").first.wait_for()
    assert page.get_by_role("button", name=re.compile("^Roll back")).count() == 0
    assert page.get_by_role("link", name=re.compile("^Download")).count() == (3 if role == "read" else 0)
    for path in ["/people", "/audit", "/new-task", *(f"/tasks/guarded/{name}" for name in shut)]:
        assert page.goto(path).status == 403
        assert page.get_by_role("heading").inner_text() == "Not allowed"
    visitor.leave()


@pytest.mark.slow
def test_the_dashboard_names_the_positive_class(served, browser):
    """F of a task was that of the last class of the alphabet, without a word."""
    with Client(served.address, served.running.token, "frauds") as client:
        client.create({"name": "frauds", "classes": ["fraud", "ok"], "positive": "fraud", "algorithm": "PA-I"})
        for text, label in [("cash prize", "fraud"), ("lunch", "ok")] * 5:
            client.label(client.decide(text), label)
        assert client.figures().positive == "fraud"
    admin = Visitor(browser, served, served.running.token)
    page = admin.tab("/tasks/frauds")
    page.get_by_text("F of “fraud”, all predictions so far", exact=True).wait_for()
    assert 0 < float(figure(page, "Accuracy, all predictions so far")) <= 1
    look_at_the_curve(page)
    assert "Precision of “fraud”" in page.locator("select").first.inner_text()
    settings = admin.tab("/tasks/frauds/settings")
    settings.wait_for_function("() => document.getElementById('positive')?.value === 'fraud'")
    assert settings.get_by_label("Positive class").is_disabled()
    admin.leave()
