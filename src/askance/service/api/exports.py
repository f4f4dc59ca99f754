"""Routes of exports."""

import asyncio
from collections.abc import Iterator
from typing import Any, NamedTuple

from starlette.responses import Response, StreamingResponse

from askance.service.api.route import CSV, LINES, MARKDOWN, PARQUET, ZIP, Call
from askance.service.errors import conflict
from askance.service.task import Task
from askance.service.views import export, tables
from askance.service.views.card import Tally, card, hugging_face
from askance.service.views.items import everything_found

MEDIA = {"jsonl": LINES, "csv": CSV, "parquet": PARQUET, "hf": ZIP}
ENDINGS = {"hf": "zip"}
DATA = "data/train.parquet"  # within an archive for Hugging Face


class Export(NamedTuple):
    """What is exported, as objects and as rows of a table."""

    what: str
    task: Task
    objects: Iterator[Any]
    rows: export.Batches
    columns: tuple[tables.Column, ...]


async def export_labels(call: Call) -> StreamingResponse:
    """Export all labelled items, with weights: as JSON lines, CSV, Parquet, or a folder for Hugging Face (zip)."""
    return _answer(_labels(call), call.query.format)


async def export_decisions(call: Call) -> StreamingResponse:
    """Export all decisions as JSON lines, CSV, Parquet, or a folder for Hugging Face (zip)."""
    store, task = call.service.store, call.writer.task
    objects, rows = export.decisions(store, task), export.decision_rows(store, task)
    return _answer(Export("decisions", task, objects, rows, tables.DECISIONS), call.query.format)


async def export_items(call: Call) -> StreamingResponse:
    """Export items by filter or number, the newest first, in the same formats."""
    store, task = call.service.store, call.writer.task
    objects, rows = everything_found(store, task, call.query), export.item_rows(store, task, call.query)
    return _answer(Export("items", task, objects, rows, tables.ITEMS), call.query.format)


async def export_card(call: Call) -> Response:
    """Export the data card of the labels: how they were chosen, and how to use their weights."""
    return Response(await asyncio.to_thread(_whole_card, _labels(call)), media_type=MARKDOWN)


def _labels(call: Call) -> Export:
    store, task = call.service.store, call.writer.task
    return Export("labels", task, export.labels(store, task), export.label_rows(store, task), tables.ITEMS)


def _answer(exported: Export, form: str) -> StreamingResponse:
    name = f"{exported.task.settings.name}-{exported.what}.{ENDINGS.get(form, form)}"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(_pieces(exported, form), headers=headers, media_type=MEDIA[form])


def _pieces(exported: Export, form: str) -> Iterator[bytes]:
    if form == "jsonl":
        return export.lines(exported.objects)
    if form == "csv":
        return tables.csv_file(exported.columns, exported.rows)
    tally = Tally()
    try:
        content = tables.parquet_file(exported.columns, tally.counting(exported.rows))
    except ImportError as error:
        raise conflict("no_parquet", f"{error}, on the machine of the service") from None
    if form == "parquet":
        return content
    settings = exported.task.settings
    return tables.zip_file(content, DATA, lambda: hugging_face(_card(exported, tally), settings, DATA))


def _card(exported: Export, tally: Tally) -> str:
    fold = exported.task.fold
    return card(exported.what, exported.columns, fold.settings, fold.ledger.rows, tally)


def _whole_card(exported: Export) -> str:
    tally = Tally()
    for _ in tally.counting(exported.rows):
        pass
    return _card(exported, tally)
