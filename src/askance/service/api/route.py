"""Routes: the lines of the API's table."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from askance.service.api.reading import Reading
from askance.service.auth.rights import Person
from askance.service.auth.sessions import Session
from askance.service.errors import RequestError, not_found
from askance.service.service import Service
from askance.service.writer import Work, Writer

T = TypeVar("T")
JSON, LINES, PAGE = "application/json", "application/x-ndjson", "text/html"
FORM = "application/x-www-form-urlencoded"
NUMBER = re.compile("[1-9][0-9]{0,15}")
BYTES = "application/octet-stream"
CSV, MARKDOWN = "text/csv", "text/markdown"
PARQUET, ZIP = "application/vnd.apache.parquet", "application/zip"

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
    def labeller(self) -> str | None:
        """The name of the caller, if a labeller of the task, who must not see what others say before a vote."""
        task = self.writer.task.settings.name
        return self.who if self.person and self.person.role_in(task) == "labeller" else None

    @property
    def still_admitted(self) -> bool:
        """Whether the caller would still be admitted with the same rights: a stream may last for days."""
        if self.service.open_to_all or self.person is None:
            return True
        tokens = self.service.tokens
        if self.session is not None:
            holds = self.service.sessions.holds(self.session.number)
            return holds and tokens.named(self.person.name) == self.person
        return tokens.person(bearer_of(self.request)) == self.person

    def check_admitted(self) -> None:
        """Refuse to go on with a stream whose sender would no longer be admitted."""
        if not self.still_admitted:
            raise RequestError(401, "unknown_token", "this token was revoked, or the session has ended")

    @property
    def writer(self) -> Writer:
        """The writer of the task in the path."""
        return self.service.writer(self.request.path_params["task"])

    @property
    def item(self) -> int:
        """The item in the path."""
        return self.number("item")

    def number(self, name: str, thing: str = "") -> int:
        """The number with that name in the path; `thing` is what it is the number of, if the name does not say."""
        given = self.request.path_params[name]
        if not (NUMBER.fullmatch(given) and int(given) < 2**53):
            raise not_found(f"unknown_{thing or name}", f"there is no {thing or name} {given[:40]!r}")
        return int(given)

    @property
    def reading(self) -> Reading:
        """The limits on reads."""
        found: Reading = self.request.app.state.reading
        return found

    async def look(self, work: Work) -> Any:
        """Run a command that changes nothing and return its answer."""
        return await self.reading.looks.run(self.writer, work)

    async def read(self, work: Callable[..., T], *args: Any) -> T:
        """Run a read that may take long in a thread."""
        return await self.reading.reads.run(self.who, work, *args)

    async def run(self, work: Work, *, alone: bool = False, size: int = 0) -> Any:
        """Run a command and return its answer."""
        return await asyncio.wrap_future(self.writer.submit(work, alone=alone, size=size))


def bearer_of(request: Request) -> str:
    """The token in the header; empty if there is none."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


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
    takes_bytes: bool = False
    takes_form: bool = False  # the body is an HTML form
    query: type[Struct] | None = None  # the parameters of the query string
    audited: bool = False  # calls are recorded in the audit log
    other_media: tuple[str, ...] = ()  # of the answer, if the query asks for it

    @property
    def name(self) -> str:
        """The operation id in the schema."""
        return self.handler.__name__

    def allows(self, role: str) -> bool:
        """Whether a role may use it."""
        return self.roles is None or role == "admin" or role in self.roles

    def admits(self, person: Person, task: str | None = None) -> bool:
        """Whether a person may use it: for this task, or for any if none is named.

        Routes for admins alone that are about no task need an admin of all tasks.
        """
        if person.tasks is not None and self.roles == ADMIN and "{task}" not in self.path:
            return False
        roles = person.roles if task is None else {person.role_in(task)}
        return any(role is not None and self.allows(role) for role in roles)
