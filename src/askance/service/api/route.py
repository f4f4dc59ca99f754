"""What a route is: one line of the API's table."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from askance.service.auth.sessions import Session
from askance.service.auth.tokens import Person
from askance.service.errors import unknown
from askance.service.service import Service
from askance.service.writer import Work, Writer

JSON, LINES, PAGE = "application/json", "application/x-ndjson", "text/html"
FORM = "application/x-www-form-urlencoded"

EVERYBODY = ("read", "labeller", "ingest")  # and an admin, who may do everything
ADMIN = ()


class Call(NamedTuple):
    """A request that was let in: who speaks, and what was said."""

    service: Service
    request: Request
    person: Person | None
    body: Any = None
    query: Any = None
    session: Session | None = None

    @property
    def who(self) -> str | None:
        """The name of the one who speaks."""
        return self.person.name if self.person else None

    @property
    def welcome(self) -> bool:
        """Whether the one who was let in still would be: a stream may go on for days."""
        if self.session is not None:
            return self.service.sessions.holds(self.session.number)
        return self.service.open_to_all or self.who is None or self.service.tokens.named(self.who) is not None

    @property
    def writer(self) -> Writer:
        """The writer of the task in the address."""
        return self.service.writer(self.request.path_params["task"])

    @property
    def item(self) -> int:
        """The item in the address."""
        return self.number("item")

    def number(self, name: str) -> int:
        """The number of that name in the address."""
        given = self.request.path_params[name]
        if not (given.isascii() and given.isdigit() and 0 < int(given[:20]) < 2**53):
            raise unknown(f"unknown_{name}", f"there is no {name} {given[:40]!r}")
        return int(given)

    async def run(self, work: Work, *, alone: bool = False, size: int = 0) -> Any:
        """The answer of a command."""
        return await asyncio.wrap_future(self.writer.submit(work, alone=alone, size=size))


Handler = Callable[[Call], Awaitable[Struct | Response]]


class Route(NamedTuple):
    """A route; `roles` is None where no token is needed. An admin has every role."""

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
    takes_form: bool = False  # the body is that of an HTML form
    query: type[Struct] | None = None  # what may stand after the question mark
    audited: bool = False  # whoever did it stands in the trail

    @property
    def name(self) -> str:
        """What the schema calls it."""
        return self.handler.__name__

    def allows(self, role: str) -> bool:
        """Whether a role may use it."""
        return self.roles is None or role == "admin" or role in self.roles
