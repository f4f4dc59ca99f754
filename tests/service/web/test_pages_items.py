"""The list of items as a workbench, and labels for many similar items, in a browser."""

import json
import re
from pathlib import Path

import pytest

from browser import Served

PATIENCE = 60_000


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    served = Served(tmp_path_factory.mktemp("items"))
    yield served
    served.running.kill()


@pytest.fixture
def page(browser, served):
    errors = []
    with browser.new_context(base_url=served.address) as context:
        context.set_default_timeout(PATIENCE)
        context.on("weberror", lambda error: errors.append(str(error.error)))
        yield context.new_page()
    assert errors == []


def shown(page):
    return [
        int(row)
        for row in page.locator("#items tr[data-item]").evaluate_all("all => all.map((r) => r.dataset.item)")
    ]


def labels(task):
    return {line["item"]: line["label"] for line in task.labels()}


def wait_for_items(page, expected):
    page.wait_for_function(
        "wanted => JSON.stringify([...document.querySelectorAll('#items tr[data-item]')]"
        ".map((row) => Number(row.dataset.item))) === wanted",
        arg=json.dumps(expected, separators=(",", ":")),
    )


def test_a_filter_is_in_the_address_and_a_selection_is_relabelled_undone_and_exported(served, page):
    task = served.task()
    task.ask(60, lambda number: f"mail {number} {'red' if number % 3 else 'blue'}")
    task.post("labels", {"labels": [{"item": item, "label": "ham"} for item in (1, 2, 3, 4)]})
    page.goto(f"/tasks/{task.name}/items")
    page.get_by_text("50 of 60 items shown.").wait_for()
    page.get_by_label("With the label").select_option("ham")
    wait_for_items(page, [4, 3, 2, 1])
    page.get_by_label("Order").select_option("oldest")
    wait_for_items(page, [1, 2, 3, 4])
    assert page.url.endswith("/items?label=ham&order=oldest")
    page.get_by_role("searchbox").fill("blue")
    page.keyboard.press("Enter")
    wait_for_items(page, [1, 4])
    page.go_back()
    wait_for_items(page, [1, 2, 3, 4])
    assert page.get_by_label("Order").input_value() == "oldest"
    # A range by mouse: two of them get another label.
    page.get_by_label("Select item 2").click()
    page.get_by_label("Select item 4").click(modifiers=["Shift"])
    page.get_by_text("3 items selected").wait_for()
    page.get_by_label("New label").select_option("spam")
    page.get_by_role("button", name="Relabel").click()
    page.get_by_role("dialog").get_by_text("Label 3 items as spam?").wait_for()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    page.get_by_text("3 items selected").wait_for()
    page.get_by_role("button", name="Relabel").click()
    page.get_by_role("dialog").get_by_role("button", name="Relabel").click()
    page.get_by_text("3 items corrected.").wait_for()
    wait_for_items(page, [1])
    assert labels(task) == {1: "ham", 2: "spam", 3: "spam", 4: "spam"}
    open_items(page, task)


def open_items(page, task):
    """Items that wait are selected by keys, labelled together, and the labels are undone as one."""
    page.goto(f"/tasks/{task.name}/items?state=open&order=oldest&search=blue")
    page.locator("#items tr[data-item]").first.wait_for()
    first = shown(page)[:3]
    for key in ("j", "x", "j", "j", "Shift+X"):
        page.keyboard.press(key)
    page.get_by_text("3 items selected").wait_for()
    with page.expect_download() as got:
        page.get_by_role("link", name="Export 3 selected items").click()
    lines = Path(got.value.path()).read_text().splitlines()
    assert sorted(json.loads(line)["item"] for line in lines) == first
    page.get_by_label("Format of the export").select_option("csv")
    assert re.search(r"items=[0-9%C,]+&format=csv$", page.locator("#export").get_attribute("href"))
    page.get_by_role("button", name="Relabel").click()
    page.get_by_role("dialog").get_by_role("button", name="Relabel").click()
    page.get_by_text("3 items labelled as ham.").wait_for()
    assert {item: labels(task)[item] for item in first} == dict.fromkeys(first, "ham")
    page.locator("#last-group").get_by_role("button", name="Undo").click()
    page.get_by_text("3 labels undone.").wait_for()
    page.locator("#last-group").wait_for(state="hidden")
    assert set(first) & labels(task).keys() == set()
    page.get_by_label("Select all shown").check()
    page.get_by_text(re.compile("^[0-9]+ items selected")).wait_for()
    page.get_by_role("button", name="Clear selection").click()
    page.locator("#selection").wait_for(state="hidden")


def test_the_item_page_goes_on_within_the_filter_and_shows_similar_items(served, page):
    task = served.task()
    texts = ["red car", "blue boat", "red car fast", "blue boat slow", "red car old"]
    task.ask(5, texts.__getitem__)
    page.goto(f"/tasks/{task.name}/items?search=red")
    wait_for_items(page, [5, 3, 1])
    page.locator("#items a").nth(1).click()
    page.get_by_role("heading", name="Item 3").wait_for()
    page.locator("#similar li a").first.wait_for()
    assert page.locator("#similar li a").first.inner_text() in ("red car", "red car old")
    page.get_by_role("link", name="Next").click()
    page.get_by_role("heading", name="Item 1").wait_for()
    page.locator("#previous").wait_for()
    assert page.locator("#next").is_hidden()
    page.keyboard.press("k")
    page.get_by_role("heading", name="Item 3").wait_for()
    page.locator("#previous").wait_for()
    page.get_by_role("link", name="All items").click()
    wait_for_items(page, [5, 3, 1])


