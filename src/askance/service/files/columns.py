"""The kinds of columns of the first table of a task, which the task keeps."""

from collections.abc import Mapping, Sequence

from askance.data.cells import RawColumn, level_of
from askance.data.files import listed, shown
from askance.data.jsonl import JsonRecord
from askance.data.kinds import CATEGORY, LEFT_OUT, ColumnPlan, infer
from askance.data.raw_rows import RawRows
from askance.data.raw_tables import RawBatch, record_batch
from askance.data.tables import HEAD_ROWS
from askance.errors import DataError
from askance.service.files.items import Roles
from askance.service.settings import TaskSettings

ONE_VALUE = "one value"


def takes_columns(settings: TaskSettings, *, has_items: bool, of_texts: bool = False) -> bool:
    """Whether the next table may say what the columns of a task hold; with `of_texts`, also of one of texts."""
    has_record = "record" in settings.parts or (of_texts and settings.only_texts)
    return settings.is_auto and has_record and not settings.columns and not has_items


def inferred(rows: RawRows, roles: Roles, given: Mapping[str, str]) -> tuple[ColumnPlan, ...]:
    """The kinds of columns by the first rows, and as given."""
    batch = head_batch(rows, rows.first(HEAD_ROWS))
    features = [name for name in batch.columns if name and name.split(".")[0] not in roles.left_out]
    for name, kind in given.items():
        if name not in features:
            raise DataError(f"{rows.path}: no column {shown(name)} for --{kind}; there are {listed(features)}")
    return plan_of_head(batch, features, given)


def head_batch(rows: RawRows, head: Sequence[JsonRecord]) -> RawBatch:
    """The first rows as columns."""
    return record_batch([entry.record for entry in head], lambda row: rows.where(head[row].line), 0.0)


def plan_of_head(batch: RawBatch, features: Sequence[str], given: Mapping[str, str]) -> tuple[ColumnPlan, ...]:
    """The kinds of columns by the first rows. More rows may come, so a column with one value stays."""
    plan = infer(batch.columns, given, complete=False, features=features)
    return tuple(_kept(column, batch.columns[column.name]) for column in plan)


def _kept(column: ColumnPlan, values: RawColumn) -> ColumnPlan:
    if column.kind == LEFT_OUT and column.reason.startswith(ONE_VALUE):
        return ColumnPlan(column.name, CATEGORY, levels=(level_of(values[0]),))
    return column
