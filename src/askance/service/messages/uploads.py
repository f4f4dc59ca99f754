"""Uploads: files whose rows become items."""

from typing import Annotated, Literal

from msgspec import Meta

from askance.service.messages.base import Answer, Body
from askance.service.patterns import PRINTABLE

FileName = Annotated[str, Meta(min_length=1, max_length=200, pattern=PRINTABLE)]
ChosenKind = Literal["text", "number", "category", "date", "id", "label", "object", "guess", "ignored"]
UploadState = Literal["receiving", "checking", "ready", "refused", "adding", "done"]
MOST_COLUMNS = 1000  # of a file


class UploadRequest(Body, frozen=True):
    """A file to upload: its name, whose extension tells the format, and its size in bytes."""

    name: FileName
    size: Annotated[int, Meta(ge=0, le=2**53)]


class PartRequest(Body, frozen=True):
    """Where a part of the file begins: the number of bytes that have arrived before it."""

    start: Annotated[int, Meta(ge=0, le=2**53)] = 0


class RowsRequest(Body, frozen=True):
    """Whether labelled rows become gold items, and others are left out. The first request for a file decides."""

    gold: bool = False


class KindsRequest(Body, frozen=True):
    """What some columns of the file hold. Columns that are not named stay as they are."""

    kinds: Annotated[dict[str, ChosenKind], Meta(max_length=MOST_COLUMNS)]


class UploadColumn(Answer, frozen=True):
    """A column of a file: what it holds, what else may be chosen, why it is left out, and its first values."""

    name: str
    kind: str
    kinds: list[str]
    reason: str
    values: list[str]


class Upload(Answer, frozen=True):
    """A file that is being uploaded, checked or added.

    Send its parts while `state` is "receiving". The file is then checked as a whole, and its columns are guessed:
    it is "ready", or "refused" because of a `problem`, which may be about a `column`. `rows` counts its rows,
    `labelled` those with a label that is a class of the task, `known` those that the task already has, and
    `unknown` the labels that are not classes. While items are "adding", `handled` counts the rows so far. At the
    end it is "done": `added` items were new, and `learned` of them had a label. If they were added as `gold`
    items, nothing was learned. The file is deleted then, or an hour after its last use.
    """

    upload: int
    name: str
    size: int
    received: int
    part_bytes: int
    state: UploadState
    checked: float
    problem: str | None
    column: str | None
    columns: list[UploadColumn]
    rows: int
    labelled: int
    known: int
    unknown: dict[str, int]
    handled: int
    added: int
    learned: int
    gold: bool = False


class Uploads(Answer, frozen=True):
    """The uploads of the caller to a task, the newest first, and the largest size of a file in bytes."""

    uploads: list[Upload]
    most_bytes: int
