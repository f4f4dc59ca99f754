"""A labelling session about a file, with its journal, and what it writes: labels and a model."""

import csv
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from askance._util.atomic_write import atomic_write, write_whole
from askance.data.files import stem
from askance.errors import DataError
from askance.pool.labelling.journal import Header
from askance.pool.labelling.recorded_session import (
    RecordedSession,
    begun_settings,
    new_session,
    opened_journal,
    reading_of,
)
from askance.pool.labelling.row_view import statement
from askance.pool.labelling.screening_session import ScreeningSession
from askance.pool.labelling.session import Answer
from askance.pool.labelling.table import LabelFile, read_to_label

COLUMNS = ("row", "label", "probability", "audit")
OTHERWISE = "choose another directory with out="


class Places(NamedTuple):
    """Where the files of a session are."""

    journal: Path
    labels: Path
    model: Path
    statement: Path  # of a screening

    @classmethod
    def of(cls, file: Path, folder: str | os.PathLike[str] | None = None) -> "Places":
        """Beside the file, or in a folder."""
        beside = (file.parent if folder is None else Path(folder)) / stem(file)
        ends = ("journal", "labels.csv", "model", "screening.txt")
        return cls(*(beside.with_name(f"{beside.name}.{end}") for end in ends))


@dataclass(eq=False, kw_only=True)
class FileSession(RecordedSession):
    """A session about a file, and what it writes."""

    table: LabelFile
    places: Places
    settings: Mapping[str, Any]
    sha256: str

    @property
    def statement(self) -> str:
        """What a screening has done and found; empty for other sessions."""
        if not isinstance(self.session, ScreeningSession):
            return ""
        said = statement(self.session, self.table.path.name)
        column = self.settings["answers"]
        return said if column is None else f"{said}\nA simulation: the answers come from the column {column}."

    def save(self) -> list[Path]:
        """Write the labels, what a screening has found, and the model if there are labels of two classes.

        Returns what was written.
        """
        with atomic_write(self.places.labels) as path:
            _write_labels(path, self.session.answers)
        written = [self.places.labels]
        if self.statement:
            content = f"{self.statement}\nSHA-256 of the file: {self.sha256}\n"
            write_whole(self.places.statement, content.encode())
            written.append(self.places.statement)
        if self.has_model:
            write_whole(self.places.model, self.table.model_file(self.session.model()))
            written.append(self.places.model)
        return written


@contextmanager
def open_session(
    file: str | os.PathLike[str],
    folder: str | os.PathLike[str] | None = None,
    given: Mapping[str, Any] | None = None,
) -> Iterator[FileSession]:
    """Begin to label a file, or go on from its journal.

    Parameters
    ----------
    file : str or os.PathLike
        A table without labels, or with only some.
    folder : str, os.PathLike or None, default: None
        Where the journal, the labels and the model are. None means beside the file.
    given : mapping or None, default: None
        Settings that are not the defaults: fields of `Reading`, `classes`, `audit` and `seed`, and for a screening
        `recall` and `positive`. A journal keeps those with which it was begun.

    Yields
    ------
    FileSession
        The session, after all answers in the journal.

    Raises
    ------
    askance.errors.DataError
        If the file cannot be labelled, or the journal is about something else.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from askance.pool import open_session
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "sizes.csv"
    >>> _ = path.write_text("size\\n" + "".join(f"{size / 10}\\n" for size in range(50)))
    >>> with open_session(path, given={"classes": ["small", "large"]}) as opened:
    ...     while len(opened.session.labels) < 20:
    ...         row = opened.session.question().row
    ...         _ = opened.answer("large" if row > 20 else "small")
    ...     [written.name for written in opened.save()]
    ['sizes.labels.csv', 'sizes.model']
    """
    path = Path(file)
    places = Places.of(path, folder)
    if not places.journal.exists():
        _check_free(places)
    settings = begun_settings(places.journal, {} if given is None else given, OTHERWISE)
    table = read_to_label(path, reading_of(settings))
    header = Header(str(path.resolve()), table.digest(), settings)
    session = new_session(table, settings)
    with opened_journal(session, places.journal, header, OTHERWISE) as journal:
        yield FileSession(session, journal, table=table, places=places, settings=settings, sha256=header.sha256)


def _check_free(places: Places) -> None:
    """Raise DataError if files that no session wrote would be replaced."""
    for path in (places.labels, places.model, places.statement):
        if path.exists():
            raise DataError(
                f"{path}: exists, but {places.journal} does not: move it, or {OTHERWISE}",
                parameter="out",
            )


def _write_labels(path: Path, answers: list[Answer]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for question, label in answers:
            if label is not None:
                audit = "yes" if question.audit else "no"
                writer.writerow([question.row, label, f"{question.probability:.6g}", audit])
