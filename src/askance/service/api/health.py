"""Routes for operators: health, metrics and the schema."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from starlette.responses import Response

from askance.errors import StoreError
from askance.service import messages
from askance.service.api.route import Call
from askance.service.errors import RequestError
from askance.service.service import Service

PATIENCE = 5.0  # seconds to wait for the store


async def health(call: Call) -> messages.Health:  # noqa: ARG001 - the response itself is the answer
    """Check whether the process is alive."""
    return messages.Health("alive")


class Readiness:
    """Checks the store in a thread of its own. Callers who come meanwhile get the result of the same check."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._thread = ThreadPoolExecutor(1, "askance-ready")
        self._checking: asyncio.Future[None] | None = None

    async def check(self) -> None:
        """Raise an error if requests cannot be served now, or if the store does not answer in time."""
        if self._checking is None or self._checking.done():
            loop = asyncio.get_running_loop()
            self._checking = loop.run_in_executor(self._thread, self._service.check_ready)
            self._checking.add_done_callback(_noticed)
        await asyncio.wait([self._checking], timeout=PATIENCE)
        if not self._checking.done():
            raise RequestError(503, "store_unavailable", "the store does not answer", retry_after=1)
        try:
            self._checking.result()
        except StoreError as error:  # strangers may ask: the log alone says where the store is
            raise RequestError(503, "store_unavailable", "the store is not available", retry_after=1) from error


def _noticed(checking: "asyncio.Future[None]") -> None:
    """Look at the error of a check, for which nobody may have waited long enough."""
    if not checking.cancelled():
        checking.exception()


async def ready(call: Call) -> messages.Health:
    """Check whether requests can be served now."""
    readiness: Readiness = call.request.app.state.readiness
    await readiness.check()
    return messages.Health("ready")


async def metrics(call: Call) -> Response:
    """Get the metrics of tasks and requests for Prometheus. A token for some tasks gets those of its tasks."""
    assert call.person is not None
    tasks = call.person.tasks
    shown = None if tasks is None else [name for name, role in tasks.items() if role in ("read", "admin")]
    state = call.request.app.state
    try:
        await state.readiness.check()
        store_up = True
    except RequestError:
        store_up = False
    content = await state.metrics.text(shown, store_up=store_up)
    return Response(content, media_type="text/plain; version=0.0.4; charset=utf-8")


async def schema(call: Call) -> Response:
    """Get the OpenAPI schema of this API."""
    return Response(call.request.app.state.schema(), media_type="application/json")
