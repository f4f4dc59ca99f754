"""The guard at the door: who speaks, whether they may, and what they say, for every route in the same way."""

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
from askance.service.api.limits import Pacer, address_of
from askance.service.api.route import FORM, JSON, Call, Route
from askance.service.auth.sessions import Visit
from askance.service.auth.tokens import Person
from askance.service.errors import Refusal
from askance.service.service import Service

log = logging.getLogger("askance.service")
LOOPBACK = ("127.0.0.1", "localhost", "::1")
CSRF = "x-askance-csrf"


class Limits(NamedTuple):
    """What the guard lets pass; `hosts` are the names by which the service may be called, none for any."""

    body_bytes: int = 8 * 2**20
    requests_per_second: float = 2000.0
    wrong_tokens_per_second: float = 20.0
    hosts: Collection[str] = ()


class Speaker(NamedTuple):
    """Who speaks, as far as it is known, and with which session, if with one."""

    person: Person | None = None
    session: Visit | None = None


class Guard:
    """Lets requests in or refuses them."""

    def __init__(self, service: Service, limits: Limits) -> None:
        self.service = service
        self._limits = limits
        self._pacer = Pacer(limits.requests_per_second)
        self._strangers = Pacer(limits.wrong_tokens_per_second)

    def speaker(self, request: Request) -> Speaker:
        """Who speaks: by the token if one is sent, else by the session's cookie."""
        if self.service.open_to_all:
            return Speaker(Person(request.headers.get("x-askance-name", "somebody")[:64], "admin"))
        if "authorization" in request.headers:
            scheme, _, token = request.headers["authorization"].partition(" ")
            return Speaker(self.service.tokens.person(token.strip()) if scheme.lower() == "bearer" else None)
        secret = secret_of(request)
        session = self.service.sessions.visit(secret) if secret else None
        return Speaker(session.person, session) if session else Speaker()

    async def admit(self, route: Route, request: Request, speaker: Speaker, decoder: Any) -> Call:
        """The request as a call, if everything is right with it."""
        self._check_host(request)
        self._check_role(route, request, speaker.person)
        self._pacer.check(speaker.person.name if speaker.person else address_of(request))
        form = await self._form(request, decoder) if route.takes_form else None
        self._check_meant(route, request, speaker.session, form)
        if speaker.session is not None and speaker.session.to_note:
            await self._note(speaker.session)
        query = _query(request, route.query) if route.query is not None else None
        body = await self._body(request, decoder) if decoder is not None and form is None else form
        return Call(self.service, request, speaker.person, body, query, speaker.session)

    def _check_host(self, request: Request) -> None:
        """A page of a stranger must not reach a service on loopback by a name that it made point there."""
        hosts = self._limits.hosts
        if hosts and _host_name(request.headers.get("host", "")) not in hosts:
            raise Refusal(421, "other_host", "this service is not called so: see --allowed-host")

    def _check_role(self, route: Route, request: Request, person: Person | None) -> None:
        if route.roles is None:
            return
        if person is None:
            self._strangers.check(address_of(request))
            if secret_of(request) and "authorization" not in request.headers:
                raise Refusal(401, "no_session", "this session has ended: sign in again")
            raise Refusal(401, "no_token", "send a token: Authorization: Bearer …")
        if not route.allows(person.role):
            allowed = " or ".join(("admin", *route.roles))
            raise Refusal(
                403, "other_role", f"a token of the role {person.role} may not do this: it takes {allowed}"
            )

    def _check_meant(self, route: Route, request: Request, session: Visit | None, form: Any) -> None:
        """A page of another site can make a browser send its cookie, but it cannot read what ours have.

        Nor may such a page use a service that asks nobody for a token, or sign somebody in as somebody else.
        """
        if session is not None or route.takes_form or self.service.open_to_all:
            _check_origin(request)
        if session is None or route.roles is None or request.method in ("GET", "HEAD"):
            return
        shown = request.headers.get(CSRF) or (form.csrf if form is not None else "")
        if not hmac.compare_digest(shown.encode(), session.csrf.encode()):
            raise Refusal(
                403, "no_csrf", f"with a cookie, send the value of the page's <meta name=csrf> as {CSRF}"
            )

    async def _note(self, session: Visit) -> None:
        """A store that cannot be told that a session is in use is no reason to refuse the request."""
        try:
            await asyncio.to_thread(self.service.sessions.note, session.number)
        except StoreError as fault:
            log.warning("a session's use could not be noted", extra={"fault": str(fault)})

    async def _form(self, request: Request, decoder: msgspec.json.Decoder[Any]) -> Any:
        content = await self._content(request)
        if _media(request) != FORM:
            raise Refusal(415, "no_form", f"send a form, and say so: Content-Type: {FORM}")
        return _convert(parse_qsl(content.decode(errors="replace"), keep_blank_values=True), decoder.type)

    async def _body(self, request: Request, decoder: msgspec.json.Decoder[Any]) -> Any:
        content = await self._content(request)
        if _media(request) != JSON:
            raise Refusal(415, "not_json", "send JSON, and say so: Content-Type: application/json")
        try:
            return decoder.decode(content)
        except msgspec.ValidationError as error:
            raise Refusal(422, "unfit", str(error)) from None
        except (ValueError, RecursionError) as error:
            raise Refusal(400, "no_json", f"the body is no JSON: {error}") from None

    async def _content(self, request: Request) -> bytes:
        """The body; one that is too large is read to its end, so that the sender hears of it, and not kept."""
        parts, size = [], 0
        async for part in request.stream():
            size += len(part)
            if size <= self._limits.body_bytes:
                parts.append(part)
        if size > self._limits.body_bytes:
            raise Refusal(413, "too_large", f"{size} bytes are more than the {self._limits.body_bytes} allowed")
        return b"".join(parts)


def _check_origin(request: Request) -> None:
    origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site", "none")
    other = origin is not None and origin.partition("://")[2] != request.headers.get("host")
    # A link from elsewhere may open a page, and only that.
    if other or (request.method not in ("GET", "HEAD") and site not in ("same-origin", "none")):
        raise Refusal(403, "other_origin", "a page of another site may not use this service")


def _query(request: Request, kind: type[msgspec.Struct]) -> Any:
    """What stands after the question mark, held to its form as a body is."""
    return _convert(request.query_params.multi_items(), kind)


def _convert(given: list[tuple[str, str]], kind: Any) -> Any:
    found = dict(given)
    if len(found) < len(given):
        raise Refusal(422, "unfit", "a name stands twice where each may stand once")
    try:
        return msgspec.convert(found, kind, strict=False)
    except msgspec.ValidationError as error:
        raise Refusal(422, "unfit", str(error)) from None


def _media(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _host_name(host: str) -> str:
    """A Host header without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()
