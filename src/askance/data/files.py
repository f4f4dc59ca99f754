"""Text files as lines: plain or gzip, UTF-8, with clear errors if they cannot be read."""

import gzip
import zlib
from collections.abc import Callable, Iterable, Iterator
from io import BufferedReader
from itertools import islice
from os import PathLike, fspath
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from askance.errors import DataError

# A file without line ends, such as a binary one, would otherwise be read into memory as a whole.
LONGEST_LINE = 1 << 26

Item = TypeVar("Item")

Where = Callable[[int], str]
"""Returns the place of the i-th row of a batch in its source, for messages."""


class TextLines:
    """The lines of a file, with their line ends. `number` is that of the last line, from 1.

    Compression is detected by the first bytes, not by the name. An open `file`, such as a pipe, is read as a
    stream; `path` is then only its name.
    """

    def __init__(self, path: Path, file: BufferedReader | None = None) -> None:
        self.path = path
        self.number = 0
        self._size = path.stat().st_size if file is None else 0
        self._file = file or path.open("rb")
        compressed = self._file.peek(2)[:2] == b"\x1f\x8b"
        self._bytes = gzip.GzipFile(fileobj=self._file, mode="rb") if compressed else self._file

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bytes.close()
        self._file.close()

    def __iter__(self) -> Iterator[str]:
        while raw := self._next_line():
            self.number += 1
            yield self._decoded(raw)

    @property
    def progress(self) -> float:
        """The fraction of the file that has been read."""
        return min(1.0, self._file.tell() / self._size) if self._size else 1.0

    @property
    def _place(self) -> str:
        return f"{self.path}, line {self.number}"

    def _next_line(self) -> bytes:
        try:
            return self._bytes.readline(LONGEST_LINE + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise DataError(
                f"{self.path}, after line {self.number}: the compressed data are damaged or cut off "
                f"({reason(error)}): download or create the file again"
            ) from error

    def _decoded(self, raw: bytes) -> str:
        if len(raw) > LONGEST_LINE:
            raise DataError(f"{self._place}: longer than {LONGEST_LINE >> 20} MiB: check that it is a text file")
        if b"\0" in raw:
            raise DataError(f"{self._place}: has a zero byte, so it is not UTF-8 text: check format and encoding")
        try:
            return raw.decode("utf-8-sig" if self.number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise DataError(
                f"{self._place}: byte {error.start + 1} is not UTF-8: convert the file to UTF-8, "
                "for example with iconv"
            ) from error


def existing_file(source: str | PathLike[str]) -> Path:
    """The path of a file that exists, is not empty and is readable."""
    path = Path(fspath(source))
    try:
        if path.is_dir():
            raise DataError(f"{path}: is a directory: give the path of one file in it")
        if not path.stat().st_size:
            raise DataError(f"{path}: is empty: check how it was made")
        path.open("rb").close()
    except FileNotFoundError as error:
        raise DataError(f"{path}: there is no such file: check the path") from error
    except (OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(
            f"{str(path)!r}: cannot be opened ({reason(error)}): check path and permissions"
        ) from error
    return path


def stem(path: Path) -> str:
    """The name of a file without its extensions, as a name for its data."""
    name = path.name.removesuffix(".gz")
    return name.rpartition(".")[0] or name


def batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Consecutive items, `size` at a time."""
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield batch


def reason(error: BaseException) -> str:
    """The message of another error in one line."""
    return " ".join(str(error).split()) or type(error).__name__


def shown(value: Any) -> str:
    """A value as quoted in messages: in one line and not too long."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def listed(names: Iterable[str]) -> str:
    """Names as listed in messages."""
    every = [shown(name) for name in names]
    more = f" and {len(every) - 20} more" if len(every) > 20 else ""
    return (", ".join(every[:20]) or "none") + more
