"""Routes of exports."""

from starlette.responses import StreamingResponse

from askance.service.api.route import LINES, Call
from askance.service.views import export


async def export_labels(call: Call) -> StreamingResponse:
    """Export all labelled items as JSON lines."""
    return StreamingResponse(export.labels(call.service.store, call.writer.task), media_type=LINES)


async def export_decisions(call: Call) -> StreamingResponse:
    """Export all decisions as JSON lines."""
    return StreamingResponse(export.decisions(call.service.store, call.writer.task.number), media_type=LINES)


async def export_items(call: Call) -> StreamingResponse:
    """Export items by state and text as JSON lines, the newest first."""
    lines = export.items(call.service.store, call.writer.task, call.query)
    return StreamingResponse(lines, media_type=LINES)
