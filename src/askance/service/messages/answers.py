"""Questions and answers: leases, labels, skips, what is mended, and all that is known of an item."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from askance.service.messages.base import MOST_AT_ONCE, Answer, Body, ItemNumber, Key, OwnId
from askance.service.messages.items import Item, ItemDecision
from askance.service.settings import ClassName


class LeaseRequest(Body, frozen=True):
    """Questions for one labeller. `items` names the ones wanted, to have a lease that ran out once more.

    Sent again with the same `key`, it gives the same questions, as far as they are still open and on lease.
    """

    count: Annotated[int, Meta(ge=1, le=100)] = 1
    seconds: Annotated[float, Meta(ge=0.1, le=86_400)] | UnsetType = UNSET
    items: Annotated[list[ItemNumber], Meta(min_length=1, max_length=100)] | UnsetType = UNSET
    why: bool = False
    key: Key | UnsetType = UNSET


class Pull(Answer, frozen=True):
    """A feature of an item, and how far it pulls the score towards a class; `spans` are its places in the text."""

    feature: str
    towards: str
    by: float
    spans: list[tuple[int, int]]


class Explanation(Answer, frozen=True):
    """What the model of now says of an item and because of what; `reason` says why it was asked for."""

    reason: str
    prediction: str
    score: float
    version: int
    pulls: list[Pull]


class Question(Answer, frozen=True):
    """An item whose label is wanted, and why: the guess, the score and the probability of asking."""

    item: int
    lease: int
    until: float
    prediction: str
    score: float
    ask_probability: float
    asked_at: float
    id: str | None = None
    text: str | None = None
    record: dict[str, Any] | None = None
    note: str | None = None
    why: Explanation | None = None


class Questions(Answer, frozen=True):
    """Leased questions, and how many more are waiting."""

    questions: list[Question]
    waiting: int


class Label(Body, frozen=True):
    """The label of an item, named by `item` or by the sender's `id`. `lease` is needed only to be held to it."""

    label: ClassName
    item: ItemNumber | UnsetType = UNSET
    id: OwnId | UnsetType = UNSET
    key: Key | UnsetType = UNSET
    lease: ItemNumber | UnsetType = UNSET


class Labels(Body, frozen=True):
    """Labels: all of them, or if one is wrong, none."""

    labels: Annotated[list[Label], Meta(min_length=1, max_length=MOST_AT_ONCE)]


class Receipt(Answer, frozen=True):
    """What became of a label: `learned`, or `waiting` for further labels of the same item."""

    item: int
    state: Literal["learned", "waiting"]
    votes: dict[str, int]
    version: int
    again: bool = False


class Receipts(Answer, frozen=True):
    """What became of the labels, in their order."""

    labels: list[Receipt]


class Skip(Body, frozen=True):
    """An item that this labeller cannot or will not label."""

    item: ItemNumber
    key: Key | UnsetType = UNSET


class Skipped(Answer, frozen=True):
    """Whether the question goes on to others or is given up."""

    item: int
    state: Literal["open", "given up"]
    again: bool = False


class Undo(Body, frozen=True):
    """Takes back this labeller's label of an item, or the last one that this labeller gave."""

    item: ItemNumber | UnsetType = UNSET
    key: Key | UnsetType = UNSET


class Correction(Body, frozen=True):
    """The right label of an item whose label was learned."""

    label: ClassName
    item: ItemNumber | UnsetType = UNSET
    id: OwnId | UnsetType = UNSET
    key: Key | UnsetType = UNSET


class Amendment(Answer, frozen=True):
    """The item whose label was changed or taken back, and how many entries of the journal were replayed."""

    item: int
    label: str | None
    version: int
    replayed: int
    again: bool = False


class Vote(Answer, frozen=True):
    """A label that somebody gave."""

    label: str
    by: str | None
    at: float
    undone: bool = False


class ItemDetail(Answer, frozen=True):
    """Everything that is known of an item."""

    item: int
    at: float
    state: Literal["not asked", "open", "learned", "given up", "imported"]
    decision: ItemDecision | None
    label: str | None
    votes: list[Vote]
    corrections: list[Vote]
    agreement: float | None
    id: str | None = None
    text: str | None = None
    record: dict[str, Any] | None = None
    note: str | None = None


ItemState = Literal["all", "asked", "waiting", "labelled", "corrected", "disagreement"]


class ItemSearch(Body, frozen=True):
    """Which items to list, the newest first: in which state, with which text in them, before which number."""

    state: ItemState = "all"
    search: Annotated[str, Meta(max_length=200)] = ""
    before: ItemNumber | UnsetType = UNSET
    count: Annotated[int, Meta(ge=1, le=200)] = 50


class ItemsFound(Answer, frozen=True):
    """Items, the newest first. `before` goes on from there; none if there are no more.

    A search looks through so many items at a time: it may find none and still go on.
    """

    items: list[ItemDetail]
    before: int | None
    searched: int


class ExplainRequest(Body, frozen=True):
    """An item to try; nothing is kept."""

    item: Item
