"""Routes of items: decisions, predictions, imports and details."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from functools import partial
from typing import NamedTuple

import msgspec
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from askance.service import images, messages
from askance.service.api.bodies import Bodies
from askance.service.api.request_info import info_of
from askance.service.api.route import LINES, Call
from askance.service.commands import guesses
from askance.service.commands import items as commands
from askance.service.errors import RequestError
from askance.service.transaction import Transaction
from askance.service.views import blind, explain, similar, wanted
from askance.service.views import items as item_view
from askance.service.views import task as task_view

STREAM_BATCH = 200
ADMITTED_CHECK = 1.0  # seconds after which a silent stream is checked again
STREAM_IDLE = 600  # of these checks, after which a silent stream ends
# Should a browser ever take an image for a document, that document can do nothing.
IMAGE_HEADERS = {
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "private, max-age=3600",
}
PER_PLACE = 10_000  # bytes of images that count as one item that waits for the writer
_item = msgspec.json.Decoder(messages.Item)


class Line(NamedTuple):
    """A line of a stream that is not blank, and its number among all lines."""

    number: int
    content: bytes


async def decide_items(call: Call) -> messages.Decisions:
    """Decide about items: each is predicted at once and may become a question."""
    items = call.body.items
    return await call.run(lambda transaction: commands.decide(transaction, items, call.who), size=_size(items))


def _size(items: Sequence[messages.Item]) -> int:
    """How much items are for the writer: large images count for several items."""
    return len(items) + sum(len(item.image_data or b"") for item in items) // PER_PLACE


async def predict_items(call: Call) -> messages.Predictions:
    """Predict items with the current model. Nothing is stored and nothing changes."""
    task = call.writer.task
    if len(call.body.items) <= 10:
        return task.predict(call.body.items)
    return await call.read(task.predict, call.body.items)


async def import_items(call: Call) -> messages.Imported:
    """Import labelled items and learn from them. They do not count in the estimates. Gold items are for admins."""
    items = call.body.items
    if any(item.gold for item in items):
        check_may_add_gold(call)
    return await call.run(
        lambda transaction: commands.import_items(transaction, items, call.who), size=_size(items)
    )


def check_may_add_gold(call: Call) -> None:
    """Refuse gold items of others than admins."""
    if call.person and call.person.role_in(call.writer.task.settings.name) != "admin":
        raise RequestError(
            403, "forbidden_role", "only admins may add gold items: use a token with the role admin"
        )


async def guess_items(call: Call) -> messages.GuessReceipts:
    """Send guesses about items that came before. They are features of items that get their label later."""
    request = call.body
    return await call.run(
        lambda transaction: guesses.guess(transaction, request, call.who), size=len(request.guesses)
    )


async def list_wanted(call: Call) -> messages.WantedItems:
    """List the items about which a program is to guess now, if the task chooses between programs and people."""
    program = call.query.program
    return await call.run(lambda transaction: wanted.wanted(transaction, program))


async def list_items(call: Call) -> messages.ItemsFound:
    """List items by filter, in an order, and count them."""
    return await call.read(item_view.found, call.service.store, call.writer.task, call.query, call.labeller)


async def show_neighbours(call: Call) -> messages.Neighbours:
    """Get the items before and after an item in a list."""
    return await call.read(
        item_view.neighbours, call.service.store, call.writer.task, call.item, call.query, call.labeller
    )


async def list_similar(call: Call) -> messages.SimilarItems:
    """List the items that are most like an item, as the model sees them. Nothing is stored and nothing changes."""
    return await call.read(
        similar.similar, call.service.store, call.writer.task, call.item, call.query, call.labeller
    )


async def explain_item(call: Call) -> messages.Explanation:
    """Explain the prediction of the current model for an item. Nothing is stored and nothing changes."""
    task, item = call.writer.task, call.body.item
    if isinstance(item, int):
        body = await call.look(lambda transaction: task_view.content(transaction, item))
        return await call.read(partial(explain.explained, stored=True), task.fold, body)
    await call.read(task.predict, [item])  # refuses what has no finite score
    return await call.read(explain.explained, task.fold, item)


async def show_item(call: Call) -> messages.ItemDetail:
    """Get everything that is known about an item. Labellers do not see what others say before they have voted."""
    item, labeller = call.item, call.labeller

    def look(transaction: Transaction) -> messages.ItemDetail:
        found = task_view.detail(transaction, item)
        if labeller is None:
            return found
        if item in transaction.fold.gold.labels:
            found = blind.like_others(transaction, found, labeller)
        return blind.seen_by(transaction.fold, found, labeller)

    return await call.look(look)


async def show_image(call: Call) -> Response:
    """Get the image of an item, if it was uploaded with the item."""
    content = await call.read(item_view.image, call.service.store, call.writer.task, call.item)
    return Response(content, media_type=images.type_of(content), headers=IMAGE_HEADERS)


async def stream_items(call: Call) -> Response:
    """Decide about a stream of JSON lines, one item per line. The response has one decision per line."""
    _ = call.writer  # refuse an unknown task before the stream starts
    if call.request.headers.get("content-type", "").partition(";")[0].strip().lower() != LINES:
        raise RequestError(
            415, "unsupported_media_type", f"Content-Type is not {LINES}: send JSON lines with this type"
        )
    batches = _lines(call)
    first = await _next(call, batches)
    if first is None:
        raise RequestError(422, "invalid", "the body is empty: send one item per line")
    return Lines(_decided_lines(call, first, batches))


class Lines(Response):
    """A response whose lines are sent while the request is still being read.

    Starlette's streaming response listens for a disconnect at the same time, which would swallow the request body.
    """

    media_type = LINES

    def __init__(self, lines: AsyncIterator[bytes]) -> None:
        super().__init__()
        del self.headers["content-length"]
        self._lines = lines

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        """Send the lines as they come."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        async for lines in self._lines:
            await send({"type": "http.response.body", "body": lines, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _decided_lines(
    call: Call, lines: list[Line] | None, batches: AsyncGenerator[list[Line], None]
) -> AsyncIterator[bytes]:
    try:
        while lines is not None:
            items, error = _read_lines(lines)
            if items:
                yield await _decided(call, items)
            if error is not None:
                raise error
            lines = await _next(call, batches)
    except RequestError as error:
        detail = messages.ErrorDetail(error.code, error.message, info_of(call.request.scope).request_id)
        yield msgspec.json.encode(messages.ErrorResponse(detail)) + b"\n"
    finally:
        await batches.aclose()


async def _decided(call: Call, items: list[messages.Item]) -> bytes:
    def decide(transaction: Transaction) -> messages.Decisions:
        call.check_admitted()  # here, because the lines may have waited for the writer
        return commands.decide(transaction, items, call.who)

    found = await call.run(decide, size=_size(items))
    return b"".join(msgspec.json.encode(decision) + b"\n" for decision in found.decisions)


async def _next(call: Call, batches: AsyncIterator[list[Line]]) -> list[Line] | None:
    """The next lines; an error if the sender is silent for too long, or is no longer admitted."""
    coming = asyncio.ensure_future(anext(batches, None))
    try:
        for _ in range(STREAM_IDLE):
            await asyncio.wait([coming], timeout=ADMITTED_CHECK)
            if coming.done():
                return coming.result()
            call.check_admitted()
        raise RequestError(408, "too_slow", f"no line came for {STREAM_IDLE} seconds: send the rest again")
    finally:
        if not coming.done():
            coming.cancel()
            await asyncio.wait([coming])


async def _lines(call: Call) -> AsyncGenerator[list[Line], None]:
    """The lines of the request body, in batches as they arrive."""
    before, rest = 0, b""
    most = 4 * messages.LONGEST_TEXT
    bodies: Bodies = call.request.app.state.bodies
    with bodies.claim() as claim:
        async for chunk in call.request.stream():
            *lines, rest = (rest + chunk).split(b"\n")
            if len(rest) > most:
                raise RequestError(413, "too_large", f"a line is longer than {most} bytes: split the item")
            claim.resize(len(rest))
            whole = [Line(number, line) for number, line in enumerate(lines, before + 1) if line.strip()]
            before += len(lines)
            for start in range(0, len(whole), STREAM_BATCH):
                yield whole[start : start + STREAM_BATCH]
    if rest.strip():
        yield [Line(before + 1, rest)]


def _read_lines(lines: list[Line]) -> tuple[list[messages.Item], RequestError | None]:
    """The items before the first line that is not valid, and the error of that line."""
    items: list[messages.Item] = []
    for line in lines:
        try:
            items.append(_item.decode(line.content))
        except (ValueError, RecursionError) as error:
            return items, RequestError(422, "invalid", f"line {line.number}: {error}")
    return items, None
