"""The pages in Firefox and in WebKit: from signing in to the dashboard."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from browser import Served
from other_browsers import Driven, firefox, webkit

ENTER = "\ue007"
TEXTS = "text\n" + "".join(f"mail number {row} for you\n" for row in range(8))
CHOOSE = """
const chosen = new DataTransfer();
chosen.items.add(new File([arguments[0]], "mails.csv"));
const input = document.getElementById("file");
input.files = chosen.files;
input.dispatchEvent(new Event("change"));
"""
# The item that can be answered, if it is another one than before.
NEXT = """
const { item } = document.querySelector("#item[data-item][aria-busy=false]")?.dataset ?? {};
return item !== arguments[0] && item;
"""
SHOWN = "return document.querySelector(arguments[0])?.checkVisibility() ?? false"
NO_ANSWER_LEFT = 'return !Object.keys(localStorage).some((name) => name.includes("outbox"))'
# A key counts when its question has been painted.
PAINTED = "requestAnimationFrame(() => setTimeout(() => (document.body.dataset.painted = arguments[0]), 20))"


@pytest.mark.slow
@pytest.mark.parametrize("launch", [firefox, webkit])
def test_sign_in_create_upload_label_and_look(
    launch: Callable[[Path], AbstractContextManager[Driven]], tmp_path: Path
) -> None:
    served = Served(tmp_path, guarded=True)
    try:
        with launch(tmp_path) as browser:
            sign_in(browser, served)
            create(browser, served)
            upload(browser)
            label(browser, served)
            browser.go(f"{served.address}/tasks/mails")
            browser.until("return document.getElementById('figures').innerText.includes('3 of 8 questions')")
            browser.until("return document.querySelectorAll('#asked svg path').length")
            assert not browser.errors
            browser.run("setTimeout(() => { throw new Error('errors are seen') })")
            browser.until_an_error()
        labels = [line["label"] for line in served.known("mails").labels()]
        assert sorted(labels) == ["ham", "ham", "spam"]
    finally:
        served.running.kill()


def sign_in(browser: Driven, served: Served) -> None:
    browser.go(f"{served.address}/tasks")
    browser.fill("[name=token]", f"{served.running.token}{ENTER}")
    browser.until("return location.pathname === '/tasks'")


def create(browser: Driven, served: Served) -> None:
    browser.go(f"{served.address}/new-task")
    browser.fill("#name", "mails")
    browser.fill("#classes", "ham, spam")
    # A catalog's algorithm asks about each item when it comes.
    browser.run("document.getElementById('algorithm').value = 'PA-II'")
    browser.click("#task-form .actions button")
    browser.until("return location.pathname === '/tasks/mails/upload'")


def upload(browser: Driven) -> None:
    browser.until("return document.querySelector('#choose-file:enabled') !== null")
    browser.run(CHOOSE, TEXTS)
    browser.until(SHOWN, "#add:enabled")
    browser.click("#add")
    browser.until(SHOWN, "#done")
    assert browser.run("return document.getElementById('done-title').textContent") == "8 items were added"


def label(browser: Driven, served: Served) -> None:
    """Three answers by keys."""
    browser.go(f"{served.address}/tasks/mails/label")
    seen: list[str] = []
    for key in "hs1":
        item = browser.until(NEXT, seen[-1] if seen else None)
        seen.append(item)
        browser.run(PAINTED, item)
        browser.until("return document.body.dataset.painted === arguments[0]", item)
        browser.press(key)
    browser.until(NEXT, seen[-1])
    browser.until(NO_ANSWER_LEFT)
    assert len(set(seen)) == 3
