"""Long names of classes on a phone: they wrap, no page scrolls sideways, and nothing of a name is cut off."""

from collections.abc import Iterator
from typing import Any

import pytest

from browser import Served, ServedTask

PHONE = {"width": 390, "height": 844}
CLASSES = ["a" + "bcdefghi_" * 11, "billing-" + "x" * 92]  # as long as they may be
ON_PAGES = [
    ("/items/1", "#why .pulls bdi"),
    ("/items?state=labelled", "#items bdi"),
    ("/review", "#model .pulls bdi"),
    ("/review", "#keep-words"),
    ("/label", "#guess .chip"),
    ("/items/8/similar", "#found"),
]


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedTask]:
    served = Served(tmp_path_factory.mktemp("long"))
    task = served.task(classes=CLASSES, interface={"prediction": "shown"})
    task.ask(40, lambda number: f"{('win a prize', 'lunch at noon')[number % 2]} {number}")
    given = [{"item": item, "label": CLASSES[item % 2]} for item in range(1, 7)]
    task.post("labels", {"labels": given})
    task.post("flags", {"item": 1})
    yield task
    served.running.kill()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    with browser.new_context(viewport=PHONE, is_mobile=True) as context:
        context.set_default_timeout(20_000)
        yield context.new_page()


def check(page: Any, place: str) -> None:
    """The page is as wide as the screen, and so is what shows a name."""
    shown = page.locator(place)
    shown.first.wait_for()
    assert page.evaluate("() => document.documentElement.scrollWidth") == PHONE["width"]
    boxes = [one.bounding_box() for one in shown.all()]
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= PHONE["width"] for box in boxes), boxes
    assert any(box["height"] > 30 for box in boxes), "no name needs more than one line"


@pytest.mark.parametrize(("path", "place"), ON_PAGES)
def test_they_wrap(task: ServedTask, page: Any, path: str, place: str) -> None:
    page.goto(task.page + path)
    check(page, place)


def test_they_wrap_where_an_answer_is_changed(task: ServedTask, page: Any) -> None:
    page.goto(f"{task.page}/label")
    page.locator("#item[data-item][aria-busy=false]").wait_for()
    page.locator("#answers button").first.click()
    page.locator("#history button").first.click()
    check(page, "#changing b")


def test_they_wrap_where_similar_items_were_labelled(task: ServedTask, page: Any) -> None:
    page.goto(f"{task.page}/items/11/similar")
    page.locator("#answers button:enabled").first.click()
    check(page, "#last-group span")
