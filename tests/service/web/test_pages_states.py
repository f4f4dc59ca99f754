"""What pages say and show in states that are easily forgotten: errors, waiting, nothing there, little room."""

import random

import pytest

from askance.service.client import Client
from browser import Served

WIDTHS = (1280, 1440, 1920)
CHANCE = random.Random(3)
WORDS = {"ham": "lunch noon home mother", "spam": "prize free cash winner"}


def text_of(label: str) -> str:
    return " ".join([*CHANCE.sample(WORDS[label].split(), 3), *(f"word{CHANCE.randrange(80)}" for _ in range(6))])


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    served = Served(tmp_path_factory.mktemp("states"))
    yield served
    served.running.kill()


@pytest.fixture(scope="module")
def task(served):
    """A task with fifty labels."""
    task = served.task(name="states")
    task.ask(60, lambda number: text_of("spam" if number % 3 else "ham"))
    answer(task, 50, lambda text: "spam" if any(word in text for word in WORDS["spam"].split()) else "ham")
    return task


def answer(task, count, label_of):
    """Answer questions one by one; return the version of the model after each."""
    with Client(task.served.address, None, task.name) as client:
        return [client.label(one, label_of(one.text)).version for one in client.questions(count)]


@pytest.fixture
def page(served, browser):
    faults = []
    context = browser.new_context(base_url=served.address, viewport={"width": 1440, "height": 900})
    context.set_default_timeout(60_000)
    context.on("weberror", lambda fault: faults.append(str(fault.error)))
    yield context.new_page()
    context.close()
    assert faults == []


@pytest.mark.parametrize(
    ("field", "given", "words"),
    [
        ("name", "", "Name must be lower-case letters"),
        ("classes", "spam", "at least 2"),
        ("rate", "200", "at most 100"),
        ("per_item", "1.5", "whole number"),
        ("keys", "hum = h", "hum"),
    ],
)
def test_the_form_says_in_plain_words_which_field_is_wrong(page, field, given, words):
    page.goto("/new-task")
    page.fill("#name", "another")
    page.fill("#classes", "ham\nspam")
    page.locator("#more-settings").evaluate("fold => fold.open = true")
    page.fill(f"#{field}", given)
    page.get_by_role("button", name="Create the task").click()
    said = page.locator("#wrong")
    said.wait_for()
    assert words in said.inner_text()
    assert not any(sign in said.inner_text() for sign in ("`", "$.", "regex", "str"))
    assert page.locator(f"#{field}").get_attribute("aria-invalid") == "true"
    assert page.evaluate("document.activeElement.id") == field


def test_waiting_is_the_same_number_on_both_pages(page, task):
    page.goto("/tasks")
    card = page.get_by_role("region", name=task.name, exact=True)
    waits = card.locator("dl div", has_text="Waiting").locator("dd").inner_text()
    page.goto(f"/tasks/{task.name}")
    figure = page.locator(".figure").filter(has=page.get_by_text("Waiting", exact=True))
    figure.wait_for()
    assert figure.locator(".value").inner_text() == waits == "10"


def test_strongest_features_are_no_dust(task):
    for strengths in task.get("model")["strongest"].values():
        sizes = [abs(one["by"]) for one in strengths]
        assert min(sizes) > 1e-6 * max(sizes) > 0


@pytest.mark.parametrize("width", WIDTHS)
def test_the_list_of_items_fits(page, task, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"/tasks/{task.name}/items")
    page.locator("tbody tr").nth(5).wait_for()
    wide = page.evaluate(
        "[...document.querySelectorAll('.sheet, main, html')]"
        ".filter(place => place.scrollWidth > place.clientWidth).map(place => place.className)"
    )
    assert wide == []


def test_minutes_in_which_nothing_came_are_zero(page, task):
    page.goto(f"/tasks/{task.name}")
    found = page.evaluate(
        "async (minutes) => (await import(document.querySelector('script[type=module]').src"
        ".replace('dashboard.js', 'minutes.js'))).everyMinute(minutes)",
        [{"at": 600, "items": 5, "labels": 1}, {"at": 900, "items": 2, "labels": 0}],
    )
    assert [(one["at"], one["items"]) for one in found] == [(600, 5), (660, 0), (840, 0), (900, 2)]


