"""Snapshots: a fold as bytes, so that only the end of a journal has to be replayed."""

import zlib

import msgspec
import numpy as np
from msgspec import Struct

from askance._util.sealed_file import arrays_of, header_of, seal
from askance.errors import ModelFileError
from askance.service.settings import State, TaskSettings
from askance.service.state.budget_ledger import Ledger
from askance.service.state.fold import Amendments, Counts, Fold
from askance.service.state.history import History, Labeller, LastDay
from askance.service.state.models import decode, encode
from askance.service.state.questions import Questions

# Weights are mostly zeros: even the fastest level shrinks them to a tenth.
LEVEL = 1
MODEL, STATE = "model", "state"
FIELDS = (
    *("seq", "at", "version", "amended", "state", "settings", "ledger", "questions", "counts", "recent"),
    *("classes", "people", "history", "last_day"),
)


class FoldState(Struct):
    """A fold without its model and its estimates."""

    seq: int
    at: float
    version: int
    ledger: Ledger
    questions: Questions
    counts: Counts
    recent: dict[str, list[tuple[int, int]]]
    undone: list[int]
    corrected: dict[int, str]
    rolled_back: dict[int, int]
    settings: TaskSettings
    amended: int
    state: State
    classes: dict[str, int]
    people: dict[str, Labeller]
    history: History
    last_day: LastDay


def content(fold: Fold) -> bytes:
    """A sealed copy of the current fold, not compressed yet."""
    state = FoldState(
        **{name: getattr(fold, name) for name in FIELDS},
        undone=sorted(fold.amendments.undone),  # equal folds have equal bytes
        corrected=dict(sorted(fold.amendments.corrected.items())),
        rolled_back=fold.amendments.rolled_back,
    )
    parts = {MODEL: encode(fold.learner), STATE: msgspec.msgpack.encode(state)}
    as_arrays = {name: np.frombuffer(part, np.uint8) for name, part in parts.items()}
    return seal({**as_arrays, **fold.figures.arrays()}, {"kind": "snapshot"})


def pack(sealed: bytes) -> bytes:
    """Compress a sealed fold for the store."""
    return zlib.compress(sealed, LEVEL)


def unpack(packed: bytes, settings: TaskSettings) -> Fold:
    """Restore the fold in a snapshot; ModelFileError if it is damaged."""
    try:
        sealed = zlib.decompress(packed)
    except zlib.error:
        raise ModelFileError("is damaged: it cannot be decompressed") from None
    if header_of(sealed).get("kind") != "snapshot":
        raise ModelFileError("is not a snapshot")
    arrays = arrays_of(sealed)
    try:
        state = msgspec.msgpack.decode(arrays.pop(STATE).tobytes(), type=FoldState)
    except (msgspec.DecodeError, KeyError):
        raise ModelFileError("was written by another version of askance") from None
    fold = Fold(settings, Amendments(set(state.undone), state.corrected, state.rolled_back))
    state.settings = msgspec.structs.replace(state.settings, algorithm=settings.algorithm)
    fold.learner = decode(arrays.pop(MODEL).tobytes(), state.settings)
    fold.figures.restore(arrays)
    for name in FIELDS:
        setattr(fold, name, getattr(state, name))
    fold.figures.set_costs(fold.settings.costs)
    return fold
