"""The kinds of columns of a table that is pushed to a task without items: the task keeps them."""

from askance.cli.commands.push.request import PushRequest
from askance.data.files import STANDARD_INPUT
from askance.data.kinds import LEFT_OUT, ColumnPlan
from askance.data.raw_rows import ArchiveRows, JsonRows, RawRows
from askance.service.client import Client
from askance.service.files.columns import inferred, takes_columns
from askance.service.files.items import Roles
from askance.service.messages import TaskDetail
from askance.service.settings import TaskSettings
from askance.service.state.columns import columns_of

FEWEST = 20  # rows: fewer tell too little of columns


def with_columns(
    client: Client, request: PushRequest, rows: RawRows, detail: TaskDetail, roles: Roles
) -> tuple[TaskSettings, tuple[ColumnPlan, ...]]:
    """The settings of the task, with the kinds of columns if this is its first table, and these columns."""
    settings, figures = detail.settings, detail.figures
    is_open = takes_columns(settings, has_items=bool(figures.items or figures.imported))
    is_prompt = request.file == STANDARD_INPUT and isinstance(rows, JsonRows)  # objects are sent as they come
    if not is_open or is_prompt or isinstance(rows, ArchiveRows):
        if request.kinds:
            name, kind = request.kinds[0]
            raise ValueError(f"--{kind} {name}: the columns of {settings.name} are settled: remove --{kind}")
        return settings, ()
    if len(rows.first(FEWEST)) < FEWEST and not request.kinds:
        return settings, ()
    columns = inferred(rows, roles, dict(request.kinds))
    if all(column.kind == LEFT_OUT for column in columns):
        return settings, ()
    return client.set_columns(columns_of(columns)).settings, columns
