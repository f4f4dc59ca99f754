"""Snapshots: a fold as bytes, so that only the end of a journal has to be replayed."""

import zlib
from collections.abc import Sequence

import msgspec
import numpy as np
from msgspec import Struct

from askance._util.sealed_file import arrays_of, header_of, seal
from askance.errors import ModelFileError
from askance.service.settings import State, TaskSettings
from askance.service.state.amendments import Amendments
from askance.service.state.audits import Audits
from askance.service.state.automation import Automation, AutomationState
from askance.service.state.budget_ledger import Ledger
from askance.service.state.candidates import Candidates
from askance.service.state.counts import Counts
from askance.service.state.drifting import Drifting, DriftState
from askance.service.state.figures import Figures
from askance.service.state.fold import Fold
from askance.service.state.gold import Gold
from askance.service.state.history import History, Labeller, LastDay
from askance.service.state.item_model import ItemModel
from askance.service.state.models import decode, encode
from askance.service.state.programs import Programs, ProgramsState
from askance.service.state.questions import Questions
from askance.service.state.voting import Voting, VotingState

# Weights are mostly zeros: even the fastest level shrinks them to a tenth.
LEVEL = 1
KEPT = 3  # newest snapshots; of older ones, one is kept for each doubling of the distance
MODEL, STATE = "model", "state"
FIELDS = (
    *("seq", "at", "version", "amended", "state", "settings", "ledger", "questions", "counts", "recent"),
    *("classes", "people", "history", "last_day", "candidates", "audits", "flags"),
    *("late_guesses", "guessed", "gold"),
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
    # Snapshots of earlier versions do not have these.
    candidates: Candidates = msgspec.field(default_factory=Candidates)
    audits: Audits = msgspec.field(default_factory=Audits)
    learned: int | None = None
    flags: dict[int, dict[int, str]] = msgspec.field(default_factory=dict)
    late_guesses: int = 0
    guessed: dict[str, int] = msgspec.field(default_factory=dict)
    gold: Gold = msgspec.field(default_factory=Gold)
    automation: AutomationState | None = None
    drifting: DriftState | None = None
    voting: VotingState | None = None
    programs: ProgramsState | None = None
    # The items of the rows that the automatic learner remembers.
    items: list[int] | None = None


def content(fold: Fold) -> bytes:
    """A sealed copy of the current fold, not compressed yet."""
    model = fold.model
    state = FoldState(
        **{name: getattr(fold, name) for name in FIELDS},
        learned=model.learned,
        undone=sorted(fold.amendments.undone),  # equal folds have equal bytes
        corrected=dict(sorted(fold.amendments.corrected.items())),
        rolled_back=fold.amendments.rolled_back,
        automation=fold.automation.state(),
        drifting=fold.drifting.state(),
        voting=fold.voting.state,
        programs=fold.programs.state,
        items=model.learner.items if isinstance(model.learner, ItemModel) else None,
    )
    parts = {MODEL: encode(model.learner), STATE: msgspec.msgpack.encode(state)}
    as_arrays = {name: np.frombuffer(part, np.uint8) for name, part in parts.items()}
    return seal({**as_arrays, **fold.figures.arrays()}, {"kind": "snapshot"})


def pack(sealed: bytes) -> bytes:
    """Compress a sealed fold for the store."""
    return zlib.compress(sealed, LEVEL)


def unpack(packed: bytes, settings: TaskSettings, *, needed: bool = False) -> Fold:
    """Restore the fold in a snapshot; ModelFileError if it is damaged.

    Earlier versions did not write down which items the learner remembers, so corrections would not find them. Such
    a snapshot is refused too, unless it is `needed` because a compaction has dropped what came before: the labels
    that it has learned then stay as they are.
    """
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
    learner = decode(arrays.pop(MODEL).tobytes(), state.settings)
    if isinstance(learner, ItemModel):
        if state.items is None and settings.corrects_in_place and not needed:
            raise ModelFileError("was written by an earlier version of askance")
        learner.items = [0] * learner.core.remembered if state.items is None else state.items
    fold.model.learner, fold.model.learned = learner, state.learned
    fold.figures = Figures(state.settings)
    fold.figures.restore(arrays)
    for name in FIELDS:
        setattr(fold, name, getattr(state, name))
    fold.figures.set_costs(fold.settings.costs)
    fold.automation = (
        Automation(fold.settings.certify) if state.automation is None else Automation.of(state.automation)
    )
    fold.drifting = Drifting(state.drifting)
    fold.voting = Voting(state.voting)
    fold.programs = Programs(state.programs)
    return fold


def thinned(seqs: Sequence[int], horizon: int) -> list[int]:
    """The snapshots to drop, of those after these entries, in order; the one at the horizon stays.

    Of older ones, one goes if without it the next older one, or the beginning, is at most twice as far from the
    newest as the next newer one. Distances only grow, and all by the same, so this stays true.
    """
    kept = list(seqs[-KEPT:])
    surplus = []
    for place in range(len(seqs) - KEPT - 1, -1, -1):
        older = seqs[place - 1] if place else horizon
        if seqs[place] != horizon and seqs[-1] - older <= 2 * (seqs[-1] - kept[0]):
            surplus.append(seqs[place])
        else:
            kept.insert(0, seqs[place])
    return surplus[::-1]
