"""The deliveries of one webhook: a thread that sends events in order, again if necessary, and keeps its position.

The thread reads the journal and never touches the fold, so that no command waits for a receiver. Its position is
written to the store now and then. After a crash, what was sent since is sent again, with the same ids.
"""

import logging
import random
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

from askance import __version__
from askance.errors import StoreError
from askance.service.connectors.addresses import target_of
from askance.service.connectors.events import KINDS, Event, EventMaker
from askance.service.connectors.sending import Outcome, Sender
from askance.service.connectors.signing import signed
from askance.service.settings import TaskSettings
from askance.service.store import Store, WebhookRecord

AT_ONCE = 100  # entries that are read at once: the journal is the queue
SAVE_EVERY = 1.0  # seconds between two writes of a position
SKIP_MOST = 10_000  # entries without an event after which the position is written too

log = logging.getLogger("askance.service")


class Pace(NamedTuple):
    """How patient deliveries are. With these values, a webhook that fails is disabled after about a day."""

    first: float = 1.0  # seconds after the first failure; then twice as long each time
    most: float = 3600.0
    failures: int = 36
    timeout: float = 10.0


class Delivery:
    """The deliveries of a webhook."""

    def __init__(
        self,
        store: Store,
        record: WebhookRecord,
        settings: TaskSettings,
        pace: Pace,
        *,
        private: bool,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.record = record
        self.delivered = 0  # since the start
        self._store = store
        self._settings = settings
        self._pace = pace
        self._clock = clock
        self._target = target_of(record.url)
        self._sender = Sender(pace.timeout, private=private)
        self._saved = record.position
        self._saved_at = 0.0
        self._lock = threading.Lock()
        self._change = threading.Event()  # of the journal, or of the record by somebody else
        self._interrupt = threading.Event()  # ends a pause
        self._generation = 0  # counts how often somebody set the position
        self._maker: EventMaker | None = None
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name=f"askance-webhook-{record.id}", daemon=True)
        self._thread.start()

    @property
    def behind(self) -> int:
        """The number of entries of the journal that it has not looked at."""
        return max(0, self._store.last(self.record.task) - self.record.position)

    def wake(self) -> None:
        """Look at the journal again."""
        self._change.set()

    def restart(self, after: int | None = None) -> None:
        """Go on after an entry, by default where it was, at once, and enable it if it is disabled."""
        with self._lock:
            position = self.record.position if after is None else after
            record = self.record._replace(position=position, failures=0, error=None, disabled=None)
            self._store.set_webhook(record)
            self.record, self._saved = record, position
            self._generation += 1
        self._interrupt.set()
        self._change.set()

    def stop(self) -> None:
        """End the current request, and write the position."""
        self._stopped = True
        self._interrupt.set()
        self._change.set()
        self._sender.abort()
        self._thread.join(self._pace.timeout)  # looking up a name cannot be interrupted, and may take longer

    # ------------------------------------------------------------------ inside

    def _run(self) -> None:
        while not self._stopped:
            self._change.clear()
            try:
                if self.record.disabled is None and self._deliver_some():
                    continue
            except StoreError as error:
                log.warning("a webhook cannot use the store: %s", error, extra={"task": self._settings.name})
                self._interrupt.wait(self._pace.first)
                continue
            except Exception:
                log.exception("a webhook failed", extra={"task": self._settings.name})
                self._disable("internal error: the traceback is in the log of the service")
            self._change.wait()
        try:
            self._save()
        except StoreError as error:
            log.warning("the position of a webhook was lost: %s", error, extra={"task": self._settings.name})

    def _deliver_some(self) -> bool:
        """Deliver the events of the next entries; return whether there may be more."""
        self._interrupt.clear()
        with self._lock:
            record, generation = self.record, self._generation
        last = self._store.last(record.task)
        if last <= record.position:
            return False
        if self._maker is None:
            self._maker = EventMaker(self._store, record.task, self._settings)
        entries = next(self._store.entries(record.task, record.position, last, KINDS, AT_ONCE), [])
        for seq, events in self._maker.events(entries, record.events.split()):
            if not all(self._deliver(event, generation) for event in events):
                return True
            if not self._advance(seq, generation):
                return True
        return len(entries) == AT_ONCE or not self._advance(last, generation)

    def _deliver(self, event: Event, generation: int) -> bool:
        """Deliver an event, again until it is taken; False if it was disabled, stopped or sent elsewhere."""
        task = self._settings.name
        body = event.body(task)
        while not self._stopped and self._generation == generation:
            headers = signed(self.record.secret, event.identity(task), body, self._clock())
            headers |= {"Content-Type": "application/json", "User-Agent": f"askance/{__version__}"}
            outcome = self._sender.post(self._target, headers, body)
            if outcome.error is None:
                self._succeed()
                return True
            if self._stopped or self._fail(outcome, generation):
                return False
            self._interrupt.wait(self._pause(outcome))
        return False

    def _pause(self, outcome: Outcome) -> float:
        growing = self._pace.first * 2.0 ** min(self.record.failures - 1, 40)
        wanted = max(growing, outcome.retry_after)
        return min(wanted, self._pace.most) * random.uniform(0.8, 1.2)  # so that not all come at the same time

    def _succeed(self) -> None:
        self.delivered += 1
        if self.record.failures:
            with self._lock:
                self.record = self.record._replace(failures=0, error=None)

    def _fail(self, outcome: Outcome, generation: int) -> bool:
        """Count a failure; return whether to give up."""
        failures = self.record.failures + 1
        if outcome.gone or failures >= self._pace.failures:
            count = "" if outcome.gone else f"{failures} failures one after the other, the last: "
            self._disable(f"{count}{outcome.error}", failures)
            return True
        with self._lock:
            if self._generation != generation:
                return True
            self.record = self.record._replace(failures=failures, error=outcome.error)
        self._save()
        return False

    def _disable(self, reason: str, failures: int = 1) -> None:
        log.warning("a webhook was disabled: %s", reason, extra={"task": self._settings.name})
        with self._lock:
            self.record = self.record._replace(failures=failures, error=reason, disabled=reason)
        self._save()

    def _advance(self, seq: int, generation: int) -> bool:
        """Note that everything up to an entry was delivered; False if the position was changed meanwhile."""
        with self._lock:
            if self._generation != generation:
                return False
            self.record = self.record._replace(position=seq)
        moved = self.record.position - self._saved
        if moved > SKIP_MOST or (self.delivered and moved and time.monotonic() - self._saved_at > SAVE_EVERY):
            self._save()
        return True

    def _save(self) -> None:
        with self._lock:
            self._store.set_webhook(self.record)
            self._saved, self._saved_at = self.record.position, time.monotonic()
