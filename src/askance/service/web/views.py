"""The pages themselves. What they show of tasks, their modules fetch from the API."""

import functools
from typing import Any

import msgspec
from starlette.responses import HTMLResponse

from askance.algorithms import catalog
from askance.rules.registry import MULTICLASS
from askance.service.api.route import Call
from askance.service.settings import to_json
from askance.service.shortcuts import keys_if_enough, with_chosen
from askance.service.web.rendering import page


async def tasks_page(call: Call) -> HTMLResponse:
    """All tasks with their progress and spend."""
    return page(call, "tasks.html")


async def people_page(call: Call) -> HTMLResponse:
    """Tokens with their roles, and who is signed in."""
    return page(call, "people.html")


async def audit_page(call: Call) -> HTMLResponse:
    """Who did what."""
    return page(call, "audit.html")


async def new_task_page(call: Call) -> HTMLResponse:
    """A form that explains each choice and begins with the usual one."""
    return page(call, "task-form.html", settings="", algorithms=_algorithms())


async def settings_page(call: Call) -> HTMLResponse:
    """The same form for a task that is there: what its model rests on can only be read."""
    return _task_page(call, "task-form.html", algorithms=_algorithms())


async def dashboard_page(call: Call) -> HTMLResponse:
    """How a task is doing, and how it has been."""
    return _task_page(call, "dashboard.html")


async def items_page(call: Call) -> HTMLResponse:
    """Items by state and text."""
    return _task_page(call, "items.html")


async def item_page(call: Call) -> HTMLResponse:
    """All about an item, and its right label, if it has a wrong one."""
    return _task_page(call, "item.html", item=call.item)


async def model_page(call: Call) -> HTMLResponse:
    """What the model has learned, its versions, and a place to try it."""
    return _task_page(call, "model.html")


async def label_page(call: Call) -> HTMLResponse:
    """The labelling desk of a task."""
    settings = call.writer.task.settings
    keys = with_chosen(keys_if_enough(settings.classes), settings.interface.keys)
    return _task_page(call, "label.html", keys=msgspec.json.encode(keys).decode())


def _task_page(call: Call, template: str, **values: Any) -> HTMLResponse:
    settings = call.writer.task.settings
    return page(call, template, task=settings.name, settings=to_json(settings).decode(), **values)


@functools.cache
def _algorithms() -> list[tuple[str, str, bool]]:
    """The names of the catalog, what each is in a few words, and whether it is for many classes."""
    return [
        (name, f"{entry.update.__name__}, {entry.query.__name__} ({entry.paper})", entry.kind == MULTICLASS)
        for name, entry in catalog.items()
    ]
