"""What `askance push` does: rows become items, batch by batch, and the answers are counted."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from rich.table import Table

from askance.cli.commands.push.batches import in_time
from askance.cli.commands.push.command import PushWish
from askance.cli.errors import Interrupted
from askance.cli.output.console import print_json, shown_class, stdout
from askance.cli.output.progress import figures, progress
from askance.data.files import TextLines, batches, shown, stem
from askance.data.jsonl import JsonRecord, text_of, value_of
from askance.data.raw_rows import JsonRows, RawRows, rows_of
from askance.data.reading import STANDARD_INPUT
from askance.data.recipe import Fields, Recipe
from askance.errors import DataError, ServiceError
from askance.service.client import Client
from askance.service.messages import Item, LabelledItem
from askance.service.settings import TaskSettings

STANDARD_INPUT_NUMBER = 0
OTHER_CONTENT = "id_reused"
USUAL_TEXT, USUAL_ID = "text", "id"


@dataclass
class Outcome:
    """What came of the rows so far."""

    learn: bool
    items: int = 0
    asked: int = 0
    learned: int = 0
    again: int = 0
    seconds: float = 0.0

    def told(self) -> str:
        """In a few words."""
        verb = "learned from" if self.learn else "decided"
        return f"{self.items:,} items were {verb}"

    def as_dict(self) -> dict[str, Any]:
        """For programs."""
        done = {"learned": self.learned} if self.learn else {"asked": self.asked}
        return {
            "items": self.items,
            **done,
            "again": self.again,
            "items_per_second": self.items / self.seconds if self.seconds else None,
            "seconds": self.seconds,
        }


class Sent(NamedTuple):
    """An item, and the line that it stands on."""

    line: int
    item: Any


@dataclass(frozen=True)
class ItemMaker:
    """How a row of this file becomes an item of this task.

    `prefix` and the line name a row that has no id. A pipe's lines are others the next time: they get none.
    """

    rows: RawRows
    prefix: str | None
    fields: Fields
    own_id: str | None
    settings: TaskSettings
    learn: bool

    def item(self, entry: JsonRecord) -> Item:
        """The item; DataError with the line if the service would not take it."""
        place = f"{self.rows.lines.path}, line {entry.line}"
        content: dict[str, Any] = {}
        if self.fields.text is None:
            left_out = self.fields.left_out | ({self.own_id} if self.own_id else set())
            content["record"] = self.rows.values(entry, left_out)
        else:
            content["text"] = text_of(value_of(entry.record, self.fields.text, place), place)
        if (name := self._id(entry, place)) is not None:
            content["id"] = name
        if self.learn:
            content["label"] = self._label(entry, place)
        try:
            return msgspec.convert(content, LabelledItem if self.learn else Item)
        except msgspec.ValidationError as error:
            raise DataError(f"{place}: cannot be sent ({error}): mend it or drop the line") from None

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
                f"{', '.join(map(shown, self.settings.classes))}: mend it or drop the line"
            )
        return label


def answer(wish: PushWish, *, as_json: bool) -> None:
    """Send the rows and tell what came of them."""
    with Client(wish.url, wish.token, wish.task, retries=1) as first_contact:
        settings = first_contact.task_story().settings  # a wrong address, token or task is told at once
    if wish.text is not None and settings.item != "text":
        raise ValueError(f"--text {wish.text}: the items of {wish.task} are records: leave it out")
    outcome = Outcome(wish.learn)
    with Client(wish.url, wish.token, wish.task) as client, _opened(wish) as rows, _bar(wish, rows) as tell:
        began = time.monotonic()
        try:
            for batch in _batches(wish, rows, settings):
                try:
                    _send(client, [sent.item for sent in batch], outcome)
                except ServiceError as fault:
                    raise _placed(fault, rows, batch) from None
                outcome.seconds = time.monotonic() - began
                tell(outcome)
        except KeyboardInterrupt:
            raise Interrupted(outcome.told()) from None
        except DataError as fault:
            before = f"; before it, {outcome.told()}" if outcome.items else ""
            raise DataError(f"{fault}{before}") from None
    if as_json:
        print_json(outcome.as_dict())
    else:
        _show(outcome)


def _send(client: Client, batch: list[Any], outcome: Outcome) -> None:
    if outcome.learn:
        done = client.teach(batch, [item.label for item in batch])
        outcome.learned += done.learned
        outcome.again += done.again
    else:
        decided = client.decide(batch)
        outcome.asked += sum(one.asked for one in decided)
        outcome.again += sum(one.again for one in decided)
    outcome.items += len(batch)


def _batches(wish: PushWish, rows: RawRows, settings: TaskSettings) -> Iterator[list[Sent]]:
    items = _items(wish, rows, settings)
    if wish.file == STANDARD_INPUT:
        return in_time(items, wish.batch)
    return batches(items, wish.batch)


def _items(wish: PushWish, rows: RawRows, settings: TaskSettings) -> Iterator[Sent]:
    entries = islice(rows, wish.limit)
    first = next(entries, None)
    if first is None:
        if wish.file == STANDARD_INPUT:
            return
        raise DataError(f"{rows.lines.path}: has no lines but blank ones: check how it was made")
    maker = _maker(wish, rows, settings, first)
    for entry in chain([first], entries):
        yield Sent(entry.line, maker.item(entry))


def _maker(wish: PushWish, rows: RawRows, settings: TaskSettings, first: JsonRecord) -> ItemMaker:
    names, place = first.record, f"{rows.lines.path}, line {first.line}"
    recipe = Recipe(
        label=wish.label or (None if wish.learn else False),
        text=(wish.text or USUAL_TEXT) if settings.item == "text" else False,
    )
    fields = recipe.fields(names, lambda _name: True, place)
    own_id = wish.id or (USUAL_ID if USUAL_ID in names else None)
    if own_id is not None:
        value_of(first.record, own_id, place)
    prefix = None if wish.file == STANDARD_INPUT else stem(rows.lines.path)
    return ItemMaker(rows, prefix, fields, own_id, settings, wish.learn)


@contextmanager
def _opened(wish: PushWish) -> Iterator[RawRows]:
    if wish.file != STANDARD_INPUT:
        with rows_of(wish.file) as rows:
            yield rows
        return
    # A reader of our own, never closed: a thread may be waiting in it when the program ends.
    pipe = open(STANDARD_INPUT_NUMBER, "rb", closefd=False)  # noqa: SIM115
    yield JsonRows(TextLines(Path("standard input"), pipe))


@contextmanager
def _bar(wish: PushWish, rows: RawRows) -> Iterator[Any]:
    if wish.file == STANDARD_INPUT:
        with figures("pushing") as write:
            yield lambda outcome: write(f"{outcome.items:,} items, {outcome.asked:,} asked")
    else:
        with progress("pushing") as tell:
            yield lambda _outcome: tell(rows.lines.progress)


def _placed(fault: ServiceError, rows: RawRows, batch: list[Sent]) -> DataError:
    """What the service said, with the lines that it said it about."""
    place = f"{rows.lines.path}, lines {batch[0].line} to {batch[-1].line}"
    hint = ": name the rows with --id if they are others than before" if fault.code == OTHER_CONTENT else ""
    return DataError(f"{place}: {fault}{hint}")


def _show(outcome: Outcome) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    did = ("learned", outcome.learned) if outcome.learn else ("asked", outcome.asked)
    for heading in ("items", did[0], "items/s", "seconds"):
        table.add_column(heading, justify="right")
    rate = f"{outcome.items / outcome.seconds:,.0f}" if outcome.seconds else ""
    table.add_row(f"{outcome.items:,}", f"{did[1]:,}", rate, f"{outcome.seconds:.1f}")
    console = stdout()
    console.print(table)
    if outcome.again:
        console.print(f"{outcome.again:,} had been sent before: nothing is done twice")
