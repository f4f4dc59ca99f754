"""A tab with the labelling page, and what its answers come to."""

import json
import time
from collections import Counter
from typing import Any

from browser import ServedTask


class Tab:
    """A tab with the labelling desk; an error in its scripts fails the test."""

    def __init__(self, context: Any, task: ServedTask) -> None:
        self.faults: list[str] = []
        self.page = context.new_page()
        self.page.on("pageerror", lambda fault: self.faults.append(str(fault)))
        self.page.goto(f"{task.page}/label")

    @property
    def item(self) -> int | None:
        """The item that is shown."""
        found = self.page.locator("#item").get_attribute("data-item")
        return int(found) if found else None

    def ready(self) -> None:
        """Wait for a question that can be answered."""
        self.page.wait_for_selector("#item[data-item][aria-busy=false]")
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 5)))")

    def press(self, key: str) -> None:
        """Press a key when the next question is there."""
        self.ready()
        self.page.keyboard.press(key)

    def hold(self, key: str, times: int) -> None:
        """Hold a key down until it has repeated so often."""
        self.ready()
        for _ in range(times + 1):
            self.page.keyboard.down(key)  # Playwright sends a second keydown of a key as a repeat
            self.ready()
        self.page.keyboard.up(key)

    def wait_for_end(self, title: str) -> None:
        """Wait until the page says that there is no question."""
        self.page.wait_for_function(
            "title => document.getElementById('end-title').textContent === title", arg=title
        )
        self.page.wait_for_selector("#end:not([hidden])")

    def state(self) -> Any:
        """The questions that the tab remembers."""
        name = "Object.keys(localStorage).find((key) => key.startsWith('askance:questions:'))"
        return json.loads(self.page.evaluate(f"() => localStorage.getItem({name})"))

    def until_in_hand(self, count: int) -> None:
        """Wait until the tab has that many questions on lease, and can do without the service for as long."""
        end = time.monotonic() + 60
        while len(self.state()["queue"]) < count:
            assert time.monotonic() < end
            self.page.wait_for_timeout(20)

    def kept(self) -> Any:
        """How many answers wait in the browser."""
        return self.page.evaluate("() => Object.keys(localStorage).filter((key) => key.includes('outbox')).length")

    def until_sent(self) -> None:
        """Wait until the service has all answers."""
        self.page.wait_for_function("() => !Object.keys(localStorage).some((key) => key.includes('outbox'))")


def standing(task: ServedTask) -> dict[int, str]:
    """Item and label of each label that stands; each item once."""
    lines = task.labels()
    votes = [(line["item"], [vote["label"] for vote in line["votes"] if not vote["undone"]]) for line in lines]
    assert all(len(given) == 1 for _, given in votes), "one label per item"
    assert max(Counter(item for item, _ in votes).values(), default=1) == 1
    return {item: given[0] for item, given in votes}
