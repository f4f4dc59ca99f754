"""Replays: a fold from the newest snapshot that fits, and the entries of the journal after it."""

import logging
from collections.abc import Iterator

from askance.errors import ModelFileError
from askance.service.settings import TaskSettings
from askance.service.state import journal, snapshots
from askance.service.state.fold import Fold
from askance.service.state.replaying import replay
from askance.service.store.entries import Entry
from askance.service.store.reader import Reader

log = logging.getLogger("askance.service")


class Replay:
    """The stored past of a task, for folds of any thread."""

    def __init__(self, store: Reader, number: int, settings: TaskSettings) -> None:
        self.store = store
        self.number = number
        self.settings = settings  # as the task was created

    def newest(self, upto: int | None = None) -> Fold:
        """The fold in the newest sound snapshot, optionally up to an entry; a new one if there is none."""
        before = None if upto is None else upto + 1
        while (found := self.store.snapshot(self.number, before)) is not None:
            before = found[0]
            try:
                fold = snapshots.unpack(found[1], self.settings, needed=found[0] <= self.horizon())
                if upto is None or fold.amended <= upto:  # a snapshot may know of later amendments
                    return fold
            except ModelFileError as error:
                log.error("snapshot %d %s", found[0], error, extra={"task": self.settings.name})
        return Fold(self.settings)

    def horizon(self) -> int:
        """The entry up to which the past can no longer be changed."""
        return int(self.store.setting(horizon_name(self.number)) or 0)

    def amendments(self, after: int, upto: int | None = None) -> Iterator[Entry]:
        """The amendments after an entry, in order."""
        for batch in self.store.entries(self.number, after=after, upto=upto, kinds=journal.AMENDMENTS):
            yield from batch

    def entries(self, fold: Fold, upto: int | None = None) -> Iterator[None]:
        """Let a fold take in the entries that follow, in batches. It must know their amendments already."""
        for batch in self.store.entries(self.number, after=fold.seq, upto=upto, verified=True):
            replay(
                fold,
                batch,
                lambda seqs: self.store.at(self.number, list(seqs), verified=True),
                lambda items: self.store.about(self.number, items, journal.GUESS, verified=True),
            )
            yield

    def all_of(self, fold: Fold, upto: int | None = None) -> Iterator[None]:
        """Let a fold take in amendments and entries that follow, in batches."""
        for entry in self.amendments(fold.seq, upto):
            fold.amend(entry)
        yield from self.entries(fold, upto)


def horizon_name(task: int) -> str:
    """The name of the store's setting that says how far a task was compacted."""
    return f"horizon of task {task}"
