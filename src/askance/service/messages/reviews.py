"""Reviews: the items that a lead should look at, and what they decide."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from askance.service.messages.answers import ItemDetail
from askance.service.messages.base import Answer, Body, ItemNumber, Key, ShownLabel
from askance.service.settings import ClassName

ReviewReason = Literal["disagreement", "flagged", "likely error", "skipped"]


class ReviewSearch(Body, frozen=True):
    """Which part of the queue to get: at most `count` items, and of labelled ones those before an entry."""

    before: ItemNumber | UnsetType = UNSET
    count: Annotated[int, Meta(ge=1, le=200)] = 100


class ReviewCase(Answer, frozen=True):
    """An item to review, and why.

    Labellers gave different labels (`disagreement`), somebody flagged it (`flagged`) or skipped it (`skipped`), or
    the current model contradicts its label (`likely error`) and predicts another one, with a `probability` or, if
    its algorithm has none, with a `margin`.
    """

    why: ReviewReason
    item: ItemDetail
    prediction: str | None = None
    probability: float | None = None
    margin: float | None = None


class ReviewQueue(Answer, frozen=True):
    """Items to review, the most urgent first; `left_out` counts those beyond `count`.

    One request looks at a limited number of labelled items, the newest first: `looked_at` of them were compared
    with the current model. Pass `before` to look at older ones; it is null if there are no more.
    """

    cases: list[ReviewCase]
    left_out: int
    looked_at: int
    before: int | None


class ReviewRequest(Body, frozen=True):
    """A decision about an item: its `label`, or none to leave it as it is.

    An item that has another label needs a correction.
    """

    item: ItemNumber
    label: ClassName | UnsetType = UNSET
    key: Key | UnsetType = UNSET


class Reviewed(Answer, frozen=True):
    """An item that a lead has decided about, and its label; null if it stays without one."""

    item: int
    label: ShownLabel | None
    version: int
    again: bool = False
