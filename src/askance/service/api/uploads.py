"""Routes of uploads: a file comes in parts, is checked, and its rows become items."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec

from askance.service import messages
from askance.service.api.bodies import Bodies
from askance.service.api.guard import ServerOptions
from askance.service.api.items import check_may_add_gold
from askance.service.api.route import BYTES, Call
from askance.service.commands import items as commands
from askance.service.commands.settings import set_columns
from askance.service.errors import RequestError, conflict
from askance.service.files.columns import takes_columns
from askance.service.service import Service
from askance.service.transaction import Transaction
from askance.service.uploads.upload import PART_BYTES, Batch, Owner, Upload
from askance.service.writer import Writer

PRUNE_EVERY = 60.0  # seconds


async def list_uploads(call: Call) -> messages.Uploads:
    """List the caller's uploads to a task, the newest first."""
    found = call.service.uploads.of(_owner(call))
    return messages.Uploads([_answer(call, upload) for upload in found], call.service.uploads.most_bytes)


async def create_upload(call: Call) -> messages.Upload:
    """Begin to upload a file whose rows are to become items. Nothing is added yet."""
    _check_open(call.writer)
    uploads = call.service.uploads
    is_first = not len(uploads)
    upload = uploads.create(_owner(call), call.body)
    if is_first:
        _prune_later(call.service)
    return _answer(call, upload)


async def send_part(call: Call) -> messages.Upload:
    """Send the next part of a file. After the last one, the file is checked as a whole."""
    upload = _upload(call)
    if call.request.headers.get("content-type", "").partition(";")[0].strip().lower() != BYTES:
        raise RequestError(
            415, "unsupported_media_type", f"Content-Type is not {BYTES}: send bytes with this type"
        )
    bodies: Bodies = call.request.app.state.bodies
    part = await bodies.read(call.request, _part_bytes(call))
    async with upload.lock:
        await asyncio.to_thread(upload.receive, call.query.start, part)
        if upload.is_complete:
            _begin_check(call, upload, {})
    return _answer(call, upload)


async def show_upload(call: Call) -> messages.Upload:
    """Get what is known of an upload: its columns, or how far it is."""
    return _answer(call, _upload(call))


async def set_kinds(call: Call) -> messages.Upload:
    """Say what columns of an uploaded file hold. The file is then checked again."""
    upload = _upload(call)
    async with upload.lock:
        _begin_check(call, upload, call.body.kinds)
    return _answer(call, upload)


async def add_rows(call: Call) -> messages.Upload:
    """Add the next rows of a file as items. Those whose label is a class are imported. Repeat until all are in.

    Gold items are for admins.
    """
    upload = _upload(call)
    if call.query.gold:
        check_may_add_gold(call)
    async with upload.lock:
        if upload.state == "ready":
            await _begin_adding(call, upload)
        if upload.state not in ("adding", "done"):
            raise conflict("not_ready", f"the file is {upload.state}: only a file that is ready can be added")
        batch = await _in_thread(call, upload.next_batch)
        if batch is not None:
            await _add(call, upload, batch)
            await _in_thread(call, upload.next_batch)  # finds out whether there are more
    return _answer(call, upload)


async def cancel_upload(call: Call) -> messages.Upload:
    """Delete an uploaded file. Items that were added stay."""
    upload = _upload(call)
    upload.stopped.set()
    async with upload.lock:
        call.service.uploads.drop(upload)
    return _answer(call, upload)


def _owner(call: Call) -> Owner:
    return Owner(call.who, call.writer.task.settings.name)


def _upload(call: Call) -> Upload:
    return call.service.uploads.find(_owner(call), call.number("number", "upload"))


def _part_bytes(call: Call) -> int:
    options: ServerOptions = call.request.app.state.options
    return min(PART_BYTES, options.body_bytes)


def _answer(call: Call, upload: Upload) -> messages.Upload:
    return upload.answer(_part_bytes(call))


async def _in_thread(call: Call, work: Any) -> Any:
    return await asyncio.get_running_loop().run_in_executor(call.service.uploads.threads, work)


def _check_open(writer: Writer) -> None:
    if writer.task.fold.state == "archived":
        name = writer.task.settings.name
        raise conflict("archived", f"the task {name!r} is archived: set its state to 'running' first")


def _begin_check(call: Call, upload: Upload, wanted: dict[str, str]) -> None:
    """Check a file in a thread; pages ask how far it is."""
    writer = call.writer
    fold = writer.task.fold
    has_items = bool(fold.ledger.rows or fold.counts.imported)
    opens = takes_columns(fold.settings, has_items=has_items, of_texts=True)
    upload.begin_check(fold.settings, opens=opens, wanted=wanted, known=partial(_known, writer))
    call.service.uploads.threads.submit(upload.check)


def _known(writer: Writer, items: Sequence[messages.Item]) -> int:
    """How many items the task has. This is called in the thread of a check."""
    found: int = writer.submit(lambda transaction: len(commands.known_items(transaction, items))).result()
    return found


async def _begin_adding(call: Call, upload: Upload) -> None:
    """Let the task know its columns, if the file is the first with some."""
    if call.query.gold and not upload.checked.labelled:
        raise conflict("no_labels", "no row has a label that is a class of the task: gold items need one")
    columns = upload.checked.new_columns
    if columns:
        request = messages.ColumnsRequest(columns)
        await call.run(lambda transaction: set_columns(transaction, request, call.who, of_texts=True))
        detail = msgspec.json.encode(request).decode()
        task = call.writer.task.settings.name
        await asyncio.to_thread(
            call.service.audit.record, call.who, set_columns.__name__, task=task, detail=detail
        )
    upload.begin_adding(call.writer.task.settings, gold=call.query.gold)


async def _add(call: Call, upload: Upload, batch: Batch) -> None:
    items: list[Any] = batch.items

    def work(transaction: Transaction) -> int:
        if batch.labelled:
            imported = commands.import_items(transaction, items, call.who)
            return imported.learned + imported.gold
        return sum(not one.again for one in commands.decide(transaction, items, call.who).decisions)

    try:
        upload.note(await call.run(work, size=len(items)) if items else 0)
    except RequestError as error:
        if error.status not in (409, 422) or error.code in ("archived", "diverged"):
            raise
        upload.refuse_batch(error)


def _prune_later(service: Service) -> None:
    """Drop old uploads from time to time, as long as there are some."""

    def prune() -> None:
        service.uploads.prune()
        if len(service.uploads):
            loop.call_later(PRUNE_EVERY, prune)

    loop = asyncio.get_running_loop()
    loop.call_later(PRUNE_EVERY, prune)
