"""The ASGI application: the table of routes behind the guard."""

import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial

import msgspec
from msgspec import Struct
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route as StarletteRoute

from askance.errors import StoreError
from askance.service import messages
from askance.service.api.audit_log import note_deed
from askance.service.api.guard import Guard, Limits
from askance.service.api.limits import Attempts
from askance.service.api.openapi import schema
from askance.service.api.prometheus import Gauges
from askance.service.api.route import JSON, PAGE, Call, Route
from askance.service.api.table import ROUTES
from askance.service.errors import Refusal
from askance.service.service import Service
from askance.service.task import unavailable
from askance.service.web.rendering import HEADERS, refusal_page
from askance.service.web.sign_in import to_sign_in
from askance.service.web.table import PAGES

log = logging.getLogger("askance.service")
_encode = msgspec.json.Encoder().encode

API_HEADERS = {"x-content-type-options": "nosniff", "cache-control": "no-store"}
CODES = {404: "unknown_address", 405: "other_method"}


def application(
    service: Service, limits: Limits | None = None, routes: Sequence[Route] = (*ROUTES, *PAGES)
) -> Starlette:
    """The application of a service."""
    guard, gauges = Guard(service, limits or Limits()), Gauges(service)
    app = Starlette(
        routes=[_mounted(path, guard, gauges, routes) for path in dict.fromkeys(route.path for route in routes)],
        exception_handlers={HTTPException: partial(_http_fault, guard)},
    )
    app.state.gauges = gauges
    app.state.attempts = Attempts()
    app.state.routes = routes
    app.state.schema = schema(routes)
    return app


def _mounted(path: str, guard: Guard, gauges: Gauges, routes: Sequence[Route]) -> StarletteRoute:
    """All methods of a path, with one endpoint."""
    handlers = {route.method: _served(route, guard, gauges) for route in routes if route.path == path}

    async def endpoint(request: Request) -> Response:
        return await handlers["GET" if request.method == "HEAD" else request.method](request)

    return StarletteRoute(path, endpoint, methods=list(handlers))


def _served(route: Route, guard: Guard, gauges: Gauges) -> Callable[[Request], Awaitable[Response]]:
    decoder = msgspec.json.Decoder(route.body) if route.body is not None else None

    async def serve(request: Request) -> Response:
        start = time.perf_counter()
        response = await _answered(route, guard, request, decoder)
        _protect(response, HEADERS if route.media == PAGE else API_HEADERS)
        seconds = time.perf_counter() - start
        gauges.note(route.name, response.status_code, seconds)
        log.debug(
            "request", extra={"route": route.name, "status": response.status_code, "ms": round(1e3 * seconds, 2)}
        )
        return response

    return serve


async def _answered(route: Route, guard: Guard, request: Request, decoder: object) -> Response:
    speaker = guard.speaker(request)
    try:
        call = await guard.admit(route, request, speaker, decoder)
        answer = await route.handler(call)
        if route.deed:
            await note_deed(route, call, answer)
        return Response(_encode(answer), media_type=JSON) if isinstance(answer, Struct) else answer
    except Exception as fault:
        refusal = _as_refusal(route, fault)
        if route.media != PAGE:
            return refused(refusal)
        if refusal.status == 401:
            return to_sign_in(request)
        return refusal_page(Call(guard.service, request, speaker.person, session=speaker.session), refusal)


def _protect(response: Response, headers: Mapping[str, str]) -> None:
    for name, value in headers.items():
        response.headers.setdefault(name, value)


def _as_refusal(route: Route, fault: Exception) -> Refusal:
    if isinstance(fault, Refusal):
        return fault
    if isinstance(fault, StoreError):
        return unavailable(fault)
    log.exception("a request failed", exc_info=fault, extra={"route": route.name})
    return Refusal(500, "fault_of_ours", "the service stumbled, which is a fault of its own: see its log")


def refused(refusal: Refusal) -> Response:
    """The answer to a request that changed nothing."""
    headers = {} if refusal.retry_after is None else {"retry-after": str(refusal.retry_after)}
    if refusal.status == 401:
        headers["www-authenticate"] = "Bearer"
    body = _encode(messages.Refused(messages.Fault(refusal.code, refusal.message)))
    return Response(body, refusal.status, headers=headers, media_type=JSON)


async def _http_fault(guard: Guard, request: Request, fault: Exception) -> Response:
    assert isinstance(fault, HTTPException)
    is_page = "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/api/")
    where = "go back to the tasks" if is_page else "see /api/openapi.json"
    said = {404: f"there is nothing at this address: {where}", 405: "this address has other methods"}
    status = fault.status_code
    refusal = Refusal(status, CODES.get(status, "refused"), said.get(status, fault.detail))
    speaker = guard.speaker(request)
    response = (
        refusal_page(Call(guard.service, request, speaker.person, session=speaker.session), refusal)
        if is_page
        else refused(refusal)
    )
    response.headers.update(fault.headers or {})
    _protect(response, HEADERS if is_page else API_HEADERS)
    return response
