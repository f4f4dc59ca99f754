"""Webhooks: where they go, what they send, and how they are doing."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from askance.service.messages.base import Answer, Body

EventType = Literal[
    "label.settled",
    "question.open",
    "task.state",
    "model.version",
    "item.deleted",
    "task.certified",
    "task.revoked",
    "task.drift",
]
Place = Annotated[
    int, Meta(ge=0, le=2**53, description="The number of an entry of the journal; 0 is the beginning.")
]


class WebhookRequest(Body, frozen=True):
    """Where to send events, and which: all of them if `events` is empty.

    It begins after the entry `after` of the journal: 0 sends everything from the beginning, and null what happens
    from now on.
    """

    url: Annotated[str, Meta(min_length=1, max_length=2000)]
    events: Annotated[tuple[EventType, ...], Meta(max_length=8)] = ()
    after: Place | None = None


class Webhook(Answer, frozen=True):
    """A webhook without its secret.

    `position` is the last entry of the journal that it has dealt with, and `behind` is the number of entries after
    it. `delivered` counts events since the service started, and `failures` attempts since the last delivery. A
    webhook that failed for too long is `disabled`, with the reason.
    """

    number: int
    url: str
    events: list[str]
    position: int
    behind: int
    delivered: int
    failures: int
    error: str | None
    disabled: str | None
    created: float


class Webhooks(Answer, frozen=True):
    """The webhooks of a task."""

    webhooks: list[Webhook]


class NewWebhook(Answer, frozen=True):
    """A new webhook, and the secret to check its signatures with, which is shown only once."""

    webhook: Webhook
    secret: str


class ReplayRequest(Body, frozen=True):
    """The entry after which events are sent again. Null goes on where it was, also if it was disabled."""

    after: Place | None = None


class ChangesRequest(Body, frozen=True):
    """Which events to list: those after an entry of the journal, at most those of `count` entries, by type."""

    after: Place = 0
    count: Annotated[int, Meta(ge=1, le=1000)] = 100
    type: EventType | UnsetType = UNSET


class Change(Answer, frozen=True):
    """Something that happened to a task at the entry `seq` of its journal. `data` is as in webhooks."""

    type: str
    seq: int
    at: float
    data: dict[str, Any]


class Changes(Answer, frozen=True):
    """Events in order. For the next ones, pass `position` as `after`; `last` is the last entry of the journal."""

    changes: list[Change]
    position: int
    last: int
