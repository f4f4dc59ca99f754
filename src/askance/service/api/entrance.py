"""The outermost layer of the application: who sent a request, its id, its log line and its metrics."""

import logging
import time
from collections.abc import Iterable, MutableMapping
from typing import Any

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from askance.service.api.prefix import with_prefix, without_prefix
from askance.service.api.prometheus import Metrics
from askance.service.api.proxies import Proxies
from askance.service.api.request_info import KEY, RequestInfo, current_id, new_info

log = logging.getLogger("askance.service")
HUNG_UP = 499  # the status of a request whose sender did not wait for the answer, as nginx counts it
HSTS = (b"strict-transport-security", b"max-age=31536000")


class Entrance:
    """Serves requests and notes each of them, also those to unknown paths."""

    def __init__(self, app: ASGIApp, proxies: Proxies, metrics: Metrics, prefix: str) -> None:
        self._app = app
        self._proxies = proxies
        self._prefix = prefix
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        self._proxies.apply(scope)
        without_prefix(scope, self._prefix)
        info = scope[KEY] = new_info(scope["headers"], self._prefix)
        token = current_id.set(info.request_id)
        start = time.perf_counter()

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start" and not info.status:
                info.status = message["status"]
                self._metrics.note(info.route, info.status, time.perf_counter() - start)
                message["headers"] = _headers(scope, info, message.get("headers", []))
            await send(message)

        try:
            await self._app(scope, receive, sent)
        except ClientDisconnect:
            if not info.status:
                info.status = HUNG_UP
                self._metrics.note(info.route, HUNG_UP, time.perf_counter() - start)
        finally:
            _log(scope, info, time.perf_counter() - start)
            current_id.reset(token)


def _headers(
    scope: MutableMapping[str, Any], info: RequestInfo, given: Iterable[tuple[bytes, bytes]]
) -> list[tuple[bytes, bytes]]:
    """The headers of a response, with those that all responses have."""
    host = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"host"), "")
    headers = [
        (name, with_prefix(value, info.prefix, host) if name == b"location" else value) for name, value in given
    ]
    headers.append((b"x-request-id", info.request_id.encode()))
    return [*headers, HSTS] if scope["scheme"] == "https" else headers


def _log(scope: MutableMapping[str, Any], info: RequestInfo, seconds: float) -> None:
    if log.isEnabledFor(logging.INFO):
        client = scope.get("client")
        log.info(
            "request",
            extra={
                "method": scope["method"],
                "path": scope["path"][:200],  # without the query, which may hold the code of the first link
                "route": info.route,
                "status": info.status,
                "ms": round(1e3 * seconds, 2),
                "who": info.who,
                "address": client[0] if client else None,
            },
        )
