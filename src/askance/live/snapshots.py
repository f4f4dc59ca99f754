"""Snapshots: a fold as bytes, so that not all of a journal has to be replayed."""

import zlib
from typing import Any

import msgspec
import numpy as np

from askance.live.fold import Amendments, Counts, Fold
from askance.live.ledger import Ledger
from askance.live.questions import Questions
from askance.live.settings import TaskSettings
from askance.model_file import from_bytes as learner_from_bytes
from askance.model_file import to_bytes as learner_to_bytes
from askance.sealed import ModelFault, arrays_of, header_of, seal

# Weights are mostly zeros: the fastest level makes a tenth of them.
LEVEL = 1
MODEL = "model"


def content(fold: Fold) -> bytes:
    """A sealed copy of the fold as it is now, not yet packed."""
    header = {
        "kind": "snapshot",
        "seq": fold.seq,
        "at": fold.at,
        "version": fold.version,
        "ledger": msgspec.to_builtins(fold.ledger),
        "questions": msgspec.to_builtins(fold.questions),
        "counts": fold.counts._asdict(),
        "recent": fold.recent,
    }
    model = np.frombuffer(learner_to_bytes(fold.learner), np.uint8)
    return seal({MODEL: model, **fold.figures.arrays()}, header)


def pack(sealed: bytes) -> bytes:
    """What the store keeps."""
    return zlib.compress(sealed, LEVEL)


def unpack(packed: bytes, settings: TaskSettings, amendments: Amendments) -> Fold:
    """The fold in a snapshot; ModelFault if it is damaged."""
    try:
        sealed = zlib.decompress(packed)
    except zlib.error:
        raise ModelFault("is damaged: it cannot be unpacked") from None
    header: dict[str, Any] = header_of(sealed)
    arrays = arrays_of(sealed)
    fold = Fold(settings, amendments)
    fold.learner = learner_from_bytes(arrays.pop(MODEL).tobytes())
    fold.figures.restore(arrays)
    fold.ledger = msgspec.convert(header["ledger"], Ledger)
    # JSON has no numbers as keys, so msgspec is told to take their strings.
    fold.questions = msgspec.convert(header["questions"], Questions, strict=False)
    fold.counts = Counts(**header["counts"])
    fold.recent = {who: [(seq, item) for seq, item in labels] for who, labels in header["recent"].items()}
    fold.seq, fold.at, fold.version = header["seq"], header["at"], header["version"]
    return fold
