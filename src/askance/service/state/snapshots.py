"""Snapshots: a fold as bytes, so that not all of a journal has to be replayed."""

import zlib

import msgspec
import numpy as np
from msgspec import Struct, field

from askance._util.sealed_file import arrays_of, header_of, seal
from askance.errors import ModelFileError
from askance.learners.core import LearnerCore
from askance.learners.files import loop_from_bytes
from askance.learners.files import to_bytes as loop_to_bytes
from askance.service.settings import State, TaskSettings
from askance.service.state.budget_ledger import Ledger
from askance.service.state.fold import Amendments, Counts, Fold
from askance.service.state.history import History, Labeller, LastDay
from askance.service.state.questions import Questions

# Weights are mostly zeros: the fastest level makes a tenth of them.
LEVEL = 1
MODEL, BOOKS = "model", "books"
FIRST = ("seq", "at", "version", "ledger", "questions", "counts", "recent")
LATER = ("settings", "amended", "state", "classes", "people", "history", "last_day")


class Books(Struct):
    """All of a fold but its model and its figures."""

    seq: int
    at: float
    version: int
    ledger: Ledger
    questions: Questions
    counts: Counts
    recent: dict[str, list[tuple[int, int]]]
    undone: list[int]
    corrected: dict[int, str]
    # What snapshots did not hold at first.
    rolled_back: dict[int, int] = {}
    settings: TaskSettings | None = None
    amended: int = 0
    state: State = "running"
    classes: dict[str, int] = {}
    people: dict[str, Labeller] = {}
    history: History = field(default_factory=History)
    last_day: LastDay = field(default_factory=LastDay)


def content(fold: Fold) -> bytes:
    """A sealed copy of the fold as it is now, not yet packed."""
    books = Books(
        **{name: getattr(fold, name) for name in (*FIRST, *LATER)},
        undone=sorted(fold.amendments.undone),  # equal folds have equal bytes
        corrected=dict(sorted(fold.amendments.corrected.items())),
        rolled_back=fold.amendments.rolled_back,
    )
    parts = {MODEL: loop_to_bytes(fold.learner), BOOKS: msgspec.msgpack.encode(books)}
    as_arrays = {name: np.frombuffer(part, np.uint8) for name, part in parts.items()}
    return seal({**as_arrays, **fold.figures.arrays()}, {"kind": "snapshot"})


def pack(sealed: bytes) -> bytes:
    """What the store keeps."""
    return zlib.compress(sealed, LEVEL)


def unpack(packed: bytes, settings: TaskSettings) -> Fold:
    """The fold in a snapshot; ModelFileError if it is damaged."""
    try:
        sealed = zlib.decompress(packed)
    except zlib.error:
        raise ModelFileError("is damaged: it cannot be unpacked") from None
    if header_of(sealed).get("kind") != "snapshot":
        raise ModelFileError("is no snapshot")
    arrays = arrays_of(sealed)
    try:
        books = msgspec.msgpack.decode(arrays.pop(BOOKS).tobytes(), type=Books)
    except (msgspec.DecodeError, KeyError):
        raise ModelFileError("is of another version of askance") from None
    fold = Fold(settings, Amendments(set(books.undone), books.corrected, books.rolled_back))
    fold.learner = loop_from_bytes(arrays.pop(MODEL).tobytes(), LearnerCore)
    fold.figures.restore(arrays)
    for name in (*FIRST, *LATER):
        setattr(fold, name, getattr(books, name))
    if books.settings is None:
        fold.settings = settings
    fold.figures.set_costs(fold.settings.costs)
    return fold
