"""Tasks: their settings, figures and history."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from askance.service.messages.base import Answer, Body
from askance.service.settings import Budget, Costs, Interface, Labelling, State, TaskSettings


class Figure(Answer, frozen=True):
    """An estimate from the labels that were asked for, with its interval; null while there are too few labels."""

    value: float | None
    low: float | None
    high: float | None
    labels: int
    note: str


class Spend(Answer, frozen=True):
    """The labels asked for, and what the budget allows; null where it sets no limit."""

    asked: int
    refused: int
    left: float | None
    today: int
    left_today: int | None
    total: int | None
    per_day: int | None
    rate: float | None


class Figures(Answer, frozen=True):
    """The current counts, rates and estimates of a task."""

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
    """The sections of a task's settings to replace. Each is replaced as a whole."""

    budget: Budget | UnsetType = UNSET
    labels: Labelling | UnsetType = UNSET
    costs: Costs | UnsetType = UNSET
    interface: Interface | UnsetType = UNSET


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

    `agreement` is the share of their labels that became the final label, among items with several labels.
    """

    name: str
    labels: int
    skips: int
    agreement: float | None
    seconds_per_label: float | None


class History(Answer, frozen=True):
    """The history of a task."""

    points: list[HistoryPoint]
    minutes: list[MinuteCounts]
    classes: dict[str, int]
    labellers: list[LabellerDetail]


class Compaction(Body, frozen=True):
    """The number of days for which items keep their content."""

    keep_days: Annotated[float, Meta(ge=0, le=36_500)]


class Compacted(Answer, frozen=True):
    """The number of items that lost their content, and the entry before which labels cannot be corrected."""

    items: int
    before: int
