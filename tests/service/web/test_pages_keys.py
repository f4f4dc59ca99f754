"""The keys of classes at the labelling page, whatever the classes are called."""

import time

import pytest

from browser import Served

OF_OBJECTS = ["constructor", "valueOf", "toString", "__proto__", "hasOwnProperty", "ham"]


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    served = Served(tmp_path_factory.mktemp("keys"))
    yield served
    served.running.kill()


def test_classes_may_be_called_like_properties_of_objects(served, browser):
    task = served.task(classes=OF_OBJECTS)
    task.ask(3)
    with browser.new_context() as context:
        page = context.new_page()
        faults = []
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.goto(f"{task.page}/label")
        answer(page, page.locator(".answer", has_text="__proto__").locator("kbd").inner_text())
        page.wait_for_selector("#item[data-item][aria-busy=false]")
        page.keyboard.press("?")
        page.get_by_label("Key for __proto__").fill("7")
        page.get_by_label("Key for constructor").fill("8")
        page.get_by_role("button", name="Save keys").click()
        page.reload()
        answer(page, "7")
        answer(page, "8")
        page.wait_for_selector("#end:not([hidden])")
        given = until_labelled(page, task, 3)  # a page that is closed earlier sends them when it is opened again
        assert faults == []
    assert given == {"id-0": "__proto__", "id-1": "__proto__", "id-2": "constructor"}


def answer(page, key):
    page.wait_for_selector("#item[data-item][aria-busy=false]")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 5)))")
    shown = page.locator("#item").get_attribute("data-item")
    page.keyboard.press(key)
    page.wait_for_function(
        "shown => document.getElementById('item').dataset.item !== shown"
        " || !document.getElementById('end').hidden",
        arg=shown,
    )


def until_labelled(page, task, count):
    deadline = time.monotonic() + 60
    while len(found := task.labels()) < count:
        assert time.monotonic() < deadline, found
        page.wait_for_timeout(20)
    return {row["id"]: row["label"] for row in found}
