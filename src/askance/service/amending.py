"""Amendments of the distant past: another thread replays the journal, while the task goes on with the fold it has.

The amendment is on disk before the replay begins. The second fold starts from a snapshot before the amended entry,
catches up with what is written meanwhile, and then takes the place of the first one, between two commits.
"""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, NamedTuple

from askance.service.commands.amendments import PendingAmendment
from askance.service.replay import Replay
from askance.service.state import journal, snapshots
from askance.service.state.fold import Fold
from askance.service.store.entries import Entry
from askance.service.store.reader import Reader

FEW = 2000  # entries that the writer itself replays, while everybody waits
ROUNDS = 50  # of catching up, if entries come as fast as they are replayed

log = logging.getLogger("askance.service")


class Pending(NamedTuple):
    """An amendment on disk, its first entry, and the request that waits until the model knows it."""

    amendment: PendingAmendment
    entry: Entry
    answer: "Future[Any]"


class Replayed(NamedTuple):
    """A fold that has caught up, its snapshots, and where it was when it came to know each amendment."""

    fold: Fold
    started: int
    snapshots: list[tuple[int, bytes]]
    met: dict[int, int]  # entry of an amendment: the last entry that the fold had taken in before

    def knows(self, pending: Pending) -> bool:
        """Whether the fold came to know an amendment before the entries that it is about."""
        first = pending.amendment.first
        return self.met.get(pending.entry.seq, first) < first  # the others came to be known with its first entry


class Amending:
    """The amendments that wait, and the thread that replays for them."""

    def __init__(self, replay: Replay, wake: Callable[[], None]) -> None:
        self.pending: list[Pending] = []
        self._replay = replay
        self._wake = wake
        self._thread: threading.Thread | None = None
        self._cancelled = threading.Event()
        self._outcome: Replayed | Exception | None = None

    def add(self, pending: Pending, every: int) -> None:
        """Wait for a replay that knows this amendment."""
        self.pending.append(pending)
        if self._thread is None:
            self.start(every)

    def start(self, every: int) -> None:
        """Replay in another thread, with a snapshot after every `every` entries."""
        self._cancelled, self._outcome = threading.Event(), None
        self._thread = threading.Thread(target=self._run, args=(every, self._cancelled), name="askance-replay")
        self._thread.start()

    def take_outcome(self) -> Replayed | Exception | None:
        """What the thread has come to, once; None while it works or if there is none."""
        outcome, self._outcome = self._outcome, None
        if outcome is not None and self._thread is not None:
            self._thread.join()
            self._thread = None
        return outcome

    def cancel(self) -> list[Pending]:
        """Stop the thread and return the amendments that wait."""
        self._cancelled.set()
        if self._thread is not None:
            self._thread.join()
        waiting, self.pending, self._thread, self._outcome = self.pending, [], None, None
        return waiting

    def _run(self, every: int, cancelled: threading.Event) -> None:
        outcome: Replayed | Exception | None
        try:
            outcome = self._caught_up(every, cancelled)
        except Exception as error:
            log.exception("a replay failed", extra={"task": self._replay.settings.name})
            outcome = error
        if outcome is not None:
            self._outcome = outcome
            self._wake()

    def _caught_up(self, every: int, cancelled: threading.Event) -> Replayed | None:
        replay = self._replay
        fold = replay.newest()
        found = Replayed(fold, fold.seq, [], {})
        for _ in range(ROUNDS):
            last = replay.store.last(replay.number)
            meet_amendments(replay, found, last)
            for _ in replay.entries(fold, last):
                if cancelled.is_set():
                    return None
                keep_snapshot(found, every)
            if replay.store.last(replay.number) - fold.seq < FEW:
                break
        return found


def meet_amendments(replay: Replay, found: Replayed, upto: int) -> None:
    """Tell a fold of the amendments up to an entry that it does not know yet."""
    fold = found.fold
    for entry in replay.amendments(max(fold.seq, fold.amended), upto):
        found.met[entry.seq] = fold.seq
        fold.amend(entry)


def keep_snapshot(found: Replayed, every: int) -> None:
    """Keep a snapshot of the fold if one is due. It is written when the fold takes its place."""
    fold, kept = found.fold, found.snapshots
    if fold.seq - (kept[-1][0] if kept else found.started) < every or fold.model.diverged:
        return
    kept.append((fold.seq, snapshots.pack(snapshots.content(fold))))
    surplus = snapshots.thinned([seq for seq, _ in kept], kept[0][0])
    kept[:] = [one for one in kept if one[0] not in surplus]


def amend_now(fold: Fold, entry: Entry, body: Any) -> None:
    """Let a fold take in an amendment whose past it does not replay, so that what is shown and asked fits it."""
    fold.amend(entry)
    fold.take(entry, body)
    if entry.kind == journal.UNDO:
        forget_vote(fold, entry.item, body.of)


def forget_vote(fold: Fold, item: int | None, seq: int) -> None:
    """Take a vote that was undone off its question, if that is open, and off the labels that can be undone."""
    question = fold.question_of(item)
    if question is not None:
        undone = [vote for vote in question.votes if vote.seq == seq]
        question.votes = [vote for vote in question.votes if vote.seq != seq]
        for vote in undone:
            fold.voting.retract(question.item, vote.who or "")
    for given in fold.recent.values():
        given[:] = [one for one in given if one[0] != seq]


def shown_by_others(store: Reader, task: int, amendment: PendingAmendment) -> set[str]:
    """Which of the images that an amendment erases belong to other items, too: equal images are kept once."""
    found: set[str] = set()
    if not amendment.images:
        return found
    gone = {entry.seq for entry in amendment.replaced}
    names = {name: name.encode() for name in amendment.images}
    for batch in store.entries(task, kinds=journal.WITH_CONTENT):
        bodies = [entry.body for entry in batch if entry.seq not in gone]
        found |= {name for name, written in names.items() if any(written in body for body in bodies)}
    return found
