"""What goes over the wire: the bodies and the answers of the API, and so its schema.

Sizes and forms are declared here and nowhere else; whoever reads a message has them checked.
"""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from askance.live.settings import (
    END,
    PRINTABLE,
    Budget,
    ClassName,
    Costs,
    Desk,
    Labelling,
    State,
    TaskName,
    TaskSettings,
)

MOST_AT_ONCE = 1000
LONGEST_TEXT = 200_000

Role = Literal["admin", "labeller", "ingest", "read"]
ItemNumber = Annotated[int, Meta(ge=1, le=2**53, description="The number that the task gave the item.")]
OwnId = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=200,
        pattern=PRINTABLE,
        description="The sender's name of an item.",
    ),
]
Key = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=200,
        pattern=PRINTABLE,
        description="The sender's name of this message: sent again with the same key, it is done once.",
    ),
]
TokenName = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}" + END, description="Who it is for.")]
Text = Annotated[str, Meta(max_length=LONGEST_TEXT)]


class Body(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A message that comes in: unknown fields are refused, because they are most often misspelt."""


class Answer(Struct, frozen=True):
    """A message that goes out."""


# ---------------------------------------------------------------------- items


class Item(Body, frozen=True):
    """Something to decide about: a text, or a record of named values, as the task says.

    A `note` is shown beside the question and not learned from.
    """

    text: Text | UnsetType = UNSET
    record: dict[str, Any] | UnsetType = UNSET
    id: OwnId | UnsetType = UNSET
    note: Annotated[str, Meta(max_length=2000)] | UnsetType = UNSET


class Items(Body, frozen=True):
    """Items in the order in which they are to be decided: all of them, or if one is wrong, none."""

    items: Annotated[list[Item], Meta(min_length=1, max_length=MOST_AT_ONCE)]


class Decided(Answer, frozen=True):
    """What was decided about an item. `again` says that this id came before, and what was decided then."""

    item: int
    label: str
    score: float
    probability: float
    asked: bool
    version: int
    id: str | None = None
    again: bool = False


class Decisions(Answer, frozen=True):
    """The decisions, in the order of the items."""

    decisions: list[Decided]


class Prediction(Answer, frozen=True):
    """What the model of now says of an item."""

    label: str
    score: float


class Predictions(Answer, frozen=True):
    """The predictions, in the order of the items, and the version of the model that made them."""

    predictions: list[Prediction]
    version: int


class LabelledItem(Item, frozen=True, kw_only=True):
    """An item whose label is known already."""

    label: ClassName


class LabelledItems(Body, frozen=True):
    """Labelled items to learn from."""

    items: Annotated[list[LabelledItem], Meta(min_length=1, max_length=MOST_AT_ONCE)]


class Imported(Answer, frozen=True):
    """How many items were learned, and how many had been imported before."""

    learned: int
    again: int
    version: int


# ---------------------------------------------------------------------- questions and answers


class LeaseWish(Body, frozen=True):
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


class Why(Answer, frozen=True):
    """What the model of now says of an item and because of what; `reason` says why it was asked for."""

    reason: str
    label: str
    score: float
    version: int
    pulls: list[Pull]


class Question(Answer, frozen=True):
    """An item whose label is wanted, and why: the guess, the score and the probability of asking."""

    item: int
    lease: int
    until: float
    guess: str
    score: float
    probability: float
    asked_at: float
    id: str | None = None
    text: str | None = None
    record: dict[str, Any] | None = None
    note: str | None = None
    why: Why | None = None


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


class Noted(Answer, frozen=True):
    """What became of a label: `learned`, or `waiting` for further labels of the same item."""

    item: int
    state: Literal["learned", "waiting"]
    votes: dict[str, int]
    version: int
    again: bool = False


class NotedLabels(Answer, frozen=True):
    """What became of the labels, in their order."""

    labels: list[Noted]


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


class Mended(Answer, frozen=True):
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


class ItemStory(Answer, frozen=True):
    """Everything that is known of an item."""

    item: int
    at: float
    state: Literal["not asked", "open", "learned", "given up", "imported"]
    decision: Decided | None
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

    items: list[ItemStory]
    before: int | None
    searched: int


class Explain(Body, frozen=True):
    """An item to try; nothing is kept."""

    item: Item


# ---------------------------------------------------------------------- the model


class Strength(Answer, frozen=True):
    """A feature, and how far it pulls the score towards a class when it is all that an item has."""

    feature: str
    by: float


class Version(Answer, frozen=True):
    """A version of the model, and its figures at that time: value, low and high of each."""

    version: int
    at: float
    rows: int
    labels: int
    estimates: dict[str, tuple[float | None, float | None, float | None]]


class StandingRollback(Answer, frozen=True):
    """A roll-back: its number, the version it went back to, who did it and when, and whether it was taken back."""

    number: int
    to: int
    by: str | None
    at: float
    undone: bool


class ModelStory(Answer, frozen=True):
    """The model of now: its strongest features among those of recent labelled items, and its versions."""

    version: int
    algorithm: str
    labels: dict[str, int]
    strongest: dict[str, list[Strength]]
    looked_at: int
    versions: list[Version]
    rollbacks: list[StandingRollback]


class RollbackWish(Body, frozen=True):
    """The version to which the model goes back; 0 is the one before the first label."""

    to: Annotated[int, Meta(ge=0, le=2**53)]


class RolledBack(Answer, frozen=True):
    """A roll-back, or one that was taken back, by its entry; the version it is about, and the one of now."""

    number: int
    to: int
    version: int
    replayed: int


class ModelWish(Body, frozen=True):
    """Which version of the model; that of now if none is named."""

    version: Annotated[int, Meta(ge=0, le=2**53)] | UnsetType = UNSET


# ---------------------------------------------------------------------- tasks and figures


class Figure(Answer, frozen=True):
    """An estimate from the asked labels alone, with its interval; without numbers while it cannot be told."""

    value: float | None
    low: float | None
    high: float | None
    labels: int
    note: str


class Spend(Answer, frozen=True):
    """Labels asked for, against what the budget allows; null where it sets no bound."""

    asked: int
    refused: int
    left: float | None
    today: int
    left_today: int | None
    total: int | None
    per_day: int | None
    rate: float | None


class Figures(Answer, frozen=True):
    """How a task is doing."""

    state: State
    items: int
    asked: int
    labelled: int
    imported: int
    corrected: int
    waiting: int
    leased: int
    given_up: int
    agreement: float | None
    items_per_second: float
    labels_per_second: float
    version: int
    entries: int
    level: float
    estimates: dict[str, Figure]
    spend: Spend


class TaskSummary(Answer, frozen=True):
    """A task in a list."""

    name: str
    state: State
    classes: list[str]
    algorithm: str
    items: int
    labelled: int
    waiting: int
    spend: Spend


class Tasks(Answer, frozen=True):
    """The tasks by name."""

    tasks: list[TaskSummary]


class TaskStory(Answer, frozen=True):
    """A task's settings and figures."""

    settings: TaskSettings
    figures: Figures


class TaskChange(Body, frozen=True):
    """The parts of a task's settings that are to be other ones from now on, each as a whole."""

    budget: Budget | UnsetType = UNSET
    labels: Labelling | UnsetType = UNSET
    costs: Costs | UnsetType = UNSET
    desk: Desk | UnsetType = UNSET


class StateWish(Body, frozen=True):
    """What becomes of a task: `paused` asks and lends nothing, `archived` takes no items either."""

    state: State


class HistoryPoint(Answer, frozen=True):
    """The figures when so many items had come and so many labels were learned: value, low and high of each."""

    items: int
    asked: int
    labelled: int
    at: float
    estimates: dict[str, tuple[float | None, float | None, float | None]]


class MinuteStory(Answer, frozen=True):
    """What came in one minute."""

    at: float
    items: int
    asked: int
    labels: int


class LabellerStory(Answer, frozen=True):
    """What a labeller did; `agreement` is the share of their labels that became the settled one, among several."""

    name: str
    labels: int
    skips: int
    agreement: float | None
    seconds_per_label: float | None


class History(Answer, frozen=True):
    """What a task has been."""

    points: list[HistoryPoint]
    minutes: list[MinuteStory]
    classes: dict[str, int]
    labellers: list[LabellerStory]


class Compaction(Body, frozen=True):
    """How many days of items to keep whole."""

    keep_days: Annotated[float, Meta(ge=0, le=36_500)]


class Compacted(Answer, frozen=True):
    """How many items lost their content, and the entry before which labels can no longer be corrected."""

    items: int
    before: int


# ---------------------------------------------------------------------- tokens


class FirstVisit(Body, frozen=True):
    """The code of the link that the first start prints."""

    code: Annotated[str, Meta(min_length=1, max_length=200)]


class TokenWish(Body, frozen=True):
    """A token to be made."""

    name: TokenName
    role: Role


class NewToken(Answer, frozen=True):
    """A token, shown this once: only its hash is kept."""

    name: str
    role: Role
    token: str


class KnownToken(Answer, frozen=True):
    """A token without its secret."""

    name: str
    role: str
    created: float
    revoked: float | None
    seen: float | None = None  # last used: with a session, or since the service was started


class Tokens(Answer, frozen=True):
    """All tokens, also revoked ones."""

    tokens: list[KnownToken]


class Me(Answer, frozen=True):
    """Who speaks, and what they may do: the names of routes and pages."""

    name: str
    role: str
    may: list[str]


class OpenSession(Answer, frozen=True):
    """Somebody who is signed in with a browser; `current` is the session of this request."""

    number: int
    name: str
    created: float
    seen: float
    until: float
    agent: str
    current: bool = False


class OpenSessions(Answer, frozen=True):
    """The sessions that hold, the last one used first."""

    sessions: list[OpenSession]


class DeedsWish(Body, frozen=True):
    """Which deeds: those before the one with this seq, of one person, of one task."""

    before: Annotated[int, Meta(ge=1, le=2**53)] | UnsetType = UNSET
    who: Annotated[str, Meta(min_length=1, max_length=64, pattern=PRINTABLE)] | UnsetType = UNSET
    task: TaskName | UnsetType = UNSET


class DeedTold(Answer, frozen=True):
    """Who did what, to which task or whom."""

    seq: int
    at: float
    who: str | None
    deed: str
    task: str | None
    subject: str | None
    detail: str | None


class DeedsTold(Answer, frozen=True):
    """Deeds, the newest first, and whether there are older ones."""

    deeds: list[DeedTold]
    more: bool


# ---------------------------------------------------------------------- forms of pages


class Form(Body, frozen=True):
    """What a browser sends without a module; `csrf` shows that a page of ours made it."""

    csrf: Annotated[str, Meta(max_length=100)] = ""


class SignIn(Form, frozen=True):
    """A token, and where to go on."""

    token: Annotated[str, Meta(max_length=200)] = ""
    next: Annotated[str, Meta(max_length=2000)] = ""


class FirstForm(Form, frozen=True):
    """The code of the link that the first start prints."""

    code: Annotated[str, Meta(max_length=200)] = ""


class Health(Answer, frozen=True):
    """Whether the service is well."""

    status: str


class Fault(Answer, frozen=True):
    """What was wrong: a word for programs and a sentence for people."""

    code: str
    message: str


class Refused(Answer, frozen=True):
    """The answer to a request that changed nothing."""

    error: Fault
