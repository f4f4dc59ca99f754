"""Routes of exports."""

import asyncio

from starlette.responses import Response, StreamingResponse

from askance.live import exporting
from askance.live.api.route import LINES, Call
from askance.model_file import to_bytes

MODEL = "application/octet-stream"


async def export_labels(call: Call) -> StreamingResponse:
    """All labelled items as JSON lines."""
    return StreamingResponse(exporting.labels(call.service.store, call.writer.task), media_type=LINES)


async def export_decisions(call: Call) -> StreamingResponse:
    """All decisions as JSON lines."""
    return StreamingResponse(exporting.decisions(call.service.store, call.writer.task.number), media_type=LINES)


async def export_model(call: Call) -> Response:
    """The model of now, as a file that `askance.load` reads."""
    name = call.writer.task.settings.name
    content = await call.run(lambda draft: to_bytes(draft.fold.learner))
    headers = {"content-disposition": f'attachment; filename="{name}.model"'}
    return await asyncio.to_thread(Response, content, media_type=MODEL, headers=headers)
