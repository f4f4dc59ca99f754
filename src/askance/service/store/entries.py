"""What a store holds."""

from typing import NamedTuple


class Entry(NamedTuple):
    """One line of a task's journal; its seq counts from 1, without gaps in a task."""

    seq: int
    at: float  # seconds since 1970
    kind: str  # what happened: the store knows "item" alone, and keeps any other
    item: int | None  # seq of the item that it is about; an item's own seq
    key: str | None  # what the sender calls it: unique within (task, kind)
    who: str | None  # the token's name
    body: bytes  # JSON


class Task(NamedTuple):
    """One stream with its model; the settings are JSON."""

    id: int
    name: str
    settings: bytes
    created: float


class Token(NamedTuple):
    """Who may do what; of the secret itself there is only a digest."""

    name: str
    role: str
    digest: bytes
    created: float
    revoked: float | None


class Session(NamedTuple):
    """Somebody who signed in with a token; of the cookie's secret there is only a digest."""

    digest: bytes
    number: int  # what others may call it
    name: str  # the token's
    created: float
    seen: float
    until: float
    agent: str  # what the browser calls itself


class Deed(NamedTuple):
    """One line of the trail that tells who did what."""

    seq: int
    at: float
    who: str | None
    deed: str
    task: str | None = None
    subject: str | None = None
    detail: str | None = None
