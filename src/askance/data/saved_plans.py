"""How a table was read, for model files: the next table is read in the same way."""

from typing import Any, Literal

import numpy as np

from askance.data.encoding import RunningMeans, TablePlan
from askance.data.files import listed, reason, shown
from askance.data.hashing import check_bits
from askance.data.kinds import KINDS, LEFT_OUT, NOTATIONS_OF, ColumnPlan
from askance.data.notation import PLAIN
from askance.data.raw_tables import RawBatch, first_rows
from askance.data.recipe import Recipe
from askance.data.tables import HEAD_ROWS
from askance.data.typed import LabelPlan, TypedTable, label_plan, later_source, raw_table, roles_apart
from askance.errors import DataError, ModelFileError


def saved_plan(table: TypedTable) -> dict[str, Any]:
    """What a model file holds of a table that has been read."""
    return saved_means(table.after, table.labels.column)


def saved_means(means: RunningMeans, label: str | None) -> dict[str, Any]:
    """What a model file holds of the columns of a table, the means of numbers and the column of the label."""
    return {
        "columns": [column._asdict() for column in means.plan.columns],
        "bits": means.plan.bits,
        "pairs": means.plan.pairs,
        "sums": means.sums.tolist(),
        "counts": means.counts.tolist(),
        "label": label,
    }


def read_as_saved(
    source: Any,
    saved: dict[str, Any],
    *,
    format: str | None = None,  # noqa: A002 - as in `read_table`
    label: str | Literal[False] | None = None,
    delimiter: str | None = None,
    chunk_rows: int = 2048,
    shuffle: bool = False,
    random_state: int | None = None,
    labels: Any = None,
    id: str | None = None,  # noqa: A002 - as in `read_table`
) -> TypedTable:
    """Read another table in the way in which one was read before; missing numbers continue with its means."""
    means = means_of(saved)
    plan = means.plan
    label = saved.get("label") if label is None and labels is None else label
    table = raw_table(source, format, delimiter, wanted=(label, id, *(column.name for column in plan.columns)))
    head = first_rows(table, HEAD_ROWS + 1)
    names = list(head.columns)
    _check_columns(plan, head, table.place)
    later = None if labels is None else later_source(table, source, labels, id, label)
    roles_apart(names, table.place, id, label, later)
    if later is not None:
        where = LabelPlan(None, later=later)
    else:
        recipe = Recipe(label, False)
        where = label_plan(table, head, recipe.fields(names, lambda _name: True, table.place).label, None)
    return TypedTable(table, plan, where, means, chunk_rows, shuffle, random_state, id)


def means_of(saved: dict[str, Any]) -> RunningMeans:
    """The plan of a model file with its means; raises ModelFileError if no table can be read so."""
    try:
        columns = tuple(_column(each) for each in saved["columns"])
        means = RunningMeans(TablePlan(columns, int(saved["bits"]), bool(saved["pairs"])))
        sums, counts = np.array(saved["sums"], np.float64), np.array(saved["counts"], np.int64)
        check_bits(means.plan.bits)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ModelFileError(f"holds columns that no table has ({reason(error)[:100]})") from None
    if sums.shape != means.sums.shape or counts.shape != sums.shape or (counts < 0).any():
        raise ModelFileError("holds means that do not match its columns")
    means.sums, means.counts = sums, counts
    return means


def _column(saved: dict[str, Any]) -> ColumnPlan:
    column = ColumnPlan(**{**saved, "levels": tuple(saved["levels"]), "starts": tuple(saved["starts"])})
    if column.kind not in KINDS:
        raise ValueError(f"kind {column.kind!r}")
    if column.notation not in NOTATIONS_OF.get(column.kind, (PLAIN,)):
        raise ValueError(f"notation {column.notation!r}")
    return column


def _check_columns(plan: TablePlan, head: RawBatch, place: str) -> None:
    """Raise DataError if a column is missing. Objects in JSON lines may leave out what they do not have."""
    for column in plan.columns:
        if column.kind != LEFT_OUT and column.name not in head.columns and not head.has_objects:
            raise DataError(
                f"{place}: no column {shown(column.name)}, which the model has learned from; there are "
                f"{listed(list(head.columns))}"
            )
