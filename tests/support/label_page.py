"""`askance label FILE --web` in a thread of this process, and a client of its page that can leave things out."""

import http.client
import json
import queue
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest

from command_line import askance

PATIENCE = 300  # seconds: on a slow machine, the first answer waits until machine code is compiled


class Reply(NamedTuple):
    """What came back."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def content(self) -> Any:
        """The JSON object."""
        return json.loads(self.body)


class Visitor:
    """Somebody with a link: the secrets that it was exchanged for, and requests with them."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.port = parts.port or 0
        self.link = f"/?{parts.query}"
        self.cookie, self.token = "", ""

    def enter(self) -> Reply:
        """Open the link."""
        reply = self.request("GET", self.link)
        self.cookie = (reply.headers["Set-Cookie"] or "").partition(";")[0]
        self.token = (reply.headers["Location"] or "").partition("#")[2]
        return reply

    def request(self, method: str, path: str, body: bytes | None = None, **headers: str | None) -> Reply:
        """Send a request with the secrets; headers that are None are left out."""
        usual = {"Cookie": self.cookie, "X-Askance-Token": self.token}
        if body is not None:
            usual["Content-Type"] = "application/json"
        wanted = usual | {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, {name: value for name, value in wanted.items() if value})
            found = connection.getresponse()
            return Reply(found.status, found.headers, found.read())
        finally:
            connection.close()

    def post(self, path: str, **given: Any) -> Reply:
        """Send an object."""
        return self.request("POST", path, json.dumps(given).encode())

    @property
    def state(self) -> Any:
        """What the page shows."""
        return self.request("GET", "/state").content["state"]

    def answer(self, label: str | None) -> Any:
        """Answer the current question; the state after that."""
        reply = self.post("/answer", row=self.state["question"]["row"], label=label)
        assert reply.status == 200, reply.body
        return reply.content["state"]

    def undo(self) -> Any:
        """Undo the last answer; the state after that."""
        reply = self.post("/undo", row=self.state["recent"][0]["row"])
        assert reply.status == 200, reply.body
        return reply.content["state"]


class Served:
    """A command that serves a page; `result` is what it printed, once it has ended."""

    def __init__(self, visitor: Visitor, thread: threading.Thread, results: list[Any]) -> None:
        self.visitor = visitor
        self._thread = thread
        self._results = results

    @property
    def result(self) -> Any:
        """Wait for the end."""
        self._thread.join(PATIENCE)
        return self._results[0]


class _Browser:
    """Opens nothing, and remembers addresses."""

    def __init__(self) -> None:
        self.opened: queue.Queue[str] = queue.Queue()

    def open(self, address: str) -> bool:
        self.opened.put(address)
        return True


@contextmanager
def label_page(path: Path, *words: object, enters: bool = True) -> Iterator[Served]:
    """A page about a file. At the end, the visitor finishes it, if that has not happened before."""
    browser, results = _Browser(), list[Any]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(webbrowser, "get", lambda: browser)
        work = threading.Thread(
            target=lambda: results.append(askance("label", path, "--web", *words)), daemon=True
        )
        work.start()
        visitor = Visitor(browser.opened.get(timeout=PATIENCE))
        served = Served(visitor, work, results)
        try:
            if enters:
                visitor.enter()
            yield served
        finally:
            if visitor.token:
                with suppress(OSError):
                    visitor.post("/finish")
                work.join(PATIENCE)
