"""The ASGI application: the route table behind the guard."""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache, partial

import msgspec
from msgspec import Struct
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route as StarletteRoute

from askance.errors import StoreError
from askance.service import messages
from askance.service.api.audit import record_call
from askance.service.api.entrance import Entrance
from askance.service.api.events import EVENTS, Broadcasts
from askance.service.api.guard import Guard, ServerOptions
from askance.service.api.health import Readiness
from askance.service.api.openapi import schema
from askance.service.api.prefix import check_prefix
from askance.service.api.prometheus import Metrics
from askance.service.api.proxies import Proxies
from askance.service.api.rate_limits import Attempts, address_of
from askance.service.api.reading import Reading
from askance.service.api.refusals import Refusals
from askance.service.api.request_info import info_of
from askance.service.api.route import JSON, PAGE, Call, Route
from askance.service.api.table import ROUTES
from askance.service.auth.oidc import OidcSignIn
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
REFUSED = (408, 413, 421, 429, 503)  # refusals that an operator wants to know of


def application(
    service: Service,
    options: ServerOptions | None = None,
    routes: Sequence[Route] = (*ROUTES, *PAGES),
    refusals: Refusals | None = None,
) -> Starlette:
    """Build the application of a service."""
    options, refusals = options or ServerOptions(), refusals or Refusals()
    check_prefix(options.path_prefix, [route.path for route in routes])
    guard, metrics = Guard(service, options, refusals), Metrics(service, refusals)
    app = Starlette(
        routes=[_mounted(path, guard, routes) for path in dict.fromkeys(route.path for route in routes)],
        exception_handlers={HTTPException: partial(_http_error, guard)},
        middleware=[
            Middleware(Entrance, proxies=Proxies(options.proxies), metrics=metrics, prefix=options.path_prefix)
        ],
    )
    app.state.metrics = metrics
    app.state.attempts = Attempts()
    app.state.bodies = guard.bodies
    app.state.options = options
    app.state.reading = Reading()
    app.state.readiness = Readiness(service)
    app.state.broadcasts = Broadcasts()
    app.state.oidc = None if options.oidc is None else OidcSignIn(options.oidc, service.clock)
    app.state.routes = routes
    app.state.schema = cache(partial(schema, routes, options.path_prefix))  # for who asks: it takes a while
    return app


def _mounted(path: str, guard: Guard, routes: Sequence[Route]) -> StarletteRoute:
    """Mount all methods of a path behind one endpoint."""
    handlers = {route.method: _served(route, guard) for route in routes if route.path == path}

    async def endpoint(request: Request) -> Response:
        return await handlers["GET" if request.method == "HEAD" else request.method](request)

    return StarletteRoute(path, endpoint, methods=list(handlers))


def _served(route: Route, guard: Guard) -> Callable[[Request], Awaitable[Response]]:
    decoder = msgspec.json.Decoder(route.body) if route.body is not None else None

    async def serve(request: Request) -> Response:
        info_of(request.scope).route = route.name
        response = await _answered(route, guard, request, decoder)
        _protect(response, HEADERS if _is_document(route, response) else API_HEADERS)
        return response

    return serve


def _is_document(route: Route, response: Response) -> bool:
    """Whether it is a page or a redirect (without a media type), and not what a page loads.

    A module obeys the policy of its page, and a policy of its own would double the size of a small one.
    """
    return route.media == PAGE and response.media_type in (None, PAGE)


async def _answered(route: Route, guard: Guard, request: Request, decoder: object) -> Response:
    principal = guard.principal(request)
    try:
        call = await guard.admit(route, request, principal, decoder)
        answer = _limited(call, await route.handler(call))
        if route.audited:
            await record_call(route, call, answer)
        return Response(_encode(answer), media_type=JSON) if isinstance(answer, Struct) else answer
    except ClientDisconnect:
        raise
    except Exception as raised:
        error = _as_request_error(route, raised)
        if error.status in REFUSED:
            cause = error.__cause__ and str(error.__cause__)
            guard.refusals.note(error.code, address_of(request), route=route.name, cause=cause)
        if route.media != PAGE:
            return error_response(error, request)
        if error.status == 401:
            return to_sign_in(request)
        return _error_page(guard, request, error)


def _limited(call: Call, answer: Struct | Response) -> Struct | Response:
    """Limit the exports that are sent at the same time. Events have a limit of their own."""
    if isinstance(answer, StreamingResponse) and answer.media_type != EVENTS:
        call.reading.exports.check()
        answer.body_iterator = call.reading.exports.sent(answer.body_iterator)
    return answer


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


def error_response(error: RequestError, request: Request) -> Response:
    """Build the JSON response for a request that changed nothing."""
    headers = {} if error.retry_after is None else {"retry-after": str(error.retry_after)}
    if error.status == 401:
        headers["www-authenticate"] = "Bearer"
    detail = messages.ErrorDetail(error.code, error.message, info_of(request.scope).request_id)
    body = _encode(messages.ErrorResponse(detail))
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
    try:
        guard.check_host(request)
    except RequestError as wrong_host:
        error = wrong_host
    response = _error_page(guard, request, error) if is_page else error_response(error, request)
    response.headers.update(raised.headers or {})
    _protect(response, HEADERS if is_page else API_HEADERS)
    return response
