"""Text files as lines: plain or gzip, UTF-8, with clear errors if they cannot be read."""

import gzip
import sys
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import deque
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
AT_ONCE = 1 << 16  # bytes to take from a pipe, which holds no more on most systems
STANDARD_INPUT = "-"
INPUT_NAME = Path("standard input")

Item = TypeVar("Item")

Where = Callable[[int], str]
"""Returns the place of the i-th row of a batch in its source, for messages."""


class TextLines:
    """The lines of a file, with their line ends. `number` is that of the last line, from 1.

    Compression is detected by the first bytes, not by the name. An open `file`, such as a pipe, is read as a
    stream; `path` is then only its name. With `prompt`, its lines come as they arrive.
    """

    def __init__(self, path: Path, file: BufferedReader | None = None, *, prompt: bool = False) -> None:
        self.path = path
        self.number = 0
        self._is_pipe = file is not None
        self._size = path.stat().st_size if file is None else 0
        self._file = file or path.open("rb")
        compressed = self._file.peek(2)[:2] == b"\x1f\x8b"
        self._bytes: Any = self._file
        if compressed:
            self._bytes = gzip.GzipFile(fileobj=self._file, mode="rb")
        elif prompt and file is not None:
            self._bytes = ArrivingLines(self._file)

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
        """The fraction of the file that has been read; 0 of a pipe."""
        if self._is_pipe:
            return 0.0
        return min(1.0, self._file.tell() / self._size) if self._size else 1.0

    def batches(self, items: Iterable[Item], size: int) -> Iterator[list[Item]]:
        """Items made of these lines, `size` at a time, or fewer if there would be nothing to do but wait."""
        if not isinstance(self._bytes, ArrivingLines):
            yield from batches(items, size)
            return
        batch: list[Item] = []
        for item in items:
            batch.append(item)
            if len(batch) == size or not self._bytes.has_more:
                yield batch
                batch = []
        if batch:
            yield batch

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
        if self.number == 1 and raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
            raise DataError(
                f"{self.path}: is UTF-16: convert it to UTF-8, for example with iconv -f UTF-16 -t UTF-8"
            )
        if b"\0" in raw:
            raise DataError(f"{self._place}: has a zero byte, so it is not UTF-8 text: check format and encoding")
        try:
            return raw.decode("utf-8-sig" if self.number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise DataError(
                f"{self._place}: byte {error.start + 1} is not UTF-8: convert the file to UTF-8, "
                "for example with iconv"
            ) from error


class ArrivingLines:
    """The lines of a pipe, each as soon as it is complete."""

    def __init__(self, file: BufferedReader) -> None:
        self._file = file
        self._lines: deque[bytes] = deque()
        self._begun: list[bytes] = []  # pieces of a line that is not complete

    @property
    def has_more(self) -> bool:
        """Whether another line has arrived."""
        return bool(self._lines)

    def readline(self, limit: int) -> bytes:
        """The next line; if it is longer than the limit, its beginning."""
        while not self._lines:
            block = self._file.read1(AT_ONCE)
            if not block or sum(map(len, self._begun)) > limit:
                rest, self._begun = b"".join(self._begun), []
                return rest[:limit]
            first, *others = block.split(b"\n")
            self._begun.append(first)
            if others:
                whole = [b"".join(self._begun), *others[:-1]]
                self._lines.extend(line + b"\n" for line in whole)
                self._begun = [others[-1]]
        return self._lines.popleft()

    def close(self) -> None:
        """Do nothing: the file is closed by itself."""


def is_pipe(source: Any) -> bool:
    """Whether a source is standard input or a named pipe, which can be read only once."""
    if not isinstance(source, str | PathLike):
        return False
    return fspath(source) in (STANDARD_INPUT, "/dev/stdin") or Path(source).is_fifo()


_OPENED: dict[str, tuple[Any, BufferedReader]] = {}


def opened_pipe(source: str | PathLike[str]) -> BufferedReader:
    """A pipe as bytes; the same for each call, because what was looked at would be lost."""
    name = fspath(source)
    given: Any = None if Path(name).is_fifo() and name != "/dev/stdin" else sys.stdin.buffer
    before, file = _OPENED.get(name, (None, None))
    if file is None or file.closed or before is not given:
        file = BufferedReader(open(name, "rb", buffering=0)) if given is None else given  # noqa: SIM115 - the reader closes it
        if not isinstance(file, BufferedReader):
            file = BufferedReader(file)
        _OPENED[name] = given, file
    return file


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


def check_names(names: list[str], place: str) -> None:
    """Refuse two columns with one name; `place` says where the names are."""
    if len(set(names)) < len(names):
        twice = next(name for position, name in enumerate(names) if name in names[:position])
        raise DataError(f"{place}: two columns have the name {shown(twice)}: rename one")
