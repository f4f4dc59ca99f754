"""The work of `askance push`: send rows as items, batch by batch, and count the decisions."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from rich.table import Table

from askance.cli.commands.push.batches import in_time
from askance.cli.errors import StoppedError
from askance.cli.output.console import print_json, shown_class, stdout
from askance.cli.output.progress import STEPS, progress
from askance.data.files import STANDARD_INPUT, TextLines, batches, shown, stem
from askance.data.jsonl import JsonRecord, text_of, value_of
from askance.data.raw_rows import JsonRows, RawRows, rows_of
from askance.data.recipe import Fields, Recipe
from askance.errors import DataError, ServiceError
from askance.service.client import Client
from askance.service.messages import Item, LabelledItem
from askance.service.settings import TaskSettings

STANDARD_INPUT_NUMBER = 0
ID_REUSED = "id_reused"
USUAL_TEXT, USUAL_ID = "text", "id"


class PushRequest(NamedTuple):
    """The arguments and options of `askance push`."""

    file: str
    task: str
    url: str | None
    token: str | None
    labelled: bool
    batch: int
    limit: int | None
    text: str | None
    label: str | None
    id: str | None


@dataclass
class Counts:
    """The rows that were sent so far, and what the service did with them."""

    labelled: bool
    items: int = 0
    asked: int = 0
    learned: int = 0
    again: int = 0
    seconds: float = 0.0

    def summary(self) -> str:
        """The number of items in a few words."""
        return f"{self.items:,} items were {'learned' if self.labelled else 'decided'}"

    def as_dict(self) -> dict[str, Any]:
        """The counts as JSON can hold them."""
        done = {"learned": self.learned} if self.labelled else {"asked": self.asked}
        return {
            "items": self.items,
            **done,
            "again": self.again,
            "items_per_second": self.items / self.seconds if self.seconds else None,
            "seconds": self.seconds,
        }


class Sent(NamedTuple):
    """An item, and its line in the file."""

    line: int
    item: Any


@dataclass(frozen=True)
class ItemMaker:
    """Makes an item of this task from a row of this file.

    A row without an id gets `prefix` and its line number as id. Rows from a pipe get none, because the next pipe
    has other lines.
    """

    rows: RawRows
    prefix: str | None
    fields: Fields
    own_id: str | None
    settings: TaskSettings
    labelled: bool

    def item(self, entry: JsonRecord) -> Item:
        """The item; DataError with the line if the service would refuse it."""
        place = f"{self.rows.lines.path}, line {entry.line}"
        content: dict[str, Any] = {}
        if self.fields.text is None:
            left_out = self.fields.left_out | ({self.own_id} if self.own_id else set())
            content["record"] = self.rows.values(entry, left_out)
        else:
            content["text"] = text_of(value_of(entry.record, self.fields.text, place), place)
        if (name := self._id(entry, place)) is not None:
            content["id"] = name
        if self.labelled:
            content["label"] = self._label(entry, place)
        try:
            return msgspec.convert(content, LabelledItem if self.labelled else Item)
        except msgspec.ValidationError as error:
            raise DataError(f"{place}: cannot be sent ({error}): fix or remove the line") from None

    def _id(self, entry: JsonRecord, place: str) -> str | None:
        if self.own_id is None:
            return None if self.prefix is None else f"{self.prefix}:{entry.line}"
        name = value_of(entry.record, self.own_id, place)
        if isinstance(name, bool) or not isinstance(name, str | int) or name == "":
            raise DataError(f"{place}: the id is {shown(name)}: give a string or a whole number")
        return str(name)

    def _label(self, entry: JsonRecord, place: str) -> str:
        assert self.fields.label is not None
        value = value_of(entry.record, self.fields.label, place)
        label = value.strip() if isinstance(value, str) else shown_class(value)
        if label not in self.settings.classes:
            raise DataError(
                f"{place}: the label is {shown(value)}, but the classes of {self.settings.name} are "
                f"{', '.join(map(shown, self.settings.classes))}: fix or remove the line"
            )
        return label


def answer(request: PushRequest, *, as_json: bool) -> None:
    """Send the rows and print the counts."""
    with Client(request.url, request.token, request.task, retries=1) as first_contact:
        settings = first_contact.task_detail().settings  # reports a wrong address, token or task at once
    if request.text is not None and settings.item != "text":
        raise ValueError(
            f"--text {request.text}: the items of {request.task} are records, not texts: remove --text"
        )
    counts = Counts(request.labelled)
    with (
        Client(request.url, request.token, request.task) as client,
        _opened(request) as rows,
        _bar(request, rows) as report,
    ):
        began = time.monotonic()
        try:
            for batch in _batches(request, rows, settings):
                try:
                    _send(client, [sent.item for sent in batch], counts)
                except ServiceError as error:
                    raise _placed(error, rows, batch) from None
                counts.seconds = time.monotonic() - began
                report(counts)
        except KeyboardInterrupt:
            raise StoppedError(counts.summary()) from None
        except DataError as error:
            before = f"; before it, {counts.summary()}" if counts.items else ""
            raise DataError(f"{error}{before}", parameter=error.parameter) from None
    if as_json:
        print_json(counts.as_dict())
    else:
        _show(counts)


def _send(client: Client, batch: list[Any], counts: Counts) -> None:
    if counts.labelled:
        done = client.import_items(batch, [item.label for item in batch])
        counts.learned += done.learned
        counts.again += done.again
    else:
        decided = client.decide(batch)
        counts.asked += sum(one.ask for one in decided)
        counts.again += sum(one.again for one in decided)
    counts.items += len(batch)


def _batches(request: PushRequest, rows: RawRows, settings: TaskSettings) -> Iterator[list[Sent]]:
    items = _items(request, rows, settings)
    if request.file == STANDARD_INPUT:
        return in_time(items, request.batch)
    return batches(items, request.batch)


def _items(request: PushRequest, rows: RawRows, settings: TaskSettings) -> Iterator[Sent]:
    entries = islice(rows, request.limit)
    first = next(entries, None)
    if first is None:
        if request.file == STANDARD_INPUT:
            return
        raise DataError(f"{rows.lines.path}: has only blank lines: check how it was made")
    maker = _maker(request, rows, settings, first)
    for entry in chain([first], entries):
        yield Sent(entry.line, maker.item(entry))


def _maker(request: PushRequest, rows: RawRows, settings: TaskSettings, first: JsonRecord) -> ItemMaker:
    names, place = first.record, f"{rows.lines.path}, line {first.line}"
    recipe = Recipe(
        label=request.label or (None if request.labelled else False),
        text=(request.text or USUAL_TEXT) if settings.item == "text" else False,
    )
    fields = recipe.fields(names, lambda _name: True, place)
    own_id = request.id or (USUAL_ID if USUAL_ID in names else None)
    if own_id is not None:
        value_of(first.record, own_id, place)
    prefix = None if request.file == STANDARD_INPUT else stem(rows.lines.path)
    return ItemMaker(rows, prefix, fields, own_id, settings, request.labelled)


@contextmanager
def _opened(request: PushRequest) -> Iterator[RawRows]:
    if request.file != STANDARD_INPUT:
        with rows_of(request.file) as rows:
            yield rows
        return
    # A separate reader that is never closed, because a thread may be waiting in it when the program ends.
    pipe = open(STANDARD_INPUT_NUMBER, "rb", closefd=False)  # noqa: SIM115
    yield JsonRows(TextLines(Path("standard input"), pipe))


@contextmanager
def _bar(request: PushRequest, rows: RawRows) -> Iterator[Callable[[Counts], None]]:
    with progress("pushing") as report:

        def after_batch(counts: Counts) -> None:
            if request.file == STANDARD_INPUT:
                report(counts.items, None, f"{counts.items:,} items, {counts.asked:,} asked")
            else:
                report(round(STEPS * rows.lines.progress), STEPS, rows.lines.path.name)

        yield after_batch


def _placed(error: ServiceError, rows: RawRows, batch: list[Sent]) -> DataError:
    """An error of the service, with the lines that it is about."""
    place = f"{rows.lines.path}, lines {batch[0].line} to {batch[-1].line}"
    hint = "; if these are other rows than before, give their ids with --id" if error.code == ID_REUSED else ""
    return DataError(f"{place}: {error}{hint}")


def _show(counts: Counts) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    did = ("learned", counts.learned) if counts.labelled else ("asked", counts.asked)
    for heading in ("items", did[0], "items/s", "seconds"):
        table.add_column(heading, justify="right")
    rate = f"{counts.items / counts.seconds:,.0f}" if counts.seconds else ""
    table.add_row(f"{counts.items:,}", f"{did[1]:,}", rate, f"{counts.seconds:.1f}")
    console = stdout()
    console.print(table)
    if counts.again:
        console.print(f"{counts.again:,} had been sent before and were not processed again")
