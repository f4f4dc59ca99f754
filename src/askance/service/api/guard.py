"""The guard: authentication, authorisation and parsing, for all routes in the same way."""

import asyncio
import hmac
import logging
from collections.abc import Collection
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import msgspec
from starlette.requests import Request

from askance.errors import StoreError
from askance.service.api.cookies import secret_of
from askance.service.api.rate_limits import RateLimiter, address_of
from askance.service.api.route import FORM, JSON, Call, Route
from askance.service.auth.sessions import Session
from askance.service.auth.tokens import Person
from askance.service.errors import RequestError
from askance.service.service import Service

log = logging.getLogger("askance.service")
LOOPBACK = ("127.0.0.1", "localhost", "::1")
CSRF = "x-askance-csrf"


class ServerOptions(NamedTuple):
    """Limits of the server. `hosts` are the allowed names in the Host header; empty allows any."""

    body_bytes: int = 8 * 2**20
    requests_per_second: float = 2000.0
    wrong_tokens_per_second: float = 20.0
    hosts: Collection[str] = ()


class Principal(NamedTuple):
    """The caller: a person, if known, and the browser session, if any."""

    person: Person | None = None
    session: Session | None = None


class Guard:
    """Admits requests or refuses them."""

    def __init__(self, service: Service, options: ServerOptions) -> None:
        self.service = service
        self._options = options
        self._requests = RateLimiter(options.requests_per_second)
        self._wrong_tokens = RateLimiter(options.wrong_tokens_per_second)

    def principal(self, request: Request) -> Principal:
        """The caller, by the token if there is one, otherwise by the session cookie."""
        if self.service.open_to_all:
            return Principal(Person(request.headers.get("x-askance-name", "somebody")[:64], "admin"))
        if "authorization" in request.headers:
            scheme, _, token = request.headers["authorization"].partition(" ")
            return Principal(self.service.tokens.person(token.strip()) if scheme.lower() == "bearer" else None)
        secret = secret_of(request)
        session = self.service.sessions.find(secret) if secret else None
        return Principal(session.person, session) if session else Principal()

    async def admit(self, route: Route, request: Request, principal: Principal, decoder: Any) -> Call:
        """Check a request and return it as a call."""
        self._check_host(request)
        self._check_role(route, request, principal.person)
        self._requests.check(principal.person.name if principal.person else address_of(request))
        form = await self._form(request, decoder) if route.takes_form else None
        self._check_csrf(route, request, principal.session, form)
        if principal.session is not None and principal.session.to_note:
            await self._note(principal.session)
        query = _query(request, route.query) if route.query is not None else None
        body = await self._body(request, decoder) if decoder is not None and form is None else form
        return Call(self.service, request, principal.person, body, query, principal.session)

    def _check_host(self, request: Request) -> None:
        """Protect a service on loopback against DNS rebinding."""
        hosts = self._options.hosts
        host = request.headers.get("host", "")
        if hosts and _host_name(host) not in hosts:
            message = f"unknown Host header {host[:100]!r}: add the name with --allowed-host"
            raise RequestError(421, "unknown_host", message)

    def _check_role(self, route: Route, request: Request, person: Person | None) -> None:
        if route.roles is None:
            return
        if person is None:
            self._wrong_tokens.check(address_of(request))
            if secret_of(request) and "authorization" not in request.headers:
                raise RequestError(401, "session_ended", "this session has ended: sign in again")
            raise RequestError(401, "no_token", "a token is required: send the header Authorization: Bearer …")
        if not route.allows(person.role):
            allowed = " or ".join(("admin", *route.roles))
            raise RequestError(
                403,
                "forbidden_role",
                f"the role {person.role} may not do this: use a token with the role {allowed}",
            )

    def _check_csrf(self, route: Route, request: Request, session: Session | None, form: Any) -> None:
        """Check that a request with a cookie comes from one of our pages (CSRF).

        Pages of other sites may not use a service without tokens either, nor sign somebody in as somebody else.
        """
        if session is not None or route.takes_form or self.service.open_to_all:
            _check_origin(request)
        if session is None or route.roles is None or request.method in ("GET", "HEAD"):
            return
        shown = request.headers.get(CSRF) or (form.csrf if form is not None else "")
        if not hmac.compare_digest(shown.encode(), session.csrf.encode()):
            raise RequestError(
                403,
                "missing_csrf",
                f"the CSRF token is missing or wrong: send the value of the page's <meta name=csrf> as {CSRF}",
            )

    async def _note(self, session: Session) -> None:
        """Write the last use of a session. If the store fails, the request still goes on."""
        try:
            await asyncio.to_thread(self.service.sessions.note, session.number)
        except StoreError as error:
            log.warning("the last use of a session could not be written", extra={"error": str(error)})

    async def _form(self, request: Request, decoder: msgspec.json.Decoder[Any]) -> Any:
        content = await self._content(request)
        if _media(request) != FORM:
            raise RequestError(
                415, "unsupported_media_type", f"Content-Type is not {FORM}: send a form with this type"
            )
        return _convert(parse_qsl(content.decode(errors="replace"), keep_blank_values=True), decoder.type)

    async def _body(self, request: Request, decoder: msgspec.json.Decoder[Any]) -> Any:
        content = await self._content(request)
        if _media(request) != JSON:
            raise RequestError(
                415, "unsupported_media_type", "Content-Type is not application/json: send JSON with this type"
            )
        try:
            return decoder.decode(content)
        except msgspec.ValidationError as error:
            raise RequestError(422, "invalid", str(error)) from None
        except (ValueError, RecursionError) as error:
            raise RequestError(400, "invalid_json", f"the body is not valid JSON: {error}") from None

    async def _content(self, request: Request) -> bytes:
        """The body. One that is too large is read to the end, so that the sender gets an answer, but dropped."""
        parts, size = [], 0
        async for part in request.stream():
            size += len(part)
            if size <= self._options.body_bytes:
                parts.append(part)
        if size > self._options.body_bytes:
            raise RequestError(
                413, "too_large", f"the body has {size} bytes: at most {self._options.body_bytes} are allowed"
            )
        return b"".join(parts)


def _check_origin(request: Request) -> None:
    origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site", "none")
    other = origin is not None and origin.partition("://")[2] != request.headers.get("host")
    # A link on another site may open a page, but nothing else.
    if other or (request.method not in ("GET", "HEAD") and site not in ("same-origin", "none")):
        raise RequestError(403, "foreign_origin", "a page of another site may not use this service")


def _query(request: Request, kind: type[msgspec.Struct]) -> Any:
    """The query string, checked like a body."""
    return _convert(request.query_params.multi_items(), kind)


def _convert(given: list[tuple[str, str]], kind: Any) -> Any:
    found = dict(given)
    if len(found) < len(given):
        raise RequestError(422, "invalid", "a parameter is given twice: give each one once")
    try:
        return msgspec.convert(found, kind, strict=False)
    except msgspec.ValidationError as error:
        raise RequestError(422, "invalid", str(error)) from None


def _media(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _host_name(host: str) -> str:
    """A Host header without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()
