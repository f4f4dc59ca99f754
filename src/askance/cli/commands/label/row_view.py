"""A row of a file, and what is known of a session, in a terminal."""

from askance.cli.output.untrusted import harmless, in_one_line
from askance.pool.labelling.row_view import counted, values_of
from askance.pool.labelling.session import LabellingSession
from askance.pool.labelling.table import LabelTable


def content_of(table: LabelTable, row: int) -> str:
    """The values of a row, one per line; a single text without its name."""
    return "\n".join(_line(name, value) for name, value in values_of(table, row))


def summary_of(session: LabellingSession) -> str:
    """The numbers of labels and of skipped rows, in one line."""
    return in_one_line(counted(session))


def _line(name: str, value: str) -> str:
    return f"{in_one_line(name)}: {in_one_line(value)}" if name else harmless(value)
