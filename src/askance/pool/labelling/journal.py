"""The journal of a labelling session: every answer is on disk before it is acknowledged.

The first line says which file is labelled and how. Each further line is an answer, or says that the last one was
undone. A line that was cut off when the program was killed was not acknowledged, so it is dropped.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BufferedRandom
from pathlib import Path
from typing import Any, NamedTuple, Self

from askance._util.atomic_write import write_whole
from askance._util.file_lock import lock
from askance.errors import DataError
from askance.pool.labelling.session import Answer, Question

KIND, VERSION = "askance label", 1
FRAME = "the data frame"  # in place of the path of a file


class Header(NamedTuple):
    """What a session is about.

    Attributes
    ----------
    file : str
        The path of the file, or `FRAME`.
    sha256 : str
        The checksum of the file.
    settings : dict
        How the file is read and how questions are chosen.
    """

    file: str
    sha256: str
    settings: dict[str, Any]

    def as_line(self) -> dict[str, Any]:
        """The first line."""
        return {"journal": KIND, "version": VERSION, **self._asdict()}


class Recorded(NamedTuple):
    """What a journal holds, and how many of its bytes are complete lines."""

    header: Header
    answers: list[Answer]
    size: int


class Journal:
    """A journal that is open for more answers."""

    def __init__(self, path: Path, file: BufferedRandom) -> None:
        self.path = path
        self._file = file

    def add(self, answer: Answer) -> None:
        """Write an answer, and return when it is on disk."""
        question, label = answer
        self._append({**question._asdict(), "label": label})

    def undo(self, answer: Answer) -> None:
        """Write that the last answer was undone."""
        self._append({"undo": answer.question.row})

    def _append(self, entry: Mapping[str, Any]) -> None:
        self._file.write(_as_bytes(entry))
        self._file.flush()
        os.fsync(self._file.fileno())

    @classmethod
    @contextmanager
    def opened(cls, path: Path, header: Header, otherwise: str) -> Iterator[tuple[Self, list[Answer]]]:
        """Open a journal, or begin one; yields it with the answers so far. `otherwise` is what else one can do.

        Raises DataError if it is about something else, is damaged, or is open elsewhere.
        """
        if not path.exists():
            write_whole(path, _as_bytes(header.as_line()))
        with path.open("r+b") as file:
            lock(file, path, "askance label")
            found = recorded(path)
            if found.header.sha256 != header.sha256:
                raise DataError(
                    f"{path}: is about another content of {found.header.file}: restore it, or {otherwise}",
                    parameter="out",
                )
            file.truncate(found.size)
            file.seek(found.size)
            yield cls(path, file), found.answers


def recorded(path: Path) -> Recorded:
    """Read a journal; raises DataError if it is damaged."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}): check the path") from error
    size = content.rfind(b"\n") + 1
    header, answers = None, list[Answer]()
    for number, line in enumerate(content[:size].splitlines(), 1):
        try:
            entry = json.loads(line)
            if header is None:
                header = _header(entry)
            elif "undo" in entry:
                _undo(entry, answers)
            else:
                answers.append(_answer(entry))
        except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
            raise DataError(f"{path}, line {number}: is not a line of a journal of askance label") from None
    if header is None:
        raise DataError(f"{path}: is not a journal of askance label: choose another name or directory")
    return Recorded(header, answers, size)


def _header(entry: Any) -> Header:
    if entry["journal"] != KIND or entry["version"] != VERSION:
        raise ValueError("another kind of file")
    return Header(str(entry["file"]), str(entry["sha256"]), dict(entry["settings"]))


def _answer(entry: Any) -> Answer:
    row, audit, probability, prediction = (entry[name] for name in Question._fields)
    label = entry["label"]
    if type(row) is not int or type(audit) is not bool or not 0 < float(probability) <= 1:
        raise ValueError("not a question")
    if not all(name is None or isinstance(name, str) for name in (prediction, label)):
        raise ValueError("not a label")
    return Answer(Question(row, audit, float(probability), prediction), label)


def _undo(entry: Any, answers: list[Answer]) -> None:
    if answers.pop().question.row != entry["undo"]:
        raise ValueError("another row")


def _as_bytes(entry: Mapping[str, Any]) -> bytes:
    return json.dumps(entry, ensure_ascii=False).encode() + b"\n"
