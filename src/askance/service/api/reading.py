"""Reads that may take long: in threads of their own, and few at a time, so that nothing else waits for them."""

import asyncio
import contextvars
from collections import Counter
from collections.abc import AsyncIterable, AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import anyio.to_thread

from askance.service.errors import RequestError
from askance.service.writer import Work, Writer

T = TypeVar("T")
READERS, MOST_READS, MOST_READS_EACH = 2, 64, 32  # threads; reads that run or wait, in all and per person
MOST_REPLAYS, MOST_REPLAYS_EACH = 8, 2  # of earlier versions: one runs at a time
EXPORTERS, MOST_EXPORTS = 2, 16  # threads; exports that are being sent
AT_ONCE, MOST_LOOKS = 4, 256  # reads of a task that its writer gets at once, and that wait for their turn


class ReadPool:
    """Some threads, and a queue of limited length before them."""

    def __init__(self, threads: int, most: int, most_each: int) -> None:
        self._threads = ThreadPoolExecutor(threads, "askance-read")
        self._most = most
        self._most_each = most_each
        self._of: Counter[str | None] = Counter()

    async def run(self, who: str | None, work: Callable[..., T], *args: Any) -> T:
        """Run a read, or refuse it if too many wait, in all or of this person."""
        if self._of.total() >= self._most or self._of[who] >= self._most_each:
            raise busy("too many reads are waiting")
        self._of[who] += 1
        context = contextvars.copy_context()  # log lines have the id of the request
        coming = asyncio.get_running_loop().run_in_executor(self._threads, lambda: context.run(work, *args))
        coming.add_done_callback(lambda _: self._done(who))
        return await coming

    def _done(self, who: str | None) -> None:
        self._of[who] -= 1
        if not self._of[who]:
            del self._of[who]


class Looks:
    """Reads that the writers of tasks do between two commands: few at a time, so that labels never wait long."""

    def __init__(self) -> None:
        self._turns: dict[str, asyncio.Semaphore] = {}
        self._waiting: Counter[str] = Counter()

    async def run(self, writer: Writer, work: Work) -> Any:
        """Read something when it is this read's turn, or refuse it if too many wait."""
        name = writer.task.settings.name
        if self._waiting[name] >= MOST_LOOKS:
            raise busy("too many reads of this task are waiting")
        self._waiting[name] += 1
        try:
            async with self._turns.setdefault(name, asyncio.Semaphore(AT_ONCE)):
                return await asyncio.wrap_future(writer.submit(work))
        finally:
            self._waiting[name] -= 1


class Exports:
    """Exports that are being sent: a limited number, whose parts are read by few threads."""

    def __init__(self) -> None:
        self._open = 0

    def check(self) -> None:
        """Refuse one more export if too many are being sent."""
        if self._open >= MOST_EXPORTS:
            raise busy("too many exports are being sent")

    async def sent(self, parts: AsyncIterable[Any]) -> AsyncIterator[Any]:
        """The parts of an export. Starlette reads them in threads of anyio, which nothing else here uses."""
        anyio.to_thread.current_default_thread_limiter().total_tokens = EXPORTERS
        self._open += 1
        try:
            async for part in parts:
                yield part
        finally:
            self._open -= 1


class Reading:
    """All that limits reads in a service."""

    def __init__(self) -> None:
        self.reads = ReadPool(READERS, MOST_READS, MOST_READS_EACH)
        self.replays = ReadPool(1, MOST_REPLAYS, MOST_REPLAYS_EACH)
        self.looks = Looks()
        self.exports = Exports()


def busy(what: str) -> RequestError:
    """503: there is too much to do."""
    return RequestError(503, "busy", f"{what}: try again later", retry_after=2)
