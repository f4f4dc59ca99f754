"""What is known about a request while it is served: its id, its route and its sender."""

import re
import secrets
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any

KEY = "askance"  # where it lies in the scope of a request
SANE = re.compile(r"[A-Za-z0-9._:-]{1,64}")
current_id: ContextVar[str | None] = ContextVar("askance_request_id", default=None)


class RequestInfo:
    """The id, route and sender of a request, for its log line, its metrics and its errors."""

    __slots__ = ("known", "prefix", "request_id", "route", "status", "who")

    def __init__(self, request_id: str, prefix: str) -> None:
        self.request_id = request_id
        self.prefix = prefix  # of all paths that the sender sees
        self.route = "unknown"
        self.who: str | None = None
        self.known = False  # whether the sender has a token or a session
        self.status = 0  # of the response; 0 while there is none


def new_info(headers: list[tuple[bytes, bytes]], prefix: str) -> RequestInfo:
    """Begin with the sender's own id if it is short and plain, otherwise with a new one."""
    given = next((value.decode("latin-1") for name, value in headers if name == b"x-request-id"), "")
    return RequestInfo(given if SANE.fullmatch(given) else secrets.token_hex(8), prefix)


def info_of(scope: Mapping[str, Any]) -> RequestInfo:
    """What is known about the request with this scope."""
    found: RequestInfo = scope[KEY]
    return found
