"""Routes: the lines of the API's table."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from askance.service.auth.sessions import Session
from askance.service.auth.tokens import Person
from askance.service.errors import not_found
from askance.service.service import Service
from askance.service.writer import Work, Writer

JSON, LINES, PAGE = "application/json", "application/x-ndjson", "text/html"
FORM = "application/x-www-form-urlencoded"

EVERYBODY = ("read", "labeller", "ingest")  # and admin, which has every role
ADMIN = ()


class Call(NamedTuple):
    """An admitted request: the caller, the body and the query."""

    service: Service
    request: Request
    person: Person | None
    body: Any = None
    query: Any = None
    session: Session | None = None

    @property
    def who(self) -> str | None:
        """The name of the caller."""
        return self.person.name if self.person else None

    @property
    def still_admitted(self) -> bool:
        """Whether the caller would still be admitted: a stream may last for days."""
        if self.session is not None:
            return self.service.sessions.holds(self.session.number)
        return self.service.open_to_all or self.who is None or self.service.tokens.named(self.who) is not None

    @property
    def writer(self) -> Writer:
        """The writer of the task in the path."""
        return self.service.writer(self.request.path_params["task"])

    @property
    def item(self) -> int:
        """The item in the path."""
        return self.number("item")

    def number(self, name: str) -> int:
        """The number with that name in the path."""
        given = self.request.path_params[name]
        if not (given.isascii() and given.isdigit() and 0 < int(given[:20]) < 2**53):
            raise not_found(f"unknown_{name}", f"there is no {name} {given[:40]!r}")
        return int(given)

    async def run(self, work: Work, *, alone: bool = False, size: int = 0) -> Any:
        """Run a command and return its answer."""
        return await asyncio.wrap_future(self.writer.submit(work, alone=alone, size=size))


Handler = Callable[[Call], Awaitable[Struct | Response]]


class Route(NamedTuple):
    """A route. `roles` is None if no token is needed; an admin has every role."""

    method: str
    path: str
    handler: Handler
    roles: tuple[str, ...] | None
    summary: str
    body: type[Struct] | None = None
    answer: type[Struct] | None = None
    media: str = JSON  # of the answer
    errors: tuple[int, ...] = ()
    takes_lines: bool = False
    takes_form: bool = False  # the body is an HTML form
    query: type[Struct] | None = None  # the parameters of the query string
    audited: bool = False  # calls are recorded in the audit log

    @property
    def name(self) -> str:
        """The operation id in the schema."""
        return self.handler.__name__

    def allows(self, role: str) -> bool:
        """Whether a role may use it."""
        return self.roles is None or role == "admin" or role in self.roles
