"""Connections: how many there may be, and how long a client may take.

uvicorn has a time limit for idle connections only, and answers 503 when there are too many, so a client that sends
half of a request keeps its place as long as it likes. Here, a new client takes the place of the one that has kept
the service waiting longest.
"""

import asyncio
import logging
import sys
from functools import partial
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from askance.service.api.guard import ServerOptions
from askance.service.api.proxies import Proxies
from askance.service.api.rate_limits import limited_address
from askance.service.api.refusals import Refusals
from askance.service.api.request_info import KEY, RequestInfo

log = logging.getLogger("askance.service.http")
log.setLevel(logging.ERROR)  # uvicorn's warnings are about requests of anybody: they are counted as refusals
HEADER_BYTES = 2**16
WRITE_SECONDS = 60.0  # for a client that does not read what it asked for
LINGER_SECONDS, LINGER_BYTES = 5.0, 2**23  # of a body that is still sent after it was refused
KEPT_FILES = 128  # open files for all but connections: the store, models, the listening socket
ANSWER = b"HTTP/1.1 %d %b\r\ncontent-type: application/json\r\ncontent-length: %d\r\nconnection: close\r\n\r\n%b"
REASONS = {
    408: b"Request Timeout",
    431: b"Request Header Fields Too Large",
    503: b"Service Unavailable\r\nretry-after: 1",
}


class Connections:
    """The open connections of a server, those that were served longest ago first."""

    def __init__(self, options: ServerOptions, refusals: Refusals) -> None:
        self.options = options
        self.refusals = refusals
        self.most = min(options.connections, _most_files())
        self._proxies = Proxies(options.proxies)
        self._open: dict[Connection, str] = {}
        self._of: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._open)

    def admit(self, connection: "Connection", address: str) -> bool:
        """Take in a connection, instead of one that waits if there are too many; False if none can go."""
        is_proxy, address = self._proxies.trusted(address), limited_address(address)
        crowded = self._of.get(address, 0) >= self.options.connections_per_address
        if crowded and not is_proxy and not self._drop_waiting(address):
            return False
        if len(self._open) >= self.most and not self._drop_waiting(None):
            return False
        self._open[connection] = address
        self._of[address] = self._of.get(address, 0) + 1
        return True

    def served(self, connection: "Connection") -> None:
        """Note that a connection got a response: it is now the last one to go."""
        if (address := self._open.pop(connection, None)) is not None:
            self._open[connection] = address

    def leave(self, connection: "Connection") -> None:
        """Forget a connection that has ended."""
        if (address := self._open.pop(connection, None)) is not None:
            self._of[address] -= 1
            if not self._of[address]:
                del self._of[address]

    def _drop_waiting(self, address: str | None) -> bool:
        for connection, of in self._open.items():
            if address in (None, of) and connection.waits:
                self.refusals.note("connection_dropped", of)
                self.leave(connection)
                connection.transport.abort()
                return True
        return False


class Connection(HttpToolsProtocol):
    """A connection of a client, with limits on its times and on its headers."""

    def __init__(self, connections: Connections, **options: Any) -> None:
        super().__init__(**options)
        self.logger = log
        self._all = connections
        self._options = connections.options
        self._address = "?"
        self._for_headers: asyncio.TimerHandle | None = None
        self._for_reader: asyncio.TimerHandle | None = None
        self._lingering: asyncio.TimerHandle | None = None
        self._header_bytes = 0
        self._dropped_bytes = 0
        self._body_open = False

    @property
    def waits(self) -> bool:
        """Whether the service waits for this client: for a request, or for a body of an unknown sender."""
        if self.cycle is None or self.cycle.response_complete:
            return True
        info: RequestInfo | None = self.cycle.scope.get(KEY)  # type: ignore[assignment]
        return self._body_open and not (info and info.known)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request, or refuse the connection."""
        super().connection_made(transport)
        self._address = self.client[0] if self.client else "?"
        if self._all.admit(self, self._address):
            self._await_headers()
        else:
            self._refuse(503, "too_many_connections", "too many connections are open: try again later")

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._all.leave(self)
        for name in ("_for_headers", "_for_reader", "_lingering"):
            self._cancel(name)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what came, if the headers are not too long."""
        super().data_received(data)
        if self._for_headers is not None and not self.transport.is_closing():
            self._header_bytes += len(data)
            if self._header_bytes > HEADER_BYTES:
                self._refuse(431, "long_headers", f"the headers are longer than {HEADER_BYTES} bytes")

    def on_message_begin(self) -> None:
        """Give the client some seconds for its headers."""
        super().on_message_begin()
        if self._for_headers is None:
            self._await_headers()

    def on_headers_complete(self) -> None:
        """Start the request."""
        self._cancel("_for_headers")
        self._body_open = True
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Hand a part of the body on, or drop it if the request was answered before."""
        super().on_body(body)
        if self._lingering is not None:
            self._dropped_bytes += len(body)
            if self._dropped_bytes > LINGER_BYTES:
                self.transport.close()

    def on_message_complete(self) -> None:
        """Note the end of the body."""
        super().on_message_complete()
        self._body_open = False
        if self._lingering is not None:
            self._cancel("_lingering")
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )

    def on_response_complete(self) -> None:
        """Wait for the next request. A client that still sends its body gets some seconds to see the answer."""
        super().on_response_complete()
        self._all.served(self)
        if self._body_open and self.cycle.response_complete and not self.transport.is_closing():
            self._unset_keepalive_if_required()
            self._dropped_bytes = 0
            self._lingering = self.loop.call_later(LINGER_SECONDS, self.transport.close)

    def shutdown(self) -> None:
        """Stop: the service does not wait for a client that keeps it waiting."""
        if self.waits:
            self.transport.close()
        super().shutdown()

    def pause_writing(self) -> None:
        """Give a client that does not read some time."""
        super().pause_writing()
        self._for_reader = self.loop.call_later(WRITE_SECONDS, self._drop_reader)

    def resume_writing(self) -> None:
        """Go on writing."""
        self._cancel("_for_reader")
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP."""
        self._all.refusals.note("invalid_http", self._address)
        super().send_400_response(msg)

    def _await_headers(self) -> None:
        self._header_bytes = 0
        self._for_headers = self.loop.call_later(self._options.header_seconds, self._headers_late)

    def _headers_late(self) -> None:
        self._for_headers = None
        if not self._header_bytes:  # browsers open connections in advance
            self.transport.close()
        elif not self.transport.is_closing():
            seconds = self._options.header_seconds
            self._refuse(408, "slow_headers", f"the headers did not arrive within {seconds:g} seconds")

    def _drop_reader(self) -> None:
        self._all.refusals.note("slow_reader", self._address)
        self.transport.abort()

    def _refuse(self, status: int, reason: str, message: str) -> None:
        self._all.refusals.note(reason, self._address)
        body = b'{"error":{"code":"%b","message":"%b"}}' % (reason.encode(), message.encode())
        self.transport.write(ANSWER % (status, REASONS[status], len(body), body))
        self.transport.close()

    def _cancel(self, name: str) -> None:
        timer = getattr(self, name)
        if timer is not None:
            timer.cancel()
            setattr(self, name, None)


def protocol(connections: Connections) -> Any:
    """What uvicorn calls for each new connection."""
    return partial(Connection, connections)


def _most_files() -> int:
    if sys.platform == "win32":  # which has no such limit
        return 2**31
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 2**31 if soft == resource.RLIM_INFINITY else max(16, soft - KEPT_FILES)
