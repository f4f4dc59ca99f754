"""No page keeps anybody out: axe-core finds nothing in any, whatever the screen and the colours."""

from itertools import islice, product

import pytest

from askance.service.demo.world import synthetic_messages
from askance.service.web.table import PAGES
from axe import barriers, script
from browser import Served

CLASSES = ["billing", "bug", "praise", "spam"]
SIZES = {"phone": {"width": 390, "height": 844}, "wide": {"width": 1440, "height": 900}}
# When each page shows what it is about.
SHOWN = {
    "/": "#tasks section",
    "/first": "form",
    "/sign-in": "#token",
    "/tasks": "#tasks section",
    "/people": "#sessions th",
    "/audit": "#entries td.when",
    "/new-task": "#task-form",
    "/tasks/{task}": "#pace svg",
    "/tasks/{task}/items": "#items th",
    "/tasks/{task}/items/{item}": "#votes b",
    "/tasks/{task}/model": "#versions th",
    "/tasks/{task}/settings": "#task-form",
    "/tasks/{task}/label": "#item[data-item][aria-busy=false]",
}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A service whose pages have something to show."""
    script()  # without it there is nothing to do
    served = Served(tmp_path_factory.mktemp("axe"), guarded=True)
    messages = list(islice(synthetic_messages(5), 200))
    task = served.task(name="support", classes=CLASSES, budget={"total": 180}, interface={"prediction": "shown"})
    items = [{"text": text, "id": f"mail-{n}", "note": "by mail"} for n, (text, _) in enumerate(messages)]
    decided = task.post("items", {"items": items})["decisions"]
    asked = [one["item"] for one in decided if one["ask"]][:100]
    right = {one["item"]: kind for one, (_, kind) in zip(decided, messages, strict=True)}
    for item in asked:
        task.post("labels", {"labels": [{"item": item, "label": right[item]}]})
    task.post(
        "corrections", {"item": asked[0], "label": next(name for name in CLASSES if name != right[asked[0]])}
    )
    task.post("rollbacks", {"to": 90})
    served.task(name="many", classes=[f"land {number}" for number in range(30)]).ask(3)
    served.task(name="records", item="record").post("items", {"items": [{"record": {"a": 1, "b": "two"}}]})
    served.task(name="asleep").post("state", {"state": "archived"})
    for name, role in (("ann", "labeller"), ("bob", "read")):
        served.post("/api/tokens", {"name": name, "role": role})
    served.first_item = asked[0]
    yield served
    served.running.kill()


@pytest.fixture(scope="module")
def visit(browser, world):
    """Opens pages, with colours that change at once."""
    with browser.new_context(base_url=world.address, reduced_motion="reduce") as context:
        page = context.new_page()
        page.goto("/sign-in")
        page.get_by_label("Your token").fill(world.running.token)
        page.keyboard.press("Enter")
        page.wait_for_url("**/tasks")

        def visit(address, shown):
            page.goto(address)
            page.locator(shown).first.wait_for()
            return page

        yield visit


EVERY_LOOK = list(product(("light", "dark"), SIZES))
OPPOSITE_LOOKS = [EVERY_LOOK[0], EVERY_LOOK[-1]]  # each colour and each size once


def barriers_everywhere(page, looks=OPPOSITE_LOOKS):
    """Barriers, light and dark, on a phone and on a wide screen."""
    found = {}
    for colours, name in looks:
        page.emulate_media(color_scheme=colours)
        page.set_viewport_size(SIZES[name])
        if barred := barriers(page):
            found[colours, name] = barred
    return found


def test_a_barrier_is_found(visit):
    page = visit("/tasks", "#tasks section")
    page.evaluate("() => document.querySelector('.brand').replaceChildren()")
    page.evaluate("() => document.querySelector('h1').style.setProperty('color', 'var(--line)')")
    kinds = {found.split()[1] for found in barriers(page)}
    assert kinds == {"link-name", "color-contrast"}


PATHS = [route.path for route in PAGES if route.method == "GET"][1:]


@pytest.mark.parametrize("path", PATHS)
def test_pages(visit, world, path):
    no_barriers(visit, world, path, OPPOSITE_LOOKS)


@pytest.mark.soak
@pytest.mark.parametrize("path", PATHS)
def test_pages_in_every_look(visit, world, path):
    no_barriers(visit, world, path, EVERY_LOOK)


def no_barriers(visit, world, path, looks):
    address = path.format(task="support", item=world.first_item)
    if path == "/sign-in":
        visit("/tasks", "#tasks").get_by_role("button", name="Sign out").click()
    page = visit(address, SHOWN[path])
    assert barriers_everywhere(page, looks) == {}
    if path == "/sign-in":
        page.get_by_label("Your token").fill("askance_wrong")
        page.keyboard.press("Enter")
        page.locator("#problem").wait_for()
        assert barriers_everywhere(page, looks) == {}
        page.get_by_label("Your token").fill(world.running.token)
        page.keyboard.press("Enter")
        page.wait_for_url("**/tasks")


# ---------------------------------------------------------------------- what opens on a page


def test_what_opens_at_the_desk(visit):
    page = visit("/tasks/support/label", "#item[data-item][aria-busy=false]")
    page.locator("#why summary").click()
    page.locator("#answers button").first.click()
    page.locator("#previous .chip").wait_for()
    assert barriers_everywhere(page) == {}
    page.locator("#help").click()
    page.get_by_role("dialog").get_by_label("Key for bug").fill("u")
    page.get_by_role("button", name="Save keys").click()
    assert barriers_everywhere(page) == {}


@pytest.mark.parametrize("task", ["many", "records", "asleep"])
def test_other_desks(visit, task):
    page = visit(f"/tasks/{task}/label", "#end-title" if task == "asleep" else "#item[data-item][aria-busy=false]")
    assert barriers_everywhere(page) == {}


def test_what_opens_on_other_pages(visit, world):
    page = visit("/tasks/support", "#pace-table summary")
    for summary in page.locator("details summary").all():
        summary.click()
    page.locator("#actions button").last.click()
    assert barriers_everywhere(page) == {}
    assert barriers_everywhere(visit("/tasks/many", "#classes .bar-row")) == {}
    page = visit("/people", "#sessions th")
    page.locator("#new-token").click()
    page.get_by_label("Name").fill("carl")
    assert barriers_everywhere(page) == {}
    page.get_by_role("button", name="Create the token").click()
    page.locator("#made code").wait_for()
    assert barriers_everywhere(page) == {}
    page = visit("/tasks/support/model", "#versions th")
    page.get_by_label("A text").fill("please refund my invoice")
    page.get_by_role("button", name="Predict").click()
    page.locator("#tried b").wait_for()
    assert barriers_everywhere(page) == {}


def test_what_is_told_when_something_is_wrong(visit):
    page = visit("/new-task", "#task-form")
    page.get_by_text("Advanced", exact=True).click()
    page.get_by_role("button", name="Create the task").click()
    page.get_by_role("alert").wait_for()
    assert barriers_everywhere(page) == {}
    assert barriers_everywhere(visit("/tasks/nowhere", "h1")) == {}
