"""The rows of the tables of a store."""

from hashlib import sha256
from typing import NamedTuple
from zlib import crc32

import msgspec

DIGEST = "sha256:"
_encode = msgspec.msgpack.Encoder().encode


class Entry(NamedTuple):
    """An entry of a task's journal. Its seq counts from 1 without gaps."""

    seq: int
    at: float  # seconds since 1970
    kind: str  # what happened; only "item" has a meaning for the store
    item: int | None  # seq of the item that it is about; of an item, its own seq
    key: str | None  # the sender's key, unique within (task, kind)
    who: str | None  # the token's name
    body: bytes  # JSON


def checksum(task: int, entry: Entry) -> int:
    """The CRC-32 of all that an entry of a task holds."""
    seq, at, kind, item, key, who, body = entry
    return crc32(body, crc32(_encode((task, seq, float(at), kind, item, key, who))))


def image_name(content: bytes) -> str:
    """The name under which an image is kept: its digest."""
    return DIGEST + sha256(content).hexdigest()


class TaskRecord(NamedTuple):
    """A task; the settings are JSON."""

    id: int
    name: str
    settings: bytes
    created: float


class TokenRecord(NamedTuple):
    """A token: a name, its rights, and digests of its secrets. People of an identity provider have one too."""

    name: str
    role: str  # in all tasks; empty if `tasks` has the roles
    digest: bytes
    created: float
    revoked: float | None
    tasks: str | None = None  # JSON: the role in each task
    expires: float | None = None
    previous: bytes | None = None  # digest of the secret before
    previous_until: float | None = None
    subject: str | None = None  # of somebody who signs in elsewhere: the issuer, a blank, and its name there


class LinkRecord(NamedTuple):
    """A link that signs in once, with a digest of its code."""

    digest: bytes
    name: str  # of the token
    created: float
    until: float
    used: float | None


class SessionRecord(NamedTuple):
    """A browser session, with a digest of the secret in its cookie."""

    digest: bytes
    number: int  # shown to people
    name: str  # of the token
    created: float
    seen: float
    until: float
    agent: str  # the User-Agent header


class WebhookRecord(NamedTuple):
    """A webhook of a task, and how far its deliveries are."""

    id: int
    task: int
    url: str
    secret: str  # needed to sign, so it is not a digest
    events: str  # separated by spaces
    position: int  # the last entry of the journal that it does not need any more
    failures: int  # since the last delivery
    error: str | None  # of the last attempt
    disabled: str | None  # the reason
    created: float


class AuditRecord(NamedTuple):
    """An entry of the audit log."""

    seq: int
    at: float
    who: str | None
    action: str
    task: str | None = None
    subject: str | None = None
    detail: str | None = None
