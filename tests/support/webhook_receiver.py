"""A receiver of webhooks on this machine, which can be set to fail, to be slow, to die and to come back."""

import json
import ssl
import threading
import time
from collections import deque
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PATIENCE = 60.0  # seconds


def eventually(holds: Callable[[], Any], what: str = "it") -> Any:
    """Wait until something holds, and return it."""
    end = time.monotonic() + PATIENCE
    while not (found := holds()):
        assert time.monotonic() < end, f"{what} did not happen"
        time.sleep(0.005)
    return found


class Receiver:
    """Takes requests; `answers` are the statuses of the next ones, or functions that are called first."""

    def __init__(self, port: int = 0, tls: ssl.SSLContext | None = None) -> None:
        self.requests: list[tuple[dict[str, str], bytes]] = []
        self.taken: list[dict[str, Any]] = []  # what was answered with 200
        self.answers: deque[Any] = deque()
        self.lock = threading.Lock()
        self.port = port
        self._tls = tls
        self.begin()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook?a=1"

    def begin(self) -> None:
        """Listen, on the same port as before."""
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status, headers = receiver.take(
                    {name.lower(): value for name, value in self.headers.items()}, body
                )
                if status is None:
                    self.close_connection = True
                    return
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *words: Any) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # a handshake that fails is the business of the test
        if self._tls is not None:
            self._server.socket = self._tls.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def end(self) -> None:
        """Die: connections are refused from now on."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def take(self, headers: dict[str, str], body: bytes) -> tuple[int | None, dict[str, str]]:
        with self.lock:
            self.requests.append((headers, body))
            answer = self.answers.popleft() if self.answers else 200
        if callable(answer):
            answer = answer()
        status, more = answer if isinstance(answer, tuple) else (answer, {})
        if status is not None and 200 <= status < 300:
            with self.lock:
                self.taken.append(json.loads(body))
        return status, more

    def wait_for(self, count: int) -> list[dict[str, Any]]:
        """Wait until this many events were taken, and return all of them."""
        eventually(lambda: len(self.taken) >= count, f"{count} events")
        return list(self.taken)
