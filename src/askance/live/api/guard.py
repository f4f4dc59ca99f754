"""The guard at the door: who speaks, whether they may, and what they say, for every route in the same way."""

from collections.abc import Collection
from typing import Any, NamedTuple

import msgspec
from starlette.requests import Request

from askance.live.api.limits import Pacer
from askance.live.api.route import JSON, Call, Route
from askance.live.refusals import Refusal
from askance.live.service import Service
from askance.live.tokens import Person

LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Limits(NamedTuple):
    """What the guard lets pass; `hosts` are the names by which the service may be called, none for any."""

    body_bytes: int = 8 * 2**20
    requests_per_second: float = 2000.0
    wrong_tokens_per_second: float = 20.0
    hosts: Collection[str] = ()


class Guard:
    """Lets requests in or refuses them."""

    def __init__(self, service: Service, limits: Limits) -> None:
        self.service = service
        self._limits = limits
        self._pacer = Pacer(limits.requests_per_second)
        self._strangers = Pacer(limits.wrong_tokens_per_second)

    async def admit(self, route: Route, request: Request, decoder: Any) -> Call:
        """The request as a call, if everything is right with it."""
        self._check_host(request)
        person = self._person(route, request)
        self._pacer.check(person.name if person else _address(request))
        query = _query(request, route.query) if route.query is not None else None
        body = await self._body(request, decoder) if decoder is not None else None
        return Call(self.service, request, person, body, query)

    def _check_host(self, request: Request) -> None:
        """A page of a stranger must not reach a service on loopback by a name that it made point there."""
        hosts = self._limits.hosts
        if hosts and _host_name(request.headers.get("host", "")) not in hosts:
            raise Refusal(421, "other_host", "this service is not called so: see --allowed-host")

    def _person(self, route: Route, request: Request) -> Person | None:
        if route.roles is None:
            return None
        if self.service.open_to_all:
            self._check_same_origin(request)
            return Person(request.headers.get("x-askance-name", "somebody")[:64], "admin")
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        person = self.service.tokens.person(token.strip()) if scheme.lower() == "bearer" else None
        if person is None:
            self._strangers.check(_address(request))
            raise Refusal(401, "no_token", "send a token: Authorization: Bearer …")
        if not route.allows(person.role):
            allowed = " or ".join(("admin", *route.roles))
            raise Refusal(
                403, "other_role", f"a token of the role {person.role} may not do this: it takes {allowed}"
            )
        return person

    def _check_same_origin(self, request: Request) -> None:
        """Without tokens, nothing else tells the owner of the machine from a page that the owner has open."""
        origin = request.headers.get("origin")
        if origin is not None and origin.partition("://")[2] != request.headers.get("host"):
            raise Refusal(403, "other_origin", "a page of another site may not use this service")

    async def _body(self, request: Request, decoder: Any) -> Any:
        content = await self._content(request)
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
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


def _query(request: Request, kind: type[msgspec.Struct]) -> msgspec.Struct:
    """What stands after the question mark, held to its form as a body is."""
    given = request.query_params.multi_items()
    found = dict(given)
    if len(found) < len(given):
        raise Refusal(422, "unfit", "a name stands twice after the question mark: give each once")
    try:
        return msgspec.convert(found, kind, strict=False)
    except msgspec.ValidationError as error:
        raise Refusal(422, "unfit", str(error)) from None


def _address(request: Request) -> str:
    return request.client.host if request.client else "?"


def _host_name(host: str) -> str:
    """A Host header without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()
