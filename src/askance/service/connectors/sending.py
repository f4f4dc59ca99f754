"""One request of a webhook: to the address that was checked, without redirects or proxies, with a deadline."""

import http.client
import socket
import ssl
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from typing import NamedTuple

from askance.service.connectors.addresses import RefusedAddressError, Target, resolved

MOST_READ = 65_536  # bytes of an answer that are read; the rest is not needed
LONGEST_ERROR = 200
GONE = 410


class Outcome(NamedTuple):
    """What became of a request: no error means that it was taken."""

    error: str | None = None
    gone: bool = False  # the receiver wants no more
    retry_after: float = 0.0


class Sender:
    """Sends requests, one at a time; `abort` ends the current one, from another thread."""

    def __init__(self, timeout: float, *, private: bool) -> None:
        self._timeout = timeout
        self._private = private
        self._context = ssl.create_default_context()
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._aborted = False

    def post(self, target: Target, headers: Mapping[str, str], body: bytes) -> Outcome:
        """Send a request."""
        end = time.monotonic() + self._timeout
        try:
            addresses = resolved(target, private=self._private)
            with closing(self._connected(target, addresses, end)) as connection:
                connection.request("POST", target.path, body, {"Host": target.header, **headers})
                response = connection.getresponse()
                self._read(response, end)
        except RefusedAddressError as error:
            return Outcome(str(error))
        except (OSError, http.client.HTTPException, ValueError) as error:
            return Outcome(_sentence(error))
        finally:
            with self._lock:
                self._socket = None
        if 200 <= response.status < 300:
            return Outcome()
        wait = _seconds(response.getheader("Retry-After"))
        return Outcome(f"the receiver answered {response.status}", response.status == GONE, wait)

    def abort(self) -> None:
        """End the current request, and refuse further ones."""
        with self._lock:
            self._aborted = True
            if self._socket is not None:
                _shut(self._socket)

    def _connected(self, target: Target, addresses: Sequence[str], end: float) -> http.client.HTTPConnection:
        connection = http.client.HTTPConnection(target.host, target.port, timeout=self._timeout)
        stream = _first_stream(addresses, target.port, end)
        stream.settimeout(self._timeout)
        try:
            with self._lock:
                if self._aborted:
                    raise OSError("the service is stopping")
                self._socket = stream
            if target.tls:
                stream = self._context.wrap_socket(stream, server_hostname=target.host)
                with self._lock:
                    self._socket = stream
            connection.sock = stream
        except BaseException:
            stream.close()
            raise
        return connection

    def _read(self, response: http.client.HTTPResponse, end: float) -> None:
        """Read the answer, so that the receiver can finish, but neither much nor for long."""
        size = 0
        while size < MOST_READ and (part := response.read1(MOST_READ)):
            size += len(part)
            if time.monotonic() > end:
                raise TimeoutError(f"the answer took longer than {self._timeout:g} s")


def _shut(stream: socket.socket) -> None:
    with suppress(OSError):  # it may be closed already
        stream.shutdown(socket.SHUT_RDWR)


def _seconds(text: str | None) -> float:
    return float(text) if text and text.isascii() and text.isdigit() and len(text) < 7 else 0.0


def _first_stream(addresses: Sequence[str], port: int, end: float) -> socket.socket:
    """A connection to the first address that accepts one."""
    *others, last = addresses
    for address in others:
        with suppress(OSError):
            return socket.create_connection((address, port), max(0.1, (end - time.monotonic()) / 2))
    return socket.create_connection((last, port), max(0.1, end - time.monotonic()))


def _sentence(error: Exception) -> str:
    """What went wrong. What a receiver sent may be in it, and not every store takes it as text."""
    shown = "".join(letter if letter.isprintable() else " " for letter in str(error))
    return (" ".join(shown.split()) or type(error).__name__)[:LONGEST_ERROR]
