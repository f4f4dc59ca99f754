"""The work of `askance push`: send rows as items, batch by batch, and count the decisions."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from rich.table import Table

from askance.cli.commands.push.batches import in_time
from askance.cli.commands.push.kinds import with_columns
from askance.cli.commands.push.request import PushRequest
from askance.cli.errors import StoppedError
from askance.cli.output.console import print_json, stdout
from askance.cli.output.progress import STEPS, progress
from askance.data.files import INPUT_NAME, STANDARD_INPUT, batches, stem
from askance.data.guessing import ENOUGH, guessed_format
from askance.data.kinds import ColumnPlan, described
from askance.data.raw_rows import RawRows, rows_of
from askance.errors import DataError, ServiceError
from askance.service.client import Client
from askance.service.files.items import maker_of, roles_of
from askance.service.messages import TaskDetail
from askance.service.settings import TaskSettings

STANDARD_INPUT_NUMBER = 0
ID_REUSED = "id_reused"


@dataclass
class Counts:
    """The rows that were sent so far, and what the service did with them."""

    labelled: bool
    on_lease: bool = False  # questions are chosen later, when somebody labels
    items: int = 0
    asked: int = 0
    learned: int = 0
    again: int = 0
    unpaid: int = 0  # items without guesses that came with them, because these cost more than was left
    seconds: float = 0.0
    waiting: int | None = None  # questions that could be answered now, if they are chosen later
    columns: tuple[ColumnPlan, ...] = ()  # if the task got to know them
    gold: int | None = None  # items that were added as gold ones, if the rows are such

    def summary(self) -> str:
        """The number of items in a few words."""
        if self.gold is not None:
            return f"{self.items:,} items were added as gold items"
        return (
            f"{self.items:,} items were {'learned' if self.labelled else 'taken' if self.on_lease else 'decided'}"
        )

    @property
    def outcome(self) -> dict[str, int]:
        """What the service did with the items: it learned them, asked about some, or took them to ask later."""
        if self.gold is not None:
            return {"gold": self.gold}
        if self.labelled:
            return {"learned": self.learned}
        return {"taken": self.items - self.again} if self.on_lease else {"asked": self.asked}

    def as_dict(self) -> dict[str, Any]:
        """The counts as JSON can hold them."""
        kinds = {column.name: column.kind for column in self.columns}
        return {
            **({"columns": kinds} if kinds else {}),
            "items": self.items,
            **self.outcome,
            **({} if self.waiting is None else {"waiting": self.waiting}),
            "again": self.again,
            **({"unpaid": self.unpaid} if self.unpaid else {}),
            "items_per_second": self.items / self.seconds if self.seconds else None,
            "seconds": self.seconds,
        }


class Sent(NamedTuple):
    """An item, and its line in the file."""

    line: int
    item: Any


def answer(request: PushRequest, *, as_json: bool) -> None:
    """Send the rows and print the counts."""
    with Client(request.url, request.token, request.task, retries=1) as first_contact:
        detail = first_contact.task_detail()  # reports a wrong address, token or task at once
    _check_options(request, detail.settings)
    counts = Counts(request.labelled, detail.settings.asks_on_lease, gold=0 if request.gold else None)
    with (
        Client(request.url, request.token, request.task) as client,
        _opened(request) as rows,
        _bar(request, rows) as report,
    ):
        began = time.monotonic()
        try:
            for batch in _batches(client, request, rows, detail, counts):
                try:
                    send(client, [sent.item for sent in batch], counts, request.source)
                except ServiceError as error:
                    raise _placed(error, rows, batch) from None
                counts.seconds = time.monotonic() - began
                report(counts)
        except KeyboardInterrupt:
            raise StoppedError(counts.summary()) from None
        except DataError as error:
            before = f"; before it, {counts.summary()}" if counts.items else ""
            raise DataError(f"{error}{before}", parameter=error.parameter) from None
        count_waiting(client, counts)
    if as_json:
        print_json(counts.as_dict())
    else:
        _show(request.task, counts)


def send(client: Client, batch: list[Any], counts: Counts, source: str | None = None) -> None:
    """Send items, and count what the service did with them."""
    if counts.labelled:
        is_gold = counts.gold is not None
        done = client.import_items(batch, [item.label for item in batch], source=source, gold=is_gold)
        counts.learned += done.learned
        counts.gold = counts.gold + done.gold if counts.gold is not None else None
        counts.again += done.again
    else:
        decided = client.decide(batch)
        counts.asked += sum(one.ask for one in decided)
        counts.again += sum(one.again for one in decided)
        counts.unpaid += sum(bool(one.unpaid) for one in decided)
    counts.items += len(batch)


def count_waiting(client: Client, counts: Counts) -> None:
    """Find out how many questions could be answered now, if they are chosen when somebody labels."""
    if counts.on_lease and not counts.labelled:
        counts.waiting = client.task_detail().figures.waiting


def waiting_sentence(task: str, waiting: int) -> str:
    """What happens to items that were taken, for people."""
    return f"{task} chooses questions when somebody labels: {waiting:,} can be answered now"


def _check_options(request: PushRequest, settings: TaskSettings) -> None:
    for part, given in (("text", request.text), ("vector", request.vector)):
        if given is not None and part not in settings.parts:
            has = " and ".join(f"{each}s" for each in settings.parts)
            raise ValueError(
                f"--{part} {given}: the items of {request.task} are {has}, not {part}s: remove --{part}"
            )


def _batches(
    client: Client, request: PushRequest, rows: RawRows, detail: TaskDetail, counts: Counts
) -> Iterator[list[Sent]]:
    items = _items(client, request, rows, detail, counts)
    if request.file == STANDARD_INPUT:
        return in_time(items, request.batch)
    return batches(items, request.batch)


def _items(
    client: Client, request: PushRequest, rows: RawRows, detail: TaskDetail, counts: Counts
) -> Iterator[Sent]:
    first = rows.first(1)
    if not first:
        if request.file == STANDARD_INPUT:
            return
        lacks = "only blank lines" if rows.has_objects else "no rows"
        raise DataError(f"{rows.path}: has {lacks}: check how it was made")
    roles = roles_of(request.choices, rows, detail.settings, first[0])
    settings, counts.columns = with_columns(client, request, rows, detail, roles)
    prefix = None if request.file == STANDARD_INPUT else stem(rows.path)
    maker = maker_of(rows, settings, roles, prefix, labelled=request.labelled)
    for entry in islice(rows, request.limit):
        yield Sent(entry.line, maker.item(entry))


@contextmanager
def _opened(request: PushRequest) -> Iterator[RawRows]:
    if request.file != STANDARD_INPUT:
        with rows_of(request.file, None, request.format, label=request.label, labelled=request.labelled) as rows:
            yield rows
        return
    # A separate reader that is never closed, because a thread may be waiting in it when the program ends.
    pipe = open(STANDARD_INPUT_NUMBER, "rb", closefd=False)  # noqa: SIM115
    kind = request.format or guessed_format(pipe.peek(ENOUGH), str(INPUT_NAME)) or "jsonl"
    if kind == "jsonl" or pipe.peek(1):
        with rows_of(INPUT_NAME, pipe, kind) as rows:
            yield rows


@contextmanager
def _bar(request: PushRequest, rows: RawRows) -> Iterator[Callable[[Counts], None]]:
    with progress("pushing") as report:

        def after_batch(counts: Counts) -> None:
            if request.file == STANDARD_INPUT:
                (did, count), *_ = counts.outcome.items()
                report(counts.items, None, f"{counts.items:,} items, {count:,} {did}")
            else:
                report(round(STEPS * rows.progress), STEPS, rows.path.name)

        yield after_batch


def _placed(error: ServiceError, rows: RawRows, batch: list[Sent]) -> DataError:
    """An error of the service, with the lines that it is about."""
    place = rows.where(batch[0].line, batch[-1].line)
    hint = "; if these are other rows than before, give their ids with --id" if error.code == ID_REUSED else ""
    return DataError(f"{place}: {error}{hint}")


def _show(task: str, counts: Counts) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    (did, count), *_ = counts.outcome.items()
    for heading in ("items", did, "items/s", "seconds"):
        table.add_column(heading, justify="right")
    rate = f"{counts.items / counts.seconds:,.0f}" if counts.seconds else ""
    table.add_row(f"{counts.items:,}", f"{count:,}", rate, f"{counts.seconds:.1f}")
    console = stdout()
    if counts.columns:
        console.print(f"Columns: {described(counts.columns)}.", soft_wrap=True)
    console.print(table)
    if counts.waiting is not None:
        console.print(waiting_sentence(task, counts.waiting), soft_wrap=True)
    if counts.again:
        console.print(f"{counts.again:,} had been sent before and were not processed again")
    if counts.unpaid:
        items = f"{counts.unpaid:,} item{'s' * (counts.unpaid != 1)}"
        console.print(f"guesses of {items} were not taken: they cost more than the task has left", soft_wrap=True)