def test_an_item_that_is_not_there(page, task):
    assert page.goto(f"/tasks/{task.name}/items/999999").status == 404
    assert page.get_by_role("heading", name="Page not found").is_visible()
    assert page.locator("form, .skeleton").count() == 0


@pytest.mark.parametrize("path", ["/nowhere", "/tasks/nope", "/tasks/nope/items/1"])
def test_a_page_that_is_not_there_says_so_and_leads_back(page, path):
    assert page.goto(path).status == 404
    words = page.locator("main p").first.inner_text()
    assert words[0].isupper()
    assert words.endswith(".")
    page.get_by_role("link", name="Back to tasks").click()
    page.wait_for_url("**/tasks")


def test_a_correction_shows_that_it_is_under_way(page, task):
    held = []
    page.route("**/corrections", lambda route: held.append(route))
    page.goto(f"/tasks/{task.name}/items/1")
    label = page.locator("#label")
    label.wait_for()
    other = "ham" if label.input_value() == "spam" else "spam"
    label.select_option(other)
    button = page.get_by_role("button", name="Correct the label")
    button.click()
    page.wait_for_function("() => document.querySelector('#correct button').disabled")
    assert button.get_attribute("aria-busy") == "true"
    while not held:  # the button is busy a moment before the request is sent
        page.wait_for_timeout(20)
    held[0].continue_()
    page.get_by_text(f"is now {other}").wait_for()
    page.wait_for_function("() => !document.querySelector('#correct button').disabled")


def test_charts_that_load_have_a_place_holder(page, task):
    page.route("**/history", lambda _: None)
    page.goto(f"/tasks/{task.name}")
    page.locator(".figure .value").first.wait_for()
    assert page.locator(".chart .skeleton").count() == page.locator(".chart").count() > 0


def test_the_legend_has_the_lines_of_the_chart(page, served):
    task = served.task(budget={"total": 20})
    task.post("items", {"items": [{"text": f"text {number}"} for number in range(30)]})
    page.goto(f"/tasks/{task.name}")
    page.locator("#asked .legend path.limit").wait_for(state="attached")
    dashes = page.locator("#asked path.limit").evaluate_all(
        "all => all.map((l) => getComputedStyle(l).strokeDasharray)"
    )
    assert len(dashes) == 2
    assert dashes[0] == dashes[1] != "none"


def test_lists_of_features_end_with_a_whole_row(page, task):
    page.goto(f"/tasks/{task.name}/model")
    page.locator("#words .bar-row").first.wait_for()
    assert page.locator("#words .bars").evaluate_all(CUT_ROWS) == []


# Rows of which a part is below the end of their list.
CUT_ROWS = """all => all.flatMap((list) => {
  const end = list.getBoundingClientRect().bottom;
  const isCut = ({ top, bottom }) => top < end - 2 && bottom > end + 2;
  return [...list.children].filter((row) => isCut(row.getBoundingClientRect())).map((row) => row.textContent);
})"""


def test_after_a_roll_back_the_page_counts_what_the_model_still_knows(page, served):
    task = served.task()
    task.ask(30)
    versions = answer(task, 30, lambda _: "ham")
    task.post("rollbacks", {"to": versions[9]})
    now = task.get("model")["version"]
    page.goto(f"/tasks/{task.name}/model")
    page.wait_for_function("() => document.getElementById('about').textContent")
    assert f"version {now}," in page.locator("#about").inner_text()
    assert "10 labels learned" in page.locator("#about").inner_text()
    first = page.locator("#versions tr").first
    first.locator("th").wait_for()
    assert first.locator("th").inner_text() == str(now)
    card, table = (page.locator(place).bounding_box() for place in ("#rollbacks-place", "[aria-label=Versions]"))
    assert table["y"] - card["y"] - card["height"] >= 8
