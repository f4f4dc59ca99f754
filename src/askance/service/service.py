"""The service behind the API: the store, the tasks with their writers, tokens, sessions and the audit log."""

import logging
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

import msgspec

from askance.errors import AskanceError, StoreError
from askance.service import settings as forms
from askance.service.auth.audit import AuditLog
from askance.service.auth.links import SignInLinks
from askance.service.auth.sessions import Sessions
from askance.service.auth.tokens import Tokens
from askance.service.clock import SteadyClock
from askance.service.connectors.delivery import Pace
from askance.service.connectors.webhooks import Webhooks
from askance.service.errors import RequestError, conflict, invalid, not_found
from askance.service.settings import TaskSettings
from askance.service.store import Store, TaskRecord
from askance.service.task import Task
from askance.service.uploads.registry import MOST_BYTES, Uploads
from askance.service.writer import Writer

log = logging.getLogger("askance.service")


class BrokenTask(NamedTuple):
    """A task of the store that cannot be served, and the reason. Its settings are None if they cannot be read."""

    settings: TaskSettings | None
    reason: str


class Service:
    """All tasks of a store. `open_to_all` needs no tokens: use it on a loopback address only.

    A task that cannot be rebuilt does not keep the others down: it is in `broken` instead of `writers`.
    """

    def __init__(
        self,
        store: Store,
        *,
        open_to_all: bool = False,
        clock: Callable[[], float] | None = None,
        private_webhooks: bool = False,
        pace: Pace | None = None,
        upload_bytes: int = MOST_BYTES,
    ) -> None:
        clock = clock or SteadyClock()
        self.store = store
        self.tokens = Tokens(store, clock)
        self.sessions = Sessions(store, self.tokens, clock)
        self.links = SignInLinks(store, self.tokens, clock)
        self.audit = AuditLog(store, clock)
        self.open_to_all = open_to_all
        self.started = time.time()
        self.stopping = threading.Event()
        self.clock = clock
        self.uploads = Uploads(upload_bytes, clock)
        self.webhooks = Webhooks(store, private=private_webhooks, pace=pace)
        self._changed: list[Callable[[str], None]] = [self.webhooks.wake]
        self._adding = threading.Lock()
        self.writers: dict[str, Writer] = {}
        self.broken: dict[str, BrokenTask] = {}
        try:
            for task in store.tasks():
                self._restore(task)
        except BaseException:
            self._stop_writers()  # their threads would keep the process alive
            raise

    def add_task(self, settings: TaskSettings) -> Writer:
        """Create a task. Its algorithm is stored by name, so that it stays when the default changes."""
        settings = settings.named
        try:
            settings.learner()
        except (ValueError, TypeError, MemoryError) as error:
            raise invalid(str(error)) from None
        with self._adding:
            if settings.name in self.writers or settings.name in self.broken:
                raise conflict("name_taken", f"there is already a task {settings.name!r}: choose another name")
            task = self.store.add_task(settings.name, forms.to_json(settings), time.time())
            return self._serve(task.id, settings)

    def writer(self, name: str) -> Writer:
        """The writer of a task."""
        if name in self.writers:
            return self.writers[name]
        if name in self.broken:
            raise RequestError(
                503, "task_broken", f"the task {name!r} cannot be served: {self.broken[name].reason}"
            )
        raise not_found("unknown_task", f"there is no task {name!r}")

    def on_change(self, tell: Callable[[str], None]) -> Callable[[], None]:
        """Call `tell` with the name of each task that changes, in a writer's thread; return how to stop it."""
        self._changed.append(tell)
        return lambda: self._changed.remove(tell)

    def check_ready(self) -> None:
        """Raise RequestError if requests cannot be served now."""
        if self.stopping.is_set():
            raise RequestError(503, "stopping", "the service is stopping: try again later", retry_after=5)
        self.store.reachable()
        try:
            self.store.check_room()
        except StoreError as error:
            raise RequestError(503, "store_full", f"nothing can be written: {error}", retry_after=30) from None

    def stop(self) -> None:
        """Finish the waiting commands, and close the store."""
        self.stopping.set()
        self.uploads.close()
        self._stop_writers()
        self.webhooks.stop()
        self.store.close()

    def _stop_writers(self) -> None:
        for writer in self.writers.values():
            writer.stop()

    def _restore(self, task: TaskRecord) -> None:
        """Serve a task of the store, or keep the reason why that is impossible."""
        settings = None
        try:
            settings = forms.from_json(task.settings)
            self._serve(task.id, settings)
        except Exception as error:
            self.store.reachable()  # if the whole store is away, the start fails
            reason = " ".join(str(error).split()) or type(error).__name__
            if isinstance(error, msgspec.DecodeError):
                reason = f"its settings are damaged ({reason}): restore a backup"
            elif not isinstance(error, AskanceError | ValueError | MemoryError):
                log.exception("a task cannot be served", extra={"task": task.name})
            log.error("a task cannot be served: %s", reason, extra={"task": task.name})
            self.broken[task.name] = BrokenTask(settings, reason)

    def _serve(self, number: int, settings: TaskSettings) -> Writer:
        task = Task(self.store, number, settings, self.clock)
        writer = self.writers[settings.name] = Writer(task, lambda: self._tell(settings.name))
        self.webhooks.serve(number, settings)
        return writer

    def _tell(self, name: str) -> None:
        for tell in list(self._changed):
            tell(name)
