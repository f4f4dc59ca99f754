"""Snapshots: a fold as bytes, so that not all of a journal has to be replayed."""

import zlib

import msgspec
import numpy as np
from msgspec import Struct

from askance.live.fold import Amendments, Counts, Fold
from askance.live.ledger import Ledger
from askance.live.questions import Questions
from askance.live.settings import TaskSettings
from askance.loop import LabellingLoop
from askance.model_file import loop_from_bytes
from askance.model_file import to_bytes as loop_to_bytes
from askance.sealed import ModelFault, arrays_of, header_of, seal

# Weights are mostly zeros: the fastest level makes a tenth of them.
LEVEL = 1
MODEL, BOOKS = "model", "books"


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


def content(fold: Fold) -> bytes:
    """A sealed copy of the fold as it is now, not yet packed."""
    books = Books(
        fold.seq,
        fold.at,
        fold.version,
        fold.ledger,
        fold.questions,
        fold.counts,
        fold.recent,
        sorted(fold.amendments.undone),  # equal folds have equal bytes
        dict(sorted(fold.amendments.corrected.items())),
    )
    parts = {MODEL: loop_to_bytes(fold.learner), BOOKS: msgspec.msgpack.encode(books)}
    as_arrays = {name: np.frombuffer(part, np.uint8) for name, part in parts.items()}
    return seal({**as_arrays, **fold.figures.arrays()}, {"kind": "snapshot"})


def pack(sealed: bytes) -> bytes:
    """What the store keeps."""
    return zlib.compress(sealed, LEVEL)


def unpack(packed: bytes, settings: TaskSettings) -> Fold:
    """The fold in a snapshot; ModelFault if it is damaged."""
    try:
        sealed = zlib.decompress(packed)
    except zlib.error:
        raise ModelFault("is damaged: it cannot be unpacked") from None
    if header_of(sealed).get("kind") != "snapshot":
        raise ModelFault("is no snapshot")
    arrays = arrays_of(sealed)
    try:
        books = msgspec.msgpack.decode(arrays.pop(BOOKS).tobytes(), type=Books)
    except (msgspec.DecodeError, KeyError):
        raise ModelFault("is of another version of askance") from None
    fold = Fold(settings, Amendments(set(books.undone), books.corrected))
    fold.learner = loop_from_bytes(arrays.pop(MODEL).tobytes(), LabellingLoop)
    fold.figures.restore(arrays)
    for name in ("seq", "at", "version", "ledger", "questions", "counts", "recent"):
        setattr(fold, name, getattr(books, name))
    return fold
