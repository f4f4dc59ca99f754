"""Searches of items: filters, orders, pages and exports."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from askance.service.messages.answers import ItemDetail
from askance.service.messages.base import MOST_AT_ONCE, Answer, Body, ItemNumber
from askance.service.messages.items import Moment
from askance.service.settings import ClassName

START = 2**53  # as `before`: from the first item on

ItemState = Literal[
    "all", "asked", "waiting", "open", "skipped", "flagged", "labelled", "imported", "corrected", "disagreement"
]
ItemOrder = Literal["newest", "oldest", "doubtful", "certain"]
Score = Annotated[float, Meta(ge=-1e300, le=1e300, description="A score on arrival.")]


class ItemFilter(Body, frozen=True):
    """Which items: only those that match everything that is given.

    `waiting` items are questions without a label; `open` ones can be labelled now, also if nobody was asked about
    them yet. A `skipped` item still waits, and somebody skipped it. A `flagged` one has an open flag. `search`
    looks in the content, the id, the note and the number. If an item has several labels, `label` and `predicted`
    are one of them; `predicted` and the scores are those of the arrival. `labeller` gave a label, made the last
    correction, or is named by the import. `since` and `until` limit when an item arrived, without `until`.
    """

    state: ItemState = "all"
    search: Annotated[str, Meta(max_length=200)] = ""
    label: ClassName | UnsetType = UNSET
    predicted: ClassName | UnsetType = UNSET
    labeller: Annotated[str, Meta(min_length=1, max_length=200)] | UnsetType = UNSET
    min_score: Score | UnsetType = UNSET
    max_score: Score | UnsetType = UNSET
    since: Moment | UnsetType = UNSET
    until: Moment | UnsetType = UNSET


class ItemPlace(ItemFilter, frozen=True):
    """A filter and an order: of `doubtful`, the scores on arrival that are nearest to 0 come first."""

    order: ItemOrder = "newest"


class ItemSearch(ItemPlace, frozen=True):
    """Which items to list, in which order, and how many. `before` is that of the previous page."""

    before: ItemNumber | UnsetType = UNSET
    count: Annotated[int, Meta(ge=1, le=200)] = 50


ExportFormat = Annotated[
    Literal["jsonl", "csv", "parquet", "hf"],
    Meta(description="JSON lines, CSV, Parquet, or a zip archive with a folder for Hugging Face."),
]
ItemNumbers = Annotated[
    str,
    Meta(
        pattern=rf"^[1-9][0-9]{{0,15}}(,[1-9][0-9]{{0,15}}){{0,{MOST_AT_ONCE - 1}}}$(?!\n)",
        description=f"Up to {MOST_AT_ONCE:,} numbers of items, separated by commas.",
    ),
]


class ExportRequest(Body, frozen=True):
    """The format of an export."""

    format: ExportFormat = "jsonl"


class ItemExport(ItemFilter, frozen=True):
    """Which items to export, the newest first, and the format. With `items`, only these."""

    format: ExportFormat = "jsonl"
    items: ItemNumbers | UnsetType = UNSET


class ItemsFound(Answer, frozen=True):
    """Items in the order of the search. Pass `before` to get the next page; it is null if there are no more.

    One request reads a limited number of items (`searched`), so a page may be empty although there are more.
    `total` is the number of matching items if it is `exact`. Otherwise there are at least that many.
    """

    items: list[ItemDetail]
    before: int | None
    searched: int
    total: int
    exact: bool


class Neighbours(Answer, frozen=True):
    """The items before and after an item in a search. One is null if there is none, or none was found in time."""

    previous: int | None
    next: int | None
