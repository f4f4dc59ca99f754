"""The pages. Their modules fetch the data of tasks from the API."""

import functools
from typing import Any

import msgspec
from starlette.responses import HTMLResponse

from askance.algorithms import catalog
from askance.rules.registry import MULTICLASS
from askance.service.api.route import Call
from askance.service.commands.items import entry_of
from askance.service.settings import to_json
from askance.service.shortcuts import page_keys
from askance.service.web.rendering import page


async def tasks_page(call: Call) -> HTMLResponse:
    """All tasks, with their progress and budget."""
    return page(call, "tasks.html")


async def people_page(call: Call) -> HTMLResponse:
    """Tokens with their roles, and who is signed in."""
    return page(call, "people.html")


async def audit_page(call: Call) -> HTMLResponse:
    """The audit log."""
    return page(call, "audit.html")


async def new_task_page(call: Call) -> HTMLResponse:
    """A form with explanations and defaults."""
    return page(call, "task-form.html", settings="", algorithms=_algorithms())


async def settings_page(call: Call) -> HTMLResponse:
    """The same form for an existing task; what its model depends on is read-only."""
    return _task_page(call, "task-form.html", algorithms=_algorithms())


async def dashboard_page(call: Call) -> HTMLResponse:
    """The current figures of a task and their history."""
    return _task_page(call, "dashboard.html")


async def items_page(call: Call) -> HTMLResponse:
    """Items by filter, in an order, and what can be done with a selection of them."""
    return _task_page(call, "items.html")


async def item_page(call: Call) -> HTMLResponse:
    """All data of an item, and a form to correct its label."""
    item = call.item
    await call.look(lambda transaction: entry_of(transaction, item))  # which there may not be
    return _content_page(call, "item.html", item=item)


async def similar_page(call: Call) -> HTMLResponse:
    """Items that are like one item, to give them one label."""
    return _content_page(call, "similar.html", item=call.item, keys=_keys(call))


async def upload_page(call: Call) -> HTMLResponse:
    """Upload a file whose rows become items."""
    return _task_page(call, "upload.html")


async def model_page(call: Call) -> HTMLResponse:
    """What the model has learned, its versions, and a form to try it."""
    return _task_page(call, "model.html")


async def label_page(call: Call) -> HTMLResponse:
    """The labelling page of a task."""
    guided = bool(call.writer.task.settings.interface.guidance.strip())
    return _content_page(call, "label.html", keys=_keys(call), guided=guided)


async def review_page(call: Call) -> HTMLResponse:
    """Items that a lead should look at, one at a time."""
    return _content_page(call, "review.html", keys=_keys(call))


def _keys(call: Call) -> str:
    """The keys of the classes, as JSON."""
    settings = call.writer.task.settings
    return msgspec.json.encode(page_keys(settings.classes, settings.interface.keys)).decode()


def _task_page(call: Call, template: str, **values: Any) -> HTMLResponse:
    settings = call.writer.task.settings
    values |= {"settings": to_json(settings).decode(), "multilabel": settings.multilabel}
    return page(call, template, task=settings.name, **values)


def _content_page(call: Call, template: str, **values: Any) -> HTMLResponse:
    """A page of a task that shows items, and their images."""
    return _task_page(call, template, image_hosts=call.writer.task.settings.interface.image_hosts, **values)


@functools.cache
def _algorithms() -> list[tuple[str, str, bool]]:
    """The names in the catalog, short descriptions, and whether each is for many classes."""
    return [
        (name, f"{entry.update.__name__}, {entry.query.__name__} ({entry.paper})", entry.kind == MULTICLASS)
        for name, entry in catalog.items()
    ]
