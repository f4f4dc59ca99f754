"""The columns of records: what settings say of them, and the plan by which they become rows."""

from askance.data.encoding import TablePlan
from askance.data.kinds import CATEGORY, DATE, LEFT_OUT, NO_DATE, NUMBER, REPEATED_ID, TEXT, ColumnPlan
from askance.service.columns import Column, Columns, Kind

ID, IGNORED = "id", "ignored"
NOON = 12.0
KINDS = {"number": NUMBER, "category": CATEGORY, "text": TEXT, "date": DATE, ID: LEFT_OUT, IGNORED: LEFT_OUT}
# Why a column is left out that has a kind of its own in settings.
ID_REASONS = ("an id", REPEATED_ID, "all values differ", "numbers the rows")


def plan_of(columns: Columns, bits: int, *, pairs: bool) -> TablePlan:
    """How records become rows."""
    return TablePlan(tuple(_planned(name, column) for name, column in columns.items()), bits, pairs)


def _planned(name: str, column: Kind | Column) -> ColumnPlan:
    """A column that is only named has no levels, and may be missing."""
    if isinstance(column, str):
        starts = {"number": (0.0,), "date": (*NO_DATE, NOON)}.get(column, ())
        reason = {ID: "an id", IGNORED: "ignored"}.get(column, "")
        return ColumnPlan(name, KINDS[column], starts=starts, indicator=bool(starts), reason=reason)
    starts = tuple(column.starts)
    return ColumnPlan(
        name=name,
        kind=KINDS[column.kind],
        levels=tuple(column.levels),
        indicator=column.indicator,
        starts=starts,
        lenient=column.lenient,
        reason=column.reason,
        notation=column.notation,
    )


def columns_of(plan: tuple[ColumnPlan, ...]) -> Columns:
    """The columns of a table as settings hold them."""
    return {column.name: _settings_of(column) for column in plan}


def _settings_of(column: ColumnPlan) -> Column:
    kind: Kind = "text"
    if column.kind == LEFT_OUT:
        kind = "id" if column.reason in ID_REASONS else "ignored"
    elif column.kind in (NUMBER, CATEGORY, DATE):
        kind = column.kind  # type: ignore[assignment]
    return Column(
        kind=kind,
        levels=list(column.levels),
        starts=list(column.starts),
        indicator=column.indicator,
        lenient=column.lenient,
        reason=column.reason,
        notation=column.notation,  # type: ignore[arg-type]
    )
