"""A row of a table as a person reads it, and what is said of a session."""

import math
from typing import Any, NamedTuple

from askance import __version__
from askance._util.shortened import shortened
from askance.data.cells import number_of
from askance.data.kinds import TEXT
from askance.pool.labelling.checks import FEWEST_AUDITED
from askance.pool.labelling.recorded_session import AnySession
from askance.pool.labelling.screening_session import ScreeningSession
from askance.pool.labelling.table import LabelTable

MOST_CLASSES = 10
SAYS_NOTHING = 0.01  # a lower limit of the recall


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


def percent(share: float, digits: int = 1) -> str:
    """A share in percent, rounded down: a limit stays a limit, and 100 % means all."""
    shift = 10**digits
    return f"{math.floor(100 * share * shift + 1e-9) / shift:.{digits}f}%"


def quality(session: AnySession) -> str:
    """How good the model is, or how much a screening has found, with an interval or a limit, in a few words."""
    if isinstance(session, ScreeningSession):
        return _recall(session)
    estimate, rare = session.figure(), session.rare_class
    name = "accuracy" if rare is None else f"F of {rare}"
    if estimate.value is not None:
        limits = f"{estimate.low:.3f}–{estimate.high:.3f}"
        return f"{name} {estimate.value:.3f} ({limits}), from {estimate.labels} labels at random"
    if rare is None:
        return f"{name} not yet known"
    there = f"it takes {FEWEST_AUDITED} labels at random about it, and there are {estimate.labels}"
    return f"{name} not yet known: {there}"


def _recall(session: ScreeningSession) -> str:
    screening, skipped = session.screening, session.skipped
    if screening.certifier.read == session.pool.rows and not skipped:
        return f"all {named(session.positive)} are found" if screening.positives else "there are none"
    if screening.recall < SAYS_NOTHING:
        return "nothing is known about the recall yet"
    level = f"{screening.certifier.level:.0%} confidence"
    return f"recall at least {percent(screening.recall)} ({level})"


def named(label: str) -> str:
    """A class after a number of rows: 78 relevant, or 78 of class 1."""
    return label if label[:1].isalpha() else f"of class {label}"


def counted(session: AnySession) -> str:
    """The numbers of labels and of skipped rows; of a screening, those of rows read and found."""
    skipped = f", {session.skipped:,} skipped" if session.skipped else ""
    if isinstance(session, ScreeningSession):
        read, found = session.screening.certifier.read, len(session.screening.positives)
        return f"{read:,} of {session.pool.rows:,} rows read, {found:,} {named(session.positive)} found{skipped}"
    counts = [f"{count:,} {name}" for name, count in session.counts.most_common(MOST_CLASSES)]
    more = ", …" if len(session.counts) > MOST_CLASSES else ""
    classes = f" ({', '.join(counts)}{more})" if counts else ""
    return f"{len(session.labels):,} label{'' if len(session.labels) == 1 else 's'}{classes}{skipped}"


def stop_advice(session: AnySession) -> str:
    """The advice to stop, in two sentences; empty as long as there is none. A screening stops by itself."""
    reason = "" if isinstance(session, ScreeningSession) else session.advice()
    return f"You could stop: {reason}. This is advice, not a guarantee." if reason else ""


def is_reached(limit: int | None, session: AnySession) -> bool:
    """Whether there are as many new labels as were wanted."""
    return limit is not None and len(session.labels) - len(session.known) >= limit


def why_it_ends(limit: int | None, session: AnySession) -> str:
    """Why there is no further question."""
    if is_reached(limit, session):
        return f"{limit:,} labels are given."
    if isinstance(session, ScreeningSession) and session.screening.certifier.read < session.pool.rows:
        return f"Enough is found: {_recall(session)}."
    return "All rows are answered."


def statement(session: ScreeningSession, name: str) -> str:
    """What a screening has done and found, and why it ended, so that it can be cited."""
    screening, positive = session.screening, session.positive
    rows, read, found = session.pool.rows, screening.certifier.read, len(screening.positives)
    random = sum(answer.question.audit for answer in session.answers)
    rule = f"the recall is at least {percent(screening.wanted)} with {screening.certifier.level:.0%} confidence"
    if read == rows:
        ended = "Reading ended because all records were read"
    elif screening.done:
        ended = f"Reading ended because {rule} (the limit holds at all times at once)"
    else:
        ended = f"Reading was not finished: it ends when {rule}"
    parts = [f"{len(session.known):,} had a label before"] if session.known else []
    parts.append(f"{random:,} were drawn at random from all that were not read")
    parts.append(f"{len(session.answers) - random:,} were the most likely ones by a learner")
    return "\n".join(
        [
            f"Screening of {name} with askance {__version__} for records of the class {positive}.",
            f"Records in the file: {rows:,}.",
            f"Read: {read:,}. Of these, {', '.join(parts)}.",
            f"Found: {found:,} {named(positive)}. Skipped without a decision: {session.skipped:,}"
            f"{' (each counts as one that was not found)' if session.skipped else ''}.",
            f"Not read: {rows - read:,}.",
            f"{ended}. Reached: {_recall(session)}.",
            f"Random state: {session.random_state}.",
        ]
    )
