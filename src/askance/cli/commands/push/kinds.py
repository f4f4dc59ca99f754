"""The kinds of columns of a table that is pushed to a task without items: the task keeps them."""

from askance.cli.commands.push.items import Roles
from askance.cli.commands.push.request import PushRequest
from askance.data.cells import RawColumn, level_of
from askance.data.files import STANDARD_INPUT, listed, shown
from askance.data.kinds import CATEGORY, LEFT_OUT, ColumnPlan, infer
from askance.data.raw_rows import ArchiveRows, JsonRows, RawRows
from askance.data.raw_tables import record_batch
from askance.data.tables import HEAD_ROWS
from askance.errors import DataError
from askance.service.client import Client
from askance.service.messages import TaskDetail
from askance.service.settings import TaskSettings
from askance.service.state.columns import columns_of

FEWEST = 20  # rows: fewer tell too little of columns
ONE_VALUE = "one value"


def with_columns(
    client: Client, request: PushRequest, rows: RawRows, detail: TaskDetail, roles: Roles
) -> tuple[TaskSettings, tuple[ColumnPlan, ...]]:
    """The settings of the task, with the kinds of columns if this is its first table, and these columns."""
    settings, figures = detail.settings, detail.figures
    is_new = not figures.items and not figures.imported
    is_open = settings.is_auto and "record" in settings.parts and not settings.columns and is_new
    is_prompt = request.file == STANDARD_INPUT and isinstance(rows, JsonRows)  # objects are sent as they come
    if not is_open or is_prompt or isinstance(rows, ArchiveRows):
        if request.kinds:
            name, kind = request.kinds[0]
            raise ValueError(f"--{kind} {name}: the columns of {settings.name} are settled: remove --{kind}")
        return settings, ()
    if len(rows.first(FEWEST)) < FEWEST and not request.kinds:
        return settings, ()
    columns = _inferred(request, rows, roles)
    if all(column.kind == LEFT_OUT for column in columns):
        return settings, ()
    return client.set_columns(columns_of(columns)).settings, columns


def _inferred(request: PushRequest, rows: RawRows, roles: Roles) -> tuple[ColumnPlan, ...]:
    """The kinds of columns by the first rows. More rows may come, so a column with one value stays."""
    head = rows.first(HEAD_ROWS)
    batch = record_batch([entry.record for entry in head], lambda row: rows.where(head[row].line), 0.0)
    features = [name for name in batch.columns if name and name.split(".")[0] not in roles.left_out]
    given = dict(request.kinds)
    for name, kind in given.items():
        if name not in features:
            raise DataError(f"{rows.path}: no column {shown(name)} for --{kind}; there are {listed(features)}")
    plan = infer(batch.columns, given, complete=False, features=features)
    return tuple(_kept(column, batch.columns[column.name]) for column in plan)


def _kept(column: ColumnPlan, values: RawColumn) -> ColumnPlan:
    if column.kind == LEFT_OUT and column.reason.startswith(ONE_VALUE):
        return ColumnPlan(column.name, CATEGORY, levels=(level_of(values[0]),))
    return column
