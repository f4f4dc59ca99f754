"""Routes for operators: health, metrics and the schema."""

import asyncio

from starlette.responses import Response

from askance.service import messages
from askance.service.api.route import Call


async def health(call: Call) -> messages.Health:  # noqa: ARG001 - the response itself is the answer
    """Check whether the process is alive."""
    return messages.Health("alive")


async def ready(call: Call) -> messages.Health:
    """Check whether requests can be served now."""
    await asyncio.to_thread(call.service.check_ready)
    return messages.Health("ready")


async def metrics(call: Call) -> Response:
    """Get the metrics of tasks and requests for Prometheus."""
    content = await asyncio.to_thread(call.request.app.state.metrics.text)
    return Response(content, media_type="text/plain; version=0.0.4; charset=utf-8")


async def schema(call: Call) -> Response:
    """Get the OpenAPI schema of this API."""
    return Response(call.request.app.state.schema, media_type="application/json")
