"""No page keeps anybody out: axe-core finds nothing in any, whatever the screen and the colours."""

import zlib
from contextlib import contextmanager
from itertools import islice, product

import pytest

from askance.service.demo.world import synthetic_messages
from askance.service.web.table import PAGES
from axe import barriers, script
from browser import Served
from thinning import rest_slow

CLASSES = ["billing", "bug", "praise", "spam"]
SIZES = {
    "phone": {"width": 390, "height": 844},
    "narrow": {"width": 1100, "height": 800},
    "wide": {"width": 1440, "height": 900},
    "huge": {"width": 1920, "height": 1080},
}
GUIDELINE = (
    "# Classes\n- **billing**: money\n- *bug*: see [the list](https://example.org)\n\n" + 40 * "Read `twice`.\n\n"
)
# When each page shows what it is about.
SHOWN = {
    "/": "#tasks section",
    "/first": "form",
    "/sign-in": "#token",
    "/enter": "main",  # without a code: what is wrong
    "/tasks": "#tasks section",
    "/people": "#sessions th",
    "/audit": "#entries td.when",
    "/new-task": "#task-form",
    "/tasks/{task}": "#pace svg",
    "/tasks/{task}/items": "#items th",
    "/tasks/{task}/items/{item}": "#votes b",
    "/tasks/{task}/items/{item}/similar": "#items .group-row",
    "/tasks/{task}/upload": "#choose-file:enabled",
    "/tasks/{task}/model": "#versions th",
    "/tasks/{task}/review": "#item[data-item][aria-busy=false]",
    "/tasks/{task}/settings": "#task-form",
    "/tasks/{task}/label": "#item[data-item][aria-busy=false]",
}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A service whose pages have something to show."""
    script()  # without it there is nothing to do
    served = Served(tmp_path_factory.mktemp("axe"), guarded=True)
    messages = list(islice(synthetic_messages(5), 80))
    shown = {"prediction": "shown", "guidance": GUIDELINE}
    task = served.task(name="support", classes=CLASSES, budget={"total": 70}, interface=shown)
    items = [{"text": text, "id": f"mail-{n}", "note": "by mail"} for n, (text, _) in enumerate(messages)]
    decided = task.post("items", {"items": items})["decisions"]
    asked = [one["item"] for one in decided if one["ask"]][:40]
    right = {one["item"]: kind for one, (_, kind) in zip(decided, messages, strict=True)}
    task.post("labels", {"labels": [{"item": item, "label": right[item]} for item in asked]})
    task.post(
        "corrections", {"item": asked[0], "label": next(name for name in CLASSES if name != right[asked[0]])}
    )
    task.post("rollbacks", {"to": 110})
    left = next(one["item"] for one in decided if one["ask"] and one["item"] not in asked)
    task.post("skips", {"item": left, "reason": "No class fits"})
    task.post("flags", {"item": asked[1], "note": "The guideline does not say"})
    lands = [f"land {number}" for number in range(30)]
    many = served.task(name="many", classes=lands, interface={"guidance": GUIDELINE})
    many.ask(30, lambda number: f"{'a long story of a land ' * 400}{number}")
    served.task(name="records", item="record").post("items", {"items": [{"record": {"a": 1, "b": "two"}}]})
    served.task(name="asleep").post("state", {"state": "archived"})
    for name, role in (("ann", "labeller"), ("bob", "read")):
        served.post("/api/tokens", {"name": name, "role": role})
    served.first_item = asked[0]
    yield served
    served.running.kill()


@contextmanager
def visitor(browser, world, **more):
    """Opens pages, with colours that change at once."""
    with browser.new_context(base_url=world.address, reduced_motion="reduce", **more) as context:
        page = context.new_page()
        page.goto("/sign-in")
        page.locator("#token").fill(world.running.token)
        page.keyboard.press("Enter")
        page.wait_for_url("**/tasks")

        def visit(address, shown):
            page.goto(address)
            page.locator(shown).first.wait_for()
            return page

        yield visit


@pytest.fixture(scope="module")
def visit(browser, world):
    with visitor(browser, world) as visit:
        yield visit


EVERY_LOOK = list(product(("light", "dark"), SIZES))


@pytest.fixture
def look_for_barriers(request):
    """Finds barriers in a page: each test has a look of its own, light or dark, on a phone or a wider screen.

    In the soak, every test has every look.
    """
    own = EVERY_LOOK[zlib.crc32(request.node.name.encode()) % len(EVERY_LOOK)]
    looks = EVERY_LOOK if request.config.getoption("--soak") else [own]

    def look(page):
        found = {}
        for colours, name in looks:
            page.emulate_media(color_scheme=colours)
            page.set_viewport_size(SIZES[name])
            if barred := barriers(page):
                found[colours, name] = barred
        return found

    return look


@pytest.mark.slow
def test_a_barrier_is_found(visit):
    page = visit("/tasks", "#tasks section")
    page.evaluate("() => document.querySelector('.brand').replaceChildren()")
    page.evaluate("() => document.querySelector('h1').style.setProperty('color', 'var(--line)')")
    kinds = {found.split()[1] for found in barriers(page)}
    assert kinds == {"link-name", "color-contrast"}


# The addresses of a provider lead elsewhere.
PATHS = [route.path for route in PAGES if route.method == "GET" and "oidc" not in route.path][1:]


@pytest.mark.soak
def test_pages_from_right_to_left(browser, world, look_for_barriers):
    with visitor(browser, world, locale="ar") as visit:
        for path in sorted(PATHS, key="/sign-in".__eq__):  # after all others, because it signs out
            if path == "/sign-in":
                visit("/tasks", "#tasks").locator(".person form button").click()
            page = visit(path.format(task="support", item=world.first_item), SHOWN[path])
            assert page.evaluate("() => document.documentElement.dir") == "rtl"
            assert look_for_barriers(page) == {}, path


@pytest.mark.parametrize("path", rest_slow(PATHS, PATHS[:1]))
def test_pages(visit, world, look_for_barriers, path):
    address = path.format(task="support", item=world.first_item)
    if path == "/sign-in":
        visit("/tasks", "#tasks").get_by_role("button", name="Sign out").click()
    page = visit(address, SHOWN[path])
    assert look_for_barriers(page) == {}
    if path == "/sign-in":
        page.get_by_label("Your token").fill("askance_wrong")
        page.keyboard.press("Enter")
        page.locator("#problem").wait_for()
        assert look_for_barriers(page) == {}
        page.get_by_label("Your token").fill(world.running.token)
        page.keyboard.press("Enter")
        page.wait_for_url("**/tasks")


# ---------------------------------------------------------------------- what opens on a page


def test_what_opens_at_the_desk(visit, look_for_barriers):
    page = visit("/tasks/support/label", "#item[data-item][aria-busy=false]")
    page.locator("#why summary").click()
    page.locator("#answers button").first.click()
    page.locator("#previous .chip").wait_for()
    assert look_for_barriers(page) == {}
    page.locator("#help").click()
    page.get_by_role("dialog").get_by_label("Key for bug").fill("u")
    page.get_by_role("button", name="Save keys").click()
    assert look_for_barriers(page) == {}


@pytest.mark.slow
@pytest.mark.parametrize("task", ["support", "many"])
def test_ways_back_at_the_desk(visit, look_for_barriers, task):
    page = visit(f"/tasks/{task}/label", "#item[data-item][aria-busy=false]")
    page.locator("#skip-reason:enabled").click()
    page.get_by_label("Another reason").wait_for()
    assert look_for_barriers(page) == {}
    page.get_by_role("button", name="No class fits").click()
    page.locator("#history button").first.wait_for()
    page.locator(".answer, [role=option]").first.click()
    page.locator("#history .tag:not(.skipped)").first.wait_for()
    page.wait_for_function("() => !Object.keys(localStorage).some((key) => key.includes('outbox'))")
    page.locator("#skipped").click()
    page.locator("#skip-dialog .about").first.wait_for()
    assert look_for_barriers(page) == {}
    page.keyboard.press("Escape")
    page.locator("#history button:has(.tag:not(.skipped))").first.click()
    page.locator("#changing").wait_for()
    assert look_for_barriers(page) == {}
    page.keyboard.press("Escape")


@pytest.mark.slow
def test_a_search_a_long_text_and_no_keys_at_the_desk(visit, look_for_barriers):
    page = visit("/tasks/many/label", "#item[data-item][aria-busy=false]")
    page.locator(".unfold").click()
    page.get_by_role("combobox").fill("2")
    assert look_for_barriers(page) == {}
    page.get_by_role("combobox").fill("no such land")
    page.get_by_text("No class matches.").wait_for()
    assert look_for_barriers(page) == {}
    page.locator("#help").click()
    page.get_by_label("Answer with single keys").uncheck()
    page.keyboard.press("Escape")
    assert look_for_barriers(page) == {}
    page.locator("#help").click()
    page.get_by_label("Answer with single keys").check()
    page.keyboard.press("Escape")


@pytest.mark.slow
@pytest.mark.parametrize("task", ["many", "records", "asleep"])
def test_other_desks(visit, look_for_barriers, task):
    page = visit(f"/tasks/{task}/label", "#end-title" if task == "asleep" else "#item[data-item][aria-busy=false]")
    assert look_for_barriers(page) == {}


@pytest.mark.slow
def test_what_opens_on_the_list_of_items(visit, look_for_barriers):
    page = visit("/tasks/support/items?state=open", "#items th")
    page.locator("#limits summary").click()
    page.get_by_label("Select all shown").check()
    page.get_by_role("button", name="Relabel").wait_for()
    assert look_for_barriers(page) == {}
    page.get_by_role("button", name="Relabel").click()
    page.get_by_role("dialog").wait_for()
    assert look_for_barriers(page) == {}
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    page = visit("/tasks/many/items/1/similar", "#items .group-row")
    assert look_for_barriers(page) == {}


@pytest.mark.slow
def test_what_opens_on_other_pages(visit, look_for_barriers, world):
    page = visit("/tasks/support", "#pace-table summary")
    for summary in page.locator("details summary").all():
        summary.click()
    page.locator("#actions button").last.click()
    assert look_for_barriers(page) == {}
    assert look_for_barriers(visit("/tasks/many", "#classes .bar-row")) == {}
    page = visit("/people", "#sessions th")
    page.locator("#new-token").click()
    page.get_by_label("Name").fill("carl")
    assert look_for_barriers(page) == {}
    page.get_by_role("button", name="Create the token").click()
    page.locator("#made code").wait_for()
    assert look_for_barriers(page) == {}
    page = visit("/tasks/support/model", "#versions th")
    page.get_by_label("A text").fill("please refund my invoice")
    page.get_by_role("button", name="Predict").click()
    page.locator("#tried b").wait_for()
    assert look_for_barriers(page) == {}


@pytest.mark.slow
def test_what_is_told_when_something_is_wrong(visit, look_for_barriers):
    page = visit("/new-task", "#task-form")
    page.get_by_text("More settings", exact=True).click()
    page.get_by_text("Advanced", exact=True).click()
    page.get_by_role("button", name="Create the task").click()
    page.get_by_role("alert").wait_for()
    assert look_for_barriers(page) == {}
    assert look_for_barriers(visit("/tasks/nowhere", "h1")) == {}
