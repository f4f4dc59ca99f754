"""A fake language model, OpenAI-compatible, on this machine: it can be slow, busy or broken, and talk nonsense."""

import json
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import Any, NamedTuple

CUT = "the connection is cut"
PATIENCE = 60.0  # seconds


class Reply(NamedTuple):
    """What the server sends instead of an answer."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = MappingProxyType({})
    after: threading.Event | None = None  # which it waits for


def completion(content: str | None, tokens: int = 30) -> bytes:
    """The body of a response with this content."""
    usage = {"prompt_tokens": tokens - 10, "completion_tokens": 10, "total_tokens": tokens}
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    return json.dumps({"id": "x", "object": "chat.completion", "choices": [choice], "usage": usage}).encode()


def says(label: str, confidence: float | None = 0.9) -> Reply:
    """An answer in the form that was asked for."""
    return Reply(body=completion(json.dumps({"label": label, "confidence": confidence})))


class FakeModel:
    """Answers with `replies` in order, a Reply, CUT or a text; then with what `think` makes of the item."""

    def __init__(self, think: Callable[[dict[str, Any]], Reply]) -> None:
        self.think = think
        self.replies: deque[Reply | str] = deque()
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.url = ""
        self._lock = threading.Lock()

    @property
    def documents(self) -> list[dict[str, Any]]:
        """The data that were sent, one document per request."""
        return [json.loads(request["messages"][1]["content"]) for request in self.requests]

    def reply(self, headers: dict[str, str], body: bytes) -> Reply | None:
        """Note a request, and answer it."""
        with self._lock:
            self.requests.append(json.loads(body))
            self.headers.append(headers)
            said: Reply | str = self.replies.popleft() if self.replies else self.think(self.documents[-1]["item"])
        if said == CUT:
            return None
        return said if isinstance(said, Reply) else Reply(body=completion(said))


@contextmanager
def fake_model(think: Callable[[dict[str, Any]], Reply]) -> Iterator[FakeModel]:
    """A model behind a socket of this machine."""
    model = FakeModel(think)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body at once: otherwise the second waits for the other side, 40 ms each time

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            reply = Reply(404) if self.path != "/v1/chat/completions" else None
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = reply or model.reply(headers, body)
            if reply is None:
                self.close_connection = True
                return
            if reply.after is not None:
                reply.after.wait(PATIENCE)
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, *words: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    model.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield model
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
