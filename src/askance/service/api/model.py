"""Routes of the model: what it has learned, its versions, and rollbacks."""

from msgspec import UNSET
from starlette.responses import Response

from askance.service import messages
from askance.service.api.route import Call
from askance.service.commands import amendments
from askance.service.commands.items import check_finite
from askance.service.errors import not_found
from askance.service.state.fold import Fold
from askance.service.state.models import encode_for_users
from askance.service.views import model

MODEL = "application/octet-stream"


async def show_model(call: Call) -> messages.ModelDetail:
    """Get the strongest features per class, the versions with their estimates, and the rollbacks."""
    return await call.read(model.detail, call.service.store, call.writer.task)


async def export_model(call: Call) -> Response:
    """Export the current model or an earlier version as a file for `askance.load`."""
    task, version = call.writer.task, call.query.version
    if version is UNSET:
        content = await call.look(lambda transaction: _file(transaction.fold))
    else:
        content = await call.reading.replays.run(call.who, _earlier, call, version)
    name = task.settings.name if version is UNSET else f"{task.settings.name}-{version}"
    headers = {"content-disposition": f'attachment; filename="{name}.model"'}
    return Response(content, media_type=MODEL, headers=headers)


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
    return _file(task.fold_at(version))


def _file(fold: Fold) -> bytes:
    check_finite(fold)
    return encode_for_users(fold.model.learner, fold.settings)
