"""The pages in a browser: from the key to the paint, the bytes of the first view, and layout shifts.

`python -m bench.pages` prints a table. On a busy machine the time to the paint says as much about the others as
about the page; the CPU time of its thread does not.
"""

import argparse
import itertools
import json
import random
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console

from bench.load import HOST, Connection, service
from bench.report import Goal, Line, Report, at_most

CLASSES = [
    f"{group}.{name}"
    for group in ("comp", "rec", "sci", "talk")
    for name in ("one", "two", "three", "four", "five")
]
TASK = f'name = "desk"\nclasses = {json.dumps(CLASSES)}\nalgorithm = "MPA-II"\n[hashing]\nbits = 12\n'
PATH = "/api/tasks/desk"
WORDS = [
    f"{first}{second}{third}"
    for first in "bdfglmnprst"
    for second in ("a", "e", "io")
    for third in ("lling", "ton", "ster", "cks", "verance")
]
WIDE = {"width": 1440, "height": 900}
LENGTH = 10_000  # characters of a text
VIEWS = {
    "tasks": "/tasks",
    "new task": "/new-task",
    "labelling": "/tasks/desk/label",
    "review": "/tasks/desk/review",
    "dashboard": "/tasks/desk",
    "items": "/tasks/desk/items",
    "item": "/tasks/desk/items/1",
    "similar items": "/tasks/desk/items/900/similar",
    "model": "/tasks/desk/model",
    "upload": "/tasks/desk/upload",
    "settings": "/tasks/desk/settings",
    "audit": "/audit",
}
SECONDS, BYTES, SHIFT = at_most(50), at_most(60), at_most(0.05)
READY = "#item[data-item][aria-busy=false]"
# A key counts when its question has been painted.
PREPARE = """() => {
  window.next = new Promise((done) => (window.tell = done));
  return new Promise((done) => requestAnimationFrame(() => setTimeout(done, 20)));
}"""
TAKEN = "() => Promise.race([window.next, new Promise((done) => setTimeout(() => done(false), 5000))])"
# From the key, as the browser got it, to the end of the frame that shows the next item; and all layout shifts.
WATCH = """(() => {
  window.took = [];
  window.shifted = 0;
  addEventListener("keydown", (event) => {
    const item = document.getElementById("item");
    const before = item.dataset.item;
    const mine = (window.pressed = (window.pressed ?? 0) + 1);
    const look = () => requestAnimationFrame(() => {
      if (mine !== window.pressed) return;
      if (item.dataset.item === before) return look();
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => window.tell(window.took.push(performance.now() - event.timeStamp));
      port2.postMessage(null);
    });
    look();
  }, { capture: true });
  new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (window.shifted += value)))
    .observe({ type: "layout-shift", buffered: true });
})();"""


class View(NamedTuple):
    """The first visit of a page."""

    requests: int
    page: float  # kB of HTML, styles and scripts
    data: float  # kB from the API
    shifted: float


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.pages", description=__doc__)
    parser.add_argument("--answers", type=int, default=320)
    answers = parser.parse_args().answers
    report = Report("the pages in Chromium")
    with tempfile.TemporaryDirectory() as directory, _browser() as browser:
        store = str(Path(directory) / "store.db")
        with service(store, TASK, Path(directory)) as port:
            _fill(port, answers + 100)  # some stay leased to a window that was closed
            measure_answers(report, browser, port, answers)
            measure_shifts(report, browser, port)
            measure_views(report, browser, port)
    Console(width=160).print(report.table())


def measure_answers(report: Report, browser: Any, port: int, answers: int) -> None:
    """Answers by keys, one after the other."""
    with _page(browser, port, "/tasks/desk/label") as page:
        devtools = page.context.new_cdp_session(page)
        devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
        parts: dict[str, list[float]] = {}
        for key in itertools.islice(itertools.cycle("123456789"), answers):
            _prepare(page)
            before = _metrics(devtools)
            _answer(page, key)
            for name, value in _metrics(devtools).items():
                parts.setdefault(name, []).append(1e3 * (value - before[name]))
        _add(report, "key to paint", page.evaluate("() => window.took"), SECONDS)
        for name, times in parts.items():
            _add(report, f"CPU time per answer, {name}", times, SECONDS if name == "all" else None)


