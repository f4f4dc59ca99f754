"""A browser in front of a service: what the tests of pages share."""

import json
import os
import shutil
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from needs import missing

sys.path.append(str(Path(__file__).parents[1]))  # the benchmark's load generator is not part of the package

from bench.load import Running

CHROMIUM = os.environ.get("ASKANCE_CHROMIUM") or shutil.which("chromium") or ""
PATIENCE = 15.0


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser without a window."""
    if not CHROMIUM:
        missing("the tests of pages", "chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


class Served:
    """A service in a process of its own with one task, which can be killed and started again on its port."""

    def __init__(self, directory: Path, settings: str) -> None:
        self.directory = directory
        self.settings = settings
        self.task = settings.split('"')[1]
        self.running = self._start("0")
        self.address = f"http://127.0.0.1:{self.running.port}"

    def restart(self) -> None:
        """Begin again after a kill, where it was."""
        self.running = self._start(str(self.running.port))

    def ask(self, count: int, text: Callable[[int], str] = "question {}".format) -> None:
        """Send items until so many questions were asked; the first word of each is its number."""
        items = [{"text": text(number), "id": f"id-{number}"} for number in range(count)]
        decisions = self.post("items", {"items": items})["decisions"]
        assert all(decision["asked"] for decision in decisions)

    def labels(self) -> list[dict[str, Any]]:
        """All labels that the journal has."""
        with urllib.request.urlopen(f"{self.address}/api/tasks/{self.task}/export/labels", timeout=30) as answer:
            return [json.loads(line) for line in answer]

    def figures(self) -> dict[str, Any]:
        """The task's figures."""
        return self.running.get(f"/api/tasks/{self.task}/figures")

    def post(self, path: str, body: Any) -> Any:
        """The answer to a request, as an object."""
        request = urllib.request.Request(
            f"{self.address}/api/tasks/{self.task}/{path}",
            json.dumps(body).encode(),
            {"content-type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def _start(self, port: str) -> Running:
        return Running(str(self.directory / "store.db"), self.settings, self.directory, "--port", port)


def until(holds: Callable[[], bool], seconds: float = PATIENCE) -> None:
    """Wait for something to become true."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not become true in time"
        time.sleep(0.02)
