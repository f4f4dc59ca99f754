"""The model: its features, its versions, and roll-backs."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from askance.service.messages.base import Answer, Body


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


class ModelDetail(Answer, frozen=True):
    """The model of now: its strongest features among those of recent labelled items, and its versions."""

    version: int
    algorithm: str
    labels: dict[str, int]
    strongest: dict[str, list[Strength]]
    looked_at: int
    versions: list[Version]
    rollbacks: list[StandingRollback]


class RollbackRequest(Body, frozen=True):
    """The version to which the model goes back; 0 is the one before the first label."""

    to: Annotated[int, Meta(ge=0, le=2**53)]


class RolledBack(Answer, frozen=True):
    """A roll-back, or one that was taken back, by its entry; the version it is about, and the one of now."""

    number: int
    to: int
    version: int
    replayed: int


class ModelRequest(Body, frozen=True):
    """Which version of the model; that of now if none is named."""

    version: Annotated[int, Meta(ge=0, le=2**53)] | UnsetType = UNSET
