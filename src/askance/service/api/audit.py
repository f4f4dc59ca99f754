"""Routes of the trail: who did what."""

import asyncio

from starlette.responses import StreamingResponse

from askance.service import messages
from askance.service.api.route import LINES, Call


async def list_deeds(call: Call) -> messages.DeedsTold:
    """Who did what, the newest first; `before` goes on where an earlier answer ended."""
    return await asyncio.to_thread(call.service.deeds.page, call.query)


async def export_deeds(call: Call) -> StreamingResponse:
    """All of it as JSON lines, the newest first."""
    return StreamingResponse(call.service.deeds.lines(call.query), media_type=LINES)
