"""Tasks: their settings, figures and history."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from askance.service.messages.base import Answer, Body
from askance.service.settings import Budget, Costs, Interface, Labelling, State, TaskSettings


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


class TaskDetail(Answer, frozen=True):
    """A task's settings and figures."""

    settings: TaskSettings
    figures: Figures


class TaskChange(Body, frozen=True):
    """The parts of a task's settings that are to be other ones from now on, each as a whole."""

    budget: Budget | UnsetType = UNSET
    labels: Labelling | UnsetType = UNSET
    costs: Costs | UnsetType = UNSET
    interface: Interface | UnsetType = UNSET


class StateRequest(Body, frozen=True):
    """What becomes of a task: `paused` asks and lends nothing, `archived` takes no items either."""

    state: State


class HistoryPoint(Answer, frozen=True):
    """The figures when so many items had come and so many labels were learned: value, low and high of each."""

    items: int
    asked: int
    labelled: int
    at: float
    estimates: dict[str, tuple[float | None, float | None, float | None]]


class MinuteCounts(Answer, frozen=True):
    """What came in one minute."""

    at: float
    items: int
    asked: int
    labels: int


class LabellerDetail(Answer, frozen=True):
    """What a labeller did; `agreement` is the share of their labels that became the settled one, among several."""

    name: str
    labels: int
    skips: int
    agreement: float | None
    seconds_per_label: float | None


class History(Answer, frozen=True):
    """What a task has been."""

    points: list[HistoryPoint]
    minutes: list[MinuteCounts]
    classes: dict[str, int]
    labellers: list[LabellerDetail]


class Compaction(Body, frozen=True):
    """How many days of items to keep whole."""

    keep_days: Annotated[float, Meta(ge=0, le=36_500)]


class Compacted(Answer, frozen=True):
    """How many items lost their content, and the entry before which labels can no longer be corrected."""

    items: int
    before: int
