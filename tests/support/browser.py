"""A browser in front of a service: what the tests of pages share."""

import itertools
import json
import os
import shutil
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from needs import missing

sys.path.append(str(Path(__file__).parents[2]))  # the benchmark's load generator is not part of the package

from bench.load import Running

from askance.service import start
from askance.service.api.guard import ServerOptions
from askance.service.client import Client

CHROMIUM = os.environ.get("ASKANCE_CHROMIUM") or shutil.which("chromium") or ""
# Drawing in software would take most of the time.
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-software-rasterizer", "--disable-extensions"]
FIRST_TASK = 'name = "first"\nclasses = ["ham", "spam"]\n[hashing]\nbits = 8\n'


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser without a window."""
    if not CHROMIUM:
        missing("the tests of pages", "chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


class RunningHere:
    """A service in a thread of this process, which starts in a moment."""

    def __init__(self, store: str, *, guarded: bool) -> None:
        options = ServerOptions(requests_per_second=1e9)
        self._service = start(store, open_to_all=not guarded, options=options)
        self.port = int(self._service.url.rpartition(":")[2])
        self.token = None
        if guarded:
            with Client(self._service.url) as client:
                self.token = client.first_token(self._service.admin_code()).token

    def kill(self) -> None:
        self._service.stop()


class Served:
    """A service for pages; one in a process of its own can be killed and started again on its port."""

    def __init__(self, directory: Path, *, guarded: bool = False, own_process: bool = False) -> None:
        self.directory = directory
        self.guarded = guarded
        self.own_process = own_process
        self.running = self._start("0")
        self.address = f"http://127.0.0.1:{self.running.port}"
        self._numbers = itertools.count(1)

    @contextmanager
    def killed(self) -> Iterator[None]:
        """Without the service, which begins again where it was."""
        assert self.own_process
        self.running.kill()
        try:
            yield
        finally:
            self.running = self._start(str(self.running.port), self.running.token)

    def task(self, **settings: Any) -> "ServedTask":
        """A new task: two classes and a learner that asks about every item by default."""
        many = len(settings.get("classes", "ab")) > 2
        wish = {
            "name": f"desk-{next(self._numbers)}",
            "classes": ["ham", "spam"],
            "algorithm": "MPA-II" if many else "PA-II",
            "hashing": {"bits": 8},
        }
        wish |= settings
        self.post("/api/tasks", wish)
        return ServedTask(self, wish["name"])

    def known(self, name: str) -> "ServedTask":
        """A task that is there already."""
        return ServedTask(self, name)

    def post(self, path: str, body: Any) -> Any:
        """The answer to a request, as an object."""
        headers = {"content-type": "application/json", **self.who}
        request = urllib.request.Request(self.address + path, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    @property
    def who(self) -> dict[str, str]:
        """What a request says of its sender."""
        return {"authorization": f"Bearer {self.running.token}"} if self.guarded else {}

    def _start(self, port: str, token: str | None = None) -> Running | RunningHere:
        store = str(self.directory / "store.db")
        if not self.own_process:
            return RunningHere(store, guarded=self.guarded)
        is_first = self.guarded and token is None
        return Running(store, FIRST_TASK, self.directory, "--port", port, guarded=is_first, token=token)


class ServedTask(NamedTuple):
    """A task of it."""

    served: Served
    name: str

    @property
    def page(self) -> str:
        """The address of its pages."""
        return f"{self.served.address}/tasks/{self.name}"

    def ask(self, count: int, text: Callable[[int], str] = "question {}".format) -> None:
        """Send `count` items, all of which are asked."""
        items = [{"text": text(number), "id": f"id-{number}"} for number in range(count)]
        decisions = self.post("items", {"items": items})["decisions"]
        assert all(decision["ask"] for decision in decisions)

    def labels(self) -> list[dict[str, Any]]:
        """All items that have a label."""
        return self.lines("export/labels")

    def lines(self, path: str) -> list[dict[str, Any]]:
        """What the service exports."""
        address = f"{self.served.address}/api/tasks/{self.name}/{path}"
        request = urllib.request.Request(address, headers=self.served.who)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return [json.loads(line) for line in answer]

    def get(self, path: str) -> Any:
        """What the service knows of the task."""
        address = f"{self.served.address}/api/tasks/{self.name}/{path}".rstrip("/")
        with urllib.request.urlopen(
            urllib.request.Request(address, headers=self.served.who), timeout=30
        ) as answer:
            return json.load(answer)

    def post(self, path: str, body: Any) -> Any:
        """The answer to a request about the task."""
        return self.served.post(f"/api/tasks/{self.name}/{path}", body)


def until(page: Any, condition: Any) -> None:
    """Wait until something is so, while the page goes on."""
    for _ in range(600):
        if condition():
            return
        page.wait_for_timeout(100)
    raise AssertionError("it never came")
