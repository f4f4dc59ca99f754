"""A task: its fold, and the groups of commands that change it.

The fold takes in what commands write; then a group of commands is committed, and they are answered when the commit
has succeeded. If it fails, the fold is ahead of the journal and is rebuilt from the store before the next command.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple

from askance.errors import StoreError
from askance.service import messages
from askance.service.amending import (
    FEW,
    Amending,
    Pending,
    Replayed,
    amend_now,
    forget_vote,
    meet_amendments,
    shown_by_others,
)
from askance.service.commands.amendments import PendingAmendment, label_now, lend_again
from askance.service.commands.items import check_finite, check_forms
from askance.service.errors import RequestError, conflict, invalid
from askance.service.replay import Replay
from askance.service.settings import TaskSettings
from askance.service.state import journal, snapshots
from askance.service.state.finite import NotFiniteError, sentence
from askance.service.state.fold import Fold
from askance.service.state.models import many_rows, warm_up
from askance.service.state.waiting_rows import WaitingRows
from askance.service.store import Entry, Store
from askance.service.throughput import Throughput
from askance.service.transaction import Transaction
from askance.service.views import task as task_view
from askance.service.views.current import predictions_of
from askance.service.views.item_index import ItemIndex

SNAPSHOT_EVERY = 10_000  # entries
SNAPSHOT_LABELS = 2000  # labels of the automatic learner, which take much longer to learn again than items to pass
QUICK, SELDOM = 0.02, 20  # seconds; slower estimates are kept for this many times as long as they took

log = logging.getLogger("askance.service")


class Job(NamedTuple):
    """A command and its answer. A command that runs `alone` may change the past."""

    work: Callable[[Transaction], Any]
    answer: "Future[Any]"
    alone: bool
    size: int


class Snapped(NamedTuple):
    """Where a snapshot was taken: after which entry, and with how many labels learned."""

    seq: int
    labels: int

    @classmethod
    def of(cls, fold: Fold) -> "Snapped":
        """Where a snapshot of a fold would be."""
        return cls(fold.seq, fold.counts.labelled + fold.counts.imported)


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
        self._replay = Replay(store, number, settings)
        self._amending: Amending | None = None
        self._throughput = Throughput()
        self._waiting = WaitingRows()
        self.index = ItemIndex(store, number)
        self._stale = True
        self._estimated = (task_view.Estimates({}, {}, {}), 0.0, 0.0)  # with time and duration
        self._snapped = Snapped(0, 0)
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
        waiting = list(jobs)
        self._swap_if_ready()
        while waiting:
            waiting = self._do_together(waiting)
        due = self._is_due(self.fold, self._snapped)
        if due and not self._stale and not self.is_amending:  # until then, the fold does not know all amendments
            self._take_snapshot()

    def _do_together(self, jobs: list[Job]) -> list[Job]:
        """Run commands and commit them. If one of them spoils the fold, return the others: nothing was written."""
        try:
            self._rebuild_if_stale()
        except Exception as error:
            for job in jobs:
                job.answer.set_exception(unavailable(error))
            return []
        answered: list[tuple[Job, Any]] = []
        transaction = self._transaction()
        for place, job in enumerate(jobs):
            if job.alone:
                self._commit(transaction, answered)
                self._alone(job)
                return jobs[place + 1 :]
            outcome = self._outcome(job, transaction)
            if self._stale:
                job.answer.set_exception(outcome)
                return [other for other, _ in answered] + jobs[place + 1 :]
            answered.append((job, outcome))
        self._commit(transaction, answered)
        return []

    def _rebuild_if_stale(self) -> None:
        if self._stale:
            self.rebuild()
        if self._stale:  # an amendment was answered, and its commit failed
            raise unavailable(None)

    def rebuild(self) -> int:
        """Build the fold from the newest snapshot and the journal after it; return the number of entries."""
        fold = self._replay.newest()
        start, snapped = fold.seq, Snapped.of(fold)
        for _ in self._replay.all_of(fold):
            # So that the next replay is shorter. A model with numbers that are not finite cannot be restored.
            if self._is_due(fold, snapped) and not fold.model.diverged:
                self._keep_snapshot(fold.seq, snapshots.content(fold))
                snapped = Snapped.of(fold)
        fold.note_divergence()
        self.fold, self._stale, self._snapped = fold, False, snapped
        if self._amending is not None:
            for pending in self._amending.cancel():  # this fold knows them
                self._answer(pending, fold.seq - start)
        return fold.seq - start

    def fold_at(self, version: int) -> Fold:
        """Build the fold as it was after that entry; the current one stays."""
        fold = self._replay.newest(version)
        if fold.seq < self.horizon():
            raise conflict("compacted", f"version {version} was dropped by a compaction")
        for _ in self._replay.all_of(fold, version):
            pass
        fold.note_divergence()
        return fold

    def predict(self, items: Sequence[messages.Item]) -> messages.Predictions:
        """Predict with the current model; nothing changes."""
        check_forms(self.settings, items)
        rows = many_rows(self.settings, items)
        fold = self.fold
        check_finite(fold)
        try:
            with fold.model.lock:
                return messages.Predictions(predictions_of(fold, rows), fold.version)
        except NotFiniteError as error:
            raise self._not_finite(error) from None

    def figures(self, transaction: Transaction) -> messages.Figures:
        """The current figures, between two commands."""
        return task_view.figures(
            transaction.fold,
            transaction.now,
            *self._throughput.rates(self._clock()),
            self._estimates(transaction),
        )

    def _estimates(self, transaction: Transaction) -> task_view.Estimates:
        """The estimates. With very many open questions they are slow, and are then updated less often."""
        estimates, made, cost = self._estimated
        start = time.monotonic()
        if cost < QUICK or start - made > SELDOM * cost:
            estimates = task_view.estimates(transaction)
            self._estimated = (estimates, start, time.monotonic() - start)
        return estimates

    def settle(self) -> None:
        """Wait until a snapshot that is being written is on disk."""
        if self._snapping is not None:
            self._snapping.join()

    def stop_asking(self, items: Sequence[int]) -> None:
        """Ask about none of these items that wait from now on, because a compaction drops their content."""
        transaction = self._transaction()
        transaction.write(journal.COMPACTION, journal.Compaction(list(items)))
        for item in items:
            self._waiting.forget(item)
        self._commit(transaction, [])
        if self._stale:
            raise unavailable(None)

    # ------------------------------------------------------------------ inside

    def _transaction(self) -> Transaction:
        return Transaction(self.fold, self.store, self.number, self._clock(), self._waiting)

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
        except NotFiniteError as error:
            self._stale = self._stale or error.changed or self.fold.seq != before
            return self._not_finite(error)
        except Exception as error:
            log.exception("a command failed", extra={"task": self.settings.name})
            self._stale = True
            return error

    def _not_finite(self, error: NotFiniteError) -> RequestError:
        """The error for an item about which the model computes nonsense: is it the item, or the model?"""
        if not self.fold.note_divergence():
            return invalid(
                f"item {error.place} (from 0): its score is not finite, because its values are too large for what "
                "the model has learned: scale them down"
            )
        return conflict("diverged", sentence(self.fold.model.diverged) or "")

    def _commit(self, transaction: Transaction, answered: Sequence[tuple[Job, Any]]) -> None:
        failure: Exception | None = unavailable(None) if self._stale else None
        if transaction.entries and failure is None:
            try:
                self.store.append(self.number, transaction.entries, images=transaction.images)
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
            transaction = self._transaction()
            outcome = job.work(transaction)
            if isinstance(outcome, PendingAmendment):
                self._amend(outcome, job.answer)
            else:
                self._commit(transaction, [(job, outcome)])
        except RequestError as error:
            job.answer.set_exception(error)
        except Exception as error:
            log.exception("an amendment failed", extra={"task": self.settings.name})
            self._stale = True
            job.answer.set_exception(unavailable(error))

    # ------------------------------------------------------------------ amendments

    def amend_in_background(self, wake: Callable[[], None]) -> None:
        """From now on, replay the distant past in another thread, which calls `wake` when `do` is to take over."""
        self._amending = Amending(self._replay, wake)

    @property
    def is_amending(self) -> bool:
        """Whether an amendment waits for its replay."""
        return self._amending is not None and bool(self._amending.pending)

    def stop_amending(self) -> None:
        """End the replays. Amendments are on disk: the next start knows them."""
        message = "the service is stopping: the change is on disk and takes effect at the next start"
        for pending in self._amending.cancel() if self._amending is not None else ():
            pending.answer.set_exception(RequestError(503, "stopping", message, retry_after=5))

    def _amend(self, amendment: PendingAmendment, answer: "Future[Any]") -> None:
        """Write an amendment, and replay the journal from its start: now if it is short, or in another thread."""
        amendment = self._within_horizon(amendment)
        self.settle()
        entries = self._written(amendment)
        is_short = not self.is_amending and self._to_replay(amendment.first) < FEW
        unshown = amendment.images - shown_by_others(self.store, self.number, amendment)
        self._stale = True
        self.store.append(
            self.number,
            entries,
            drop_from=amendment.first,
            replaced=amendment.replaced,
            drop_images=unshown,
        )
        pending = Pending(amendment, entries[0], answer)
        if self._amending is None or is_short:
            self._answer(pending, self.rebuild())
            return
        for one, entry in zip(amendment.all, entries, strict=True):
            amend_now(self.fold, entry, one.body)
        self._stale = False
        self._amending.add(pending, self.snapshot_every)

    def _within_horizon(self, amendment: PendingAmendment) -> PendingAmendment:
        """Refuse to change what is older than the last compaction.

        Items that are older can be deleted all the same. The model then keeps what it has learned from them.
        """
        horizon = self.horizon()
        if amendment.kind == journal.DELETION:
            return amendment._replace(start=max(amendment.start, horizon + 1))
        for one in amendment.all:
            if one.start <= horizon:
                what = "that version" if one.item is None else f"item {one.item}"
                raise conflict("compacted", f"{what} is older than the last compaction and cannot be changed")
        return amendment

    def _written(self, amendment: PendingAmendment) -> list[Entry]:
        """The entries of an amendment."""
        now = self._transaction().now
        return [
            journal.entry(one.kind, seq, now, one.body, item=one.item, key=one.key, who=one.who)
            for seq, one in enumerate(amendment.all, self.fold.seq + 1)
        ]

    def _to_replay(self, start: int) -> int:
        """The number of entries after the last snapshot before an entry."""
        return self.fold.seq - max(
            (seq for seq in self.store.snapshot_seqs(self.number) if seq < start), default=0
        )

    def _swap_if_ready(self) -> None:
        """Put a fold that another thread has replayed in the place of the current one."""
        outcome = self._amending.take_outcome() if self._amending is not None else None
        if isinstance(outcome, Replayed) and not self._stale:
            try:
                self._swap(outcome)
            except Exception as error:
                log.error("a replay failed: %s", error, extra={"task": self.settings.name})
                self._stale = True
        elif outcome is not None:
            self._stale = True  # the fold that is built then knows all amendments

    def _swap(self, found: Replayed) -> None:
        assert self._amending is not None
        meet_amendments(self._replay, found, self.fold.seq)
        for _ in self._replay.entries(found.fold, self.fold.seq):
            pass
        found.fold.note_divergence()
        waiting = self._amending.pending
        late = [pending for pending in waiting if not found.knows(pending)]
        for one in (one for pending in late for one in pending.amendment.all):
            if isinstance(one.body, journal.Undo):
                forget_vote(found.fold, one.item, one.body.of)
        self.fold, self._snapped = found.fold, Snapped.of(found.fold)._replace(seq=found.started)
        self._amending.pending = late
        self._keep_valid(found, min((pending.amendment.first for pending in late), default=None))
        for pending in waiting:
            if pending not in late:
                self._answer(pending, found.fold.seq - found.started)
        if late:
            self._amending.start(self.snapshot_every)

    def _keep_valid(self, found: Replayed, before: int | None) -> None:
        """Write the snapshots of a replay that no other amendment has made invalid."""
        valid = [one for one in found.snapshots if before is None or one[0] < before]
        if valid:
            self._snapped = self._snapped._replace(seq=valid[-1][0])
            self.settle()
            self._snapping = threading.Thread(target=self._write_snapshots, args=(valid,), name="askance-snapshot")
            self._snapping.start()

    def _answer(self, pending: Pending, replayed: int) -> None:
        """Answer the request for an amendment that the fold knows by now."""
        try:
            pending.answer.set_result(self._amended(pending.amendment, pending.entry, replayed))
        except StoreError as error:
            pending.answer.set_exception(unavailable(error))

    def _amended(
        self, amendment: PendingAmendment, entry: Entry, replayed: int
    ) -> messages.Amendment | messages.RolledBack | None:
        if amendment.kind == journal.DELETION:
            return None  # the command has the answer
        if amendment.item is None:
            return messages.RolledBack(entry.seq, amendment.start - 1, self.fold.version, replayed)
        if amendment.kind == journal.UNDO and not amendment.others:  # of a group, nobody has to answer all again
            transaction = self._transaction()
            lend_again(transaction, amendment.item, amendment.who)
            self._commit(transaction, [])
        label = label_now(self._transaction(), self.store.at(self.number, [amendment.item])[amendment.item])
        return messages.Amendment(amendment.item, label, self.fold.version, replayed)

    def horizon(self) -> int:
        """The entry up to which the past can no longer be changed."""
        return self._replay.horizon()

    def _is_due(self, fold: Fold, snapped: Snapped) -> bool:
        """Whether it would take long to replay what came after a snapshot."""
        now = Snapped.of(fold)
        many = fold.settings.is_auto and now.labels - snapped.labels >= SNAPSHOT_LABELS
        return many or now.seq - snapped.seq >= self.snapshot_every

    def _take_snapshot(self) -> None:
        """Copy the fold now; pack and write it in another thread."""
        if self._snapping is not None and self._snapping.is_alive():
            return
        self._snapped = Snapped.of(self.fold)
        if self.fold.note_divergence():  # such a snapshot could not be restored
            return
        sealed, seq = snapshots.content(self.fold), self.fold.seq
        self._snapping = threading.Thread(target=self._keep_snapshot, args=(seq, sealed), name="askance-snapshot")
        self._snapping.start()

    def _keep_snapshot(self, seq: int, sealed: bytes) -> None:
        self._write_snapshots([(seq, snapshots.pack(sealed))])

    def _write_snapshots(self, packed: Sequence[tuple[int, bytes]]) -> None:
        try:
            for seq, content in packed:
                self.store.add_snapshot(self.number, seq, content)
            surplus = snapshots.thinned(self.store.snapshot_seqs(self.number), self.horizon())
            self.store.drop_snapshots(self.number, surplus)
        except StoreError as error:
            log.error("a snapshot failed: %s", error, extra={"task": self.first_settings.name})


def unavailable(error: Exception | None) -> RequestError:
    """The error for a store that failed."""
    if isinstance(error, RequestError):
        return error
    if isinstance(error, StoreError) and error.full:
        return RequestError(507, "store_full", f"nothing was changed: {error}")
    reason = f" ({error})" if isinstance(error, StoreError) else ""
    message = f"the store is not available{reason}: send the request again later, with the same ids and keys"
    return RequestError(503, "store_unavailable", message, retry_after=1)
