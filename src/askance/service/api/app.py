"""The ASGI application: the route table behind the guard."""

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
from askance.service.api.audit import record_call
from askance.service.api.guard import Guard, ServerOptions
from askance.service.api.openapi import schema
from askance.service.api.prometheus import Metrics
from askance.service.api.rate_limits import Attempts
from askance.service.api.route import JSON, PAGE, Call, Route
from askance.service.api.table import ROUTES
from askance.service.errors import RequestError
from askance.service.service import Service
from askance.service.task import unavailable
from askance.service.web.rendering import HEADERS, refusal_page
from askance.service.web.sign_in import to_sign_in
from askance.service.web.table import PAGES

log = logging.getLogger("askance.service")
_encode = msgspec.json.Encoder().encode

API_HEADERS = {"x-content-type-options": "nosniff", "cache-control": "no-store"}
CODES = {404: "unknown_path", 405: "method_not_allowed"}


def application(
    service: Service, options: ServerOptions | None = None, routes: Sequence[Route] = (*ROUTES, *PAGES)
) -> Starlette:
    """Build the application of a service."""
    guard, metrics = Guard(service, options or ServerOptions()), Metrics(service)
    app = Starlette(
        routes=[_mounted(path, guard, metrics, routes) for path in dict.fromkeys(route.path for route in routes)],
        exception_handlers={HTTPException: partial(_http_error, guard)},
    )
    app.state.metrics = metrics
    app.state.attempts = Attempts()
    app.state.routes = routes
    app.state.schema = schema(routes)
    return app


def _mounted(path: str, guard: Guard, metrics: Metrics, routes: Sequence[Route]) -> StarletteRoute:
    """Mount all methods of a path behind one endpoint."""
    handlers = {route.method: _served(route, guard, metrics) for route in routes if route.path == path}

    async def endpoint(request: Request) -> Response:
        return await handlers["GET" if request.method == "HEAD" else request.method](request)

    return StarletteRoute(path, endpoint, methods=list(handlers))


def _served(route: Route, guard: Guard, metrics: Metrics) -> Callable[[Request], Awaitable[Response]]:
    decoder = msgspec.json.Decoder(route.body) if route.body is not None else None

    async def serve(request: Request) -> Response:
        start = time.perf_counter()
        response = await _answered(route, guard, request, decoder)
        _protect(response, HEADERS if route.media == PAGE else API_HEADERS)
        seconds = time.perf_counter() - start
        metrics.note(route.name, response.status_code, seconds)
        log.debug(
            "request", extra={"route": route.name, "status": response.status_code, "ms": round(1e3 * seconds, 2)}
        )
        return response

    return serve


async def _answered(route: Route, guard: Guard, request: Request, decoder: object) -> Response:
    principal = guard.principal(request)
    try:
        call = await guard.admit(route, request, principal, decoder)
        answer = await route.handler(call)
        if route.audited:
            await record_call(route, call, answer)
        return Response(_encode(answer), media_type=JSON) if isinstance(answer, Struct) else answer
    except Exception as raised:
        error = _as_request_error(route, raised)
        if route.media != PAGE:
            return error_response(error)
        if error.status == 401:
            return to_sign_in(request)
        return _error_page(guard, request, error)


def _protect(response: Response, headers: Mapping[str, str]) -> None:
    for name, value in headers.items():
        response.headers.setdefault(name, value)


def _as_request_error(route: Route, error: Exception) -> RequestError:
    if isinstance(error, RequestError):
        return error
    if isinstance(error, StoreError):
        return unavailable(error)
    log.exception("a request failed", exc_info=error, extra={"route": route.name})
    return RequestError(500, "internal_error", "internal error: the traceback is in the log of the service")


def error_response(error: RequestError) -> Response:
    """Build the JSON response for a request that changed nothing."""
    headers = {} if error.retry_after is None else {"retry-after": str(error.retry_after)}
    if error.status == 401:
        headers["www-authenticate"] = "Bearer"
    body = _encode(messages.ErrorResponse(messages.ErrorDetail(error.code, error.message)))
    return Response(body, error.status, headers=headers, media_type=JSON)


def _error_page(guard: Guard, request: Request, error: RequestError) -> Response:
    principal = guard.principal(request)
    return refusal_page(Call(guard.service, request, principal.person, session=principal.session), error)


async def _http_error(guard: Guard, request: Request, raised: Exception) -> Response:
    assert isinstance(raised, HTTPException)
    is_page = "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/api/")
    remedy = "go back to the tasks" if is_page else "see /api/openapi.json"
    status = raised.status_code
    known = {
        404: f"there is nothing at this path: {remedy}",
        405: f"{request.method} is not allowed here: {remedy}",
    }
    error = RequestError(status, CODES.get(status, "http_error"), known.get(status, raised.detail))
    response = _error_page(guard, request, error) if is_page else error_response(error)
    response.headers.update(raised.headers or {})
    _protect(response, HEADERS if is_page else API_HEADERS)
    return response
