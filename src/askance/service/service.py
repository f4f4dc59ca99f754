"""The service behind the API: the store, the tasks with their writers, tokens, sessions and the audit log."""

import threading
import time
from collections.abc import Callable

from askance.service import settings as forms
from askance.service.auth.audit import AuditLog
from askance.service.auth.sessions import Sessions
from askance.service.auth.tokens import Tokens
from askance.service.errors import RequestError, conflict, invalid, not_found
from askance.service.settings import TaskSettings
from askance.service.store import Store
from askance.service.task import Task
from askance.service.writer import Writer


class Service:
    """All tasks of a store. `open_to_all` needs no tokens: use it on a loopback address only."""

    def __init__(self, store: Store, *, open_to_all: bool = False, clock: Callable[[], float] = time.time) -> None:
        self.store = store
        self.tokens = Tokens(store)
        self.sessions = Sessions(store, self.tokens, clock)
        self.audit = AuditLog(store, clock)
        self.open_to_all = open_to_all
        self.started = time.time()
        self.stopping = threading.Event()
        self._clock = clock
        self._changed: list[Callable[[str], None]] = []
        self._adding = threading.Lock()
        self.writers: dict[str, Writer] = {}
        for task in store.tasks():
            self._serve(task.id, forms.from_json(task.settings))

    def add_task(self, settings: TaskSettings) -> Writer:
        """Create a task. Its algorithm is stored by name, so that it stays when the default changes."""
        settings = settings.named
        try:
            settings.learner()
        except (ValueError, TypeError, MemoryError) as error:
            raise invalid(str(error)) from None
        with self._adding:
            if settings.name in self.writers:
                raise conflict("name_taken", f"there is already a task {settings.name!r}: choose another name")
            task = self.store.add_task(settings.name, forms.to_json(settings), time.time())
            return self._serve(task.id, settings)

    def writer(self, name: str) -> Writer:
        """The writer of a task."""
        try:
            return self.writers[name]
        except KeyError:
            raise not_found("unknown_task", f"there is no task {name!r}") from None

    def on_change(self, tell: Callable[[str], None]) -> Callable[[], None]:
        """Call `tell` with the name of each task that changes, in a writer's thread; return how to stop it."""
        self._changed.append(tell)
        return lambda: self._changed.remove(tell)

    def check_ready(self) -> None:
        """Raise RequestError if requests cannot be served now."""
        if self.stopping.is_set():
            raise RequestError(503, "stopping", "the service is stopping: try again later", retry_after=5)
        self.store.reachable()

    def stop(self) -> None:
        """Finish the waiting commands, and close the store."""
        self.stopping.set()
        for writer in self.writers.values():
            writer.stop()
        self.store.close()

    def _serve(self, number: int, settings: TaskSettings) -> Writer:
        task = Task(self.store, number, settings, self._clock)
        writer = self.writers[settings.name] = Writer(task, lambda: self._tell(settings.name))
        return writer

    def _tell(self, name: str) -> None:
        for tell in list(self._changed):
            tell(name)
