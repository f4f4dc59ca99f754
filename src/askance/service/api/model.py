"""Routes of the model: what it has learned, its versions, and rollbacks."""

import asyncio

from msgspec import UNSET
from starlette.responses import Response

from askance.service import messages
from askance.service.api.route import Call
from askance.service.commands import amendments
from askance.service.errors import not_found
from askance.service.state.models import encode
from askance.service.views import model

MODEL = "application/octet-stream"


async def show_model(call: Call) -> messages.ModelDetail:
    """Get the strongest features per class, the versions with their estimates, and the rollbacks."""
    return await asyncio.to_thread(model.detail, call.service.store, call.writer.task)


async def export_model(call: Call) -> Response:
    """Export the current model or an earlier version as a file for `askance.load`."""
    task, version = call.writer.task, call.query.version
    if version is UNSET:
        content = await call.run(lambda transaction: encode(transaction.fold.learner))
    else:
        content = await asyncio.to_thread(_earlier, call, version)
    name = task.settings.name if version is UNSET else f"{task.settings.name}-{version}"
    headers = {"content-disposition": f'attachment; filename="{name}.model"'}
    return await asyncio.to_thread(Response, content, media_type=MODEL, headers=headers)


async def roll_back(call: Call) -> messages.RolledBack:
    """Go back to an earlier version of the model. Later labels are kept but not learned."""
    return await call.run(
        lambda transaction: amendments.roll_back(transaction, call.body.to, call.who), alone=True
    )


async def undo_rollback(call: Call) -> messages.RolledBack:
    """Undo a rollback: the model learns again what the rollback made it forget."""
    number = call.number("rollback")
    return await call.run(lambda transaction: amendments.undo_rollback(transaction, number, call.who), alone=True)


def _earlier(call: Call, version: int) -> bytes:
    task = call.writer.task
    if version > task.fold.seq:
        raise not_found("unknown_version", f"there is no version {version}")
    return encode(task.fold_at(version).learner)
