"""Events: the figures of a task, computed and encoded once for all who watch it."""

import asyncio
from collections.abc import AsyncIterator, Callable

import msgspec

from askance.errors import StoreError
from askance.service.api.route import Call
from askance.service.errors import RequestError
from askance.service.service import Service
from askance.service.writer import Writer

EVENTS = "text/event-stream"
PAUSE = 0.25  # seconds between two events, however fast the task changes
CHECK = 1.0  # seconds after which a watcher is checked again: its token may have been revoked
KEEP_ALIVE = 15  # of these checks without an event, after which a line is sent so that proxies do not hang up
MOST_OF_A_TASK, MOST = 200, 400  # watchers


class Broadcast:
    """The newest event of a task. It is kept up to date while somebody watches."""

    def __init__(self, service: Service, writer: Writer) -> None:
        self.watchers = 0
        self.newest = b""
        self.news = asyncio.Event()
        self._writer = writer
        self._entries = -1  # of the newest event
        self._changed = asyncio.Event()
        self._forget: Callable[[], None] = service.on_change(self._tell)
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.create_task(self._keep_up())

    def stop(self) -> None:
        """Stop when nobody watches any more."""
        self._forget()
        self._task.cancel()

    def _tell(self, task: str) -> None:
        """Note a change; called in the thread of a writer, also after commands that changed nothing."""
        if task == self._writer.task.settings.name and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._changed.set)

    async def _keep_up(self) -> None:
        while True:
            self._changed.clear()
            if self._writer.task.fold.seq == self._entries:
                await self._changed.wait()
                continue
            try:
                figures = await asyncio.wrap_future(self._writer.submit(self._writer.task.figures))
                self._entries = figures.entries
                content = msgspec.json.encode(figures)
                self._publish(b"event: figures\nid: %d\ndata: %b\n\n" % (figures.entries, content))
            except (RequestError, StoreError):  # the store is away, or the service stops
                await asyncio.sleep(CHECK)
            await asyncio.sleep(PAUSE)

    def _publish(self, event: bytes) -> None:
        self.newest = event
        self.news.set()
        self.news = asyncio.Event()


class Broadcasts:
    """The broadcasts of all tasks that somebody watches."""

    def __init__(self) -> None:
        self._of: dict[str, Broadcast] = {}

    def check(self, writer: Writer) -> None:
        """Refuse one more watcher if there are too many."""
        broadcast = self._of.get(writer.task.settings.name)
        crowded = broadcast is not None and broadcast.watchers >= MOST_OF_A_TASK
        if crowded or sum(one.watchers for one in self._of.values()) >= MOST:
            raise RequestError(
                503, "too_many_watchers", "too many watch this service: get the figures instead", retry_after=5
            )

    async def events(self, call: Call) -> AsyncIterator[bytes]:
        """The events for one watcher, as long as it is admitted."""
        sent, silent = b"", 0
        broadcast = self._join(call)
        try:
            while not call.service.stopping.is_set() and call.still_admitted:
                news, silent = broadcast.news, silent + 1
                if sent != broadcast.newest:
                    sent, silent = broadcast.newest, 0
                    yield sent
                elif silent > KEEP_ALIVE:
                    silent = 0
                    yield b": still here\n\n"
                await _set(news)
        finally:
            self._leave(broadcast)

    def _join(self, call: Call) -> Broadcast:
        writer = call.writer
        name = writer.task.settings.name
        if name not in self._of:
            self._of[name] = Broadcast(call.service, writer)
        self._of[name].watchers += 1
        return self._of[name]

    def _leave(self, broadcast: Broadcast) -> None:
        broadcast.watchers -= 1
        if not broadcast.watchers:
            self._of = {name: one for name, one in self._of.items() if one is not broadcast}
            broadcast.stop()


async def _set(news: asyncio.Event) -> None:
    try:
        await asyncio.wait_for(news.wait(), CHECK)
    except TimeoutError:
        return
