"""The writer of a task: one thread that runs the waiting commands in groups."""

import logging
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

from askance.service.errors import RequestError
from askance.service.task import Job, Task
from askance.service.transaction import Transaction

GROUP = 1000  # items per commit, so that labels never wait long
BACKLOG = 50_000  # items that may wait

log = logging.getLogger("askance.service")
Work = Callable[[Transaction], Any]


class Writer:
    """Runs commands one after another. Those that arrive during a commit form the next group."""

    def __init__(self, task: Task, changed: Callable[[], None] = lambda: None) -> None:
        self.task = task
        self._changed = changed
        self._people: deque[Job] = deque()  # commands of people go first: they are few and quick
        self._items: deque[Job] = deque()
        self._waiting = 0
        self._condition = threading.Condition()
        self._ended = False
        self._thread = threading.Thread(target=self._run, name=f"askance-{task.settings.name}")
        self._thread.start()
        task.amend_in_background(self._wake)

    def submit(self, work: Work, *, alone: bool = False, size: int = 0) -> "Future[Any]":
        """Queue a command; `size` is its number of items, 0 for commands of people."""
        job = Job(work, Future(), alone, size)
        with self._condition:
            if self._ended:
                raise RequestError(503, "stopping", "the service is stopping: try again later", retry_after=5)
            if size and self._waiting + size > BACKLOG:
                raise RequestError(
                    503, "busy", f"{self._waiting} items are waiting: try again later", retry_after=1
                )
            self._waiting += size
            (self._items if size else self._people).append(job)
            self._condition.notify()
        return job.answer

    def stop(self) -> None:
        """Run the waiting commands, and stop."""
        with self._condition:
            self._ended = True
            self._condition.notify()
        self._thread.join()
        self.task.stop_amending()
        self.task.settle()

    def _wake(self) -> None:
        with suppress(RequestError):  # it is stopping
            self.submit(lambda _: None)

    def _run(self) -> None:
        while (jobs := self._next()) is not None:
            try:
                self.task.do(jobs)
                self._changed()
            except Exception as error:  # if the thread ended, all callers would wait forever
                log.exception("a group of commands failed", extra={"task": self.task.settings.name})
                for job in jobs:
                    if not job.answer.done():
                        job.answer.set_exception(error)

    def _next(self) -> list[Job] | None:
        with self._condition:
            while not (self._people or self._items):
                if self._ended:
                    return None
                self._condition.wait()
            jobs = list(self._people)
            self._people.clear()
            size = 0
            while self._items and (not size or size + self._items[0].size <= GROUP):
                jobs.append(self._items.popleft())
                size += jobs[-1].size
            self._waiting -= size
            # A command that was cancelled before now is dropped; later, it can no longer be cancelled.
            return [job for job in jobs if job.answer.set_running_or_notify_cancel()]
