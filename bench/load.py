"""A load generator for the live service: prepared requests over raw sockets, so that others are measured."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

HOST = "127.0.0.1"


class Answer(NamedTuple):
    status: int
    body: bytes


class Connection:
    """One connection that is kept open."""

    def __init__(self, port: int, token: str | None = None) -> None:
        self._socket = socket.create_connection((HOST, port), timeout=60)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._token = token

    def prepared(self, path: str, body: Any) -> bytes:
        """The bytes of a POST."""
        content = json.dumps(body).encode()
        auth = f"Authorization: Bearer {self._token}\r\n" if self._token else ""
        head = f"POST {path} HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: application/json\r\n{auth}"
        return f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content

    def send(self, request: bytes) -> Answer:
        """The answer to a prepared request."""
        self._socket.sendall(request)
        received = b""
        while (end := received.find(b"\r\n\r\n")) < 0:
            received += self._more()
        head = received[:end].lower()
        length = int(re.search(rb"content-length: (\d+)", head)[1])  # type: ignore[index]
        while len(received) < end + 4 + length:
            received += self._more()
        return Answer(int(head[9:12]), received[end + 4 :])

    def post(self, path: str, body: Any) -> Any:
        """The answer, which must be a good one, as an object."""
        answer = self.send(self.prepared(path, body))
        assert answer.status == 200, answer
        return json.loads(answer.body)

    def close(self) -> None:
        self._socket.close()

    def _more(self) -> bytes:
        part = self._socket.recv(1 << 16)
        if not part:
            raise ConnectionError("the service closed the connection")
        return part


@contextmanager
def service(store: str, settings: str, directory: Path, *options: str) -> Iterator[int]:
    """A service in a process of its own, on a free port, with one task that a TOML text describes."""
    toml = directory / "task.toml"
    toml.write_text(settings)
    command = [sys.executable, "-m", "askance", "serve", "--store", store, "--task", str(toml), "--port", "0"]
    process = subprocess.Popen(
        [*command, "--open", "--max-rate", "1e9", *options],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    try:
        assert process.stdout is not None
        port = int(re.search(r":(\d+) \(", process.stdout.readline())[1])  # type: ignore[index]
        _wait(port)
        yield port
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
        process.stdout.close()


def _wait(port: int) -> None:
    for _ in range(200):
        try:
            with urllib.request.urlopen(f"http://{HOST}:{port}/ready", timeout=1):
                return
        except OSError:
            time.sleep(0.05)
    raise TimeoutError("the service does not answer")


def at_once(works: Sequence[Callable[[], None]]) -> float:
    """The seconds that it takes to do these side by side."""
    threads = [threading.Thread(target=work) for work in works]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - start