def test_similar_items_are_labelled_with_one_key_and_undone_as_one(served, page):
    task = served.task(questions={"chosen": "lease"})
    words = ["red green blue", "car wheel road"]
    items = [{"text": f"{words[place % 2]} w{place}"} for place in range(60)]
    task.post("items", {"items": items})
    page.goto(f"/tasks/{task.name}/label")
    page.locator("#item[data-item][aria-busy=false]").wait_for()
    page.locator("#similar").click()
    page.get_by_role("heading", name="Label similar items").wait_for()
    page.locator("#items .group-row").nth(5).wait_for()
    page.keyboard.press("a")
    selected = int(page.locator("#selected").inner_text().split()[0])
    assert selected > 5
    page.keyboard.press("1")
    page.get_by_text(f"{selected} items labelled as ham.").wait_for()
    assert list(labels(task).values()) == ["ham"] * selected
    page.keyboard.press("u")
    page.get_by_text(f"{selected} labels undone.").wait_for()
    page.locator("#last-group").wait_for(state="hidden")
    assert labels(task) == {}


def test_a_group_whose_response_was_lost_can_still_be_undone(served, page):
    """The page said that the service cannot be reached, the items had gone, and nothing could be undone."""
    task = served.task(questions={"chosen": "lease"})
    task.post("items", {"items": [{"text": f"red green blue w{place}"} for place in range(8)]})
    page.add_init_script("delete Crypto.prototype.randomUUID")  # as it is where the connection is not secure
    page.goto(f"/tasks/{task.name}/items/8/similar")
    page.locator("#items .group-row").nth(1).wait_for()
    lost = []

    def lose(route):
        lost.append(route.request.post_data_json)
        if len(lost) > 1:
            return route.continue_()
        route.fetch()
        return route.abort("connectionreset")

    page.route("**/group-labels", lose)
    page.keyboard.press("a")
    selected = int(page.locator("#selected").inner_text().split()[0])
    page.keyboard.press("1")
    page.get_by_text(f"{selected} items labelled as ham.").wait_for()
    assert lost[0] == lost[1]
    assert list(labels(task).values()) == ["ham"] * selected
    page.keyboard.press("u")
    page.get_by_text(f"{selected} labels undone.").wait_for()
    page.locator("#last-group").wait_for(state="hidden")
    assert labels(task) == {}


def test_items_are_deleted_after_a_confirmation_that_says_it_cannot_be_undone(served, page):
    task = served.task()
    task.ask(4, lambda number: f"mail {number} <img src=x onerror=alert(1)>")
    task.post("labels", {"labels": [{"item": 2, "label": "ham"}]})
    page.goto(f"/tasks/{task.name}/items")
    wait_for_items(page, [4, 3, 2, 1])
    page.get_by_label("Select item 2").click()
    page.get_by_label("Select item 3").click()
    page.get_by_role("button", name="Delete").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("Delete 2 items?").wait_for()
    dialog.get_by_text("This cannot be undone.").wait_for()
    dialog.get_by_role("button", name="Cancel").click()
    page.get_by_text("2 items selected").wait_for()
    page.get_by_role("button", name="Delete").click()
    dialog.get_by_role("button", name="Delete").click()
    page.get_by_text("2 items deleted.").wait_for()
    wait_for_items(page, [4, 1])
    assert labels(task) == {}
    # From its own page, the next item of the list follows.
    page.locator("#items a").first.click()
    page.get_by_role("heading", name="Item 4").wait_for()
    page.locator("#next").wait_for()
    page.locator("#similar-items").wait_for()
    page.get_by_role("button", name="Delete this item").click()
    dialog.get_by_text("Delete 1 item?").wait_for()
    dialog.get_by_role("button", name="Delete").click()
    page.get_by_role("heading", name="Item 1").wait_for()
    page.locator("#similar-items").wait_for()
    page.goto(f"/tasks/{task.name}/items/4")
    page.get_by_text("item 4 was deleted", exact=False).wait_for()


def test_the_page_of_an_item_shows_the_guesses_of_programs(served, page):
    task = served.task()
    name = "<b>model</b>"  # which is shown as it is
    guesses = {"gpt-4o": {"label": "spam", "confidence": 0.85}, name: {"label": "ham"}}
    item = task.post("items", {"items": [{"text": "win a prize", "guesses": guesses}]})["decisions"][0]["item"]
    page.goto(f"/tasks/{task.name}/items/{item}")
    page.get_by_text("Guess of gpt-4o").wait_for()
    known = page.locator("#known").inner_text().splitlines()
    lines = [line for line in known if line]
    assert lines[lines.index("Guess of gpt-4o") + 1] == "spam, confidence 0.85"
    assert lines[lines.index(f"Guess of {name}") + 1] == "ham"
