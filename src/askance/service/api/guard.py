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
from askance.service.api.bodies import Bodies
from askance.service.api.cookies import secret_of
from askance.service.api.rate_limits import RateLimiter, address_of
from askance.service.api.refusals import Refusals
from askance.service.api.request_info import info_of
from askance.service.api.route import ADMIN, FORM, JSON, Call, Route, bearer_of
from askance.service.auth.oidc_settings import OidcSettings
from askance.service.auth.rights import Person
from askance.service.auth.sessions import Session
from askance.service.errors import RequestError, not_found
from askance.service.service import Service
from askance.service.times import day_of
from askance.service.uploads.registry import MOST_BYTES
from askance.service.validation import sentence_of

log = logging.getLogger("askance.service")
LOOPBACK = ("127.0.0.1", "localhost", "::1")
CSRF = "x-askance-csrf"


class ServerOptions(NamedTuple):
    """Limits of the server.

    `hosts` are the allowed names in the Host header; empty allows any. `proxies` are the addresses and networks of
    reverse proxies whose X-Forwarded headers are believed; there is no limit on their connections. `path_prefix`
    is the path under which a proxy serves the service, such as /askance. `oidc` is an identity provider. With
    `private_webhooks`, webhooks may go to addresses of this machine and its network.
    """

    body_bytes: int = 8 * 2**20
    requests_per_second: float = 2000.0
    wrong_tokens_per_second: float = 20.0
    hosts: Collection[str] = ()
    proxies: Collection[str] = ()
    path_prefix: str = ""
    connections: int = 1000
    connections_per_address: int = 256
    header_seconds: float = 10.0
    body_seconds: float = 60.0
    stranger_bytes: int = 2**14  # of a body without a token
    unfinished_bytes: int = 64 * 2**20  # of all bodies that are arriving
    oidc: OidcSettings | None = None
    private_webhooks: bool = False
    upload_bytes: int = MOST_BYTES  # of a file whose rows become items


class Principal(NamedTuple):
    """The caller: a person, if known, and the browser session, if any."""

    person: Person | None = None
    session: Session | None = None


class Guard:
    """Admits requests or refuses them."""

    def __init__(self, service: Service, options: ServerOptions, refusals: Refusals) -> None:
        self.service = service
        self.refusals = refusals
        self._options = options
        self._requests = RateLimiter(options.requests_per_second)
        self._wrong_tokens = RateLimiter(options.wrong_tokens_per_second)
        self.bodies = Bodies(options.unfinished_bytes, options.body_seconds)

    def principal(self, request: Request) -> Principal:
        """The caller, by the token if there is one, otherwise by the session cookie."""
        if self.service.open_to_all:
            return Principal(Person(request.headers.get("x-askance-name", "somebody")[:64], "admin"))
        if "authorization" in request.headers:
            return Principal(self.service.tokens.person(bearer_of(request)))
        secret = secret_of(request)
        session = self.service.sessions.find(secret) if secret else None
        return Principal(session.person, session) if session else Principal()

    async def admit(self, route: Route, request: Request, principal: Principal, decoder: Any) -> Call:
        """Check a request and return it as a call."""
        info = info_of(request.scope)
        info.known, info.who = principal.person is not None, principal.person.name if principal.person else None
        self.check_host(request)
        self._check_role(route, request, principal.person)
        self._requests.check(principal.person.name if principal.person else address_of(request))
        form = await self._form(request, decoder) if route.takes_form else None
        self._check_csrf(route, request, principal.session, form)
        if principal.session is not None and principal.session.to_note:
            await self._note(principal.session)
        query = _query(request, route.query) if route.query is not None else None
        body = await self._body(request, decoder) if decoder is not None and form is None else form
        return Call(self.service, request, principal.person, body, query, principal.session)

    def check_host(self, request: Request) -> None:
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
            if ended := self.service.tokens.ended(bearer_of(request)):
                raise RequestError(
                    401, "token_ended", f"this token ended on {day_of(ended)}: ask an admin for another"
                )
            if "authorization" in request.headers:
                raise RequestError(
                    401, "unknown_token", "this token is not known, or was revoked: ask an admin for another"
                )
            raise RequestError(401, "no_token", "a token is required: send the header Authorization: Bearer …")
        task = request.path_params.get("task")
        if task is not None and person.role_in(task) is None:
            raise not_found("unknown_task", f"there is no task {task!r}")  # the words for one that does not exist
        if not route.admits(person, task):
            raise _forbidden(route, person, task)

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
            raise RequestError(422, "invalid", sentence_of(error)) from None
        except (ValueError, RecursionError) as error:
            raise RequestError(400, "invalid_json", f"the body is not valid JSON: {error}") from None

    async def _content(self, request: Request) -> bytes:
        known = info_of(request.scope).known
        most = self._options.body_bytes if known else min(self._options.stranger_bytes, self._options.body_bytes)
        return await self.bodies.read(request, most)


def _forbidden(route: Route, person: Person, task: str | None) -> RequestError:
    role = person.role if task is None else person.role_in(task)
    if role is None and route.roles == ADMIN:
        message = "a token for some tasks may not do this: use an admin token for all tasks"
        return RequestError(403, "forbidden_role", message)
    allowed = " or ".join(("admin", *(route.roles or ())))
    roles = role or " and ".join(sorted(person.roles))
    message = f"the role {roles} may not do this: use a token with the role {allowed}"
    return RequestError(403, "forbidden_role", message)


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
        raise RequestError(422, "invalid", sentence_of(error)) from None


def _media(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _host_name(host: str) -> str:
    """A Host header without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()
