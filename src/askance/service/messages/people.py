"""People: tokens, sessions and the audit log."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from askance.service.messages.base import Answer, Body, Role, TokenName
from askance.service.patterns import PRINTABLE
from askance.service.settings import TaskName


class FirstTokenRequest(Body, frozen=True):
    """The code in the link that the first start prints."""

    code: Annotated[str, Meta(min_length=1, max_length=200)]


TaskRoles = Annotated[
    dict[TaskName, Role], Meta(min_length=1, max_length=1000, description="The role in each of these tasks.")
]
ExpiresIn = Annotated[float, Meta(gt=0, le=36_500, description="Days from now to the end.")]
Expires = Annotated[float, Meta(ge=0, le=2**53, description="The end, in seconds since 1970.")]


class TokenRequest(Body, frozen=True):
    """The name, the rights and the end of a new token: a `role` in all tasks, or `tasks` with a role in each."""

    name: TokenName
    role: Role | UnsetType = UNSET
    tasks: TaskRoles | UnsetType = UNSET
    expires_in: ExpiresIn | UnsetType = UNSET
    expires: Expires | UnsetType = UNSET


class TokenChange(Body, frozen=True):
    """New rights or a new end of a token; `expires` null removes the end."""

    role: Role | UnsetType = UNSET
    tasks: TaskRoles | UnsetType = UNSET
    expires_in: ExpiresIn | UnsetType = UNSET
    expires: Expires | UnsetType | None = UNSET


class RotationRequest(Body, frozen=True):
    """How long the old secret stays valid, in hours, and a new end of the token."""

    overlap: Annotated[float, Meta(ge=0, le=8760)] = 0.0
    expires_in: ExpiresIn | UnsetType = UNSET
    expires: Expires | UnsetType | None = UNSET


class LinkRequest(Body, frozen=True):
    """How long a link that signs in is valid, in hours."""

    hours: Annotated[float, Meta(gt=0, le=720)] = 24.0


class SignInLink(Answer, frozen=True):
    """A link that signs in once, with the rights of a token. It is shown only here."""

    name: str
    url: str
    until: float


class NewToken(Answer, frozen=True):
    """A new token. Its secret is shown once: the store keeps a hash. `role` is null if `tasks` has the roles."""

    name: str
    role: Role | None
    token: str
    tasks: dict[str, Role] | None = None
    expires: float | None = None


class KnownToken(Answer, frozen=True):
    """A token without its secret. `provider` is set for people of an identity provider, who have no secret."""

    name: str
    role: Role | None
    created: float
    revoked: float | None
    seen: float | None = None  # last use: by a session, or since the service started
    tasks: dict[str, Role] | None = None
    expires: float | None = None
    old_secret_until: float | None = None
    provider: str | None = None


class Tokens(Answer, frozen=True):
    """All tokens, including revoked ones."""

    tokens: list[KnownToken]


class Me(Answer, frozen=True):
    """The name and rights of the caller, the routes and pages that they may use, and the end of their token."""

    name: str
    role: Role | None
    may: list[str]
    tasks: dict[str, Role] | None = None
    expires: float | None = None


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
