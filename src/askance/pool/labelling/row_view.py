"""A row of a table as a person reads it, and what is said of a session."""

from typing import Any, NamedTuple

from askance._util.shortened import shortened
from askance.data.cells import number_of
from askance.data.kinds import TEXT
from askance.metrics.estimates import Estimate
from askance.pool.labelling.session import LabellingSession
from askance.pool.labelling.table import LabelTable

MOST_CLASSES = 10


class Extent(NamedTuple):
    """How much of a row is shown: characters of a text and of another cell, columns, and whether lines are kept.

    The default suits a terminal and a notebook. A page can be scrolled, so it shows more.
    """

    text: int = 2000
    cell: int = 200
    columns: int = 40
    keeps_lines: bool = False


SHORT = Extent()


def values_of(table: LabelTable, row: int, extent: Extent = SHORT) -> list[tuple[str, str]]:
    """The columns of a row and their values; a single text has no name. Long ones are cut, numbers rounded."""
    texts = {column.name for column in table.stream.columns if column.kind == TEXT}
    values = table.shown(row)
    if len(table.columns) == 1 and texts:
        return [("", shortened(str(next(iter(values.values()), "(empty)")), extent.text))]
    # 123.456 may be a number with a group of three digits: what is not written plainly is shown as it is.
    as_is = texts | {column.name for column in table.stream.columns if column.notation}
    found = [(name, _value(value, name in texts, name in as_is, extent)) for name, value in values.items()]
    if len(found) > extent.columns:
        found[extent.columns :] = [("", f"… and {len(found) - extent.columns} more columns")]
    return found or [("", "(empty)")]


def _value(value: Any, is_text: bool, as_is: bool, extent: Extent) -> str:
    text = str(value) if extent.keeps_lines else " ".join(str(value).split())
    number = None if as_is or isinstance(value, bool) else number_of(value)
    if number is not None and not number.is_integer() and len(text) > 6:
        return f"{number:.5g}"
    return shortened(text, extent.text if is_text else extent.cell)


def accuracy(estimate: Estimate) -> str:
    """The estimated accuracy with its interval, in a few words."""
    if estimate.value is None:
        return "accuracy not yet known"
    limits = f"{estimate.low:.3f}–{estimate.high:.3f}"
    return f"accuracy {estimate.value:.3f} ({limits}), from {estimate.labels} labels at random"


def counted(session: LabellingSession) -> str:
    """The numbers of labels and of skipped rows."""
    counts = [f"{count:,} {name}" for name, count in session.counts.most_common(MOST_CLASSES)]
    more = ", …" if len(session.counts) > MOST_CLASSES else ""
    skipped = f", {session.skipped:,} skipped" if session.skipped else ""
    classes = f" ({', '.join(counts)}{more})" if counts else ""
    return f"{len(session.labels):,} label{'' if len(session.labels) == 1 else 's'}{classes}{skipped}"


def stop_advice(session: LabellingSession) -> str:
    """The advice to stop, in two sentences; empty as long as there is none."""
    reason = session.advice()
    return f"You could stop: {reason}. This is advice, not a guarantee." if reason else ""


def is_reached(limit: int | None, session: LabellingSession) -> bool:
    """Whether there are as many new labels as were wanted."""
    return limit is not None and len(session.labels) - len(session.known) >= limit
