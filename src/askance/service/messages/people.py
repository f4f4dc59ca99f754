"""People: tokens, sessions, and who did what."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from askance.service.messages.base import Answer, Body, Role, TokenName
from askance.service.settings import PRINTABLE, TaskName


class FirstTokenRequest(Body, frozen=True):
    """The code of the link that the first start prints."""

    code: Annotated[str, Meta(min_length=1, max_length=200)]


class TokenRequest(Body, frozen=True):
    """A token to be made."""

    name: TokenName
    role: Role


class NewToken(Answer, frozen=True):
    """A token, shown this once: only its hash is kept."""

    name: str
    role: Role
    token: str


class KnownToken(Answer, frozen=True):
    """A token without its secret."""

    name: str
    role: str
    created: float
    revoked: float | None
    seen: float | None = None  # last used: with a session, or since the service was started


class Tokens(Answer, frozen=True):
    """All tokens, also revoked ones."""

    tokens: list[KnownToken]


class Me(Answer, frozen=True):
    """Who speaks, and what they may do: the names of routes and pages."""

    name: str
    role: str
    may: list[str]


class OpenSession(Answer, frozen=True):
    """Somebody who is signed in with a browser; `current` is the session of this request."""

    number: int
    name: str
    created: float
    seen: float
    until: float
    agent: str
    current: bool = False


class OpenSessions(Answer, frozen=True):
    """The sessions that hold, the last one used first."""

    sessions: list[OpenSession]


class AuditRequest(Body, frozen=True):
    """Which deeds: those before the one with this seq, of one person, of one task."""

    before: Annotated[int, Meta(ge=1, le=2**53)] | UnsetType = UNSET
    who: Annotated[str, Meta(min_length=1, max_length=64, pattern=PRINTABLE)] | UnsetType = UNSET
    task: TaskName | UnsetType = UNSET


class AuditEntry(Answer, frozen=True):
    """Who did what, to which task or whom."""

    seq: int
    at: float
    who: str | None
    action: str
    task: str | None
    subject: str | None
    detail: str | None


class AuditPage(Answer, frozen=True):
    """AuditLog, the newest first, and whether there are older ones."""

    entries: list[AuditEntry]
    more: bool
