"""Writing deeds down: every route that says so leaves a line in the trail when it was used."""

import asyncio
from typing import Any

import msgspec

from askance.errors import StoreError
from askance.service.api.route import Call, Route
from askance.service.errors import Refusal
from askance.service.settings import TaskSettings


async def note_deed(route: Route, call: Call, answer: Any) -> None:
    """Write down what a call did.

    What it did stays done when this fails, and whoever did it hears that, instead of that all is well. Done again,
    most deeds then stand in the trail. A token that the answer would have told is lost, and has to be revoked.
    """
    try:
        await asyncio.to_thread(
            call.service.deeds.note,
            call.who,
            route.name,
            task=_task(call),
            subject=_subject(call, answer),
            detail=_detail(call),
        )
    except StoreError as fault:
        status, code = (507, "store_full") if fault.full else (503, "store_unavailable")
        message = (
            f"this was done, but could not be written into the trail ({fault}): look at it before you do it again"
        )
        raise Refusal(status, code, message) from fault


def _task(call: Call) -> str | None:
    name = call.request.path_params.get("task")
    return call.body.name if name is None and isinstance(call.body, TaskSettings) else name


def _subject(call: Call, answer: Any) -> str | None:
    """Whom or what it was done to, beside the task."""
    path = {name: value for name, value in call.request.path_params.items() if name != "task"}
    found = getattr(answer, "name", None) or getattr(answer, "item", None) or next(iter(path.values()), None)
    return None if found is None else str(found)


def _detail(call: Call) -> str | None:
    """What was said: routes whose bodies have secrets write their deeds themselves."""
    said = msgspec.json.encode(call.body if call.body is not None else call.query).decode()
    return None if said in ("null", "{}") else said
