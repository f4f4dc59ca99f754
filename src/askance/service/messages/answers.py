"""Questions and answers: leases, labels, skips, flags, undo, corrections, and the details of items."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType, field

from askance.service.messages.base import (
    MOST_AT_ONCE,
    Answer,
    Body,
    GivenLabel,
    ItemNumber,
    Key,
    OwnId,
    ShownLabel,
)
from askance.service.messages.items import Item, ItemDecision


class LeaseRequest(Body, frozen=True):
    """A request for up to `count` questions, leased for `seconds`.

    `items` names the items to lease, for example to renew a lease that has expired. `why` adds an explanation to
    each question. Sent again with the same `key`, a request returns the same questions if they are still leased.
    """

    count: Annotated[int, Meta(ge=1, le=100)] = 1
    seconds: Annotated[float, Meta(ge=0.1, le=86_400)] | UnsetType = UNSET
    items: Annotated[list[ItemNumber], Meta(min_length=1, max_length=100)] | UnsetType = UNSET
    why: bool = False
    key: Key | UnsetType = UNSET


class Pull(Answer, frozen=True):
    """A feature of an item, and how much it moves the score towards a class; `spans` are places in the text."""

    feature: str
    towards: str
    by: float
    spans: list[tuple[int, int]]


class Explanation(Answer, frozen=True):
    """The current prediction for an item, and the features behind it; `reason` says why it was asked about."""

    reason: str
    prediction: str
    score: float
    version: int
    pulls: list[Pull]


class FlagDetail(Answer, frozen=True):
    """A labeller who flagged an item, and their note.

    It was `undone` by them, or `settled` by a decision: a review, a correction or a final label. Otherwise it is
    open.
    """

    by: str | None
    at: float
    note: str | None = None
    undone: bool = False
    settled: bool = False


class Question(Answer, frozen=True):
    """A leased question: an item, the lease and its end, and what the current model predicts.

    `reason` says why it was chosen on lease. `ask_probability` is null if it was not drawn at random, or if the
    task decides on arrival and has gold items. Of a vector, only its length is shown. `flags` are your own open
    ones.
    """

    item: int
    lease: int
    until: float
    prediction: ShownLabel
    score: float
    ask_probability: float | None
    asked_at: float
    id: str | None = None
    text: str | None = None
    record: dict[str, Any] | None = None
    note: str | None = None
    why: Explanation | None = None
    reason: Literal["audit", "check", "doubt", "given", "guesses"] | None = None
    vector_length: int | None = None
    flags: list[FlagDetail] = field(default_factory=list)
    image: str | None = None


class Questions(Answer, frozen=True):
    """Leased questions, and the number of other questions that are waiting."""

    questions: list[Question]
    waiting: int


class Label(Body, frozen=True):
    """The label of an item, named by `item` or by your `id`.

    With `lease`, the label is accepted only while that lease lasts.
    """

    label: GivenLabel
    item: ItemNumber | UnsetType = UNSET
    id: OwnId | UnsetType = UNSET
    key: Key | UnsetType = UNSET
    lease: ItemNumber | UnsetType = UNSET


class Labels(Body, frozen=True):
    """Labels. If one of them is not valid, none is accepted."""

    labels: Annotated[list[Label], Meta(min_length=1, max_length=MOST_AT_ONCE)]


class Receipt(Answer, frozen=True):
    """The receipt of a label: it was `learned`, or is `waiting` for more labels of the same item.

    `votes` are by label; if the task is `multilabel`, by the JSON text of the list.
    """

    item: int
    state: Literal["learned", "waiting"]
    votes: dict[str, int]
    version: int
    again: bool = False


class Receipts(Answer, frozen=True):
    """The receipts, in the order of the labels."""

    labels: list[Receipt]


class Skip(Body, frozen=True):
    """An item that this labeller does not want to label, and, if you like, why."""

    item: ItemNumber
    key: Key | UnsetType = UNSET
    reason: Annotated[str, Meta(min_length=1, max_length=200)] | UnsetType = UNSET


class Skipped(Answer, frozen=True):
    """Whether the question stays open for others or is given up."""

    item: int
    state: Literal["open", "given up"]
    again: bool = False


class Flag(Body, frozen=True):
    """An item that a lead should look at, and, if you like, a note that says why. It can have a label or not."""

    item: ItemNumber
    key: Key | UnsetType = UNSET
    note: Annotated[str, Meta(min_length=1, max_length=500)] | UnsetType = UNSET


class FlagUndo(Body, frozen=True):
    """Undo your last open flag of an item."""

    item: ItemNumber
    key: Key | UnsetType = UNSET


class Flagged(Answer, frozen=True):
    """An item, and how many flags of it are open: neither undone nor settled by a decision."""

    item: int
    open: int
    again: bool = False


class Undo(Body, frozen=True):
    """Undo your label of an item. Default: the last label that you gave."""

    item: ItemNumber | UnsetType = UNSET
    key: Key | UnsetType = UNSET


class Correction(Body, frozen=True):
    """The correct label of an item that already has a label."""

    label: GivenLabel
    item: ItemNumber | UnsetType = UNSET
    id: OwnId | UnsetType = UNSET
    key: Key | UnsetType = UNSET


class Amendment(Answer, frozen=True):
    """An item whose label was corrected or undone, and the number of journal entries that were replayed."""

    item: int
    label: ShownLabel | None
    version: int
    replayed: int
    again: bool = False


class Vote(Answer, frozen=True):
    """A label that somebody gave. With a `final` one, a lead decided, whatever the others were."""

    label: ShownLabel
    by: str | None
    at: float
    undone: bool = False
    final: bool = False


class SkipDetail(Answer, frozen=True):
    """A labeller who skipped an item, and the reason that they gave."""

    by: str | None
    at: float
    reason: str | None = None


class Provenance(Answer, frozen=True):
    """Where an imported label comes from, as the import said, and the token that imported it."""

    source: str | None
    labeller: str | None
    labelled_at: float | None
    imported_by: str | None


class GuessDetail(Answer, frozen=True):
    """What a program thinks the label of an item is, and how confident it says it is."""

    label: str
    confidence: float | None


class ItemDetail(Answer, frozen=True):
    """Everything that is known about an item. Of a vector, only its length is shown.

    If questions are chosen on lease, `reason` says why it was asked about; `guesses` means that programs decided
    it. `ask_probability` is the probability with which it was to be asked about; null if that is not known, as for
    items that the model was in doubt about.
    An imported item has a `provenance`. `skips` and `flags` have everybody who skipped or flagged it. The
    `guesses` of programs are by name, also those that came after the label. `label_probability` is how probable
    the label was, given its votes, when they settled it; null if it has a single vote, or something else settled
    it. That assumes that people err independently of each other and that all items are equally hard: where several
    make the same errors, it is too high.

    To labellers who may still vote on it, it is `blind`: it has nothing that others, or programs, say about it.
    """

    item: int
    at: float
    state: Literal["not asked", "open", "learned", "given up", "imported"]
    decision: ItemDecision | None
    label: ShownLabel | None
    votes: list[Vote]
    corrections: list[Vote]
    agreement: float | None
    id: str | None = None
    text: str | None = None
    record: dict[str, Any] | None = None
    note: str | None = None
    reason: Literal["audit", "check", "doubt", "given", "guesses"] | None = None
    ask_probability: float | None = None
    vector_length: int | None = None
    provenance: Provenance | None = None
    skips: list[SkipDetail] = field(default_factory=list)
    flags: list[FlagDetail] = field(default_factory=list)
    image: str | None = None
    guesses: dict[str, GuessDetail] | None = None
    label_probability: float | None = None
    blind: bool = False


class ExplainRequest(Body, frozen=True):
    """An item to explain, which is not stored, or the number of one that is."""

    item: Item | ItemNumber