def measure_shifts(report: Report, browser: Any, port: int) -> None:
    """How much the page moves over 60 answers, also right after a key."""
    with _page(browser, port, "/tasks/desk/label") as page:
        for key in itertools.islice(itertools.cycle("123456"), 60):
            _prepare(page)
            _answer(page, key)
        shifted = page.evaluate("() => window.shifted")
    report.add(_line("labelling", "layout shift of 60 answers", shifted, "", SHIFT))


def measure_views(report: Report, browser: Any, port: int) -> None:
    """The first visit of each page, with an empty cache."""
    for name, path in VIEWS.items():
        view = _view(browser, port, path)
        report.add(_line(name, "first view, page", view.page, "kB", BYTES, f"{view.requests} requests"))
        report.add(_line(name, "first view, data", view.data, "kB", None))
        report.add(_line(name, "layout shift on load", view.shifted, "", SHIFT))


def _view(browser: Any, port: int, path: str) -> View:
    addresses: dict[str, str] = {}
    sizes: dict[str, float] = {}
    with browser.new_context(viewport=WIDE, base_url=f"http://{HOST}:{port}") as context:
        context.add_init_script(WATCH)
        page = context.new_page()
        devtools = context.new_cdp_session(page)
        devtools.on(
            "Network.requestWillBeSent", lambda sent: addresses.update({sent["requestId"]: sent["request"]["url"]})
        )
        devtools.on(
            "Network.loadingFinished", lambda done: sizes.update({done["requestId"]: done["encodedDataLength"]})
        )
        devtools.send("Network.enable")
        page.goto(path)
        page.wait_for_load_state("load")
        quiet = 0
        while quiet < 10:  # events are a stream, so the network is never idle
            before = len(sizes)
            page.wait_for_timeout(200)
            quiet = quiet + 1 if len(sizes) == before else 0
        data = sum(size for request, size in sizes.items() if "/api/" in addresses[request])
        shifted = page.evaluate("() => window.shifted")
    return View(len(sizes), (sum(sizes.values()) - data) / 1000, data / 1000, shifted)


def _prepare(page: Any) -> None:
    page.wait_for_selector(READY)
    page.evaluate(PREPARE)


def _answer(page: Any, key: str) -> None:
    """Press a key, and again if the page did not take it."""
    page.keyboard.press(key)
    while not page.evaluate(TAKEN):
        page.keyboard.press(key)


def _metrics(devtools: Any) -> dict[str, float]:
    """The CPU time of the page's thread so far, in seconds."""
    names = {
        "TaskDuration": "all",
        "ScriptDuration": "scripts",
        "LayoutDuration": "layout",
        "RecalcStyleDuration": "style",
    }
    found = {one["name"]: one["value"] for one in devtools.send("Performance.getMetrics")["metrics"]}
    return {shown: found[name] for name, shown in names.items()}


def _add(report: Report, what: str, times: list[float], goal: Goal | None) -> None:
    for name, value in (("median", 0.5), ("99 %", 0.99), ("longest", 1.0)):
        found = float(np.quantile(times, value))
        report.add(
            _line(
                "labelling", f"{what}, {name}", found, "ms", goal if name == "99 %" else None, f"of {len(times)}"
            )
        )


def _line(group: str, what: str, value: float, unit: str, goal: Goal | None, remark: str = "") -> Line:
    return Line(group, what, value, value, unit, False, goal, remark)


def _fill(port: int, count: int) -> None:
    """Items that are all asked about, and a thousand short ones with labels, for the other pages."""
    with Connection(port) as connection:
        chance = random.Random(1)
        texts = [" ".join(chance.choices(WORDS, k=LENGTH // 8))[:LENGTH] for _ in range(count)]
        items = [{"text": text, "id": f"id-{number}"} for number, text in enumerate(texts)]
        for start in range(0, count, 20):
            connection.post(f"{PATH}/items", {"items": items[start : start + 20]})
        for place in range(10):
            short = [
                {"text": f"short text {place} {number}", "label": CLASSES[number % 20]} for number in range(100)
            ]
            connection.post(f"{PATH}/import", {"items": short})


@contextmanager
def _page(browser: Any, port: int, path: str) -> Iterator[Any]:
    with browser.new_context(viewport=WIDE, base_url=f"http://{HOST}:{port}") as context:
        context.set_default_timeout(120_000)
        context.add_init_script(WATCH)
        page = context.new_page()
        page.goto(path)
        yield page


@contextmanager
def _browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    arguments = ["--no-sandbox", "--disable-gpu", "--disable-extensions"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=arguments)
        try:
            yield browser
        finally:
            browser.close()


if __name__ == "__main__":
    main()
