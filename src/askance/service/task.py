"""A live task: its fold, and the groups of commands that change it.

Commands are taken into the fold first and committed together; they are answered when the commit has succeeded. If
it fails, the fold is ahead of the journal: it is built again from the store before the next command.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple

import numpy as np

from askance.errors import ModelFileError, StoreError
from askance.metrics import Estimate
from askance.service import messages
from askance.service.commands.amendments import Amendment, label_now
from askance.service.commands.items import check_forms, rows_of
from askance.service.commands.labels import lend
from askance.service.errors import Refusal, conflict
from askance.service.settings import TaskSettings, warm_up
from askance.service.state import journal, snapshots
from askance.service.state.fold import Fold
from askance.service.store import Store
from askance.service.throughput import Pace
from askance.service.transaction import Draft
from askance.service.views import task as task_view

SNAPSHOT_EVERY = 10_000  # entries
QUICK, SELDOM = 0.02, 20  # seconds; and how many times as long as estimates took they are kept, if not quick
KEPT_SNAPSHOTS = 3  # beside those that thin out towards the past

log = logging.getLogger("askance.service")


class Job(NamedTuple):
    """A command, and whom to answer. An `alone` one has the journal for itself and may change the past."""

    work: Callable[[Draft], Any]
    answer: "Future[Any]"
    alone: bool
    size: int


class LiveTask:
    """A task in service. Only its writer's thread calls `do`; `predict` may be called from any."""

    def __init__(
        self, store: Store, number: int, settings: TaskSettings, clock: Callable[[], float] = time.time
    ) -> None:
        self.first_settings = settings  # those of the start; the fold knows how they have changed
        self.number = number
        self.fold: Fold
        self.snapshot_every = SNAPSHOT_EVERY
        self.store = store
        self._clock = clock
        self._pace = Pace()
        self._stale = True
        self._estimated: tuple[dict[str, Estimate], float, float] = ({}, 0.0, 0.0)  # when, and how long it took
        self._snapped = 0
        self._snapping: threading.Thread | None = None
        warm_up(settings)
        self.rebuild()

    @property
    def settings(self) -> TaskSettings:
        """The settings of now."""
        return self.fold.settings

    # ------------------------------------------------------------------ groups of commands

    def do(self, jobs: Sequence[Job]) -> None:
        """Run commands in their order, commit what they wrote, and answer them."""
        try:
            if self._stale:
                self.rebuild()
        except Exception as error:
            for job in jobs:
                job.answer.set_exception(unavailable(error))
            return
        answered: list[tuple[Job, Any]] = []
        draft = self._draft()
        for job in jobs:
            if job.alone:
                self._commit(draft, answered)
                answered, draft = [], self._draft()
                self._alone(job)
                draft = self._draft()
            else:
                answered.append((job, self._outcome(job, draft)))
            if self._stale:
                break
        self._commit(draft, answered)
        for job in jobs:
            if not job.answer.done():
                job.answer.set_exception(unavailable(None))
        if not self._stale and self.fold.seq - self._snapped >= self.snapshot_every:
            self._take_snapshot()

    def rebuild(self) -> int:
        """Build the fold from the newest snapshot and the journal after it; how many entries that were."""
        fold = self._newest()
        start = snapped = fold.seq
        for _ in self._replayed(fold):
            if fold.seq - snapped >= self.snapshot_every:  # so that the next replay has less to do
                self._keep_snapshot(fold.seq, snapshots.content(fold))
                snapped = fold.seq
        self.fold, self._stale, self._snapped = fold, False, snapped
        return fold.seq - start

    def fold_at(self, version: int) -> Fold:
        """The fold as it was after that entry, built again beside the one of now."""
        fold = self._newest(version)
        if fold.seq < self.horizon():
            raise conflict("compacted", f"version {version} cannot be had after a compaction: it is gone")
        for _ in self._replayed(fold, version):
            pass
        return fold

    def predict(self, items: Sequence[messages.Item]) -> messages.Predictions:
        """What the model of now says; nothing changes."""
        check_forms(self.settings, items)
        rows = rows_of(self.settings, items)
        fold = self.fold
        with fold.lock:
            version = fold.version
            guesses = fold.learner.predict(rows)
            scores = fold.learner.decision_function(rows)
        if scores.ndim == 2:  # of many classes, how far the best is ahead
            best = np.partition(scores, -2, axis=1)
            scores = best[:, -1] - best[:, -2]
        pairs = zip(guesses.tolist(), scores.tolist(), strict=True)
        return messages.Predictions([messages.Prediction(*pair) for pair in pairs], version)

    def figures(self, draft: Draft) -> messages.Figures:
        """How the task is doing, told between two commands."""
        return task_view.figures(
            draft.fold, draft.now, *self._pace.rates(self._clock()), self._estimates(draft.fold)
        )

    def _estimates(self, fold: Fold) -> dict[str, Estimate]:
        """The estimates; with very many open questions they take a while, and are then made only now and then."""
        estimates, made, cost = self._estimated
        start = time.monotonic()
        if cost < QUICK or start - made > SELDOM * cost:
            estimates = fold.figures.estimates(fold.questions.open.values())
            self._estimated = (estimates, start, time.monotonic() - start)
        return estimates

    def settle(self) -> None:
        """Wait until a snapshot that is being taken is on disk."""
        if self._snapping is not None:
            self._snapping.join()

    # ------------------------------------------------------------------ inside

    def _replayed(self, fold: Fold, upto: int | None = None) -> Iterator[None]:
        """Have a fold take in the journal after it, some entries at a time."""
        for batch in self.store.entries(self.number, after=fold.seq, upto=upto, kinds=journal.AMENDMENTS):
            for entry in batch:
                fold.amend(entry)
        for batch in self.store.entries(self.number, after=fold.seq, upto=upto):
            fold.replay(batch, lambda seqs: self.store.at(self.number, list(seqs)))
            yield

    def _draft(self) -> Draft:
        return Draft(self.fold, self.store, self.number, self._clock())

    def _outcome(self, job: Job, draft: Draft) -> Any:
        """The answer or the refusal. Anything else that goes wrong may have left the fold half-way."""
        before = self.fold.seq
        try:
            return job.work(draft)
        except Refusal as refusal:
            self._stale = self._stale or self.fold.seq != before  # it should come before the first change
            return refusal
        except StoreError as error:
            self._stale = self._stale or self.fold.seq != before
            return unavailable(error)
        except Exception as error:
            log.exception("a command failed", extra={"task": self.settings.name})
            self._stale = True
            return error

    def _commit(self, draft: Draft, answered: Sequence[tuple[Job, Any]]) -> None:
        fault: Exception | None = unavailable(None) if self._stale else None
        if draft.entries and fault is None:
            try:
                self.store.append(self.number, draft.entries)
                self._pace.note(self._clock(), draft.entries)
            except Exception as error:
                log.error("a commit failed: %s", error, extra={"task": self.settings.name})
                self._stale, fault = True, unavailable(error)
        for job, outcome in answered:
            if isinstance(outcome, Exception):
                job.answer.set_exception(outcome)
            elif fault is not None:
                job.answer.set_exception(fault)
            else:
                job.answer.set_result(outcome)

    def _alone(self, job: Job) -> None:
        if self._stale:
            job.answer.set_exception(unavailable(None))
            return
        try:
            outcome = job.work(self._draft())
            job.answer.set_result(self._amend(outcome) if isinstance(outcome, Amendment) else outcome)
        except Refusal as refusal:
            job.answer.set_exception(refusal)
        except Exception as error:
            log.exception("an amendment failed", extra={"task": self.settings.name})
            self._stale = True
            job.answer.set_exception(unavailable(error))

    def _amend(self, amendment: Amendment) -> messages.Mended | messages.RolledBack:
        """Write an entry about the past and replay what came after it."""
        if amendment.start <= self.horizon():
            what = "that version" if amendment.item is None else f"item {amendment.item}"
            raise conflict("compacted", f"{what} is older than the last compaction: it stays as it is")
        self.settle()
        draft = self._draft()
        entry = journal.entry(
            amendment.kind,
            self.fold.seq + 1,
            draft.now,
            amendment.body,
            item=amendment.item,
            key=amendment.key,
            who=amendment.who,
        )
        self._stale = True
        self.store.append(self.number, [entry], drop_from=amendment.start)
        replayed = self.rebuild()
        if amendment.item is None:
            return messages.RolledBack(entry.seq, amendment.start - 1, self.fold.version, replayed)
        draft = self._draft()
        question = self.fold.questions.open.get(amendment.item)
        if amendment.kind == journal.UNDO and question is not None:
            lend(draft, [question], draft.now + self.settings.labels.lease_seconds, amendment.who)
            self._commit(draft, [])
        label = label_now(self._draft(), self.store.at(self.number, [amendment.item])[amendment.item])
        return messages.Mended(amendment.item, label, self.fold.version, replayed)

    def horizon(self) -> int:
        """The entry up to which the past cannot be changed any more."""
        return int(self.store.setting(horizon_name(self.number)) or 0)

    def _newest(self, upto: int | None = None) -> Fold:
        before = None if upto is None else upto + 1
        while (found := self.store.snapshot(self.number, before)) is not None:
            before = found[0]
            try:
                fold = snapshots.unpack(found[1], self.first_settings)
                if upto is None or fold.amended <= upto:  # a snapshot may know of what came after it
                    return fold
            except ModelFileError as fault:
                log.error("snapshot %d %s", found[0], fault, extra={"task": self.first_settings.name})
        return Fold(self.first_settings)

    def _take_snapshot(self) -> None:
        """Copy the fold now; packing and writing it need nobody to wait."""
        if self._snapping is not None and self._snapping.is_alive():
            return
        self._snapped = self.fold.seq
        sealed, seq = snapshots.content(self.fold), self.fold.seq
        self._snapping = threading.Thread(target=self._keep_snapshot, args=(seq, sealed), name="askance-snapshot")
        self._snapping.start()

    def _keep_snapshot(self, seq: int, sealed: bytes) -> None:
        try:
            self.store.add_snapshot(self.number, seq, snapshots.pack(sealed))
            surplus = thinned(self.store.snapshot_seqs(self.number), self.horizon())
            self.store.drop_snapshots(self.number, surplus)
        except StoreError as fault:
            log.error("a snapshot failed: %s", fault, extra={"task": self.first_settings.name})


def thinned(seqs: Sequence[int], horizon: int) -> list[int]:
    """The snapshots that can go: of older ones, one is kept for each doubling of the way back."""
    kept: set[int] = {*seqs[-KEPT_SNAPSHOTS:], horizon}
    if seqs:
        newest, reach = seqs[-1], 2 * (seqs[-1] - seqs[max(0, len(seqs) - KEPT_SNAPSHOTS)]) or 1
        for seq in reversed(seqs):
            if newest - seq >= reach:
                kept.add(seq)
                reach = 2 * (newest - seq)
    return [seq for seq in seqs if seq not in kept]


def horizon_name(task: int) -> str:
    """Under which name the store keeps how far a task was compacted."""
    return f"horizon of task {task}"


def unavailable(error: Exception | None) -> Refusal:
    """The store does not do its part."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, StoreError) and error.full:
        return Refusal(507, "store_full", f"nothing was changed: {error}")
    reason = f" ({error})" if isinstance(error, StoreError) else ""
    message = f"this cannot be acknowledged now{reason}: send it again later, with the same ids and keys"
    return Refusal(503, "store_unavailable", message, retry_after=1)
