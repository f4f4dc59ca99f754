"""Routes of tasks: create, list, change, figures, events and compaction."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator

import msgspec
from starlette.responses import StreamingResponse

from askance.service import messages
from askance.service.api.route import Call
from askance.service.commands import settings as commands
from askance.service.compaction import compact
from askance.service.views import task as task_view
from askance.service.writer import Writer

EVENT_PAUSE = 0.25  # seconds between two events, however fast the task changes
KEEP_ALIVE = 15.0


async def list_tasks(call: Call) -> messages.Tasks:
    """List all tasks."""
    return messages.Tasks([_summary(writer) for writer in list(call.service.writers.values())])


async def create_task(call: Call) -> messages.TaskDetail:
    """Create a task."""
    writer = await asyncio.to_thread(call.service.add_task, call.body)
    return messages.TaskDetail(writer.task.settings, await _figures(writer))


async def show_task(call: Call) -> messages.TaskDetail:
    """Get the settings and the figures of a task."""
    return messages.TaskDetail(call.writer.task.settings, await _figures(call.writer))


async def change_task(call: Call) -> messages.TaskDetail:
    """Change the settings of a task that may change: budget, labels, costs and interface."""
    await call.run(lambda transaction: commands.change(transaction, call.body, call.who))
    return messages.TaskDetail(call.writer.task.settings, await _figures(call.writer))


async def set_state(call: Call) -> messages.TaskDetail:
    """Pause a task, archive it, or start it again."""
    await call.run(lambda transaction: commands.set_state(transaction, call.body.state, call.who))
    return messages.TaskDetail(call.writer.task.settings, await _figures(call.writer))


async def show_history(call: Call) -> messages.History:
    """Get the estimates over time, the last day by minutes, the labels per class, and the labellers."""
    return await call.run(lambda transaction: task_view.history(transaction.fold))


async def show_figures(call: Call) -> messages.Figures:
    """Get the current figures of a task: estimates with intervals, spend, questions and rates."""
    return await _figures(call.writer)


async def watch_task(call: Call) -> StreamingResponse:
    """Get the figures as server-sent events, one whenever something changes."""
    writer = call.writer
    return StreamingResponse(
        _events(call, writer), media_type="text/event-stream", headers={"cache-control": "no-store"}
    )


async def compact_task(call: Call) -> messages.Compacted:
    """Drop the content of old items that were not asked about. Labels and decisions are kept."""
    return await call.run(
        lambda transaction: compact(call.writer.task, call.body.keep_days, transaction.now), alone=True
    )


async def _figures(writer: Writer) -> messages.Figures:
    return await asyncio.wrap_future(writer.submit(writer.task.figures))


def _summary(writer: Writer) -> messages.TaskSummary:
    settings, fold = writer.task.settings, writer.task.fold
    return messages.TaskSummary(
        settings.name,
        fold.state,
        settings.classes,
        settings.method,
        fold.ledger.rows,
        fold.counts.labelled,
        len(fold.questions.open),
        task_view.spend(fold, time.time()),
    )


async def _events(call: Call, writer: Writer) -> AsyncIterator[bytes]:
    loop, changed = asyncio.get_running_loop(), asyncio.Event()
    name, stopping = writer.task.settings.name, call.service.stopping

    def tell(task: str) -> None:
        if task == name and not loop.is_closed():
            loop.call_soon_threadsafe(changed.set)

    forget = call.service.on_change(tell)
    entries = -1
    try:
        while not stopping.is_set() and call.still_admitted:
            changed.clear()
            figures = await _figures(writer)
            if figures.entries != entries:
                entries = figures.entries
                yield b"event: figures\nid: %d\ndata: %b\n\n" % (entries, msgspec.json.encode(figures))
            await _until(changed, stopping)
            if not changed.is_set() and not stopping.is_set():
                yield b": still here\n\n"
            await asyncio.sleep(EVENT_PAUSE)
    finally:
        forget()


async def _until(changed: asyncio.Event, stopping: threading.Event) -> None:
    """Wait for a change, the end of the service, or the time of the next keep-alive."""
    for _ in range(int(KEEP_ALIVE)):
        try:
            await asyncio.wait_for(changed.wait(), 1.0)
            return
        except TimeoutError:
            if stopping.is_set():
                return
