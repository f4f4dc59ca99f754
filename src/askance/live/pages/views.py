"""The pages themselves. What they show of tasks, their modules fetch from the API."""

import msgspec
from starlette.responses import HTMLResponse

from askance.live.api.route import Call
from askance.live.keys import keys_if_enough, with_chosen
from askance.live.pages.rendering import page
from askance.live.settings import to_json


async def tasks_page(call: Call) -> HTMLResponse:
    """All tasks with their progress and spend."""
    return page(call, "tasks.html")


async def people_page(call: Call) -> HTMLResponse:
    """Tokens with their roles, and who is signed in."""
    return page(call, "people.html")


async def audit_page(call: Call) -> HTMLResponse:
    """Who did what."""
    return page(call, "audit.html")


async def label_page(call: Call) -> HTMLResponse:
    """The labelling desk of a task."""
    settings = call.writer.task.settings
    keys = with_chosen(keys_if_enough(settings.classes), settings.desk.keys)
    return page(
        call,
        "label.html",
        task=settings.name,
        settings=to_json(settings).decode(),
        keys=msgspec.json.encode(keys).decode(),
    )
