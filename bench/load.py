"""A load generator for the service: prepared requests over raw sockets, so that the client costs little."""

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
    """A connection that stays open."""

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

    def begin(self, head: str) -> None:
        """Send the beginning of a request."""
        self._socket.sendall(head.encode())

    def post(self, path: str, body: Any) -> Any:
        """The decoded answer; it must be a success."""
        answer = self.send(self.prepared(path, body))
        assert answer.status == 200, answer
        return json.loads(answer.body)

    def close(self) -> None:
        self._socket.close()

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _more(self) -> bytes:
        part = self._socket.recv(1 << 16)
        if not part:
            raise ConnectionError("the service closed the connection")
        return part


class Running:
    """A service in its own process, on a free port, with one task from a TOML text.

    It is open to all, unless it is `guarded`, by a first token that it makes or by a `token` of the store.
    """

    def __init__(
        self,
        store: str,
        settings: str,
        directory: Path,
        *options: str,
        limit: int | None = None,
        guarded: bool = False,
        token: str | None = None,
    ) -> None:
        toml = directory / "task.toml"
        toml.write_text(settings)
        command = [sys.executable, "-m", "askance", "serve", "--store", store, "--task", str(toml), "--port", "0"]
        start = time.perf_counter()
        self.process = subprocess.Popen(
            [*command, *(() if guarded or token else ("--open",)), "--max-rate", "1e9", *options],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
            preexec_fn=None if limit is None else lambda: _limit_files(limit),
        )
        assert self.process.stdout is not None
        self.greeting = self.process.stdout.readline()
        found = re.search(r":(\d+) \(", self.greeting)
        assert found, f"no greeting but {self.greeting!r}"
        self.port = int(found[1])
        self._wait()
        self.seconds_to_start = time.perf_counter() - start
        self.token = self._first_token() if guarded else token

    def get(self, path: str) -> Any:
        """The answer to a GET, as an object."""
        with urllib.request.urlopen(f"http://{HOST}:{self.port}{path}", timeout=60) as answer:
            return json.load(answer)

    def kill(self) -> None:
        """Kill the process without warning."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """Stop it gracefully; return the exit code."""
        return self._end(signal.SIGTERM)

    def _end(self, sign: signal.Signals) -> int:
        self.process.send_signal(sign)
        code = self.process.wait(60)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code

    def _first_token(self) -> str:
        assert self.process.stdout is not None
        link = self.process.stdout.readline().split()[-1]
        with Connection(self.port) as connection:
            token: str = connection.post("/api/first", {"code": link.partition("=")[2]})["token"]
            return token

    def _wait(self) -> None:
        for _ in range(400):
            try:
                self.get("/ready")
                return
            except OSError:
                time.sleep(0.01)
        raise TimeoutError("the service does not answer")


@contextmanager
def service(store: str, settings: str, directory: Path, *options: str) -> Iterator[int]:
    """The port of a service that is stopped at the end."""
    running = Running(store, settings, directory, *options)
    try:
        yield running.port
    finally:
        running.stop()


def _limit_files(size: int) -> None:
    """Limit the size of files, to simulate a full disk."""
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def at_once(works: Sequence[Callable[[], None]]) -> float:
    """The seconds that it takes to do these at the same time."""
    threads = [threading.Thread(target=work) for work in works]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - start
