"""A task: its fold, and the groups of commands that change it.

The fold takes in what commands write; then a group of commands is committed, and they are answered when the commit
has succeeded. If it fails, the fold is ahead of the journal and is rebuilt from the store before the next command.
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
from askance.service.commands.amendments import PendingAmendment, label_now
from askance.service.commands.items import check_forms
from askance.service.commands.labels import lend
from askance.service.errors import RequestError, conflict
from askance.service.settings import TaskSettings
from askance.service.state import journal, snapshots
from askance.service.state.fold import Fold
from askance.service.state.models import many_rows, warm_up
from askance.service.store import Store
from askance.service.throughput import Throughput
from askance.service.transaction import Transaction
from askance.service.views import task as task_view

SNAPSHOT_EVERY = 10_000  # entries
QUICK, SELDOM = 0.02, 20  # seconds; slower estimates are kept for this many times as long as they took
KEPT_SNAPSHOTS = 3  # in addition to older ones, which are thinned out

log = logging.getLogger("askance.service")


class Job(NamedTuple):
    """A command and its answer. A command that runs `alone` may change the past."""

    work: Callable[[Transaction], Any]
    answer: "Future[Any]"
    alone: bool
    size: int


class Task:
    """A task. Only the thread of its writer calls `do`; any thread may call `predict`."""

    def __init__(
        self, store: Store, number: int, settings: TaskSettings, clock: Callable[[], float] = time.time
    ) -> None:
        self.first_settings = settings  # as created; the fold has the current ones
        self.number = number
        self.fold: Fold
        self.snapshot_every = SNAPSHOT_EVERY
        self.store = store
        self._clock = clock
        self._throughput = Throughput()
        self._stale = True
        self._estimated: tuple[dict[str, Estimate], float, float] = ({}, 0.0, 0.0)  # with time and duration
        self._snapped = 0
        self._snapping: threading.Thread | None = None
        warm_up(settings)
        self.rebuild()

    @property
    def settings(self) -> TaskSettings:
        """The current settings."""
        return self.fold.settings

    # ------------------------------------------------------------------ groups of commands

    def do(self, jobs: Sequence[Job]) -> None:
        """Run commands in order, commit what they wrote, and answer them."""
        try:
            if self._stale:
                self.rebuild()
        except Exception as error:
            for job in jobs:
                job.answer.set_exception(unavailable(error))
            return
        answered: list[tuple[Job, Any]] = []
        transaction = self._transaction()
        for job in jobs:
            if job.alone:
                self._commit(transaction, answered)
                answered, transaction = [], self._transaction()
                self._alone(job)
                transaction = self._transaction()
            else:
                answered.append((job, self._outcome(job, transaction)))
            if self._stale:
                break
        self._commit(transaction, answered)
        for job in jobs:
            if not job.answer.done():
                job.answer.set_exception(unavailable(None))
        if not self._stale and self.fold.seq - self._snapped >= self.snapshot_every:
            self._take_snapshot()

    def rebuild(self) -> int:
        """Build the fold from the newest snapshot and the journal after it; return the number of entries."""
        fold = self._newest()
        start = snapped = fold.seq
        for _ in self._replayed(fold):
            if fold.seq - snapped >= self.snapshot_every:  # so that the next replay is shorter
                self._keep_snapshot(fold.seq, snapshots.content(fold))
                snapped = fold.seq
        self.fold, self._stale, self._snapped = fold, False, snapped
        return fold.seq - start

    def fold_at(self, version: int) -> Fold:
        """Build the fold as it was after that entry; the current one stays."""
        fold = self._newest(version)
        if fold.seq < self.horizon():
            raise conflict("compacted", f"version {version} was dropped by a compaction")
        for _ in self._replayed(fold, version):
            pass
        return fold

    def predict(self, items: Sequence[messages.Item]) -> messages.Predictions:
        """Predict with the current model; nothing changes."""
        check_forms(self.settings, items)
        rows = many_rows(self.settings, items)
        fold = self.fold
        with fold.lock:
            version = fold.version
            predictions = fold.learner.predict(rows)
            scores = fold.learner.decision_function(rows)
        if scores.ndim == 2:  # with more than two classes, the lead of the best one
            best = np.partition(scores, -2, axis=1)
            scores = best[:, -1] - best[:, -2]
        pairs = zip(predictions.tolist(), scores.tolist(), strict=True)
        return messages.Predictions([messages.Prediction(*pair) for pair in pairs], version)

    def figures(self, transaction: Transaction) -> messages.Figures:
        """The current figures, between two commands."""
        return task_view.figures(
            transaction.fold,
            transaction.now,
            *self._throughput.rates(self._clock()),
            self._estimates(transaction.fold),
        )

    def _estimates(self, fold: Fold) -> dict[str, Estimate]:
        """The estimates. With very many open questions they are slow, and are then updated less often."""
        estimates, made, cost = self._estimated
        start = time.monotonic()
        if cost < QUICK or start - made > SELDOM * cost:
            estimates = fold.figures.estimates(fold.questions.open.values())
            self._estimated = (estimates, start, time.monotonic() - start)
        return estimates

    def settle(self) -> None:
        """Wait until a snapshot that is being written is on disk."""
        if self._snapping is not None:
            self._snapping.join()

    # ------------------------------------------------------------------ inside

    def _replayed(self, fold: Fold, upto: int | None = None) -> Iterator[None]:
        """Replay the journal after a fold, in batches."""
        for batch in self.store.entries(self.number, after=fold.seq, upto=upto, kinds=journal.AMENDMENTS):
            for entry in batch:
                fold.amend(entry)
        for batch in self.store.entries(self.number, after=fold.seq, upto=upto):
            fold.replay(batch, lambda seqs: self.store.at(self.number, list(seqs)))
            yield

    def _transaction(self) -> Transaction:
        return Transaction(self.fold, self.store, self.number, self._clock())

    def _outcome(self, job: Job, transaction: Transaction) -> Any:
        """Return the answer or the error. After an unexpected error the fold may be inconsistent."""
        before = self.fold.seq
        try:
            return job.work(transaction)
        except RequestError as error:
            self._stale = self._stale or self.fold.seq != before  # errors should come before the first change
            return error
        except StoreError as error:
            self._stale = self._stale or self.fold.seq != before
            return unavailable(error)
        except Exception as error:
            log.exception("a command failed", extra={"task": self.settings.name})
            self._stale = True
            return error

    def _commit(self, transaction: Transaction, answered: Sequence[tuple[Job, Any]]) -> None:
        failure: Exception | None = unavailable(None) if self._stale else None
        if transaction.entries and failure is None:
            try:
                self.store.append(self.number, transaction.entries)
                self._throughput.note(self._clock(), transaction.entries)
            except Exception as error:
                log.error("a commit failed: %s", error, extra={"task": self.settings.name})
                self._stale, failure = True, unavailable(error)
        for job, outcome in answered:
            if isinstance(outcome, Exception):
                job.answer.set_exception(outcome)
            elif failure is not None:
                job.answer.set_exception(failure)
            else:
                job.answer.set_result(outcome)

    def _alone(self, job: Job) -> None:
        if self._stale:
            job.answer.set_exception(unavailable(None))
            return
        try:
            outcome = job.work(self._transaction())
            job.answer.set_result(self._amend(outcome) if isinstance(outcome, PendingAmendment) else outcome)
        except RequestError as error:
            job.answer.set_exception(error)
        except Exception as error:
            log.exception("an amendment failed", extra={"task": self.settings.name})
            self._stale = True
            job.answer.set_exception(unavailable(error))

    def _amend(self, amendment: PendingAmendment) -> messages.Amendment | messages.RolledBack:
        """Write an amendment and replay the journal from its start."""
        if amendment.start <= self.horizon():
            what = "that version" if amendment.item is None else f"item {amendment.item}"
            raise conflict("compacted", f"{what} is older than the last compaction and cannot be changed")
        self.settle()
        transaction = self._transaction()
        entry = journal.entry(
            amendment.kind,
            self.fold.seq + 1,
            transaction.now,
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
        transaction = self._transaction()
        question = self.fold.questions.open.get(amendment.item)
        if amendment.kind == journal.UNDO and question is not None:
            lend(transaction, [question], transaction.now + self.settings.labels.lease_seconds, amendment.who)
            self._commit(transaction, [])
        label = label_now(self._transaction(), self.store.at(self.number, [amendment.item])[amendment.item])
        return messages.Amendment(amendment.item, label, self.fold.version, replayed)

    def horizon(self) -> int:
        """The entry up to which the past can no longer be changed."""
        return int(self.store.setting(horizon_name(self.number)) or 0)

    def _newest(self, upto: int | None = None) -> Fold:
        before = None if upto is None else upto + 1
        while (found := self.store.snapshot(self.number, before)) is not None:
            before = found[0]
            try:
                fold = snapshots.unpack(found[1], self.first_settings)
                if upto is None or fold.amended <= upto:  # a snapshot may know of later amendments
                    return fold
            except ModelFileError as error:
                log.error("snapshot %d %s", found[0], error, extra={"task": self.first_settings.name})
        return Fold(self.first_settings)

    def _take_snapshot(self) -> None:
        """Copy the fold now; pack and write it in another thread."""
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
        except StoreError as error:
            log.error("a snapshot failed: %s", error, extra={"task": self.first_settings.name})


def thinned(seqs: Sequence[int], horizon: int) -> list[int]:
    """The snapshots to drop. Of older ones, one is kept for each doubling of the distance."""
    kept: set[int] = {*seqs[-KEPT_SNAPSHOTS:], horizon}
    if seqs:
        newest, reach = seqs[-1], 2 * (seqs[-1] - seqs[max(0, len(seqs) - KEPT_SNAPSHOTS)]) or 1
        for seq in reversed(seqs):
            if newest - seq >= reach:
                kept.add(seq)
                reach = 2 * (newest - seq)
    return [seq for seq in seqs if seq not in kept]


def horizon_name(task: int) -> str:
    """The name of the store's setting that says how far a task was compacted."""
    return f"horizon of task {task}"


def unavailable(error: Exception | None) -> RequestError:
    """The error for a store that failed."""
    if isinstance(error, RequestError):
        return error
    if isinstance(error, StoreError) and error.full:
        return RequestError(507, "store_full", f"nothing was changed: {error}")
    reason = f" ({error})" if isinstance(error, StoreError) else ""
    message = f"the store is not available{reason}: send the request again later, with the same ids and keys"
    return RequestError(503, "store_unavailable", message, retry_after=1)
