"""People: tokens, sessions and the audit log."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from askance.service.messages.base import Answer, Body, Role, TokenName
from askance.service.settings import PRINTABLE, TaskName


class FirstTokenRequest(Body, frozen=True):
    """The code in the link that the first start prints."""

    code: Annotated[str, Meta(min_length=1, max_length=200)]


class TokenRequest(Body, frozen=True):
    """The name and the role of a new token."""

    name: TokenName
    role: Role


class NewToken(Answer, frozen=True):
    """A new token. Its secret is shown only once: the store keeps a hash."""

    name: str
    role: Role
    token: str


class KnownToken(Answer, frozen=True):
    """A token without its secret."""

    name: str
    role: str
    created: float
    revoked: float | None
    seen: float | None = None  # last use: by a session, or since the service started


class Tokens(Answer, frozen=True):
    """All tokens, including revoked ones."""

    tokens: list[KnownToken]


class Me(Answer, frozen=True):
    """The name and role of the caller, and the names of the routes and pages that they may use."""

    name: str
    role: str
    may: list[str]


class OpenSession(Answer, frozen=True):
    """A browser session. `current` marks the session of this request."""

    number: int
    name: str
    created: float
    seen: float
    until: float
    agent: str
    current: bool = False


class OpenSessions(Answer, frozen=True):
    """The open sessions, the last one used first."""

    sessions: list[OpenSession]


class AuditRequest(Body, frozen=True):
    """Which audit entries to list: those before a `seq`, of one person, of one task."""

    before: Annotated[int, Meta(ge=1, le=2**53)] | UnsetType = UNSET
    who: Annotated[str, Meta(min_length=1, max_length=64, pattern=PRINTABLE)] | UnsetType = UNSET
    task: TaskName | UnsetType = UNSET


class AuditEntry(Answer, frozen=True):
    """An entry of the audit log: who did what, when, and to which task, person or thing."""

    seq: int
    at: float
    who: str | None
    action: str
    task: str | None
    subject: str | None
    detail: str | None


class AuditPage(Answer, frozen=True):
    """Audit entries, the newest first; `more` says whether there are older ones."""

    entries: list[AuditEntry]
    more: bool
