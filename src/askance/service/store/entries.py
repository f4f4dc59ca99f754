"""The rows of the tables of a store."""

from typing import NamedTuple


class Entry(NamedTuple):
    """An entry of a task's journal. Its seq counts from 1 without gaps."""

    seq: int
    at: float  # seconds since 1970
    kind: str  # what happened; only "item" has a meaning for the store
    item: int | None  # seq of the item that it is about; of an item, its own seq
    key: str | None  # the sender's key, unique within (task, kind)
    who: str | None  # the token's name
    body: bytes  # JSON


class TaskRecord(NamedTuple):
    """A task; the settings are JSON."""

    id: int
    name: str
    settings: bytes
    created: float


class TokenRecord(NamedTuple):
    """A token: a name, a role and a digest of the secret."""

    name: str
    role: str
    digest: bytes
    created: float
    revoked: float | None


class SessionRecord(NamedTuple):
    """A browser session, with a digest of the secret in its cookie."""

    digest: bytes
    number: int  # shown to people
    name: str  # of the token
    created: float
    seen: float
    until: float
    agent: str  # the User-Agent header


class AuditRecord(NamedTuple):
    """An entry of the audit log."""

    seq: int
    at: float
    who: str | None
    action: str
    task: str | None = None
    subject: str | None = None
    detail: str | None = None
