"""Routes of the model: what it has learned, its versions, and roll-backs."""

import asyncio

from msgspec import UNSET
from starlette.responses import Response

from askance.learners.codec import encode
from askance.service import messages
from askance.service.api.route import Call
from askance.service.commands import amendments
from askance.service.errors import unknown
from askance.service.views import model

MODEL = "application/octet-stream"


async def show_model(call: Call) -> messages.ModelStory:
    """The strongest features of each class, the versions with their figures, and roll-backs."""
    return await asyncio.to_thread(model.story, call.service.store, call.writer.task)


async def export_model(call: Call) -> Response:
    """The model of now or of an earlier version, as a file that `askance.load` reads."""
    task, version = call.writer.task, call.query.version
    if version is UNSET:
        content = await call.run(lambda draft: encode(draft.fold.learner))
    else:
        content = await asyncio.to_thread(_earlier, call, version)
    name = task.settings.name if version is UNSET else f"{task.settings.name}-{version}"
    headers = {"content-disposition": f'attachment; filename="{name}.model"'}
    return await asyncio.to_thread(Response, content, media_type=MODEL, headers=headers)


async def roll_back(call: Call) -> messages.RolledBack:
    """Go back to an earlier version of the model: labels that came after it are kept, and not learned."""
    return await call.run(lambda draft: amendments.roll_back(draft, call.body.to, call.who), alone=True)


async def take_back_rollback(call: Call) -> messages.RolledBack:
    """Have the model learn again what a roll-back had it forget."""
    number = call.number("rollback")
    return await call.run(lambda draft: amendments.take_back_rollback(draft, number, call.who), alone=True)


def _earlier(call: Call, version: int) -> bytes:
    task = call.writer.task
    if version > task.fold.seq:
        raise unknown("unknown_version", f"there is no version {version}")
    return encode(task.fold_at(version).learner)
