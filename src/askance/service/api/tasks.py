"""Routes of tasks: create, list, change, figures, events and compaction."""

import asyncio
import time

from starlette.responses import StreamingResponse

from askance.service import messages
from askance.service.api.events import EVENTS, Broadcasts
from askance.service.api.route import Call
from askance.service.commands import settings as commands
from askance.service.commands.choosing import waiting
from askance.service.compaction import compact
from askance.service.service import BrokenTask
from askance.service.state.finite import sentence
from askance.service.views import task as task_view
from askance.service.writer import Writer


async def list_tasks(call: Call) -> messages.Tasks:
    """List the tasks that the caller may see, with the caller's role in each."""
    person = call.person
    assert person is not None
    writers = dict(call.service.writers)
    found = [
        _summary(writer, role) for name, writer in writers.items() if (role := person.role_in(name)) is not None
    ]
    broken = [_broken_summary(name, task) for name, task in call.service.broken.items() if person.role_in(name)]
    return messages.Tasks([*found, *broken])


async def create_task(call: Call) -> messages.TaskDetail:
    """Create a task."""
    writer = await asyncio.to_thread(call.service.add_task, call.body)
    return messages.TaskDetail(writer.task.settings, await _figures(call, writer))


async def show_task(call: Call) -> messages.TaskDetail:
    """Get the settings and the figures of a task."""
    return messages.TaskDetail(call.writer.task.settings, await _figures(call, call.writer))


async def change_task(call: Call) -> messages.TaskDetail:
    """Change the settings of a task that may change: budget, labels, costs, interface, goal, certify, oracles."""
    await call.run(lambda transaction: commands.change(transaction, call.body, call.who))
    return messages.TaskDetail(call.writer.task.settings, await _figures(call, call.writer))


async def set_columns(call: Call) -> messages.TaskDetail:
    """Say what the fields of records hold. It is possible before the first item."""
    await call.run(lambda transaction: commands.set_columns(transaction, call.body, call.who))
    return messages.TaskDetail(call.writer.task.settings, await _figures(call, call.writer))


async def change_classes(call: Call) -> messages.TaskDetail:
    """Add classes to a task, and rename classes. Labels under an earlier name count under the new one."""
    await call.run(lambda transaction: commands.change_classes(transaction, call.body, call.who))
    return messages.TaskDetail(call.writer.task.settings, await _figures(call, call.writer))


async def set_state(call: Call) -> messages.TaskDetail:
    """Pause a task, archive it, or start it again."""
    await call.run(lambda transaction: commands.set_state(transaction, call.body.state, call.who))
    return messages.TaskDetail(call.writer.task.settings, await _figures(call, call.writer))


async def show_history(call: Call) -> messages.History:
    """Get the estimates over time, the last day by minutes, the labels per class, and the labellers.

    Who is not an admin sees no other labellers.
    """
    person, name = call.person, call.writer.task.settings.name
    only = None if person is None or person.role_in(name) == "admin" else person.name
    return await call.look(lambda transaction: task_view.history(transaction.fold, only))


async def show_figures(call: Call) -> messages.Figures:
    """Get the current figures of a task: estimates with intervals, spend, questions and rates."""
    return await _figures(call, call.writer)


async def watch_task(call: Call) -> StreamingResponse:
    """Get the figures as server-sent events, one whenever something changes."""
    broadcasts: Broadcasts = call.request.app.state.broadcasts
    broadcasts.check(call.writer)
    return StreamingResponse(broadcasts.events(call), media_type=EVENTS)


async def compact_task(call: Call) -> messages.Compacted:
    """Drop the content of old items that were not asked about. Labels and decisions are kept."""
    return await call.run(
        lambda transaction: compact(call.writer.task, call.body.keep_days, transaction.now), alone=True
    )


async def _figures(call: Call, writer: Writer) -> messages.Figures:
    found: messages.Figures = await call.reading.looks.run(writer, writer.task.figures)
    return found


def _summary(writer: Writer, role: messages.Role) -> messages.TaskSummary:
    settings, fold = writer.task.settings, writer.task.fold
    return messages.TaskSummary(
        settings.name,
        fold.state,
        settings.classes,
        settings.method,
        fold.ledger.rows,
        fold.counts.labelled,
        waiting(fold, time.time()),
        task_view.spend(fold, time.time()),
        sentence(fold.model.diverged),
        role,
    )


def _broken_summary(name: str, task: BrokenTask) -> messages.TaskSummary:
    settings = task.settings
    classes, method = (settings.classes, settings.method) if settings else ([], "unknown")
    unknown = messages.Spend(0, 0, None, 0, None, None, None, None)
    return messages.TaskSummary(name, "broken", classes, method, 0, 0, 0, unknown, task.reason)
