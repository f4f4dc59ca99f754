"""A row of a table as a person reads it, and what is said of a session."""

from typing import Any

from askance._util.shortened import shortened
from askance.data.cells import number_of
from askance.data.kinds import TEXT
from askance.metrics.estimates import Estimate
from askance.pool.labelling.session import LabellingSession
from askance.pool.labelling.table import LabelTable

LONGEST_TEXT, LONGEST_CELL = 2000, 200
MOST_COLUMNS, MOST_CLASSES = 40, 10


def values_of(table: LabelTable, row: int) -> list[tuple[str, str]]:
    """The columns of a row and their values; a single text has no name. Long ones are cut, numbers rounded."""
    texts = {column.name for column in table.stream.columns if column.kind == TEXT}
    values = table.shown(row)
    if len(table.columns) == 1 and texts:
        return [("", shortened(str(next(iter(values.values()), "(empty)")), LONGEST_TEXT))]
    found = [(name, _value(value, name in texts)) for name, value in values.items()]
    if len(found) > MOST_COLUMNS:
        found[MOST_COLUMNS:] = [("", f"… and {len(found) - MOST_COLUMNS} more columns")]
    return found or [("", "(empty)")]


def _value(value: Any, is_text: bool) -> str:
    text = " ".join(str(value).split())
    number = None if is_text or isinstance(value, bool) else number_of(value)
    if number is not None and not number.is_integer() and len(text) > 6:
        return f"{number:.5g}"
    return shortened(text, LONGEST_TEXT if is_text else LONGEST_CELL)


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


def is_reached(limit: int | None, session: LabellingSession) -> bool:
    """Whether there are as many new labels as were wanted."""
    return limit is not None and len(session.labels) - len(session.known) >= limit
