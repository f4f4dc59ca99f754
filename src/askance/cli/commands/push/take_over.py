"""`askance push` of a journal of `askance label`: its labels and all other rows go to a task of the service."""

import math
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from askance.cli.commands.push.request import PushRequest
from askance.cli.commands.push.work import Counts, count_waiting, send, waiting_sentence
from askance.cli.output.console import print_json, stdout
from askance.cli.output.progress import progress
from askance.data.cells import column_number, level_of
from askance.data.files import batches, listed, shown, stem
from askance.data.guesses import without_guesses
from askance.data.kinds import LEFT_OUT, NUMBER, TEXT
from askance.data.typed import TypedTable
from askance.errors import DataError, ServiceError
from askance.pool.labelling.journal import FRAME, Recorded, recorded
from askance.pool.labelling.recorded_session import reading_of
from askance.pool.labelling.table import LabelFile, read_to_label
from askance.service.client import Client
from askance.service.files.items import USUAL_ID
from askance.service.messages import Item, LabelledItem
from askance.service.settings import TaskSettings
from askance.service.state.columns import columns_of

NOT_FOUND = 404
SOURCE = "askance label"  # of the labels, as the service keeps it


class Labelled(NamedTuple):
    """A file with the labels that people and the file itself gave, by row."""

    table: LabelFile
    labels: dict[int, str]
    left_out: frozenset[str]
    named: tuple[str, ...] = ()  # the classes that were named at the beginning, also those without a label

    @property
    def classes(self) -> list[str]:
        """The classes that rows may have."""
        return list(dict.fromkeys([*self.named, *self.labels.values()]))

    @property
    def text(self) -> str | None:
        """The column with the text, if the model has learned from nothing else."""
        return only_text(self.table.stream)


def take_over(request: PushRequest, *, as_json: bool) -> None:
    """Create the task unless it exists, import the labels, and then push the other rows."""
    for name in ("labelled", "text", "label", "limit"):
        if getattr(request, name):
            raise ValueError(f"--{name}: a journal says what to send: remove --{name}")
    found = labelled_rows(Path(request.file))
    with Client(request.url, request.token, request.task) as client, progress("pushing") as report:
        settings = _task(client, request.task, found)
        done = 0
        learned, decided = Counts(labelled=True), Counts(False, settings.asks_on_lease)
        for counts in (learned, decided):  # the model knows all labels before it decides about other rows
            for batch in batches(_items(request, found, settings, counts), request.batch):
                send(client, batch, counts, SOURCE)
                done += len(batch)
                report(done, found.table.rows, found.table.path.name)
        count_waiting(client, decided)
    if as_json:
        waiting = {} if decided.waiting is None else {"waiting": decided.waiting}
        again = {"again": learned.again + decided.again}
        print_json({"items": done, **learned.outcome, **decided.outcome, **waiting, **again})
    else:
        _show(request.task, learned, decided)


def labelled_rows(journal: Path) -> Labelled:
    """The rows and labels of a journal; raises DataError if its file is not there, or has changed."""
    content = recorded(journal)
    if content.header.file == FRAME:
        raise DataError(
            f"{journal}: is about a data frame, which is not a file: import its labels with the client"
        )
    reading = reading_of(content.header.settings)
    table = read_to_label(_file_of(content, journal), reading)
    if table.digest() != content.header.sha256:
        raise DataError(f"{journal}: is about another content of {table.path}: restore that file")
    answers = {answer.question.row: answer.label for answer in content.answers if answer.label is not None}
    columns = [reading.label, reading.answers, table.stream.labels.column, *reading.drop]
    named = tuple(content.header.settings.get("classes") or ())
    return Labelled(table, {**table.known, **answers}, frozenset(name for name in columns if name), named)


def _file_of(content: Recorded, journal: Path) -> Path:
    """The file where it was, or beside the journal."""
    path = Path(content.header.file)
    return path if path.exists() else journal.with_name(path.name)


def only_text(stream: TypedTable) -> str | None:
    """The column with the text, if all others are left out."""
    used = [column for column in stream.columns if column.kind != LEFT_OUT]
    return used[0].name if len(used) == 1 and used[0].kind == TEXT else None


def _task(client: Client, name: str, found: Labelled) -> TaskSettings:
    """The settings of the task, which is created if it does not exist."""
    classes = found.classes
    try:
        settings = client.task_detail().settings
    except ServiceError as error:
        if error.status != NOT_FOUND:
            raise
        if len(classes) < 2:
            raise DataError("a task needs two classes: label rows of another class first") from None
        columns = columns_of(without_guesses(found.table.stream.columns))
        more = {} if found.text is not None else {"item": "record", "columns": columns}
        settings = client.create({"name": name, "classes": classes, **more}).settings
    if unknown := [label for label in classes if label not in settings.classes]:
        raise ValueError(f"the task {name} has no class {unknown[0]!r}: choose another task")
    if settings.item == "text" and found.text is None:
        raise ValueError(
            f"the items of {name} are texts, but the rows have other columns too: choose another task"
        )
    return settings


def _items(request: PushRequest, found: Labelled, settings: TaskSettings, counts: Counts) -> Iterator[Item]:
    """The rows with a label as labelled items, or all others."""
    table = found.table
    own_id = request.id or (USUAL_ID if USUAL_ID in table.columns else None)
    if own_id is not None and own_id not in table.columns:
        raise DataError(f"{table.path}: no column {shown(own_id)}; there are {listed(table.columns)}")
    for row in range(table.rows):
        if (row in found.labels) == counts.labelled:
            content: dict[str, Any] = {
                "id": f"{stem(table.path)}:{row}" if own_id is None else str(table.columns[own_id][row])
            }
            if settings.item == "text":
                content["text"] = str(table.columns[found.text or ""][row])
            else:
                content["record"] = _record(table, row, found.left_out | {own_id})
            yield _item(content, found, row)


def _item(content: dict[str, Any], found: Labelled, row: int) -> Item:
    """The item, with its label if it has one; DataError with the row if the service would refuse it."""
    if row in found.labels:
        content["label"] = found.labels[row]
    try:
        return msgspec.convert(content, LabelledItem if row in found.labels else Item)
    except msgspec.ValidationError as error:
        raise DataError(f"{found.table.path}, row {row} (from 0): cannot be sent ({error})") from None


def _record(table: LabelFile, row: int, left_out: Collection[str | None]) -> dict[str, Any]:
    """The values of a row that are not empty, with numbers as numbers."""
    plan = without_guesses(table.stream.columns)
    numbers = {column.name: column for column in plan if column.kind == NUMBER}
    found: dict[str, Any] = {}
    for name, value in table.shown(row).items():
        if name in left_out:
            continue
        column = numbers.get(name)
        number = column_number(value, column.notation, lenient=column.lenient) if column else None
        if number is None:
            found[name] = level_of(value) if not isinstance(value, list) else value
        elif math.isfinite(number):
            found[name] = number
    return found


def _show(task: str, learned: Counts, decided: Counts) -> None:
    console = stdout()
    questions = "" if decided.on_lease else f", of which {decided.asked:,} are questions"
    console.print(
        f"{task}: imported {learned.learned:,} labels and pushed {decided.items:,} other rows{questions}.",
        soft_wrap=True,
    )
    if decided.waiting is not None:
        console.print(waiting_sentence(task, decided.waiting), soft_wrap=True)
    if again := learned.again + decided.again:
        console.print(f"{again:,} had been sent before and were not processed again")
