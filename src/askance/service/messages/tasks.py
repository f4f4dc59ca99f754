"""Tasks: their settings, figures and history."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType, field

from askance.service.columns import Columns
from askance.service.messages.base import Answer, Body, Role
from askance.service.prices import Oracles
from askance.service.settings import (
    Budget,
    Certify,
    ClassName,
    Costs,
    Goal,
    Interface,
    Labelling,
    State,
    TaskSettings,
)


class Figure(Answer, frozen=True):
    """An estimate from the labels that were asked for, with its interval; null while there are too few labels."""

    value: float | None
    low: float | None
    high: float | None
    labels: int
    note: str


class PaidAnswers(Answer, frozen=True):
    """The answers of people, or of a program, and what they cost, as exact decimal numbers.

    Labels of people count as soon as somebody has the question. They `decided` as many items: people those that
    they labelled, a program those that its guesses made probable enough. People were asked about `checked` others
    that the program could have decided; of the latest of these, its guess was `right`.
    """

    name: str
    answers: int
    price: str
    paid: str
    decided: int = 0
    checked: int = 0
    right: int = 0


class Money(Answer, frozen=True):
    """What answers have cost and may still cost, as exact decimal numbers; null where there is no limit."""

    spent: str
    budget: str | None
    left: str | None
    oracles: list[PaidAnswers]


class Spend(Answer, frozen=True):
    """The labels asked for, and what the budget allows; null where it sets no limit.

    `money` is null if the task has no prices.
    """

    asked: int
    refused: int
    left: float | None
    today: int
    left_today: int | None
    total: int | None
    per_day: int | None
    rate: float | None
    money: Money | None = None


class Certificate(Answer, frozen=True):
    """What is certified: at most a share `error` of confident predictions is wrong, with this `confidence`.

    A prediction is confident if its score, without the sign, is at least `threshold`; `probability` is the same as
    a probability of the predicted one of two classes. `share` of the recent items are confident. The certificate
    is about `members` of these so far; `labels` were checked, and `mistakes` of them were wrong.

    While it is `certified`, confident predictions are automatic. It is `late` if too many checks are `unanswered`.
    Before, it is `checking` whether some confident predictions have few mistakes, `searching` for such ones, or
    `learning` from the first questions at random. About `missing` more answers are needed for the next step.
    `since` is the time of the last change.
    """

    state: Literal["learning", "searching", "checking", "late", "certified"]
    error: float
    confidence: float
    threshold: float | None
    probability: float | None
    share: float
    members: int
    labels: int
    mistakes: int
    unanswered: int
    missing: int
    since: float | None


class Drift(Answer, frozen=True):
    """Predictions have become worse: noticed `at` a time, probably so `since` an earlier one."""

    at: float
    since: float


class Figures(Answer, frozen=True):
    """The current counts, rates and estimates of a task.

    `asked` counts questions, `labelled` those that have their label, and `labels` all labels that were given.
    `waiting` counts the questions that could be leased now. `agreement` is the share of equal labels among all
    pairs of labels of the same item.

    `estimates` are about all predictions so far, as they were made on arrival. If questions are chosen on lease,
    `recent` is about those of the last seven days, and `current` about the current model, on new items like those
    so far.

    F, precision, recall and cost are about the class `positive`, which is null if there are more than two classes.
    If the task is `multilabel`, accuracy is the share of items of which all labels are right; `micro_f` is the F
    of all labels together, and `macro_f` the mean of the classes' F.
    `oldest_question` is when the oldest question was asked that has no label yet. Items that were `deleted` are no
    longer among `items`, `labelled` and `imported`, but the labels that people gave them are among `labels`.
    `problem` says why items are refused and what to do; it is null if nothing is wrong. `certificate` is null if
    nothing is to be certified, and `drift` if predictions have not become worse in the last seven days. `gold`
    counts gold items, which are not among `items`.
    """

    state: State
    items: int
    asked: int
    labelled: int
    labels: int
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
    recent: dict[str, Figure]
    current: dict[str, Figure]
    spend: Spend
    positive: str | None = None
    problem: str | None = None
    oldest_question: float | None = None
    deleted: int = 0
    certificate: Certificate | None = None
    drift: Drift | None = None
    gold: int = 0


class TaskSummary(Answer, frozen=True):
    """A task in a list. `problem` says why it refuses items, or why it cannot be served at all (`broken`)."""

    name: str
    state: State | Literal["broken"]
    classes: list[str]
    algorithm: str
    items: int
    labelled: int
    waiting: int
    spend: Spend
    problem: str | None = None
    role: Role | None = None  # of the caller in this task


class Tasks(Answer, frozen=True):
    """The tasks by name."""

    tasks: list[TaskSummary]


class TaskDetail(Answer, frozen=True):
    """A task's settings and figures."""

    settings: TaskSettings
    figures: Figures


class TaskChange(Body, frozen=True):
    """The sections of a task's settings to replace. Each is replaced as a whole."""

    budget: Budget | UnsetType = UNSET
    labels: Labelling | UnsetType = UNSET
    costs: Costs | UnsetType = UNSET
    interface: Interface | UnsetType = UNSET
    goal: Goal | UnsetType = UNSET
    certify: Certify | UnsetType = UNSET
    oracles: Oracles | UnsetType = UNSET


class ColumnsRequest(Body, frozen=True):
    """What the fields of records hold: of each a kind, or a kind with what is known of its values."""

    columns: Annotated[Columns, Meta(min_length=1, max_length=10_000)]


class ClassChange(Body, frozen=True):
    """Classes to add, and classes to rename, each with its new name. Renaming comes first.

    Labels under an earlier name count under the new one, also if they come later.
    """

    add: list[ClassName] = field(default_factory=list)
    rename: dict[ClassName, ClassName] = field(default_factory=dict)


class StateRequest(Body, frozen=True):
    """The new state of a task. A `paused` task asks no questions; an `archived` one accepts no items either."""

    state: State


class HistoryPoint(Answer, frozen=True):
    """The estimates after a number of items and labels: value, low and high of each."""

    items: int
    asked: int
    labelled: int
    at: float
    estimates: dict[str, tuple[float | None, float | None, float | None]]


class MinuteCounts(Answer, frozen=True):
    """The counts of one minute."""

    at: float
    items: int
    asked: int
    labels: int


class LabellerDetail(Answer, frozen=True):
    """The counts of a labeller.

    `agreement` is the share of equal labels among all pairs of one of theirs and one of others for the same item.
    """

    name: str
    labels: int
    skips: int
    agreement: float | None
    seconds_per_label: float | None


class History(Answer, frozen=True):
    """The history of a task. Who is not an admin sees no other labellers."""

    points: list[HistoryPoint]
    minutes: list[MinuteCounts]
    classes: dict[str, int]
    labellers: list[LabellerDetail]


class Compaction(Body, frozen=True):
    """The number of days for which items keep their content."""

    keep_days: Annotated[float, Meta(ge=0, le=36_500)]


class Compacted(Answer, frozen=True):
    """The number of items that lost their content, and the entry before which nothing can be replayed."""

    items: int
    before: int
