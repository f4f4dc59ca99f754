"""A row of a file, and what is known of a session, in a terminal."""

import time

from askance.cli.output.untrusted import harmless, in_one_line
from askance.pool.labelling.recorded_session import AnySession
from askance.pool.labelling.row_view import counted, quality, values_of
from askance.pool.labelling.table import LabelTable


def content_of(table: LabelTable, row: int) -> str:
    """The values of a row, one per line; a single text without its name."""
    return "\n".join(_line(name, value) for name, value in values_of(table, row))


def summary_of(session: AnySession) -> str:
    """The numbers of labels and of skipped rows, in one line."""
    return in_one_line(counted(session))


def _line(name: str, value: str) -> str:
    return f"{in_one_line(name)}: {in_one_line(value)}" if name else harmless(value)


class Progress:
    """What the line under a question says."""

    def __init__(self, session: AnySession) -> None:
        self._session = session
        self._before = len(session.labels)
        self._began = time.monotonic()

    def line(self) -> str:
        """The labels, how fast they were given since the start of the command, and how good the model is."""
        given = max(0, len(self._session.labels) - self._before)
        rate = 60 * given / max(1.0, time.monotonic() - self._began)
        return f"{summary_of(self._session)}, {rate:.0f} per minute; {in_one_line(quality(self._session))}"
