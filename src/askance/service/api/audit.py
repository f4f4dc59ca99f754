"""Routes of the audit log, and the entries that other routes leave in it."""

import asyncio
import logging
from typing import Any

import msgspec
from starlette.responses import StreamingResponse

from askance.errors import StoreError
from askance.service import messages
from askance.service.api.route import LINES, Call, Route
from askance.service.errors import RequestError
from askance.service.settings import TaskSettings

log = logging.getLogger("askance.service")


async def list_audit(call: Call) -> messages.AuditPage:
    """List who did what, the newest first. To get the next page, pass the last `seq` as `before`."""
    return await asyncio.to_thread(call.service.audit.page, call.query)


async def export_audit(call: Call) -> StreamingResponse:
    """Export the audit log as JSON lines, the newest first."""
    return StreamingResponse(call.service.audit.lines(call.query), media_type=LINES)


async def record_call(route: Route, call: Call, answer: Any) -> None:
    """Write what a call did to the audit log.

    If this fails, the action itself is not undone: the caller gets an error that says so. A new token that the
    answer would have shown is then lost and has to be revoked. Exports go on while the disk is full: they may be
    what makes room.
    """
    try:
        await asyncio.to_thread(
            call.service.audit.record,
            call.who,
            route.name,
            task=_task(call),
            subject=_subject(call, answer),
            detail=_detail(call),
        )
    except StoreError as error:
        if error.full and route.method == "GET":
            log.error("an export is not in the audit log: %s", error, extra={"who": call.who, "route": route.name})
            return
        status, code = (507, "store_full") if error.full else (503, "store_unavailable")
        message = (
            f"this was done, but not written to the audit log ({error}): check the result before you try again"
        )
        raise RequestError(status, code, message) from error


def _task(call: Call) -> str | None:
    name = call.request.path_params.get("task")
    return call.body.name if name is None and isinstance(call.body, TaskSettings) else name


def _subject(call: Call, answer: Any) -> str | None:
    """The person or thing it was done to, apart from the task."""
    path = {name: value for name, value in call.request.path_params.items() if name != "task"}
    found = getattr(answer, "name", None) or getattr(answer, "item", None) or next(iter(path.values()), None)
    return None if found is None else str(found)


def _detail(call: Call) -> str | None:
    """The body or query as JSON. Routes whose bodies hold secrets write their own entries."""
    sent = msgspec.json.encode(call.body if call.body is not None else call.query).decode()
    return None if sent in ("null", "{}") else sent
