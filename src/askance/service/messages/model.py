"""The model: its features, versions and rollbacks."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from askance.service.messages.base import Answer, Body


class Strength(Answer, frozen=True):
    """A feature, and how much it adds to the score of a class when it is the only feature of an item."""

    feature: str
    by: float


class Version(Answer, frozen=True):
    """A version of the model, and the estimates at that time: value, low and high of each."""

    version: int
    at: float
    rows: int
    labels: int
    estimates: dict[str, tuple[float | None, float | None, float | None]]


class StandingRollback(Answer, frozen=True):
    """A rollback: its number, the version it went back to, who did it and when, and whether it was undone."""

    number: int
    to: int
    by: str | None
    at: float
    undone: bool


class ModelDetail(Answer, frozen=True):
    """The current model: its strongest features among recent labelled items, its versions and its rollbacks.

    `labels` counts all labels of each class. `learned` counts those that the model has learned: labels that only
    test it are not among them, nor those that a rollback made it forget. It is null if it is not known.
    """

    version: int
    algorithm: str
    labels: dict[str, int]
    strongest: dict[str, list[Strength]]
    looked_at: int
    versions: list[Version]
    rollbacks: list[StandingRollback]
    learned: int | None


class RollbackRequest(Body, frozen=True):
    """A rollback to an earlier version of the model; 0 is the one before the first label."""

    to: Annotated[int, Meta(ge=0, le=2**53)]


class RolledBack(Answer, frozen=True):
    """A rollback that was done or undone: its number, the version it goes back to, and the current version."""

    number: int
    to: int
    version: int
    replayed: int


class ModelRequest(Body, frozen=True):
    """The version of the model to export. Default: the current one."""

    version: Annotated[int, Meta(ge=0, le=2**53)] | UnsetType = UNSET
